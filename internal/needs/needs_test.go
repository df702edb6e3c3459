package needs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// double records how a test would have ended.
type double struct {
	testing.TB
	ended string
}

func (d *double) Helper() {}
func (d *double) Fatalf(string, ...any) {
	d.ended = "failed"
	runtime.Goexit()
}
func (d *double) Fatal(...any) { d.Fatalf("") }
func (d *double) Skipf(string, ...any) {
	d.ended = "skipped"
	runtime.Goexit()
}

func ending(f func(t testing.TB)) string {
	d := &double{ended: "passed"}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(d)
	}()
	<-done
	return d.ended
}

func TestMissing(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "there"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		require, data string
		f             func(t testing.TB)
		want          string
	}{
		{"", "", func(t testing.TB) { Data(t, "there") }, "skipped"},
		{"cc,data", "", func(t testing.TB) { Data(t, "there") }, "failed"},
		{"database", "", func(t testing.TB) { Data(t, "there") }, "skipped"},
		{"data", dir, func(t testing.TB) { Data(t, "there") }, "passed"},
		{"data", dir, func(t testing.TB) { Data(t, "elsewhere") }, "failed"},
		{"data", "", func(t testing.TB) { Cases(t, "c01g") }, "skipped"},
		{"cases", "", func(t testing.TB) { Cases(t) }, "failed"},
		{"", "", func(t testing.TB) { Tool(t, "cc", "no-such-command-at-all") }, "skipped"},
		{"cc", "", func(t testing.TB) { Tool(t, "cc", "no-such-command-at-all") }, "failed"},
	} {
		t.Setenv("TOTEMGO_REQUIRE", c.require)
		t.Setenv("TOTEMGO_DATA", c.data)
		t.Setenv("TOTEMGO_CASES", "")
		if got := ending(c.f); got != c.want {
			t.Errorf("TOTEMGO_REQUIRE=%q TOTEMGO_DATA set %v: %s, want %s", c.require, c.data != "", got, c.want)
		}
	}
	t.Setenv("TOTEMGO_DATA", dir)
	if got := Data(t, "there"); !strings.HasPrefix(got, dir) {
		t.Errorf("Data returns %s", got)
	}
}

func TestOpenCL(t *testing.T) {
	absent, broken := errors.New("absent"), errors.New("broken")
	for _, c := range []struct {
		require, number string
		err             error
		want            string
	}{
		{"", "", nil, "passed"},
		{"", "3", nil, "passed"},
		{"", "three", nil, "failed"},
		{"", "", fmt.Errorf("no driver: %w", absent), "skipped"},
		{"pocl", "", absent, "failed"},
		{"opencl", "", absent, "failed"},
		{"", "", broken, "failed"},
	} {
		t.Setenv("POCL_CACHE_DIR", t.TempDir())
		t.Setenv("TOTEMGO_REQUIRE", c.require)
		t.Setenv("TOTEMGO_TEST_DEVICE", c.number)
		if got := ending(func(t testing.TB) {
			if _, n := OpenCL(t, func() (int, error) { return 0, c.err }, absent); fmt.Sprint(n) != c.number && c.number != "" {
				t.Fatalf("device %d", n)
			}
		}); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
