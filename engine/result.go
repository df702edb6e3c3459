package engine

import (
	"iter"
	"runtime"
	"sync"
	"time"

	"github.com/bits-and-blooms/bitset"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/record"
)

// BFSResult is a breadth-first tree. It outlives its engine.
type BFSResult struct {
	// Root is the label of the root.
	Root uint64
	// Parents holds the dense id of the parent of every vertex, by dense id: the
	// root's is itself, an unreached vertex has graph.None.
	Parents []uint32
	// NumReached is the number of vertices in the tree, the root included; Depth is the
	// largest level.
	NumReached, Depth int64
	// Time is from the call's turn to complete parents: in host memory or, if all processors
	// are devices, in theirs.
	Time time.Duration
	// CopyTime is the time to copy the parents from devices to Parents, not part of Time. It
	// is 0 unless all processors are devices.
	CopyTime time.Duration
	// ResetTime, SearchTime and AggregateTime are the parts of Time, in their order: clearing the last
	// search's state and visiting the root, the supersteps, collecting parents as vertex ids. Some µs
	// of Time are in none.
	ResetTime, SearchTime, AggregateTime time.Duration
	// Statistics holds the levels if asked for: see Collect.
	Statistics *bsp.Statistics

	engineID *engineID // of the engine that made it
	labels   *graph.Labels
	root     uint32
	fresh    bool // Parents holds None throughout
	block    hugemem.Slice[uint32]
	cleanup  runtime.Cleanup // of block
	levels   func() []int32
}

// NewResult returns a result for BFSInto with its memory touched, so that searches take no
// page faults for it. Arrays of 1 MiB and more are in huge pages outside the Go heap: call
// Free after use. The memory of a result that becomes unreachable without Free is freed by the
// garbage collector some time later: Parents is valid while the result is reachable.
func (e *Engine) NewResult() *BFSResult {
	r := &BFSResult{engineID: e.engineID, labels: e.labels, block: hugemem.Make[uint32](e.n)}
	r.Parents = r.block.S
	r.cleanup = runtime.AddCleanup(r, func(b hugemem.Slice[uint32]) { b.Free() }, r.block)
	r.clear()
	return r
}

// clear leaves a result without a tree.
func (r *BFSResult) clear() {
	for i := range r.Parents {
		r.Parents[i] = graph.None
	}
	r.fresh = true
	r.NumReached, r.Depth = 0, 0
	r.done()
}

// Free frees the memory of a result of NewResult; neither the result nor its Parents may be
// used afterwards. Results of BFS need no Free.
func (r *BFSResult) Free() {
	r.Parents = nil
	r.cleanup.Stop()
	r.done()
	r.block.Free()
}

// Collect makes searches into r fill Statistics, and returns r.
func (r *BFSResult) Collect() *BFSResult {
	if r.Statistics == nil {
		r.Statistics = &bsp.Statistics{}
	}
	return r
}

// Label is the file's id of the vertex with dense id v.
func (r *BFSResult) Label(v uint32) uint64 { return r.labels.Label(v) }

// ID is the dense id of the vertex with the file's id label. The error wraps graph.ErrNoVertex.
func (r *BFSResult) ID(label uint64) (uint32, error) { return r.labels.ID(label) }

// Tree yields every reached vertex and its parent as the file's ids, in the order of dense
// ids; the root is its own parent.
func (r *BFSResult) Tree() iter.Seq2[uint64, uint64] {
	return each(r.labels, len(r.Parents), func(v uint32) (uint64, bool) {
		p := r.Parents[v]
		return r.labels.Label(p), p != graph.None
	})
}

// Reached returns the set of vertices in the tree, by dense id: NumVertices bits, NumReached of
// them set. Each call allocates a set of its own.
func (r *BFSResult) Reached() *bitset.BitSet {
	words := make([]uint64, (len(r.Parents)+63)/64)
	for v, p := range r.Parents {
		if p != graph.None {
			words[v/64] |= 1 << (v % 64)
		}
	}
	return bitset.FromWithLength(uint(len(r.Parents)), words)
}

// Levels returns the level of every vertex by dense id, −1 for an unreached one. The first
// call after a search computes them from the parents; later ones return the same slice.
func (r *BFSResult) Levels() []int32 {
	if r.levels == nil {
		return nil // no engine made r
	}
	return r.levels()
}

// done resets the levels after a search.
func (r *BFSResult) done() {
	r.levels = sync.OnceValue(func() []int32 { return levels(make([]int32, len(r.Parents)), r.Parents) })
}

// levels sets l to the levels of parents. It follows the parents of each vertex to one of known level, and again to set the
// levels between. A vertex is known by a level above 0 or as its own parent.
func levels(l []int32, parents []uint32) []int32 {
	clear(l)
	for v, p := range parents {
		if p == graph.None {
			l[v] = -1
			continue
		}
		known, level := uint32(v), int32(0)
		for l[known] == 0 && parents[known] != known {
			known = parents[known]
			level++
		}
		level += l[known]
		for u := uint32(v); u != known; u = parents[u] {
			l[u] = level
			level--
		}
	}
	return l
}

// Setup returns the description of the engine that documents state.
func (e *Engine) Setup() record.Setup {
	policy, _ := e.Placement()
	isolated := e.Isolated()
	return record.Setup{
		Placement: string(policy), Share: e.Share(), Director: e.Director(), Processors: e.Processors(), LeftOut: e.report.leftOut, Isolated: &isolated,
	}
}

// Record returns the search as JSON documents state it, without edge counts.
func (r *BFSResult) Record() record.Search {
	s := record.Search{Root: r.Root, TimeS: r.Time.Seconds(), Reached: r.NumReached, Depth: r.Depth}
	if r.CopyTime > 0 {
		copied := r.CopyTime.Seconds()
		s.CopyS = &copied
	}
	return s
}
