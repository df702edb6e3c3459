package engine

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/workers"
)

// ClosenessOptions choose the roots of Closeness. The zero value takes all vertices.
type ClosenessOptions struct {
	// Samples is the number of roots, chosen by Seed among all vertices; 0 takes all. A sample of k of n vertices
	// estimates the mean distance to a vertex.
	Samples int
	Seed    uint64
	// Outward measures distances from a vertex to the roots, along arcs, instead of those from the roots to it. They
	// are the same in an undirected graph.
	Outward bool
	// Progress, if not nil, is called after each batch of roots with the time that those left are predicted to take:
	// at first what one batch took × their number ÷ threads.
	Progress func(done, of int64, left time.Duration)
}

// ClosenessResult has the distances between roots and each vertex, summed up, by dense id. Distances are numbers of
// arcs. A root that does not reach a vertex does not count for it.
type ClosenessResult struct {
	*RunResult
	// Roots is the number of roots.
	Roots int64
	// Reach is the number of roots that reach the vertex, itself included if it is one; Total the sum of their
	// distances, Eccentricity the largest of them.
	Reach, Eccentricity []uint32
	Total               []uint64
	// Hops is the number of pairs of a root and a vertex by distance: a root and itself are at 0.
	Hops []int64
	// Predicted is the time of the search as predicted once 2% of the roots were done, and Time what it took.
	Predicted, Time time.Duration

	harmonic []uint64 // the sum of reciprocals × 2^shift
	shift    int
	roots    []uint64 // bit of a dense id: it is a root; nil if all are
}

// others is the number of roots beside vertex v, and how many of them reach it.
func (r *ClosenessResult) others(v uint32) (all, reach float64) {
	self := int64(1)
	if r.roots != nil {
		self = int64(r.roots[v/64] >> (v % 64) & 1)
	}
	return float64(r.Roots - self), float64(int64(r.Reach[v]) - self)
}

// Closeness is the reciprocal of the mean distance to vertex v from the other roots that reach it, times the part of
// them that do (Wasserman and Faust 1994): closeness_centrality of networkx. Without the part, perComponent, it is
// closeness of igraph. It is 0 where no other root reaches v.
func (r *ClosenessResult) Closeness(v uint32, perComponent bool) float64 {
	all, reach := r.others(v)
	if reach == 0 {
		return 0
	}
	if perComponent {
		return reach / float64(r.Total[v])
	}
	return reach * reach / (float64(r.Total[v]) * all)
}

// Harmonic is the sum of reciprocal distances to vertex v from all n other vertices, as harmonic_centrality of
// networkx, with an error of at most n² ÷ 2^63; by a sample of roots an estimate.
func (r *ClosenessResult) Harmonic(v uint32) float64 {
	all, _ := r.others(v)
	if r.harmonic[v] == 0 {
		return 0
	}
	return float64(r.harmonic[v]) / float64(uint64(1)<<r.shift) * float64(len(r.Reach)-1) / all
}

// Average is the mean distance of pairs of a root and another vertex that it reaches; 0 if there are none.
func (r *ClosenessResult) Average() float64 {
	sum, pairs := 0.0, 0.0
	for l, n := range r.Hops {
		if l > 0 {
			sum, pairs = sum+float64(l)*float64(n), pairs+float64(n)
		}
	}
	if pairs == 0 {
		return 0
	}
	return sum / pairs
}

// Closeness searches from all vertices, or a sample, at once: see ClosenessResult. CPUs search bit-parallel from 512
// roots a thread, in host memory; lists with devices from 64 roots at a time, as a program. Results are the same to
// the bit for every placement, list of processors and number of threads. Errors are Run's.
func (e *Engine) Closeness(ctx context.Context, o ClosenessOptions) (*ClosenessResult, error) {
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
	start, of := time.Now(), len(roots)
	done, alone := 0, r.Roots-int64(of)
	finished := func(n int) {
		done += n
		left := remaining(start, done, of)
		if r.Predicted == 0 && 50*done >= of {
			r.Predicted = time.Since(start) + left
		}
		if o.Progress != nil {
			o.Progress(alone+int64(done), r.Roots, left)
		}
	}
	search := e.hostDistances
	if !e.onlyCPUs() {
		search = e.programDistances
	}
	if err := search(ctx, t, r, roots, o.Outward, finished); err != nil {
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
	r.Time = time.Since(start)
	return r, nil
}

// onlyCPUs reports a list without devices.
func (e *Engine) onlyCPUs() bool {
	for _, p := range e.opts.Processors {
		if p.Kind != CPU {
			return false
		}
	}
	return true
}

// hostDistances searches by the threads of the host.
func (e *Engine) hostDistances(ctx context.Context, t *turn, r *ClosenessResult, roots []uint32, outward bool, finished func(int)) error {
	out, err := e.place.Rows(outward)
	if err != nil {
		return fmt.Errorf("engine: closeness: %w", err)
	}
	in, err := e.place.Rows(!outward)
	if err != nil {
		return fmt.Errorf("engine: closeness: %w", err)
	}
	team := workers.Acquire(min(t.workers(), max(1, len(roots))))
	defer team.Close()
	m := &manyRoots{out: out, in: in, ranks: int(e.place.Ranks), roots: roots, unit: float64(uint64(1) << r.shift), finished: finished}
	m.states = make([]manyState, team.Threads())
	if err := e.room("closeness", int64(len(m.states))*int64(m.ranks)*manyBytes+24*int64(e.n)); err != nil {
		return err
	}
	for i := range m.states {
		m.states[i] = newManyState(m.ranks)
	}
	defer func() {
		for i := range m.states {
			for _, f := range m.states[i].frees {
				f()
			}
		}
	}()
	m.arcs = out.Arcs()
	if err := m.run(ctx, team); err != nil {
		return err
	}
	s := &m.states[0]
	r.RunResult, r.Hops = &RunResult{labels: e.labels}, s.hops
	r.Reach, r.Eccentricity, r.Total, r.harmonic = make([]uint32, e.n), make([]uint32, e.n), make([]uint64, e.n), make([]uint64, e.n)
	for rank, id := range e.place.VertexOf {
		if id != graph.None {
			r.Reach[id], r.Eccentricity[id], r.Total[id], r.harmonic[id] = s.reach[rank], s.far[rank], s.total[rank], s.harmonic[rank]
		}
	}
	return nil
}
