package graphio

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// LDBC Graphalytics, after the benchmark specification (arXiv:2011.15028, section
// "Graph data format") and its example graphs: NAME.v holds a vertex id a line, NAME.e an
// edge a line, "source target [properties]"; NAME.properties says, among other things,
// graph.NAME.directed and graph.NAME.edge-properties.names and .types. An undirected
// edge stands once.

// graphalyticsSet are the files that belong together.
type graphalyticsSet struct{ vertices, edges, properties string }

// graphalyticsFiles finds the names that belong to one of them.
func graphalyticsFiles(path string) graphalyticsSet {
	dir, base := filepath.Split(path)
	name := stem(path)
	suffix := base[len(name):]
	name = strings.TrimSuffix(name, filepath.Ext(name))
	at := func(ext string) string { return filepath.Join(dir, name+ext) }
	return graphalyticsSet{at(".v" + suffix), at(".e" + suffix), at(".properties")}
}

// graphalyticsProperties is what the properties file says.
type graphalyticsProperties struct {
	path                             string
	found, directed, directionStated bool
	names                            []string // of the edge properties
	vertices, edges                  metaCount
}

// metaCount is a number that the properties file states on a line, 0 where it does not.
type metaCount struct {
	line int64
	n    uint64
}

// readProperties reads NAME.properties, which may be missing.
func readProperties(in *input, path string) (p graphalyticsProperties, err error) {
	p.path, p.directed = path, true
	pin, err := openText(in, path)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	defer func() { _ = pin.shut() }() // read only: nothing is lost
	p.found = true
	for {
		text, size, ok, err := pin.peekLine()
		if err == nil && ok {
			err = p.property(pin.lines+1, strings.TrimSpace(string(text)))
		}
		if err != nil || !ok {
			return p, pin.wrap(err)
		}
		pin.skip(size)
	}
}

// property takes a line of the properties file; most say what does not matter here.
func (p *graphalyticsProperties) property(line int64, text string) error {
	i := strings.IndexAny(text, "=:")
	if i < 0 || text[0] == '#' || text[0] == '!' {
		return nil
	}
	key, value := strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:])
	count := func(c *metaCount) error {
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return fault(line, 0, ErrFormat, quote([]byte(value)), "a number of vertices or edges")
		}
		*c = metaCount{line, n}
		return nil
	}
	switch {
	case strings.HasSuffix(key, ".directed"):
		p.directionStated = true
		switch strings.ToLower(value) {
		case "true":
		case "false":
			p.directed = false
		default:
			return fault(line, 0, ErrFormat, quote([]byte(value)), "true or false")
		}
	case strings.HasSuffix(key, ".edge-properties.names"):
		for _, name := range strings.Split(value, ",") {
			if name = strings.TrimSpace(name); name != "" {
				p.names = append(p.names, name)
			}
		}
	case strings.HasSuffix(key, ".meta.vertices"):
		return count(&p.vertices)
	case strings.HasSuffix(key, ".meta.edges"):
		return count(&p.edges)
	}
	return nil
}

// check compares a number of vertices or edges with the one stated.
func (p *graphalyticsProperties) check(in *input, f *File, file string, found int64, stated metaCount, one, many, hint string) error {
	if stated.line == 0 || uint64(found) == stated.n {
		return nil
	}
	says := fmt.Sprintf("%d, as line %d of %s says", stated.n, stated.line, p.path)
	if in.o.Lenient {
		f.Report.Tolerated++
		f.Report.warnf("%s found instead of %s", spell(found, one, many), says)
		return nil
	}
	e := &Error{File: file, Found: spell(found, one, many), Want: says, Hint: Hint{Text: hint}, Err: ErrFormat}
	if uint64(found) < stated.n {
		e.Err = ErrTruncated
	}
	return e
}

// openText opens another text file of the set.
func openText(in *input, path string) (*input, error) {
	other, err := openInput(in.ctx, path, in.o)
	if err != nil {
		return nil, err
	}
	if err := other.startText(); err != nil {
		_ = other.shut() // read only: nothing is lost
		return nil, other.wrap(err)
	}
	return other, nil
}

