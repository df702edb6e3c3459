package graph500

import (
	"cmp"
	"slices"

	"github.com/totemgo/totemgo/record"
)

// LevelMeans averages the levels of many searches: one record for each level number and
// direction, with its number of searches. The zero value is empty
// and ready.
type LevelMeans struct {
	timed, counted []record.Level // sums in the order of Levels; Searches counts them
}

// compareLevels orders by rising level, top-down before bottom-up.
func compareLevels(a, b record.Level) int {
	return cmp.Or(cmp.Compare(a.Level, b.Level), -cmp.Compare(a.Direction, b.Direction))
}

// addLevel adds a level to the sum of its number and direction. It keeps no part of l.
func addLevel(sums []record.Level, l record.Level) []record.Level {
	i, found := slices.BinarySearchFunc(sums, l, compareLevels)
	if !found {
		sums = slices.Insert(sums, i, record.Level{Level: l.Level, Direction: l.Direction, FrontierArcs: new(float64)})
	}
	sums[i].Searches++
	sums[i].Add(l)
	return sums
}

// Add takes the levels of one timed search. It keeps no part of the slice.
func (m *LevelMeans) Add(levels []record.Level) {
	for _, l := range levels {
		m.timed = addLevel(m.timed, l)
	}
}

// AddCounted takes the levels of one untimed search that counted the edges it
// examined. Only these counts are used, and only of levels that a timed search took in
// the same direction.
func (m *LevelMeans) AddCounted(levels []record.Level) {
	for _, l := range levels {
		if l.EdgesExamined != nil {
			m.counted = addLevel(m.counted, l)
		}
	}
}

// Levels returns the means, by rising level, top-down before bottom-up. Kernel is
// that of the first search. It is nil where nothing was added.
func (m *LevelMeans) Levels() []record.Level {
	var out []record.Level
	for _, l := range m.timed {
		n := float64(l.Searches)
		l.TimeS /= n
		l.Frontier /= n
		if l.FrontierArcs != nil {
			x := *l.FrontierArcs / n
			l.FrontierArcs = &x
		}
		l.Processors = slices.Clone(l.Processors)
		for p := range l.Processors {
			for _, x := range l.Processors[p].Sums() {
				*x /= n
			}
		}
		l.EdgesExamined, l.LongestTurns = nil, nil
		if i, found := slices.BinarySearchFunc(m.counted, l, compareLevels); found {
			x := *m.counted[i].EdgesExamined / float64(m.counted[i].Searches)
			l.EdgesExamined, l.LongestTurns = &x, m.counted[i].LongestTurns
		}
		out = append(out, l)
	}
	return out
}
