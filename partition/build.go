package partition

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/workers"
)

// New places the graph of src and builds its subgraphs. It reads src twice and
// keeps nothing of it. Errors wrap ErrOptions, ErrMemory, ErrTooLarge, ErrCapacity,
// ErrInvalid or ErrSource, or are ctx's.
func New(ctx context.Context, src graph.Source, o Options) (*Placement, error) {
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
	threads := o.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	b := &builder{ctx: ctx, src: src, o: &o, n: n, team: workers.Acquire(threads)}
	defer b.team.Close()
	b.threads = b.team.Threads()
	b.total = 4 * src.NumEdges()
	if src.IsDirected() {
		b.total = 6 * src.NumEdges()
	}
	p := &Placement{Directed: src.IsDirected()}
	if err := b.build(p); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Need is the largest number of bytes that New holds at any time beside the source:
// see NeedFor.
func Need(src graph.Source, o Options) int64 {
	w := 0
	if o.Weighted {
		w = src.WeightKind().Size()
	}
	return NeedFor(int64(src.NumVertices()), src.NumEdges(), src.IsDirected(), w)
}

// NeedFor is Need for a graph that is not there yet. It is the larger of what two
// phases hold: while records are divided and sorted, the buckets, rows and the
// sorters' memory; while subgraphs are built, rows, subgraphs and the maps of vertices.
func NeedFor(vertices, edges int64, directed bool, weight int) int64 {
	if edges > math.MaxInt64/256 {
		return math.MaxInt64
	}
	w := int64(weight)
	sorting, building := edges*(24+4*w)+vertices*20, edges*(16+4*w)+vertices*48
	if directed {
		sorting, building = edges*(16+3*w)+vertices*32, edges*(16+4*w)+vertices*68
	}
	// A sorter holds a bucket's targets, weighted their places as well; buckets differ
	// in size.
	scratch := edges * 10
	if weight > 0 {
		scratch *= 2
	}
	if directed {
		scratch /= 2
	}
	buckets := vertices>>bucketBits(int(vertices)) + 1
	if busy := int64(4 * runtime.GOMAXPROCS(0)); busy < buckets {
		scratch = scratch / buckets * busy
	}
	return max(sorting+scratch, building) + 1<<20
}

type builder struct {
	ctx     context.Context
	src     graph.Source
	o       *Options
	n       int
	team    *workers.Team
	threads int
	done    atomic.Int64
	total   int64 // of Progress: records are passed over twice, or four times if directed, arcs once
}

func (b *builder) tick(records int64) {
	if b.o.Progress != nil {
		b.o.Progress(min(b.done.Add(records), b.total), b.total)
	}
}

// each runs f for every i below n, spread over the threads, and stops early where
// the context ends or an f fails.
func (b *builder) each(n int, f func(worker, i int) error) error {
	var failed atomic.Pointer[error]
	b.team.For(n, 1, func(worker, lo, hi int) {
		for i := lo; i < hi; i++ {
			if failed.Load() != nil {
				return
			}
			err := b.ctx.Err()
			if err == nil {
				err = guarded(func() error { return f(worker, i) })
			}
			if err != nil {
				failed.CompareAndSwap(nil, &err)
				return
			}
		}
	})
	if e := failed.Load(); e != nil {
		return *e
	}
	return b.ctx.Err()
}

// guarded runs f, which may read the source, and turns the memory fault that reading a
// mapped file raises once the file is cut short into an error. Other panics pass.
func guarded(f func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if fault, ok := r.(interface {
			error
			Addr() uintptr
		}); ok {
			err = fmt.Errorf("%w: %w", ErrSource, fault)
			return
		}
		panic(r)
	}()
	return f()
}

// rows are deduplicated adjacency rows by vertex id, without self-loops. Row v is
// nbr[start[v] : start[v]+length[v]].
type rows struct {
	start   []uint64
	length  []uint32
	nbr     []uint32
	weights graph.Weights
	frees   []func()
}

func (r *rows) free() {
	for _, f := range r.frees {
		f()
	}
	r.frees = nil
}

func rowAlloc[T hugemem.Elem](r *rows, n int) []T {
	b := hugemem.Make[T](n)
	r.frees = append(r.frees, b.Free)
	return b.S
}

// which arcs a structure of rows is made of
type side int

const (
	both side = iota // undirected: u→v and v→u
	outArcs
	inArcs
)

