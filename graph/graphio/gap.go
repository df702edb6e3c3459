package graphio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/totemgo/totemgo/graph"
)

// GAP serialized graphs, after gapbs src/writer.h and src/reader.h, little-endian and
// unaligned:
//
//	byte 0        1 if directed
//	bytes 1–8     int64, arcs (an undirected edge is two)
//	bytes 9–16    int64, vertices n
//	(n+1) int64   offsets of the out-arcs
//	arcs × int32  targets; in .wsg pairs of int32, target and weight
//	              directed: the same two parts again for the in-arcs
//
// An undirected self-loop stands once in its row.

const gapHeader = 17

type gapSide struct {
	offsets, targets []byte
	n, arcs          int64
	step             int64
}

func (s *gapSide) offset(i int64) int64 {
	return int64(binary.LittleEndian.Uint64(s.offsets[8*i:]))
}
func (s *gapSide) target(k int64) int32 {
	return int32(binary.LittleEndian.Uint32(s.targets[s.step*k:]))
}
func (s *gapSide) weight(k int64) int32 {
	return int32(binary.LittleEndian.Uint32(s.targets[s.step*k+4:]))
}

func readGAP(in *input, f *File) (graph.Source, error)         { return readGAPAs(in, f, false) }
func readGAPWeighted(in *input, f *File) (graph.Source, error) { return readGAPAs(in, f, true) }

// readGAPAs reads a .sg or .wsg file.
func readGAPAs(in *input, f *File, weighted bool) (graph.Source, error) {
	data, err := in.all()
	if err != nil {
		return nil, err
	}
	if len(data) < gapHeader {
		return nil, &Error{Found: fmt.Sprintf("%d bytes", len(data)), Want: fmt.Sprintf("a header of %d", gapHeader), Err: ErrTruncated}
	}
	arcs, n := int64(binary.LittleEndian.Uint64(data[1:])), int64(binary.LittleEndian.Uint64(data[9:]))
	directed := data[0] == 1
	if data[0] > 1 {
		return nil, &Error{Found: fmt.Sprintf("a first byte of %d", data[0]), Want: "0 (undirected) or 1 (directed)", Err: ErrFormat}
	}
	if arcs < 0 || n < 0 || n > math.MaxInt32 {
		return nil, &Error{Found: fmt.Sprintf("a header of %d arcs and %d vertices", arcs, n), Want: fmt.Sprintf("counts from 0 on, at most %d vertices", math.MaxInt32), Err: ErrTooLarge}
	}
	step := int64(4)
	if weighted {
		step = 8
	}
	if arcs > (math.MaxInt64/4-8*(n+1))/step {
		return nil, &Error{Found: fmt.Sprintf("a header of %d arcs", arcs), Want: fmt.Sprintf("no more than a file of %d bytes can hold", len(data)), Err: ErrTooLarge}
	}
	half := 8*(n+1) + step*arcs
	want := gapHeader + half
	if directed {
		want += half
	}
	if int64(len(data)) != want {
		e := &Error{Found: fmt.Sprintf("%d bytes", len(data)), Want: fmt.Sprintf("%d, as the header of %d arcs and %d vertices implies", want, arcs, n), Err: ErrFormat}
		if int64(len(data)) < want {
			e.Err = ErrTruncated
		}
		if other := want + 4*arcs*(want-gapHeader)/half; !weighted && other == int64(len(data)) {
			e.Hint.Text = "it fits a weighted graph: name it .wsg or its format"
		}
		return nil, e
	}
	f.Report.DirectionStated = true
	side := func(at int64) *gapSide {
		return &gapSide{data[at : at+8*(n+1)], data[at+8*(n+1) : at+half], n, arcs, step}
	}
	out := side(gapHeader)
	keep := weighted && in.o.WeightColumn >= 0
	if err := out.check("out"); err != nil {
		return nil, err
	}
	edges := arcs
	var low, high [2]uint64
	if directed {
		back := side(gapHeader + half)
		if err := back.check("in"); err != nil {
			return nil, err
		}
		out.each(func(u, v uint32, w int32) { hashEdge(&low, u, v, w) })
		back.each(func(u, v uint32, w int32) { hashEdge(&high, v, u, w) })
		if low != high {
			return nil, &Error{Found: "in-arcs that are not the out-arcs turned round", Want: "the same arcs in both halves", Err: ErrFormat}
		}
	} else {
		edges = 0
		out.each(func(u, v uint32, w int32) {
			switch {
			case u < v:
				edges++
				hashEdge(&low, u, v, w)
			case u > v:
				hashEdge(&high, v, u, w)
			default:
				edges++
			}
		})
		if low != high {
			return nil, &Error{Found: "an undirected graph with an edge that only one end lists", Want: "every edge at both ends", Err: ErrFormat}
		}
	}
	if err := in.ctx.Err(); err != nil {
		return nil, err
	}
	size := edges * 8
	if keep {
		size += edges * 4
	}
	if err := in.hold(size); err != nil {
		return nil, err
	}
	list := &graph.EdgeList{Vertices: int(n), Directed: directed, Edges: make([]graph.Edge, 0, edges)}
	var weights []int32
	if keep {
		weights = make([]int32, 0, edges)
	}
	out.each(func(u, v uint32, w int32) {
		if !directed && u > v {
			return
		}
		list.Edges = append(list.Edges, graph.Edge{U: u, V: v})
		if keep {
			weights = append(weights, w)
		}
	})
	if keep {
		list.Weights = graph.WeightsOf(weights)
	} else if weighted {
		f.Report.IgnoredColumns = edges
	}
	return list, nil
}

