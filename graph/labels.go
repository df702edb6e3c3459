package graph

import (
	"fmt"
	"slices"
	"strconv"
)

// Labels translates between dense ids and the ids of the file. It is immutable and
// safe for concurrent use. Nil labels are those of no vertex.
type Labels struct {
	n      int
	base   uint64   // label of id 0 where sorted is nil
	sorted []uint64 // label of each id, strictly rising, or nil
	mapped bool     // sorted and names end with the file that they are mapped from
	names  *Names   // of all labels, or nil
}

// IdentityLabels are the labels base, base+1, … of n vertices. Labels that would exceed 64
// bits are no vertices': CheckSource refuses them, ID does not find them.
func IdentityLabels(n int, base uint64) *Labels { return &Labels{n: n, base: base} }

// SortedLabels are labels given one by one, strictly rising; the slice is kept.
// It fails where they do not rise. Labels without gaps are stored as a base.
func SortedLabels(labels []uint64) (*Labels, error) {
	for i := 1; i < len(labels); i++ {
		if labels[i-1] >= labels[i] {
			return nil, fmt.Errorf("graph: labels do not rise: %d follows %d at id %d", labels[i], labels[i-1], i)
		}
	}
	n := len(labels)
	if n == 0 || labels[n-1]-labels[0] == uint64(n-1) {
		base := uint64(0)
		if n > 0 {
			base = labels[0]
		}
		return IdentityLabels(n, base), nil
	}
	return &Labels{n: n, sorted: labels}, nil
}

// Len is the number of vertices.
func (l *Labels) Len() int {
	if l == nil {
		return 0
	}
	return l.n
}

// Base returns the label of id 0 and true if labels are base + id.
func (l *Labels) Base() (uint64, bool) {
	if l == nil {
		return 0, true
	}
	return l.base, l.sorted == nil
}

// Label is the file's id of the vertex with dense id v; NoLabel where v is no vertex, None
// included.
func (l *Labels) Label(v uint32) uint64 {
	if int64(v) >= int64(l.Len()) {
		return NoLabel
	}
	if l.sorted == nil {
		return l.base + uint64(v)
	}
	return l.sorted[v]
}

// Sorted returns the labels as a rising slice, or nil where they are base + id.
func (l *Labels) Sorted() []uint64 {
	if l == nil {
		return nil
	}
	return l.sorted
}

// ID is the dense id of the vertex with the file's id label. The error wraps
// ErrNoVertex and names the label and what there is.
func (l *Labels) ID(label uint64) (uint32, error) {
	if l.Len() <= 0 {
		return None, fmt.Errorf("%w: %d is not in a graph with 0 vertices", ErrNoVertex, label)
	}
	if l.sorted == nil {
		if d := label - l.base; label >= l.base && d < uint64(l.n) {
			return uint32(d), nil
		}
		return None, fmt.Errorf("%w: %d is outside %d..%d", ErrNoVertex, label, l.base, l.base+uint64(l.n-1))
	}
	i, ok := slices.BinarySearch(l.sorted, label)
	if !ok {
		return None, fmt.Errorf("%w: %d is none of the %d ids between %d and %d", ErrNoVertex, label, l.n, l.sorted[0], l.sorted[l.n-1])
	}
	return uint32(i), nil
}

// MappedLabels are SortedLabels without the check, which would read a whole table of a
// mapped file. If the labels do not rise, ID may miss some; there is no other effect. The
// slice is kept.
func MappedLabels(labels []uint64) *Labels {
	return &Labels{n: len(labels), sorted: labels, mapped: true}
}

// Kept returns labels that outlive the file that they were read from: a copy of
// MappedLabels, or the labels themselves.
func (l *Labels) Kept() *Labels {
	if l == nil || !l.mapped {
		return l
	}
	kept := &Labels{n: l.n, base: l.base, sorted: slices.Clone(l.sorted)}
	if l.names != nil {
		kept.names = &Names{slices.Clone(l.names.ends), slices.Clone(l.names.text)}
	}
	return kept
}

// Named returns the labels with names: label i stands for the i-th name. The labels must be below the number of names.
// Mapped says that the names end with the file that they are mapped from.
func (l *Labels) Named(names *Names, mapped bool) *Labels {
	c := *l
	c.names, c.mapped = names, c.mapped || mapped
	return &c
}

// Names returns the names that labels stand for, or nil if the file's ids are numbers.
func (l *Labels) Names() *Names {
	if l == nil {
		return nil
	}
	return l.names
}

// Append appends the file's id of the vertex with dense id v: its name, or its label in decimal digits.
func (l *Labels) Append(dst []byte, v uint32) []byte {
	if n := l.Names(); n != nil && int64(v) < int64(l.n) {
		return append(dst, n.At(l.Label(v))...)
	}
	return strconv.AppendUint(dst, l.Label(v), 10)
}

// Find is the dense id of the vertex with the file's id: a name, or a number in decimal digits. The error wraps ErrNoVertex.
func (l *Labels) Find(id string) (uint32, error) {
	if names := l.Names(); names != nil {
		if label, ok := names.Find(id); ok {
			if v, err := l.ID(label); err == nil {
				return v, nil
			}
		}
		return None, fmt.Errorf("%w: %q is none of the %d names between %q and %q", ErrNoVertex, id, l.n,
			names.At(l.Label(0)), names.At(l.Label(uint32(l.n-1))))
	}
	label, err := strconv.ParseUint(id, 10, 64)
	if err == nil {
		return l.ID(label)
	}
	if n := l.Len(); n > 0 {
		return None, fmt.Errorf("%w: %s is outside %d..%d", ErrNoVertex, id, l.Label(0), l.Label(uint32(n-1)))
	}
	return None, fmt.Errorf("%w: %s is not in a graph with 0 vertices", ErrNoVertex, id)
}
