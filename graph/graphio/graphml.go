package graphio

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// GraphML, after U. Brandes, M. Eiglsperger and J. Lerner, GraphML Primer: nodes with ids, edges between them, and data
// that keys declare. The edge data of the key with attr.name "weight" are weights; other data are left out. Ids are
// numbers if all are written as such, else names.

// graphmlReader is the state of reading a GraphML file.
type graphmlReader struct {
	in    *input
	f     *File
	d     *xml.Decoder
	open  string // the element that is open: graphml, graph, or none
	space string // the name space of graphml

	nodes    nameTable
	node     []bool   // of the names: they are nodes
	lines    []int64  // of the names: they occur first
	mixed    [2]int64 // undirected and directed edges
	directed bool     // by default
	pairs    []graph.Pair64
	weights  weightBuf

	weightKey string
	fallback  string // weight of edges without one
	missing   int64  // line of the first edge without either
	graphs    int
}

// graphmlBody is what a key, a node or an edge contains.
type graphmlBody struct {
	Default string `xml:"default"`
	Data    []struct {
		Key  string `xml:"key,attr"`
		Text string `xml:",chardata"`
	} `xml:"data"`
	Graphs []struct{} `xml:"graph"`
}

// readGraphML reads the graph of a GraphML file.
func readGraphML(in *input, f *File) (graph.Source, error) {
	r := &graphmlReader{in: in, f: f}
	r.d = xml.NewDecoder(bufio.NewReaderSize(rest{in}, headSize))
	r.d.CharsetReader = func(charset string, text io.Reader) (io.Reader, error) {
		if c := strings.ToLower(charset); c != "us-ascii" && c != "ascii" {
			return nil, bad(ErrUnsupported, "text in "+cut(charset), "UTF-8 or ASCII")
		}
		return text, nil
	}
	for {
		t, err := r.d.Token()
		switch t := t.(type) {
		case xml.StartElement:
			err = r.start(t)
		case xml.EndElement: // of one that start left open
			r.open = map[string]string{"graph": "graphml"}[r.open]
		}
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, r.broken(err)
		}
	}
	if r.graphs == 0 {
		return nil, bad(ErrTruncated, "a file without a graph element", "one graph")
	}
	return r.list()
}

// fault is a fault at the place that is read.
func (r *graphmlReader) fault(class error, found, want string) *Error {
	return fault(r.line(), 0, class, found, want)
}

func (r *graphmlReader) line() int64 {
	line, _ := r.d.InputPos()
	return int64(line)
}

// broken classes an error of the decoder.
func (r *graphmlReader) broken(err error) error {
	var syntax *xml.SyntaxError
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case !errors.As(err, &syntax):
		return err
	case strings.Contains(syntax.Msg, "unexpected EOF"):
		return fault(int64(syntax.Line), 0, ErrTruncated, "the end of the file", "</"+r.open+">")
	}
	return fault(int64(syntax.Line), 0, ErrFormat, cut(syntax.Msg), "well-formed XML")
}

// attr is the value of an attribute, "" without one.
func attr(e xml.StartElement, name string) string {
	i := slices.IndexFunc(e.Attr, func(a xml.Attr) bool { return a.Name.Local == name && a.Name.Space == "" })
	if i < 0 {
		return ""
	}
	return e.Attr[i].Value
}

// start takes the beginning of an element, and all of it but of graphml and graph.
func (r *graphmlReader) start(e xml.StartElement) error {
	name, line := e.Name.Local, r.line()
	switch {
	case r.open == "" && name != "graphml":
		return r.fault(ErrFormat, "element "+quote(name), "graphml")
	case r.open == "":
		r.open, r.space = name, e.Name.Space
		return nil
	case e.Name.Space != r.space: // a program's own
		return r.d.Skip()
	case name == "graph":
		return r.graph(e)
	case name == "hyperedge":
		return r.fault(ErrUnsupported, "a hyperedge", "edges with two ends")
	case name != "key" && (r.open != "graph" || name != "node" && name != "edge"): // data, ports and drawings
		return r.d.Skip()
	}
	var body graphmlBody
	if err := r.d.DecodeElement(&body, &e); err != nil {
		return err
	}
	if len(body.Graphs) > 0 {
		return r.fault(ErrUnsupported, "a graph within a "+name, "one flat graph")
	}
	switch name {
	case "key":
		return r.key(e, strings.TrimSpace(body.Default))
	case "edge":
		return r.edge(e, &body, line)
	}
	r.f.Report.IgnoredColumns += int64(len(body.Data))
	v, err := r.vertex(attr(e, "id"), "id")
	if err == nil && r.node[v] {
		err = r.fault(ErrFormat, "node "+quote(attr(e, "id"))+" again", "one node an id")
	}
	if err == nil {
		r.node[v] = true
	}
	return err
}

// graph takes the beginning of the graph.
func (r *graphmlReader) graph(e xml.StartElement) error {
	switch d := attr(e, "edgedefault"); {
	case r.open != "graphml":
		return r.fault(ErrUnsupported, "a graph within a "+r.open, "one flat graph")
	case r.graphs > 0:
		return r.fault(ErrUnsupported, "a second graph", "one graph in a file")
	case d != "directed" && d != "undirected":
		return r.fault(ErrFormat, "edgedefault "+quote(d), "directed or undirected")
	default:
		r.graphs, r.open, r.directed = 1, "graph", d == "directed"
		return nil
	}
}

