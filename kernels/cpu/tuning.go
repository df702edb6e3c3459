package cpu

import (
	"errors"
	"fmt"
	"slices"
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
	// Share is the number of frontier arcs up to which threads expand the frontier vertices
	// of their own runs of ranks, instead of sorting arcs by target.
	Share int64
	// Scatter is the number of arcs, for 8 ranks of rank space, from which on a top-down
	// step writes all of them untested and passes over all ranks in the end.
	Scatter int64
	// List is the number of words of rank space for each unvisited vertex from which on a
	// bottom-up step lists these vertices instead of passing over all words; 0: always.
	List int64
}

// DefaultTuning is what a processor uses that is not told otherwise.
func DefaultTuning() Tuning {
	return Tuning{Serial: 1 << 10, Share: 1 << 14, Scatter: 2, List: 16}
}

// Limits is the number of limits that a Tuning has.
const Limits = 4

// limitNames are the limits' names, in the order of Tuning.limit.
var limitNames = [Limits]string{"serial", "share", "scatter", "list"}

// limit is limit number i of Limits.
func (t *Tuning) limit(i int) *int64 {
	return [Limits]*int64{&t.Serial, &t.Share, &t.Scatter, &t.List}[i]
}

// String is the form that ParseTuning reads: "serial=1024,share=16384,…".
func (t Tuning) String() string {
	var parts [Limits]string
	for i, name := range limitNames {
		parts[i] = name + "=" + strconv.FormatInt(*t.limit(i), 10)
	}
	return strings.Join(parts[:], ",")
}

// ParseTuning reads a list such as "serial=1024,list=8"; what it does not name keeps
// its default. The error wraps ErrTuning.
func ParseTuning(s string) (Tuning, error) {
	t := DefaultTuning()
	if s == "" {
		return t, nil
	}
	for _, part := range strings.Split(s, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		i := slices.Index(limitNames[:], name)
		if i < 0 {
			return t, fmt.Errorf("%w: %q; known are %s", ErrTuning, part, strings.Join(limitNames[:], ", "))
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 0 || n > 1<<40 {
			return t, fmt.Errorf("%w: %q: want %s=NUMBER", ErrTuning, part, name)
		}
		*t.limit(i) = n
	}
	return t, nil
}

// Validate returns an error that wraps ErrTuning for limits that cannot be.
func (t Tuning) Validate() error {
	for i, name := range limitNames {
		if n := *t.limit(i); n < 0 {
			return fmt.Errorf("%w: %s is %d", ErrTuning, name, n)
		}
	}
	return nil
}

// Variations are tunings that differ from t in one limit, number limit of Limits.
func (t Tuning) Variations(limit int) []Tuning {
	var list []Tuning
	for _, factor := range []float64{0.25, 0.5, 2, 4} {
		v := t
		value := v.limit(limit)
		*value = max(1, int64(float64(*value)*factor))
		if v != t {
			list = append(list, v)
		}
	}
	return list
}
