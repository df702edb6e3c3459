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

// graphalyticsProperties is what the properties file says.
type graphalyticsProperties struct {
	path                        string
	found, undirected, directed bool     // directed and undirected as stated
	names                       []string // of the edge properties
	vertices, edges             metaCount
}

// metaCount is a number that the properties file states on a line, 0 where it does not.
type metaCount struct {
	line int64
	n    uint64
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

// property takes a line of the properties file; most say what does not matter here.
func (p *graphalyticsProperties) property(l *line) (err error) {
	text := strings.TrimSpace(string(l.text))
	i := strings.IndexAny(text, "=:")
	if i < 0 || text[0] == '#' || text[0] == '!' {
		return nil
	}
	key, value := strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:])
	count := metaCount{line: l.at}
	switch {
	case strings.HasSuffix(key, ".directed"):
		p.directed, p.undirected = strings.EqualFold(value, "true"), strings.EqualFold(value, "false")
		if !p.directed && !p.undirected {
			return l.fault(ErrFormat, quote(value), "true or false")
		}
	case strings.HasSuffix(key, ".edge-properties.names"):
		for _, name := range strings.Split(value, ",") {
			if name = strings.TrimSpace(name); name != "" {
				p.names = append(p.names, name)
			}
		}
	case strings.HasSuffix(key, ".meta.vertices"), strings.HasSuffix(key, ".meta.edges"):
		if count.n, err = strconv.ParseUint(value, 10, 64); err != nil {
			return l.fault(ErrFormat, quote(value), "a number of vertices or edges")
		}
		if strings.HasSuffix(key, ".vertices") {
			p.vertices = count
		} else {
			p.edges = count
		}
	}
	return nil
}

// check compares a number of vertices or edges with the one stated.
func (p *graphalyticsProperties) check(in *input, f *File, file string, found int, stated metaCount, one, many, hint string) error {
	if stated.line == 0 || uint64(found) == stated.n {
		return nil
	}
	says := fmt.Sprintf("%d, as line %d of %s says", stated.n, stated.line, p.path)
	if in.o.Lenient {
		f.Report.toleratef("%s found instead of %s", spell(int64(found), one, many), says)
		return nil
	}
	e := bad(short(uint64(found), stated.n), spell(int64(found), one, many), says, hint)
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
	haveVertices := false
	readVertices := func(in *input) (err error) {
		vertices, err = in.scan(&layout{columns: 1, at: [2]int{1, 1}, ends: [2]string{"vertex", "vertex"}, comments: "#", open: true})
		return err
	}
	var list *graph.EdgeList
	readEdges := func(in *input) (err error) {
		list, err = graphalyticsEdges(in, f, props, vertices, haveVertices)
		return in.wrap(err)
	}
	named := extension(in.path) == ".v" // by its vertices
	var err error
	if in.file != nil {
		props.found, err = there(openText(in, set.properties, func(other *input) error {
			for l := other.peekLine(); l != nil; l = other.peekLine() {
				if err := props.property(l); err != nil {
					return err
				}
				other.skip(l)
			}
			return nil
		}))
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
	if in.file != nil && named {
		err = openText(in, set.edges, readEdges)
	} else {
		err = readEdges(in)
	}
	if err == nil {
		err = props.check(in, f, set.edges, len(list.Edges), props.edges, "edge", "edges", "")
	}
	if err == nil {
		err = props.check(in, f, file, list.Vertices, props.vertices, "vertex", "vertices", cure)
	}
	if err != nil {
		return nil, err
	}
	return list, nil
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
	// The vertices go before the edges as self-loops, so that both get ids in one go.
	n := 0
	for _, b := range vertices {
		n += b.count
	}
	if err := in.hold(int64(n) * 24); err != nil {
		return nil, err
	}
	known := make([]uint64, 0, n)
	for _, b := range vertices {
		for _, v := range b.pairs {
			known = append(known, v.U)
		}
	}
	slices.Sort(known)
	selves := make([]graph.Pair64, n)
	for i, id := range known {
		if i > 0 && id == known[i-1] {
			e := fault(secondLine(vertices, id), 0, ErrFormat, fmt.Sprintf("vertex %d twice", id), "each vertex once")
			e.File = graphalyticsFiles(in.path).vertices
			return nil, e
		}
		selves[i] = graph.Pair64{U: id, V: id}
	}
	list, err := in.list(f, l, append([]*records{{pairs: selves}}, blocks...))
	if err != nil {
		return nil, err
	}
	list.Edges = list.Edges[n:]
	if list.Labels.Len() == n {
		return list, nil
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