// readGraphalytics reads a set of Graphalytics files, named by its .e or .v file.
func readGraphalytics(in *input, f *File) (graph.Source, error) {
	var props graphalyticsProperties
	var vertices []*vertexBlock
	haveVertices := false
	edgesIn := in
	set := graphalyticsFiles(in.path)
	if in.file != nil {
		var err error
		if props, err = readProperties(in, set.properties); err != nil {
			return nil, err
		}
		if extension(in.path) == ".v" {
			if vertices, err = readVertexFile(in); err != nil {
				return nil, err
			}
			haveVertices = true
			if edgesIn, err = openText(in, set.edges); err != nil {
				return nil, err
			}
			defer func() { _ = edgesIn.shut() }() // read only: nothing is lost
		} else if fileExists(set.vertices) {
			vin, err := openText(in, set.vertices)
			if err != nil {
				return nil, err
			}
			vertices, err = readVertexFile(vin)
			_ = vin.shut() // read only: nothing is lost
			if err != nil {
				return nil, err
			}
			haveVertices = true
		}
	}
	cure := ""
	if !haveVertices {
		cure = "there is no vertex file " + set.vertices
		f.Report.warnf("no vertex file: the vertices are the ids that occur")
	}
	if !props.found {
		f.Report.warnf("no properties file: the edges are directed")
		props.directed = true
	}
	f.Report.DirectionStated = props.directionStated
	list, err := graphalyticsEdges(edgesIn, f, props, vertices, haveVertices)
	if err == nil {
		err = props.check(in, f, set.edges, list.NumEdges(), props.edges, "edge", "edges", "")
	}
	if err != nil {
		return nil, edgesIn.wrap(err)
	}
	file := set.vertices
	if !haveVertices {
		file = set.edges
	}
	if err := props.check(in, f, file, int64(list.Vertices), props.vertices, "vertex", "vertices", cure); err != nil {
		return nil, err
	}
	list.Directed = props.directed
	return list, nil
}

// vertexBlock is what one block of a vertex file holds.
type vertexBlock struct {
	ids     []uint64
	first   int64
	skipped []int32 // lines of the block, from 0, that hold no vertex
}

// readVertexFile reads ids, one a line; further columns are properties.
func readVertexFile(in *input) ([]*vertexBlock, error) {
	return parseBlocks(in, 0, func(b block, out *vertexBlock) error {
		data, line := b.data, b.first
		out.first = b.first
		if err := in.hold(min(b.lines, int64(len(data)/2+1)) * 8); err != nil {
			return err
		}
		for i := 0; i < len(data); {
			line++
			start := i
			i = skipBlanks(data, i)
			if i == len(data) {
				break
			}
			if eol(data[i]) || data[i] == '#' {
				out.skipped = append(out.skipped, int32(line-1-b.first))
			} else {
				v, k := parseDigits(data, i)
				if k <= i || k < len(data) && !blank(data[k]) && !eol(data[k]) {
					return idFault(line, i-start+1, token(data, i, 0), "vertex")
				}
				out.ids = append(out.ids, v)
			}
			i = nextLine(data, restOfLine(data, i))
		}
		return nil
	})
}

// secondLine is the line on which a vertex that is listed twice stands again.
func secondLine(blocks []*vertexBlock, id uint64) int64 {
	seen := false
	for _, b := range blocks {
		for k, v := range b.ids {
			if v != id {
				continue
			}
			if seen {
				return recordLine(b.first, b.skipped, int64(k))
			}
			seen = true
		}
	}
	return 0
}

