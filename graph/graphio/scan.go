package graphio

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/totemgo/totemgo/graph"
)

// layout says how the records of a text format stand on their lines: two ids, perhaps more columns. It is settled
// before the records are parsed, by the format, the header and the first record.
type layout struct {
	delim    byte      // between columns; 0 is blanks
	comments string    // bytes that begin a comment
	prefix   byte      // the word before the first id, or 0
	columns  int       // of every line
	want     string    // columns, and who says so, in messages
	cure     string    // of lines with more than two columns, in messages
	at       [2]int    // columns of the ids, from 1; zeros are 1 and 2
	ends     [2]string // what the ids are, in messages
	weight   int       // column of the weight, from 1, or 0
	kind     numbers   // of the weights
	optional bool      // the weight may be missing at the end of a line, and is 1 then
	open     bool      // lines may have further columns
	lenient  bool      // further columns are faults that pass, and are counted
	directed bool      // records are arcs
	text     bool      // columns may have quotes, blanks or decimal commas: textRow reads them
	names    bool      // ids are names
	stated   bool      // a comment says that they are
	folds    bool      // records of both ends of each edge are one edge
	listed   bool      // the file lists the vertices
	headed   bool      // the first comment says whether the graph is directed
	commas   bool      // weights have decimal commas
	decided  bool      // options or the names of columns say where the ends are
	lead     []uint64  // the numbers on the first record

	declared *declared // vertices and records that the header declares; nil if it declares none
}

// declared is what a header declares. Records then become edges of dense ids as they are parsed.
type declared struct {
	format    string // in messages
	line      int64  // of the declaration
	vertices  uint64
	base      uint64    // ids are base … base+ids−1
	ids       [2]uint64 // of each side
	shift     uint64    // of the second side's dense ids
	says      string    // who states the range, in messages
	loops     string    // why a self-loop is a fault; empty allows them
	records   uint64
	one, many string // what a record is called
}

// declare says that the header declares n vertices with ids from base on, and m records.
func declare(format string, line int64, base, n, m uint64, one, many string) *declared {
	return &declared{format: format, line: line, vertices: n, base: base, ids: [2]uint64{n, n}, records: m, one: one, many: many}
}

// lineIndex finds the lines of a block's records.
type lineIndex struct {
	first   int64   // lines of the file before the block
	skipped []int32 // lines of the block, from 0, that hold no record
}

// line is the number of the line that holds record k of the block.
func (x *lineIndex) line(k int) int64 {
	at := int64(k)
	for _, s := range x.skipped {
		if int64(s) > at {
			break
		}
		at++
	}
	return x.first + at + 1
}

// records is what one block holds.
type records struct {
	lineIndex
	count     int
	pairs     []graph.Pair64 // ids of the file where no vertices are declared,
	edges     []graph.Edge   // else dense ids
	weights   weightBuf
	names     nameTable
	given     int64 // weights that stand in the file
	ignored   int64 // values in columns that are not used
	tolerated int64 // lines and columns that Options.Lenient lets pass
}

// scan reads the records that follow, on the option's threads, and returns them by blocks in the order of the file.
func (in *input) scan(l *layout) ([]*records, error) {
	if l.at == [2]int{} {
		l.at = [2]int{1, 2}
	}
	if in.o.WeightColumn < 0 {
		l.weight = 0
	}
	return parseBlocks(in, 0, func(b block, out *records) error {
		n := int(min(b.count, int64(len(b.data)/4+1))) // an upper bound
		pairs := (*b.spare)[:0]
		if cap(pairs) < n {
			if err := in.hold(int64(n-cap(pairs)) * 16); err != nil {
				return err
			}
			pairs = make([]graph.Pair64, 0, n)
		}
		if len(b.data) > 2*blockSize { // the columns of a long line
			if err := in.hold(int64(separators(b.data)) * int64(2*unsafe.Sizeof(column{}))); err != nil {
				return err
			}
		}
		if l.weight > 0 {
			if err := in.hold(int64(n) * 8); err != nil {
				return err
			}
			out.weights = makeWeights(l.kind, n)
		}
		out.first = b.first
		pairs, err := l.parse(b, pairs, out)
		out.count = len(pairs)
		if held := in.hold(out.names.text + nameBytes*int64(len(out.names.list))); held != nil {
			return held
		}
		if l.declared != nil {
			*b.spare = pairs
			if outside := l.number(in, b, pairs, out); outside != nil {
				return outside
			}
		} else if *b.spare, out.pairs = nil, pairs; len(pairs) < cap(pairs)/2 {
			out.pairs = append([]graph.Pair64(nil), pairs...)
		}
		return err
	})
}

