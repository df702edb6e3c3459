package graphio

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"unsafe"

	"github.com/totemgo/totemgo/graph"
)

// tgrVersion is the version of the native format that is written, and the highest that
// is read.
//
//	1  first version
const tgrVersion = 1

const (
	tgrMagic  = "\x89TGR\r\n\x1a\n"
	tgrHeader = 128
	tgrAlign  = 64

	tgrDirected      = 1 << 0
	tgrTable         = 1 << 1
	tgrVertexWeights = 1 << 2
	tgrVertexSizes   = 1 << 3
	tgrFlags         = 1<<4 - 1
)

// tgrLayout is the header of a native file and where its sections lie.
type tgrLayout struct {
	flags                   uint32
	n, records, arcs, loops uint64
	kind                    graph.WeightKind
	perVertex               uint32
	base                    uint64
	checksum                uint32

	offsets, targets, weights, labels, vertexWeights, vertexSizes, size uint64
}

// place computes where the sections lie. It fails where a size exceeds 64 bits.
func (l *tgrLayout) place() error {
	at, overflow := uint64(tgrHeader), false
	section := func(count, size uint64) uint64 {
		start := (at + tgrAlign - 1) &^ (tgrAlign - 1)
		if size > 0 && count > (math.MaxInt64-start)/size {
			overflow = true
			return 0
		}
		at = start + count*size
		return start
	}
	l.offsets = section(l.n+1, 8)
	l.targets = section(l.arcs, 4)
	if l.kind != graph.Unweighted {
		l.weights = section(l.arcs, uint64(l.kind.Size()))
	}
	if l.flags&tgrTable != 0 {
		l.labels = section(l.n, 8)
	}
	if l.flags&tgrVertexWeights != 0 {
		l.vertexWeights = section(l.n, 8*uint64(l.perVertex))
	}
	if l.flags&tgrVertexSizes != 0 {
		l.vertexSizes = section(l.n, 8)
	}
	l.size = at
	if overflow {
		return &Error{Found: fmt.Sprintf("a header of %d vertices and %d arcs", l.n, l.arcs), Want: "a size within 63 bits", Err: ErrTooLarge}
	}
	return nil
}

