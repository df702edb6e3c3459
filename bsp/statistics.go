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

// add records a superstep. What is left of its time beside computing and transfers,
// the wait for the slowest processor included, is idle.
func (s *Statistics) add(level int, d kernels.Direction, frontier, examined int64, counted bool, took time.Duration, lanes []lane) {
	s.Count++
	r := record.Level{Level: level, Direction: d.String(), Frontier: float64(frontier), TimeS: took.Seconds()}
	if len(s.Levels) == MaxLevels {
		s.rest(r, took, lanes)
		if counted {
			if s.Rest.EdgesExamined == nil {
				s.Rest.EdgesExamined = new(float64)
			}
			*s.Rest.EdgesExamined += float64(examined)
		}
		return
	}
	if counted {
		e := float64(examined)
		r.EdgesExamined = &e
	}
	at := len(s.processors)
	for i := range lanes {
		s.processors = append(s.processors, lanes[i].times.record(took))
	}
	r.Processors = s.processors[at:len(s.processors):len(s.processors)]
	s.Levels = append(s.Levels, r)
}

func (t *clocked) record(took time.Duration) record.ProcessorLevel {
	idle := max(t.idle, took-t.compute-t.push-t.pull)
	return record.ProcessorLevel{
		ComputeS: t.compute.Seconds(), PushS: t.push.Seconds(), PullS: t.pull.Seconds(), IdleS: idle.Seconds(),
		BytesSent: float64(t.sent), BytesReceived: float64(t.received), Kernel: t.kernel,
	}
}

func (s *Statistics) rest(r record.Level, took time.Duration, lanes []lane) {
	s.RestLevels++
	s.Rest.Level, s.Rest.Direction = r.Level, r.Direction
	s.Rest.Frontier += r.Frontier
	s.Rest.TimeS += r.TimeS
	if s.Rest.Processors == nil {
		s.Rest.Processors = make([]record.ProcessorLevel, len(lanes))
	}
	for i := range lanes {
		p, q := &s.Rest.Processors[i], lanes[i].times.record(took)
		p.ComputeS += q.ComputeS
		p.PushS += q.PushS
		p.PullS += q.PullS
		p.IdleS += q.IdleS
		p.BytesSent += q.BytesSent
		p.BytesReceived += q.BytesReceived
		p.Kernel = q.Kernel
	}
}

// All returns the levels, and after them Rest where there is one.
func (s *Statistics) All() []record.Level {
	if s.RestLevels == 0 {
		return s.Levels
	}
	return append(s.Levels[:len(s.Levels):len(s.Levels)], s.Rest)
}
