package graphio

import (
	"fmt"
	"slices"
	"sort"

	"github.com/totemgo/totemgo/graph"
)

// nameTable collects the names of one block.
type nameTable struct {
	ids  map[string]uint64
	list []string
	text int64 // bytes of all names
}

// id returns the number of a name in the block.
func (t *nameTable) id(name []byte) uint64 {
	if id, ok := t.ids[string(name)]; ok {
		return id
	}
	if t.ids == nil {
		t.ids = map[string]uint64{}
	}
	s := string(name)
	t.ids[s] = uint64(len(t.list))
	t.list, t.text = append(t.list, s), t.text+int64(len(s))
	return uint64(len(t.list) - 1)
}

// nameBytes is what a name takes in a block's table besides its text: the string twice, a number, and the table's free places.
const nameBytes = 80

// text returns the columns of a record as l says.
func (l *layout) textRow(text []byte, line int64, columns *[][]byte, out *records) (p graph.Pair64, err error) {
	cols, _, wrong := split(text, l.delim, (*columns)[:0])
	*columns = cols
	n := len(cols)
	switch {
	case wrong != "":
		return p, fault(line, 0, ErrFormat, wrong, "quotes around whole columns")
	case n != l.columns && !(n > l.columns && (l.open || l.lenient)) && !(l.optional && n == l.columns-1):
		return p, fault(line, 0, ErrFormat, plural(int64(n), "column"), l.want)
	case n > l.columns && !l.open:
		out.tolerated += int64(n - l.columns)
	}
	id := [2]uint64{}
	for side, c := range l.at {
		word := cols[c-1]
		if !l.names {
			v, k := parseDigits(word, 0)
			if k != len(word) || k == 0 {
				return p, idFault(line, 0, word, l.ends[side])
			}
			id[side] = v
			continue
		}
		if len(word) == 0 || slices.ContainsFunc(word, func(c byte) bool { return c < ' ' || c == 0x7f }) {
			return p, fault(line, 0, ErrFormat, quote(word)+" as an id", "a number, or a name without control characters")
		}
		id[side] = out.names.id(word)
	}
	p = graph.Pair64{U: id[0], V: id[1]}
	if l.weight == 0 || l.weight > n {
		out.ignored += int64(n - 2)
		if l.weight > 0 {
			out.weights.addInt(1)
		}
		return p, nil
	}
	out.ignored += int64(n - 3)
	out.given++
	word := cols[l.weight-1]
	if i := slices.Index(word, ','); i >= 0 && l.delim == ';' {
		word = slices.Clone(word)
		word[i] = '.'
	} else if l.commas && slices.Contains(word, '.') {
		return p, fault(line, 0, ErrFormat, "weight "+quote(word)+" in a list of decimal commas", "weights of one form, without marks of thousands")
	}
	k, e := out.weights.parse(word, 0, 0)
	if e == nil && k != len(word) {
		e = bad(ErrFormat, "weight "+quote(word), "a number")
	}
	if e != nil {
		e.Line = line
		return p, e
	}
	return p, nil
}

// nameList makes dense ids of the names of all blocks, in byte order.
func (in *input) nameList(blocks []*records) (*graph.Labels, error) {
	n := 0
	for _, b := range blocks {
		b.names.ids = nil
		n += len(b.names.list)
	}
	if err := in.hold(int64(n) * 16); err != nil {
		return nil, err
	}
	all := make([]string, 0, n)
	for _, b := range blocks {
		all = append(all, b.names.list...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) > graph.MaxVertices {
		return nil, bad(ErrTooLarge, plural(int64(len(all)), "name"), fmt.Sprintf("at most %d vertices", uint64(graph.MaxVertices)))
	}
	size := 0
	for _, s := range all {
		size += len(s)
	}
	if err := in.hold(int64(size) + 8*int64(len(all))); err != nil {
		return nil, err
	}
	ends, text := make([]uint64, len(all)), make([]byte, 0, size)
	for i, s := range all {
		text = append(text, s...)
		ends[i] = uint64(len(text))
	}
	names, err := graph.NewNames(ends, text)
	if err != nil {
		return nil, err
	}
	for _, b := range blocks {
		if err := in.hold(int64(len(b.names.list))*4 + int64(len(b.pairs))*8); err != nil {
			return nil, err
		}
		to := make([]uint32, len(b.names.list))
		for i, s := range b.names.list {
			to[i] = uint32(sort.SearchStrings(all, s))
		}
		b.edges = make([]graph.Edge, len(b.pairs))
		for i, p := range b.pairs {
			b.edges[i] = graph.Edge{U: to[p.U], V: to[p.V]}
		}
		b.pairs, b.names = nil, nameTable{}
	}
	return graph.IdentityLabels(len(all), 0).Named(names, false), nil
}
