package engine

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
)

// ClosenessOptions choose the roots of Closeness. The zero value takes all vertices.
type ClosenessOptions struct {
	// Samples is the number of roots, chosen by Seed among all n vertices; 0 and n or more take all. A sample of k
	// estimates the mean distance to a vertex.
	Samples int
	Seed    uint64
	// Outward measures distances from a vertex to the roots, along arcs, instead of those from the roots to it. They
	// are the same in an undirected graph.
	Outward bool
	// Progress, if not nil, is called after each batch of roots, by one goroutine at a time, with the time that those
	// left are predicted to take: at first what one batch took × their number ÷ threads.
	Progress func(done, of int64, left time.Duration)
}

// Closeness searches from all vertices, or a sample, at once: see ClosenessResult. CPUs search bit-parallel from 512
// roots a thread, in host memory; lists with devices from 64 roots at a time, as a program. Results are the same to
// the bit for every placement, list of processors and number of threads. Errors are Run's.
func (e *Engine) Closeness(ctx context.Context, o ClosenessOptions) (_ *ClosenessResult, err error) {
	defer refused(&err)
	if o.Samples < 0 {
		return nil, fmt.Errorf("%w: closeness from %d roots", ErrArgument, o.Samples)
	}
	t, err := e.take(ctx, false)
	if err != nil {
		return nil, err
	}
	defer t.release()
	var chosen []uint32
	if o.Samples > 0 && o.Samples < e.n {
		chosen = sampled(e.n, o.Samples, o.Seed)
	}
	return e.distances(ctx, t, chosen, o)
}

// sampled returns k of n vertices, rising.
func sampled(n, k int, seed uint64) (chosen []uint32) {
	r := rand.New(rand.NewPCG(seed, 0))
	for v := 0; k > 0; v++ { // selection by Fan, Muller and Rezucha (1962)
		if r.IntN(n-v) < k {
			chosen = append(chosen, uint32(v))
			k--
		}
	}
	return chosen
}

// distances searches from the vertices with dense ids chosen, all if it is nil, in a turn.
func (e *Engine) distances(ctx context.Context, t *turn, chosen []uint32, o ClosenessOptions) (*ClosenessResult, error) {
	if err := e.bothWays(); err != nil {
		return nil, fmt.Errorf("engine: closeness: %w", err)
	}
	r := &ClosenessResult{Roots: int64(e.n), shift: 63 - bits.Len(uint(e.n))}
	if chosen != nil {
		r.Roots, r.roots = int64(len(chosen)), make([]uint64, (e.n+63)/64)
		for _, v := range chosen {
			r.roots[v/64] |= 1 << (v % 64)
		}
	}
	var roots []uint32
	for rank, id := range e.place.VertexOf {
		if id != graph.None && (r.roots == nil || r.roots[id/64]>>(id%64)&1 != 0) {
			roots = append(roots, uint32(rank))
		}
	}
	alone := r.Roots - int64(len(roots))
	p := prediction{start: time.Now(), progress: o.Progress, alone: alone, of: int64(len(roots))}
	search := e.hostDistances
	if e.manySearcher() == nil {
		search = e.programDistances
	}
	if err := search(ctx, t, r, roots, o.Outward, p.finished); err != nil {
		return nil, err
	}
	if alone > 0 {
		if len(r.Hops) == 0 {
			r.Hops = []int64{0}
		}
		r.Hops[0] += alone
		for id, rank := range e.place.RankOf {
			if rank == graph.None && (r.roots == nil || r.roots[id/64]>>(id%64)&1 != 0) {
				r.Reach[id] = 1
			}
		}
	}
	r.Predicted, r.Time = p.early, time.Since(p.start)
	return r, nil
}

// manySearcher searches from many roots in host memory: nil where a processor is a device.
func (e *Engine) manySearcher() (s kernels.ManySearcher) {
	for _, k := range e.procs {
		var is bool
		if s, is = k.(kernels.ManySearcher); !is {
			return nil
		}
	}
	return s
}

// hostDistances searches with the threads of the host.
func (e *Engine) hostDistances(ctx context.Context, t *turn, r *ClosenessResult, roots []uint32, outward bool, finished batchFinished) error {
	out, err := e.place.Rows(outward)
	if err != nil {
		return fmt.Errorf("engine: closeness: %w", err)
	}
	in, err := e.place.Rows(!outward)
	if err != nil {
		return fmt.Errorf("engine: closeness: %w", err)
	}
	m := &kernels.ManyRoots{Out: out, In: in, Ranks: uint32(e.place.Ranks), Roots: roots,
		Unit: float64(uint64(1) << r.shift), Threads: max(1, min(t.workers(), len(roots)))}
	m.Finished = func(n int, took time.Duration) { finished(n, m.Threads, took) }
	searcher := e.manySearcher()
	if err := e.room("closeness", searcher.ManyBytes(m)+24*int64(e.n)); err != nil {
		return err
	}
	if err := searcher.SearchMany(ctx, m); err != nil {
		return err
	}
	defer m.FreeSums()
	r.RunResult, r.Hops = &RunResult{labels: e.labels}, m.Hops
	r.Reach, r.Eccentricity, r.Total, r.harmonic = make([]uint32, e.n), make([]uint32, e.n), make([]uint64, e.n), make([]uint64, e.n)
	for rank, id := range e.place.VertexOf {
		if id != graph.None {
			d := &m.Sums[rank]
			r.Reach[id], r.Eccentricity[id], r.Total[id], r.harmonic[id] = d.Reach, d.Far, d.Total, d.Harmonic
		}
	}
	return nil
}
