package engine

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/totemgo/totemgo/graph"
)

// PageRankMethod names a way to compute PageRank.
type PageRankMethod string

// Methods of PageRank.
const (
	// PageRankPull is the power iteration: every vertex sums its in-arcs (Jacobi). The default.
	PageRankPull PageRankMethod = "pull"
	// PageRankDelta moves what ranks still lack, from the vertices that have most of it for each
	// out-arc. It needs a Tolerance.
	PageRankDelta PageRankMethod = "delta"
)

// DanglingRule names what becomes of the rank of vertices without out-arcs.
type DanglingRule string

// Rules for dangling vertices.
const (
	// DanglingSpread spreads it as Start says, so that ranks add up to 1. The default.
	DanglingSpread DanglingRule = "spread"
	// DanglingDrop drops it: ranks add up to less.
	DanglingDrop DanglingRule = "drop"
)

// PageRankOptions control PageRank; zero values stand for the defaults.
type PageRankOptions struct {
	// Damping is the probability to follow an arc, 0.85 by default.
	Damping float64
	// Tolerance ends the iteration once ranks change by less, summed up (L1); 1e-6 by default.
	// Ranks are then within Tolerance × Damping ÷ (1 − Damping) of the exact ones (L1).
	Tolerance float64
	// MaxIterations bounds the iterations, 100 by default, 1000 for PageRankDelta. A negative Tolerance runs them all.
	MaxIterations int
	// Method is PageRankPull by default.
	Method PageRankMethod
	// Dangling is DanglingSpread by default.
	Dangling DanglingRule
	// Float32 sends ranks along arcs as float32. Sums stay float64. Ranks have some 7 digits then,
	// and a Tolerance below 1e-7 may not be reached. Pull only, without Multi.
	Float32 bool
	// Start personalises: a jump leads to the vertices with these ids of the file, in proportion
	// to their values. nil is all vertices alike.
	Start map[uint64]float64
	// Warm holds ranks to begin with, by dense id, in any scale: those of an earlier result. nil is
	// 1/n each, or an estimate by degree if the graph is undirected, jumps lead to all vertices and
	// Tolerance is not negative.
	Warm []float64
	// Multi counts self-loops and each of several parallel arcs: a vertex with k arcs to itself sends
	// them k parts of its rank. A self-loop of an undirected graph is one arc. It needs
	// Options.Multiplicities.
	Multi bool
}

// PageRankResult are the ranks of a graph.
type PageRankResult struct {
	*RunResult
	// Ranks holds the rank of every vertex by dense id; they add up to 1 unless dropped.
	Ranks []float64
	// Iterations is the number of those run, Change the last one's change of ranks (L1).
	Iterations int
	Change     float64
	// Converged says that Change fell below the Tolerance.
	Converged bool
}

// All yields the file's id and the rank of every vertex, in the order of ids.
func (r *PageRankResult) All() iter.Seq2[uint64, float64] {
	return each(r.labels, len(r.Ranks), func(v uint32) (float64, bool) { return r.Ranks[v], true })
}

// ensureDefaults sets defaults. The error wraps ErrArgument and names the fault.
func (o *PageRankOptions) ensureDefaults(n int) error {
	if o.Damping == 0 {
		o.Damping = 0.85
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-6
	}
	if o.Method == "" {
		o.Method = PageRankPull
	}
	if o.MaxIterations == 0 {
		if o.MaxIterations = 100; o.Method == PageRankDelta {
			o.MaxIterations = 1000
		}
	}
	if o.Dangling == "" {
		o.Dangling = DanglingSpread
	}
	reason := ""
	switch delta := o.Method == PageRankDelta; {
	case !(o.Damping > 0 && o.Damping < 1):
		reason = fmt.Sprintf("damping %v is not between 0 and 1", o.Damping)
	case math.IsNaN(o.Tolerance) || o.MaxIterations < 0:
		reason = fmt.Sprintf("tolerance %v, %d iterations", o.Tolerance, o.MaxIterations)
	case !delta && o.Method != PageRankPull:
		reason = fmt.Sprintf("there is no method %q; there are %q and %q", o.Method, PageRankPull, PageRankDelta)
	case o.Dangling != DanglingSpread && o.Dangling != DanglingDrop:
		reason = fmt.Sprintf("there is no dangling rule %q; there are %q and %q", o.Dangling, DanglingSpread, DanglingDrop)
	case o.Float32 && (delta || o.Multi):
		reason = "Float32 is for method pull without Multi"
	case delta && (o.Tolerance < 0 || o.Multi || o.Warm != nil):
		reason = "method delta needs a tolerance, and has neither Multi nor Warm"
	case o.Warm != nil && len(o.Warm) != n:
		reason = fmt.Sprintf("Warm has %d ranks, the graph %d vertices", len(o.Warm), n)
	}
	if reason != "" {
		return fmt.Errorf("%w: PageRank: %s", ErrArgument, reason)
	}
	return nil
}

