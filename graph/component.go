package graph

import (
	"context"
	"slices"
	"sync/atomic"
)

// Components finds the components of a graph, arcs taken as edges: comp[v] is the
// smallest vertex of v's component, count the number of components, largest the
// number of vertices of the largest. A vertex without edges is a component. threads
// bounds the goroutines; 0 means GOMAXPROCS. Errors are those of Measure.
func Components(ctx context.Context, src Source, threads int) (count, largest int, comp []uint32, err error) {
	n := src.NumVertices()
	// comp[v] is a smaller vertex of the same component, or v itself at a root. Trees
	// are only ever joined at roots, the larger under the smaller.
	comp = make([]uint32, n)
	for v := range comp {
		comp[v] = uint32(v)
	}
	// root halves the path it follows.
	root := func(v uint32) uint32 {
		for {
			p := atomic.LoadUint32(&comp[v])
			if p == v {
				return v
			}
			g := atomic.LoadUint32(&comp[p])
			if g != p {
				atomic.CompareAndSwapUint32(&comp[v], p, g)
			}
			v = g
		}
	}
	err = eachRecord(ctx, src, threads, func(records []Edge) {
		for _, e := range records {
			u, v := root(e.U), root(e.V)
			for u != v {
				if u < v {
					u, v = v, u
				}
				if atomic.CompareAndSwapUint32(&comp[u], u, v) {
					break
				}
				u, v = root(u), root(v)
			}
		}
	})
	if err != nil {
		return 0, 0, nil, err
	}
	sizes := make([]uint32, n)
	for v := range comp {
		// comp[v] < v is final already: every smaller vertex has been looked at.
		c := comp[comp[v]]
		comp[v] = c
		if int(c) == v {
			count++
		}
		sizes[c]++
		largest = max(largest, int(sizes[c]))
	}
	return count, largest, comp, nil
}

// LargestComponent returns the part of a graph that is its largest component, arcs
// taken as edges, with the ids and labels of its vertices in the same order; of several
// of the same size the one with the smallest vertex. threads bounds the goroutines; 0
// means GOMAXPROCS. It takes 12 bytes a vertex, and 8 bytes and a weight for each
// record kept. Errors are those of Measure.
func LargestComponent(ctx context.Context, src Source, threads int) (*EdgeList, error) {
	_, largest, comp, err := Components(ctx, src, threads)
	if err != nil {
		return nil, err
	}
	sizes := make([]uint32, len(comp))
	for _, c := range comp {
		sizes[c]++
	}
	chosen := uint32(slices.Index(sizes, uint32(largest)))
	ids, old := sizes, src.VertexLabels() // the sizes are done with
	out := &EdgeList{Vertices: largest, Directed: src.IsDirected()}
	labels := make([]uint64, 0, largest)
	for v, c := range comp {
		if c == chosen {
			ids[v] = uint32(len(labels))
			labels = append(labels, old.Label(uint32(v)))
		}
	}
	if out.Labels, err = SortedLabels(labels); err != nil {
		return nil, err
	}
	if n := old.Names(); n != nil {
		out.Labels = out.Labels.Named(n, old.mapped)
	}
	inside := func(e Edge) bool { return comp[e.U] == chosen }
	err = copyRecords(ctx, src, threads, inside, func(n int) {
		out.Edges, out.Weights = make([]Edge, n), MakeWeights(src.WeightKind(), n)
	}, func(at int, records []Edge, w Weights) {
		for k, e := range records {
			if inside(e) {
				out.Edges[at] = Edge{ids[e.U], ids[e.V]}
				out.Weights.Copy(at, w, k)
				at++
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
