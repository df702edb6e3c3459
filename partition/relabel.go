package partition

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
)

// keys numbers the vertices that have a rank by (falling degree, rank), the order of
// neighbours in every row. order holds the vertex of each key. rankOf holds its rank;
// it is nil where key and rank are the same. Both are in a, or p's.
func keys(a *hugemem.Arena, degree []uint32, p *Placement) (order, rankOf []uint32) {
	if len(p.Ranges) == 1 {
		order = p.VertexOf[:p.Ranges[0].Vertices]
		if slices.IsSortedFunc(order, func(u, v uint32) int { return cmp.Compare(degree[v], degree[u]) }) {
			return order, nil
		}
	} else {
		var parts hugemem.Arena
		defer parts.Free()
		order = hugemem.Alloc[uint32](&parts, len(degree)-int(p.Isolated))[:0]
		for _, r := range p.Ranges {
			order = append(order, p.VertexOf[r.First:r.First+r.Vertices]...)
		}
	}
	order = byFallingDegree(a, order, degree)
	rankOf = hugemem.Alloc[uint32](a, len(order))
	for k, v := range order {
		rankOf[k] = p.RankOf[v]
	}
	return order, rankOf
}

// tables returns the range and the owner of every 64 ranks; owner is nil if there is only one.
func tables(p *Placement) (rangeAt []uint16, owner []uint8) {
	rangeAt, owner = make([]uint16, p.Ranks/64), make([]uint8, p.Ranks/64)
	one := true
	for i, r := range p.Ranges {
		one = one && r.Owner == p.Ranges[0].Owner
		for j := r.First / 64; j < r.Padded()/64; j++ {
			rangeAt[j], owner[j] = uint16(i), uint8(r.Owner)
		}
	}
	if one {
		owner = nil
	}
	return rangeAt, owner
}

// blockArcs is the limit of arcs in a block of rows while they are relabelled, so that a
// block fits in a core's cache (L2).
const blockArcs = 1 << 17

