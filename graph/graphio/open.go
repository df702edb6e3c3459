package graphio

import (
	"bytes"
	"context"
	"fmt"

	"github.com/totemgo/totemgo/graph"
)

// Open reads the graph file at path, "-" for Options.Stdin. The format is told by
// content, then by name, unless Options.Format names it; compression is told by
// content. Faults of the file are an *Error that wraps one of the sentinels of this
// package; a nil ctx is ErrOptions; cancelling ctx ends the read with the context's error. The caller closes the
// File once the Source is no longer used.
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
	err = Guard(in.path, func() error { return load(in, f) })
	if err == nil {
		err = in.unchanged()
	}
	if err != nil {
		if f.mapping != nil {
			_ = f.Close()
		}
		return nil, in.wrap(err)
	}
	in.finish()
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
	if !form.binary {
		if err := in.startText(); err != nil {
			return err
		}
	}
	f.Report.Format, f.Report.Compression, f.Report.Bytes = form.Name, in.compression, in.size
	if in.m != nil && form.Name != "native" {
		in.m.advise()
	}
	src, err := form.read(in, f)
	if err != nil {
		return err
	}
	if f.Report.Bytes < 0 {
		f.Report.Bytes = in.read.Load()
	}
	f.Report.Records = src.NumEdges()
	f.Source, err = override(src, in.o.Direction, form.mirrored, in)
	return err
}

// startText consumes the byte order mark of UTF-8 and refuses that of UTF-16.
func (in *input) startText() error {
	head, err := in.peek(3)
	if err != nil {
		return err
	}
	if bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}) {
		in.win = in.win[3:]
	}
	return in.refuseUTF16()
}

// refuseUTF16 refuses text in UTF-16 with a byte order mark: one byte of most of its
// characters is zero, the other is not.
func (in *input) refuseUTF16() error {
	head, err := in.peek(headSize)
	if err != nil {
		return err
	}
	little := bytes.HasPrefix(head, []byte{0xff, 0xfe})
	if !little && !bytes.HasPrefix(head, []byte{0xfe, 0xff}) {
		return nil
	}
	high, low := 0, 0
	for i, c := range head[2:] {
		switch {
		case c != 0:
		case (i%2 == 1) == little:
			high++
		default:
			low++
		}
	}
	if low > 0 || high*4 < len(head)-2 || high == 0 {
		return nil
	}
	return &Error{Found: "text in UTF-16", Want: "UTF-8 or ASCII", Hint: Hint{Text: "convert it, with iconv -f UTF-16 -t UTF-8"}, Err: ErrUnsupported}
}

// override applies Options.Direction. mirrored tells whether the format states both
// directions of an undirected edge, by listing it twice or by calling itself symmetric.
func override(src graph.Source, d Direction, mirrored bool, in *input) (graph.Source, error) {
	if d == AsStated || src.IsDirected() == (d == Directed) {
		return src, nil
	}
	list, ok := src.(*graph.EdgeList)
	if !ok {
		g, ok := src.(*graph.CSR)
		if !ok {
			return nil, fmt.Errorf("graphio: %w: the direction of this source cannot be overridden", ErrOptions)
		}
		if d == Undirected {
			return &undirectedView{g}, nil
		}
		return graph.NewCSR(graph.CSRParts{Directed: true, Offsets: g.Offsets(), Targets: g.Targets(), Weights: g.Weights(),
			Labels: g.VertexLabels(), Trusted: true, Loops: g.SelfLoops()})
	}
	if d == Undirected || !mirrored {
		list.Directed = d == Directed
		return list, nil
	}
	extra := 0
	for _, e := range list.Edges {
		if e.U != e.V {
			extra++
		}
	}
	if err := in.hold(int64(len(list.Edges)+extra) * int64(8+list.WeightKind().Size())); err != nil {
		return nil, err
	}
	n := len(list.Edges) + extra
	out := &graph.EdgeList{Vertices: list.Vertices, Directed: true, Labels: list.Labels, Edges: make([]graph.Edge, 0, n)}
	if list.Weights.Kind() != graph.Unweighted {
		out.Weights = graph.MakeWeights(list.Weights.Kind(), n)
	}
	for i, e := range list.Edges {
		for pass := range 2 {
			if pass == 1 {
				if e.U == e.V {
					break
				}
				e.U, e.V = e.V, e.U
			}
			if list.Weights.Kind() != graph.Unweighted {
				out.Weights.Copy(len(out.Edges), list.Weights, i)
			}
			out.Edges = append(out.Edges, e)
		}
	}
	return out, nil
}
