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
	sums map[levelKey]*levelSum
}

type levelKey struct {
	level     int
	direction string
}

type levelSum struct {
	timed, counted int
	total          record.Level // sums; EdgesExamined unused
	examined       float64
}

// Add takes the levels of one timed search. It keeps no part of the slice.
func (m *LevelMeans) Add(levels []record.Level) {
	for i := range levels {
		l := &levels[i]
		s := m.sum(l)
		s.timed++
		s.total.Add(*l)
	}
}

// AddCounted takes the levels of one untimed search that counted the edges it
// examined. Only these counts are used, and only of levels that a timed search took in
// the same direction.
func (m *LevelMeans) AddCounted(levels []record.Level) {
	for i := range levels {
		if l := &levels[i]; l.EdgesExamined != nil {
			s := m.sum(l)
			s.counted++
			s.examined += *l.EdgesExamined
		}
	}
}

func (m *LevelMeans) sum(l *record.Level) *levelSum {
	if m.sums == nil {
		m.sums = map[levelKey]*levelSum{}
	}
	k := levelKey{l.Level, l.Direction}
	s := m.sums[k]
	if s == nil {
		s = &levelSum{}
		m.sums[k] = s
	}
	return s
}

// Levels returns the means, by rising level, top-down before bottom-up. Kernel is
// that of the first search. It is nil where nothing was added.
func (m *LevelMeans) Levels() []record.Level {
	var out []record.Level
	for k, s := range m.sums {
		if s.timed == 0 {
			continue
		}
		n := float64(s.timed)
		l := record.Level{
			Level: k.level, Direction: k.direction, Searches: s.timed,
			TimeS: s.total.TimeS / n, Frontier: s.total.Frontier / n,
			Processors: slices.Clone(s.total.Processors),
		}
		for p := range l.Processors {
			a := &l.Processors[p]
			a.ComputeS /= n
			a.PushS /= n
			a.PullS /= n
			a.IdleS /= n
			a.BytesSent /= n
			a.BytesReceived /= n
		}
		if s.counted > 0 {
			x := s.examined / float64(s.counted)
			l.EdgesExamined = &x
		}
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b record.Level) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), -cmp.Compare(a.Direction, b.Direction))
	})
	return out
}
