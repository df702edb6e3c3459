package cudatest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/internal/needs"
)

// Standin is a pair of libraries in place of NVIDIA's driver and compiler, which run kernels on the
// CPU.
type Standin struct {
	// Library and Compiler are the values of TOTEMGO_CUDA and TOTEMGO_NVRTC.
	Library, Compiler string

	t   testing.TB
	now int
}

// NewStandin builds a stand-in by scripts/cuda-standin.sh, and names it in the environment until
// the test ends. A test that lacks cc skips.
func NewStandin(t testing.TB) *Standin {
	t.Helper()
	needs.Tool(t, "cc", "cc")
	script, err := filepath.Abs("scripts/cuda-standin.sh")
	for err == nil {
		if _, absent := os.Stat(script); absent == nil {
			break
		}
		above := filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(script))), "scripts", "cuda-standin.sh")
		if above == script {
			t.Skip("there is no scripts/cuda-standin.sh above this package")
		}
		script = above
	}
	dir := t.TempDir()
	if out, err := exec.Command(script, dir).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	s := &Standin{Library: filepath.Join(dir, "libcuda.so.1"), Compiler: filepath.Join(dir, "libnvrtc.so"), t: t}
	t.Setenv("TOTEMGO_CUDA", s.Library)
	t.Setenv("TOTEMGO_NVRTC", s.Compiler)
	return s
}

// Fail makes the n-th call of a function from now on return a code of cuda.h, until t ends.
func (s *Standin) Fail(t testing.TB, name string, n, code int) {
	s.now++ // a new text starts a new count
	t.Setenv("TOTEMGO_STANDIN_FAIL", fmt.Sprintf("%s:%d:%d:%d", name, n, code, s.now))
}

// Late holds enqueued work back until somebody waits for it, until t ends.
func (s *Standin) Late(t testing.TB) { t.Setenv("TOTEMGO_STANDIN_LATE", "1") }

// Count starts counting calls and returns a function that returns the counts so far by name.
// "threads" are the calls from another thread than the call before.
func (s *Standin) Count(t testing.TB) func() map[string]int {
	t.Helper()
	path := filepath.Join(t.TempDir(), "counts")
	t.Setenv("TOTEMGO_STANDIN_COUNTS", path)
	return func() map[string]int {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]int{}
		for line := range strings.Lines(string(text)) {
			if name, n, ok := strings.Cut(line, " "); ok {
				counts[name], _ = strconv.Atoi(strings.TrimSpace(n))
			}
		}
		return counts
	}
}
