package graphio

import (
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

const gapSize = 17

// gapHeader is the beginning of a file.
type gapHeader struct {
	Directed uint8
	Arcs, N  int64
}

// half is the size of the out-arcs or in-arcs, whose targets take step bytes.
func (h *gapHeader) half(step int64) int64 { return 8*(h.N+1) + step*h.Arcs }

// size is that of the whole file.
func (h *gapHeader) size(step int64) int64 { return gapSize + (int64(h.Directed)+1)*h.half(step) }

// gapSide is a file's out-arcs or in-arcs.
type gapSide struct {
	offsets, targets []byte
	n, arcs, step    int64
}

func readGAP(in *input, f *File) (graph.Source, error)         { return readGAPAs(in, f, 4) }
func readGAPWeighted(in *input, f *File) (graph.Source, error) { return readGAPAs(in, f, 8) }

// readGAPAs reads a .sg or .wsg file, whose targets take step bytes.
func readGAPAs(in *input, f *File, step int64) (graph.Source, error) {
	data, err := in.all()
	if err != nil {
		return nil, err
	}
	var h gapHeader
	if _, err := binary.Decode(data, binary.LittleEndian, &h); err != nil {
		return nil, bad(ErrTruncated, fmt.Sprintf("%d bytes", len(data)), fmt.Sprintf("a header of %d", gapSize))
	}
	size := int64(len(data))
	switch {
	case h.Directed > 1:
		return nil, bad(ErrFormat, fmt.Sprintf("a first byte of %d", h.Directed), "0 (undirected) or 1 (directed)")
	case h.Arcs < 0 || h.N < 0 || h.N > math.MaxInt32:
		return nil, bad(ErrTooLarge, fmt.Sprintf("a header of %d arcs and %d vertices in a file of %d bytes", h.Arcs, h.N, size),
			fmt.Sprintf("counts from 0 on, at most %d vertices", math.MaxInt32))
	case h.Arcs > (math.MaxInt64/4-8*(h.N+1))/step:
		return nil, bad(ErrTooLarge, fmt.Sprintf("a header of %d arcs", h.Arcs), fmt.Sprintf("no more than a file of %d bytes can hold", size))
	}
	half := h.half(step)
	if want := h.size(step); size != want {
		e := bad(short(size, want), fmt.Sprintf("%d bytes", size),
			fmt.Sprintf("%d, as the header of %d arcs and %d vertices implies", want, h.Arcs, h.N))
		if step == 4 && size == h.size(8) {
			e.Hint.Text = "it fits a weighted graph: name it .wsg or its format"
		}
		return nil, e
	}
	side := func(at int64) *gapSide {
		return &gapSide{data[at : at+8*(h.N+1)], data[at+8*(h.N+1) : at+half], h.N, h.Arcs, step}
	}
	directed, out, edges := h.Directed == 1, side(gapSize), int64(0)
	least := h.Arcs // of records
	if !directed {
		least = (h.Arcs + 1) / 2
	}
	if err := in.expect(h.N, least, 8*least, directed); err != nil {
		return nil, err
	}
	if err := out.check("out"); err != nil {
		return nil, err
	}
	var sum mirror
	if directed {
		edges = h.Arcs
		back := side(gapSize + half)
		if err := back.check("in"); err != nil {
			return nil, err
		}
		out.each(func(u, v uint32, w int32) { sum.low.add(uint64(u), uint64(v), uint64(uint32(w))) })
		back.each(func(u, v uint32, w int32) { sum.high.add(uint64(v), uint64(u), uint64(uint32(w))) })
	} else {
		out.each(func(u, v uint32, w int32) {
			if u <= v {
				edges++
			}
			sum.add(uint64(u), uint64(v), uint64(uint32(w)))
		})
	}
	switch same := sum.low == sum.high; {
	case !same && directed:
		return nil, bad(ErrFormat, "in-arcs that are not the out-arcs turned round", "the same arcs in both halves")
	case !same:
		return nil, bad(ErrFormat, "an undirected graph with an edge that only one end lists", "every edge at both ends")
	}
	keep, kept := step == 8 && in.o.WeightColumn >= 0, int64(0)
	if keep {
		kept = edges
	}
	if err := in.hold(edges*8 + kept*4); err != nil {
		return nil, err
	}
	weights := make([]int32, 0, kept)
	list := &graph.EdgeList{Vertices: int(h.N), Directed: directed, Edges: make([]graph.Edge, 0, edges)}
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
	} else if step == 8 {
		f.Report.IgnoredColumns = edges
	}
	return list, nil
}

func (s *gapSide) offset(i int64) int64 { return int64(binary.LittleEndian.Uint64(s.offsets[8*i:])) }
func (s *gapSide) target(k int64) int32 {
	return int32(binary.LittleEndian.Uint32(s.targets[s.step*k:]))
}

// check tells whether offsets rise from 0 to the number of arcs and targets are vertices.
func (s *gapSide) check(which string) error {
	last := int64(0)
	for i := range s.n + 1 {
		o := s.offset(i)
		if o < last || o > s.arcs || i == 0 && o != 0 || i == s.n && o != s.arcs {
			return bad(ErrFormat, fmt.Sprintf("%s-offset %d of vertex %d", which, o, i), fmt.Sprintf("offsets that rise from 0 to %d", s.arcs))
		}
		last = o
	}
	for k := range s.arcs {
		if t := s.target(k); t < 0 || int64(t) >= s.n {
			return bad(ErrFormat, fmt.Sprintf("%s-neighbour %d at entry %d", which, t, k), fmt.Sprintf("0..%d", s.n-1))
		}
	}
	return nil
}

// each calls fn for every entry, row by row.
func (s *gapSide) each(fn func(u, v uint32, w int32)) {
	for i := range s.n {
		for k, end := s.offset(i), s.offset(i+1); k < end; k++ {
			w := int32(0)
			if s.step == 8 {
				w = int32(binary.LittleEndian.Uint32(s.targets[s.step*k+4:]))
			}
			fn(uint32(i), uint32(s.target(k)), w)
		}
	}
}

// looksLikeGAP tells by header and size whether the beginning is that of a GAP file.
func looksLikeGAP(head []byte, size int64) string {
	var h gapHeader
	_, err := binary.Decode(head, binary.LittleEndian, &h)
	if err != nil || h.Directed > 1 || h.Arcs < 0 || h.N < 0 || h.Arcs > size || h.N > size || h.Arcs == 0 && h.N == 0 {
		return ""
	}
	switch size {
	case h.size(4):
		return "gap"
	case h.size(8):
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
	if weighted {
		w.ones("edge")
	}
	g, err := w.rows()
	if err != nil {
		return err
	}
	if d, l := g.Duplicates(), g.SelfLoops(); d > 0 || l > 0 {
		w.report.Notes = append(w.report.Notes, fmt.Sprintf("%s and %s written: programs that read GAP files assume that there are none",
			plural(d, "duplicate edge"), plural(l, "self-loop")))
	}
	h, sides := gapHeader{0, g.NumArcs(), int64(g.NumVertices())}, []*graph.CSR{g}
	if g.IsDirected() {
		t, err := g.Transpose(w.ctx, w.o.threads())
		if err != nil {
			return err
		}
		h.Directed, sides = 1, append(sides, t)
	}
	w.labelLoss(0)
	if err := binary.Write(w.out, binary.LittleEndian, h); err != nil {
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
		offsets := side.Offsets()
		if _, err := w.out.Write(rawBytes(offsets)); err != nil {
			return err
		}
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
