package graphio

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"

	"github.com/totemgo/totemgo/graph"
)

// Graph500 tuple files, as the reference code 3.0 writes them (generator/graph_generator.h,
// packed_edge): 12 bytes an edge, little-endian: the low 32 bits of u, the low 32 bits
// of v, then one word with bits 32–47 of u in its low and of v in its high half. The
// 16-byte form is a pair of int64. The list is undirected. Weights lie in a file of
// their own, a float32 a tuple in the same order.

const packedIDs = 1 << 48

func tupleSize(o int) int {
	if o == 0 {
		return 12
	}
	return o
}

// readGraph500 reads a tuple file. The vertices are 0 … largest id, or the ids that
// occur once an id passes 32 bits or is out of proportion to the number of tuples.
func readGraph500(in *input, f *File) (graph.Source, error) {
	size := tupleSize(in.o.Tuple)
	if in.compression == "" && in.size >= 0 && in.size%int64(size) != 0 {
		return nil, raggedTuples(in.size, size)
	}
	f.Report.DirectionStated = true
	perBlock := blockSize / size * size
	var (
		narrow []graph.Edge
		wide   []graph.Pair64
		buf    []byte
		total  int64
		big    uint64
	)
	if in.m != nil {
		if err := in.hold(in.size / int64(size) * 8); err != nil {
			return nil, err
		}
		narrow = make([]graph.Edge, 0, in.size/int64(size))
	}
	for {
		data, err := in.bytesBlock(perBlock, buf)
		if err != nil {
			return nil, err
		}
		if len(data) == 0 {
			break
		}
		if in.m == nil {
			buf = data[:0]
		}
		total += int64(len(data))
		if len(data)%size != 0 {
			return nil, raggedTuples(total, size)
		}
		if in.m == nil {
			if err := in.hold(int64(len(data)) / int64(size) * 8); err != nil {
				return nil, err
			}
		}
		for i := 0; i < len(data); i += size {
			var u, v uint64
			if size == 12 {
				high := binary.LittleEndian.Uint32(data[i+8:])
				u = uint64(binary.LittleEndian.Uint32(data[i:])) | uint64(high&0xffff)<<32
				v = uint64(binary.LittleEndian.Uint32(data[i+4:])) | uint64(high>>16)<<32
			} else {
				u, v = binary.LittleEndian.Uint64(data[i:]), binary.LittleEndian.Uint64(data[i+8:])
				if int64(u) < 0 || int64(v) < 0 {
					bad := int64(u)
					if bad >= 0 {
						bad = int64(v)
					}
					return nil, &Error{Found: fmt.Sprintf("id %d in tuple %d", bad, (total-int64(len(data)-i))/int64(size)),
						Want: "ids from 0 on", Hint: Hint{Text: "the file may hold 12-byte tuples"}, Err: ErrFormat}
				}
			}
			big = max(big, u, v)
			if wide == nil && (u >= graph.MaxVertices || v >= graph.MaxVertices) {
				if err := in.hold(int64(cap(narrow)) * 16); err != nil {
					return nil, err
				}
				wide = make([]graph.Pair64, len(narrow), max(cap(narrow), 1))
				for k, e := range narrow {
					wide[k] = graph.Pair64{U: uint64(e.U), V: uint64(e.V)}
				}
				narrow = nil
			}
			if wide != nil {
				wide = append(wide, graph.Pair64{U: u, V: v})
			} else {
				narrow = append(narrow, graph.Edge{U: uint32(u), V: uint32(v)})
			}
		}
	}
	if wide != nil && size == 12 && total%48 == 0 && longTuples(wide) {
		return nil, &Error{Found: "ids beyond 32 bits wherever 16-byte tuples would have small ones", Want: "12-byte tuples", Hint: Hint{"read the file with tuples of 16 bytes (%s 16)", []Cure{CureTuple}}, Err: ErrFormat}
	}
	if wide == nil && len(narrow) > 0 && sparse(big+1, int64(len(narrow))) {
		if err := in.hold(int64(len(narrow)) * 16); err != nil {
			return nil, err
		}
		wide = make([]graph.Pair64, len(narrow))
		for k, e := range narrow {
			wide[k] = graph.Pair64{U: uint64(e.U), V: uint64(e.V)}
		}
		f.Report.warnf("ids up to %d in %s: the vertices are the ids that occur", big, plural(int64(len(narrow)), "tuple"))
		narrow = nil
	}
	list := &graph.EdgeList{Edges: narrow}
	if wide != nil {
		var err error
		if list.Edges, list.Labels, err = compact(in, [][]graph.Pair64{wide}); err != nil {
			return nil, err
		}
		list.Vertices = list.Labels.Len()
	} else if len(narrow) > 0 {
		list.Vertices = int(big) + 1
	}
	if len(list.Edges) == 0 {
		f.Report.warnf("the file holds no tuples: the graph is empty")
	}
	if in.o.WeightsPath != "" && in.o.WeightColumn >= 0 {
		weights, err := readTupleWeights(in.o.WeightsPath, len(list.Edges), in)
		if err != nil {
			return nil, err
		}
		list.Weights = weights
	}
	return list, nil
}

// longTuples tells whether 12-byte tuples are 16-byte ones read wrongly: in every group
// of four the words are zero that hold the upper halves of pairs of int64 below 2^32.
func longTuples(pairs []graph.Pair64) bool {
	word := func(k int) uint32 {
		p := pairs[k/3]
		switch k % 3 {
		case 0:
			return uint32(p.U)
		case 1:
			return uint32(p.V)
		}
		return uint32(p.U>>32) | uint32(p.V>>32)<<16
	}
	for k := 1; k < 3*len(pairs); k += 2 {
		if word(k) != 0 {
			return false
		}
	}
	return true
}