// skips tells whether a line that begins with c has no record.
func (l *layout) skips(c byte) bool { return eol(c) || strings.IndexByte(l.comments, c) >= 0 }

// hides tells whether a comment may be a record: its mark is part of a word, and it has as many columns.
func (l *layout) hides(text []byte) bool {
	i := skipBlanks(text, 0)
	return l.names && i < len(text) && strings.IndexByte(l.comments, text[i]) >= 0 && nameLike(string(text[i+1:])) && countColumns(text, l.delim) == l.columns
}

func (l *layout) hidden(line int64) *Error {
	return fault(line, 0, ErrFormat, "a line that begins as a comment and has the columns of a record", "one of the two",
		"put names that begin with # or % into quotes, or a blank behind the mark of a comment")
}

// parse appends the ends of a block's records to pairs. Those before a faulty line are returned with the fault.
func (l *layout) parse(b block, pairs []graph.Pair64, out *records) ([]graph.Pair64, error) {
	data := b.data
	simple := l.columns == 2 && l.at == [2]int{1, 2} && l.delim == 0 && l.prefix == 0 && !l.text
	var columns []column
	for i, line := 0, b.first; i < len(data); {
		if simple {
			n := len(pairs)
			pairs, i = parsePairs(data, i, pairs)
			line += int64(len(pairs) - n)
			if i == len(data) {
				break
			}
		}
		line++
		start := i
		i = skipBlanks(data, i)
		if i == len(data) {
			break
		}
		at := i
		if l.prefix != 0 && data[i] == l.prefix && (i+1 == len(data) || blank(data[i+1]) || eol(data[i+1])) {
			at = skipBlanks(data, i+1)
		}
		if c := data[i]; at == i && (l.prefix != 0 || c-'0' > 9 && l.skips(c)) {
			if !l.skips(c) {
				return pairs, fault(line, i-start+1, ErrFormat, quote(token(data, i, 0)), fmt.Sprintf("a line that starts with %q", l.prefix))
			}
			if l.names && l.hides(data[i:restOfLine(data, i)]) {
				return pairs, l.hidden(line)
			}
			out.skipped = append(out.skipped, int32(line-1-b.first))
			i = nextLine(data, restOfLine(data, i))
			continue
		}
		p, end, ok := graph.Pair64{}, 0, false
		if !l.text {
			p, end, ok = l.numbers(data, at, out)
		}
		if !ok {
			end = restOfLine(data, i)
			columns = split(data[start:end], l.delim, columns[:0])
			var e *Error
			if p, e = l.row(columns, out); e != nil {
				e.Line = line
				return pairs, e
			}
		}
		pairs = append(pairs, p)
		i = nextLine(data, end)
	}
	return pairs, nil
}