func (b *builder) build(p *Placement) error {
	p.Tuples = alloc[uint32](p, b.n)
	var out, in *rows
	var err error
	defer func() {
		if out != nil {
			out.free()
		}
		if in != nil && in != out {
			in.free()
		}
	}()
	if b.src.IsDirected() {
		if out, err = b.rows(outArcs, p); err != nil {
			return err
		}
		if in, err = b.rows(inArcs, nil); err != nil {
			return err
		}
	} else {
		if out, err = b.rows(both, p); err != nil {
			return err
		}
		in = out
	}
	if b.o.Consumed != nil {
		b.o.Consumed()
	}
	degree := make([]uint32, b.n)
	for v := range degree {
		d := uint64(out.length[v])
		if in != out {
			d += uint64(in.length[v])
		}
		if d > math.MaxUint32 {
			return fmt.Errorf("%w: vertex %d has degree %d", ErrTooLarge, v, d)
		}
		degree[v] = uint32(d)
	}
	structures := 1
	if in != out {
		structures = 2
		if b.o.NoIn || b.o.NoOut {
			structures = 1
		}
	}
	weight := 0
	if b.o.Weighted {
		weight = b.src.WeightKind().Size()
	}
	live := int64(0)
	for _, d := range degree {
		if d > 0 {
			live++
		}
	}
	ranks := live + 64*int64(len(b.o.Processors)+1) // ranges round up; two-ended adds one
	load := degree
	if in != out && b.o.NoIn {
		load = out.length
	} else if in != out && b.o.NoOut {
		load = in.length
	}
	groups, err := b.o.arrange(degree, load, p, func(degrees uint64, vertices int) int64 {
		return PartBytes(int64(degrees), int64(vertices), ranks, structures, 4, weight)
	})
	if err != nil {
		return err
	}
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if err := p.layRanges(groups, b.n); err != nil {
		return err
	}
	groups = nil
	p.Rising = falls(p.VertexOf, degree)
	key, rankOfKey := b.keys(degree, p)
	owner := ownerTable(p.Ranges, p.Ranks)
	p.Processors = make([]Figures, len(b.o.Processors))
	p.Subgraphs = make([]*graph.Subgraph, len(p.Ranges))
	total := int64(0)
	for i, r := range p.Ranges {
		s := &graph.Subgraph{First: r.First, Rows: r.Vertices}
		f := &p.Processors[r.Owner]
		offset := 4
		if in == out {
			if s.Out, err = b.adjacency(p, r, out, key, rankOfKey, owner, f); err != nil {
				return err
			}
			s.In = s.Out
		} else {
			if !b.o.NoOut {
				if s.Out, err = b.adjacency(p, r, out, key, rankOfKey, owner, f); err != nil {
					return err
				}
			}
			if !b.o.NoIn {
				if s.In, err = b.adjacency(p, r, in, key, rankOfKey, owner, f); err != nil {
					return err
				}
			}
		}
		for _, a := range []*graph.Adjacency{s.Out, s.In} {
			if a != nil && a.Offsets64 != nil {
				offset = 8
			}
		}
		p.Subgraphs[i] = s
		f.Vertices += int64(r.Vertices)
		f.Bytes += PartBytes(0, int64(r.Vertices), 0, structures, offset, weight)
	}
	for i := range p.Processors {
		f := &p.Processors[i]
		f.Bytes += PartBytes(f.Entries, 0, int64(p.Ranks), structures, 4, weight)
		total += f.Entries
	}
	p.Shares = make([]float64, len(p.Processors))
	for i, f := range p.Processors {
		if total > 0 {
			p.Shares[i] = float64(f.Entries) / float64(total)
		}
	}
	return nil
}

// bucketBits is log2 of the number of ids a bucket covers: buckets are at most 1,024
// and cover at least 1,024 ids each.
func bucketBits(n int) uint {
	bits := uint(10)
	for n>>bits >= 1024 {
		bits++
	}
	return bits
}

