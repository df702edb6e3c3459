package power

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/totemgo/totemgo/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// manual is a clock that stands until a test moves it.
type manual struct {
	t    time.Duration
	wall time.Time // at session time 0
}

func newManual() *manual {
	return &manual{wall: time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)}
}

func (c *manual) now() (time.Duration, time.Time) { return c.t, c.wall.Add(c.t) }

// scripted is a meter whose readings a test gives.
type scripted struct {
	info   Info
	count  uint64
	watts  float64
	err    error
	closed int
}

func (m *scripted) Info() Info            { return m.info }
func (m *scripted) Begin(time.Time) error { return nil }
func (m *scripted) Close() error          { m.closed++; return nil }
func (m *scripted) Read(now time.Duration) ([]Reading, error) {
	if m.err != nil {
		return nil, m.err
	}
	return []Reading{{At: now, Count: m.count, Watts: m.watts}}, nil
}

func counterInfo(name string) Info {
	return Info{Name: name, Kind: "rapl", Domain: "package", Coverage: record.CoverageComponent, Method: Counter, Unit: 1e-6}
}

func powerInfo(name string) Info {
	return Info{Name: name, Kind: "nvml", Domain: "gpu", Coverage: record.CoverageComponent, Method: Power}
}

// start begins a session on a clock that stands, without a sampler.
func start(t *testing.T, c *manual, o Options) *Session {
	t.Helper()
	o.clock = c.now
	s, err := Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: got %v, want %v ± %g", what, got, want, tol)
	}
}

// between is the energy between two times of a session.
func between(s *Session, from, to time.Duration) Interval {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.look().interval("", from, to)
}

// writeTree writes a snapshot out as a directory. Content nil becomes a directory,
// which no user can read as a file.
func writeTree(t *testing.T, files map[string]*string) string {
	t.Helper()
	root := t.TempDir()
	updateTree(t, root, files)
	return root
}

func updateTree(t *testing.T, root string, files map[string]*string) {
	t.Helper()
	for p, c := range files {
		p = filepath.Join(root, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Skipf("this file system refuses sysfs names: %v", err)
		}
		if c == nil {
			if err := os.MkdirAll(p, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(p, []byte(*c), 0o644); err != nil {
			t.Skipf("this file system refuses sysfs names: %v", err)
		}
	}
}

func mustContain(t *testing.T, s string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(s, p) {
			t.Errorf("%q does not say %q", s, p)
		}
	}
}

func energyOf(t *testing.T, i Interval, name string) float64 {
	t.Helper()
	for _, m := range i.Meters {
		if m.Info.Name == name {
			if !m.Known {
				t.Fatalf("%s: energy unknown", name)
			}
			return m.Joules
		}
	}
	t.Fatalf("no meter %q in %v", name, i)
	return 0
}

func noNVML() (*nvmlAPI, error) { return nil, errors.New("libnvidia-ml.so.1 not found") }

// errIs tells whether err is all of the targets.
func errIs(err error, targets ...error) bool {
	for _, t := range targets {
		if !errors.Is(err, t) {
			return false
		}
	}
	return true
}
