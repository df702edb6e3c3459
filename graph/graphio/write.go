package graphio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"sync"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
)

// hold accounts for n bytes about to be allocated.
func (w *writer) hold(n int64) error {
	w.held += n
	if err := limitMemory("", w.held, w.o.MemoryLimit); err != nil {
		return err
	}
	return room(n)
}

// limitMemory refuses to hold more than the limit, 0 for none; about goes before the number of bytes needed.
func limitMemory(about string, need, limit int64) error {
	if limit <= 0 || need <= limit {
		return nil
	}
	return bad(ErrTooLarge, fmt.Sprintf("%s%d bytes of memory needed", about, need), fmt.Sprintf("no more than the limit of %d", limit), "raise the memory limit")
}

// room refuses n bytes more than the process may hold.
func room(n int64) error {
	if err := hugemem.Check(n); err != nil {
		return &Error{Err: fmt.Errorf("%w: %w", ErrTooLarge, err)}
	}
	return nil
}

// blockRecords is the number of records that are formatted at once.
const blockRecords = 1 << 15

// pieces is the number of blocks to ask a source for.
func (w *writer) pieces() int { return max(1, int(w.src.NumEdges()/blockRecords)) }

// each passes all records in their order.
func (w *writer) each(pass func(edges []graph.Edge, weights graph.Weights) error) error {
	n := w.pieces()
	for i := range w.src.Blocks(n) {
		err := w.ctx.Err()
		if err == nil {
			err = pass(w.src.Block(n, i, nil), w.src.BlockWeights(n, i))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// piece is what one goroutine formats: text, and the number of records in it.
type piece struct {
	text    []byte
	records int
	edges   []graph.Edge // memory to use again
}

// inOrder formats n pieces, on the option's threads, and writes them to out in their order.
func (w *writer) inOrder(out *bufio.Writer, n int, format func(i int, p *piece)) error {
	threads := w.o.threads()
	batch, errs := make([]piece, threads), make([]error, threads)
	for first := 0; first < n; first += threads {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		var wg sync.WaitGroup
		for t := range min(threads, n-first) {
			wg.Go(func() {
				errs[t] = Guard(w.path, func() error {
					batch[t].text = batch[t].text[:0]
					format(first+t, &batch[t])
					return nil
				})
			})
		}
		wg.Wait()
		for t := range min(threads, n-first) {
			if errs[t] != nil {
				return errs[t]
			}
			if _, err := out.Write(batch[t].text); err != nil {
				return err
			}
			w.done.add(int64(batch[t].records), w.report.Records)
		}
	}
	return nil
}

// blocks formats all records in their order and writes them to out.
func (w *writer) blocks(out *bufio.Writer, format func(dst []byte, edges []graph.Edge, weights graph.Weights) []byte) error {
	n := w.pieces()
	return w.inOrder(out, w.src.Blocks(n), func(i int, p *piece) {
		edges := w.src.Block(n, i, p.edges)
		if cap(edges) > cap(p.edges) {
			p.edges = nil // it may be the source's own memory: not to be written
		}
		var weights graph.Weights
		if w.kind != graph.Unweighted {
			weights = w.src.BlockWeights(n, i)
		}
		p.text, p.records = format(p.text, edges, weights), len(edges)
	})
}

// list writes head, and a line for each record: prefix, the ends as ids spells them, and the weight, sep between.
func (w *writer) list(head string, ids *graph.Labels, sep byte, prefix string) error {
	if _, err := w.out.WriteString(head); err != nil {
		return err
	}
	base, counted := ids.Base()
	names := ids.Names()
	plain := w.kind == graph.Unweighted && !w.unit && prefix == ""
	return w.blocks(w.out, func(dst []byte, edges []graph.Edge, weights graph.Weights) []byte {
		for k, e := range edges {
			if w.lower && e.U < e.V {
				e.U, e.V = e.V, e.U
			}
			u, v := base+uint64(e.U), base+uint64(e.V)
			if !counted {
				u, v = ids.Label(e.U), ids.Label(e.V)
			}
			if names != nil {
				dst = w.weight(w.name(append(w.name(append(dst, prefix...), names.At(u), sep), sep), names.At(v), sep), sep, weights, k)
				continue
			}
			if plain { // the hot loop of writing
				dst = append(strconv.AppendUint(dst, u, 10), sep)
				dst = append(strconv.AppendUint(dst, v, 10), '\n')
				continue
			}
			dst = w.line(append(dst, prefix...), sep, u, v, weights, k)
			if w.both && u != v {
				dst = w.line(append(dst, prefix...), sep, v, u, weights, k)
			}
		}
		return dst
	})
}

// line appends a record with weight k.
func (w *writer) line(dst []byte, sep byte, u, v uint64, weights graph.Weights, k int) []byte {
	dst = append(strconv.AppendUint(dst, u, 10), sep)
	return w.weight(strconv.AppendUint(dst, v, 10), sep, weights, k)
}

// weight ends a record with weight k, if there is one.
func (w *writer) weight(dst []byte, sep byte, weights graph.Weights, k int) []byte {
	if w.kind != graph.Unweighted {
		dst = appendWeight(append(dst, sep), weights, k)
	} else if w.unit {
		dst = append(dst, sep, '1')
	}
	return append(dst, '\n')
}

// name appends a name, in quotes (RFC 4180) where it would be read as something else.
func (w *writer) name(dst, name []byte, sep byte) []byte {
	if bytes.IndexByte(name, sep) < 0 && !bytes.ContainsAny(name, " \"#%,;|") {
		return append(dst, name...)
	}
	return append(append(append(dst, '"'), bytes.ReplaceAll(name, []byte(`"`), []byte(`""`))...), '"')
}

// from numbers the vertices from base on.
func (w *writer) from(base uint64) *graph.Labels {
	return graph.IdentityLabels(w.src.NumVertices(), base)
}

// ones writes weight 1 for each record of a graph without weights, and says so.
func (w *writer) ones(record string) {
	if w.unit = w.kind == graph.Unweighted; w.unit {
		w.report.Notes = append(w.report.Notes, "the graph has no weights: weight 1 written for each "+record)
	}
}

func isReal(k graph.WeightKind) bool { return k == graph.Float32 || k == graph.Float64 }

// appendWeight appends weight k, exactly, so that a reader takes it for the same sort of number: a real without a
// fraction keeps a point.
func appendWeight(dst []byte, weights graph.Weights, k int) []byte {
	if !isReal(weights.Kind()) {
		return weights.Append(dst, k)
	}
	n := len(dst)
	dst = strconv.AppendFloat(dst, weights.Float64(k), 'g', -1, 64)
	if !bytes.ContainsAny(dst[n:], ".e") {
		dst = append(dst, ".0"...)
	}
	return dst
}

// labelLoss names what happens to ids in a format that numbers vertices from base.
func (w *writer) labelLoss(base uint64) {
	labels := w.src.VertexLabels()
	n := uint64(labels.Len())
	if labels.Names() != nil {
		w.report.lossf("names: %s become %d..%d", spell(int64(n), "vertex", "vertices"), base, base+n-1)
		return
	}
	if b, ok := labels.Base(); n == 0 || ok && b == base {
		return
	}
	first, last := labels.Label(0), labels.Label(uint32(n-1))
	w.report.lossf("ids: %d vertices with ids between %d and %d become %d..%d", n, first, last, base, base+n-1)
}

// isolatedLoss names the vertices that no record names.
func (w *writer) isolatedLoss() error {
	n := w.src.NumVertices()
	if err := w.hold(int64(n) / 8); err != nil {
		return err
	}
	seen := make([]uint64, (n+63)/64)
	err := w.each(func(edges []graph.Edge, _ graph.Weights) error {
		for _, e := range edges {
			seen[e.U/64] |= 1 << (e.U % 64)
			seen[e.V/64] |= 1 << (e.V % 64)
		}
		return nil
	})
	isolated := int64(n)
	for _, word := range seen {
		isolated -= int64(bits.OnesCount64(word))
	}
	if err == nil && isolated > 0 {
		w.report.lossf("%s without edges", spell(isolated, "vertex", "vertices"))
	}
	w.held -= int64(n) / 8
	return err
}

// rows builds the rows of the graph, or takes them where the source has them.
func (w *writer) rows() (*graph.CSR, error) {
	if g, ok := w.src.(*graph.CSR); ok {
		return g, nil
	}
	g, err := graph.Build(w.ctx, w.src, graph.BuildOptions{Threads: w.o.threads(), MemoryLimit: w.o.MemoryLimit})
	if m := (*graph.MemoryError)(nil); errors.As(err, &m) {
		return nil, limitMemory("", m.Need, m.Limit)
	}
	return g, err
}

// rowBlocks formats runs of rows and writes them in their order.
func (w *writer) rowBlocks(g *graph.CSR, format func(dst []byte, v uint32) []byte) error {
	offsets, n := g.Offsets(), g.NumVertices()
	starts := []int{0} // of the runs
	for v := 1; v <= n; v++ {
		if from := starts[len(starts)-1]; v == n || v-from >= blockRecords || offsets[v]-offsets[from] >= blockRecords {
			starts = append(starts, v)
		}
	}
	arcs := 1 // a record
	if !g.IsDirected() {
		arcs = 2
	}
	return w.inOrder(w.out, len(starts)-1, func(i int, p *piece) {
		for v := starts[i]; v < starts[i+1]; v++ {
			p.text = format(p.text, uint32(v))
		}
		p.records = int(offsets[starts[i+1]]-offsets[starts[i]]) / arcs
	})
}

// vertexData checks SaveOptions.Vertex against the graph and the format.
func (w *writer) vertexData(format string) error {
	v, n := w.o.Vertex, w.src.NumVertices()
	if v == nil || len(v.Weights) == 0 && len(v.Sizes) == 0 {
		w.o.Vertex = nil
		return nil
	}
	if len(v.Weights) > 0 && len(v.Weights) != n*v.PerVertex || len(v.Sizes) > 0 && len(v.Sizes) != n {
		return fmt.Errorf("graphio: %w: %d vertex weights and %d sizes for %d vertices", ErrOptions, len(v.Weights), len(v.Sizes), n)
	}
	if format != "metis" && format != "native" {
		w.report.lossf("vertex weights and sizes")
	}
	return nil
}
