package graphio

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/totemgo/totemgo/graph"
)

// sampleRows is the number of records that settle what a plain edge list holds, mostColumns the number of columns of a record,
// and longestComment the number of bytes of a comment that are looked at.
const (
	sampleRows     = 1000
	mostColumns    = 1 << 16
	longestComment = 1 << 12
)

// sample is the first records of a plain edge list, cut into columns.
type sample struct {
	lines  [][]byte   // of the records
	rows   [][]string // their columns
	delim  byte       // between columns
	quoted bool       // one of them has quotes
	whole  bool       // there are no others
	marks  []string   // comments of at most one word, in lower case, between and before the records
	heads  []string   // those of marks that a record follows at once
	at     int64      // line of the first record
	ats    []int64    // lines of all
}

// mark is the only word of a comment that begins with #, in lower case, or ok is false.
func mark(comment []byte) (word string, ok bool) {
	words := bytes.Fields(comment[1:min(len(comment), longestComment)])
	return strings.ToLower(string(bytes.Join(words, nil))), len(words) < 2 && comment[0] == '#'
}

// sample looks at the records from the first on, which has been peeked. marks are those of the comments before.
func (in *input) sample(first *line, comments string, marks []string) (*sample, *Error) {
	s := &sample{marks: marks, lines: [][]byte{first.text}, at: first.at, ats: []int64{first.at}}
	if n := len(marks); n > 0 {
		s.heads = []string{marks[n-1]}
	}
	if n := separators(first.text); n > mostColumns {
		return s, fault(first.at, 0, ErrFormat, fmt.Sprintf("a line of %d bytes and perhaps %d columns", len(first.text), n+1),
			fmt.Sprintf("a record a line, of at most %d columns", mostColumns))
	}
	last := "" // the mark in the line before
	head := in.peek(max(headSize, first.size))
	all := in.eof && len(in.win) == len(head)
	i := first.size
	for at := first.at + 1; i < len(head) && len(s.lines) < sampleRows; at++ {
		end := restOfLine(head, i)
		if end == len(head) && !all {
			break
		}
		text := head[i:end]
		i = nextLine(head, end)
		switch k := skipBlanks(text, 0); {
		case k == len(text):
		case strings.IndexByte(comments, text[k]) >= 0:
			m, ok := mark(text[k:])
			if last = m; ok {
				s.marks = append(s.marks, m)
			} else {
				last = ""
			}
		default:
			s.lines, s.ats = append(s.lines, text), append(s.ats, at)
			if last != "" {
				s.heads, last = append(s.heads, last), ""
			}
		}
	}
	s.whole = all && i >= len(head)
	return s, s.cut(s.delimiter())
}

// delimiter is what separates the columns of all records, or else those of the first: a bar, a tab if a column may have
// blanks or be empty, a semicolon, a comma, else blanks (0).
func (s *sample) delimiter() byte {
	every := func(d byte) bool {
		return !slices.ContainsFunc(s.lines, func(line []byte) bool { return !outsideQuotes(line, d) })
	}
	switch {
	case every('|'):
		return '|'
	case every('\t'):
		inner, blanks, count := false, countColumns(s.lines[0], 0), countColumns(s.lines[0], '\t')
		for _, line := range s.lines {
			columns := split(line, '\t', nil)
			if len(columns) != count {
				return 0
			}
			inner = inner || countColumns(line, 0) != blanks ||
				slices.ContainsFunc(columns, func(c column) bool { return c.quoted || bytes.ContainsAny(c.text, " ,;|") })
		}
		if inner {
			return '\t'
		}
		return 0
	case every(';'):
		return ';'
	case every(','):
		return ','
	}
	return delimiter(s.lines[0])
}

// separators is the number of bytes in a text that may stand between columns.
func separators(text []byte) (n int) {
	for _, d := range " \t,;|" {
		n += bytes.Count(text, []byte(string(d)))
	}
	return n
}

