package graphio

import (
	"bytes"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// Plain edge lists, as SNAP publishes them (https://snap.stanford.edu/data): a record a
// line, two ids, perhaps more columns; lines that start with # or % are comments.

// weightMark ends the first comment of a list whose third column is a weight.
const weightMark = ", weights in column 3"

// edgeBlock is what one block of an edge list holds.
type edgeBlock struct {
	pairs     []graph.Pair64
	weights   weightBuf
	ignored   int64
	tolerated int64
	given     int64 // weights that stand in the file
	records   int   // len(pairs), which are given up when ids are compacted
	first     int64
	skipped   []int32 // lines of the block, from 0, that hold no record
}

// line is the number of the line that holds record k of the block.
func (b *edgeBlock) line(k int) int64 { return recordLine(b.first, b.skipped, int64(k)) }

// listShape is what is settled before the records of an edge list are parsed.
type listShape struct {
	delim     byte // 0: blanks
	columns   int  // on every line
	fixedBy   string
	weight    int // column of the weight, from 1, or 0
	lenient   bool
	comments  string // bytes that start a comment
	what      string // of the ids, in messages
	weightOpt bool   // a line may end before the weight, which is 1 then
	anyWidth  bool   // lines may have more columns than others
	prefix    byte   // the word before the first id, or 0
	cure      string // of lines with more columns than two
}

func (s *listShape) comment(c byte) bool { return strings.IndexByte(s.comments, c) >= 0 }

// readEdgeList reads a plain edge list.
func readEdgeList(in *input, f *File) (graph.Source, error) {
	shape := listShape{comments: "#%", lenient: in.o.Lenient, what: "an id", cure: "a weighted list is named .wel, or its weight column is given"}
	ext := extension(in.path)
	switch ext {
	case ".el":
		shape.columns, shape.fixedBy = 2, "an unweighted edge list (.el) has 2"
	case ".wel":
		shape.columns, shape.fixedBy = 3, "a weighted edge list (.wel) has 3"
		shape.weight = 3
	}
	if c := in.o.WeightColumn; c > 0 {
		shape.weight = c
		if shape.columns < c {
			shape.columns = 0
		}
	} else if c < 0 {
		shape.weight = 0
	}
	directed := true
	first, header := true, int64(0)
	for {
		text, size, ok, err := in.peekLine()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if i := skipBlanks(text, 0); i == len(text) {
			in.skip(size)
			continue
		} else if shape.comment(text[i]) {
			if first {
				first = false
				if d, ok := statedDirection(text[i+1:]); ok {
					f.Report.DirectionStated = true
					directed = d
					if bytes.HasSuffix(bytes.TrimSpace(text), []byte(weightMark)) && in.o.WeightColumn == 0 && shape.columns != 2 {
						shape.weight = 3
					}
				}
			}
			in.skip(size)
			continue
		}
		if header == 0 && wordsOnly(text) {
			in.skip(size)
			header = in.lines
			continue
		}
		shape.delim = delimiter(text)
		columns := countColumns(text, shape.delim)
		if shape.columns == 0 {
			shape.columns = max(columns, 2)
			shape.fixedBy = fmt.Sprintf("the first line of numbers, line %d, has %d", in.lines+1, columns)
			if columns < 2 {
				shape.fixedBy = "an edge has 2 ends"
			}
		}
		if shape.weight > columns && columns >= 2 {
			return nil, fault(in.lines+1, 0, ErrFormat, plural(int64(columns), "column"), fmt.Sprintf("a weight in column %d", shape.weight),
				"give the column that holds the weight, or read the list without weights")
		}
		header = 0
		break
	}
	if header > 0 {
		return nil, fault(header, 0, ErrFormat, "a line of words and no line of numbers", "an edge list")
	}
	blocks, err := parseBlocks(in, 0, func(b block, out *edgeBlock) error { return shape.parse(in, b, out) })
	if err != nil {
		return nil, err
	}
	list, err := compactBlocks(in, f, blocks, shape.weight > 0)
	if err != nil {
		return nil, err
	}
	list.Directed = directed
	if list.NumEdges() == 0 {
		f.Report.warnf("the file holds no edges: the graph is empty")
	}
	if shape.columns > 2 && shape.weight == 0 && len(list.Edges) > 0 && in.o.WeightColumn == 0 {
		f.Report.warnf("%s left out in columns beyond the second (column 3 can be read as a weight)", plural(f.Report.IgnoredColumns, "value"))
	}
	return list, nil
}

// statedDirection reads the first comment of a file.
func statedDirection(comment []byte) (directed, ok bool) {
	words := bytes.Fields(comment)
	if len(words) < 2 || !strings.EqualFold(strings.TrimRight(string(words[1]), ":.,"), "graph") {
		return false, false
	}
	switch {
	case strings.EqualFold(string(words[0]), "directed"):
		return true, true
	case strings.EqualFold(string(words[0]), "undirected"):
		return false, true
	}
	return false, false
}

// wordsOnly tells whether a line is a header: words, none of which starts like a number.
func wordsOnly(text []byte) bool {
	words := bytes.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' || r == ';' })
	if len(words) < 2 {
		return false
	}
	for _, w := range words {
		letter := false
		for _, c := range w {
			if c < ' ' {
				return false
			}
			letter = letter || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
		}
		if c := w[0]; !letter || c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' {
			return false
		}
		switch strings.ToLower(string(w)) {
		case "nan", "inf", "infinity":
			return false
		}
	}
	return true
}

