package graphio

import (
	"fmt"
	"math"

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
func (b *idBlock) line(k int64) int64 { return recordLine(b.first, b.skipped, k) }

// recordLine is the number of the line of record k in a block that starts after line
// first and has no record on the lines skipped.
func recordLine(first int64, skipped []int32, k int64) int64 {
	at := k
	for _, s := range skipped {
		if int64(s) > at {
			break
		}
		at++
	}
	return first + at + 1
}

// parseRanged parses an edge list whose ids lie in base … base+n−1.
func parseRanged(in *input, shape *listShape, base, n uint64, format string) ([]*idBlock, error) {
	return parseBlocks(in, 0, func(b block, out *idBlock) error {
		var list edgeBlock
		faulty := shape.parse(in, b, &list)
		out.first, out.skipped, out.ignored, out.weights = list.first, list.skipped, list.ignored, list.weights
		if err := in.hold(int64(len(list.pairs)) * 8); err != nil {
			return err
		}
		out.edges = make([]graph.Edge, len(list.pairs))
		for i, p := range list.pairs {
			u, v := p.U-base, p.V-base
			if u >= n || v >= n {
				bad := p.U
				if u < n {
					bad = p.V
				}
				return outside(list.line(i), bad, base, n, format)
			}
			out.edges[i] = graph.Edge{U: uint32(u), V: uint32(v)}
		}
		return faulty
	})
}

// outside names an id outside base … base+n−1.
func outside(line int64, id, base, n uint64, format string) *Error {
	hint := ""
	if id < base {
		hint = fmt.Sprintf("%s counts from %d", format, base)
	}
	want := fmt.Sprintf("%d..%d", base, base+n-1)
	if n == 0 {
		want = "none in a graph without vertices"
	}
	return fault(line, 0, ErrFormat, fmt.Sprintf("vertex %d", id), want, hint)
}

// A file may declare freeVertices whatever it holds, and more if it has a record for
// every verticesPerRecord of them: each vertex costs memory.
const (
	freeVertices      = 1 << 22
	verticesPerRecord = 16
)

// sparse tells whether n vertices are out of proportion to a number of records.
func sparse(n uint64, records int64) bool {
	return n > freeVertices && n/verticesPerRecord > uint64(records)
}

// proportionate refuses to take memory for n vertices, declared on a line, that hardly
// any of the records can name.
func proportionate(in *input, f *File, n uint64, records, line int64) error {
	if !sparse(n, records) {
		return nil
	}
	if !in.o.Lenient {
		return fault(line, 0, ErrTooLarge, fmt.Sprintf("%d vertices declared for %s", n, plural(records, "record")),
			fmt.Sprintf("at most %d, or %d a record", freeVertices, verticesPerRecord), "the lenient option reads it")
	}
	f.Report.Tolerated++
	f.Report.warnf("%d vertices declared on line %d for %s", n, line, plural(records, "record"))
	return nil
}

// declared compares the number of records with the declared one, and the number of
// vertices with both. line is where the declaration stands.
func declared(in *input, f *File, blocks []*idBlock, n, want uint64, line int64, one, many string) error {
	found := uint64(0)
	for _, b := range blocks {
		if k := uint64(len(b.edges)); found <= want && found+k > want && !in.o.Lenient {
			return fault(b.line(int64(want-found)), 0, ErrFormat, "one "+one+" more than declared",
				fmt.Sprintf("%s, as line %d says", spell(int64(want), one, many), line), "")
		}
		found += uint64(len(b.edges))
	}
	if found == want {
		return proportionate(in, f, n, int64(found), line)
	}
	if !in.o.Lenient {
		return &Error{Found: spell(int64(found), one, many), Want: fmt.Sprintf("%d, as line %d says", want, line), Err: ErrTruncated}
	}
	f.Report.Tolerated++
	f.Report.warnf("%d %s declared on line %d, %d found", want, many, line, found)
	return proportionate(in, f, n, int64(found), line)
}

// checkDeclared refuses counts that no graph has.
func checkDeclared(line int64, n, m uint64, what string) error {
	if n > graph.MaxVertices {
		return fault(line, 0, ErrTooLarge, fmt.Sprintf("%d vertices", n), fmt.Sprintf("at most %d", uint64(graph.MaxVertices)))
	}
	if m > math.MaxInt64/16 {
		return fault(line, 0, ErrTooLarge, fmt.Sprintf("%d %s declared for %d vertices", m, what, n), "no more than a file can hold")
	}
	return nil
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

// joinList fills the list with the records of all blocks.
func joinList(in *input, f *File, list *graph.EdgeList, blocks []*idBlock, weighted bool) error {
	for _, b := range blocks {
		f.Report.IgnoredColumns += b.ignored
	}
	var err error
	if weighted {
		if list.Weights, err = joinIDWeights(in, blocks); err != nil {
			return err
		}
	}
	list.Edges, err = joinEdges(in, blocks)
	return err
}

// weightBits tells weights apart that are not equal as float64.
func weightBits(w graph.Weights, i int) uint64 { return math.Float64bits(w.Float64(i)) }