// outsideQuotes tells whether d is in a line, but not in quotes.
func outsideQuotes(line []byte, d byte) bool {
	for bytes.IndexByte(line, '"') >= 0 {
		before, rest, _ := bytes.Cut(line, []byte{'"'})
		if _, line, _ = bytes.Cut(rest, []byte{'"'}); bytes.IndexByte(before, d) >= 0 {
			return true
		}
	}
	return bytes.IndexByte(line, d) >= 0
}

// cut cuts the records into columns.
func (s *sample) cut(delim byte) *Error {
	s.delim = delim
	for i, line := range s.lines {
		columns := split(line, delim, nil)
		if last := columns[len(columns)-1]; last.wrong != "" && i == 0 {
			return fault(s.at, last.at+1, ErrFormat, last.wrong, "quotes around whole columns")
		} else if last.wrong != "" {
			s.lines, s.whole = s.lines[:i], false
			return nil
		}
		row := make([]string, len(columns))
		for k, c := range columns {
			row[k], s.quoted = string(c.text), s.quoted || c.quoted
		}
		s.rows = append(s.rows, row)
	}
	return nil
}

// column is a column of a line, without blanks and the quotes around it (RFC 4180). wrong says what is wrong with quotes in the
// last one.
type column struct {
	text   []byte
	at     int // in the line
	quoted bool
	wrong  string
}

// split appends the columns of a line.
func split(text []byte, delim byte, to []column) []column {
	space := " \t\v\f\r\n"
	if delim == '\t' {
		space = " \r\n"
	}
	for i := 0; ; i++ {
		i = len(text) - len(bytes.TrimLeft(text[i:], space))
		if i == len(text) && delim == 0 {
			return to
		}
		k, c := i, column{at: i}
		if i < len(text) && text[i] == '"' {
			for k++; k < len(text) && (text[k] != '"' || k+1 < len(text) && text[k+1] == '"'); k++ {
				if text[k] == '"' {
					k++
				}
			}
			c.quoted = true
			if k >= len(text) {
				c.wrong = "a quote that does not end on its line"
				return append(to, c)
			}
			c.text = bytes.ReplaceAll(text[i+1:k], []byte(`""`), []byte(`"`))
			if k = len(text) - len(bytes.TrimLeft(text[k+1:], space)); k < len(text) && delim != 0 && text[k] != delim {
				c.wrong = "text behind a quote"
				return append(to, c)
			}
			if delim == 0 {
				k--
			}
		} else {
			for k < len(text) && (delim == 0 && !blank(text[k]) || delim != 0 && text[k] != delim) {
				k++
			}
			c.text = bytes.TrimRight(text[i:k], space)
		}
		to = append(to, c)
		if i = k; i >= len(text) {
			return to
		}
	}
}

// nameLike tells whether a word can be a name but no number, nor what stands for a missing one.
func nameLike(word string) bool {
	if word == "" || strings.IndexByte("0123456789+-.", word[0]) >= 0 {
		return false
	}
	switch strings.ToLower(word) {
	case "nan", "inf", "infinity", "na", "n/a", "null", "none", "<na>":
		return false
	}
	return word[0] == '_' || word[0]|0x20 >= 'a' && word[0]|0x20 <= 'z' || word[0] >= 0x80
}

// valueLike tells whether a word is a number, a date, an address, or another word of digits without letters.
func valueLike(word string) bool {
	_, err := strconv.ParseFloat(word, 64)
	return err == nil || strings.ContainsAny(word, "0123456789") && !strings.ContainsFunc(word, unicode.IsLetter)
}

// words tells whether a row may be the names of columns. The first may be empty, as that of row numbers.
func words(row []string) bool {
	for i, w := range row {
		if !nameLike(strings.TrimLeft(w, ":~$")) && (i > 0 || w != "") {
			return false
		}
	}
	return len(row) > 1
}

