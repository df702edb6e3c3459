package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// Run runs a program with body on the engine's processors and returns its arrays by vertex id.
// The body and the program's operators see ranks: RankOf and RunResult translate. A program must
// not change after its first run, whose memory later ones use; it may run several times at once. The
// Machine is valid until body returns. A body that panics fails with bsp.ErrBody and the stack.
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
	return inTurn(ctx, e, func(t *turn) (*RunResult, error) { return e.run(ctx, t, p, 0, body) })
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
	s := e.statistics()
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

// driver calls a machine for a body. After a failure, err, calls do nothing and return nothing.
type driver struct {
	program.Machine
	err error
}

// driven is a body that calls a machine by a driver.
func driven(body func(d *driver)) func(program.Machine) error {
	return func(m program.Machine) error {
		d := &driver{Machine: m}
		body(d)
		return d.err
	}
}

func (d *driver) seed(rank uint32, array int, value program.Bits) (f program.Frontier) {
	f, d.err = d.Seed(rank, array, value)
	return f
}

// pull is an EdgeMap from all vertices.
func (d *driver) pull(op int) program.Frontier {
	return d.edges(op, program.Step{Way: program.Pull, From: program.All})
}

// cheaper is an EdgeMap from the frontier f the way that is less work.
func (d *driver) cheaper(op int, f program.Frontier) program.Frontier {
	s := program.Step{Way: program.Push}
	if f.Arcs > d.Info().Arcs/pullPart {
		s.Way = program.Pull
	}
	return d.edges(op, s)
}

// pullPart is the part of all arcs from which on a frontier's arcs are more work than all rows.
const pullPart = 8

func (d *driver) edges(op int, s program.Step) (f program.Frontier) {
	f, d.err = d.EdgeMap(op, s)
	return f
}

func (d *driver) vertices(op int, over program.Set, args ...float64) (f program.Frontier, r program.Reduced) {
	f, r, d.err = d.VertexMap(op, over, args...)
	return f, r
}

func (d *driver) keep(k program.Set) { d.err = d.Keep(k) }

// statistics are those of a program's run, nil without Options.RunStatistics.
func (e *Engine) statistics() *bsp.Statistics {
	if e.opts.RunStatistics {
		return &bsp.Statistics{}
	}
	return nil
}

// bothWays refuses an engine that holds the arcs of one direction alone.
func (e *Engine) bothWays() error {
	if d, only := e.opts.oneWay(); only && e.place.Directed {
		return fmt.Errorf("%w: an engine for %v searches alone lacks the other arcs", kernels.ErrUnsupported, d)
	}
	return nil
}

// RankOf returns the rank of the vertex with id label of the file, and false for a vertex
// without arcs. The error wraps graph.ErrNoVertex or is ErrClosed.
func (e *Engine) RankOf(label uint64) (rank uint32, ok bool, err error) {
	if err := e.enter(context.Background()); err != nil {
		return 0, false, err
	}
	defer e.mapping.RUnlock()
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

// ID is the dense id of the vertex with the file's id label. The error wraps graph.ErrNoVertex.
func (r *RunResult) ID(label uint64) (uint32, error) { return r.labels.ID(label) }

// each yields the file's id and the value of each of n vertices that has one, in the order of dense ids.
func each[V any](labels *graph.Labels, n int, value func(v uint32) (x V, ok bool)) iter.Seq2[uint64, V] {
	return func(yield func(uint64, V) bool) {
		for v := range uint32(n) {
			if x, ok := value(v); ok && !yield(labels.Label(v), x) {
				return
			}
		}
	}
}

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
		out := initials[a.Type](e.n, a)
		for i, run := range runs {
			if err := run.Read(k, out); err != nil {
				return nil, fmt.Errorf("engine: program %q: array %q of processor %d: %w", p.Name, a.Name, i, err)
			}
		}
		r.arrays = append(r.arrays, out)
	}
	return r, nil
}

// initials make arrays with the entries of vertices without arcs, by vertex id, by type.
var initials = [...]func(n int, a program.Array) any{
	program.U32: func(n int, a program.Array) any { return initialIDs(n, a) },
	program.I32: initialOf[int32], program.U64: initialOf[uint64], program.I64: initialOf[int64],
	program.F32: initialOf[float32], program.F64: initialOf[float64],
}

func initialOf[T program.Value](n int, a program.Array) any {
	if a.Init == program.Top {
		return slices.Repeat([]T{program.Largest[T]()}, n)
	}
	return make([]T, n)
}

func initialIDs(n int, a program.Array) []uint32 {
	switch own := a.Init == program.ID || a.Init == program.Rank && a.Ranks; {
	case own:
		ids := make([]uint32, n)
		for v := range ids {
			ids[v] = uint32(v)
		}
		return ids
	case a.Init >= program.Rank:
		return slices.Repeat([]uint32{graph.None}, n)
	}
	return initialOf[uint32](n, a).([]uint32)
}