// scaled returns f such that n values × f add up to 1; at returns a value and its vertex. The error wraps ErrArgument.
func scaled(what string, n int, at func(i int) (id uint64, x float64)) (float64, error) {
	sum := 0.0
	for i := range n {
		id, x := at(i)
		if !(x >= 0) || math.IsInf(x, 0) {
			return 0, fmt.Errorf("%w: PageRank: %s of vertex %d is %v", ErrArgument, what, id, x)
		}
		sum += x
	}
	if f := 1 / sum; sum > 0 && !math.IsInf(sum, 0) && !math.IsInf(f, 0) {
		return f, nil
	}
	return 0, fmt.Errorf("%w: PageRank: the values of %s add up to %v", ErrArgument, what, sum)
}

// loners are the vertices without arcs that have the same values: Count of them.
type loners struct {
	start, rank float64 // of each
	loops       bool    // it has arcs to itself
	count       float64
}

// ranking is a call of PageRank.
type ranking struct {
	PageRankOptions
	unit        float64   // 1/n
	start, warm []float64 // by rank; nil for 1/n each
	loops       []float64 // self-loops by rank; nil without
	// ahead makes iterations Chebyshev's: the matrix of an undirected graph has real eigenvalues.
	ahead bool
	alone []loners
	class []uint32 // of the vertices without arcs, in the order of ids: an index of alone
}

// prepare sorts the vertices' values by rank.
func (k *ranking) prepare(e *Engine) error {
	k.unit = 1 / float64(e.n)
	k.ahead = !e.place.Directed && k.Tolerance >= 0 && k.Start == nil && k.Warm == nil && !k.Multi && k.Method == PageRankPull
	start, warm := map[uint32]float64{}, 0.0
	if k.Start != nil {
		ids := slices.Sorted(maps.Keys(k.Start)) // sums do not depend on the map's order
		f, err := scaled("Start", len(ids), func(i int) (uint64, float64) { return ids[i], k.Start[ids[i]] })
		if err != nil {
			return err
		}
		k.start = make([]float64, e.place.Ranks)
		for _, id := range ids {
			v, err := e.labels.ID(id)
			if err != nil {
				return fmt.Errorf("%w: PageRank: Start: %w", ErrArgument, err)
			}
			if start[v] = k.Start[id] * f; e.place.RankOf[v] != graph.None {
				k.start[e.place.RankOf[v]] = start[v]
			}
		}
	}
	if k.Warm != nil {
		var err error
		warm, err = scaled("Warm", len(k.Warm), func(v int) (uint64, float64) { return e.labels.Label(uint32(v)), k.Warm[v] })
		if err != nil {
			return err
		}
		k.warm = make([]float64, e.place.Ranks)
	}
	if k.Multi {
		if !e.opts.Multiplicities {
			return fmt.Errorf("%w: PageRank: Multi needs an engine with Options.Multiplicities", ErrArgument)
		}
		k.loops = make([]float64, e.place.Ranks)
		for v, count := range e.loops {
			if rank := e.place.RankOf[v]; rank != graph.None {
				k.loops[rank] = count
			}
		}
	}
	k.class = make([]uint32, 0, e.place.Isolated)
	known, last := map[loners]uint32{}, loners{count: -1}
	for v, rank := range e.place.RankOf {
		if rank != graph.None {
			if k.warm != nil {
				k.warm[rank] = k.Warm[v] * warm
			}
			continue
		}
		l := loners{start: k.unit, rank: k.unit, loops: k.Multi && e.loops[uint32(v)] > 0}
		if k.start != nil {
			l.start = start[uint32(v)]
		}
		if k.warm != nil {
			l.rank = k.Warm[v] * warm
		}
		class, is := uint32(0), false
		if l == last {
			class = k.class[len(k.class)-1]
		} else if class, is = known[l]; !is {
			class = uint32(len(k.alone))
			known[l], k.alone = class, append(k.alone, l)
		}
		last, k.class = l, append(k.class, class)
		k.alone[class].count++
	}
	return nil
}

// result returns the ranks of a run.
func (k *ranking) result(e *Engine, r *RunResult) []float64 {
	ranks, class := ArrayOf[float64](r, prRank), k.class
	for v, rank := range e.place.RankOf {
		if rank == graph.None {
			ranks[v], class = k.alone[class[0]].rank, class[1:]
		}
	}
	return ranks
}
