package graphio

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"unsafe"

	"github.com/totemgo/totemgo/graph"
)

// tgrVersion is the highest version of the native format that is read. Files without names are written as version 1.
//
//	1  first version
//	2  names of vertices
const tgrVersion = 2

const (
	tgrMagic  = "\x89TGR\r\n\x1a\n"
	tgrHeader = 128
	tgrAlign  = 64

	tgrDirected      = 1 << 0
	tgrTable         = 1 << 1
	tgrVertexWeights = 1 << 2
	tgrVertexSizes   = 1 << 3
	tgrNames         = 1 << 4
	tgrFlags         = 1<<5 - 1
)

// tgrFields are the header's fields, in their order.
type tgrFields struct {
	Magic                   [8]byte
	Version, Flags          uint32
	N, Records, Arcs, Loops uint64
	Kind, PerVertex         uint32
	Base, Size              uint64
	NameBytes               uint64
	_                       [40]byte
	Checksum, HeadChecksum  uint32
}

// tgrLayout is the header of a native file and where its sections lie.
type tgrLayout struct {
	tgrFields
	kind graph.WeightKind

	offsets, targets, weights, labels, vertexWeights, vertexSizes, names, nameText, size uint64
}

func (l *tgrLayout) has(flag uint32) bool { return l.Flags&flag != 0 }

// place computes where the sections lie. It fails where a size exceeds 64 bits.
func (l *tgrLayout) place() error {
	at, overflow := uint64(tgrHeader), false
	section := func(there bool, count, size uint64) uint64 {
		start := (at + tgrAlign - 1) &^ (tgrAlign - 1)
		switch {
		case !there:
		case size > 0 && count > (math.MaxInt64-start)/size:
			overflow = true
		default:
			at = start + count*size
			return start
		}
		return 0
	}
	l.offsets = section(true, l.N+1, 8)
	l.targets = section(true, l.Arcs, 4)
	l.weights = section(l.kind != graph.Unweighted, l.Arcs, uint64(l.kind.Size()))
	l.labels = section(l.has(tgrTable), l.N, 8)
	l.vertexWeights = section(l.has(tgrVertexWeights), l.N, 8*uint64(l.PerVertex))
	l.vertexSizes = section(l.has(tgrVertexSizes), l.N, 8)
	l.names = section(l.has(tgrNames), l.N, 8)
	l.nameText = section(l.has(tgrNames), l.NameBytes, 1)
	l.size = at
	if overflow {
		return bad(ErrTooLarge, fmt.Sprintf("a header of %d vertices and %d arcs", l.N, l.Arcs), "a size within 63 bits")
	}
	return nil
}

