package graphio

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// Plain edge lists, as SNAP publishes them (https://snap.stanford.edu/data): a record a line, two ids, perhaps more
// columns; lines that start with # or % are comments.

// Marks in the first comment of a list: its third column is a weight, or its ids are names and there is no header.
const (
	weightMark = ", weights in column 3"
	nameMark   = ", ids are names"
)

// readEdgeList reads a plain edge list.
func readEdgeList(in *input, f *File) (graph.Source, error) {
	l := layout{directed: true, comments: "#%", lenient: in.o.Lenient, ends: [2]string{"an id", "an id"},
		cure: "a weighted list is named .wel, or its weight column is given"}
	switch extension(in.name()) {
	case ".el":
		l.columns, l.want = 2, "2: an unweighted edge list (.el) has 2"
	case ".wel":
		l.columns, l.want, l.weight = 3, "3: a weighted edge list (.wel) has 3", 3
	}
	return readList(in, f, &l)
}

// readNCOL reads a list of names as LGL does: undirected, with an optional weight in column 3.
func readNCOL(in *input, f *File) (graph.Source, error) {
	l := layout{comments: "#", columns: 3, want: "2 or 3: two names and perhaps a weight", weight: 3, optional: true, ends: [2]string{"an id", "an id"}}
	return readList(in, f, &l)
}

// readList reads what follows the comments as l says, and as the first records show.
func readList(in *input, f *File, l *layout) (graph.Source, error) {
	if c := in.o.WeightColumn; c != 0 {
		l.weight = max(c, 0)
		if l.columns < c {
			l.columns = 0
		}
	}
	var stated counts // by comments or the first line
	var marks []string
	var comment []byte // the last one
	says := false      // a comment has the word undirected
	text := in.peekLine()
	for ; text != nil; text = in.peekLine() {
		i := skipBlanks(text.text, 0)
		if i < len(text.text) {
			start := text.text[i:min(len(text.text), i+longestComment)]
			d, ok := statedDirection(bytes.TrimLeft(start, l.comments))
			if ok = ok && comment == nil; !ok && strings.IndexByte(l.comments, start[0]) < 0 {
				break
			}
			comment = bytes.Clone(start)
			if ok {
				f.Report.DirectionStated, l.directed = true, d
				l.stated = bytes.Contains(comment, []byte(nameMark))
				l.names, l.headed = l.stated, true
				if bytes.Contains(comment, []byte(weightMark)) && in.o.WeightColumn == 0 && l.columns != 2 {
					l.weight = 3
				}
			}
			if m, ok := mark(comment); ok && m != "" {
				marks = append(marks, m)
			}
			says = says || bytes.Contains(bytes.ToLower(comment), []byte("undirected"))
			stated.add(statedCounts(comment))
		}
		in.skip(text)
	}
	if text != nil && text.at == 1 && len(text.text) == 5 && bytes.HasPrefix(text.text, []byte("sep=")) { // Excel's
		in.skip(text)
		text = in.peekRecord(l.comments)
	}
	at := int64(0)
	if text != nil {
		sizes, err := l.settle(in, text, marks, comment)
		if err != nil {
			return nil, err
		}
		at = in.lines + 1
		stated.add(sizes)
	}
	if (l.names || in.o.Names) && in.o.Vertices != 0 {
		return nil, bad(ErrOptions, "names as ids", "numbers, where ids or a number of vertices are kept")
	}
	blocks, err := in.scan(l)
	if err != nil {
		return nil, err
	}
	if l.optional && !slices.ContainsFunc(blocks, func(b *records) bool { return b.given > 0 }) {
		l.weight = 0
	}
	list, err := in.list(f, l, blocks)
	if err == nil && !l.names && !l.decided && !l.headed && in.o.FirstLine == 0 {
		err = sizesFirst(list, l.lead, at)
	}
	if err != nil {
		return nil, err
	}
	if says && !f.Report.DirectionStated && in.o.Direction == AsStated {
		f.Report.warnf("a comment says undirected, and no first comment begins with \"Undirected graph\": each line is read as an arc")
	}
	n := uint64(list.NumEdges())
	if n == 0 {
		f.Report.warnf("the file holds no edges: the graph is empty")
	} else if l.columns > 2 && l.weight == 0 && in.o.WeightColumn == 0 && f.Report.IgnoredColumns > 0 {
		where := "columns beyond the second (column 3 can be read as a weight)"
		if l.at != [2]int{1, 2} {
			where = fmt.Sprintf("columns other than %d and %d", l.at[0], l.at[1])
		}
		f.Report.warnf("%s left out in %s", plural(f.Report.IgnoredColumns, "value"), where)
	}
	if v := uint64(list.Vertices); stated.edges > n {
		f.Report.warnf("the file states %d edges and holds %d: it may have been cut short", stated.edges, n)
	} else if stated.vertices > v {
		f.Report.warnf("the file states %d vertices and its edges name %d: it leaves out vertices without edges, or has been cut short", stated.vertices, v)
	}
	return list, nil
}

