package graph500

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/record"
)

// Tree is the result of a search, by dense id: of kernel 2, or with Distances of kernel 3.
type Tree struct {
	Root uint32
	// Parents holds the parent of each vertex: graph.None for a vertex that is not
	// in the tree, the root itself for the root.
	Parents []uint32
	// Levels, if not nil, holds the level that is stated for each vertex of the
	// tree. Rule 2 checks them; the other rules use levels computed from Parents.
	Levels []uint32
	// Distances, if not nil, makes the tree one of shortest paths: it holds the length of the
	// path to each vertex, +Inf for a vertex that is not in the tree. The graph must then have
	// float32 weights, and Levels be nil.
	Distances []float32
}

// Validator checks trees of one graph against the records of its source alone, one
// tree at a time. It holds about 5 bytes a vertex until Close, and after Arrange 8 bytes a
// record more, 12 with float32 weights.
type Validator struct {
	src     graph.Source
	labels  *graph.Labels
	threads int

	levels hugemem.Slice[uint32]     // level of each vertex, or outside or astray
	narrow hugemem.Slice[uint8]      // the same in a byte, where levels are small enough
	proven hugemem.Slice[uint64]     // bits: vertices whose tree edge is among the records read so far
	exact  hugemem.Slice[uint64]     // bits: the same, with a weight that joins the two distances
	near   hugemem.Slice[graph.Edge] // the records as Arrange has put them
	weight hugemem.Slice[float32]    // their weights, if they are float32
	found  []finds                   // per worker

	tree    Tree  // at hand
	refused error // by NewValidator, whose arrays it lacks
}

// Codes above all levels. narrowOutside lies two above the largest narrow level and
// two below level 0 modulo 256, so that its difference to a level is never ±1 or 0.
const (
	outside       uint32 = math.MaxUint32 - 1 // not in the tree
	astray        uint32 = math.MaxUint32     // in no tree: the chain of parents does not end at the root
	narrowOutside uint8  = 254
	narrowMax            = 252
)

// finds is the first fault of each kind that one worker found, and its counts.
type finds struct {
	astray, level, unproven uint32 // smallest vertex, or graph.None
	span, half              fault
	reached, depth          int64
	_                       [64]byte // workers must not share a cache line
}

// fault is a record and its position in the source: its block, and in the lower blockShift
// bits its place in the block.
type fault struct {
	at     uint64
	edge   graph.Edge
	weight float32 // of a tree with distances
}

const (
	blockShift = 40
	nowhere    = math.MaxUint64 // position of no fault
)

var noFinds = finds{astray: graph.None, level: graph.None, unproven: graph.None, span: fault{at: nowhere}, half: fault{at: nowhere}}

// NewValidator returns a validator of trees of src that uses the given number of
// threads, 0 for GOMAXPROCS. A source that graph.CheckSource refuses is Validate's error.
func NewValidator(src graph.Source, threads int) *Validator {
	v := &Validator{src: src, threads: workers.Count(threads)}
	if graph.CheckSource(src) == nil { // else Validate says why
		defer hugemem.Recover(&v.refused)
		n := src.NumVertices()
		v.labels, v.found = src.VertexLabels(), make([]finds, v.threads)
		v.levels, v.narrow = hugemem.Make[uint32](n), hugemem.Make[uint8](n)
		v.proven, v.exact = hugemem.Make[uint64]((n+63)/64), hugemem.Make[uint64]((n+63)/64)
	}
	return v
}

// Close frees the validator's memory. It must not be used afterwards.
func (v *Validator) Close() {
	v.levels.Free()
	v.narrow.Free()
	v.proven.Free()
	v.exact.Free()
	v.near.Free()
	v.weight.Free()
}

