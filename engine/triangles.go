package engine

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/partition"
)

// triGrain is the number of vertices that a thread takes at a time.
const triGrain = 64

// triangles is a run of Triangles. It finds a triangle at its vertex u of the last position, by two
// neighbours w < v of u. hits and links, by neighbour of u, count its triangles at u and their opposite arcs.
type triangles struct {
	*partition.Oriented
	bits         cpu.BitRows // of the first vertices, none in a directed graph
	count, links []uint64    // by position: triangles, and in a directed graph arcs opposite to the vertex
	hits, linked [][]uint32
}

// find counts the triangles of vertex u and two vertices before it.
func (t *triangles) find(worker int, u uint32) {
	lo, hi := t.Offsets[u], t.Offsets[u+1]
	if hi-lo < 2 {
		return
	}
	row, hits, linked := t.To[lo:hi], t.hits[worker][:hi-lo], t.linked[worker]
	clear(hits)
	if t.Arcs != nil {
		linked = linked[:hi-lo]
		clear(linked)
	}
	own, links := uint64(0), uint64(0)
	for i, v := range row {
		var n, arcs uint32
		if v < t.bits.Rows {
			n = t.bits.Count(v, row[:i], hits)
		} else {
			n, arcs = t.merge(lo, i, hits, linked)
		}
		hits[i] += n
		own += uint64(n)
		links += uint64(arcs)
	}
	if own == 0 {
		return
	}
	atomic.AddUint64(&t.count[u], own)
	if t.Arcs != nil {
		atomic.AddUint64(&t.links[u], links)
	}
	for i, n := range hits {
		if n > 0 {
			atomic.AddUint64(&t.count[row[i]], uint64(n))
			if t.Arcs != nil {
				atomic.AddUint64(&t.links[row[i]], uint64(linked[i]))
			}
		}
	}
}

// merge counts common entries of row lo up to its entry i and of the row of that entry. arcs are
// those between the vertices found and entry i.
func (t *triangles) merge(lo uint64, i int, hits, linked []uint32) (n, arcs uint32) {
	const skip = 8
	v := t.To[lo+uint64(i)]
	from := t.Offsets[v]
	a, b := t.To[lo:lo+uint64(i)], t.To[from:t.Offsets[v+1]]
	for j, k := 0, 0; j < len(a) && k < len(b); {
		x, y := a[j], b[k]
		switch {
		case x < y:
			for j++; j+skip < len(a) && a[j+skip] < y; j += skip {
			}
		case y < x:
			for k++; k+skip < len(b) && b[k+skip] < x; k += skip {
			}
		default:
			hits[j]++
			n++
			if t.Arcs != nil {
				linked[j] += uint32(t.Arcs[lo+uint64(i)])
				linked[i] += uint32(t.Arcs[lo+uint64(j)])
				arcs += uint32(t.Arcs[from+uint64(k)])
			}
			j++
			k++
		}
	}
	return n, arcs
}

// longestOriented bounds the rows of an Oriented.
func (e *Engine) longestOriented() int64 {
	return min(int64(e.place.MaxDegree), int64(math.Sqrt(2*float64(e.place.Edges())))+1)
}

// trianglesDemand is the memory of Triangles on so many threads.
func (e *Engine) trianglesDemand(threads int) demand {
	edges, n := e.place.Edges(), int64(e.n)-e.place.Isolated
	state := e.place.OrientedBytes() + hugemem.Taken(8*n) + 8*e.longestOriented()*int64(threads)
	if e.place.Directed {
		state += hugemem.Taken(8 * n)
	} else {
		state += cpu.BitRowsBytes(n, edges)
	}
	return demand{state: state, result: 16 * int64(e.n)}
}

// Triangles counts the triangles of the graph and of every vertex. The graph is taken as simple and
// undirected, but clustering in a directed graph counts arcs. It reads the graph in host memory, on any
// processors, and takes up to 9 bytes an edge and 44 a vertex, beside the result. Errors wrap ErrNoRows or
// ErrMemory, or are ErrClosed or ctx's.
func (e *Engine) Triangles(ctx context.Context) (*TrianglesResult, error) {
	return inTurn(ctx, e, func(t *turn) (*TrianglesResult, error) { return e.triangles(ctx, t.workers()) })
}

func (e *Engine) triangles(ctx context.Context, threads int) (*TrianglesResult, error) {
	longest := e.longestOriented()
	d := e.trianglesDemand(threads)
	if err := e.room("count of triangles", d.state+d.result); err != nil {
		return nil, err
	}
	o, err := e.place.Orient(ctx, threads)
	if err != nil {
		return nil, fmt.Errorf("engine: triangles: %w", err)
	}
	defer o.Free()
	n := len(o.Rank)
	var arrays hugemem.Arena
	defer arrays.Free()
	t := &triangles{Oriented: o, count: hugemem.Alloc[uint64](&arrays, n), hits: make([][]uint32, threads), linked: make([][]uint32, threads)}
	if o.Arcs != nil {
		t.links = hugemem.Alloc[uint64](&arrays, n)
	} else {
		t.bits = cpu.NewBitRows(o.Offsets, o.To)
		defer t.bits.Free()
	}
	for w := range threads {
		t.hits[w], t.linked[w] = make([]uint32, longest), make([]uint32, longest)
	}
	err = workers.Each(ctx, threads, (n+triGrain-1)/triGrain, nil, func(worker, k int) error {
		for v := k * triGrain; v < min(n, (k+1)*triGrain); v++ {
			t.find(worker, uint32(v))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return e.trianglesOf(t), nil
}
