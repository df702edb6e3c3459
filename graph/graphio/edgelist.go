package graphio

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// Plain edge lists, as SNAP publishes them (https://snap.stanford.edu/data): a record a line, two ids, perhaps more
// columns; lines that start with # or % are comments.

// weightMark ends the first comment of a list whose third column is a weight.
const weightMark = ", weights in column 3"

// readEdgeList reads a plain edge list.
func readEdgeList(in *input, f *File) (graph.Source, error) {
	l := layout{directed: true, comments: "#%", lenient: in.o.Lenient, at: [2]int{1, 2}, ends: [2]string{"an id", "an id"},
		cure: "a weighted list is named .wel, or its weight column is given"}
	switch extension(in.path) {
	case ".el":
		l.columns, l.want = 2, "2: an unweighted edge list (.el) has 2"
	case ".wel":
		l.columns, l.want, l.weight = 3, "3: a weighted edge list (.wel) has 3", 3
	}
	if c := in.o.WeightColumn; c != 0 {
		l.weight = max(c, 0)
		if l.columns < c {
			l.columns = 0
		}
	}
	first, header, names := true, (*line)(nil), []string(nil)
	for {
		text, err := in.peekLine()
		if err != nil {
			return nil, err
		}
		if text == nil {
			break
		}
		i := skipBlanks(text.text, 0)
		if i < len(text.text) && strings.IndexByte(l.comments, text.text[i]) < 0 {
			if header == nil && wordsOnly(text.text) {
				header, names = text, columnNames(text.text)
				in.skip(text)
				continue
			}
			header = nil
			if err := l.first(text); err != nil {
				return nil, err
			}
			if err := l.nameColumns(text, names, in.o); err != nil {
				return nil, err
			}
			break
		}
		if i < len(text.text) && first {
			first = false
			if d, ok := statedDirection(text.text[i+1:]); ok {
				f.Report.DirectionStated, l.directed = true, d
				if bytes.HasSuffix(bytes.TrimSpace(text.text), []byte(weightMark)) && in.o.WeightColumn == 0 && l.columns != 2 {
					l.weight = 3
				}
			}
		}
		in.skip(text)
	}
	if header != nil {
		return nil, header.fault(ErrFormat, "a line of words and no line of numbers", "an edge list")
	}
	blocks, err := in.scan(&l)
	if err != nil {
		return nil, err
	}
	list, err := in.list(f, &l, blocks)
	if err != nil {
		return nil, err
	}
	if list.NumEdges() == 0 {
		f.Report.warnf("the file holds no edges: the graph is empty")
	} else if l.columns > 2 && l.weight == 0 && in.o.WeightColumn == 0 {
		where := "columns beyond the second (column 3 can be read as a weight)"
		if l.at != [2]int{1, 2} {
			where = fmt.Sprintf("columns other than %d and %d", l.at[0], l.at[1])
		}
		f.Report.warnf("%s left out in %s", plural(f.Report.IgnoredColumns, "value"), where)
	}
	return list, nil
}

// first takes the delimiter and the number of columns from the first record.
func (l *layout) first(text *line) error {
	l.delim = delimiter(text.text)
	columns := countColumns(text.text, l.delim)
	if l.columns == 0 {
		l.columns = max(columns, 2)
		l.want = fmt.Sprintf("%d: the first line of numbers, line %d, has %d", l.columns, text.at, columns)
		if columns < 2 {
			l.want = "2: an edge has 2 ends"
		}
	}
	if l.weight > columns && columns >= 2 {
		return fault(text.at, 0, ErrFormat, plural(int64(columns), "column"), fmt.Sprintf("a weight in column %d", l.weight),
			"give the column that holds the weight, or read the list without weights")
	}
	return nil
}

// columnNames are the words of a header, without quotes and in lower case.
func columnNames(text []byte) []string {
	lower := strings.ToLower(string(text))
	words := strings.Fields(lower)
	if d := delimiter(text); d != 0 {
		words = strings.Split(lower, string(d))
	}
	for i, w := range words {
		words[i] = strings.Trim(strings.TrimSpace(w), `"'`)
	}
	return words
}

// nameColumns settles the columns of the ends and the weight by Options.Columns or the names of the header.
func (l *layout) nameColumns(text *line, names []string, o *Options) error {
	for _, ends := range [][2]string{{"source", "target"}, {"from", "to"}, {"src", "dst"}, {"u", "v"}} {
		if at := [2]int{slices.Index(names, ends[0]) + 1, slices.Index(names, ends[1]) + 1}; at[0] > 0 && at[1] > 0 {
			l.at = at
			break
		}
	}
	if n := len(names); l.at != [2]int{1, 2} && len(o.Columns) == 0 && n != l.columns {
		if l.columns > 2 {
			return text.fault(ErrFormat, fmt.Sprintf("%d names and %s", n, plural(int64(l.columns), "column")),
				"a name for each column, or the columns of the ends by number")
		}
		l.at = [2]int{1, 2}
	}
	columns := [3]int{l.at[0], l.at[1], l.weight}
	for i, c := range o.Columns {
		n, err := strconv.Atoi(c)
		if err != nil {
			n = slices.Index(names, strings.ToLower(c)) + 1
		}
		if n < 1 {
			return text.fault(ErrOptions, fmt.Sprintf("no column %q", c), fmt.Sprintf("one of %q, or a number from 1 on", names))
		}
		columns[i] = n
	}
	if len(o.Columns) == 2 || o.WeightColumn < 0 {
		columns[2] = 0
	}
	l.at, l.weight = [2]int{columns[0], columns[1]}, columns[2]
	if last := slices.Max(columns[:]); last > l.columns {
		return text.fault(ErrFormat, plural(int64(l.columns), "column"), fmt.Sprintf("an end or a weight in column %d", last))
	}
	if l.at[0] == l.at[1] || slices.Contains(l.at[:], l.weight) {
		return text.fault(ErrOptions, fmt.Sprintf("ends in columns %d and %d, a weight in column %d", l.at[0], l.at[1], l.weight), "a column for each")
	}
	return nil
}

// statedDirection reads the first comment of a file.
func statedDirection(comment []byte) (directed, ok bool) {
	words := strings.Fields(strings.ToLower(string(comment)))
	if len(words) < 2 || strings.TrimRight(words[1], ":.,") != "graph" {
		return false, false
	}
	return words[0] == "directed", words[0] == "directed" || words[0] == "undirected"
}

// wordsOnly tells whether a line is a header: words, none of which starts like a number.
func wordsOnly(text []byte) bool {
	words := bytes.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t,;|", r) })
	for _, w := range words {
		letter := false
		for _, c := range w {
			if c < ' ' {
				return false
			}
			letter = letter || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
		}
		if !letter || strings.IndexByte("0123456789-+.", w[0]) >= 0 {
			return false
		}
		switch strings.ToLower(string(w)) {
		case "nan", "inf", "infinity":
			return false
		}
	}
	return len(words) >= 2
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
	return w.list(comment+"\n", w.src.VertexLabels(), sep, "")
}