// Validate checks one tree by all five rules. The verdict lists the rules it breaks; the
// error is ErrTreeShape, that of graph.CheckSource (the source must not be consumed before),
// the context's, or ErrConfig for a nil one.
func (v *Validator) Validate(ctx context.Context, t Tree) (*Verdict, error) {
	if err := cmp.Or(checkCall(ctx, v.src), v.refused); err != nil {
		return nil, err
	}
	n := len(v.levels.S)
	switch {
	case len(t.Parents) != n:
		return nil, fmt.Errorf("%w: %d parents for %d vertices", ErrTreeShape, len(t.Parents), n)
	case t.Levels != nil && len(t.Levels) != n:
		return nil, fmt.Errorf("%w: %d levels for %d vertices", ErrTreeShape, len(t.Levels), n)
	case int64(t.Root) >= int64(n):
		return nil, fmt.Errorf("%w: root %d of %d vertices", ErrTreeShape, t.Root, n)
	case t.Distances == nil:
	case len(t.Distances) != n:
		return nil, fmt.Errorf("%w: %d distances for %d vertices", ErrTreeShape, len(t.Distances), n)
	case t.Levels != nil:
		return nil, fmt.Errorf("%w: levels beside distances", ErrTreeShape)
	case v.src.WeightKind() != graph.Float32:
		return nil, fmt.Errorf("%w: distances, but weights are %v", ErrTreeShape, v.src.WeightKind())
	}
	v.tree = t
	defer func() { v.tree = Tree{} }()
	for w := range v.found {
		v.found[w] = noFinds
	}
	if err := v.computeLevels(ctx); err != nil {
		return nil, err
	}
	if err := v.readRecords(ctx); err != nil {
		return nil, err
	}
	return v.verdict(), nil
}

// computeLevels fills levels and narrow from the parents, and finds the smallest vertices that
// break rules 1 and 2.
func (v *Validator) computeLevels(ctx context.Context) error {
	n, parents, levels, narrow, stated := len(v.levels.S), v.tree.Parents, v.levels.S, v.narrow.S, v.tree.Levels
	distances := v.tree.Distances
	if err := chunks(ctx, v.threads, n, vertexGrain, func(_, lo, hi int) {
		for u := lo; u < hi; u++ {
			levels[u] = outside
		}
		clear(v.proven.S[lo/64 : (hi+63)/64])
		clear(v.exact.S[lo/64 : (hi+63)/64])
	}); err != nil {
		return err
	}
	levels[v.tree.Root] = 0
	return chunks(ctx, v.threads, n, vertexGrain, func(w, lo, hi int) {
		f := v.found[w]
		for u := lo; u < hi; u++ {
			l := atomic.LoadUint32(&levels[u])
			if l == outside && parents[u] != graph.None {
				l = v.follow(uint32(u))
			}
			switch l {
			case outside:
				narrow[u] = narrowOutside
			case astray:
				f.astray = min(f.astray, uint32(u))
			default:
				narrow[u] = uint8(l)
				f.reached++
				f.depth = max(f.depth, int64(l))
				if stated != nil && (l == 0 && stated[u] != 0 || l > 0 && int64(stated[u]) != int64(stated[parents[u]])+1) {
					f.level = min(f.level, uint32(u))
				}
			}
			if distances != nil && l != astray && !fits(l, distances[u]) {
				f.level = min(f.level, uint32(u))
			}
		}
		v.found[w] = f
	})
}

// follow follows the chain of parents from u to the first vertex with a known level, sets
// the levels of the chain and returns that of u. A level depends on the parents alone, so
// workers on the same chain write the same values. A cycle is found by Brent's method, in
// constant memory.
func (v *Validator) follow(u uint32) uint32 {
	n, parents, levels := uint32(len(v.levels.S)), v.tree.Parents, v.levels.S
	end, steps := u, uint32(0)
	tortoise, power, lap := u, uint64(1), uint64(0)
	for {
		p, base := parents[end], astray
		if p < n {
			base = atomic.LoadUint32(&levels[p])
		}
		if base < outside {
			level := base + 1 + steps
			for w, l := u, level; l > base; w, l = parents[w], l-1 {
				atomic.StoreUint32(&levels[w], l)
			}
			return level
		}
		if base == astray || p == tortoise || parents[p] == graph.None {
			if p != tortoise { // the chain ends at end, outside the tree
				atomic.StoreUint32(&levels[end], astray)
			}
			for w := u; atomic.LoadUint32(&levels[w]) != astray; w = parents[w] {
				atomic.StoreUint32(&levels[w], astray)
			}
			return astray
		}
		end = p
		steps++
		if lap++; lap == power {
			tortoise, power, lap = end, 2*power, 0
		}
	}
}

