package graphio

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// blank tells whether c separates numbers on a line.
func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\v' || c == '\f' }

// eol tells whether c ends a line.
func eol(c byte) bool { return c == '\n' || c == '\r' }

// skipBlanks is the index of the first byte from i on that is no blank.
func skipBlanks(b []byte, i int) int {
	for i < len(b) && blank(b[i]) {
		i++
	}
	return i
}

// nextLine is the index of the line after the one that ends at i, where b[i] is a line
// end or i is len(b).
func nextLine(b []byte, i int) int {
	if i < len(b) && b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n' {
		return i + 2
	}
	return min(i+1, len(b))
}

// restOfLine is the index of the line end at or after i.
func restOfLine(b []byte, i int) int {
	for i < len(b) && !eol(b[i]) {
		i++
	}
	return i
}

// parseDigits reads digits from i on. next is the index after them; it is i where
// there are none, and −1 where the number exceeds 64 bits.
func parseDigits(b []byte, i int) (v uint64, next int) {
	start := i
	for i < len(b) {
		c := b[i] - '0'
		if c > 9 {
			break
		}
		v = v*10 + uint64(c)
		i++
	}
	if i-start > 19 {
		return parseLongDigits(b, start, i)
	}
	return v, i
}

// parseLongDigits reads 20 digits and more, which may exceed 64 bits.
func parseLongDigits(b []byte, start, end int) (uint64, int) {
	v := uint64(0)
	for _, c := range b[start:end] {
		d := uint64(c - '0')
		if v > (math.MaxUint64-d)/10 {
			return 0, -1
		}
		v = v*10 + d
	}
	return v, end
}

// token returns the word at i: up to a blank, a line end or the delimiter.
func token(b []byte, i int, delim byte) []byte {
	k := i
	for k < len(b) && !blank(b[k]) && !eol(b[k]) && (delim == 0 || b[k] != delim) {
		k++
	}
	return b[i:k]
}

// idFault says what is wrong with a word that should be an id.
func idFault(line int64, column int, tok []byte, what string) *Error {
	switch {
	case len(tok) == 0:
		return fault(line, column, ErrFormat, quote(tok), what)
	case len(bytes.Trim(tok, "0123456789")) == 0:
		return fault(line, column, ErrTooLarge, what+" "+cut(string(tok)), "at most 18446744073709551615 (64 bits)")
	case tok[0] == '-' && len(tok) > 1 && tok[1] >= '0' && tok[1] <= '9':
		return fault(line, column, ErrFormat, "negative number "+quote(tok), what+", from 0 on")
	case tok[0] == 0:
		return fault(line, column, ErrFormat, quote(tok), what, "the file seems to be binary: name its format")
	}
	e := fault(line, column, ErrFormat, quote(tok), what+", a whole number")
	if what == "an id" { // of a list
		e.Hint = Hint{"if ids are names, say so (%s)", []Cure{CureNames}}
	}
	return e
}

// cursor is a place in the lines of a block.
type cursor struct {
	data     []byte
	i, start int // the next byte, and the first of the line
	line     int64
	begun    bool
}

// next goes to the first word of the next line.
func (c *cursor) next() bool {
	if c.begun {
		c.i = nextLine(c.data, restOfLine(c.data, c.i))
	}
	c.begun, c.start, c.line = true, c.i, c.line+1
	c.i = skipBlanks(c.data, c.i)
	return c.start < len(c.data)
}

// end tells whether the line has no further word.
func (c *cursor) end() bool { return c.i == len(c.data) || eol(c.data[c.i]) }

// begins tells whether the next byte is one of those.
func (c *cursor) begins(with string) bool {
	return c.i < len(c.data) && strings.IndexByte(with, c.data[c.i]) >= 0
}

func (c *cursor) column() int { return c.i - c.start + 1 }

// fault is a fault of the next word.
func (c *cursor) fault(class error, found, want string, hint ...string) *Error {
	return fault(c.line, c.column(), class, found, want, hint...)
}

// word passes the next word.
func (c *cursor) word() { c.i = skipBlanks(c.data, c.i+len(token(c.data, c.i, 0))) }

// number reads an id, or what else is a whole number.
func (c *cursor) number(what string) (uint64, *Error) {
	v, k := parseDigits(c.data, c.i)
	if k <= c.i || k < len(c.data) && !blank(c.data[k]) && !eol(c.data[k]) {
		return 0, idFault(c.line, c.column(), token(c.data, c.i, 0), what)
	}
	c.i = skipBlanks(c.data, k)
	return v, nil
}

// weight reads a weight and adds it.
func (c *cursor) weight(to *weightBuf) *Error {
	k, e := to.parse(c.data, c.i, 0)
	if e != nil {
		e.Line, e.Column = c.line, c.column()
		return e
	}
	c.i = skipBlanks(c.data, k)
	return nil
}

// numbers is a class of weights.
type numbers uint8

const (
	anyNumbers numbers = iota
	integers
	reals // without a limit of digits
)

// weightBuf collects the weights of a block: as integers while all are, as reals from the first real on.
type weightBuf struct {
	ints   []int64
	floats []float64
	real   bool
	kind   numbers
}