func hashEdge(sum *[2]uint64, u, v uint32, w int32) {
	sum[0] += mix(0, uint64(u), uint64(v), uint64(uint32(w)))
	sum[1] += mix(mixKey, uint64(u), uint64(v), uint64(uint32(w)))
}

// check tells whether offsets rise from 0 to the number of arcs and targets are
// vertices.
func (s *gapSide) check(which string) error {
	last := int64(0)
	for i := int64(0); i <= s.n; i++ {
		o := s.offset(i)
		if o < last || o > s.arcs || i == 0 && o != 0 || i == s.n && o != s.arcs {
			return &Error{Found: fmt.Sprintf("%s-offset %d of vertex %d", which, o, i), Want: fmt.Sprintf("offsets that rise from 0 to %d", s.arcs), Err: ErrFormat}
		}
		last = o
	}
	for k := int64(0); k < s.arcs; k++ {
		if t := s.target(k); t < 0 || int64(t) >= s.n {
			return &Error{Found: fmt.Sprintf("%s-neighbour %d at entry %d", which, t, k), Want: fmt.Sprintf("0..%d", s.n-1), Err: ErrFormat}
		}
	}
	return nil
}

// each calls fn for every entry, row by row.
func (s *gapSide) each(fn func(u, v uint32, w int32)) {
	for i := int64(0); i < s.n; i++ {
		for k, end := s.offset(i), s.offset(i+1); k < end; k++ {
			w := int32(0)
			if s.step == 8 {
				w = s.weight(k)
			}
			fn(uint32(i), uint32(s.target(k)), w)
		}
	}
}

// looksLikeGAP tells by header and size whether the beginning is that of a GAP file.
func looksLikeGAP(head []byte, size int64) string {
	if len(head) < gapHeader || head[0] > 1 || size < gapHeader {
		return ""
	}
	arcs, n := int64(binary.LittleEndian.Uint64(head[1:])), int64(binary.LittleEndian.Uint64(head[9:]))
	if arcs < 0 || n < 0 || arcs > size || n > size || bytes.Equal(head[1:gapHeader], make([]byte, 16)) {
		return ""
	}
	sides := int64(head[0]) + 1
	switch size - gapHeader {
	case sides * (8*(n+1) + 4*arcs):
		return "gap"
	case sides * (8*(n+1) + 8*arcs):
		return "gap-weighted"
	}
	return ""
}

func writeGAP(w *writer) error         { return writeGAPAs(w, false) }
func writeGAPWeighted(w *writer) error { return writeGAPAs(w, true) }

// writeGAPAs writes a .sg or .wsg file; the rows rise.
func writeGAPAs(w *writer, weighted bool) error {
	if w.src.NumVertices() > math.MaxInt32 {
		return loss(fmt.Sprintf("%d vertices, and GAP files hold %d", w.src.NumVertices(), math.MaxInt32), "")
	}
	if !weighted && w.kind != graph.Unweighted {
		return loss("weights, and a .sg file has none", "name it .wsg, or drop the weights (%s)", CureDropWeights)
	}
	if weighted && w.kind == graph.Unweighted {
		w.report.Notes = append(w.report.Notes, "the graph has no weights: weight 1 written for each edge")
	}
	g, err := w.rows()
	if err != nil {
		return err
	}
	sides := []*graph.CSR{g}
	if g.IsDirected() {
		t, err := g.Transpose(w.ctx, w.o.threads())
		if err != nil {
			return err
		}
		sides = append(sides, t)
	}
	w.labelLoss(0)
	var head [gapHeader]byte
	if g.IsDirected() {
		head[0] = 1
	}
	binary.LittleEndian.PutUint64(head[1:], uint64(g.NumArcs()))
	binary.LittleEndian.PutUint64(head[9:], uint64(g.NumVertices()))
	if _, err := w.out.Write(head[:]); err != nil {
		return err
	}
	for _, side := range sides {
		var weights []int32
		if w.kind != graph.Unweighted {
			narrow, err := side.Weights().Convert(graph.Int32)
			if err != nil {
				return loss("weights that int32 does not hold: "+err.Error(), "drop the weights (%s)", CureDropWeights)
			}
			if weights, err = graph.WeightsAs[int32](narrow); err != nil {
				return err
			}
		}
		var buf [8]byte
		for _, o := range side.Offsets() {
			binary.LittleEndian.PutUint64(buf[:], o)
			if _, err := w.out.Write(buf[:]); err != nil {
				return err
			}
		}
		offsets := side.Offsets()
		err := w.rowBlocks(side, func(dst []byte, v uint32) []byte {
			for k, t := range side.Row(v) {
				dst = binary.LittleEndian.AppendUint32(dst, t)
				if weights != nil {
					dst = binary.LittleEndian.AppendUint32(dst, uint32(weights[offsets[v]+uint64(k)]))
				} else if weighted {
					dst = binary.LittleEndian.AppendUint32(dst, 1)
				}
			}
			return dst
		})
		if err != nil {
			return err
		}
	}
	return nil
}
