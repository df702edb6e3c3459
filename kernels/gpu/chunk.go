package gpu

import (
	"fmt"
	"math"
	"sort"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// Limits of a chunk.
const (
	chunkArcs = math.MaxInt32 // arcs, so that a loop over them cannot wrap
	chunkRows = 1 << 30
	maxChunks = 64 // of one range in one memory; 17 of 2^31 arcs fill 141 GB
)

// rows is one adjacency structure of a chunk on the device. Offsets begin at 0.
type rows struct {
	offsets, neighbours, first, second device.Buffer
}

// chunk is a run of rows of an own range: rows lo … lo+n−1 of the subgraph.
type chunk struct {
	sub     *graph.Subgraph
	host    bool   // its adjacency lies in the host's memory
	rng     int    // index of the range
	lo, n   uint32 // lo is a multiple of 32
	base    uint32 // own ranks before it: where its part of a list begins
	out, in rows   // one structure in an undirected graph
	hub     uint32 // the first word of a bitmap that a pull keeps
	pieces  uint32 // pieces of earlier chunks: where its part of such a list begins

	// The frontier of the step to come.
	frontier frontierShape
}

// frontierShape is a frontier's numbers of vertices and out-arcs, its largest out-degree, and the numbers of its list entries.
type frontierShape struct{ vertices, arcs, largest, small, medium, long int64 }

// rank is the rank of the chunk's first row.
func (c *chunk) rank() uint32 { return c.sub.First + c.lo }

// cutRange divides the rows of a subgraph into chunks whose arrays have at most largest
// bytes each. base is the number of own ranks before the range. Device memory takes the
// last rows, up to room bytes of adjacency (negative: no bound), host memory the others.
func cutRange(sub *graph.Subgraph, rng int, base uint32, largest, room int64) ([]chunk, error) {
	from := firstOnDevice(sub, room)
	list, err := cutRows(sub, rng, base, 0, from, largest, true)
	if err != nil {
		return nil, err
	}
	rest, err := cutRows(sub, rng, base, from, sub.Rows, largest, false)
	if err != nil {
		return nil, err
	}
	return append(list, rest...), nil
}

// firstOnDevice is the first row such that it and all later rows fit in room bytes: 0, a
// multiple of 32, or the number of rows. By falling degree the last rows are the shortest,
// which are read at random; long rows are read in sequence, which suits host memory.
func firstOnDevice(sub *graph.Subgraph, room int64) uint32 {
	fits := func(from uint32) bool { return room < 0 || adjacencyBytes(sub, from, sub.Rows) <= room }
	words := (sub.Rows + 31) / 32
	word := uint32(sort.Search(int(words), func(w int) bool { return fits(uint32(32 * w)) }))
	return min(32*word, sub.Rows)
}

// adjacencyBytes bounds the bytes of rows lo … hi−1: neighbours, first and second neighbours,
// and offsets, with one more offset a chunk.
func adjacencyBytes(sub *graph.Subgraph, lo, hi uint32) (bytes int64) {
	if lo == hi {
		return 0
	}
	for i, a := range []*graph.Adjacency{sub.Out, sub.In} {
		if a == nil || i == 1 && sub.In == sub.Out {
			continue
		}
		bytes += 4 * (entriesOf(sub, a, lo, hi) + 3*int64(hi-lo) + maxChunks)
	}
	return bytes
}

// entriesOf is the number of entries of rows lo … hi−1, lo < hi. Rows of partition.Sized, which are not there, are equal.
func entriesOf(sub *graph.Subgraph, a *graph.Adjacency, lo, hi uint32) int64 {
	if sizedAlone(a) {
		until := func(row uint32) int64 { return int64(float64(a.Arcs()) * float64(row) / float64(sub.Rows)) }
		return until(hi) - until(lo)
	}
	from, _ := a.Row(lo)
	_, to := a.Row(hi - 1)
	return int64(to - from)
}

// sizedAlone reports a structure of partition.Sized that is not empty.
func sizedAlone(a *graph.Adjacency) bool { return len(a.Offsets64) == 1 }

// cutRows divides rows from … to−1 into chunks; from is a multiple of 32.
func cutRows(sub *graph.Subgraph, rng int, base, from, to uint32, largest int64, host bool) ([]chunk, error) {
	limit := min(largest/4, chunkArcs)
	fits := func(a *graph.Adjacency, lo, hi uint32) bool {
		return a == nil || entriesOf(sub, a, lo, hi) <= limit
	}
	var list []chunk
	for lo := from; lo < to; {
		// The most words of 32 rows that fit, by bisection.
		low, high := uint32(0), (min(to-lo, uint32(min(chunkRows, (limit-1)/32*32)))+31)/32
		for low < high {
			mid := low + (high-low+1)/2
			if hi := min(to, lo+32*mid); fits(sub.Out, lo, hi) && fits(sub.In, lo, hi) {
				low = mid
			} else {
				high = mid - 1
			}
		}
		if low == 0 {
			return nil, fmt.Errorf("%w: the arcs of 32 rows exceed its largest allocation of %d bytes", ErrTooLarge, largest)
		}
		n := min(to-lo, 32*low)
		list = append(list, chunk{sub: sub, host: host, rng: rng, lo: lo, n: n, base: base + lo})
		lo += n
	}
	if len(list) > maxChunks {
		return nil, fmt.Errorf("%w: a range needs %d chunks of %d bytes, more than %d", ErrTooLarge, len(list), largest, maxChunks)
	}
	return list, nil
}

// hubWindow returns the first word of the window of hubWords frontier words that covers
// most first neighbours of the chunk.
func (c *chunk) hubWindow(words int) uint32 {
	if words <= hubWords || c.sub.In == nil {
		return 0
	}
	hits := make([]uint32, words/hubWords+1)
	for _, u := range c.sub.In.FirstNeighbours[c.lo : c.lo+c.n] {
		if u != graph.None {
			hits[u/32/hubWords]++
		}
	}
	best := 0
	for i := range hits {
		if hits[i] > hits[best] {
			best = i
		}
	}
	return uint32(min(best*hubWords, words-hubWords))
}

// piecesOf is the number of pieces of the chunk's rows, of which a push reads one by 32 lanes: it
// bounds those of a frontier.
func (c *chunk) piecesOf() (n uint32) {
	if c.sub.Out == nil {
		return 0
	}
	if sizedAlone(c.sub.Out) {
		if d := (c.sub.Out.Arcs() + int64(c.sub.Rows) - 1) / int64(c.sub.Rows); d > pieceArcs {
			return c.n * uint32((d+pieceArcs-1)/pieceArcs)
		}
		return 0
	}
	for r := c.lo; r < c.lo+c.n; r++ {
		if d := c.sub.Out.Degree(r); d > pieceArcs {
			n += uint32((d + pieceArcs - 1) / pieceArcs)
		}
	}
	return n
}