// rows reads the records and returns their deduplicated rows. Where p is given, its
// Tuples and Loops are filled.
func (b *builder) rows(s side, p *Placement) (*rows, error) {
	shift := bucketBits(b.n)
	buckets := b.n>>shift + 1
	blocks := b.src.Blocks(8 * b.threads)
	kind := graph.Unweighted
	if b.o.Weighted {
		kind = b.src.WeightKind()
	}

	// Count arcs by block and bucket.
	counts := make([][]uint64, blocks)
	bufs := make([][]graph.Edge, b.threads)
	var loops atomic.Int64
	err := b.each(blocks, func(worker, i int) error {
		edges := b.src.Block(8*b.threads, i, bufs[worker])
		bufs[worker] = keep(bufs[worker], edges, b.src)
		c := make([]uint64, buckets)
		nl := int64(0)
		n := uint32(b.n)
		for _, e := range edges {
			if e.U >= n || e.V >= n {
				return fmt.Errorf("%w: record %d–%d, but there are %d vertices", ErrInvalid, e.U, e.V, n)
			}
			if e.U == e.V {
				nl++
			}
			switch s {
			case both:
				c[e.U>>shift]++
				if e.U != e.V {
					c[e.V>>shift]++
				}
			case outArcs:
				c[e.U>>shift]++
			case inArcs:
				if e.U != e.V {
					c[e.V>>shift]++
				}
			}
		}
		loops.Add(nl)
		counts[i] = c
		b.tick(int64(len(edges)))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if p != nil && loops.Load() > 0 {
		p.Loops = alloc[uint32](p, b.n)
	}
	begin := make([]uint64, buckets+1)
	at := uint64(0)
	for k := range buckets {
		begin[k] = at
		for i := range blocks {
			at, counts[i][k] = at+counts[i][k], at
		}
	}
	begin[buckets] = at

	// Scatter the arcs into buckets.
	arcs := hugemem.Make[uint64](int(at))
	defer func() { arcs.Free() }()
	var aw graph.Weights
	if kind != graph.Unweighted {
		aw = graph.MakeWeights(kind, int(at))
	}
	data := arcs.S
	err = b.each(blocks, func(worker, i int) error {
		edges := b.src.Block(8*b.threads, i, bufs[worker])
		bufs[worker] = keep(bufs[worker], edges, b.src)
		c := counts[i]
		var w graph.Weights
		if kind != graph.Unweighted {
			w = b.src.BlockWeights(8*b.threads, i)
		}
		put := func(u, v uint32, j int) {
			k := u >> shift
			data[c[k]] = uint64(u)<<32 | uint64(v)
			if kind != graph.Unweighted {
				aw.Copy(int(c[k]), w, j)
			}
			c[k]++
		}
		for j, e := range edges {
			switch s {
			case both:
				put(e.U, e.V, j)
				if e.U != e.V {
					put(e.V, e.U, j)
				}
			case outArcs:
				put(e.U, e.V, j)
			case inArcs:
				if e.U != e.V {
					put(e.V, e.U, j)
				}
			}
		}
		b.tick(int64(len(edges)))
		return nil
	})
	if err != nil {
		return nil, err
	}
	counts = nil

	// Sort each bucket by id, drop loops and duplicates.
	r := &rows{}
	r.start = rowAlloc[uint64](r, b.n)
	r.length = rowAlloc[uint32](r, b.n)
	r.nbr = rowAlloc[uint32](r, int(at))
	if kind != graph.Unweighted {
		r.weights = graph.MakeWeights(kind, int(at))
	}
	scratch := make([]*dedupe, b.threads)
	err = b.each(buckets, func(worker, k int) error {
		if scratch[worker] == nil {
			scratch[worker] = &dedupe{}
		}
		lo := uint32(k) << shift
		hi := min(uint64(b.n), uint64(k+1)<<shift)
		if uint64(lo) >= hi {
			return nil
		}
		var w graph.Weights
		if kind != graph.Unweighted {
			w = aw.Slice(int(begin[k]), int(begin[k+1]))
		}
		b.tick(0)
		return scratch[worker].bucket(lo, uint32(hi), data[begin[k]:begin[k+1]], w, begin[k], r, p)
	})
	if err != nil {
		r.free()
		return nil, err
	}
	return r, nil
}

// keep returns the buffer for the next Block call: what came back, if it is not the
// source's own memory.
func keep(buf, got []graph.Edge, src graph.Source) []graph.Edge {
	if _, own := src.(*graph.EdgeList); own {
		return buf
	}
	if cap(got) > cap(buf) {
		return got[:0]
	}
	return buf
}

// dedupe is one worker's memory for sorting buckets.
type dedupe struct {
	count []uint32
	dst   []uint32
	from  []uint32 // index of each arc in the bucket, if weighted
	table []uint32
}

// bucket turns the arcs of ids lo … hi−1 into rows that start at base in r.
func (d *dedupe) bucket(lo, hi uint32, arcs []uint64, w graph.Weights, base uint64, r *rows, p *Placement) error {
	if uint64(len(arcs)) > math.MaxUint32 {
		return fmt.Errorf("%w: %d arcs at ids %d to %d", ErrTooLarge, len(arcs), lo, hi-1)
	}
	width := int(hi - lo)
	d.count = grow(d.count, width+1)
	count := d.count
	clear(count)
	for _, a := range arcs {
		count[uint32(a>>32)-lo+1]++
	}
	for i := range width {
		count[i+1] += count[i]
	}
	d.dst = grow(d.dst, len(arcs))
	dst := d.dst
	weighted := w.Kind() != graph.Unweighted
	if weighted {
		d.from = grow(d.from, len(arcs))
	}
	for i, a := range arcs {
		u := uint32(a>>32) - lo
		dst[count[u]] = uint32(a)
		if weighted {
			d.from[count[u]] = uint32(i)
		}
		count[u]++
	}
	at, begin := base, uint32(0)
	for i := range width {
		end := count[i]
		v := lo + uint32(i)
		out := r.nbr[at:at]
		loops := uint32(0)
		row := dst[begin:end]
		if len(row) > 8 {
			d.reset(len(row))
		}
		for j, t := range row {
			if t == v {
				loops++
				continue
			}
			at2 := -1
			if len(row) > 8 {
				at2 = d.find(out, t)
			} else {
				for q, x := range out {
					if x == t {
						at2 = q
						break
					}
				}
			}
			if at2 < 0 {
				at2 = len(out)
				out = append(out, t)
				if weighted {
					r.weights.Copy(int(at)+at2, w, int(d.from[int(begin)+j]))
				}
			} else if weighted && w.Less(int(d.from[int(begin)+j]), r.weights, int(at)+at2) {
				r.weights.Copy(int(at)+at2, w, int(d.from[int(begin)+j]))
			}
		}
		r.start[v] = at
		r.length[v] = uint32(len(out))
		at += uint64(len(out))
		if p != nil {
			p.Tuples[v] = uint32(len(row)) - loops
			if loops > 0 {
				p.Loops[v] = loops
			}
		}
		begin = end
	}
	return nil
}

func grow(s []uint32, n int) []uint32 {
	if cap(s) < n {
		return make([]uint32, n+n/4)[:n]
	}
	return s[:n]
}

// reset empties the hash table for a row of n arcs: open addressing, at most half
// full, an entry is an index into the row plus one.
func (d *dedupe) reset(n int) {
	size := 32
	for size < 2*n {
		size *= 2
	}
	d.table = grow(d.table, size)
	clear(d.table)
}

// find returns the index of t in row, or enters len(row) for it and returns −1.
func (d *dedupe) find(row []uint32, t uint32) int {
	mask := uint32(len(d.table) - 1)
	for h := (t * 0x9e3779b1) >> 7 & mask; ; h = (h + 1) & mask {
		e := d.table[h]
		if e == 0 {
			d.table[h] = uint32(len(row)) + 1
			return -1
		}
		if row[e-1] == t {
			return int(e - 1)
		}
	}
}

// keys numbers the vertices by (falling degree, rank): the order of neighbours in
// every row. Where that is the order of ranks, key is RankOf and rankOfKey nil.
func (b *builder) keys(degree []uint32, p *Placement) (key, rankOfKey []uint32) {
	inRankOrder := make([]uint32, 0, b.n)
	monotone, last := true, uint32(math.MaxUint32)
	for _, v := range p.VertexOf {
		if v != graph.None {
			inRankOrder = append(inRankOrder, v)
			monotone = monotone && degree[v] <= last
			last = degree[v]
		}
	}
	if monotone {
		return p.RankOf, nil
	}
	sorted := byFallingDegree(inRankOrder, degree)
	key = make([]uint32, b.n)
	rankOfKey = make([]uint32, len(sorted))
	for k, v := range sorted {
		key[v] = uint32(k)
		rankOfKey[k] = p.RankOf[v]
	}
	return key, rankOfKey
}

// ownerTable holds the owner of every 64 ranks; nil if there is one owner.
func ownerTable(ranges []graph.Range, ranks uint32) []uint8 {
	t := make([]uint8, ranks/64)
	one := true
	for _, r := range ranges {
		one = one && r.Owner == ranges[0].Owner
		for i := r.First / 64; i < r.Padded()/64; i++ {
			t[i] = uint8(r.Owner)
		}
	}
	if one {
		return nil
	}
	return t
}

// adjacency builds the rows of one range from rows by id.
func (b *builder) adjacency(p *Placement, r graph.Range, src *rows, key, rankOfKey []uint32, owner []uint8, f *Figures) (*graph.Adjacency, error) {
	a := &graph.Adjacency{}
	count := int(r.Vertices)
	ids := p.VertexOf[r.First : r.First+r.Vertices]
	arcs := uint64(0)
	for _, v := range ids {
		arcs += uint64(src.length[v])
	}
	if arcs < math.MaxUint32 {
		a.Offsets32 = alloc[uint32](p, count+1)
		at := uint32(0)
		for i, v := range ids {
			a.Offsets32[i] = at
			at += src.length[v]
		}
		a.Offsets32[count] = at
	} else {
		a.Offsets64 = alloc[uint64](p, count+1)
		at := uint64(0)
		for i, v := range ids {
			a.Offsets64[i] = at
			at += uint64(src.length[v])
		}
		a.Offsets64[count] = at
	}
	a.Neighbours = alloc[uint32](p, int(arcs))
	a.FirstNeighbours = alloc[uint32](p, count)
	var second []uint32
	if !b.o.Processors[r.Owner].Device {
		a.SecondNeighbours = alloc[uint32](p, count)
		second = a.SecondNeighbours
	}
	weighted := src.weights.Kind() != graph.Unweighted
	if weighted {
		a.Weights = graph.MakeWeights(src.weights.Kind(), int(arcs))
	}
	scratch := make([]sorter, b.threads)
	var cut atomic.Int64
	const block = 512
	top := uint32(b.n)
	if rankOfKey == nil {
		top = p.Ranks
	}
	err := b.each((count+block-1)/block, func(worker, k int) error {
		s := &scratch[worker]
		crossing, moved := int64(0), int64(0)
		for i := k * block; i < min(count, (k+1)*block); i++ {
			v := ids[i]
			lo, hi := a.Row(uint32(i))
			row := a.Neighbours[lo:hi]
			from := src.nbr[src.start[v] : src.start[v]+uint64(src.length[v])]
			for j, t := range from {
				row[j] = key[t]
			}
			if weighted {
				s.sortWeighted(row, src.weights, int(src.start[v]), a.Weights, int(lo))
			} else {
				s.sort(row, top)
			}
			if rankOfKey != nil {
				for j, t := range row {
					row[j] = rankOfKey[t]
				}
			}
			if owner != nil {
				for _, t := range row {
					if int(owner[t/64]) != r.Owner {
						crossing++
					}
				}
			}
			a.FirstNeighbours[i] = neighbour(row, 0)
			if second != nil {
				second[i] = neighbour(row, min(1, len(row)-1))
			}
			moved += int64(len(row))
		}
		cut.Add(crossing)
		b.tick(moved)
		return nil
	})
	if err != nil {
		return nil, err
	}
	f.Entries += int64(arcs)
	f.Cut += cut.Load()
	return a, nil
}

// falls tells whether degrees fall along a list of ids.
func falls(ids, degree []uint32) bool {
	last := uint32(math.MaxUint32)
	for _, v := range ids {
		if v == graph.None {
			continue
		}
		if degree[v] > last {
			return false
		}
		last = degree[v]
	}
	return true
}

// neighbour is entry k of a row, None where the row is empty.
func neighbour(row []uint32, k int) uint32 {
	if len(row) == 0 {
		return graph.None
	}
	return row[k]
}

// Duplicates counts the records of src that repeat another: between the same two
// vertices (in the same direction, if directed), or self-loops at the same vertex.
// Errors are those of New.
func Duplicates(ctx context.Context, src graph.Source, threads int) (int64, error) {
	o := Options{Threads: threads}
	if err := o.validate(src.NumVertices()); err != nil {
		return 0, err
	}
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	b := &builder{ctx: ctx, src: src, o: &o, n: src.NumVertices(), team: workers.Acquire(threads)}
	defer b.team.Close()
	b.threads = b.team.Threads()
	p := &Placement{}
	defer p.Close()
	p.Tuples = alloc[uint32](p, b.n)
	side := both
	if src.IsDirected() {
		side = outArcs
	}
	r, err := b.rows(side, p)
	if err != nil {
		return 0, err
	}
	defer r.free()
	repeats, loops := int64(0), int64(0)
	for v, n := range r.length {
		repeats += int64(p.Tuples[v]) - int64(n)
		if p.Loops != nil && p.Loops[v] > 1 {
			loops += int64(p.Loops[v]) - 1
		}
	}
	if side == both {
		repeats /= 2
	}
	return repeats + loops, nil
}
