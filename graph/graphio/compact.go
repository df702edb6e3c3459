package graphio

import (
	"errors"
	"fmt"

	"github.com/totemgo/totemgo/graph"
)

// compact maps the ids that occur to dense ids, in rising order, and gives the blocks'
// memory up.
func compact(in *input, blocks [][]graph.Pair64) ([]graph.Edge, *graph.Labels, error) {
	edges, labels, err := graph.Compact(in.ctx, blocks, in.o.threads())
	if errors.Is(err, graph.ErrTooManyVertices) {
		return nil, nil, &Error{Found: err.Error(), Want: fmt.Sprintf("at most %d vertices", uint64(graph.MaxVertices)), Err: ErrTooLarge}
	}
	return edges, labels, err
}
