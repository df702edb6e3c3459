package bsp

import (
	"time"

	"github.com/totemgo/totemgo/record"
)

// MaxLevels is the number of levels that Statistics keeps singly.
const MaxLevels = 4096

// Statistics holds the levels of a search: the first MaxLevels singly, the sums of all later
// ones in Rest. The next search into it reuses its memory.
type Statistics struct {
	Levels []record.Level
	// Rest sums RestLevels levels from MaxLevels on. Its Level and Direction are the last one's.
	Rest       record.Level
	RestLevels int
	// Count is the number of supersteps.
	Count int

	processors []record.ProcessorLevel
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

// add records a superstep. A processor's idle time is the superstep's time less its own
// compute, push and pull times, so it includes the wait for the slowest processor.
func (s *Statistics) add(level int, direction string, frontier, examined int64, counted bool, took time.Duration, participants []participant) {
	s.Count++
	r := record.Level{Level: level, Direction: direction, Frontier: float64(frontier), TimeS: took.Seconds()}
	if counted {
		x := float64(examined)
		r.EdgesExamined = &x
	}
	at := len(s.processors)
	for i := range participants {
		s.processors = append(s.processors, participants[i].times.record(took))
	}
	r.Processors = s.processors[at:len(s.processors):len(s.processors)]
	if len(s.Levels) == MaxLevels {
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

// All returns the levels, and Rest last if RestLevels > 0.
func (s *Statistics) All() []record.Level {
	if s.RestLevels == 0 {
		return s.Levels
	}
	return append(s.Levels[:len(s.Levels):len(s.Levels)], s.Rest)
}