// delimiter finds what separates the columns of a line: a comma, a semicolon, else
// blanks.
func delimiter(text []byte) byte {
	for _, d := range []byte{',', ';'} {
		if bytes.IndexByte(text, d) >= 0 {
			return d
		}
	}
	return 0
}

func countColumns(text []byte, delim byte) int {
	if delim == 0 {
		return len(bytes.Fields(text))
	}
	return bytes.Count(text, []byte{delim}) + 1
}

// parse reads the records of a block.
func (s *listShape) parse(in *input, b block, out *edgeBlock) error {
	data := b.data
	n := int(min(b.lines, int64(len(data)/4+1)))
	size := int64(n) * 16
	if s.weight > 0 {
		size += int64(n) * 8
	}
	if err := in.hold(size); err != nil {
		return err
	}
	pairs := make([]graph.Pair64, 0, n)
	if s.weight > 0 {
		out.weights.grow(n)
	}
	out.first = b.first
	simple := s.columns == 2 && s.delim == 0
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
		if s.prefix != 0 && data[i] == s.prefix && (i+1 == len(data) || blank(data[i+1]) || eol(data[i+1])) {
			i = skipBlanks(data, i+1)
			if i == len(data) || eol(data[i]) {
				return s.shapeFault(data, start, line)
			}
		} else if s.prefix != 0 && !eol(data[i]) && !s.comment(data[i]) {
			return fault(line, i-start+1, ErrFormat, quote(token(data, i, 0)), fmt.Sprintf("a line that starts with %q", s.prefix))
		}
		u, k := parseDigits(data, i)
		if k <= i { // no digit, or a number beyond 64 bits
			if eol(data[i]) || s.comment(data[i]) {
				out.skipped = append(out.skipped, int32(line-1-b.first))
				i = nextLine(data, restOfLine(data, i))
				continue
			}
			return idFault(line, i-start+1, token(data, i, s.delim), s.what)
		}
		j := skipBlanks(data, k)
		if s.delim != 0 {
			if j < len(data) && data[j] == s.delim {
				j = skipBlanks(data, j+1)
			} else if j < len(data) && !eol(data[j]) {
				return s.shapeFault(data, start, line)
			}
		}
		v, l := parseDigits(data, j)
		if j == k || l <= j {
			return s.shapeFault(data, start, line)
		}
		pairs = append(pairs, graph.Pair64{U: u, V: v})
		end, err := s.rest(data, start, l, line, out)
		if err != nil {
			return err
		}
		i = nextLine(data, end)
	}
	if len(pairs) < cap(pairs)/2 {
		pairs = append([]graph.Pair64(nil), pairs...)
	}
	out.pairs, out.records = pairs, len(pairs)
	return nil
}

