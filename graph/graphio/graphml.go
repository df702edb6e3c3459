package graphio

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// GraphML, after U. Brandes, M. Eiglsperger and J. Lerner, GraphML Primer: nodes with ids, edges between them, and data
// that keys declare. The edge data of the key with attr.name "weight" are weights; other data are left out. Ids are
// numbers if all are written as such, else names.

// graphmlMark finds the root element behind what may precede it.
var graphmlMark = regexp.MustCompile(`(?is)^\s*(<\?.*?\?>\s*|<!--.*?-->\s*|<!doctype[^>]*>\s*)*<(\w+:)?graphml\b`)

// graphmlReader is the state of reading a GraphML file.
type graphmlReader struct {
	in     *input
	f      *File
	d      *xml.Decoder
	path   []string // names of the open elements
	graphs int
	edge   xml.StartElement
	line   int64 // of the edge

	nodes    nameTable
	node     []bool   // of the names: they are nodes
	lines    []int64  // of the names: they occur first
	mixed    [2]int64 // undirected and directed edges
	directed bool     // by default
	pairs    []graph.Pair64
	weights  weightBuf

	keyID, dataKey    string // of the key and the data that are open
	weightKey, weight string // the key of weights, and this edge's weight
	fallback          string // weight of edges without one
	missing           int64  // line of the first edge without either
	data              bytes.Buffer
}

// readGraphML reads the graph of a GraphML file.
func readGraphML(in *input, f *File) (graph.Source, error) {
	r := &graphmlReader{in: in, f: f}
	r.d = xml.NewDecoder(&rest{in: in})
	r.d.CharsetReader = func(charset string, text io.Reader) (io.Reader, error) {
		if c := strings.ToLower(charset); c != "us-ascii" && c != "ascii" {
			return nil, bad(ErrUnsupported, "text in "+cut(charset), "UTF-8 or ASCII")
		}
		return text, nil
	}
	for {
		t, err := r.d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, r.broken(err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			err = r.start(t)
		case xml.CharData:
			if n := len(r.path); n > 0 && (r.path[n-1] == "default" || r.path[n-1] == "data") {
				r.data.Write(t)
			}
		case xml.EndElement:
			err = r.end(t.Name.Local)
		}
		if err != nil {
			return nil, err
		}
	}
	if r.graphs == 0 {
		return nil, bad(ErrTruncated, "a file without a graph element", "one graph")
	}
	return r.list()
}

// fault is a fault at the place that is read.
func (r *graphmlReader) fault(class error, found, want string) *Error {
	line, _ := r.d.InputPos()
	return fault(int64(line), 0, class, found, want)
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
		return fault(int64(syntax.Line), 0, ErrTruncated, "the end of the file", "</"+cut(strings.Join(r.path[max(len(r.path)-1, 0):], ""))+">")
	}
	return fault(int64(syntax.Line), 0, ErrFormat, cut(syntax.Msg), "well-formed XML")
}

// attr is the value of an attribute, "" without one.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

// start takes the beginning of an element.
func (r *graphmlReader) start(e xml.StartElement) error {
	name, parent := e.Name.Local, ""
	if n := len(r.path); n > 0 {
		parent = r.path[n-1]
	} else if name != "graphml" {
		return r.fault(ErrFormat, "element "+quote(name), "graphml")
	}
	if len(r.path) > 200 {
		return r.fault(ErrFormat, "elements within over 200 others", "a graph")
	}
	r.path = append(r.path, name)
	if name == "data" || name == "default" {
		r.data.Reset()
		r.dataKey = attr(e, "key")
	}
	switch {
	case name == "key":
		if r.keyID = attr(e, "id"); strings.EqualFold(attr(e, "attr.name"), "weight") && (attr(e, "for") == "edge" || attr(e, "for") == "all") {
			if r.graphs > 0 || r.weightKey != "" {
				return r.fault(ErrUnsupported, "a key of weights behind the graph or another", "one, before the graph")
			}
			r.weightKey = r.keyID
		}
	case name == "graph" && parent != "graphml":
		return r.fault(ErrUnsupported, "a graph within a "+cut(parent), "one flat graph")
	case name == "graph":
		if r.graphs++; r.graphs > 1 {
			return r.fault(ErrUnsupported, "a second graph", "one graph in a file")
		}
		switch d := attr(e, "edgedefault"); d {
		case "directed", "undirected":
			r.directed = d == "directed"
		default:
			return r.fault(ErrFormat, "edgedefault "+quote(d), "directed or undirected")
		}
	case parent != "graph": // data, ports and drawings
	case name == "node":
		v, err := r.vertex(attr(e, "id"), "id")
		if err == nil && r.node[v] {
			err = r.fault(ErrFormat, "node "+quote(attr(e, "id"))+" again", "one node an id")
		}
		if err != nil {
			return err
		}
		r.node[v] = true
	case name == "edge":
		line, _ := r.d.InputPos()
		r.edge, r.line, r.weight = e, int64(line), ""
	case name == "hyperedge":
		return r.fault(ErrUnsupported, "a hyperedge", "edges with two ends")
	}
	return nil
}