// makeWeights makes room for n weights.
func makeWeights(kind numbers, n int) weightBuf {
	if kind == reals {
		return weightBuf{floats: make([]float64, 0, n), real: true, kind: kind}
	}
	return weightBuf{ints: make([]int64, 0, n), kind: kind}
}

func (w *weightBuf) addInt(v int64) {
	if w.real {
		w.floats = append(w.floats, float64(v))
		return
	}
	w.ints = append(w.ints, v)
}

func (w *weightBuf) addFloat(f float64) {
	w.toReal()
	w.floats = append(w.floats, f)
}

func (w *weightBuf) toReal() {
	if w.real {
		return
	}
	w.real = true
	w.floats = make([]float64, len(w.ints), max(cap(w.ints), 16))
	for i, v := range w.ints {
		w.floats[i] = float64(v)
	}
	w.ints = nil
}

// drop takes the last n weights off.
func (w *weightBuf) drop(n int) {
	if w.real {
		w.floats = w.floats[:len(w.floats)-n]
	} else {
		w.ints = w.ints[:len(w.ints)-n]
	}
}

func (w *weightBuf) len() int { return len(w.ints) + len(w.floats) }

func (w *weightBuf) at(i int) float64 {
	if w.real {
		return w.floats[i]
	}
	return float64(w.ints[i])
}

// float64Exact are the powers of ten that float64 holds exactly.
var float64Exact = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parse reads the weight at i and adds it; next is the index after it. The word ends at
// a blank, a line end or the delimiter.
func (w *weightBuf) parse(b []byte, i int, delim byte) (next int, err *Error) {
	start, sign := i, int64(1)
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		sign = ',' - int64(b[i]) // the comma is between them
		i++
	}
	v, k := parseDigits(b, i)
	if k > i && k-i <= 18 {
		if k == len(b) || blank(b[k]) || eol(b[k]) || b[k] == delim {
			w.addInt(sign * int64(v))
			return k, nil
		}
		if b[k] == '.' {
			f := k + 1
			m := v
			for f < len(b) && b[f]-'0' <= 9 && f-k <= 18 {
				m = m*10 + uint64(b[f]-'0')
				f++
			}
			if f-i <= 17 && m < 1<<53 && (f == len(b) || blank(b[f]) || eol(b[f]) || b[f] == delim) {
				w.addFloat(float64(sign) * (float64(m) / float64Exact[f-k-1]))
				return f, nil
			}
		}
	}
	tok := token(b, start, delim)
	return start + len(tok), w.parseWord(tok)
}

// parseWord reads a weight the slow way: any form, every fault named, with the way to do without.
func (w *weightBuf) parseWord(tok []byte) *Error {
	e := w.parseAny(tok)
	if e != nil {
		e.Hint = Hint{strings.Trim(e.Hint.Text+", or leave weights out (%s)", ", or"), []Cure{CureNoWeights}}
	}
	return e
}

func (w *weightBuf) parseAny(tok []byte) *Error {
	text := string(tok)
	if text == "" {
		return bad(ErrFormat, "no weight", "a number")
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		w.addInt(v)
		return nil
	}
	if errors.Is(err, strconv.ErrRange) && w.kind != reals && strings.Trim(text, "0123456789+-") == "" {
		return bad(ErrTooLarge, "weight "+cut(text), "an integer of at most 64 bits", "write it as a real number, such as 1e30")
	}
	f, err := strconv.ParseFloat(text, 64)
	decimal := strings.Trim(text, "0123456789+-.eE") == "" // no hexadecimal form, no word
	switch {
	case err == nil && (math.IsNaN(f) || math.IsInf(f, 0)):
		return bad(ErrFormat, "weight "+cut(text), "a finite number")
	case decimal && math.IsInf(f, 0):
		return bad(ErrTooLarge, "weight "+cut(text), "a number that float64 holds")
	case err != nil || !decimal:
		return bad(ErrFormat, "weight "+quote(text), "a number")
	}
	w.addFloat(f)
	return nil
}

// joinWeights makes one slice of the weights of all blocks: reals as float64 if there is one real among them or the kind
// says so, else the smaller of int32 and int64 that holds them all.
func joinWeights(bufs []*weightBuf, kind numbers) graph.Weights {
	n, isReal := 0, kind == reals
	lo, hi := int64(0), int64(0)
	for _, w := range bufs {
		n += w.len()
		isReal = isReal || w.real
		for _, v := range w.ints {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	switch {
	case isReal:
		out := make([]float64, 0, n)
		for _, w := range bufs {
			w.toReal()
			out = append(out, w.floats...)
		}
		return graph.WeightsOf(out)
	case lo < math.MinInt32 || hi > math.MaxInt32:
		return joinInts[int64](bufs, n)
	}
	return joinInts[int32](bufs, n)
}

func joinInts[T int32 | int64](bufs []*weightBuf, n int) graph.Weights {
	out := make([]T, 0, n)
	for _, w := range bufs {
		for _, v := range w.ints {
			out = append(out, T(v))
		}
	}
	return graph.WeightsOf(out)
}

// plural spells a count with its noun, which takes an s.
func plural(n int64, noun string) string { return spell(n, noun, noun+"s") }

// spell spells a count with its noun.
func spell(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