// endNames are pairs of names of the columns of the ends. The first strongNames of them say nothing else.
func endNames() [][2]string {
	return [][2]string{{"source", "target"}, {"from", "to"}, {"src", "dst"}, {"src", "dest"}, {"source", "destination"}, {"source", "dest"},
		{"u", "v"}, {"start", "end"}, {"subject", "object"}, {"i", "j"}, {"row", "col"}, {"row", "column"}, {"follower", "followee"},
		{"citing", "cited"}, {"head", "tail"}, {"sender", "receiver"}, {"parent", "child"}, {"caller", "callee"}, {"origin", "destination"},
		{"origin", "dest"}, {"user", "friend"}, {"a", "b"}, {"sender", "recipient"}, {"quelle", "ziel"}, {"von", "nach"}, {"origen", "destino"},
		{"de", "vers"}, {"follower", "followed"}}
}

const strongNames = 7

// letters are the letters and digits of a name; with strip, those without node, vertex, name or id around them.
func letters(name string, strip bool) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
	for _, more := range []string{"id", "name", "node", "vertex"} {
		if m := strings.TrimPrefix(strings.TrimSuffix(name, more), more); m != "" && strip {
			name = m
		}
	}
	return name
}

// columnPairs are the columns, from 1, of two names that are a pair.
func columnPairs(names []string, pair func(n, m string) bool) (found [][2]int) {
	for u, n := range names {
		for v, m := range names {
			if u != v && pair(n, m) {
				found = append(found, [2]int{u + 1, v + 1})
			}
		}
	}
	return found
}

// ends finds the columns of the ends, from 1, by their names: a pair of endNames, perhaps with node, vertex, name or id, or
// before the same words, or the only two that differ in 1 and 2, or in a and b, at their end, or two ids in columns 1 and 2.
// rivals tells that there are several strong pairs.
func ends(names []string) (at [2]int, ok, rivals bool) {
	var full, short []string
	for _, n := range names[:min(len(names), 256)] { // all pairs are looked at
		full, short = append(full, letters(n, false)), append(short, letters(n, true))
	}
	pairs := endNames()
	strong := func(n, m string) bool { return slices.Contains(pairs[:strongNames], [2]string{n, m}) }
	before := func(n, m string) bool {
		return slices.ContainsFunc(pairs, func(p [2]string) bool {
			rest, ok := strings.CutPrefix(n, p[0])
			return ok && len(p[0]) > 2 && rest != "" && m == p[1]+rest
		})
	}
	for _, found := range [][][2]int{columnPairs(full, strong), columnPairs(short, strong), columnPairs(full, before)} {
		if len(found) > 0 {
			return found[0], len(found) == 1, len(found) > 1
		}
	}
	for _, p := range pairs[strongNames:] {
		if found := columnPairs(short, func(n, m string) bool { return n == p[0] && m == p[1] }); len(found) == 1 {
			return found[0], true, false
		}
	}
	alike := func(n, m string) bool {
		k := min(len(n), len(m)) - 1
		return k > 0 && n[:k] == m[:k] && (n[k:] == "1" && m[k:] == "2" || n[k:] == "a" && m[k:] == "b")
	}
	for _, form := range [][]string{short, full} {
		if found := columnPairs(form, alike); len(found) > 0 {
			return found[0], len(found) == 1, false
		}
	}
	return [2]int{1, 2}, twoIDs(full) && (strings.HasSuffix(short[0], short[1]) || strings.HasSuffix(short[1], short[0])), false
}

// twoIDs tells whether the first two names are those of ids.
func twoIDs(names []string) bool {
	if len(names) < 2 {
		return false
	}
	u, v := letters(names[0], false), letters(names[1], false)
	return u != "id" && strings.HasSuffix(u, "id") && strings.HasSuffix(v, "id")
}

// turned tells whether the first name is that of a second end, or the second that of a first one.
func turned(names []string) bool {
	return len(names) > 1 && slices.ContainsFunc(endNames(), func(p [2]string) bool {
		return len(p[0]) > 1 && (letters(names[0], true) == p[1] || letters(names[1], true) == p[0])
	})
}

