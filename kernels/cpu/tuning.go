package cpu

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrTuning is returned where a tuning cannot be read.
var ErrTuning = errors.New("cpu: invalid tuning")

// Tuning holds the limits between a processor's ways to run a step. Results do not
// depend on them, times do.
type Tuning struct {
	// Serial is the number of frontier arcs up to which a top-down step runs on one
	// thread: waking others costs more.
	Serial int64
	// Share is the number of frontier arcs up to which threads share a top-down step by
	// atomic claims instead of sorting its arcs by target.
	Share int64
	// Split is the mean number of arcs of a frontier row, for each thread, from which on
	// a top-down step cuts the rows between threads.
	Split int64
	// Scatter is the number of arcs, for 8 ranks of rank space, from which on a
	// top-down step writes every arc and passes over all ranks in the end.
	Scatter int64
	// ScatterRow is the mean number of arcs of a frontier row, for each segment of rank
	// space, that this takes besides.
	ScatterRow int64
	// Segment is how many ranks a scattering thread works on at a time, a multiple of
	// 64: their parents to be shall stay in its second-level cache.
	Segment int64
	// Blind is the number of arcs, for 8 ranks, from which on a top-down step that sorts
	// its arcs by target writes all of them untested and passes over all ranks in the end.
	Blind int64
	// List is the number of words of rank space for each unvisited vertex from which on a
	// bottom-up step lists these vertices instead of passing over all words; 0: always.
	List int64
}

// DefaultTuning is what a processor uses that is not told otherwise.
func DefaultTuning() Tuning {
	return Tuning{Serial: 1 << 10, Share: 1 << 14, Split: 16, Scatter: 4, ScatterRow: 8, Segment: 1 << 16, Blind: 2, List: 16}
}

// fields names the limits, in the order of String.
func (t *Tuning) fields() []struct {
	name  string
	value *int64
} {
	return []struct {
		name  string
		value *int64
	}{
		{"serial", &t.Serial}, {"share", &t.Share}, {"split", &t.Split}, {"scatter", &t.Scatter}, {"scatter-row", &t.ScatterRow},
		{"segment", &t.Segment}, {"blind", &t.Blind}, {"list", &t.List},
	}
}

// String is the form that ParseTuning reads: "serial=1024,split=16,…".
func (t Tuning) String() string {
	var parts []string
	for _, f := range t.fields() {
		parts = append(parts, f.name+"="+strconv.FormatInt(*f.value, 10))
	}
	return strings.Join(parts, ",")
}

// ParseTuning reads a list such as "serial=1024,list=8"; what it does not name keeps
// its default. The error wraps ErrTuning.
func ParseTuning(s string) (Tuning, error) {
	t := DefaultTuning()
	if s == "" {
		return t, nil
	}
	var names []string
	for _, f := range t.fields() {
		names = append(names, f.name)
	}
next:
	for _, part := range strings.Split(s, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		for _, f := range t.fields() {
			if f.name != name {
				continue
			}
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil || !ok || n < 0 || n > 1<<40 {
				return t, fmt.Errorf("%w: %q: want %s=NUMBER", ErrTuning, part, name)
			}
			*f.value = n
			continue next
		}
		return t, fmt.Errorf("%w: %q; known are %s", ErrTuning, part, strings.Join(names, ", "))
	}
	return t, t.Validate()
}

// Validate returns an error that wraps ErrTuning for limits that cannot be.
func (t Tuning) Validate() error {
	for _, f := range t.fields() {
		if *f.value < 0 {
			return fmt.Errorf("%w: %s is %d", ErrTuning, f.name, *f.value)
		}
	}
	if t.Segment < 64 || t.Segment%64 != 0 {
		return fmt.Errorf("%w: segment is %d: want a multiple of 64", ErrTuning, t.Segment)
	}
	return nil
}

// Limits is the number of limits that a Tuning has.
const Limits = 8

// Variations are tunings that differ from t in one limit, number limit of Limits.
func (t Tuning) Variations(limit int) []Tuning {
	var list []Tuning
	for _, factor := range []float64{0.25, 0.5, 2, 4} {
		v := t
		f := v.fields()[limit]
		*f.value = max(1, int64(float64(*f.value)*factor))
		if v != t && v.Validate() == nil {
			list = append(list, v)
		}
	}
	return list
}