// parsePairs reads lines that are two numbers of at most 19 digits with one blank
// between and a line feed behind, from i on, as long as there are such lines, and
// returns where it stopped. It is the hot loop of reading; parse takes everything else.
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
		if k == j || k-j > 19 || k >= len(data) || data[k] != '\n' {
			return pairs, i
		}
		pairs = append(pairs, graph.Pair64{U: u, V: v})
		i = k + 1
	}
}

// rest reads the columns after the second, which ends at i, and returns the index of
// the line's end.
func (s *listShape) rest(data []byte, start, i int, line int64, out *edgeBlock) (end int, err error) {
	columns, weighted := 2, false
	for {
		k := skipBlanks(data, i)
		if k == len(data) || eol(data[k]) {
			i = k
			break
		}
		if s.delim != 0 {
			if data[k] != s.delim {
				return 0, s.shapeFault(data, start, line)
			}
			k = skipBlanks(data, k+1)
		} else if k == i { // 2 ends, the second runs into a letter
			return 0, s.shapeFault(data, start, line)
		}
		columns++
		switch {
		case columns == s.weight:
			next, e := out.weights.parse(data, k, s.delim)
			if e != nil {
				e.Line, e.Column = line, k-start+1
				return 0, e
			}
			weighted = true
			out.given++
			i = next
		case columns > s.columns && !s.lenient && !s.anyWidth:
			return 0, s.shapeFault(data, start, line)
		default:
			i = k
			if s.delim == 0 {
				i += len(token(data, k, 0))
			} else {
				for i < len(data) && data[i] != s.delim && !eol(data[i]) {
					i++
				}
			}
			out.ignored++
			if columns > s.columns && !s.anyWidth {
				out.tolerated++
			}
		}
	}
	if columns < s.columns && !(s.weightOpt && columns == s.columns-1) {
		return 0, s.shapeFault(data, start, line)
	}
	if s.weight > 0 && !weighted {
		if !s.weightOpt {
			return 0, s.shapeFault(data, start, line)
		}
		out.weights.addInt(1)
	}
	return i, nil
}

// shapeFault finds out what is wrong with the line that starts at start.
func (s *listShape) shapeFault(data []byte, start int, line int64) *Error {
	text := data[start:restOfLine(data, start)]
	at := skipBlanks(text, 0)
	if s.prefix != 0 && at < len(text) && text[at] == s.prefix {
		at++
		text = append(bytes.Repeat([]byte{' '}, at), text[at:]...)
	}
	for c := 1; c <= 2; c++ {
		at = skipBlanks(text, at)
		tok := token(text, at, s.delim)
		if len(tok) == 0 {
			if s.prefix != 0 || c == 2 && (s.delim == 0 || bytes.IndexByte(text, s.delim) < 0) {
				break
			}
			return idFault(line, at+1, tok, s.what)
		}
		if _, k := parseDigits(text, at); k != at+len(tok) {
			return idFault(line, at+1, tok, s.what)
		}
		at = skipBlanks(text, at+len(tok))
		if s.delim != 0 && at < len(text) {
			if text[at] != s.delim {
				return fault(line, at+1, ErrFormat, quote(token(text, at, s.delim)), fmt.Sprintf("the delimiter %q", s.delim))
			}
			at++
		}
	}
	columns, cure := countColumns(text, s.delim), ""
	if columns > 2 && s.columns == 2 && s.weight == 0 {
		cure = s.cure
	}
	return fault(line, 0, ErrFormat, plural(int64(columns), "column"), fmt.Sprintf("%d: %s", s.columns, s.fixedBy), cure)
}