// settle takes the delimiter, the columns and what ids are from the first records, and consumes a first line that is
// none. It returns the numbers that such a line states.
func (l *layout) settle(in *input, first *line, marks []string, comment []byte) (stated counts, err error) {
	s, e := in.sample(first, l.comments, marks)
	if e != nil {
		return stated, e
	}
	if in.o.FirstLine == FirstSizes {
		words := first.words()
		if stated.edges, err = strconv.ParseUint(words[len(words)-1], 10, 64); err != nil {
			return stated, first.fault(ErrFormat, quote(first.text), "numbers of vertices and edges")
		}
		if len(words) == 2 {
			stated.vertices, _ = strconv.ParseUint(words[0], 10, 64) // 0 is no number
		} else if len(words) == 1 {
			stated = counts{}
		}
	}
	header, e := s.header(in.o, l)
	if e != nil {
		return stated, e
	}
	var names []string
	var behind line // the line behind the header
	if header || in.o.FirstLine == FirstSizes {
		if header {
			names = columnNames(first.text, s.rows[0], s.delim)
		}
		in.skip(first)
		if next := in.peekLine(); next != nil {
			behind = line{bytes.Clone(next.text), 0, next.at}
		}
		text := in.peekRecord(l.comments)
		if text == nil && header {
			return stated, first.fault(ErrFormat, "a line of words and no record", "an edge list")
		} else if text == nil {
			return stated, nil
		}
		first = text
		if s, e = in.sample(text, l.comments, marks); e != nil {
			return stated, e
		}
	}
	l.delim = s.delim
	if err := l.first(first); err != nil {
		return stated, err
	}
	if err := l.nameColumns(first, names, s, in.o); err != nil {
		return stated, err
	}
	if !l.decided && !l.headed && len(names) == 0 {
		words := columnNames(bytes.TrimLeft(comment, l.comments), nil, l.delim)
		if at, ok, _ := ends(words); ok && at != l.at && len(words) == l.columns {
			return stated, fault(first.at-1, 0, ErrFormat, "a comment that may name the columns, "+quote(comment), "columns named by an option").
				advise("name the columns of the ends (%s "+fmt.Sprintf("%d,%d)", at[0], at[1]), CureColumns)
		}
	}
	row, ext := s.rows[0], extension(in.name())
	end := func(c int) string { return row[min(c, len(row))-1] }
	l.names = l.names || in.o.Names || nameLike(end(l.at[0])) || nameLike(end(l.at[1]))
	if l.hides(behind.text) {
		return stated, l.hidden(behind.at)
	}
	l.commas = l.delim == ';' && slices.ContainsFunc(s.lines, func(line []byte) bool { return bytes.IndexByte(line, ',') >= 0 })
	l.text = l.names || s.quoted || l.commas || l.delim == '\t'
	for _, w := range row {
		if v, k := parseDigits([]byte(w), 0); k == len(w) && k > 0 {
			l.lead = append(l.lead, v)
		}
	}
	return stated, s.ambiguous(l, names, in.o, l.decided || l.weight > 0 || ext == ".el" || ext == ".wel")
}

