package partition

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/workers"
)

// New places the graph of src and builds its subgraphs. It reads src twice and keeps no
// reference to it. Errors wrap ErrOptions, ErrMemory, ErrTooLarge, ErrCapacity,
// ErrInvalid or graph.ErrUnreadable, or are ctx's.
func New(ctx context.Context, src graph.Source, o Options) (placed *Placement, err error) {
	defer hugemem.Recover(&err)
	if ctx == nil {
		return nil, fmt.Errorf("%w: the context is nil", ErrOptions)
	}
	if err := graph.CheckSource(src); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	n := src.NumVertices()
	if err := o.validate(n); err != nil {
		return nil, err
	}
	if uint64(n) > graph.MaxVertices {
		return nil, fmt.Errorf("%w: %d vertices, at most %d are possible", ErrTooLarge, n, uint32(graph.MaxVertices))
	}
	if need := Need(src, o); o.MemoryLimit > 0 && need > o.MemoryLimit {
		return nil, fmt.Errorf("%w: building needs up to %d bytes for %d records and %d vertices, the limit is %d",
			ErrMemory, need, src.NumEdges(), n, o.MemoryLimit)
	}
	b := newBuilder(ctx, src, &o)
	b.total = 4 * src.NumEdges()
	if src.IsDirected() {
		b.total = 6 * src.NumEdges()
	}
	p := &Placement{Directed: src.IsDirected()}
	defer func() { // after a panic of Progress or Consumed as well
		if placed == nil {
			p.Close()
		}
	}()
	if err := b.build(p); err != nil {
		return nil, err
	}
	return p, nil
}

// Need is the peak number of bytes that New allocates, without the source: see NeedFor.
func Need(src graph.Source, o Options) int64 {
	s := Size{Parts: len(o.Processors), Vertices: int64(src.NumVertices()), Edges: src.NumEdges(), Directed: src.IsDirected()}
	if o.Weighted {
		s.Weights = src.WeightKind()
	}
	return NeedFor(s)
}

// Size is the size of a graph that need not exist: Isolated of its vertices have no edges, and Edges are left of Records,
// 0 for as many. Sorted says that rows need no keys of their own: on one processor, where a graph has hubs.
type Size struct {
	Vertices, Isolated int64
	Edges, Records     int64
	Parts              int // processors, at least 1
	Directed, Sorted   bool
	Weights            graph.WeightKind
}

// NeedFor is Need for a graph of that size. It is the maximum over three phases: sorting (buckets and the workers'
// buffers), lining vertices up, and building (buckets, subgraphs and the maps of vertices).
func NeedFor(s Size) int64 {
	records := max(s.Edges, s.Records)
	if records > math.MaxInt64/256 {
		return math.MaxInt64
	}
	sum := func(arrays ...int64) (n int64) {
		for _, bytes := range arrays {
			n += hugemem.Taken(bytes)
		}
		return n
	}
	n, live, m, w := s.Vertices, s.Vertices-s.Isolated, s.Edges, int64(s.Weights.Size())
	rows, degree := sum(16*records, 4*n, 4*n)+2*records*w, int64(0)
	parts := int64(max(1, s.Parts))
	row := 4 * live / parts
	structure := parts*sum(row, row+4, 8*m/parts) + 2*m*w
	if s.Directed {
		rows, degree = 2*sum(8*records, 4*n, 4*n)+2*records*w, sum(4*n)
		structure = 2*parts*sum(row, row+4, 4*m/parts) + 2*m*w
	}
	lining := degree + sum(4*n, n, 4*live, 8*live+8, 4*live) // survey and arrange
	building := degree + sum(4*n, 4*live) + structure
	if !s.Sorted {
		building += sum(4*live, 4*live)
	}
	// A worker holds a bucket's targets, weighted their places and weights as well;
	// buckets differ in size. It has a bit for every vertex.
	threads := int64(runtime.GOMAXPROCS(0))
	scratch := m * 10
	if w > 0 {
		scratch *= 2
	}
	if s.Directed {
		scratch /= 2
	}
	buckets := n>>bucketBits(int(n)) + 1
	if busy := 4 * threads; busy < buckets {
		scratch = scratch / buckets * busy
	}
	scratch = max(scratch+threads*n/8, threads*min(blockArcs, 2*m)*(10+2*w))
	return rows + max(lining, building) + scratch + 1<<20
}

type builder struct {
	ctx     context.Context
	src     graph.Source
	o       *Options
	n       int
	threads int
	done    atomic.Int64
	total   int64 // of Progress: records are passed over twice, or four times if directed, arcs once
}

func newBuilder(ctx context.Context, src graph.Source, o *Options) *builder {
	threads := min(workers.Count(o.Threads), runtime.GOMAXPROCS(0)) // NeedFor counts on it
	return &builder{ctx: ctx, src: src, o: o, n: src.NumVertices(), threads: threads}
}

