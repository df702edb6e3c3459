package graphio

import (
	"errors"
	"fmt"

	"github.com/totemgo/totemgo/graph"
)

// compact maps the ids that occur to dense ids, in rising order, and gives the blocks'
// memory up. The records are held already.
func compact(in *input, blocks [][]graph.Pair64) ([]graph.Edge, *graph.Labels, error) {
	o := graph.CompactOptions{Threads: in.o.threads()}
	if in.o.MemoryLimit > 0 {
		o.MemoryLimit = max(1, in.o.MemoryLimit-in.held.Load())
	}
	edges, labels, err := graph.Compact(in.ctx, blocks, o)
	if m := (*graph.MemoryError)(nil); errors.As(err, &m) {
		return nil, nil, in.hold(m.Need)
	}
	if errors.Is(err, graph.ErrTooManyVertices) {
		return nil, nil, &Error{Found: err.Error(), Want: fmt.Sprintf("at most %d vertices", uint64(graph.MaxVertices)), Err: ErrTooLarge}
	}
	return edges, labels, err
}