// encode makes the header.
func (l *tgrLayout) encode() []byte {
	h := make([]byte, tgrHeader)
	le := binary.LittleEndian
	copy(h, tgrMagic)
	le.PutUint32(h[8:], tgrVersion)
	le.PutUint32(h[12:], l.flags)
	le.PutUint64(h[16:], l.n)
	le.PutUint64(h[24:], l.records)
	le.PutUint64(h[32:], l.arcs)
	le.PutUint64(h[40:], l.loops)
	le.PutUint32(h[48:], uint32(l.kind))
	le.PutUint32(h[52:], l.perVertex)
	le.PutUint64(h[56:], l.base)
	le.PutUint64(h[64:], l.size)
	le.PutUint32(h[120:], l.checksum)
	le.PutUint32(h[124:], crc32.Checksum(h[:124], castagnoli()))
	return h
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// decodeTGR checks a header against itself and the size of the data.
func decodeTGR(data []byte) (*tgrLayout, error) {
	if len(data) < tgrHeader {
		return nil, &Error{Found: fmt.Sprintf("%d bytes", len(data)), Want: fmt.Sprintf("a header of %d", tgrHeader), Err: ErrTruncated}
	}
	le := binary.LittleEndian
	if string(data[:8]) != tgrMagic {
		return nil, &Error{Found: fmt.Sprintf("first bytes %q", data[:8]), Want: fmt.Sprintf("%q", tgrMagic), Hint: Hint{Text: "the file is no native graph, or was transferred as text"}, Err: ErrFormat}
	}
	if v := le.Uint32(data[8:]); v == 0 || v > tgrVersion {
		return nil, &Error{Found: fmt.Sprintf("version %d", v), Want: fmt.Sprintf("at most %d", tgrVersion), Hint: Hint{Text: "read it with a newer program"}, Err: ErrUnsupported}
	}
	if have, want := crc32.Checksum(data[:124], castagnoli()), le.Uint32(data[124:]); have != want {
		return nil, &Error{Found: fmt.Sprintf("header checksum %08x", have), Want: fmt.Sprintf("%08x", want), Err: ErrChecksum}
	}
	l := &tgrLayout{flags: le.Uint32(data[12:]), n: le.Uint64(data[16:]), records: le.Uint64(data[24:]), arcs: le.Uint64(data[32:]),
		loops: le.Uint64(data[40:]), kind: graph.WeightKind(min(le.Uint32(data[48:]), 255)), perVertex: le.Uint32(data[52:]), base: le.Uint64(data[56:]),
		checksum: le.Uint32(data[120:])}
	switch {
	case l.flags&^tgrFlags != 0:
		return nil, &Error{Found: fmt.Sprintf("flags %#x", l.flags), Want: "those of version 1", Err: ErrUnsupported}
	case l.kind > graph.Float64:
		return nil, &Error{Found: fmt.Sprintf("weights of kind %d", uint8(l.kind)), Want: "0 to 4", Err: ErrFormat}
	case l.n > graph.MaxVertices:
		return nil, &Error{Found: fmt.Sprintf("%d vertices", l.n), Want: fmt.Sprintf("at most %d", uint64(graph.MaxVertices)), Err: ErrTooLarge}
	case l.flags&tgrVertexWeights == 0 != (l.perVertex == 0), l.perVertex > 1<<16:
		return nil, &Error{Found: fmt.Sprintf("%d weights a vertex and flags %#x", l.perVertex, l.flags), Want: "both or none", Err: ErrFormat}
	}
	if err := l.place(); err != nil {
		return nil, err
	}
	if stated := le.Uint64(data[64:]); stated != l.size {
		return nil, &Error{Found: fmt.Sprintf("a stated size of %d bytes", stated), Want: fmt.Sprintf("%d, as the header's counts imply", l.size), Err: ErrFormat}
	}
	if have := uint64(len(data)); have != l.size {
		e := &Error{Found: fmt.Sprintf("%d bytes", have), Want: fmt.Sprintf("%d, as the header implies", l.size), Err: ErrFormat}
		if have < l.size {
			e.Err = ErrTruncated
		}
		return nil, e
	}
	edges := l.arcs
	if l.flags&tgrDirected == 0 {
		edges = (l.arcs-l.loops)/2 + l.loops
	}
	if l.loops > l.arcs || edges != l.records {
		return nil, &Error{Found: fmt.Sprintf("%d records, %d arcs, %d self-loops", l.records, l.arcs, l.loops), Want: "counts that fit", Err: ErrFormat}
	}
	if l.flags&tgrTable == 0 && l.n > 0 && l.base > math.MaxUint64-(l.n-1) {
		return nil, &Error{Found: fmt.Sprintf("%d ids from %d on", l.n, l.base), Want: "ids of 64 bits", Err: ErrFormat}
	}
	return l, nil
}

// native tells whether this machine keeps numbers as the file does.
func native() bool {
	x := uint16(1)
	return *(*byte)(unsafe.Pointer(&x)) == 1
}

// view returns count numbers of the data from at on: the data itself where it is
// aligned and the machine little-endian, else a copy.
func view[T uint64 | uint32 | graph.Weight](data []byte, at, count uint64) []T {
	var zero T
	size := uint64(unsafe.Sizeof(zero))
	part := data[at : at+count*size]
	if count == 0 {
		return []T{}
	}
	if native() && uintptr(unsafe.Pointer(&part[0]))%uintptr(size) == 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(&part[0])), count)
	}
	out := make([]T, count)
	// Decoding into a slice of fixed-size numbers of the right length cannot fail.
	_, _ = binary.Decode(part, binary.LittleEndian, out)
	return out
}