// sides are those of the rows to build.
func (b *builder) sides() []graph.Side {
	if b.src.IsDirected() {
		return []graph.Side{graph.OutArcs, graph.InArcs}
	}
	return []graph.Side{graph.BothArcs}
}

func (b *builder) tick(records int64) {
	if b.o.Progress != nil {
		b.o.Progress(min(b.done.Add(records), b.total), b.total)
	}
}

// each calls f for every i below n: see workers.Each.
func (b *builder) each(n int, f func(worker, i int) error) error {
	return workers.Each(b.ctx, b.threads, n, graph.ErrUnreadable, f)
}

func (b *builder) build(p *Placement) error {
	var built []*rows
	var line, lists hugemem.Arena // until ranges are laid; until rows are
	defer func() {
		line.Free()
		lists.Free()
		for _, r := range built {
			r.arrays.Free()
		}
	}()
	for _, side := range b.sides() {
		r, err := b.rows(side)
		if err != nil {
			return err
		}
		built = append(built, r)
	}
	out, in := built[0], built[len(built)-1]
	p.NegativeLoops = out.negative
	if b.o.Consumed != nil {
		b.o.Consumed()
	}
	degree := out.length
	if in != out {
		degree = hugemem.Alloc[uint32](&lists, b.n)
		for v := range degree {
			d := uint64(out.length[v]) + uint64(in.length[v])
			if d > math.MaxUint32 {
				return fmt.Errorf("%w: vertex %d has degree %d", ErrTooLarge, v, d)
			}
			degree[v] = uint32(d)
		}
	}
	structures, load := len(built), degree
	switch {
	case in == out:
	case b.o.NoIn:
		structures, load = 1, out.length
	case b.o.NoOut:
		structures, load = 1, in.length
	}
	weight := 0
	if b.o.Weighted {
		weight = b.src.WeightKind().Size()
	}
	live := b.o.survey(&line, degree, p)
	groups, err := b.o.arrange(&line, live, degree, load, p.Policy, b.o.sizes(int64(b.n), int64(len(live)), structures, weight))
	if err != nil {
		return err
	}
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if err := p.layRanges(groups, b.n); err != nil {
		return err
	}
	line.Free()
	p.Processors = make([]ProcessorLoad, len(b.o.Processors))
	p.Subgraphs = make([]*graph.Subgraph, len(p.Ranges))
	p.rows = make([]hugemem.Arena, len(p.Ranges))
	for i, r := range p.Ranges {
		p.Subgraphs[i] = &graph.Subgraph{First: r.First, Rows: r.Vertices}
	}
	order, rankOf := keys(&lists, degree, p)
	p.RowsSorted = rankOf == nil
	for i, from := range built { // of out-arcs, then of in-arcs
		if in != out && (i == 0 && b.o.NoOut || i == 1 && b.o.NoIn) {
			continue
		}
		adj, err := b.relabel(p, built[len(built)-1-i], from, order, rankOf)
		if err != nil {
			return err
		}
		for k, s := range p.Subgraphs {
			if i == 0 {
				s.Out = adj[k]
			} else {
				s.In = adj[k]
			}
		}
	}
	total := int64(0)
	for i, s := range p.Subgraphs {
		offset := 4
		if in == out {
			s.In = s.Out
		}
		for _, a := range []*graph.Adjacency{s.Out, s.In} {
			if a != nil && a.Offsets64 != nil {
				offset = 8
			}
		}
		f := &p.Processors[p.Ranges[i].Owner]
		f.Vertices += int64(s.Rows)
		f.Bytes += PartBytes(PartSize{Rows: int64(s.Rows), Structures: structures, Offset: offset, Weight: weight})
	}
	for i := range p.Processors {
		f := &p.Processors[i]
		f.Bytes += PartBytes(PartSize{Entries: f.Entries, Ranks: int64(p.Ranks), Structures: structures, Offset: 4, Weight: weight})
		f.Bytes += searchBytes(b.o.Processors[i].Device, f.Vertices, int64(p.Ranks), int64(b.n))
		total += f.Entries
	}
	p.Shares = make([]float64, len(p.Processors))
	for i, f := range p.Processors {
		p.Shares[i] = float64(f.Entries) / float64(max(1, total))
	}
	return nil
}

// Duplicates counts the records of src that repeat another: edges between the same two
// vertices (in the same direction, if directed), and self-loops at the same vertex.
// Errors are those of New.
func Duplicates(ctx context.Context, src graph.Source, threads int) (edges, loops int64, err error) {
	defer hugemem.Recover(&err)
	o := Options{Threads: threads}
	if err := o.validate(src.NumVertices()); err != nil {
		return 0, 0, err
	}
	b := newBuilder(ctx, src, &o)
	r, err := b.rows(b.sides()[0])
	if err != nil {
		return 0, 0, err
	}
	defer r.arrays.Free()
	edges = r.repeats.Load()
	if !src.IsDirected() {
		edges /= 2 // counted at both ends
	}
	return edges, r.loops.Load(), nil
}
