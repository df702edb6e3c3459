package graph

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/totemgo/totemgo/internal/workers"
)

// CSR is a built graph: rows of arcs by source vertex, 64-bit offsets, 32-bit ids.
// It is immutable once built and safe for concurrent use. An undirected graph holds
// both arcs of every edge, a self-loop once. Rows rise by target; arcs to the same
// target keep the order of their records.
type CSR struct {
	n          int
	directed   bool
	edges      int64 // records, as the file counts them
	loops      int64 // records that are self-loops
	duplicates int64 // records that repeat an earlier one's ends; −1 until counted
	offsets    []uint64
	targets    []uint32
	weights    Weights
	labels     *Labels
	release    func()

	counting     sync.Mutex // guards duplicates
	transposing  sync.Mutex // guards transposed; a transpose shares nothing else
	transposed   *CSR
	isTransposed bool // labels and release belong to the original
}

var _ Source = (*CSR)(nil)

// CSRParts are the arrays of a CSR from a reader of a format with rows, or from a mapped
// file. NewCSR keeps them.
type CSRParts struct {
	Directed bool
	// Offsets has one entry per vertex and one more: row v is Targets[Offsets[v]:Offsets[v+1]].
	Offsets []uint64
	// Targets holds the rows. An undirected edge is in both its rows, a self-loop
	// once. Each row rises (repeated targets are allowed).
	Targets []uint32
	// Weights has a weight for each target, or is empty. Both arcs of an undirected
	// edge have the same.
	Weights Weights
	// Labels are the file's ids; nil means that they are the dense ids.
	Labels *Labels
	// Trusted leaves out every check that reads Targets: the arrays were checked
	// before, and are protected by a checksum. Loops must then be set.
	Trusted bool
	// Loops is the number of self-loops; it is read only if Trusted is set.
	Loops int64
	// Threads bounds the goroutines that check; 0 means GOMAXPROCS.
	Threads int
	// Release, if set, frees the arrays; see CSR.Release.
	Release func()
}

// NewCSR makes a CSR of rows that exist. Unless the parts are trusted it checks all
// that Validate checks. An error is an *InvalidError; the parts then still belong to
// the caller.
func NewCSR(p CSRParts) (*CSR, error) {
	if len(p.Offsets) == 0 {
		return nil, invalid("offsets have an entry for each vertex and one more", "there are none")
	}
	g := &CSR{n: len(p.Offsets) - 1, directed: p.Directed, offsets: p.Offsets, targets: p.Targets, weights: p.Weights,
		labels: p.Labels, loops: p.Loops, duplicates: -1}
	check := g.checkShape
	if !p.Trusted {
		g.loops = -1
		check = func() error { return g.ValidateContext(context.Background(), p.Threads) }
	}
	if err := check(); err != nil {
		return nil, err
	}
	g.edges, g.release = g.records(g.loops), p.Release
	return g, nil
}

// records is the number of records that the rows hold with so many self-loops.
func (g *CSR) records(loops int64) int64 {
	if g.directed {
		return int64(len(g.targets))
	}
	return (int64(len(g.targets))-loops)/2 + loops
}

// NumVertices is the number of vertices; ids are 0 … NumVertices−1.
func (g *CSR) NumVertices() int { return g.n }

// NumEdges is the number of records, an undirected edge once, self-loops and
// duplicates included if the graph keeps them.
func (g *CSR) NumEdges() int64 { return g.edges }

// NumArcs is the number of entries of all rows.
func (g *CSR) NumArcs() int64 { return int64(len(g.targets)) }

// IsDirected tells whether an entry is an arc of its own or one end of an edge.
func (g *CSR) IsDirected() bool { return g.directed }

// WeightKind is the kind of the weights, or Unweighted.
func (g *CSR) WeightKind() WeightKind { return g.weights.kind }

// VertexLabels translates between dense ids and the file's ids. It is never nil.
func (g *CSR) VertexLabels() *Labels {
	if g.labels == nil {
		return IdentityLabels(g.n, 0)
	}
	return g.labels
}

// Row returns the targets of the arcs of vertex v, rising. It is the graph's own
// memory and must not be changed. v must be below NumVertices.
func (g *CSR) Row(v uint32) []uint32 {
	lo, hi := g.offsets[v], g.offsets[v+1]
	return g.targets[lo:hi:hi]
}

