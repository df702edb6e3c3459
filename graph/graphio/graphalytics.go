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

// graphalyticsSet are the files that belong together, and their name.
type graphalyticsSet struct{ name, vertices, edges, properties string }

// graphalyticsFiles finds the names that belong to one of them.
func graphalyticsFiles(path string) graphalyticsSet {
	dir, base := filepath.Split(path)
	name := stem(path)
	suffix := base[len(name):]
	name = strings.TrimSuffix(name, filepath.Ext(name))
	at := func(ext string) string { return filepath.Join(dir, name+ext) }
	return graphalyticsSet{name, at(".v" + suffix), at(".e" + suffix), at(".properties")}
}

// graphalyticsProperties is what the properties file says: values by the end of their keys.
type graphalyticsProperties struct {
	path                        string
	found, undirected, directed bool     // directed and undirected as stated
	names                       []string // of the edge properties
	values                      map[string]property
}

type property struct {
	value string
	line  *line
}

// openText opens another text file of the set, and runs read on it.
func openText(in *input, path string, read func(other *input) error) error {
	other, err := openInput(in.ctx, path, in.o)
	if err != nil {
		return err
	}
	defer func() { _ = other.shut() }() // read only: nothing is lost
	return other.wrap(other.run(func() error {
		if err := other.startText(); err != nil {
			return err
		}
		return read(other)
	}))
}

// there tells by the error of openText whether the file exists.
func there(err error) (bool, error) {
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return true, err
}

// read takes the lines of the properties file.
func (p *graphalyticsProperties) read(in *input) error {
	p.values = map[string]property{}
	for l := in.peekRecord("#!"); l != nil; l = in.peekRecord("#!") {
		text := strings.TrimSpace(string(l.text))
		if i := strings.IndexAny(text, "=:"); i >= 0 {
			key := strings.Split(strings.TrimSpace(text[:i]), ".")
			for k := range key {
				p.values[strings.Join(key[k:], ".")] = property{strings.TrimSpace(text[i+1:]), &line{at: l.at}}
			}
		}
		in.skip(l)
	}
	if d, ok := p.values["directed"]; ok {
		p.directed, p.undirected = strings.EqualFold(d.value, "true"), strings.EqualFold(d.value, "false")
		if !p.directed && !p.undirected {
			return d.line.fault(ErrFormat, quote(d.value), "true or false")
		}
	}
	p.names = strings.FieldsFunc(p.values["edge-properties.names"].value, func(c rune) bool { return c == ',' || c == ' ' })
	for _, key := range []string{"meta.vertices", "meta.edges"} {
		if n, ok := p.values[key]; ok {
			if _, err := n.line.wholes([]string{n.value}, "of vertices or edges"); err != nil {
				return err
			}
		}
	}
	return nil
}

// check compares a number of vertices or edges with the one stated.
func (p *graphalyticsProperties) check(in *input, f *File, file string, found int, key, one, many, hint string) error {
	stated, ok := p.values[key]
	n, _ := strconv.ParseUint(stated.value, 10, 64) // read has checked it
	if !ok || uint64(found) == n {
		return nil
	}
	says := fmt.Sprintf("%d, as line %d of %s says", n, stated.line.at, p.path)
	if in.o.Lenient {
		f.Report.toleratef("%s found instead of %s", spell(int64(found), one, many), says)
		return nil
	}
	e := bad(short(uint64(found), n), spell(int64(found), one, many), says, hint)
	e.File = file
	return e
}

// readGraphalytics reads a set of Graphalytics files, named by its .e or .v file.
func readGraphalytics(in *input, f *File) (graph.Source, error) {
	if in.member != "" {
		return nil, bad(ErrUnsupported, "one file of a Graphalytics graph in an archive", "its files beside each other", "unpack it")
	}
	set := graphalyticsFiles(in.path)
	props := graphalyticsProperties{path: set.properties}
	var vertices []*records
	var list *graph.EdgeList
	readVertices := func(in *input) (err error) {
		vertices, err = in.scan(&layout{columns: 1, at: [2]int{1, 1}, ends: [2]string{"vertex", "vertex"}, comments: "#", open: true})
		return err
	}
	haveVertices, named := false, in.file != nil && extension(in.path) == ".v" // by its vertices
	if in.file != nil {
		var err error
		props.found, err = there(openText(in, set.properties, props.read))
		if err == nil && named {
			haveVertices, err = true, readVertices(in)
		} else if err == nil {
			haveVertices, err = there(openText(in, set.vertices, readVertices))
		}
		if err != nil {
			return nil, err
		}
	}
	cure, file := "", set.vertices
	if !haveVertices {
		cure, file = "there is no vertex file "+set.vertices, set.edges
		f.Report.warnf("no vertex file: the vertices are the ids that occur")
	}
	if !props.found {
		f.Report.warnf("no properties file: the edges are directed")
	}
	f.Report.DirectionStated = props.directed || props.undirected
	readEdges := func(in *input) (err error) {
		list, err = graphalyticsEdges(in, f, props, vertices, haveVertices)
		return in.wrap(err)
	}
	var err error
	if named {
		err = openText(in, set.edges, readEdges)
	} else {
		err = readEdges(in)
	}
	if err == nil {
		err = props.check(in, f, set.edges, len(list.Edges), "meta.edges", "edge", "edges", "")
	}
	if err == nil {
		err = props.check(in, f, file, list.Vertices, "meta.vertices", "vertex", "vertices", cure)
	}
	return list, err
}