// parsePairs reads lines that are two numbers of at most 19 digits with one blank between and LF or CR LF behind, from
// i on, as long as there are such lines, and returns where it stopped. It is the hot loop of reading; parse takes
// everything else.
func parsePairs(data []byte, i int, pairs []graph.Pair64) ([]graph.Pair64, int) {
	for {
		u, v := uint64(0), uint64(0)
		k := i
		for k < len(data) {
			c := data[k] - '0'
			if c > 9 {
				break
			}
			u = u*10 + uint64(c)
			k++
		}
		if k == i || k-i > 19 || k >= len(data) || data[k] != ' ' && data[k] != '\t' {
			return pairs, i
		}
		k++
		j := k
		for k < len(data) {
			c := data[k] - '0'
			if c > 9 {
				break
			}
			v = v*10 + uint64(c)
			k++
		}
		digits := k - j
		if k < len(data) && data[k] == '\r' {
			k++
		}
		if digits == 0 || digits > 19 || k >= len(data) || data[k] != '\n' {
			return pairs, i
		}
		pairs = append(pairs, graph.Pair64{U: u, V: v})
		i = k + 1
	}
}

// numbers reads the columns of a line from i on, and returns the index of the line's end. ok is false, and nothing done, where
// the line is not what most are: row then reads it, or says what is wrong with it.
func (l *layout) numbers(data []byte, i int, out *records) (p graph.Pair64, end int, ok bool) {
	weighted, wrong := 0, false
	for column := 1; ; column++ {
		k := i
		switch column {
		case l.at[0]:
			p.U, k = parseDigits(data, i)
			wrong = k <= i || wrong // no id, or beyond 64 bits
		case l.at[1]:
			p.V, k = parseDigits(data, i)
			wrong = k <= i || wrong
		case l.weight:
			var e *Error
			if k, e = out.weights.parse(data, i, l.delim); e != nil {
				return p, 0, false
			}
			weighted = 1
		default:
			if l.delim == 0 {
				k += len(token(data, k, 0))
			}
			for l.delim != 0 && k < len(data) && data[k] != l.delim && data[k] != '"' && !eol(data[k]) {
				k++
			}
			wrong = column > l.columns && !l.open || wrong
		}
		end = skipBlanks(data, max(k, i))
		switch {
		case end >= len(data) || eol(data[end]):
			if wrong || column < l.columns && !(l.optional && column == l.columns-1) {
				out.weights.drop(weighted)
				return p, 0, false
			}
			if l.weight > 0 && weighted == 0 {
				out.weights.addInt(1)
			}
			out.given += int64(weighted)
			out.ignored += int64(column - min(column, 2) - weighted)
			return p, end, l.kind != integers || !out.weights.real
		case l.delim == 0 && end > k:
			i = end
		case l.delim != 0 && data[end] == l.delim:
			i = skipBlanks(data, end+1)
		default: // a number runs into a letter
			out.weights.drop(weighted)
			return p, 0, false
		}
	}
}

// row reads the columns of any line.
func (l *layout) row(cols []column, out *records) (p graph.Pair64, e *Error) {
	if l.prefix != 0 {
		cols = cols[1:]
	}
	n, ids := len(cols), [2]uint64{}
	for side := range ids {
		if l.at[side] > n {
			break
		}
		c := cols[l.at[side]-1]
		if c.wrong != "" {
			return p, fault(0, c.at+1, ErrFormat, c.wrong, "quotes around whole columns")
		}
		if !l.names {
			v, k := parseDigits(c.text, 0)
			if k != len(c.text) || k == 0 {
				return p, idFault(0, c.at+1, c.text, l.ends[side])
			}
			ids[side] = v
			continue
		}
		if len(c.text) == 0 || slices.ContainsFunc(c.text, func(c byte) bool { return c < ' ' || c == 0x7f }) {
			return p, fault(0, c.at+1, ErrFormat, quote(c.text)+" as an id", "a number, or a name without control characters")
		}
		if !utf8.Valid(c.text) {
			return p, fault(0, c.at+1, ErrUnsupported, quote(c.text)+", text in another encoding", "UTF-8", "convert it, with iconv -f ISO-8859-1 -t UTF-8")
		}
		ids[side] = out.names.id(c.text)
	}
	p = graph.Pair64{U: ids[0], V: ids[1]}
	switch {
	case n > 0 && cols[n-1].wrong != "":
		return p, fault(0, cols[n-1].at+1, ErrFormat, cols[n-1].wrong, "quotes around whole columns")
	case n != l.columns && !(n > l.columns && (l.open || l.lenient)) && !(l.optional && n == l.columns-1):
		e = bad(ErrFormat, plural(int64(n), "column"), l.want)
		if n > 2 && l.columns == 2 && l.weight == 0 {
			e.Hint.Text = l.cure
		}
		return p, e
	case n > l.columns && !l.open:
		out.tolerated += int64(n - l.columns)
	}
	out.ignored += int64(n - min(n, 2))
	if l.weight == 0 {
		return p, nil
	} else if l.weight > n {
		out.weights.addInt(1)
		return p, nil
	}
	out.ignored--
	out.given++
	c := cols[l.weight-1]
	word := c.text
	if i := bytes.IndexByte(word, ','); i >= 0 && l.delim == ';' {
		word = slices.Clone(word)
		word[i] = '.'
	} else if l.commas && bytes.IndexByte(word, '.') >= 0 {
		return p, fault(0, c.at+1, ErrFormat, "weight "+quote(word)+" in a list of decimal commas", "weights of one form, without marks of thousands")
	}
	k, e := out.weights.parse(word, 0, 0)
	if e == nil && k != len(word) {
		e = bad(ErrFormat, "weight "+quote(word), "a number")
	} else if e == nil && l.kind == integers && out.weights.real {
		e = bad(ErrFormat, "weight "+quote(word), "an integer, as the banner says")
	}
	if e != nil {
		e.Column = c.at + 1
	}
	return p, e
}

