package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// Run runs a program with body on the engine's processors and returns its arrays by vertex id.
// The body and the program's operators see ranks: RankOf and RunResult translate. A program must
// not change after its first run, whose memory later ones use; it may run several times at once.
//
// Processors that cannot run the program are refused by name: the error wraps
// kernels.ErrUnsupported. Other errors wrap program.ErrInvalid, ErrMemory, ErrArgument or
// bsp.ErrBody, or are ErrClosed, ctx's, a processor's or body's. A failed run leaves the engine
// usable.
func (e *Engine) Run(ctx context.Context, p *program.Program, body func(program.Machine) error) (*RunResult, error) {
	if p == nil || body == nil {
		return nil, fmt.Errorf("%w: the program or the body is nil", ErrArgument)
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	t, err := e.take(ctx, false)
	if err != nil {
		return nil, err
	}
	defer t.release()
	return e.run(ctx, t, p, 0, body)
}

// run is Run in a turn. more is the memory in bytes that the caller needs beside it.
func (e *Engine) run(ctx context.Context, t *turn, p *program.Program, more int64, body func(program.Machine) error) (_ *RunResult, err error) {
	defer refused(&err)
	if err := e.bothWays(); err != nil {
		return nil, fmt.Errorf("engine: program %q: %w", p.Name, err)
	}
	st, err := e.open(ctx, t, p, more+e.resultBytes(p))
	if err != nil {
		return nil, err
	}
	done := false
	defer func() { err = errors.Join(err, e.giveBack(st, done)) }()
	var s *bsp.Statistics
	if e.opts.RunStatistics {
		s = &bsp.Statistics{}
	}
	if err := st.loop.Run(ctx, p, st.runs, s, body); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("engine: program %q: %w", p.Name, err)
	}
	r, err := e.read(p, st.runs, s)
	done = err == nil
	return r, err
}

// bothWays refuses an engine that holds the arcs of one direction alone.
func (e *Engine) bothWays() error {
	if d, only := e.opts.oneWay(); only && e.place.Directed {
		return fmt.Errorf("%w: an engine for %v searches alone lacks the other arcs", kernels.ErrUnsupported, d)
	}
	return nil
}

// RankOf returns the rank of the vertex with id label of the file, and false for a vertex
// without arcs. The error wraps graph.ErrNoVertex.
func (e *Engine) RankOf(label uint64) (rank uint32, ok bool, err error) {
	e.mapping.RLock()
	defer e.mapping.RUnlock()
	if e.place == nil || e.unmapped {
		return 0, false, ErrClosed
	}
	id, err := e.labels.ID(label)
	if err != nil {
		return 0, false, err
	}
	rank = e.place.RankOf[id]
	return rank, rank != graph.None, nil
}

// RunResult holds the arrays of a program after a run, by dense vertex id. It outlives its
// engine.
type RunResult struct {
	// Statistics has a level for each EdgeMap, VertexMap and Local, in the order of calls; nil
	// without Options.RunStatistics.
	Statistics *bsp.Statistics

	labels *graph.Labels
	arrays []any
}

// Label is the file's id of the vertex with dense id v.
func (r *RunResult) Label(v uint32) uint64 { return r.labels.Label(v) }

// ID is the dense id of the vertex with the file's id label.
func (r *RunResult) ID(label uint64) (uint32, error) { return r.labels.ID(label) }

// ArrayOf returns an array of r by dense vertex id, not a copy. Entries of vertices without
// arcs are the array's initial values, of program.Rank None or, with Ranks, their own id. It
// returns nil if there is no such array, it is Scratch or T is not its type.
func ArrayOf[T program.Value](r *RunResult, array int) []T {
	if array < 0 || array >= len(r.arrays) {
		return nil
	}
	values, _ := r.arrays[array].([]T)
	return values
}

// read returns the arrays of runs, with statistics.
func (e *Engine) read(p *program.Program, runs []kernels.Run, s *bsp.Statistics) (*RunResult, error) {
	r := &RunResult{Statistics: s, labels: e.labels}
	for k, a := range p.Arrays {
		if a.Scratch {
			r.arrays = append(r.arrays, nil)
			continue
		}
		out := e.initial(a)
		for i, run := range runs {
			if err := run.Read(k, out); err != nil {
				return nil, fmt.Errorf("engine: program %q: array %q of processor %d: %w", p.Name, a.Name, i, err)
			}
		}
		r.arrays = append(r.arrays, out)
	}
	return r, nil
}

// initial returns an array with the entries of vertices without arcs, by vertex id.
func (e *Engine) initial(a program.Array) any {
	switch a.Type {
	case program.U32:
		ids := initial[uint32](e.n, a)
		if own := a.Init == program.ID || a.Init == program.Rank && a.Ranks; own || a.Init >= program.Rank {
			for v := range ids {
				if ids[v] = graph.None; own {
					ids[v] = uint32(v)
				}
			}
		}
		return ids
	case program.I32:
		return initial[int32](e.n, a)
	case program.U64:
		return initial[uint64](e.n, a)
	case program.I64:
		return initial[int64](e.n, a)
	case program.F32:
		return initial[float32](e.n, a)
	}
	return initial[float64](e.n, a)
}

func initial[T program.Value](n int, a program.Array) []T {
	out := make([]T, n)
	if a.Init == program.Top {
		for v := range out {
			out[v] = program.Largest[T]()
		}
	}
	return out
}