// vertexTable tells whether the names of columns are those of a table of vertices: an id, then what belongs to it.
func vertexTable(names []string) bool {
	if len(names) < 2 {
		return false
	}
	id, more := letters(names[0], false), letters(names[1], false)
	return slices.Contains([]string{"id", "node", "nodeid", "vertex", "vertexid", "source", "from", "src"}, id) && (strings.HasSuffix(more, "name") ||
		slices.Contains([]string{"label", "title", "type", "value", "weight", "size", "community", "group", "class", "cluster", "category", "color", "x"}, more))
}

// header tells whether the first row names the columns. What both readings fit is a fault.
func (s *sample) header(o *Options, l *layout) (bool, *Error) {
	row := s.rows[0]
	unclear := fault(s.at, 0, ErrFormat, quote(strings.Join(row, " "))+", which may be an edge or the names of columns", "one of the two").
		advise("say what the first line is: %s edge or %s names", CureFirstLine, CureFirstLine)
	switch {
	case l.stated:
		return false, nil
	case o.FirstLine != 0:
		return o.FirstLine == FirstNames, nil
	case slices.ContainsFunc(o.Columns, func(c string) bool { return !isNumber([]byte(c)) }):
		return true, nil
	case l.optional && len(row) > 1 && len(row[0]) > 1 &&
		slices.Contains(endNames()[:strongNames], [2]string{letters(row[0], true), letters(row[1], true)}):
		return false, unclear
	case l.optional || !words(row): // NCOL has no header
		return false, nil
	case len(s.rows) == 1 && s.whole:
		if _, ok, rivals := ends(row); ok || rivals {
			return true, nil
		}
		return false, fault(s.at, 0, ErrFormat, "one line of words", "an edge list").advise("if it is an edge, say so (%s edge)", CureFirstLine)
	case len(s.rows) == 1:
		return true, nil
	}
	again, values := false, make([]int, len(row)) // an end of the first row is one of another; numbers below and beside its words
	for _, r := range s.rows[1:] {
		again = again || slices.Contains(r[:min(2, len(r))], row[0]) || slices.Contains(r[:min(2, len(r))], row[1])
		values = append(values, make([]int, max(0, len(r)-len(values)))...)
		for i, w := range r {
			if valueLike(w) {
				values[i]++
			} else if w != "" {
				values[i] = math.MinInt32
			}
		}
	}
	if values[0] > 0 && values[1] > 0 || len(values) > 2 && slices.Max(values[2:]) > 0 || !nameLike(row[0]) {
		return true, nil
	} else if again {
		return false, nil
	}
	if at, ok, rivals := ends(row); (ok || rivals) && !s.alike(at) || vertexTable(row) {
		return true, nil
	}
	return false, unclear
}

// alike tells whether what the first row has in the columns at looks as ids of other rows do: letters, or words of the same
// beginning, as v1 and v2 are.
func (s *sample) alike(at [2]int) bool {
	for _, r := range s.rows[1:] {
		for _, c := range at {
			if c > 0 && c <= len(r) {
				name, id := s.rows[0][c-1], r[c-1]
				if len(name) == len(id) && len(id) == 1 || len(name) > 1 && len(id) >= len(name) && strings.HasPrefix(id, name[:len(name)-1]) {
					return true
				}
			}
		}
	}
	return false
}