// delimiter finds what separates the columns of a line: a bar, a comma, a semicolon, else blanks.
func delimiter(text []byte) byte {
	for _, d := range []byte{'|', ',', ';'} {
		if outsideQuotes(text, d) {
			return d
		}
	}
	return 0
}

func countColumns(text []byte, delim byte) int {
	return len(split(text, delim, nil))
}

// number makes edges of dense ids of a block's records.
func (l *layout) number(in *input, b block, pairs []graph.Pair64, out *records) error {
	if err := in.hold(int64(len(pairs)) * 8); err != nil {
		return err
	}
	d, edges := *l.declared, make([]graph.Edge, len(pairs))
	for i, p := range pairs {
		u, v := p.U-d.base, p.V-d.base
		if u >= d.ids[0] || v >= d.ids[1] || u == v && d.loops != "" {
			return l.outside(b.data, out, i, p)
		}
		edges[i] = graph.Edge{U: uint32(u), V: uint32(v + d.shift)}
	}
	out.edges = edges
	return nil
}

// outside says what is wrong with the ids of record k.
func (l *layout) outside(data []byte, out *records, k int, p graph.Pair64) *Error {
	d, line := l.declared, out.line(k)
	start := 0
	for range line - out.first - 1 {
		start = nextLine(data, restOfLine(data, start))
	}
	cols := split(data[start:restOfLine(data, start)], l.delim, nil)
	if l.prefix != 0 {
		cols = cols[1:]
	}
	side, id := 0, p.U
	if p.U-d.base < d.ids[0] {
		if p.U == p.V && d.loops != "" {
			return fault(line, cols[l.at[0]-1].at+1, ErrFormat, fmt.Sprintf("entry %d %d on the diagonal", p.U, p.V), d.loops)
		}
		side, id = 1, p.V
	}
	return d.outside(line, cols[l.at[side]-1].at+1, l.ends[side], id, side)
}

// outside names an id that is not declared.
func (d *declared) outside(line int64, column int, what string, id uint64, side int) *Error {
	hint, n := "", d.ids[side]
	if id < d.base {
		hint = fmt.Sprintf("%s counts from %d", d.format, d.base)
	}
	want := fmt.Sprintf("%d..%d%s", d.base, d.base+n-1, d.says)
	if n == 0 {
		want = "none in a graph without vertices"
	}
	return fault(line, column, ErrFormat, fmt.Sprintf("%s %d", strings.TrimPrefix(what, "a "), id), want, hint)
}
