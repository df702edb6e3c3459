package bsp

import (
	"time"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/record"
)

// MaxLevels is the number of levels that Statistics keeps one by one.
const MaxLevels = 4096

// Statistics are the levels of a search. The first MaxLevels are kept one by one, the
// later ones are summed in Rest. A value can be used again: its memory is kept.
type Statistics struct {
	Levels []record.Level
	// Rest sums the levels from MaxLevels on; RestLevels is how many they are. Its
	// direction is that of the last one.
	Rest       record.Level
	RestLevels int
	// Count is the number of supersteps, one more than the depth unless the last
	// frontier had been empty from the start.
	Count int

	processors []record.ProcessorLevel
	examined   float64 // of a level that Rest is about to take in
}

func (s *Statistics) start(procs int) {
	s.Levels = s.Levels[:0]
	s.Rest = record.Level{}
	s.RestLevels, s.Count = 0, 0
	s.processors = s.processors[:0]
	if s.Levels == nil {
		s.Levels = make([]record.Level, 0, 64)
		s.processors = make([]record.ProcessorLevel, 0, 64*procs)
	}
}

// add records a superstep. Time without computing and transfers, the wait for the
// slowest processor included, is idle.
func (s *Statistics) add(level int, d kernels.Direction, frontier, examined int64, counted bool, took time.Duration, participants []participant) {
	s.Count++
	r := record.Level{Level: level, Direction: d.String(), Frontier: float64(frontier), TimeS: took.Seconds()}
	rest := len(s.Levels) == MaxLevels
	if counted {
		if r.EdgesExamined = &s.examined; !rest {
			r.EdgesExamined = new(float64) // kept in Levels
		}
		*r.EdgesExamined = float64(examined)
	}
	at := len(s.processors)
	for i := range participants {
		s.processors = append(s.processors, participants[i].times.record(took))
	}
	r.Processors = s.processors[at:len(s.processors):len(s.processors)]
	if rest {
		s.RestLevels++
		s.Rest.Level, s.Rest.Direction = r.Level, r.Direction
		s.Rest.Add(r)
		s.processors = s.processors[:at]
		return
	}
	s.Levels = append(s.Levels, r)
}

func (t *stepTimes) record(took time.Duration) record.ProcessorLevel {
	idle := max(t.idle, took-t.compute-t.push-t.pull)
	return record.ProcessorLevel{
		ComputeS: t.compute.Seconds(), PushS: t.push.Seconds(), PullS: t.pull.Seconds(), IdleS: idle.Seconds(),
		BytesSent: float64(t.sent), BytesReceived: float64(t.received), Kernel: t.kernel,
	}
}

// All returns the levels, and after them Rest where there is one.
func (s *Statistics) All() []record.Level {
	if s.RestLevels == 0 {
		return s.Levels
	}
	return append(s.Levels[:len(s.Levels):len(s.Levels)], s.Rest)
}