// key takes the declaration of data: those of edges that are called weight are weights.
func (r *graphmlReader) key(e xml.StartElement, fallback string) error {
	if of := attr(e, "for"); !strings.EqualFold(attr(e, "attr.name"), "weight") || of != "edge" && of != "all" {
		return nil
	}
	if r.graphs > 0 || r.weightKey != "" {
		return r.fault(ErrUnsupported, "a key of weights behind the graph or another", "one, before the graph")
	}
	r.weightKey, r.fallback = attr(e, "id"), fallback
	return nil
}

// vertex is the number of an id among those that occur.
func (r *graphmlReader) vertex(id, what string) (uint64, error) {
	if id == "" || strings.ContainsFunc(id, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return 0, r.fault(ErrFormat, what+" "+quote(id), "an id without control characters")
	}
	v := r.nodes.id([]byte(id))
	if int(v) == len(r.node) {
		if err := r.in.hold(int64(len(id)) + nameBytes + 9); err != nil {
			return 0, err
		}
		r.node, r.lines = append(r.node, false), append(r.lines, r.line())
	}
	return v, nil
}

// edge takes an edge that begins on a line.
func (r *graphmlReader) edge(e xml.StartElement, body *graphmlBody, line int64) error {
	directed := r.directed
	if d := attr(e, "directed"); d != "" {
		if directed = d == "true"; !directed && d != "false" {
			return fault(line, 0, ErrFormat, "directed "+quote(d), "true or false")
		}
	}
	u, err := r.vertex(attr(e, "source"), "source")
	if err != nil {
		return err
	}
	v, err := r.vertex(attr(e, "target"), "target")
	if err != nil {
		return err
	}
	if err := r.in.hold(2 * (16 + 8 + 8)); err != nil {
		return err
	}
	if directed {
		r.mixed[1]++
	} else {
		r.mixed[0]++
	}
	weighted, weight := r.weightKey != "" && r.in.o.WeightColumn >= 0, r.fallback
	for _, d := range body.Data {
		if weighted && d.Key == r.weightKey {
			weight = cmp.Or(strings.TrimSpace(d.Text), r.fallback)
		} else {
			r.f.Report.IgnoredColumns++
		}
	}
	if weighted && weight == "" {
		r.missing = cmp.Or(r.missing, line)
	} else if weighted {
		if e := r.weights.parseWord([]byte(weight)); e != nil {
			e.Line = line
			return e
		}
	}
	r.pairs = append(r.pairs, graph.Pair64{U: u, V: v})
	return nil
}

// list makes the graph of what was read.
func (r *graphmlReader) list() (graph.Source, error) {
	if v := slices.Index(r.node, false); v >= 0 {
		return nil, fault(r.lines[v], 0, ErrFormat, "an edge of "+quote(r.nodes.list[v]), "the id of a node")
	}
	directed := r.mixed[1] > 0 || r.mixed[0] == 0 && r.directed
	if r.mixed[0] > 0 && r.mixed[1] > 0 && r.in.o.Direction != Undirected {
		return nil, bad(ErrUnsupported, fmt.Sprintf("%d undirected and %d directed edges", r.mixed[0], r.mixed[1]), "edges of one kind").
			advise("read all as undirected (%s)", CureDirection)
	}
	if r.missing > 0 && r.weights.len() > 0 {
		return nil, fault(r.missing, 0, ErrFormat, "an edge without a weight", "a weight for each edge or for none, or a default of the key").
			advise("leave weights out (%s)", CureNoWeights)
	}
	if n := r.f.Report.IgnoredColumns; n > 0 {
		r.f.Report.warnf("%s of nodes and edges left out", plural(n, "value"))
	}
	blocks := []*records{{count: len(r.pairs), pairs: r.pairs, names: r.nodes, weights: r.weights}}
	ids, all := numbers64(r.nodes.list)
	l := &layout{names: !all, directed: directed, weight: min(r.weights.len(), 1)}
	if l.names {
		return r.in.list(r.f, l, blocks)
	}
	for i, p := range r.pairs {
		r.pairs[i] = graph.Pair64{U: ids[p.U], V: ids[p.V]}
	}
	return r.in.listOf(r.f, l, ids, blocks)
}

// numbers64 are ids as numbers, if all are written as such.
func numbers64(ids []string) (values []uint64, all bool) {
	for _, s := range ids {
		v, err := strconv.ParseUint(s, 10, 64)
		if err != nil || strconv.FormatUint(v, 10) != s {
			return nil, false
		}
		values = append(values, v)
	}
	return values, true
}

// rest is what has not been consumed of an input, as a stream.
type rest struct{ in *input }

func (r rest) Read(p []byte) (int, error) {
	data, err := r.in.bytesBlock(len(p), p)
	if err == nil && len(data) == 0 {
		err = io.EOF
	}
	return copy(p, data), err
}