// end takes the end of an element.
func (r *graphmlReader) end(name string) error {
	r.path = r.path[:len(r.path)-1]
	parent := ""
	if n := len(r.path); n > 0 {
		parent = r.path[n-1]
	}
	switch {
	case name == "default" && parent == "key" && r.weightKey != "" && r.keyID == r.weightKey:
		r.fallback = strings.TrimSpace(r.data.String())
	case name == "data" && parent == "edge" && r.dataKey == r.weightKey && r.weightKey != "" && r.in.o.WeightColumn >= 0:
		r.weight = strings.TrimSpace(r.data.String())
	case name == "data" && (parent == "edge" || parent == "node"):
		r.f.Report.IgnoredColumns++
	case name == "edge" && parent == "graph":
		return r.record()
	}
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
		line, _ := r.d.InputPos()
		r.node, r.lines = append(r.node, false), append(r.lines, int64(line))
	}
	return v, nil
}

// record takes the edge that has ended.
func (r *graphmlReader) record() error {
	directed := r.directed
	switch d := attr(r.edge, "directed"); d {
	case "true", "false":
		directed = d == "true"
	case "":
	default:
		return fault(r.line, 0, ErrFormat, "directed "+quote(d), "true or false")
	}
	u, err := r.vertex(attr(r.edge, "source"), "source")
	if err != nil {
		return err
	}
	v, err := r.vertex(attr(r.edge, "target"), "target")
	if err != nil {
		return err
	}
	if err := r.in.hold(2 * (16 + 8 + 8)); err != nil {
		return err
	}
	k := 0
	if directed {
		k = 1
	}
	r.mixed[k]++
	weight := cmp.Or(r.weight, r.fallback)
	switch {
	case r.weightKey == "" || r.in.o.WeightColumn < 0:
	case weight == "":
		r.missing = cmp.Or(r.missing, r.line)
	default:
		if e := r.weights.parseWord([]byte(weight)); e != nil {
			e.Line = r.line
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
		e := bad(ErrUnsupported, fmt.Sprintf("%d undirected and %d directed edges", r.mixed[0], r.mixed[1]), "edges of one kind")
		e.Hint = Hint{"read all as undirected (%s)", []Cure{CureDirection}}
		return nil, e
	}
	if r.missing > 0 && r.weights.len() > 0 {
		e := fault(r.missing, 0, ErrFormat, "an edge without a weight", "a weight for each edge or for none, or a default of the key")
		e.Hint = Hint{"leave weights out (%s)", []Cure{CureNoWeights}}
		return nil, e
	}
	r.f.Report.DirectionStated = true
	if n := r.f.Report.IgnoredColumns; n > 0 {
		r.f.Report.warnf("%s of nodes and edges left out", plural(n, "value"))
	}
	list := &graph.EdgeList{Directed: directed, Vertices: len(r.node)}
	if r.weights.len() > 0 {
		list.Weights = joinWeights([]*weightBuf{&r.weights}, anyNumbers)
	}
	if labels, to := numbered(r.nodes.list); labels != nil {
		list.Labels, list.Edges = labels, make([]graph.Edge, len(r.pairs))
		for i, p := range r.pairs {
			list.Edges[i] = graph.Edge{U: to[p.U], V: to[p.V]}
		}
		return list, nil
	}
	b := &records{count: len(r.pairs), pairs: r.pairs, names: r.nodes}
	labels, err := r.in.nameList([]*records{b})
	list.Labels, list.Edges = labels, b.edges
	return list, err
}

// numbered are the labels of ids that are all written as numbers, and the dense id of each; nil if they are not.
func numbered(ids []string) (*graph.Labels, []uint32) {
	sorted := make([]uint64, len(ids))
	for i, s := range ids {
		v, err := strconv.ParseUint(s, 10, 64)
		if err != nil || len(s) > 1 && s[0] == '0' || s[0] == '+' {
			return nil, nil
		}
		sorted[i] = v
	}
	own := slices.Clone(sorted)
	slices.Sort(sorted)
	labels, err := graph.SortedLabels(sorted)
	if err != nil {
		return nil, nil
	}
	to := make([]uint32, len(ids))
	for i, v := range own {
		k, _ := slices.BinarySearch(sorted, v)
		to[i] = uint32(k)
	}
	return labels, to
}

// rest is what has not been consumed of an input, as a stream.
type rest struct {
	in   *input
	data []byte
	buf  []byte
}

func (r *rest) Read(p []byte) (int, error) {
	if len(r.data) == 0 {
		data, err := r.in.bytesBlock(headSize, r.buf)
		if err != nil {
			return 0, err
		}
		if len(data) == 0 {
			return 0, io.EOF
		}
		if r.data = data; r.in.m == nil {
			r.buf = data[:0]
		}
	}
	n := copy(p, r.data)
	r.data = r.data[n:]
	return n, nil
}
