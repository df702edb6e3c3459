package graph500

import (
	"cmp"
	"slices"

	"github.com/totemgo/totemgo/record"
)

// LevelMeans averages the levels of many searches: one record for each level number and
// direction, with its number of searches. The zero value is empty
// and ready.
type LevelMeans struct{ timed, counted levelSums }

// levelSums holds sums of levels by number and direction; Searches counts them.
type levelSums map[levelKey]*record.Level

type levelKey struct {
	level     int
	direction string
}

// add adds a level and returns the sums, which it makes if there are none.
func (s levelSums) add(l record.Level) levelSums {
	if s == nil {
		s = levelSums{}
	}
	k := levelKey{l.Level, l.Direction}
	if s[k] == nil {
		s[k] = &record.Level{Level: l.Level, Direction: l.Direction}
	}
	s[k].Searches++
	s[k].Add(l)
	return s
}

// Add takes the levels of one timed search. It keeps no part of the slice.
func (m *LevelMeans) Add(levels []record.Level) {
	for _, l := range levels {
		m.timed = m.timed.add(l)
	}
}

// AddCounted takes the levels of one untimed search that counted the edges it
// examined. Only these counts are used, and only of levels that a timed search took in
// the same direction.
func (m *LevelMeans) AddCounted(levels []record.Level) {
	for _, l := range levels {
		if l.EdgesExamined != nil {
			m.counted = m.counted.add(l)
		}
	}
}

// Levels returns the means, by rising level, top-down before bottom-up. Kernel is
// that of the first search. It is nil where nothing was added.
func (m *LevelMeans) Levels() []record.Level {
	var out []record.Level
	for k, sum := range m.timed {
		l, n := *sum, float64(sum.Searches)
		l.TimeS /= n
		l.Frontier /= n
		l.Processors = slices.Clone(l.Processors)
		for p := range l.Processors {
			for _, x := range l.Processors[p].Sums() {
				*x /= n
			}
		}
		l.EdgesExamined = nil
		if c := m.counted[k]; c != nil {
			x := *c.EdgesExamined / float64(c.Searches)
			l.EdgesExamined = &x
		}
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b record.Level) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), -cmp.Compare(a.Direction, b.Direction))
	})
	return out
}