// secondLine is the line on which a vertex that is listed twice stands again.
func secondLine(blocks []*records, id uint64) int64 {
	seen := false
	for _, b := range blocks {
		for k, v := range b.pairs {
			if v.U == id && seen {
				return b.line(k)
			}
			seen = seen || v.U == id
		}
	}
	return 0
}

// graphalyticsEdges reads the edge file; its vertices are those of the vertex file.
func graphalyticsEdges(in *input, f *File, props graphalyticsProperties, vertices []*records, haveVertices bool) (*graph.EdgeList, error) {
	l, err := graphalyticsLayout(in, props)
	if err != nil {
		return nil, err
	}
	blocks, err := in.scan(l)
	if err != nil {
		return nil, err
	}
	if !haveVertices {
		return in.list(f, l, blocks)
	}
	n := 0
	for _, b := range vertices {
		n += b.count
	}
	if err := in.hold(int64(n) * 8); err != nil {
		return nil, err
	}
	known := make([]uint64, 0, n)
	for _, b := range vertices {
		for _, v := range b.pairs {
			known = append(known, v.U)
		}
	}
	slices.Sort(known)
	for i, id := range known {
		if i > 0 && id == known[i-1] {
			e := fault(secondLine(vertices, id), 0, ErrFormat, fmt.Sprintf("vertex %d twice", id), "each vertex once")
			e.File = graphalyticsFiles(in.path).vertices
			return nil, e
		}
	}
	list, err := in.listOf(f, l, known, blocks)
	if err != nil || list.Labels.Len() == n {
		return list, err
	}
	// Some edge names a vertex that the vertex file lacks: find the first.
	k := 0
	for _, b := range blocks {
		for i := range b.count {
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

// graphalyticsLayout settles the columns by the first edge and the properties file.
func graphalyticsLayout(in *input, props graphalyticsProperties) (*layout, error) {
	l := &layout{directed: !props.undirected, comments: "#", ends: [2]string{"vertex", "vertex"}, columns: 2 + len(props.names)}
	first := in.peekRecord("#")
	if first != nil {
		l.columns = max(2, countColumns(first.text, 0))
		l.want = fmt.Sprintf("%d: as line %d has", l.columns, first.at)
	}
	found := plural(int64(l.columns), "column")
	if n := len(props.names); n > 0 && l.columns != 2+n {
		return nil, first.fault(ErrFormat, found, fmt.Sprintf("%d: source, target, %s, as the properties file says", 2+n, strings.Join(props.names, ", ")))
	}
	if i := slices.Index(props.names, "weight"); i >= 0 {
		l.weight = 3 + i
	} else if l.columns > 2 && !props.found || len(props.names) == 1 {
		l.weight = 3
	}
	if c := in.o.WeightColumn; c != 0 {
		l.weight = max(c, 0)
	}
	if l.weight > l.columns {
		return nil, fault(in.lines+1, 0, ErrFormat, found, fmt.Sprintf("a weight in column %d", l.weight))
	}
	return l, nil
}

// writeGraphalytics writes the edge file, and beside it the vertex and the properties file.
func writeGraphalytics(w *writer) error {
	if w.vertexFile == nil {
		return fmt.Errorf("graphio: %w: Graphalytics graphs are three files and need a name", ErrOptions)
	}
	labels := w.src.VertexLabels()
	if labels.Names() != nil {
		w.labelLoss(0)
		labels = w.from(0)
	}
	var dst []byte
	for v := range labels.Len() {
		if v%blockRecords == 0 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		dst = append(strconv.AppendUint(dst[:0], labels.Label(uint32(v)), 10), '\n')
		if _, err := w.vertexFile.Write(dst); err != nil {
			return err
		}
	}
	set, kind := graphalyticsFiles(w.path), "int"
	if isReal(w.kind) {
		kind = "real"
	}
	properties := fmt.Sprintf("P.vertex-file = %s\nP.edge-file = %s\nP.meta.vertices = %d\nP.meta.edges = %d\nP.directed = %v\n",
		filepath.Base(set.vertices), filepath.Base(set.edges), labels.Len(), w.src.NumEdges(), w.src.IsDirected())
	if w.kind != graph.Unweighted {
		properties += fmt.Sprintf("P.edge-properties.names = weight\nP.edge-properties.types = %s\n", kind)
	}
	for line := range strings.Lines(properties) {
		if _, err := w.properties.WriteString("graph." + set.name + strings.TrimPrefix(line, "P")); err != nil {
			return err
		}
	}
	return w.list("", labels, ' ', "")
}