// relabel builds the adjacency of every range by a transposition. into holds the sources
// of the arcs of every vertex and is read in the order of keys; each vertex t is appended
// to the rows of its sources, so rows come out in the order of keys without a sort or a
// lookup. from holds the lengths of the new rows, by id, and their memory; it is into if
// the graph is undirected.
func (b *builder) relabel(p *Placement, into, from *rows, order, rankOf []uint32) ([]*graph.Adjacency, error) {
	kind := into.weights.Kind()
	rangeAt, owner := tables(p)
	adj := make([]*graph.Adjacency, len(p.Ranges))
	for i, r := range p.Ranges {
		a, err := b.layRows(p, i, from.length)
		if err != nil {
			return nil, err
		}
		adj[i] = a
		p.Processors[r.Owner].Entries += a.Arcs()
	}

	// Scatter the arcs over the buckets of their sources. Blocks reserve space in a bucket in
	// any order; extents records where each one is.
	shift, buckets := from.shift, len(from.begin)-1
	begin, err := b.cutBlocks(into, order, 1<<(32-shift))
	if err != nil {
		return nil, err
	}
	blocks := len(begin) - 1
	extents := make([]extent, buckets*blocks)
	used := make([]atomic.Uint32, buckets)
	aw := graph.MakeWeights(kind, int(from.begin[buckets]))
	scatterers := make([]scatterer, b.threads)
	err = b.each(blocks, func(worker, i int) error {
		s := &scatterers[worker]
		s.read(into, order[begin[i]:begin[i+1]], buckets)
		for k, n := range s.counts {
			at := used[k].Add(n) - n
			extents[k*blocks+i] = extent{at, n}
			s.at[k] = from.spareStart(k) + uint64(at)
		}
		if kind == graph.Unweighted {
			write(s.arcs, s.at, from.nbr)
		} else {
			s.writeWeighted(into, order[begin[i]:begin[i+1]], from, aw)
		}
		b.tick(int64(len(s.arcs)))
		return nil
	})
	if err != nil {
		return nil, err
	}
	scatterers = nil
	into.weights = graph.Weights{}
	for _, a := range adj {
		a.Weights = graph.MakeWeights(kind, len(a.Neighbours))
		p.weights += int64(len(a.Neighbours) * kind.Size())
	}

	// Gather each bucket row by row, and copy the rows to the adjacency.
	gatherers := make([]gatherer, b.threads)
	cut := make([]atomic.Int64, len(p.Processors))
	err = b.each(buckets, func(worker, k int) error {
		b.tick(0)
		g := &gatherers[worker]
		g.bucket(from, k, extents[k*blocks:(k+1)*blocks], begin, rankOf, aw)
		lo := min(uint64(b.n), uint64(k)<<shift)
		hi := min(uint64(b.n), uint64(k+1)<<shift)
		done := uint32(0)
		for _, rank := range p.RankOf[lo:hi] {
			if rank == graph.None {
				continue
			}
			r := &p.Ranges[rangeAt[rank/64]]
			a := adj[rangeAt[rank/64]]
			i := rank - r.First
			first, last := a.Row(i)
			row := a.Neighbours[first:last]
			copy(row, g.ranks[done:])
			if owner != nil {
				cut[r.Owner].Add(crossing(row, owner, uint8(r.Owner)))
			}
			if kind != graph.Unweighted {
				for l := range row {
					a.Weights.Copy(int(first)+l, g.weights, int(done)+l)
				}
			}
			if a.FirstNeighbours[i] = graph.None; len(row) > 0 {
				a.FirstNeighbours[i] = row[0]
			}
			done += uint32(len(row))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range cut {
		p.Processors[i].Cut += cut[i].Load()
	}
	return adj, nil
}

// extent is the part of a bucket that one block wrote: n arcs from at on.
type extent struct{ at, n uint32 }

// scatterer is one worker's memory to scatter a block's arcs over buckets.
type scatterer struct {
	arcs   []uint64 // high half: bucket; low half: the value to write there
	counts []uint32 // of each bucket
	at     []uint64 // write position of each bucket
	starts [batch]uint64
	sum    uint32
}

// batch is the number of rows that are prefetched together: each is a cache miss.
const batch = 64

// read reads the rows of a block. It packs an arc into the low bits of its source and,
// above them, the number of its target in the block.
func (s *scatterer) read(r *rows, targets []uint32, buckets int) {
	if s.counts == nil {
		s.counts, s.at = make([]uint32, buckets), make([]uint64, buckets)
	}
	clear(s.counts)
	s.arcs = s.arcs[:0]
	for number := 0; number < len(targets); number += batch {
		some := targets[number:min(number+batch, len(targets))]
		size := 0
		for j, t := range some {
			s.starts[j] = r.rowStart(t)
			size += int(r.length[t])
		}
		for _, at := range s.starts[:len(some)] {
			if at < uint64(len(r.nbr)) {
				s.sum += r.nbr[at]
			}
		}
		s.arcs = slices.Grow(s.arcs, size)
		for j, t := range some {
			row := r.nbr[s.starts[j]:][:r.length[t]]
			n := len(s.arcs)
			s.arcs = s.arcs[:n+len(row)]
			bucketSources(row, uint32(number+j)<<r.shift, r.shift, s.counts, s.arcs[n:])
		}
	}
}

// bucketSources counts the sources of a row by bucket and adds them to arcs.
func bucketSources(row []uint32, number uint32, shift uint, counts []uint32, arcs []uint64) {
	shift &= 31
	mask := uint32(1)<<shift - 1
	arcs = arcs[:len(row)]
	for i, u := range row {
		counts[u>>shift]++
		arcs[i] = uint64(u>>shift)<<32 | uint64(number|u&mask)
	}
}

// write stores each arc at the write position of its bucket.
func write(arcs, at []uint64, out []uint32) {
	for _, x := range arcs {
		q := at[x>>32]
		at[x>>32] = q + 1
		out[q] = uint32(x)
	}
}

// writeWeighted is write for arcs with weights, which it copies from the rows of targets in into
// to w, bucket by bucket.
func (s *scatterer) writeWeighted(into *rows, targets []uint32, from *rows, w graph.Weights) {
	i := 0
	for _, t := range targets {
		at := int(into.begin[t>>into.shift]) + int(into.start[t])
		for l := range int(into.length[t]) {
			k := s.arcs[i] >> 32
			q := s.at[k]
			s.at[k] = q + 1
			from.nbr[q] = uint32(s.arcs[i])
			w.Copy(int(q-from.begin[k+1]), into.weights, at+l)
			i++
		}
	}
}

// gatherer is one worker's memory for buckets of rows.
type gatherer struct {
	at      []uint32 // where each row ends so far
	ranks   []uint32 // the rows, one after the other
	weights graph.Weights
}

// bucket gathers the arcs of bucket k of r, block by block, into rows of ranks.
func (g *gatherer) bucket(r *rows, k int, extents []extent, begin []int, rankOf []uint32, aw graph.Weights) {
	lo := min(len(r.length), k<<r.shift)
	hi := min(len(r.length), (k+1)<<r.shift)
	mask := uint32(1)<<r.shift - 1
	g.at = slices.Grow(g.at[:0], 1<<r.shift)[:1<<r.shift]
	total := uint32(0)
	for j, n := range r.length[lo:hi] {
		g.at[j] = total
		total += n
	}
	g.ranks = slices.Grow(g.ranks[:0], int(total))[:total]
	weighted := aw.Kind() != graph.Unweighted
	if weighted && g.weights.Len() < int(total) {
		g.weights = graph.MakeWeights(aw.Kind(), int(total+total/4))
	}
	arcs := r.nbr[r.spareStart(k):][:total]
	for i, s := range extents {
		first := uint32(begin[i])
		share := arcs[s.at : s.at+s.n]
		switch {
		case weighted:
			for l, x := range share {
				q := g.at[x&mask]
				g.at[x&mask] = q + 1
				rank := first + x>>r.shift
				if rankOf != nil {
					rank = rankOf[rank]
				}
				g.ranks[q] = rank
				g.weights.Copy(int(q), aw, int(r.begin[k])+int(s.at)+l)
			}
		case rankOf == nil:
			gatherKeys(share, first, r.shift, g.at, g.ranks)
		default:
			gatherRanks(share, rankOf[first:], r.shift, g.at, g.ranks)
		}
	}
}

// gatherKeys appends to the row of each arc its target's key, which equals its rank: the
// first key of the block plus the target's number.
func gatherKeys(arcs []uint32, first uint32, shift uint, at, ranks []uint32) {
	shift &= 31
	mask := uint32(1)<<shift - 1
	for _, x := range arcs {
		q := at[x&mask]
		at[x&mask] = q + 1
		ranks[q] = first + x>>shift
	}
}

// gatherRanks is gatherKeys for ranks that are not in the order of keys; rankOf[0] is the
// rank of the block's first key.
func gatherRanks(arcs, rankOf []uint32, shift uint, at, ranks []uint32) {
	shift &= 31
	mask := uint32(1)<<shift - 1
	for _, x := range arcs {
		q := at[x&mask]
		at[x&mask] = q + 1
		ranks[q] = rankOf[x>>shift]
	}
}

// crossing counts the ranks of a row that another processor owns.
func crossing(row []uint32, owner []uint8, self uint8) (n int64) {
	for _, t := range row {
		if owner[t/64] != self {
			n++
		}
	}
	return n
}

// layRows allocates the adjacency of range i and sets its offsets.
func (b *builder) layRows(p *Placement, i int, length []uint32) (*graph.Adjacency, error) {
	a, r := &graph.Adjacency{}, p.Ranges[i]
	count := int(r.Vertices)
	a.FirstNeighbours = hugemem.Alloc[uint32](&p.rows[i], count)
	lengths := a.FirstNeighbours // for now
	total, err := b.lengths(length, p.VertexOf[r.First:r.First+r.Vertices], lengths)
	if err != nil {
		return nil, err
	}
	p.allocArcs(a, i, count, int(total))
	if a.Offsets64 == nil {
		sumInto(a.Offsets32, lengths)
	} else {
		sumInto(a.Offsets64, lengths)
	}
	return a, nil
}

// allocArcs allocates the offsets and neighbours of range i.
func (p *Placement) allocArcs(a *graph.Adjacency, i, rows, arcs int) {
	if arcs < math.MaxUint32 {
		a.Offsets32 = hugemem.Alloc[uint32](&p.maps, rows+1)
	} else {
		a.Offsets64 = hugemem.Alloc[uint64](&p.maps, rows+1)
	}
	a.Neighbours = hugemem.Alloc[uint32](&p.rows[i], arcs)
}

// lengths copies the length of the row of each vertex to out and returns their sum.
func (b *builder) lengths(length, vertices, out []uint32) (total uint64, err error) {
	var arcs atomic.Uint64
	const run = 1 << 13
	err = b.each((len(vertices)+run-1)/run, func(_, k int) error {
		sum := uint64(0)
		for i := k * run; i < min(len(vertices), (k+1)*run); i++ {
			out[i] = length[vertices[i]]
			sum += uint64(out[i])
		}
		arcs.Add(sum)
		return nil
	})
	return arcs.Load(), err
}

func sumInto[T uint32 | uint64](offsets []T, lengths []uint32) {
	at := T(0)
	for i, n := range lengths {
		offsets[i] = at
		at += T(n)
	}
	offsets[len(lengths)] = at
}

// cutBlocks cuts the rows, in their order, into blocks of about the same number of arcs
// and at most most rows. It returns the first row of each block, and the end.
func (b *builder) cutBlocks(r *rows, order []uint32, most uint64) ([]int, error) {
	lengths := hugemem.Make[uint32](len(order))
	defer lengths.Free()
	arcs, err := b.lengths(r.length, order, lengths.S)
	if err != nil {
		return nil, err
	}
	limit := min(blockArcs, arcs/uint64(8*b.threads)+1)
	begin, size := []int{0}, uint64(0)
	for i, n := range lengths.S {
		if first := begin[len(begin)-1]; i > first && (size+uint64(n) > limit || uint64(i-first) == most) {
			begin = append(begin, i)
			size = 0
		}
		size += uint64(n)
	}
	if len(order) > 0 {
		begin = append(begin, len(order))
	}
	return begin, nil
}
