package graphio

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/totemgo/totemgo/graph"
)

// Graph500 tuple files, as the reference code 3.0 writes them (generator/graph_generator.h,
// packed_edge): 12 bytes an edge, little-endian: the low 32 bits of u, the low 32 bits
// of v, then one word with bits 32–47 of u in its low and of v in its high half. The
// 16-byte form is a pair of int64. The list is undirected. Weights lie in a file of
// their own, a float32 a tuple in the same order.

const packedIDs = 1 << 48

// tuple reads the ends of the tuple at the beginning of b.
func tuple(b []byte, size int) (u, v uint64) {
	if size == 16 {
		return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	}
	high := binary.LittleEndian.Uint32(b[8:])
	return uint64(binary.LittleEndian.Uint32(b)) | uint64(high&0xffff)<<32, uint64(binary.LittleEndian.Uint32(b[4:])) | uint64(high>>16)<<32
}

// widen makes pairs of edges, with room for as many.
func (in *input) widen(narrow []graph.Edge) ([]graph.Pair64, error) {
	if err := in.hold(int64(cap(narrow)) * 16); err != nil {
		return nil, err
	}
	wide := make([]graph.Pair64, len(narrow), max(cap(narrow), 1))
	for k, e := range narrow {
		wide[k] = graph.Pair64{U: uint64(e.U), V: uint64(e.V)}
	}
	return wide, nil
}