// RowWeights returns the weights of the arcs of vertex v, in the order of Row; it is
// empty if the graph has none.
func (g *CSR) RowWeights(v uint32) Weights {
	return g.weights.Slice(int(g.offsets[v]), int(g.offsets[v+1]))
}

// Degree is the number of arcs of vertex v: a self-loop counts once.
func (g *CSR) Degree(v uint32) int64 { return int64(g.offsets[v+1] - g.offsets[v]) }

// Offsets returns the bounds of all rows: row v is Targets()[Offsets()[v]:Offsets()[v+1]].
// It is the graph's own memory and must not be changed.
func (g *CSR) Offsets() []uint64 { return g.offsets }

// Targets returns the entries of all rows. It is the graph's own memory and must not
// be changed.
func (g *CSR) Targets() []uint32 { return g.targets }

// Weights returns the weights of all entries, in the order of Targets.
func (g *CSR) Weights() Weights { return g.weights }

// SelfLoops is the number of records that join a vertex to itself.
func (g *CSR) SelfLoops() int64 { return g.loops }

// Duplicates is the number of records that repeat the ends of an earlier one; in an
// undirected graph (u, v) and (v, u) are the same ends. The first call on a graph
// made by NewCSR counts them.
func (g *CSR) Duplicates() int64 {
	g.counting.Lock()
	defer g.counting.Unlock()
	if g.duplicates < 0 {
		// The context never ends. If the rows became unreadable, the next reader reports it:
		// the count is not kept.
		n, err := g.sumRows(context.Background(), workers.Count(0), func(v uint32, row []uint32) (n int64, _ error) {
			for i := 1; i < len(row); i++ {
				if row[i] == row[i-1] && (g.directed || v <= row[i]) {
					n++
				}
			}
			return n, nil
		})
		if err != nil {
			return n
		}
		g.duplicates = n
	}
	return g.duplicates
}

// Bytes is the memory of the arrays, those of the transpose included if it exists.
func (g *CSR) Bytes() int64 {
	b := g.bytes()
	g.transposing.Lock()
	defer g.transposing.Unlock()
	if g.transposed != nil {
		b += g.transposed.bytes()
	}
	return b
}

func (g *CSR) bytes() int64 {
	return 8*int64(len(g.offsets)) + 4*int64(len(g.targets)) + int64(g.weights.Len()*g.weights.kind.Size())
}

// Release frees the memory of a graph's rows, in the Go heap or outside. The graph, its
// transpose and everything they returned must not be used afterwards. It must not be
// called while another method runs; a second call does nothing.
func (g *CSR) Release() {
	if g.isTransposed {
		g.transposed.Release()
		return
	}
	for _, h := range []*CSR{g, g.transposed} {
		if h != nil {
			h.offsets, h.targets, h.weights = nil, nil, Weights{}
		}
	}
	if f := g.release; f != nil {
		g.release = nil
		f()
	}
}

// Transpose returns the graph with all arcs reversed: its rows are the in-arcs.
// An undirected graph is its own transpose. A directed graph builds it at the first
// call and keeps it; the transpose of the transpose is the graph. threads bounds the
// goroutines; 0 means GOMAXPROCS. The error is that of ctx; a later call tries again.
func (g *CSR) Transpose(ctx context.Context, threads int) (*CSR, error) {
	if !g.directed || g.isTransposed {
		if g.isTransposed {
			return g.transposed, nil
		}
		return g, nil
	}
	g.transposing.Lock()
	defer g.transposing.Unlock()
	if g.transposed == nil {
		t, err := build(ctx, g, BuildOptions{Threads: threads}, true)
		if err != nil {
			return nil, err
		}
		t.isTransposed, t.transposed, g.transposed = true, g, t
	}
	return g.transposed, nil
}

// Blocks implements Source: the blocks have the same number of arcs.
func (g *CSR) Blocks(n int) int { return min(n, max(1, len(g.targets))) }

// Block implements Source. An undirected edge is a record of its smaller end.
func (g *CSR) Block(n, i int, buf []Edge) []Edge {
	lo, hi := span(len(g.targets), g.Blocks(n), i)
	buf = slices.Grow(buf[:0], hi-lo)
	for v, row := range g.rows(lo, hi) {
		for _, t := range row {
			if g.directed || v <= t {
				buf = append(buf, Edge{v, t})
			}
		}
	}
	return buf
}

