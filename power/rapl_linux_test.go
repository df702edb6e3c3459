package power

import (
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/prometheus/procfs/sysfs"
	"golang.org/x/sys/unix"
)

// TestZonesAgreeWithProcfs compares the zones found with those that procfs finds in
// the same flat trees.
func TestZonesAgreeWithProcfs(t *testing.T) {
	for _, name := range []string{"intel1", "psys", "amd", "dram"} {
		_, files := snapshot(t, name)
		root := writeTree(t, files)
		fs, err := sysfs.NewFS(root)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := sysfs.GetRaplZones(fs)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := OpenSysfs(root)
		if err != nil {
			t.Fatal(err)
		}
		ours := map[string]*raplZone{}
		for _, z := range raplZones(tree) {
			ours[z.id] = z
		}
		if len(ours) != len(theirs) {
			t.Errorf("%s: %d zones, procfs finds %d", name, len(ours), len(theirs))
		}
		for _, z := range theirs {
			e, err := z.GetEnergyMicrojoules()
			if err != nil {
				t.Fatal(err)
			}
			o := ours[filepath.Base(z.Path)]
			if o == nil {
				t.Fatalf("%s: %s is not found", name, z.Path)
			}
			if energy, err := tree.readUint(o.file()); err != nil || o.wrap != z.MaxMicrojoules || energy != e {
				t.Errorf("%s: %s: %+v, %d, %v, procfs %+v at %d", name, z.Path, o, energy, err, z, e)
			}
		}
	}
}

// TestDeniedByTheKernel reads counters of mode 0400 as another user, as they are
// since Linux 5.10.
func TestDeniedByTheKernel(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	_, files := snapshot(t, "dram")
	root := writeTree(t, files)
	for f := range files {
		if strings.HasSuffix(f, "energy_uj") {
			if err := os.Chmod(filepath.Join(root, f), 0o400); err != nil {
				t.Fatal(err)
			}
		}
	}
	for d := root; d != "/" && d != "."; d = filepath.Dir(d) {
		if st, err := os.Stat(d); err == nil && bits.OnesCount32(uint32(st.Mode().Perm()&0o005)) < 2 {
			if !strings.HasPrefix(d, os.TempDir()) || d == os.TempDir() {
				t.Skipf("%s is closed to other users", d)
			}
			if err := os.Chmod(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	// The file system's user id is the thread's own; the thread ends with the lock.
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		if _, _, e := unix.RawSyscall(unix.SYS_SETFSUID, 65534, 0, 0); e != 0 && int32(e) > 0 {
			done <- e
			return
		}
		_, _, err := Open([]Spec{{Kind: KindRAPL}}, OpenOptions{SysfsRoot: root})
		done <- err
	}()
	err := <-done
	if err == nil {
		t.Fatal("the counters were read")
	}
	mustContain(t, err.Error(), "permission denied", "energy_uj", "sudo chmod")
	if !errIs(err, ErrNoMeter, os.ErrPermission) {
		t.Errorf("got %v", err)
	}
}