// total puts the workers' finds together.
func (v *Validator) total() finds {
	f := noFinds
	for _, g := range v.found {
		f.astray, f.level, f.unproven = min(f.astray, g.astray), min(f.level, g.level), min(f.unproven, g.unproven)
		f.reached, f.depth = f.reached+g.reached, max(f.depth, g.depth)
		if g.span.at < f.span.at {
			f.span = g.span
		}
		if g.half.at < f.half.at {
			f.half = g.half
		}
	}
	return f
}

// readRecords makes the passes over the records: rules 3 and 4, the marks for rule 5, which checkTreeEdges reads, and with
// distances rule 2. The first one reads the arranged records, if there are any; if it shows a fault, a second one, in the
// source's order, finds the first of each rule.
func (v *Validator) readRecords(ctx context.Context) error {
	before, kept := v.total(), slices.Clone(v.found)
	wide := func(f *finds, at uint64, edges []graph.Edge, _ []float32) { v.scanWide(f, at, edges) }
	scan, quick, twice := wide, wide, v.near.S != nil
	switch {
	case v.tree.Distances != nil:
		scan = func(f *finds, at uint64, edges []graph.Edge, w []float32) { v.scanWeighted(f, at, edges, w, true) }
		quick = func(f *finds, at uint64, edges []graph.Edge, w []float32) { v.scanWeighted(f, at, edges, w, false) }
		twice = before.astray == graph.None && before.level == graph.None
	case before.astray == graph.None && before.depth <= narrowMax && !v.src.IsDirected():
		scan = func(f *finds, at uint64, edges []graph.Edge, _ []float32) { v.scanNarrow(f, at, edges) }
		quick = scan
	}
	if twice {
		if err := v.pass(ctx, v.near.S, quick); err != nil || v.total() == before {
			return err
		}
		copy(v.found, kept)
	}
	return v.pass(ctx, nil, scan)
}

// pass scans the records, those of the source if near is nil, and checks the tree edges.
func (v *Validator) pass(ctx context.Context, near []graph.Edge, scan func(f *finds, at uint64, edges []graph.Edge, w []float32)) error {
	var err error
	if wanted := blocksOf(v.src); near == nil {
		err = graph.EachBlock(ctx, v.src, v.threads, wanted, func(w, b int, records []graph.Edge) error {
			var weights []float32
			if v.tree.Distances != nil {
				weights = v.weights(wanted, b)
			}
			scan(&v.found[w], uint64(b)<<blockShift, records, weights)
			return nil
		})
	} else {
		weights := len(v.weight.S) // as many as records, or none
		err = chunks(ctx, v.threads, len(near), recordGrain, func(w, lo, hi int) {
			scan(&v.found[w], uint64(lo), near[lo:hi], v.weight.S[min(lo, weights):min(hi, weights)])
		})
	}
	if err != nil {
		return err
	}
	return v.checkTreeEdges(ctx)
}

