package engine_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/ref"
)

// TestSwap replaces chains by longer ones under load: every call is answered, by one of them, and no memory stays.
func TestSwap(t *testing.T) {
	before := hugemem.Live()
	chain := func(n int) *engine.Engine {
		return open(t, &graph.EdgeList{Vertices: 1 << 17, Edges: ref.Chain(n)}, engine.Options{Processors: cpus(1)})
	}
	s := engine.NewSwap(chain(100))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for c := range 6 {
		wg.Go(func() {
			last := 0
			for {
				select {
				case <-stop:
					return
				default:
				}
				n := 0
				err := s.Do(func(e *engine.Engine) error {
					if c == 0 {
						r, err := e.BFS(t.Context(), 0)
						n = int(r.NumReached)
						return err
					}
					r, err := e.Near(t.Context(), engine.BFSOptions{Roots: []uint64{0}})
					n = len(r.Vertices)
					return err
				})
				if err != nil || n < last || n < 100 {
					t.Errorf("%d reached after %d, %v", n, last, err)
					return
				}
				last = n
			}
		})
	}
	for i := range 20 {
		if err := s.Swap(chain(101 + i)); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := s.Do(func(*engine.Engine) error { return nil }); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	e := chain(50)
	if err := s.Swap(e); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("a swap after Close: %v", err)
	}
	if _, err := e.Path(t.Context(), 0, 1); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("the engine of a swap that failed: %v", err)
	}
	if now := hugemem.Live(); now != before {
		t.Errorf("memory outside the Go heap: %+v, was %+v", now, before)
	}
}

// TestSwapFails: an error of f is Do's, and does not keep the engine.
func TestSwapFails(t *testing.T) {
	s := engine.NewSwap(open(t, &graph.EdgeList{Vertices: 2}, engine.Options{}))
	bad := errors.New("bad")
	if err := s.Do(func(*engine.Engine) error { return bad }); err != bad {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
