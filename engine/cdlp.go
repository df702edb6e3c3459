package engine

import (
	"context"
	"fmt"
	"sync"

	"github.com/totemgo/totemgo/program"
)

// frequent is the operator of label propagation: the most frequent label of a vertex' neighbours, of
// several the smallest. It is a program.Rows[uint32].
type frequent struct{ counts sync.Pool } // of []uint32, a count for each label, 0 between rows

// Push implements program.Rows.
func (*frequent) Push(_, from uint32, _, _, out []uint32) {
	for i := range out {
		out[i] = from
	}
}

// Combine implements program.Rows: a vertex joins where its label changes.
func (*frequent) Combine(to *uint32, v uint32) bool { changed := *to != v; *to = v; return changed }

// Pull implements program.Rows.
func (f *frequent) Pull(_ uint32, row, _, label []uint32, _ []uint64, _ uint32) (best uint32, ok bool) {
	counts := f.counts.Get().(*[]uint32)
	count, most := *counts, uint32(0)
	for _, u := range row {
		l := label[u]
		n := count[l] + 1
		if count[l] = n; n > most || n == most && l < best {
			best, most = l, n
		}
	}
	for _, u := range row {
		count[label[u]] = 0
	}
	f.counts.Put(counts)
	return best, most > 0
}

// CDLPResult are communities by label propagation.
type CDLPResult struct {
	*RunResult
	// Labels holds the label of every vertex, the dense id of a vertex, by dense id. Vertices
	// with the same label are a community.
	Labels []uint32
	// Iterations is how many were run: fewer than given once no label changes.
	Iterations int
	// Changed is the number of labels that the last iteration changed.
	Changed int64
}

// Count is the number of communities.
func (r *CDLPResult) Count() (n int) {
	has := make([]bool, len(r.Labels))
	for _, l := range r.Labels {
		if !has[l] {
			has[l] = true
			n++
		}
	}
	return n
}

// propagation is the program of label propagation, and the bytes of its counts on so many threads.
func (e *Engine) propagation(threads int) (*program.Program, int64) {
	f := &frequent{}
	f.counts.New = func() any { s := make([]uint32, e.n); return &s }
	return &program.Program{
		Name:   "label propagation",
		Arrays: []program.Array{{Name: "label", Type: program.U32, Init: program.ID}},
		Edges:  []program.EdgeOp{{Name: "frequent", From: 0, To: 0, Arcs: program.Both, Rows: f, WholeRows: true}},
	}, 4*int64(e.n)*int64(threads) + 4*int64(e.place.Ranks)*int64(len(e.procs)) // and the labels of before
}

// CDLP finds communities by label propagation, as LDBC Graphalytics defines it: a vertex' first label is its
// own id, and in each iteration all vertices at once take the most frequent label of their
// neighbours, the smallest of several. In a directed graph out-arcs and in-arcs count, each. A vertex
// without arcs keeps its label. The result does not depend on placement and threads. Processors that
// cannot run it are refused by name: errors are those of Run, and ErrArgument for iterations below 1.
func (e *Engine) CDLP(ctx context.Context, iterations int) (*CDLPResult, error) {
	if iterations < 1 {
		return nil, fmt.Errorf("%w: %d iterations", ErrArgument, iterations)
	}
	c := &CDLPResult{}
	r, err := inTurn(ctx, e, func(t *turn) (*RunResult, error) {
		p, bytes := e.propagation(t.workers())
		return e.run(ctx, t, p, bytes, driven(func(d *driver) {
			for changed := true; changed && c.Iterations < iterations; c.Iterations++ {
				c.Changed = d.pull(0).Count
				changed = c.Changed > 0
			}
		}))
	})
	if err != nil {
		return nil, err
	}
	c.RunResult, c.Labels = r, ArrayOf[uint32](r, 0)
	return c, nil
}