// viewWeights returns the weights of a native file.
func viewWeights(data []byte, kind graph.WeightKind, at, count uint64) graph.Weights {
	switch kind {
	case graph.Int32:
		return graph.WeightsOf(view[int32](data, at, count))
	case graph.Int64:
		return graph.WeightsOf(view[int64](data, at, count))
	case graph.Float32:
		return graph.WeightsOf(view[float32](data, at, count))
	case graph.Float64:
		return graph.WeightsOf(view[float64](data, at, count))
	}
	return graph.Weights{}
}

// readTGR opens a native file: the source is a CSR over the mapping.
func readTGR(in *input, f *File) (graph.Source, error) {
	data, err := in.all()
	if err != nil {
		return nil, err
	}
	l, err := decodeTGR(data)
	if err != nil {
		return nil, err
	}
	if int64(int(l.arcs)) != int64(l.arcs) {
		return nil, &Error{Found: fmt.Sprintf("%d arcs", l.arcs), Want: "no more than this machine addresses", Err: ErrTooLarge}
	}
	parts := graph.CSRParts{
		Directed: l.flags&tgrDirected != 0,
		Offsets:  view[uint64](data, l.offsets, l.n+1),
		Targets:  view[uint32](data, l.targets, l.arcs),
		Weights:  viewWeights(data, l.kind, l.weights, l.arcs),
		Labels:   graph.IdentityLabels(int(l.n), l.base),
		Trusted:  true,
		Loops:    int64(l.loops),
		Threads:  in.o.threads(),
	}
	if l.flags&tgrTable != 0 {
		parts.Labels = graph.MappedLabels(view[uint64](data, l.labels, l.n))
	}
	if in.o.WeightColumn < 0 {
		parts.Weights = graph.Weights{}
	}
	if l.flags&(tgrVertexWeights|tgrVertexSizes) != 0 {
		f.Vertex = &VertexData{PerVertex: int(l.perVertex)}
		if l.flags&tgrVertexWeights != 0 {
			f.Vertex.Weights = view[int64](data, l.vertexWeights, l.n*uint64(l.perVertex))
		}
		if l.flags&tgrVertexSizes != 0 {
			f.Vertex.Sizes = view[int64](data, l.vertexSizes, l.n)
		}
	}
	g, err := graph.NewCSR(parts)
	if err != nil {
		return nil, &Error{Found: err.Error(), Err: ErrFormat}
	}
	f.Report.DirectionStated = true
	f.native, f.layout = data, l
	// The file now owns the mapping.
	f.mapping, in.m = in.m, nil
	return g, nil
}