// compactBlocks makes an edge list of blocks of pairs of ids: the vertices are the ids
// that occur.
func compactBlocks(in *input, f *File, blocks []*edgeBlock, weighted bool) (*graph.EdgeList, error) {
	records := int64(0)
	pairs := make([][]graph.Pair64, len(blocks))
	bufs := make([]*weightBuf, len(blocks))
	for i, b := range blocks {
		pairs[i], bufs[i] = b.pairs, &b.weights
		b.pairs = nil
		records += int64(len(pairs[i]))
		f.Report.IgnoredColumns += b.ignored
		f.Report.Tolerated += b.tolerated
	}
	if err := in.hold(records * 8); err != nil {
		return nil, err
	}
	list := &graph.EdgeList{}
	if weighted {
		list.Weights = joinWeights(bufs)
		for _, b := range blocks {
			b.weights = weightBuf{}
		}
	}
	var err error
	if list.Edges, list.Labels, err = compact(in, pairs); err != nil {
		return nil, err
	}
	list.Vertices = list.Labels.Len()
	return list, nil
}

// writeEdgeList writes a plain edge list: the file's ids, a weight in column 3 where
// there is one, commas in .csv, tabs in .tsv, blanks elsewhere. The first line says
// whether the graph is directed.
func writeEdgeList(w *writer) error {
	ext, sep := extension(w.path), byte(' ')
	switch ext {
	case ".csv":
		sep = ','
	case ".tsv":
		sep = '\t'
	case ".el":
		if w.kind != graph.Unweighted {
			return loss("weights, and an unweighted list (.el) has none", "name the list .wel, or drop the weights (%s)", CureDropWeights)
		}
	}
	unit := ext == ".wel" && w.kind == graph.Unweighted
	if unit {
		w.report.Notes = append(w.report.Notes, "the graph has no weights: weight 1 written for each edge")
	}
	if isolated, err := countIsolated(w); err != nil {
		return err
	} else if isolated > 0 {
		w.report.lossf("%s without edges", spell(isolated, "vertex", "vertices"))
	}
	comment := "# Directed graph"
	if !w.src.IsDirected() {
		comment = "# Undirected graph"
	}
	if w.kind != graph.Unweighted && ext != ".wel" {
		comment += weightMark
	}
	if _, err := w.out.WriteString(comment + "\n"); err != nil {
		return err
	}
	labels := w.src.VertexLabels()
	return w.records(func(dst []byte, e graph.Edge, weights graph.Weights, k int) []byte {
		dst = strconv.AppendUint(dst, labels.Label(e.U), 10)
		dst = append(dst, sep)
		dst = strconv.AppendUint(dst, labels.Label(e.V), 10)
		if w.kind != graph.Unweighted {
			dst = append(dst, sep)
			dst = appendWeight(dst, weights, k)
		} else if unit {
			dst = append(dst, sep, '1')
		}
		return append(dst, '\n')
	})
}

// countIsolated counts the vertices that no record names.
func countIsolated(w *writer) (int64, error) {
	n := w.src.NumVertices()
	if err := w.hold(int64(n) / 8); err != nil {
		return 0, err
	}
	seen := make([]uint64, (n+63)/64)
	blocks := max(1, int(w.src.NumEdges()/blockRecords))
	var buf []graph.Edge
	for i := range w.src.Blocks(blocks) {
		if err := w.ctx.Err(); err != nil {
			return 0, err
		}
		edges := w.src.Block(blocks, i, buf)
		for _, e := range edges {
			seen[e.U/64] |= 1 << (e.U % 64)
			seen[e.V/64] |= 1 << (e.V % 64)
		}
	}
	isolated := int64(n)
	for _, word := range seen {
		isolated -= int64(bits.OnesCount64(word))
	}
	w.held -= int64(n) / 8
	return isolated, nil
}
