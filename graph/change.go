package graph

import (
	"context"
	"fmt"
	"math"

	"github.com/totemgo/totemgo/internal/mix"
	"github.com/totemgo/totemgo/internal/workers"
)

// Relabel returns the graph with its dense ids 0, 1, … for labels. They stand in rising
// order of the labels that src has. The records are src's own.
func Relabel(src Source) Source {
	if l, ok := src.(*EdgeList); ok {
		c := *l
		c.Labels = nil
		return &c
	}
	return relabelled{src}
}

type relabelled struct{ Source }

// VertexLabels implements Source.
func (r relabelled) VertexLabels() *Labels { return IdentityLabels(r.NumVertices(), 0) }

// copyBlocks is the number of blocks to ask for where records are copied.
func copyBlocks(src Source, threads int) int {
	return max(workers.Count(threads), int(min(src.NumEdges()>>14, 1<<12)))
}

// copyRecords calls f for all blocks of records, with the number of the first record
// of each in the order of the source, the records and their weights. The ids are
// checked.
func copyRecords(ctx context.Context, src Source, threads int, f func(block int, first int64, records []Edge, w Weights)) error {
	wanted := copyBlocks(src, threads)
	firsts := make([]int64, src.Blocks(wanted)+1)
	err := EachBlock(ctx, src, threads, wanted, func(_, i int, records []Edge) error {
		firsts[i+1] = int64(len(records))
		return nil
	})
	if err != nil {
		return err
	}
	for i := range firsts[1:] {
		firsts[i+1] += firsts[i]
	}
	return EachBlock(ctx, src, threads, wanted, func(_, i int, records []Edge) error {
		err := checkRecords(records, src.NumVertices())
		if err == nil {
			f(i, firsts[i], records, src.BlockWeights(wanted, i))
		}
		return err
	})
}

// LargestComponent returns the part of a graph that is its largest component, arcs
// taken as edges, with the ids and labels of its vertices in the same order; of several
// of the same size the one with the smallest vertex. threads bounds the goroutines; 0
// means GOMAXPROCS. It takes 12 bytes a vertex, and 8 bytes and a weight for each
// record kept. Errors are those of Measure.
func LargestComponent(ctx context.Context, src Source, threads int) (*EdgeList, error) {
	_, _, comp, err := Components(ctx, src, threads)
	if err != nil {
		return nil, err
	}
	sizes := make([]uint32, len(comp))
	for _, c := range comp {
		sizes[c]++
	}
	chosen := None
	for c, size := range sizes {
		if size > 0 && (chosen == None || size > sizes[chosen]) {
			chosen = uint32(c)
		}
	}
	ids, old := sizes, src.VertexLabels() // the sizes are done with
	out := &EdgeList{Directed: src.IsDirected()}
	for v, c := range comp {
		if c == chosen {
			ids[v] = uint32(out.Vertices)
			out.Vertices++
		}
	}
	labels := make([]uint64, 0, out.Vertices)
	for v, c := range comp {
		if c == chosen {
			labels = append(labels, old.Label(uint32(v)))
		}
	}
	if out.Labels, err = SortedLabels(labels); err != nil {
		return nil, err
	}
	type part struct {
		edges []Edge
		kept  []int
		w     Weights
	}
	parts := make([]part, src.Blocks(copyBlocks(src, threads)))
	err = copyRecords(ctx, src, threads, func(i int, _ int64, records []Edge, w Weights) {
		p := &parts[i]
		for k, e := range records {
			if comp[e.U] == chosen {
				p.edges = append(p.edges, Edge{ids[e.U], ids[e.V]})
				if w.Kind() != Unweighted {
					p.kept = append(p.kept, k)
				}
			}
		}
		if w.Kind() != Unweighted {
			p.w = MakeWeights(w.Kind(), len(p.kept))
			for to, k := range p.kept {
				p.w.Copy(to, w, k)
			}
			p.kept = nil
		}
	})
	if err != nil {
		return nil, err
	}
	total := 0
	for i := range parts {
		total += len(parts[i].edges)
	}
	out.Edges = make([]Edge, 0, total)
	if k := src.WeightKind(); k != Unweighted {
		out.Weights = MakeWeights(k, total)
	}
	for i := range parts {
		p := &parts[i]
		for k := range p.w.Len() {
			out.Weights.Copy(len(out.Edges)+k, p.w, k)
		}
		out.Edges = append(out.Edges, p.edges...)
		*p = part{}
	}
	return out, nil
}

// RandomWeights returns the graph with whole weights from lo to hi instead of its own,
// of kind Int32, or Int64 where they do not fit. The weight of a record follows from the
// seed and the labels of its ends alone, of an undirected edge in either order: it is
// the same for any number of threads and whatever file the graph came from, and
// parallel records share it. threads bounds the goroutines; 0 means GOMAXPROCS. It
// takes 8 bytes and a weight a record, the weight alone where src is an EdgeList. The
// error is ErrOption where lo exceeds hi, or those of Measure.
func RandomWeights(ctx context.Context, src Source, lo, hi int64, seed uint64, threads int) (*EdgeList, error) {
	if lo > hi {
		return nil, fmt.Errorf("%w: weights from %d to %d", ErrOption, lo, hi)
	}
	n := int(src.NumEdges())
	list, own := src.(*EdgeList)
	out := &EdgeList{Vertices: src.NumVertices(), Directed: src.IsDirected(), Labels: src.VertexLabels()}
	if own {
		out.Edges = list.Edges
	} else {
		out.Edges = make([]Edge, n)
	}
	var small []int32
	var large []int64
	if lo >= math.MinInt32 && hi <= math.MaxInt32 {
		small = make([]int32, n)
		out.Weights = WeightsOf(small)
	} else {
		large = make([]int64, n)
		out.Weights = WeightsOf(large)
	}
	span := uint64(hi-lo) + 1 // 0 stands for 2^64
	seed = mix.Mix(seed + mix.Golden)
	err := copyRecords(ctx, src, threads, func(_ int, first int64, records []Edge, _ Weights) {
		if !own {
			copy(out.Edges[first:], records)
		}
		for k, e := range records {
			u, v := out.Labels.Label(e.U), out.Labels.Label(e.V)
			if !out.Directed && u > v {
				u, v = v, u
			}
			w := int64(mix.Below(mix.Mix(mix.Mix(seed^u)+mix.Golden^v), span)) + lo
			if small != nil {
				small[first+int64(k)] = int32(w)
			} else {
				large[first+int64(k)] = w
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
