package graphio

import (
	"github.com/totemgo/totemgo/graph"
)

// idBlock is what one block of a format with declared vertices holds: edges of dense
// ids, and where its lines without a record are, so that a record's line is known.
type idBlock struct {
	edges   []graph.Edge
	weights weightBuf
	first   int64
	skipped []int32 // lines of the block, from 0, that hold no record
	ignored int64
}

// line is the number of the line that holds record k of the block.
func (b *idBlock) line(k int64) int64 {
	at := k
	for _, s := range b.skipped {
		if int64(s) > at {
			break
		}
		at++
	}
	return b.first + at + 1
}

// joinEdges makes one slice of the edges of all blocks and gives the blocks' memory up.
func joinEdges(in *input, blocks []*idBlock) ([]graph.Edge, error) {
	n := 0
	for _, b := range blocks {
		n += len(b.edges)
	}
	if len(blocks) == 1 {
		return blocks[0].edges, nil
	}
	if err := in.hold(int64(n) * 8); err != nil {
		return nil, err
	}
	edges := make([]graph.Edge, 0, n)
	for _, b := range blocks {
		if err := in.ctx.Err(); err != nil {
			return nil, err
		}
		edges = append(edges, b.edges...)
		b.edges = nil
	}
	return edges, nil
}

// joinIDWeights makes one slice of the weights of all blocks.
func joinIDWeights(in *input, blocks []*idBlock) (graph.Weights, error) {
	bufs := make([]*weightBuf, len(blocks))
	n := 0
	for i, b := range blocks {
		bufs[i] = &b.weights
		n += b.weights.len()
	}
	if err := in.hold(int64(n) * 8); err != nil {
		return graph.Weights{}, err
	}
	return joinWeights(bufs), nil
}