// BlockWeights implements Source.
func (g *CSR) BlockWeights(n, i int) Weights {
	if g.weights.kind == Unweighted {
		return Weights{}
	}
	lo, hi := span(len(g.targets), g.Blocks(n), i)
	if g.directed {
		return g.weights.Slice(lo, hi)
	}
	out := MakeWeights(g.weights.kind, hi-lo)
	kept, at := 0, lo
	for v, row := range g.rows(lo, hi) {
		for _, t := range row {
			if v <= t {
				out.Copy(kept, g.weights, at)
				kept++
			}
			at++
		}
	}
	return out.Slice(0, kept)
}

// rows yields the rows that hold arcs lo … hi−1, the first and last cut short.
func (g *CSR) rows(lo, hi int) func(yield func(v uint32, row []uint32) bool) {
	return func(yield func(uint32, []uint32) bool) {
		if lo >= hi {
			return
		}
		v := sort.Search(g.n, func(v int) bool { return g.offsets[v+1] > uint64(lo) })
		for ; lo < hi; v++ {
			end := min(hi, int(g.offsets[v+1]))
			if lo < end && !yield(uint32(v), g.targets[lo:end]) {
				return
			}
			lo = max(lo, end)
		}
	}
}

// Validate checks everything a CSR promises: offsets rise from 0 to the number of
// arcs, targets are vertices, rows rise, weights and labels have the right number,
// an undirected graph holds both arcs of every edge with the same weight, and the
// counts of records and self-loops fit. It returns an *InvalidError for the first
// rule that does not hold.
func (g *CSR) Validate() error { return g.ValidateContext(context.Background(), 0) }

// ValidateContext is Validate on a number of goroutines, 0 for GOMAXPROCS. The error
// may also be that of ctx.
func (g *CSR) ValidateContext(ctx context.Context, threads int) error {
	threads = workers.Count(threads)
	if err := g.checkShape(); err != nil {
		return err
	}
	if err := checkOffsets(ctx, threads, g.offsets); err != nil {
		return err
	}
	for _, check := range []func(context.Context, int) error{g.checkRows, g.checkCounts, g.checkSymmetry} {
		if err := check(ctx, threads); err != nil {
			return err
		}
	}
	return nil
}

func (g *CSR) checkShape() error {
	if uint64(g.n) > MaxVertices {
		return fmt.Errorf("%w: %d", ErrTooManyVertices, g.n)
	}
	if last := g.offsets[g.n]; g.offsets[0] != 0 || last != uint64(len(g.targets)) {
		return invalid("offsets go from 0 to the number of arcs", "they go from %d to %d, with %d arcs", g.offsets[0], last, len(g.targets))
	}
	if g.weights.kind != Unweighted && g.weights.Len() != len(g.targets) {
		return invalid("each arc has a weight", "%d weights, %d arcs", g.weights.Len(), len(g.targets))
	}
	if g.labels != nil && g.labels.Len() != g.n {
		return invalid("each vertex has a label", "%d labels, %d vertices", g.labels.Len(), g.n)
	}
	return nil
}

func checkOffsets(ctx context.Context, threads int, offsets []uint64) error {
	const run = 1 << 16
	n := len(offsets) - 1
	return forEach(ctx, threads, (n+run-1)/run, func(i int) error {
		for v := i * run; v < min((i+1)*run, n); v++ {
			if offsets[v] > offsets[v+1] {
				return invalid("offsets do not fall", "%d follows %d at vertex %d", offsets[v+1], offsets[v], v)
			}
		}
		return nil
	})
}

func (g *CSR) checkRows(ctx context.Context, threads int) error {
	_, err := g.sumRows(ctx, threads, func(v uint32, row []uint32) (int64, error) {
		for j, t := range row {
			if int64(t) >= int64(g.n) {
				return 0, invalid("targets are vertices", "arc %d of vertex %d leads to %d, there are %d vertices", j, v, t, g.n)
			}
			if j > 0 && t < row[j-1] {
				return 0, invalid("rows rise", "%d follows %d in the row of vertex %d", t, row[j-1], v)
			}
		}
		return 0, nil
	})
	return err
}