// Arrange copies the records, 8 bytes each, sorted by the blocks of ids of their two ends,
// so that the levels and parents of two blocks fit in a core's cache. It takes about as long
// as validating two trees, and changes no verdict. The error is the context's or that of
// graph.CheckSource.
func (v *Validator) Arrange(ctx context.Context) (err error) {
	defer hugemem.Recover(&err)
	if err := cmp.Or(checkCall(ctx, v.src), v.refused); err != nil {
		return err
	}
	n := len(v.levels.S)
	shift := uint(0)
	for n>>shift >= arrangeBlocks {
		shift++
	}
	wanted := 8 * v.threads
	counts := make([][]uint64, v.src.Blocks(wanted))
	pair := func(e graph.Edge) uint32 { return (e.U>>shift)*arrangeBlocks + e.V>>shift }
	err = graph.EachBlock(ctx, v.src, v.threads, wanted, func(_, i int, edges []graph.Edge) error {
		counts[i] = make([]uint64, arrangeBlocks*arrangeBlocks)
		for _, e := range edges {
			counts[i][pair(e)]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	at := uint64(0)
	for pair := range arrangeBlocks * arrangeBlocks {
		for i := range counts {
			at, counts[i][pair] = at+counts[i][pair], at
		}
	}
	near, weight := hugemem.Make[graph.Edge](int(at)), hugemem.Slice[float32]{}
	if v.src.WeightKind() == graph.Float32 {
		weight = hugemem.Make[float32](int(at))
	}
	err = graph.EachBlock(ctx, v.src, v.threads, wanted, func(_, i int, edges []graph.Edge) error {
		weights := v.weights(wanted, i)
		for k, e := range edges {
			at := &counts[i][pair(e)]
			near.S[*at] = e
			if weights != nil {
				weight.S[*at] = weights[k]
			}
			*at++
		}
		return nil
	})
	if err != nil {
		near.Free()
		weight.Free()
		return err
	}
	v.near.Free()
	v.weight.Free()
	v.near, v.weight = near, weight
	return nil
}

// arrangeBlocks is the number of blocks of ids that Arrange makes at most.
const arrangeBlocks = 64

// scanNarrow reads the records from position at on, of an undirected graph where every vertex
// with a parent has a narrow level.
func (v *Validator) scanNarrow(f *finds, at uint64, edges []graph.Edge) {
	parents, proven := v.tree.Parents, v.proven.S
	var steps [256]graph.Edge // between adjacent levels: may be tree edges
	for pos := 0; pos < len(edges); pos += len(steps) {
		chunk := edges[pos:min(pos+len(steps), len(edges))]
		n, fault := selectSteps(chunk, v.narrow.S, &steps)
		if fault {
			v.scanWide(f, at+uint64(pos), chunk)
			continue
		}
		for _, e := range steps[:n] {
			if parents[e.U] == e.V {
				setBit(proven, e.U)
			}
		}
	}
}

// selectSteps copies to steps the edges between adjacent levels, the deeper end first, and
// reports whether any edge spans more. It has no branch on levels, which the processor
// would mispredict. Inlined, it would spill registers.
//
//go:noinline
func selectSteps(edges []graph.Edge, levels []uint8, steps *[256]graph.Edge) (n uint32, fault bool) {
	others := uint32(0)
	for _, e := range edges {
		d := uint32(levels[e.U]) - uint32(levels[e.V])
		swap := (e.U ^ e.V) & uint32(int32(d)>>31) // where V lies deeper
		steps[n%256] = graph.Edge{U: e.U ^ swap, V: e.V ^ swap}
		n += d & 1
		others |= d * d >> 1 // 0 for −1, 0 and 1 alone
	}
	return n, others != 0
}

// scanWide reads the records from position at on, of any graph with any tree. Of vertices
// astray it only notes whether their tree edges exist.
func (v *Validator) scanWide(f *finds, at uint64, edges []graph.Edge) {
	levels, parents, proven, directed := v.levels.S, v.tree.Parents, v.proven.S, v.src.IsDirected()
	for i, e := range edges {
		lu, lv := levels[e.U], levels[e.V]
		if lv != astray && (lu == lv || directed && lv < lu) {
			continue // no tree edge
		}
		if parents[e.V] == e.U {
			setBit(proven, e.V)
		}
		if !directed && parents[e.U] == e.V {
			setBit(proven, e.U)
		}
		first := &f.span
		switch {
		case lu == astray || lv == astray || directed && lu == outside:
			continue
		case lu == outside || lv == outside:
			first = &f.half
		case max(lu, lv)-min(lu, lv) == 1:
			continue
		}
		if x := (fault{at: at + uint64(i), edge: e}); x.at < first.at {
			*first = x
		}
	}
}

// checkTreeEdges finds the first vertex whose tree edge is no record, and with distances the
// first one of the tree whose tree edge has no weight that joins them. The root's own
// entry and other vertices that are their own parent are no tree edges, and a parent
// that is no vertex is rule 1's.
func (v *Validator) checkTreeEdges(ctx context.Context) error {
	n, parents := len(v.levels.S), v.tree.Parents
	return chunks(ctx, v.threads, n, vertexGrain, func(w, lo, hi int) {
		for u := lo; u < hi; u++ {
			p := parents[u]
			if int64(p) >= int64(n) || p == uint32(u) || uint32(u) == v.tree.Root {
				continue
			}
			switch f := &v.found[w]; {
			case !testBit(v.proven.S, u):
				f.unproven = min(f.unproven, uint32(u))
			case v.tree.Distances != nil && v.levels.S[u] != astray && !testBit(v.exact.S, u):
				f.level = min(f.level, uint32(u))
			}
		}
	})
}

// label is the id of a vertex as the file spells it.
func (v *Validator) label(u uint32) string { return string(v.labels.Append(nil, u)) }

// verdict states what the finds mean.
func (v *Validator) verdict() *Verdict {
	f := v.total()
	out := &Verdict{Reached: f.reached, Depth: f.depth, paths: v.tree.Distances != nil}
	label, levels, tree := v.label, v.levels.S, v.tree
	add := func(rule int, vertex uint32, edge *graph.Edge, reason string) {
		x := record.Violation{Rule: rule, Name: ruleNames[rule], Vertex: v.labels.Label(vertex), Reason: reason}
		if v.labels.Names() != nil {
			x.VertexName = label(vertex)
		}
		if edge != nil {
			x.Edge = &[2]uint64{v.labels.Label(edge.U), v.labels.Label(edge.V)}
		}
		out.Violations = append(out.Violations, x)
	}

	deeper := func(e graph.Edge) uint32 { // of both ends; outside the tree is below all levels
		if levels[e.U] > levels[e.V] {
			return e.U
		}
		return e.V
	}

	switch u := f.astray; {
	case tree.Parents[tree.Root] != tree.Root:
		add(RuleTree, tree.Root, nil, "root is not its own parent")
	case u == graph.None:
	case int64(tree.Parents[u]) >= int64(len(levels)):
		add(RuleTree, u, nil, fmt.Sprintf("parent of %s is no vertex of the graph", label(u)))
	default:
		add(RuleTree, u, nil, fmt.Sprintf("parent chain of %s does not end at the root", label(u)))
	}
	switch u := f.level; {
	case u == graph.None:
	case out.paths:
		edge, reason := v.wrongDistance(u)
		add(RuleTreeLevels, u, edge, reason)
	case u == tree.Root:
		add(RuleTreeLevels, u, nil, fmt.Sprintf("root is stated at level %d", tree.Levels[u]))
	default:
		e := graph.Edge{U: tree.Parents[u], V: u}
		add(RuleTreeLevels, u, &e, fmt.Sprintf("parent edge %s-%s joins stated levels %d and %d",
			label(e.U), label(e.V), tree.Levels[e.U], tree.Levels[e.V]))
	}
	switch e := f.span.edge; {
	case f.span.at == nowhere:
	case out.paths:
		far, reason := v.longerPath(f.span)
		add(RuleEdgeLevels, far, &e, reason)
	default:
		add(RuleEdgeLevels, deeper(e), &e, fmt.Sprintf("edge %s-%s spans levels %d and %d",
			label(e.U), label(e.V), levels[e.U], levels[e.V]))
	}
	if e := f.half.edge; f.half.at != nowhere {
		add(RuleComponent, deeper(e), &e, fmt.Sprintf("edge %s-%s has only one end in the tree", label(e.U), label(e.V)))
	}
	if u := f.unproven; u != graph.None {
		e := graph.Edge{U: tree.Parents[u], V: u}
		add(RuleTreeEdges, u, &e, fmt.Sprintf("parent edge %s-%s is not in the graph", label(e.U), label(e.V)))
	}
	return out
}
