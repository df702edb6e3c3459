package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"weak"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/program"
)

// state is the memory of a run: of its program on each processor, and of its loop.
type state struct {
	program *program.Program
	runs    []kernels.Run
	loop    *bsp.Loop
	bfs     *bsp.BFS // of bsp.Tree
	// directors of bfs, once made: the options' on all threads, and on fewer.
	directors [2]bsp.Director
	bytes     int64
}

// states are those of an engine. Where all processors are CPUs, the states of programs that run again are kept.
type states struct {
	mu     sync.Mutex
	idle   []*state // the last one used last
	busy   int
	bytes  int64         // of all
	change chan struct{} // closed when one is idle or gone
	kept   bool
	last   [8]weak.Pointer[program.Program] // that ran last; those made for one run come once
	next   int
}

// newState makes the loop of runs of p.
func (e *Engine) newState(p *program.Program, runs []kernels.Run) (st *state, err error) {
	kinds := make([]kernels.Kind, len(e.procs))
	for i, k := range e.procs {
		kinds[i] = k.Kind()
	}
	st = &state{program: p, runs: runs, loop: bsp.New(e.layout, bsp.Local(len(e.procs)), kinds), bytes: e.runBytes(p)}
	if p == bsp.Tree {
		st.bfs, err = bsp.NewBFS(st.loop, runs)
	}
	return st, err
}

// close frees a state.
func (st *state) close() (err error) {
	if st.loop != nil {
		st.loop.Close()
	}
	for _, r := range st.runs {
		if r != nil {
			err = errors.Join(err, r.Close())
		}
	}
	return err
}

// assign gives a state the turn's threads, none without a turn. It is false where the state is for other numbers of threads.
func (e *Engine) assign(st *state, t *turn) bool {
	for i, k := range e.procs {
		n := 0
		if t != nil {
			n = t.threads[i]
		}
		if c, is := k.(*cpu.Processor); is && !c.Assign(st.runs[i], n) {
			return false
		}
	}
	return true
}

// open returns a state for p with the turn's threads. more is the memory in bytes that the caller needs beside it. Where the
// limit leaves no room it frees idle states, the least recently used first, then waits for runs to end.
func (e *Engine) open(ctx context.Context, t *turn, p *program.Program, more int64) (*state, error) {
	s := e.states
	s.mu.Lock()
	var st *state
	for {
		st = s.find(e, t, p)
		need := more
		if st == nil {
			st = &state{program: p, bytes: e.runBytes(p)}
			need += st.bytes
		}
		if s.fits(e, need) {
			break
		}
		if st.runs != nil {
			s.idle = append(s.idle, st) // others may need its memory
		}
		if s.busy == 0 {
			s.mu.Unlock()
			return nil, e.tooMuch(fmt.Sprintf("program %q", p.Name), need)
		}
		change := s.change
		s.mu.Unlock()
		select {
		case <-change:
		case <-ctx.Done():
		}
		s.mu.Lock()
		if ctx.Err() != nil {
			s.mu.Unlock()
			return nil, ctx.Err()
		}
	}
	s.busy++
	if st.runs == nil {
		s.bytes += st.bytes
	}
	s.mu.Unlock()
	if st.runs != nil {
		return st, nil
	}
	opened, err := e.openRuns(ctx, t, p, st.bytes)
	if err != nil {
		return nil, errors.Join(err, e.giveBack(opened, false))
	}
	return opened, nil
}

// openRuns opens p on all processors. The state is to be given back on errors too.
func (e *Engine) openRuns(ctx context.Context, t *turn, p *program.Program, bytes int64) (*state, error) {
	runs := make([]kernels.Run, len(e.procs))
	for i, k := range e.procs {
		var err error
		if c, is := k.(*cpu.Processor); is {
			runs[i], err = c.OpenOn(ctx, p, t.threads[i])
		} else {
			runs[i], err = k.Open(ctx, p)
		}
		if err != nil {
			return &state{runs: runs, bytes: bytes}, fmt.Errorf("engine: program %q: processor %d (%s): %w", p.Name, i, e.opts.Processors[i], err)
		}
	}
	st, err := e.newState(p, runs)
	st.bytes = bytes
	return st, err
}

// find takes an idle state of p for the turn's threads, nil without one.
func (s *states) find(e *Engine, t *turn, p *program.Program) *state {
	for i := len(s.idle) - 1; i >= 0; i-- {
		if st := s.idle[i]; st.program == p && e.assign(st, t) {
			s.idle = slices.Delete(s.idle, i, i+1)
			return st
		}
	}
	return nil
}

// fits frees idle states until need bytes more are within the limit.
func (s *states) fits(e *Engine, need int64) bool {
	if e.opts.MemoryLimit <= 0 {
		return true
	}
	need += e.held()
	for s.bytes+need > e.opts.MemoryLimit && s.kept && len(s.idle) > 0 {
		_ = s.drop() // a CPU's run
	}
	return s.bytes+need <= e.opts.MemoryLimit
}

// drop frees the least recently used idle state.
func (s *states) drop() error {
	st := s.idle[0]
	s.idle = slices.Delete(s.idle, 0, 1)
	s.bytes -= st.bytes
	return st.close()
}

// giveBack ends a run's use of a state. It is kept for the next run if it is of use again.
func (e *Engine) giveBack(st *state, keep bool) (err error) {
	s := e.states
	e.assign(st, nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
	if keep = keep && (st.program == bsp.Tree || s.kept && s.again(st.program)); keep {
		s.idle = append(s.idle, st)
		for len(s.idle) > 2*e.queue.most {
			err = errors.Join(err, s.drop())
		}
	} else {
		s.bytes -= st.bytes
		err = st.close()
	}
	close(s.change)
	s.change = make(chan struct{})
	return err
}

// again reports whether p is among the programs that ran last, and remembers it.
func (s *states) again(p *program.Program) bool {
	w := weak.Make(p)
	if slices.Contains(s.last[:], w) {
		return true
	}
	s.last[s.next%len(s.last)] = w
	s.next++
	return false
}

// tooMuch is the error of what needs more memory than the limit.
func (e *Engine) tooMuch(what string, need int64) error {
	need += e.held()
	return fmt.Errorf("%w: %s needs %d bytes, the limit is %d", ErrMemory, what, need, e.opts.MemoryLimit)
}

// room checks the memory of need bytes for what, beside the engine's own.
func (e *Engine) room(what string, need int64) error {
	e.states.mu.Lock()
	defer e.states.mu.Unlock()
	if !e.states.fits(e, need) {
		return e.tooMuch(what, e.states.bytes+need)
	}
	return nil
}