// checkCounts compares the numbers of records and self-loops with the rows, unless they are not known yet.
func (g *CSR) checkCounts(ctx context.Context, threads int) error {
	loops, err := g.countLoops(ctx, threads)
	if err != nil {
		return err
	}
	if g.loops < 0 {
		g.loops, g.edges = loops, g.records(loops)
	}
	if edges := g.records(loops); loops != g.loops || edges != g.edges {
		return invalid("counts fit the rows", "%d records, %d self-loops stated; %d and %d found", g.edges, g.loops, edges, loops)
	}
	return nil
}

// checkSymmetry looks up every pair u < v of row u in row v; if there are more arcs
// downwards than upwards, it looks those up.
func (g *CSR) checkSymmetry(ctx context.Context, threads int) error {
	if g.directed {
		return nil
	}
	pairs := func(down bool) (int64, error) {
		return g.sumRows(ctx, threads, func(v uint32, row []uint32) (n int64, err error) {
			for j := 0; j < len(row) && err == nil; {
				t, k := row[j], j+1
				for k < len(row) && row[k] == t {
					k++
				}
				if t != v && t < v == down {
					n += int64(k - j)
					err = g.checkPair(v, t, j, k)
				}
				j = k
			}
			return n, err
		})
	}
	up, err := pairs(false)
	if err == nil && 2*up+g.loops != int64(len(g.targets)) {
		_, err = pairs(true)
	}
	return err
}

// checkPair checks that row t has as many arcs to v as row v, at places j … k−1, has
// to t, with the same weights.
func (g *CSR) checkPair(v, t uint32, j, k int) error {
	const rule = "an undirected graph holds both arcs of every edge"
	back := g.Row(t)
	lo, _ := slices.BinarySearch(back, v)
	hi := lo
	for hi < len(back) && back[hi] == v {
		hi++
	}
	if hi-lo != k-j {
		return invalid(rule, "%d from vertex %d to %d, %d back", k-j, v, t, hi-lo)
	}
	if g.weights.kind == Unweighted {
		return nil
	}
	there, here := int(g.offsets[t])+lo, int(g.offsets[v])+j
	a, b := g.weightOrder(here, k-j), g.weightOrder(there, k-j)
	for i := range a {
		if g.weights.Less(a[i], g.weights, b[i]) || g.weights.Less(b[i], g.weights, a[i]) {
			return invalid("both arcs of an edge have the same weight", "%s from vertex %d to %d, %s back",
				g.weights.Format(a[i]), v, t, g.weights.Format(b[i]))
		}
	}
	return nil
}

// weightOrder is the places at … at+n−1, by rising weight.
func (g *CSR) weightOrder(at, n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = at + i
	}
	if n > 1 {
		sort.Slice(order, func(i, j int) bool { return g.weights.Less(order[i], g.weights, order[j]) })
	}
	return order
}

func (g *CSR) countLoops(ctx context.Context, threads int) (int64, error) {
	return g.sumRows(ctx, threads, func(v uint32, row []uint32) (loops int64, _ error) {
		for i, _ := slices.BinarySearch(row, v); i < len(row) && row[i] == v; i++ {
			loops++
		}
		return loops, nil
	})
}

// sumRows adds up f of all rows. It calls f in parallel, for runs of rows that hold about as
// much, and stops at the first error. Offsets must not fall.
func (g *CSR) sumRows(ctx context.Context, threads int, f func(v uint32, row []uint32) (int64, error)) (int64, error) {
	total := g.n + len(g.targets)
	parts := max(1, min(total, max(16*threads, total>>17)))
	cut := func(i int) uint32 {
		at, _ := span(total, parts, i)
		return uint32(sort.Search(g.n, func(v int) bool { return g.offsets[v]+uint64(v) >= uint64(at) }))
	}
	var sum atomic.Int64
	err := forEach(ctx, threads, parts, func(i int) error {
		part := int64(0)
		for v, to := cut(i), cut(i+1); v < to; v++ {
			n, err := f(v, g.Row(v))
			if err != nil {
				return err
			}
			part += n
		}
		sum.Add(part)
		return nil
	})
	return sum.Load(), err
}
