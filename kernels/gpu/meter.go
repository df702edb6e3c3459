package gpu

import (
	"maps"
	"time"

	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// Commands counts what a processor asked of its device since Load, warming up left out.
type Commands struct {
	Searches                          int64
	Launches, Fills, Uploads, Reads   int64
	Waits                             int64 // of the host: for a queue or an event
	FillBytes, UploadBytes, ReadBytes int64
	// Of searches while Profile was on.
	Profiled int64
	Kernels  map[string]KernelTime
}

// KernelTime is the time of launches of one kernel.
type KernelTime struct {
	Launches int64
	Time     time.Duration
}

// Commands returns the counts so far.
func (p *Processor) Commands() Commands {
	c := p.meter.Commands
	c.Kernels = maps.Clone(c.Kernels)
	return c
}

// Profile makes searches run one superstep a call, wait for each kernel and clock it from its launch, until it is
// off again: the time of an empty kernel that is waited for is part of each. Such a search is slower.
func (p *Processor) Profile(on bool) { p.meter.profiling = on }

// meter counts the commands of a processor's streams.
type meter struct {
	Commands
	profiling      bool
	enqueued, done int64 // commands, and those that are known to have ended
}

// reset forgets all counts.
func (m *meter) reset() { m.Commands = Commands{Kernels: map[string]KernelTime{}} }

// idle reports that no command may be running.
func (m *meter) idle() bool { return m.done == m.enqueued }

// search counts a search.
func (m *meter) search() {
	m.Searches++
	if m.profiling {
		m.Profiled++
	}
}

// metered is a stream whose commands are counted.
type metered struct {
	device.Stream
	*meter
}

func (s metered) Launch(k device.Kernel, l device.Launch) error {
	s.Launches++
	s.enqueued++
	if !s.profiling {
		return s.Stream.Launch(k, l)
	}
	if err := s.Stream.Finish(); err != nil {
		return err
	}
	begun := time.Now()
	if err := s.Stream.Launch(k, l); err != nil {
		return err
	}
	err := s.Stream.Finish()
	t := s.Kernels[k.Name()]
	s.Kernels[k.Name()] = KernelTime{t.Launches + 1, t.Time + time.Since(begun)}
	return err
}

func (s metered) Write(dst device.Buffer, dstAt int64, src device.Staging, srcAt, n int64) error {
	s.Uploads++
	s.enqueued++
	s.UploadBytes += n
	return s.Stream.Write(dst, dstAt, src, srcAt, n)
}

func (s metered) Read(dst device.Staging, dstAt int64, src device.Buffer, srcAt, n int64) error {
	s.Reads++
	s.enqueued++
	s.ReadBytes += n
	return s.Stream.Read(dst, dstAt, src, srcAt, n)
}

func (s metered) Fill(dst device.Buffer, at, n int64, word uint32) error {
	s.Fills++
	s.enqueued++
	s.FillBytes += n
	return s.Stream.Fill(dst, at, n, word)
}

func (s metered) Record() (device.Event, error) {
	e, err := s.Stream.Record()
	if err != nil {
		return nil, err
	}
	return meteredEvent{e, s.meter, s.enqueued}, nil
}

func (s metered) Finish() error {
	s.Waits++
	err := s.Stream.Finish()
	if err == nil {
		s.done = s.enqueued
	}
	return err
}

// meteredEvent is an event whose waits are counted.
type meteredEvent struct {
	device.Event
	*meter
	after int64 // commands
}

func (e meteredEvent) Wait() error {
	e.Waits++
	err := e.Event.Wait()
	if err == nil {
		e.done = max(e.done, e.after)
	}
	return err
}
