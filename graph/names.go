package graph

import (
	"fmt"
	"sort"
)

// Names are the names of vertices, distinct and in byte order. They are immutable and safe for concurrent use.
type Names struct {
	ends []uint64 // of each name in text
	text []byte
}

// NewNames keeps names that follow each other in text, each up to its end. It fails if the ends do not rise to the end
// of the text or the names do not rise.
func NewNames(ends []uint64, text []byte) (*Names, error) {
	n, err := MappedNames(ends, text)
	if err == nil {
		err = n.Validate()
	}
	return n, err
}

// MappedNames are NewNames with a check of the last end only, which does not read a whole mapped file. If the names do
// not rise, Find may miss some; wrong ends make names empty. The slices are kept.
// A last end other than the length of text is an error.
func MappedNames(ends []uint64, text []byte) (*Names, error) {
	last := uint64(0)
	if len(ends) > 0 {
		last = ends[len(ends)-1]
	}
	if last != uint64(len(text)) {
		return nil, fmt.Errorf("graph: names end at byte %d of %d", last, len(text))
	}
	return &Names{ends, text}, nil
}

// Validate returns an error that states the first name that does not rise.
func (n *Names) Validate() error {
	for i := 1; i < len(n.ends); i++ {
		if n.ends[i] < n.ends[i-1] || string(n.At(uint64(i-1))) >= string(n.At(uint64(i))) {
			return fmt.Errorf("graph: names do not rise at name %d", i)
		}
	}
	return nil
}

// Len is the number of names.
func (n *Names) Len() int { return len(n.ends) }

// Ends returns the end of each name in Text.
func (n *Names) Ends() []uint64 { return n.ends }

// Text returns all names, one after the other.
func (n *Names) Text() []byte { return n.text }

// At returns name i, which is valid as long as the names are; nil if there is none.
func (n *Names) At(i uint64) []byte {
	if i >= uint64(len(n.ends)) {
		return nil
	}
	start, end := uint64(0), n.ends[i]
	if i > 0 {
		start = n.ends[i-1]
	}
	if start > end || end > uint64(len(n.text)) {
		return nil
	}
	return n.text[start:end]
}

// Find is the number of a name.
func (n *Names) Find(name string) (uint64, bool) {
	i := sort.Search(len(n.ends), func(i int) bool { return string(n.At(uint64(i))) >= name })
	return uint64(i), i < len(n.ends) && string(n.At(uint64(i))) == name
}