// first takes the number of columns from the first record.
func (l *layout) first(text *line) error {
	columns := countColumns(text.text, l.delim)
	if l.columns == 0 {
		l.columns = max(columns, 2)
		l.want = fmt.Sprintf("%d: the first record, line %d, has %d", l.columns, text.at, columns)
		if columns < 2 {
			l.want = "2: an edge has 2 ends"
		}
	}
	if l.weight > columns && columns >= 2 && !l.optional {
		return fault(text.at, 0, ErrFormat, plural(int64(columns), "column"), fmt.Sprintf("a weight in column %d", l.weight)).
			advise("if the line states numbers of vertices and edges, say so (%s sizes); else name the columns (%s), or leave weights out (%s)",
				CureFirstLine, CureColumns, CureNoWeights)
	}
	return nil
}

// columnNames are the columns of a header, cut as row unless it is separated otherwise than the records.
func columnNames(text []byte, row []string, delim byte) []string {
	if d := delimiter(text); d != delim || row == nil {
		row = nil
		for _, c := range split(text, d, nil) {
			row = append(row, string(c.text))
		}
	}
	return row
}

// nameColumns settles the columns of the ends and the weight by Options.Columns or the names of the header.
func (l *layout) nameColumns(text *line, names []string, s *sample, o *Options) error {
	l.at = [2]int{1, 2}
	at, ok, rivals := ends(names)
	found := ""
	if rivals {
		found = "several pairs of columns that may be the ends"
	} else if !ok && vertexTable(names) {
		found = "a table of vertices, or an edge list"
	} else if !ok && twoIDs(names) {
		found = "ids of two kinds of vertices"
	} else if !ok && turned(names) {
		found = "columns that may be the ends in the other order"
	} else if !ok && len(names) > 2 && names[0] != "" {
		found = "columns none of which is known as an end"
	}
	if found != "" && len(o.Columns) == 0 {
		return text.fault(ErrFormat, found+", by their names "+quote(strings.Join(names, ",")), "one pair of ends").
			advise("name the columns of the ends (%s)", CureColumns)
	}
	if ok && len(o.Columns) == 0 && l.columns >= max(at[0], at[1]) {
		l.at, l.decided = at, true
		if n := len(names); n != l.columns && l.columns > 2 && !l.optional {
			return text.fault(ErrFormat, fmt.Sprintf("%d names and %s", n, plural(int64(l.columns), "column")),
				"a name for each column, or the columns of the ends by number")
		}
	}
	i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, "type") })
	undirected := func(r []string) bool { return i >= 0 && i < len(r) && strings.EqualFold(r[i], "undirected") } // as Gephi writes it
	if k := slices.IndexFunc(s.rows, undirected); k >= 0 && o.Direction == AsStated {
		return fault(s.ats[k], 0, ErrFormat, "edges whose "+quote(names[i])+" is undirected", "arcs").
			advise("say that all are undirected (%s)", CureDirection)
	}
	columns := [4]int{l.at[0], l.at[1], l.weight}
	for i, c := range o.Columns {
		n, err := strconv.Atoi(c)
		again := false
		for k, name := range names {
			if err != nil && strings.EqualFold(name, c) {
				n, again = k+1, n > 0
			}
		}
		if again {
			return text.fault(ErrOptions, fmt.Sprintf("several columns %q", c), "one, or a number")
		} else if n < 1 {
			return text.fault(ErrOptions, fmt.Sprintf("no column %q", c), fmt.Sprintf("one of %q, or a number from 1 on", names))
		}
		columns[i], l.decided = n, true
	}
	if len(o.Columns) == 2 || o.WeightColumn < 0 {
		columns[2] = 0
	}
	l.at, l.weight = [2]int{columns[0], columns[1]}, columns[2]
	if last := slices.Max(columns[:]); last > l.columns {
		return text.fault(ErrFormat, plural(int64(l.columns), "column"), fmt.Sprintf("an end, a weight or a time in column %d", last))
	}
	if l.at[0] == l.at[1] || slices.Contains(l.at[:], l.weight) {
		return text.fault(ErrOptions, fmt.Sprintf("ends in columns %d and %d, a weight in column %d", l.at[0], l.at[1], l.weight), "a column for each")
	}
	return nil
}