// graphalyticsEdges reads the edge file; its vertices are those of the vertex file.
func graphalyticsEdges(in *input, f *File, props graphalyticsProperties, vertices []*vertexBlock, haveVertices bool) (*graph.EdgeList, error) {
	shape := &listShape{comments: "#", what: "vertex"}
	text, _, ok, err := in.peekRecord('#')
	if err != nil {
		return nil, err
	}
	if ok {
		shape.columns = max(2, countColumns(text, 0))
		shape.fixedBy = fmt.Sprintf("as line %d has", in.lines+1)
	} else {
		shape.columns = 2 + len(props.names)
	}
	if len(props.names) > 0 {
		if shape.columns != 2+len(props.names) {
			return nil, fault(in.lines+1, 0, ErrFormat, plural(int64(shape.columns), "column"),
				fmt.Sprintf("%d: source, target, %s, as the properties file says", 2+len(props.names), strings.Join(props.names, ", ")), "")
		}
		if i := slices.Index(props.names, "weight"); i >= 0 {
			shape.weight = 3 + i
		}
	}
	if shape.weight == 0 && shape.columns > 2 && !props.found {
		shape.weight = 3
	} else if shape.weight == 0 && len(props.names) == 1 {
		shape.weight = 3
	}
	if c := in.o.WeightColumn; c > 0 {
		shape.weight = c
	} else if c < 0 {
		shape.weight = 0
	}
	if shape.weight > shape.columns {
		return nil, fault(in.lines+1, 0, ErrFormat, plural(int64(shape.columns), "column"), fmt.Sprintf("a weight in column %d", shape.weight))
	}
	blocks, err := parseBlocks(in, 0, func(b block, out *edgeBlock) error { return shape.parse(in, b, out) })
	if err != nil {
		return nil, err
	}
	if !haveVertices {
		return compactBlocks(in, f, blocks, shape.weight > 0)
	}
	// The vertices go before the edges as self-loops, so that both get ids in one go.
	n := 0
	for _, b := range vertices {
		n += len(b.ids)
	}
	if err := in.hold(int64(n) * 24); err != nil {
		return nil, err
	}
	known := make([]uint64, 0, n)
	for _, b := range vertices {
		known = append(known, b.ids...)
	}
	slices.Sort(known)
	for i := 1; i < n; i++ {
		if known[i] == known[i-1] {
			return nil, &Error{File: graphalyticsFiles(in.path).vertices, Line: secondLine(vertices, known[i]), Found: fmt.Sprintf("vertex %d twice", known[i]), Want: "each vertex once", Err: ErrFormat}
		}
	}
	selves := make([]graph.Pair64, n)
	for i, id := range known {
		selves[i] = graph.Pair64{U: id, V: id}
	}
	blocks = append([]*edgeBlock{{pairs: selves}}, blocks...)
	weighted := shape.weight > 0
	list, err := compactBlocks(in, f, blocks, weighted)
	if err != nil {
		return nil, err
	}
	list.Edges = list.Edges[n:]
	if list.Labels.Len() == n {
		return list, nil
	}
	// Some edge names a vertex that the vertex file lacks: find the first.
	k := 0
	for _, b := range blocks[1:] {
		for i := range b.records {
			e := list.Edges[k]
			for _, id := range []uint64{list.Labels.Label(e.U), list.Labels.Label(e.V)} {
				if _, ok := slices.BinarySearch(known, id); !ok {
					return nil, fault(b.line(i), 0, ErrFormat, fmt.Sprintf("vertex %d", id), "a vertex of the vertex file")
				}
			}
			k++
		}
	}
	return list, nil
}

// graphalyticsName is the name of the graph inside the properties file.
func graphalyticsName(path string) string {
	name := stem(path)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// writeGraphalytics writes the edge file, and beside it the vertex and the properties
// file.
func writeGraphalytics(w *writer) error {
	if w.vertexFile == nil {
		return fmt.Errorf("graphio: %w: Graphalytics graphs are three files and need a name", ErrOptions)
	}
	labels := w.src.VertexLabels()
	var dst []byte
	for v := range labels.Len() {
		if v%blockRecords == 0 {
			if err := w.ctx.Err(); err != nil {
				return err
			}
		}
		dst = append(strconv.AppendUint(dst[:0], labels.Label(uint32(v)), 10), '\n')
		if _, err := w.vertexFile.Write(dst); err != nil {
			return err
		}
	}
	name := graphalyticsName(w.path)
	prefix := "graph." + name + "."
	var p strings.Builder
	files := graphalyticsFiles(w.path)
	fmt.Fprintf(&p, "%svertex-file = %s\n%sedge-file = %s\n", prefix, filepath.Base(files.vertices), prefix, filepath.Base(files.edges))
	fmt.Fprintf(&p, "%smeta.vertices = %d\n%smeta.edges = %d\n%sdirected = %v\n", prefix, labels.Len(), prefix, w.src.NumEdges(), prefix, w.src.IsDirected())
	if w.kind != graph.Unweighted {
		kind := "int"
		if w.kind == graph.Float32 || w.kind == graph.Float64 {
			kind = "real"
		}
		fmt.Fprintf(&p, "%sedge-properties.names = weight\n%sedge-properties.types = %s\n", prefix, prefix, kind)
	}
	if _, err := w.properties.WriteString(p.String()); err != nil {
		return err
	}
	return w.records(func(dst []byte, e graph.Edge, weights graph.Weights, k int) []byte {
		dst = strconv.AppendUint(dst, labels.Label(e.U), 10)
		dst = append(dst, ' ')
		dst = strconv.AppendUint(dst, labels.Label(e.V), 10)
		if w.kind != graph.Unweighted {
			dst = append(dst, ' ')
			dst = appendWeight(dst, weights, k)
		}
		return append(dst, '\n')
	})
}