// ambiguous refuses records that may be more than edges, unless options or the names of columns decide. decided tells
// that they do, or that the file's name says what columns there are.
func (s *sample) ambiguous(l *layout, names []string, o *Options, decided bool) error {
	told, unnamed := o.Format != "", len(names) > 0 && names[0] == ""
	either := func(found string, cures ...Cure) error {
		e := fault(s.at, 0, ErrFormat, found, "records that can be read in one way only")
		e.Hint = Hint{"if it is an edge list, name the columns of the ends (%s 1,2)", []Cure{CureColumns}}
		if len(cures) > 0 {
			e.Hint = Hint{"if it is an edge list, say so (%s edgelist)", cures}
		}
		return e
	}
	for i, m := range s.marks {
		if told {
			break
		}
		if m == "" && l.names && slices.ContainsFunc(s.rows, func(r []string) bool { return len(r) < 2 || isNumber([]byte(r[0])) && isNumber([]byte(r[1])) }) {
			return either("a list of vertices before the edges (Trivial Graph Format), which is not read, or names as ids")
		}
		if m = strings.Trim(m, ":*"); i > 0 || l.names {
			if slices.Contains([]string{"edges", "arcs", "links", "edge", "relationships"}, m) {
				return either("a list of vertices before the edges, or two lists of edges", CureFormat)
			}
		}
	}
	if i := slices.IndexFunc(s.heads, func(m string) bool { return m != s.heads[0] }); i > 0 && !told {
		return either(fmt.Sprintf("%q among comments of one word, as before the lists of LGL, which are not read", s.heads[i]), CureFormat)
	}
	if l.names && !l.stated && !o.Names {
		for _, at := range l.at {
			if id := s.rows[0][min(at, len(s.rows[0]))-1]; strings.HasSuffix(id, ":") || strings.HasPrefix(id, ",") ||
				strings.Count(id, "(") != strings.Count(id, ")") {
				return fault(s.at, 0, ErrFormat, quote(id)+" as an id, perhaps part of a statement or of a list of neighbours", "a name").
					advise("if ids are names, say so (%s)", CureNames)
			}
		}
		for i, r := range s.rows {
			if len(r) >= max(l.at[0], l.at[1]) && isNumber([]byte(r[l.at[0]-1])) && isNumber([]byte(r[l.at[1]-1])) {
				return fault(s.at, 0, ErrFormat, fmt.Sprintf("%s, and numbers in record %d", quote(strings.Join(s.rows[0], " ")), i+1), "ids of one kind").
					advise("if ids are names, say so (%s); if the first line is none of the records, what it is (%s names); a comment begins with # or %%",
						CureNames, CureFirstLine)
			}
		}
	}
	if len(o.Columns) == 0 && s.labelled(names) {
		return either("a dense matrix whose rows and columns have names, or an edge list")
	}
	if len(o.Columns) == 0 && l.weight <= 0 && o.FirstLine == 0 && s.counted(names) {
		return either("a dense matrix below the numbers of its columns, or an edge list")
	}
	if l.names && !l.decided && s.lettered() {
		return either("lines that begin with a letter and two numbers, as DIMACS files have behind a line of p")
	}
	if decided {
		return nil
	}
	n := len(s.rows)
	first, columns := map[string]bool{}, len(s.rows[0])
	same := !slices.ContainsFunc(s.rows, func(r []string) bool { return len(r) != columns })
	for _, r := range s.rows {
		first[r[0]] = true
	}
	closed, numbered, numeric, loops := true, columns > 2 && (n > 2 || unnamed), true, 0
	base, err := strconv.ParseUint(s.rows[0][0], 10, 64)
	numbered = numbered && err == nil && base < 2
	for k, r := range s.rows {
		numbered = numbered && r[0] == strconv.FormatUint(base+uint64(k), 10)
		for i, w := range r[1:] {
			closed = closed && first[w]
			numeric = numeric && (i == 0 || !nameLike(w))
		}
		if k < len(r) && r[k] != "0" && !strings.HasPrefix(r[k], "0.") {
			loops++ // entries of a matrix's diagonal
		}
	}
	if rest := s.rows[1:]; len(l.lead) == columns && columns < 3 && len(rest) > 0 && len(rest[0]) > columns &&
		!slices.ContainsFunc(rest, func(r []string) bool { return len(r) != len(rest[0]) }) && !l.lenient && !l.optional {
		return fault(s.at, 0, ErrFormat, fmt.Sprintf("%s before records of %d columns, perhaps the numbers of vertices and edges",
			plural(int64(columns), "number"), len(rest[0])), "records of one kind").
			advise("if so, say what the first line is: %s sizes", CureFirstLine)
	}
	switch distinct := len(first) == n; {
	case same && s.whole && columns == n && n > 2 && (n > 3 || loops == 0), same && s.whole && columns == n+1 && n > 2 && l.names:
		return either(fmt.Sprintf("%d rows of %d columns, a dense matrix or an edge list", n, columns))
	case columns > 15 && same:
		return either(fmt.Sprintf("%d columns, a dense matrix, adjacency lists or an edge list", columns))
	case (columns > 2 || !same) && distinct && closed && n > 2:
		return either("lines that are adjacency lists (a vertex and its neighbours) or edges with values")
	case !same && distinct && n > 2 && !l.lenient && !l.optional:
		return either("lines of different lengths, as adjacency lists have (a vertex and its neighbours), which are not read")
	case numbered:
		return either("a first column that is the number of the row, and further columns")
	case l.names && !numeric && columns > 2:
		return either("names in more than two columns")
	}
	return nil
}

