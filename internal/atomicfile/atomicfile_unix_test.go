//go:build unix

package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Write keeps what a name stands for: links, modes, pipes.
func TestWriteKeeps(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	put := func(name, text string) {
		t.Helper()
		err := Write(at(name), func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(at("secret"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("secret", at("link")); err != nil {
		t.Fatal(err)
	}
	put("link", "new")
	if b, err := os.ReadFile(at("secret")); err != nil || string(b) != "new" {
		t.Errorf("the link's target holds %q, %v", b, err)
	}
	if st, err := os.Lstat(at("link")); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", st, err)
	}
	if st, err := os.Stat(at("secret")); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode became %v, %v", st.Mode(), err)
	}

	old := syscall.Umask(0o077)
	put("masked", "x")
	syscall.Umask(old)
	if st, err := os.Stat(at("masked")); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the umask is left out: %v, %v", st.Mode(), err)
	}

	// The umask does not narrow the permissions of a file that is replaced.
	for _, mode := range []os.FileMode{0o666, 0o640, 0o600, 0o755} {
		if err := os.WriteFile(at("mode"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(at("mode"), mode); err != nil {
			t.Fatal(err)
		}
		put("mode", "x")
		if st, err := os.Stat(at("mode")); err != nil || st.Mode().Perm() != mode {
			t.Errorf("mode %v became %v, %v", mode, st.Mode(), err)
		}
	}

	// A dangling link, through another and relative, creates its target.
	if err := os.Mkdir(at("sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"dangling": "sub/second", "sub/second": "../target"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	put("dangling", "made")
	if b, err := os.ReadFile(at("target")); err != nil || string(b) != "made" {
		t.Errorf("the target of the dangling link holds %q, %v", b, err)
	}
	for _, link := range []string{"dangling", "sub/second"} {
		if st, err := os.Lstat(at(link)); err != nil || st.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link %s became %v, %v", link, st, err)
		}
	}
	if err := os.Symlink("loop", at("loop")); err != nil {
		t.Fatal(err)
	}
	if err := Write(at("loop"), func(io.Writer) error { return nil }); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a link to itself: %v", err)
	}

	if err := syscall.Mkfifo(at("fifo"), 0o600); err != nil {
		t.Skip(err)
	}
	got := make(chan string, 1)
	go func() {
		b, _ := os.ReadFile(at("fifo"))
		got <- string(b)
	}()
	put("fifo", "through")
	if s := <-got; s != "through" {
		t.Errorf("the pipe gave %q", s)
	}
	left, err := filepath.Glob(at(".*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestClosedFolder writes a file whose folder takes no other: from the first byte on, and empties it if the
// write fails.
func TestClosedFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root writes into any folder")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "o")
	if err := errors.Join(os.WriteFile(path, []byte("old"), 0o600), os.Chmod(dir, 0o500)); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	boom := errors.New("boom")
	for _, c := range []struct {
		text string
		err  error
		want string
	}{{"", boom, "old"}, {"new, and longer", nil, "new, and longer"}, {"x", nil, "x"}, {"half", boom, ""}, {"", nil, ""}} {
		err := Write(path, func(w io.Writer) error {
			if c.text != "" {
				if _, err := io.WriteString(w, c.text); err != nil {
					return err
				}
			}
			return c.err
		})
		if b, rerr := os.ReadFile(path); !errors.Is(err, c.err) || rerr != nil || string(b) != c.want {
			t.Errorf("%q, %v: the file holds %q, %v, %v", c.text, c.err, b, rerr, err)
		}
	}
	if err := Write(filepath.Join(dir, "new"), func(io.Writer) error { return nil }); !errors.Is(err, os.ErrPermission) {
		t.Errorf("a new file there: %v", err)
	}
}

// TestCheck: Check returns what Create would, and leaves files and folders as they are.
func TestCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.WriteFile("old", []byte("text"), 0o600), os.Symlink("new", "dangling"), os.Symlink("loop", "loop"), os.Mkdir("dir", 0o755),
		os.Symlink("dir", "here"), os.Symlink("../up", "dir/up"), unix.Mkfifo("pipe", 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{
		"old": nil, "new": nil, "dangling": nil, "pipe": nil, os.DevNull: nil, "here/new": nil,
		"none/new": fs.ErrNotExist, "dir": syscall.EISDIR, "loop": syscall.ELOOP, "old/new": syscall.ENOTDIR, strings.Repeat("a", 300): syscall.ENAMETOOLONG,
	} {
		if err := Check(name); !errors.Is(err, want) {
			t.Errorf("%.20s: %v, want %v", name, err, want)
		}
	}
	list, err := os.ReadDir(".")
	if text, _ := os.ReadFile("old"); err != nil || len(list) != 6 || string(text) != "text" {
		t.Errorf("%v, %v, %q", list, err, text)
	}
	for name, want := range map[string]string{"dangling": "new", "here/new": "dir/new", "here/up": "up", "old": "old"} {
		if got := Target(name); got != want {
			t.Errorf("%s leads to %s, want %s", name, got, want)
		}
	}
}

// TestDescriptor: the name of an open file means that file, which goes on from where it stands.
func TestDescriptor(t *testing.T) {
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	name := "/dev/fd/" + strconv.Itoa(int(log.Fd()))
	if filepath.Dir(Target(name)) != descriptors {
		t.Skipf("%s names no open file here", name)
	}
	write := func(text string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
	}
	if err := errors.Join(write("before ")(log), Check(name), Write(name, write("within ")), write("after")(log)); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(log.Name()); err != nil || string(got) != "before within after" || !Direct(name) || Direct(log.Name()) {
		t.Errorf("%q, %v", got, err)
	}
}
