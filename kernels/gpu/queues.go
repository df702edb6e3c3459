package gpu

import (
	"errors"
	"time"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// queues are the two of a processor, each in order and joined by events: kernels with
// the little that they read and write around them, and the messages.
type queues struct{ stream, copies device.Stream }

func (p *Processor) newQueues(make func() (device.Stream, error)) (q queues, err error) {
	for _, to := range []*device.Stream{&q.stream, &q.copies} {
		if *to, err = make(); err != nil {
			return queues{}, err
		}
		p.freed = append(p.freed, *to)
	}
	return q, nil
}

// choose takes the queues for a search; those that profile only where it is not
// clocked, and where the device has them.
func (p *Processor) choose(need kernels.Need) error {
	q := p.plain
	if dev, is := p.dev.(device.Profiling); is && need&kernels.NeedExamined != 0 {
		if p.profiled.stream == nil {
			made, err := p.newQueues(func() (device.Stream, error) { return dev.NewProfiledStream() })
			if err != nil {
				return err
			}
			p.profiled = made
		}
		q = p.profiled
	}
	p.queues, p.up.stream = q, q.stream
	return nil
}

// drain waits for what a search before left on the queues.
func (p *Processor) drain() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	errs := []error{p.stream.Finish(), p.copies.Finish(), p.dropEvents()}
	for _, s := range []device.Stream{p.stream, p.copies} {
		if timed, is := s.(device.ProfiledStream); is {
			_, err := timed.Spans()
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// dropEvents frees all events.
func (p *Processor) dropEvents() error {
	var errs []error
	drop := func(e *device.Event) {
		if *e != nil {
			errs = append(errs, (*e).Free())
			*e = nil
		}
	}
	for i := range p.leaving {
		drop(&p.leaving[i])
	}
	for i := range p.inbox {
		drop(&p.inbox[i].arrived)
		drop(&p.inbox[i].merged)
		p.inbox[i].early = false
	}
	p.taken, p.full = 0, false
	return errors.Join(errs...)
}

// zero returns the host's time at the zero of the device's clock, from a command that
// has just ended; nil where nothing is profiled.
func (p *Processor) zero() (*time.Time, error) {
	stream, is := p.stream.(device.ProfiledStream)
	if !is {
		return nil, nil
	}
	if err := p.stream.Read(p.tally, 0, p.counters, 0, 4); err != nil {
		return nil, err
	}
	if err := p.stream.Finish(); err != nil {
		return nil, err
	}
	now := time.Now()
	spans, err := stream.Spans()
	if err != nil || len(spans) == 0 {
		return nil, err
	}
	at := now.Add(-spans[len(spans)-1].End)
	return &at, nil
}

var _ kernels.Profiler = (*Processor)(nil)

// Profile implements kernels.Profiler.
func (p *Processor) Profile() (transfers, computing []kernels.Span, ok bool, err error) {
	if p.clock == nil {
		return nil, nil, false, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range []device.Stream{p.stream, p.copies} {
		err = s.Finish()
		var spans []device.Span
		if err == nil {
			spans, err = s.(device.ProfiledStream).Spans()
		}
		if err != nil {
			return nil, nil, false, p.fail("Profile", err)
		}
		for _, x := range spans {
			span := kernels.Span{From: p.clock.Add(x.Start), To: p.clock.Add(x.End)}
			if x.Copy {
				transfers = append(transfers, span)
			} else {
				computing = append(computing, span)
			}
		}
	}
	return transfers, computing, true, nil
}