// counted tells whether the rows are a square matrix below a line that counts its columns: 0 1 2, or x1 x2 x3, or a b c. Names
// of the rows may precede them.
func (s *sample) counted(names []string) bool {
	rows, count := s.rows, len(names) == 0
	if count {
		names, rows = rows[0], rows[1:]
	}
	off := 0
	if len(names) > 0 && names[0] == "" {
		off = 1
	}
	n, loops := len(names)-off, 0
	if n < 3 || len(rows) != n || !s.whole || names[off] == "" {
		return false
	}
	start, last := names[off][:len(names[off])-1], names[off][len(names[off])-1]
	for k, r := range rows {
		next := start + string(rune(int(last)+k))
		if last == '0' || last == '1' {
			next = start + strconv.Itoa(int(last-'0')+k)
		}
		if len(r) != n+off || names[off+k] != next {
			return false
		}
		if r[off+k] != "0" && !strings.HasPrefix(r[off+k], "0.") {
			loops++
		}
	}
	return loops == 0 || n > 3 && !count
}

// labelled tells whether the names of the columns are the first column as well.
func (s *sample) labelled(names []string) bool {
	off := len(names) - len(s.rows[0]) + 1 // of the name of the second column
	if off < 0 || off > 1 || len(names)-off < 2 || s.whole && len(s.rows) != len(names)-off {
		return false
	}
	for k, r := range s.rows {
		if off+k >= len(names) || r[0] != names[off+k] {
			return false
		}
	}
	return true
}

// lettered tells whether each line is one of the letters of DIMACS and two numbers at least.
func (s *sample) lettered() bool {
	return !slices.ContainsFunc(s.rows, func(r []string) bool {
		return len(r) < 3 || len(r[0]) != 1 || !strings.Contains("aenpv", r[0]) || !isNumber([]byte(r[1])) || !isNumber([]byte(r[2]))
	})
}

// sizesFirst refuses a list whose first record, lead, may state the numbers of vertices and edges: n m, n n m, or n m and
// another number, which fits all others.
func sizesFirst(list *graph.EdgeList, lead []uint64, line int64) error {
	n, k := len(list.Edges)-1, len(lead)-1
	fits := func(m uint64) bool { return m == uint64(n) || m*2 == uint64(n) } // or each edge at both ends
	if n < 1 || k < 1 || k > 2 || !fits(lead[1]) && !fits(lead[k]) {
		return nil
	}
	second := k - 1 // where the number of the second ends stands
	if !fits(lead[k]) {
		second = 0
	}
	low, high := uint64(1<<63), [2]uint64{}
	for _, e := range list.Edges[1:] {
		u, v := list.Labels.Label(e.U), list.Labels.Label(e.V)
		low, high[0], high[1] = min(low, u, v), max(high[0], u), max(high[1], v)
	}
	for side, h := range high {
		if most := lead[side*second]; h > most || h == most && low == 0 {
			return nil
		}
	}
	text := strings.Trim(fmt.Sprint(lead), "[]")
	return fault(line, 0, ErrFormat, fmt.Sprintf("%s, which may be an edge or the numbers of vertices and edges: %s", text,
		spell(int64(n), "record follows", "records follow")), "one of the two").
		advise("say what the first line is: %s edge or %s sizes", CureFirstLine, CureFirstLine)
}