// readGraph500 reads a tuple file. The vertices are 0 … largest id, or the ids that occur once an id passes 32 bits or is
// out of proportion to the number of tuples.
func readGraph500(in *input, f *File) (graph.Source, error) {
	size := cmp.Or(in.o.Tuple, 12)
	if in.compression == "" && in.size >= 0 && in.size%int64(size) != 0 {
		return nil, raggedTuples(in.size, size)
	}
	var (
		narrow []graph.Edge   // while all ids fit
		wide   []graph.Pair64 // else
		buf    []byte
		total  int64
		big    uint64
		err    error
	)
	if in.m != nil {
		n := in.size / int64(size)
		if err := in.expect(0, n, 0, false); err != nil {
			return nil, err
		}
		if err := in.hold(n * 8); err != nil {
			return nil, err
		}
		narrow = make([]graph.Edge, 0, in.size/int64(size))
	}
	for {
		data, err := in.bytesBlock(blockSize/size*size, buf)
		if err != nil {
			return nil, err
		}
		if len(data) == 0 {
			break
		}
		total += int64(len(data))
		if len(data)%size != 0 {
			return nil, raggedTuples(total, size)
		}
		if in.m == nil {
			buf = data[:0]
			if err := in.hold(int64(len(data)) / int64(size) * 8); err != nil {
				return nil, err
			}
		}
		for i := 0; i < len(data); i += size {
			u, v := tuple(data[i:i+size], size)
			if size == 16 && int64(u|v) < 0 {
				return nil, bad(ErrFormat, fmt.Sprintf("id %d in tuple %d", min(int64(u), int64(v)), (total-int64(len(data)-i))/int64(size)),
					"ids from 0 on", "the file may hold 12-byte tuples")
			}
			big = max(big, u, v)
			if wide == nil && max(u, v) >= graph.MaxVertices {
				if wide, err = in.widen(narrow); err != nil {
					return nil, err
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
	if e := otherTuples(wide); e != nil && in.o.Tuple == 0 {
		return nil, e
	}
	if v := uint64(in.o.Vertices); in.o.Vertices > 0 && len(narrow)+len(wide) > 0 && big >= v {
		return nil, bad(ErrFormat, fmt.Sprintf("id %d", big), fmt.Sprintf("0..%d, as the option says", v-1))
	}
	if wide == nil && len(narrow) > 0 && in.o.Vertices == 0 && sparse(big+1, int64(len(narrow))) {
		f.Report.warnf("ids up to %d in %s: the vertices are the ids that occur", big, plural(int64(len(narrow)), "tuple"))
		if wide, err = in.widen(narrow); err != nil {
			return nil, err
		}
	}
	list := &graph.EdgeList{Edges: narrow}
	if wide != nil {
		narrow, list.Edges = nil, nil
		if list.Edges, list.Labels, err = in.compact([][]graph.Pair64{wide}); err != nil {
			return nil, err
		}
		list.Vertices = list.Labels.Len()
	} else if len(narrow) > 0 {
		list.Vertices = int(max(big+1, uint64(max(in.o.Vertices, 0))))
	}
	if len(list.Edges) == 0 {
		f.Report.warnf("the file holds no tuples: the graph is empty")
	}
	if in.o.WeightsPath != "" && in.o.WeightColumn >= 0 {
		list.Weights, err = readTupleWeights(in.o.WeightsPath, len(list.Edges), in)
	}
	return list, err
}

// otherTuples tells whether 12-byte tuples with ids beyond 32 bits are others read wrongly: pairs of int64 below 2^32, or −1,
// if the words are 0 that hold their upper halves, or pairs of int32, if all words are small.
func otherTuples(wide []graph.Pair64) *Error {
	if len(wide) == 0 {
		return nil
	}
	long, largest := len(wide)%4 == 0, uint32(0)
	for k, p := range wide {
		for i, word := range [3]uint32{uint32(p.U), uint32(p.V), uint32(p.U>>32) | uint32(p.V>>32)<<16} {
			largest = max(largest, word)
			long = long && ((3*k+i)%2 == 0 || word == 0 || word == math.MaxUint32)
		}
	}
	switch {
	case long:
		return bad(ErrFormat, "ids beyond 32 bits wherever 16-byte tuples would have small ones", "12-byte tuples").
			advise("read the file with tuples of 16 bytes (%s 16)", CureTuple)
	case len(wide)%2 == 0 && !sparse(uint64(largest), int64(len(wide))*3/2):
		return bad(ErrFormat, "ids beyond 32 bits wherever 8-byte tuples would have small ones", "12-byte tuples").
			advise("write pairs of 64 bits (%s 16), or say that the tuples have 12 bytes (%s 12)", CureTuple, CureTuple)
	}
	return nil
}

func raggedTuples(bytes int64, size int) error {
	hint := ""
	if other := 28 - size; bytes%int64(other) == 0 {
		hint = fmt.Sprintf("it is a multiple of %d: read it with tuples of %d bytes", other, other)
	}
	return bad(ErrTruncated, fmt.Sprintf("%d bytes of tuples", bytes), fmt.Sprintf("a multiple of %d", size), hint)
}

// readTupleWeights reads n float32 weights.
func readTupleWeights(path string, n int, in *input) (weights graph.Weights, err error) {
	wi, err := openInput(in.ctx, path, &Options{MemoryLimit: in.o.MemoryLimit, Stdin: in.o.Stdin})
	if err != nil {
		return weights, err
	}
	defer func() { _ = wi.shut() }() // nothing is written: a failed close loses nothing
	data, err := wi.all()
	if err == nil && int64(len(data)) != int64(n)*4 {
		err = bad(ErrFormat, fmt.Sprintf("%d bytes of weights", len(data)), fmt.Sprintf("%d: 4 for each of %d tuples", int64(n)*4, n))
	}
	if err == nil {
		err = in.hold(int64(n) * 4)
	}
	if err != nil {
		return weights, wi.wrap(err)
	}
	out := make([]float32, n)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		if x := float64(out[i]); math.IsNaN(x) || math.IsInf(x, 0) {
			return weights, wi.wrap(bad(ErrFormat, fmt.Sprintf("weight %v of tuple %d", x, i), "a finite number"))
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
	labels, size := w.src.VertexLabels(), cmp.Or(w.o.Tuple, 12)
	if labels.Names() != nil {
		w.labelLoss(0)
	}
	if err := tupleLosses(w, labels, size); err != nil {
		return err
	}
	err := w.blocks(w.out, func(dst []byte, edges []graph.Edge, _ graph.Weights) []byte {
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
	})
	if err != nil || w.extra == nil {
		return err
	}
	return w.each(func(_ []graph.Edge, weights graph.Weights) error {
		weights, err := weights.Convert(graph.Float32)
		if err != nil {
			e := loss("weights that float32 does not hold: "+err.Error(), "drop the weights (%s)", CureDropWeights)
			e.File = w.o.WeightsPath
			return e
		}
		_, err = w.extra.Write(rawWeights(weights))
		return err
	})
}

// tupleLosses refuses ids that tuples cannot hold, and names the vertices that a reader does not find.
func tupleLosses(w *writer, labels *graph.Labels, size int) error {
	n := labels.Len()
	if n == 0 {
		return nil
	}
	largest, limit := labels.Label(uint32(n-1)), uint64(packedIDs)
	if size == 16 {
		limit = 1 << 63
	}
	if largest >= limit {
		return loss(fmt.Sprintf("vertex %d, beyond the ids of %d-byte tuples", largest, size),
			"relabel the vertices (%s), or use 16-byte tuples (%s 16)", CureRelabel, CureTuple)
	}
	if largest >= graph.MaxVertices || sparse(largest+1, w.src.NumEdges()) {
		return w.isolatedLoss() // a reader takes the ids that occur
	}
	if base, ok := labels.Base(); !ok || base > 0 {
		w.report.lossf("vertices: a reader takes %d, 0 to the largest id, instead of %d", largest+1, n)
		return nil
	}
	last := false
	err := w.each(func(edges []graph.Edge, _ graph.Weights) error {
		for _, e := range edges {
			last = last || e.U == uint32(n-1) || e.V == uint32(n-1)
		}
		return nil
	})
	if err == nil && !last {
		w.report.lossf("vertices without edges behind the largest id that occurs")
	}
	return err
}