func raggedTuples(bytes int64, size int) error {
	other := 28 - size
	hint := ""
	if bytes%int64(other) == 0 {
		hint = fmt.Sprintf("it is a multiple of %d: read it with tuples of %d bytes", other, other)
	}
	return &Error{Found: fmt.Sprintf("%d bytes of tuples", bytes), Want: fmt.Sprintf("a multiple of %d", size), Hint: Hint{Text: hint}, Err: ErrTruncated}
}

// readTupleWeights reads n float32 weights.
func readTupleWeights(path string, n int, in *input) (graph.Weights, error) {
	wi, err := openInput(in.ctx, path, &Options{MemoryLimit: in.o.MemoryLimit})
	if err != nil {
		return graph.Weights{}, err
	}
	defer func() { _ = wi.shut() }() // nothing is written: a failed close loses nothing
	data, err := wi.all()
	if err != nil {
		return graph.Weights{}, wi.wrap(err)
	}
	if int64(len(data)) != int64(n)*4 {
		return graph.Weights{}, &Error{File: path, Found: fmt.Sprintf("%d bytes of weights", len(data)), Want: fmt.Sprintf("%d: 4 for each of %d tuples", int64(n)*4, n), Err: ErrFormat}
	}
	if err := in.hold(int64(n) * 4); err != nil {
		return graph.Weights{}, err
	}
	out := make([]float32, n)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		if x := float64(out[i]); math.IsNaN(x) || math.IsInf(x, 0) {
			return graph.Weights{}, &Error{File: path, Found: fmt.Sprintf("weight %v of tuple %d", x, i), Want: "a finite number", Err: ErrFormat}
		}
	}
	return graph.WeightsOf(out), nil
}

// writeGraph500 writes tuples, and weights where a file for them is named.
func writeGraph500(w *writer) error {
	if w.src.IsDirected() {
		return loss("arcs, and Graph500 tuples have no direction", "make it undirected (%s)", CureDirection)
	}
	if w.kind != graph.Unweighted && w.extra == nil {
		return loss("weights, which lie in a file of their own", "name a file for the weights (%s), or drop them (%s)", CureWeightsPath, CureDropWeights)
	}
	labels := w.src.VertexLabels()
	size, n := tupleSize(w.o.Tuple), labels.Len()
	if n > 0 {
		largest := labels.Label(uint32(n - 1))
		limit := uint64(packedIDs)
		if size == 16 {
			limit = 1 << 63
		}
		if largest >= limit {
			return loss(fmt.Sprintf("vertex %d, beyond the ids of %d-byte tuples", largest, size), "relabel the vertices (%s), or use 16-byte tuples (%s 16)", CureRelabel, CureTuple)
		}
		if largest >= graph.MaxVertices || sparse(largest+1, w.src.NumEdges()) {
			// A reader takes the ids that occur.
			if isolated, err := countIsolated(w); err != nil {
				return err
			} else if isolated > 0 {
				w.report.lossf("%s without edges", spell(isolated, "vertex", "vertices"))
			}
		} else if base, ok := labels.Base(); !ok || base > 0 {
			w.report.lossf("vertices: a reader takes %d, 0 to the largest id, instead of %d", largest+1, n)
		} else if int64(n) > 0 && !occurs(w.src, uint32(n-1)) {
			w.report.lossf("vertices without edges behind the largest id that occurs")
		}
	}
	err := w.recordBlocks(func(dst []byte, edges []graph.Edge, _ graph.Weights) []byte {
		for _, e := range edges {
			u, v := labels.Label(e.U), labels.Label(e.V)
			if size == 12 {
				dst = binary.LittleEndian.AppendUint32(dst, uint32(u))
				dst = binary.LittleEndian.AppendUint32(dst, uint32(v))
				dst = binary.LittleEndian.AppendUint32(dst, uint32(u>>32)|uint32(v>>32)<<16)
			} else {
				dst = binary.LittleEndian.AppendUint64(dst, u)
				dst = binary.LittleEndian.AppendUint64(dst, v)
			}
		}
		return dst
	}, w.out)
	if err != nil || w.extra == nil {
		return err
	}
	n = max(1, int(w.src.NumEdges()/blockRecords))
	for i := range w.src.Blocks(n) {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		weights, err := w.src.BlockWeights(n, i).Convert(graph.Float32)
		if err != nil {
			return &Error{File: w.o.WeightsPath, Found: "weights that float32 does not hold: " + err.Error(), Hint: Hint{"drop the weights (%s)", []Cure{CureDropWeights}}, Err: ErrLoss}
		}
		floats, err := graph.WeightsAs[float32](weights)
		if err != nil {
			return err
		}
		dst := make([]byte, 0, 4*len(floats))
		for _, x := range floats {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
		}
		if _, err := w.extra.Write(dst); err != nil {
			return err
		}
	}
	return nil
}

// occurs tells whether some record has the end v.
func occurs(src graph.Source, v uint32) bool {
	n := max(1, int(src.NumEdges()/blockRecords))
	for i := range src.Blocks(n) {
		for _, e := range src.Block(n, i, nil) {
			if e.U == v || e.V == v {
				return true
			}
		}
	}
	return false
}

// fileExists tells whether path names a file.
func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