// Verify reads a native file in full: its checksum, that offsets rise, that targets are
// vertices, that an undirected graph holds both arcs of each edge, that labels rise,
// and that weights are finite. Other formats have been checked by Open; for them it does nothing. The error is
// an *Error that wraps ErrChecksum or ErrFormat, or that of ctx.
func (f *File) Verify(ctx context.Context) error {
	if f.native == nil {
		return nil
	}
	err := Guard(f.path, func() error {
		sum := uint32(0)
		for data := f.native[tgrHeader:]; len(data) > 0; {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := min(len(data), 1<<24)
			sum = crc32.Update(sum, castagnoli(), data[:n])
			data = data[n:]
		}
		if sum != f.layout.checksum {
			return &Error{File: f.path, Found: fmt.Sprintf("data checksum %08x", sum), Want: fmt.Sprintf("%08x", f.layout.checksum), Hint: Hint{Text: "the file is damaged"}, Err: ErrChecksum}
		}
		if f.layout.flags&tgrTable != 0 {
			labels := view[uint64](f.native, f.layout.labels, f.layout.n)
			for i := 1; i < len(labels); i++ {
				if labels[i-1] >= labels[i] {
					return &Error{File: f.path, Found: fmt.Sprintf("label %d after %d", labels[i], labels[i-1]), Want: "labels that rise", Err: ErrFormat}
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	src := f.Source
	if d, ok := src.(*undirectedView); ok {
		src = d.CSR
	}
	g, ok := src.(*graph.CSR)
	if !ok {
		return nil
	}
	w := g.Weights()
	err = Guard(f.path, func() error {
		for i := range w.Len() {
			if i%(1<<20) == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if x := w.Float64(i); math.IsNaN(x) || math.IsInf(x, 0) {
				return &Error{File: f.path, Found: fmt.Sprintf("weight %v of arc %d", x, i), Want: "a finite number", Err: ErrFormat}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return Guard(f.path, func() error {
		err := g.ValidateContext(ctx, 0)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, graph.ErrUnreadable):
			return cutShort(f.path)
		}
		return &Error{File: f.path, Err: fmt.Errorf("%w: %w", ErrFormat, err)}
	})
}

// undirectedView is a directed CSR read as an undirected graph: each record is an edge.
type undirectedView struct{ *graph.CSR }

// IsDirected implements graph.Source.
func (*undirectedView) IsDirected() bool { return false }

// rawBytes returns the memory of numbers as the file holds them.
func rawBytes[T uint64 | uint32 | graph.Weight](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	if native() {
		var zero T
		return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(zero)))
	}
	var b bytes.Buffer
	// Writing numbers of a fixed size to memory cannot fail.
	_ = binary.Write(&b, binary.LittleEndian, s)
	return b.Bytes()
}

func rawWeights(w graph.Weights) []byte {
	switch w.Kind() {
	case graph.Int32:
		s, _ := graph.WeightsAs[int32](w) // the kind was looked at
		return rawBytes(s)
	case graph.Int64:
		s, _ := graph.WeightsAs[int64](w) // likewise
		return rawBytes(s)
	case graph.Float32:
		s, _ := graph.WeightsAs[float32](w) // likewise
		return rawBytes(s)
	case graph.Float64:
		s, _ := graph.WeightsAs[float64](w) // likewise
		return rawBytes(s)
	}
	return nil
}

// writeTGR writes a native file.
func writeTGR(w *writer) error {
	g, err := w.rows()
	if err != nil {
		return err
	}
	labels := g.VertexLabels()
	l := &tgrLayout{n: uint64(g.NumVertices()), records: uint64(g.NumEdges()), arcs: uint64(g.NumArcs()), loops: uint64(g.SelfLoops())}
	if g.IsDirected() {
		l.flags |= tgrDirected
	}
	parts := [][]byte{rawBytes(g.Offsets()), rawBytes(g.Targets())}
	if w.kind != graph.Unweighted {
		l.kind = g.WeightKind()
		parts = append(parts, rawWeights(g.Weights()))
	}
	if base, ok := labels.Base(); ok {
		l.base = base
	} else {
		l.flags |= tgrTable
		parts = append(parts, rawBytes(labels.Sorted()))
	}
	if v := w.o.Vertex; v != nil && len(v.Weights) > 0 {
		l.flags |= tgrVertexWeights
		l.perVertex = uint32(v.PerVertex)
		parts = append(parts, rawBytes(v.Weights))
	}
	if v := w.o.Vertex; v != nil && len(v.Sizes) > 0 {
		l.flags |= tgrVertexSizes
		parts = append(parts, rawBytes(v.Sizes))
	}
	if err := l.place(); err != nil {
		return err
	}
	// The checksum stands before the data: two passes.
	emit := func(to func([]byte) error) error {
		at := uint64(tgrHeader)
		for _, part := range parts {
			if err := to(make([]byte, (tgrAlign-at%tgrAlign)%tgrAlign)); err != nil {
				return err
			}
			at = (at + tgrAlign - 1) &^ (tgrAlign - 1)
			at += uint64(len(part))
			for len(part) > 0 {
				if err := w.ctx.Err(); err != nil {
					return err
				}
				n := min(len(part), 1<<22)
				if err := to(part[:n]); err != nil {
					return err
				}
				part = part[n:]
			}
		}
		return nil
	}
	err = Guard(w.path, func() error {
		return emit(func(b []byte) error { l.checksum = crc32.Update(l.checksum, castagnoli(), b); return nil })
	})
	if err != nil {
		return err
	}
	if _, err := w.out.Write(l.encode()); err != nil {
		return err
	}
	return Guard(w.path, func() error {
		return emit(func(b []byte) error { _, err := w.out.Write(b); return err })
	})
}
