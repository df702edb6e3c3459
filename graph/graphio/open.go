package graphio

import (
	"bytes"
	"context"
	"fmt"

	"github.com/totemgo/totemgo/graph"
)

// Open reads the graph file at path, "-" for Options.Stdin. Content, then the name, determine the format, unless
// Options.Format names it; content determines the compression. Faults of the file are an *Error that wraps one of the
// sentinels of this package; a nil ctx is ErrOptions; cancelling ctx ends the read with the context's error. The caller
// closes the File once the Source is no longer used.
func Open(ctx context.Context, path string, o Options) (_ *File, err error) {
	if ctx == nil {
		return nil, fmt.Errorf("graphio: %w: the context is nil", ErrOptions)
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	in, err := openInput(ctx, path, &o)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closeErr := in.shut(); err == nil && closeErr != nil {
			err = in.wrap(closeErr)
		}
	}()
	f := &File{path: path}
	err = in.run(func() error { return load(in, f) })
	if err == nil {
		err = in.unchanged()
	}
	if err != nil {
		if f.mapping != nil {
			_ = f.Close()
		}
		return nil, in.wrap(err)
	}
	in.read.finish(max(in.size, in.read.done.Load())) // lines before the records are not counted
	return f, nil
}

// load tells the format and reads.
func load(in *input, f *File) error {
	var form *format
	var err error
	if in.o.Format != "" {
		form = formatByName(in.o.Format)
	} else {
		if err := in.refuseUTF16(); err != nil {
			return err
		}
		if form, err = detect(in); err != nil {
			return err
		}
	}
	if err := in.o.fit(form.Name); err != nil {
		return err
	}
	if !form.is(binaryData) {
		if err := in.startText(); err != nil {
			return err
		}
	}
	f.Report.Format, f.Report.Compression, f.Report.Bytes, f.Report.Member = form.Name, in.compression, in.size, in.member
	if in.members > 1 {
		f.Report.warnf("%s is read, of %d files in the archive", in.member, in.members)
	}
	if in.m != nil && form.Name != "native" {
		in.m.advise()
	}
	f.Report.DirectionStated = form.is(statesDirection)
	src, err := form.read(in, f)
	if err != nil {
		return err
	}
	if f.Report.Bytes < 0 {
		f.Report.Bytes = in.read.done.Load()
	}
	f.Report.Records = src.NumEdges()
	f.Source, err = override(src, in.o.Direction, form.is(statesBoth), in)
	return err
}

// startText consumes the byte order mark of UTF-8 and refuses that of UTF-16.
func (in *input) startText() error {
	if bytes.HasPrefix(in.peek(3), []byte{0xef, 0xbb, 0xbf}) {
		in.win = in.win[3:]
	}
	return in.refuseUTF16()
}

// refuseUTF16 refuses text in UTF-16.
func (in *input) refuseUTF16() error {
	if !IsUTF16(in.peek(headSize)) {
		return nil
	}
	return bad(ErrUnsupported, "text in UTF-16", "UTF-8 or ASCII", "convert it, with iconv -f UTF-16 -t UTF-8")
}

// IsUTF16 tells whether the beginning of a file is text in UTF-16: one byte of each character is zero, the other is not.
// Behind a byte order mark, that holds for one in four characters at least; without a mark, for all, which are ASCII.
func IsUTF16(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	text, marked := head[:len(head)&^1], bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff})
	if marked {
		text = head[2:]
	}
	zeros := [2]int{}
	for i, c := range text {
		if c == 0 {
			zeros[i%2]++
		} else if !marked && (c > 0x7f || !isText(text[i:i+1])) {
			return false
		}
	}
	most := max(zeros[0], zeros[1])
	return most > 0 && most == zeros[0]+zeros[1] && (most*2 == len(text) || marked && most*4 >= len(text))
}

// override applies Options.Direction. mirrored tells whether the format states both directions of an undirected edge, by
// listing it twice or by calling itself symmetric.
func override(src graph.Source, d Direction, mirrored bool, in *input) (graph.Source, error) {
	if d == AsStated || src.IsDirected() == (d == Directed) {
		return src, nil
	}
	switch g := src.(type) {
	case *graph.CSR:
		if d == Undirected {
			return &undirectedView{g}, nil
		}
		return graph.NewCSR(graph.CSRParts{Directed: true, Offsets: g.Offsets(), Targets: g.Targets(), Weights: g.Weights(),
			Labels: g.VertexLabels(), Trusted: true, Loops: g.SelfLoops()})
	case *graph.EdgeList:
		g.Directed = d == Directed
		if g.Directed && mirrored {
			return bothArcs(g, in)
		}
		return g, nil
	}
	return nil, fmt.Errorf("graphio: %w: the direction of this source cannot be overridden", ErrOptions)
}

// bothArcs makes two arcs of each edge, one of a self-loop.
func bothArcs(list *graph.EdgeList, in *input) (graph.Source, error) {
	n, kind := len(list.Edges), list.WeightKind()
	for _, e := range list.Edges {
		if e.U != e.V {
			n++
		}
	}
	if err := in.hold(int64(n) * int64(8+kind.Size())); err != nil {
		return nil, err
	}
	out := &graph.EdgeList{Vertices: list.Vertices, Directed: true, Labels: list.Labels, Edges: make([]graph.Edge, 0, n), Weights: graph.MakeWeights(kind, n)}
	for i, e := range list.Edges {
		out.Weights.Copy(len(out.Edges), list.Weights, i)
		if out.Edges = append(out.Edges, e); e.U != e.V {
			if out.Weights.Copy(len(out.Edges), list.Weights, i); in.skew && !out.Weights.Negate(len(out.Edges)) {
				return nil, bad(ErrTooLarge, "weight "+out.Weights.Format(len(out.Edges)), "weights whose mirrored entries "+kind.String()+" holds")
			}
			out.Edges = append(out.Edges, graph.Edge{U: e.V, V: e.U})
		}
	}
	return out, nil
}
