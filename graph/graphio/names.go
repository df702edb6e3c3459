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

// nameList makes ids of the names of all blocks, in byte order.
func (in *input) nameList(blocks []*records) (*graph.Labels, error) {
	n := 0
	for _, b := range blocks {
		b.names.ids = nil
		n += len(b.names.list)
	}
	if err := in.hold(int64(n) * 24); err != nil {
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
		to := make([]uint64, len(b.names.list))
		for i, s := range b.names.list {
			to[i] = uint64(sort.SearchStrings(all, s))
		}
		for i, p := range b.pairs {
			b.pairs[i] = graph.Pair64{U: to[p.U], V: to[p.V]}
		}
		b.names = nameTable{}
	}
	return graph.IdentityLabels(len(all), 0).Named(names, false), nil
}
