package gen

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/workers"
)

// Size is the size of a recipe's graph.
type Size struct {
	Vertices int64
	// Edges is the number of records, self-loops and duplicates included.
	Edges int64
	// EdgeBytes is the memory of the edge slice (8 bytes an edge), WeightBytes that
	// of the weights (4 bytes an edge), 0 without weights.
	EdgeBytes, WeightBytes int64
	// FileBytes is the size of a Graph500 edge file of these edges (12 bytes an edge).
	FileBytes int64
}

func sizeOf(vertices, edges int64, weights bool) Size {
	s := Size{Vertices: vertices, Edges: edges, EdgeBytes: 8 * edges, FileBytes: 12 * edges}
	if weights {
		s.WeightBytes = 4 * edges
	}
	return s
}

// Recipe describes a graph before it is generated. The options structs of this package are
// recipes. Recipes are undirected.
type Recipe interface {
	// Size checks the options and tells what they make. Its errors wrap ErrOption.
	Size() (Size, error)
	// Fill makes the edges from, from+1, … of the graph, as many as the slice edges
	// has places, and their weights if weights is not nil; it must then be as long as
	// edges. It returns when everything is made, or with the error of ctx, or one
	// that wraps ErrOption or ErrRange. What the slices hold after an error is
	// unspecified.
	Fill(ctx context.Context, from int64, edges []graph.Edge, weights []float32) error

	hooks() hooks
}

// hooks are the parts of the options that every recipe has.
type hooks struct {
	threads  int
	weights  bool
	progress func(done, total int64)
}

// Make makes the whole graph of a recipe, undirected, in memory. Its errors are those of
// Size and Fill, ErrOption for a nil context or recipe, and ErrAlloc.
func Make(ctx context.Context, r Recipe) (*graph.EdgeList, error) {
	if ctx == nil || r == nil {
		return nil, fmt.Errorf("%w: the context or the recipe is nil", ErrOption)
	}
	size, err := r.Size()
	if err != nil {
		return nil, err
	}
	if k, is := r.(KroneckerOptions); is {
		if err := checkRange("scale", int64(k.Scale), MinScale, MaxScale); err != nil {
			return nil, err
		}
	}
	if size.Edges > math.MaxInt/16 {
		return nil, fmt.Errorf("%w: %d edges do not fit in memory", ErrOption, size.Edges)
	}
	h := r.hooks()
	n := int(size.Edges)
	if err := hugemem.Check(size.EdgeBytes + size.WeightBytes); err != nil {
		return nil, fmt.Errorf("%w: %d edges: %w", ErrAlloc, size.Edges, err)
	}
	edges := make([]graph.Edge, n)
	var weights []float32
	list := &graph.EdgeList{Vertices: int(size.Vertices), Edges: edges}
	if h.weights {
		weights = make([]float32, n)
		list.Weights = graph.WeightsOf(weights)
	}
	if err := r.Fill(ctx, 0, edges, weights); err != nil {
		return nil, err
	}
	return list, nil
}

// blockEdges is the number of edges made between two checks of the context.
const blockEdges = 1 << 14

// fill calls block for parts of a range of edges, in parallel.
func fill[E graph.Edge | graph.Pair64](ctx context.Context, r Recipe, from int64, edges []E, weights []float32,
	block func(from int64, edges []E, weights []float32)) error {
	if ctx == nil {
		return fmt.Errorf("%w: the context is nil", ErrOption)
	}
	size, err := r.Size()
	if err != nil {
		return err
	}
	total := int64(len(edges))
	if from < 0 || from > size.Edges || total > size.Edges-from {
		return fmt.Errorf("%w: %d..%d of a graph with %d edges", ErrRange, from, from+total, size.Edges)
	}
	if weights != nil && len(weights) != len(edges) {
		return fmt.Errorf("%w: %d places for weights, %d for edges", ErrRange, len(weights), len(edges))
	}
	h := r.hooks()
	blocks := int((total + blockEdges - 1) / blockEdges)
	var done atomic.Int64
	var reporting sync.Mutex
	err = workers.Each(ctx, h.threads, blocks, nil, func(_, i int) error {
		lo := int64(i) * blockEdges
		hi := min(lo+blockEdges, total)
		var w []float32
		if weights != nil {
			w = weights[lo:hi]
		}
		block(from+lo, edges[lo:hi], w)
		done.Add(hi - lo)
		if h.progress != nil && reporting.TryLock() {
			h.progress(done.Load(), total)
			reporting.Unlock()
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("gen: %w", err)
	}
	if h.progress != nil {
		h.progress(total, total)
	}
	return nil
}