// counts are numbers that comments state, 0 if they do not.
type counts struct{ vertices, edges uint64 }

func (c *counts) add(other counts) {
	c.vertices, c.edges = max(c.vertices, other.vertices), max(c.edges, other.edges)
}

var (
	thousands = regexp.MustCompile(`(\d),(\d{3})\b`)
	statement = regexp.MustCompile(`(\d+)\s+(nodes|vertices|edges|arcs|links)\b|(\b(?:nodes|vertices|edges|arcs|links)|\|[ve]\|)\s*[:=]?\s*(\d+)`)
)

// statedCounts finds the numbers of vertices and edges in a comment: behind the words, as in "Edges: 7", before them, as
// in "7 edges", or n n m or m n n alone.
func statedCounts(comment []byte) (c counts) {
	text := thousands.ReplaceAllString(strings.ToLower(string(comment)), "$1$2")
	if rest, ok := strings.CutPrefix(text, "%"); ok {
		n := [3]uint64{}
		words := strings.Fields(rest)
		for i, w := range words[:min(len(words), len(n))] {
			n[i], _ = strconv.ParseUint(w, 10, 64) // 0 is no number
		}
		switch {
		case len(words) != 3 || n[0] == 0 || n[2] == 0:
		case n[0] == n[1]:
			return counts{n[0], n[2]}
		case n[1] == n[2]:
			return counts{n[1], n[0]}
		}
	}
	for _, m := range statement.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.ParseUint(m[1]+m[4], 10, 64) // 0 beyond 64 bits
		if slices.Contains([]string{"nodes", "vertices", "|v|"}, m[2]+m[3]) {
			c.add(counts{vertices: n})
		} else {
			c.add(counts{edges: n})
		}
	}
	return c
}

// statedDirection reads the first comment of a file.
func statedDirection(comment []byte) (directed, ok bool) {
	words := strings.Fields(strings.ToLower(string(comment)))
	if len(words) < 2 || strings.TrimRight(words[1], ":.,") != "graph" {
		return false, false
	}
	return words[0] == "directed", words[0] == "directed" || words[0] == "undirected"
}

// writeEdgeList writes a plain edge list: the file's ids, a weight in column 3 where there is one, commas in .csv, tabs
// in .tsv, blanks elsewhere. The first line says whether the graph is directed.
func writeEdgeList(w *writer) error {
	ext, sep, comment := extension(w.path), byte(' '), "# Directed graph"
	switch ext {
	case ".csv":
		sep = ','
	case ".tsv":
		sep = '\t'
	case ".el":
		if w.kind != graph.Unweighted {
			return loss("weights, and an unweighted list (.el) has none", "name the list .wel, or drop the weights (%s)", CureDropWeights)
		}
	case ".wel":
		w.ones("edge")
	}
	if err := w.isolatedLoss(); err != nil {
		return err
	}
	if !w.src.IsDirected() {
		comment = "# Undirected graph"
	}
	if w.kind != graph.Unweighted && ext != ".wel" {
		comment += weightMark
	}
	if w.src.VertexLabels().Names() != nil {
		comment += nameMark
	}
	return w.list(comment+"\n", w.src.VertexLabels(), sep, "")
}