// encode makes the header.
func (l *tgrLayout) encode() []byte {
	f := l.tgrFields
	f.Version, f.Kind, f.Size = 1, uint32(l.kind), l.size
	if l.has(tgrNames) {
		f.Version = 2
	}
	copy(f.Magic[:], tgrMagic)
	h := make([]byte, tgrHeader)
	// Fields of a fixed size fit in their size.
	_, _ = binary.Encode(h, binary.LittleEndian, &f)
	binary.LittleEndian.PutUint32(h[tgrHeader-4:], crc32.Checksum(h[:tgrHeader-4], castagnoli()))
	return h
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// decodeTGR checks a header against itself and the size of the data.
func decodeTGR(data []byte) (*tgrLayout, error) {
	l := &tgrLayout{}
	if _, err := binary.Decode(data, binary.LittleEndian, &l.tgrFields); err != nil {
		return nil, bad(ErrTruncated, fmt.Sprintf("%d bytes", len(data)), fmt.Sprintf("a header of %d", tgrHeader))
	}
	l.kind = graph.WeightKind(min(l.Kind, 255))
	edges := l.Arcs
	if !l.has(tgrDirected) {
		edges = (l.Arcs-l.Loops)/2 + l.Loops
	}
	sum := crc32.Checksum(data[:tgrHeader-4], castagnoli())
	switch {
	case string(l.Magic[:]) != tgrMagic:
		return nil, bad(ErrFormat, fmt.Sprintf("first bytes %q", l.Magic[:]), fmt.Sprintf("%q", tgrMagic), "the file is no native graph, or was transferred as text")
	case l.Version == 0 || l.Version > tgrVersion:
		return nil, bad(ErrUnsupported, fmt.Sprintf("version %d", l.Version), fmt.Sprintf("at most %d", tgrVersion), "read it with a newer program")
	case sum != l.HeadChecksum:
		return nil, bad(ErrChecksum, fmt.Sprintf("header checksum %08x", sum), fmt.Sprintf("%08x", l.HeadChecksum))
	case l.Flags&^tgrFlags != 0:
		return nil, bad(ErrUnsupported, fmt.Sprintf("flags %#x", l.Flags), fmt.Sprintf("those of version %d", tgrVersion))
	case l.kind > graph.Float64:
		return nil, bad(ErrFormat, fmt.Sprintf("weights of kind %d", uint8(l.kind)), "0 to 4")
	case l.N > graph.MaxVertices:
		return nil, bad(ErrTooLarge, fmt.Sprintf("%d vertices", l.N), fmt.Sprintf("at most %d", uint64(graph.MaxVertices)))
	case l.has(tgrVertexWeights) != (l.PerVertex > 0), l.PerVertex > 1<<16:
		return nil, bad(ErrFormat, fmt.Sprintf("%d weights a vertex and flags %#x", l.PerVertex, l.Flags), "both or none")
	}
	if err := l.place(); err != nil {
		return nil, err
	}
	switch have := uint64(len(data)); {
	case l.Size != l.size:
		return nil, bad(ErrFormat, fmt.Sprintf("a stated size of %d bytes", l.Size), fmt.Sprintf("%d, as the header's counts imply", l.size))
	case have != l.size:
		return nil, bad(short(have, l.size), fmt.Sprintf("%d bytes", have), fmt.Sprintf("%d, as the header implies", l.size))
	case l.Loops > l.Arcs || edges != l.Records:
		return nil, bad(ErrFormat, fmt.Sprintf("%d records, %d arcs, %d self-loops", l.Records, l.Arcs, l.Loops), "counts that fit")
	case !l.has(tgrTable) && l.N > 0 && l.Base > math.MaxUint64-(l.N-1):
		return nil, bad(ErrFormat, fmt.Sprintf("%d ids from %d on", l.N, l.Base), "ids of 64 bits")
	case int64(int(l.Arcs)) != int64(l.Arcs):
		return nil, bad(ErrTooLarge, fmt.Sprintf("%d arcs", l.Arcs), "no more than this machine addresses")
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
	parts := graph.CSRParts{
		Directed: l.has(tgrDirected),
		Offsets:  view[uint64](data, l.offsets, l.N+1),
		Targets:  view[uint32](data, l.targets, l.Arcs),
		Labels:   graph.IdentityLabels(int(l.N), l.Base),
		Trusted:  true,
		Loops:    int64(l.Loops),
		Threads:  in.o.threads(),
	}
	if l.has(tgrTable) {
		parts.Labels = graph.MappedLabels(view[uint64](data, l.labels, l.N))
	}
	if l.has(tgrNames) {
		names, err := graph.MappedNames(view[uint64](data, l.names, l.N), data[l.nameText:l.nameText+l.NameBytes])
		if err != nil {
			return nil, bad(ErrFormat, err.Error(), "")
		}
		parts.Labels = parts.Labels.Named(names, true)
	}
	if in.o.WeightColumn >= 0 {
		parts.Weights = viewWeights(data, l.kind, l.weights, l.Arcs)
	}
	if l.has(tgrVertexWeights | tgrVertexSizes) {
		f.Vertex = &VertexData{PerVertex: int(l.PerVertex)}
		if l.has(tgrVertexWeights) {
			f.Vertex.Weights = view[int64](data, l.vertexWeights, l.N*uint64(l.PerVertex))
		}
		if l.has(tgrVertexSizes) {
			f.Vertex.Sizes = view[int64](data, l.vertexSizes, l.N)
		}
	}
	g, err := graph.NewCSR(parts)
	if err != nil {
		return nil, bad(ErrFormat, err.Error(), "")
	}
	f.native, f.layout = data, l
	// The file now owns the mapping.
	f.mapping, in.m = in.m, nil
	return g, nil
}

// Verify reads a native file in full: its checksum, that offsets rise, that targets are vertices, that an undirected
// graph holds both arcs of each edge, that labels rise, and that weights are finite. Open checks other formats; for them
// Verify does nothing. The error is an *Error that wraps ErrChecksum or ErrFormat, or that of ctx.
func (f *File) Verify(ctx context.Context) error {
	if f.native == nil {
		return nil
	}
	err := Guard(f.path, func() error {
		sum := uint32(0)
		for data := range slices.Chunk(f.native[tgrHeader:], 1<<24) {
			if err := ctx.Err(); err != nil {
				return err
			}
			sum = crc32.Update(sum, castagnoli(), data)
		}
		if sum != f.layout.Checksum {
			return bad(ErrChecksum, fmt.Sprintf("data checksum %08x", sum), fmt.Sprintf("%08x", f.layout.Checksum), "the file is damaged")
		}
		if f.layout.has(tgrTable) {
			if _, err := graph.SortedLabels(view[uint64](f.native, f.layout.labels, f.layout.N)); err != nil {
				return bad(ErrFormat, err.Error(), "")
			}
		}
		src := f.Source
		if names := src.VertexLabels().Names(); names != nil {
			if err := names.Validate(); err != nil {
				return bad(ErrFormat, err.Error(), "")
			}
		}
		if d, ok := src.(*undirectedView); ok {
			src = d.CSR
		}
		g, ok := src.(*graph.CSR)
		if !ok {
			return nil
		}
		for w, i := g.Weights(), 0; i < w.Len(); i++ {
			if i%(1<<20) == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if x := w.Float64(i); math.IsNaN(x) || math.IsInf(x, 0) {
				return bad(ErrFormat, fmt.Sprintf("weight %v of arc %d", x, i), "a finite number")
			}
		}
		return g.ValidateContext(ctx, 0)
	})
	var e *Error
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case errors.As(err, &e):
		return wrap(err, f.path)
	case errors.Is(err, graph.ErrUnreadable):
		return cutShort(f.path)
	}
	return &Error{File: f.path, Err: fmt.Errorf("%w: %w", ErrFormat, err)}
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
	// Three of the four are of another kind, and empty.
	a, _ := graph.WeightsAs[int32](w)
	b, _ := graph.WeightsAs[int64](w)
	c, _ := graph.WeightsAs[float32](w)
	d, _ := graph.WeightsAs[float64](w)
	for _, raw := range [][]byte{rawBytes(a), rawBytes(b), rawBytes(c)} {
		if len(raw) > 0 {
			return raw
		}
	}
	return rawBytes(d)
}

// names returns the ends and the text of the names of the graph's vertices, those of dropped vertices left out.
func (w *writer) names() (ends []uint64, text []byte, err error) {
	labels := w.src.VertexLabels()
	names := labels.Names()
	if base, ok := labels.Base(); ok && base == 0 && labels.Len() == names.Len() {
		return names.Ends(), names.Text(), nil
	}
	if err := w.hold(int64(labels.Len())*8 + int64(len(names.Text()))); err != nil {
		return nil, nil, err
	}
	for v := range uint32(labels.Len()) {
		text = append(text, names.At(labels.Label(v))...)
		ends = append(ends, uint64(len(text)))
	}
	return ends, text, nil
}

// writeTGR writes a native file.
func writeTGR(w *writer) error {
	g, err := w.rows()
	if err != nil {
		return err
	}
	labels := g.VertexLabels()
	l := &tgrLayout{tgrFields: tgrFields{N: uint64(g.NumVertices()), Records: uint64(g.NumEdges()), Arcs: uint64(g.NumArcs()), Loops: uint64(g.SelfLoops())}}
	if g.IsDirected() {
		l.Flags |= tgrDirected
	}
	parts := [][]byte{rawBytes(g.Offsets()), rawBytes(g.Targets())}
	if w.kind != graph.Unweighted {
		l.kind = g.WeightKind()
		parts = append(parts, rawWeights(g.Weights()))
	}
	if names := labels.Names(); names != nil {
		l.Flags |= tgrNames
	} else if base, ok := labels.Base(); ok {
		l.Base = base
	} else {
		l.Flags |= tgrTable
		parts = append(parts, rawBytes(labels.Sorted()))
	}
	if v := w.o.Vertex; v != nil && len(v.Weights) > 0 {
		l.Flags |= tgrVertexWeights
		l.PerVertex = uint32(v.PerVertex)
		parts = append(parts, rawBytes(v.Weights))
	}
	if v := w.o.Vertex; v != nil && len(v.Sizes) > 0 {
		l.Flags |= tgrVertexSizes
		parts = append(parts, rawBytes(v.Sizes))
	}
	if l.has(tgrNames) {
		ends, text, err := w.names()
		if err != nil {
			return err
		}
		l.NameBytes = uint64(len(text))
		parts = append(parts, rawBytes(ends), text)
	}
	if err := l.place(); err != nil {
		return err
	}
	// The checksum stands before the data: two passes.
	emit := func(to io.Writer) error {
		at := tgrHeader
		for _, part := range parts {
			gap := (tgrAlign - at%tgrAlign) % tgrAlign
			if _, err := to.Write(make([]byte, gap)); err != nil {
				return err
			}
			at += gap + len(part)
			for chunk := range slices.Chunk(part, 1<<22) {
				if err := w.ctx.Err(); err != nil {
					return err
				}
				if _, err := to.Write(chunk); err != nil {
					return err
				}
			}
		}
		return nil
	}
	sum := crc32.New(castagnoli())
	if err := emit(sum); err != nil {
		return err
	}
	l.Checksum = sum.Sum32()
	if _, err := w.out.Write(l.encode()); err != nil {
		return err
	}
	return emit(w.out)
}
