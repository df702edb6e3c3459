package bsp

import (
	"time"

	"github.com/totemgo/totemgo/record"
)

// MaxLevels is the number of levels that Statistics keeps singly.
const MaxLevels = 4096

// Statistics holds the levels of a search or of a program's run, one per superstep or call of an
// operator: the first MaxLevels singly, the sums of all later ones in Rest. The next search into
// it reuses its memory.
type Statistics struct {
	Levels []record.Level
	// Rest sums RestLevels levels from MaxLevels on. Its Level, Direction and Operator are the last one's.
	Rest       record.Level
	RestLevels int
	// Count is the number of levels.
	Count int

	processors []record.ProcessorLevel
	arcs       []float64 // of FrontierArcs
}

func (s *Statistics) start(procs int) {
	s.Levels = s.Levels[:0]
	s.Rest = record.Level{}
	s.RestLevels, s.Count = 0, 0
	s.processors, s.arcs = s.processors[:0], s.arcs[:0]
	if s.Levels == nil {
		s.Levels = make([]record.Level, 0, 64)
		s.processors = make([]record.ProcessorLevel, 0, 64*procs)
	}
}

// add records level r, which has neither times nor processors, and the out-arcs of its frontier, −1 if
// unknown. A processor's idle time is the level's time less its own compute, push and pull times, so
// it includes the wait for the slowest processor.
func (s *Statistics) add(r record.Level, arcs int64, took time.Duration, participants []participant) {
	s.Count++
	r.TimeS = took.Seconds()
	if arcs >= 0 {
		s.arcs = append(s.arcs, float64(arcs))
		r.FrontierArcs = &s.arcs[len(s.arcs)-1]
	}
	at := len(s.processors)
	for i := range participants {
		s.processors = append(s.processors, participants[i].times.record(took))
	}
	r.Processors = s.processors[at:len(s.processors):len(s.processors)]
	if len(s.Levels) == MaxLevels {
		if s.RestLevels++; s.RestLevels == 1 {
			s.Rest.FrontierArcs = new(float64)
		}
		s.Rest.Level, s.Rest.Direction, s.Rest.Operator = r.Level, r.Direction, r.Operator
		s.Rest.Add(r)
		s.processors = s.processors[:at]
		if arcs >= 0 {
			s.arcs = s.arcs[:len(s.arcs)-1]
		}
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

// All returns the levels, and Rest last if RestLevels > 0.
func (s *Statistics) All() []record.Level {
	if s.RestLevels == 0 {
		return s.Levels
	}
	return append(s.Levels[:len(s.Levels):len(s.Levels)], s.Rest)
}
