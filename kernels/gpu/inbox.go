package gpu

import (
	"fmt"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// slot is a place for one message on its way in: staging, and device memory. There are
// two, so that one fills while the other is merged.
type slot struct {
	staging device.Staging
	buffer  device.Buffer
	arrived device.Event // the copy is complete
	merged  device.Event // the kernel that reads it is, where one was launched
	// early tells that the message was taken in before Deliver, and which it is.
	early   bool
	r, from int
}

// words are what a message consists of: its list or its bitmap.
func words(m kernels.Message) []uint32 {
	if m.List != nil {
		return m.List
	}
	return m.Bits
}

// Receive implements kernels.Receiver: the message goes to the inbox while the step
// runs, if it fits and the inbox has a slot left.
func (p *Processor) Receive(r, from int, m kernels.Message) error {
	if m.Count == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.full = p.full || p.taken == len(p.inbox) || len(words(m)) > int(p.largestRange); p.full {
		return nil
	}
	s, err := p.take(words(m))
	if err == nil {
		s.early, s.r, s.from = true, r, from
	}
	return p.fail("Receive", err)
}

var _ kernels.Receiver = (*Processor)(nil)

// take starts the copy of words to the next slot. The lock is held; what the slot held
// has been merged, or the kernel for that is launched.
func (p *Processor) take(words []uint32) (*slot, error) {
	s := &p.inbox[p.taken%len(p.inbox)]
	p.taken++
	// The copy before must have left the staging, and its kernel the buffer.
	if err := retire(&s.arrived, device.Event.Wait); err != nil {
		return nil, err
	}
	if err := retire(&s.merged, p.copies.Wait); err != nil {
		return nil, err
	}
	copy(words32(s.staging.Bytes()), words)
	if err := p.copies.Write(s.buffer, 0, s.staging, 0, 4*int64(len(words))); err != nil {
		return nil, err
	}
	var err error
	s.arrived, err = p.copies.Record()
	return s, err
}

// retire waits for an event, if there is one, and frees it.
func retire(e *device.Event, wait func(device.Event) error) error {
	if *e == nil {
		return nil
	}
	err := wait(*e)
	if ferr := (*e).Free(); err == nil {
		err = ferr
	}
	*e = nil
	return err
}

// bring brings a message to the inbox, unless it is there, and calls merge with it on
// the device: once, but for a list longer than a slot.
func (p *Processor) bring(r, from int, m kernels.Message, merge func(in device.Buffer, n int) error) error {
	rg := p.part.Ranges[r]
	if n := int(rg.Padded()-rg.First) / 32; m.List == nil && len(m.Bits) != n {
		return fmt.Errorf("a message of %d words for a range of %d", len(m.Bits), n)
	}
	for list := words(m); len(list) > 0; {
		n := min(len(list), int(p.largestRange))
		s, err := p.received(r, from, list[:n])
		if err != nil {
			return err
		}
		if err := p.stream.Wait(s.arrived); err != nil {
			return err
		}
		if err := merge(s.buffer, n); err != nil {
			return err
		}
		if s.merged, err = p.stream.Record(); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// received returns the slot that holds a message, which it brings there if need be.
func (p *Processor) received(r, from int, words []uint32) (*slot, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.inbox {
		if s := &p.inbox[i]; s.early && s.r == r && s.from == from {
			s.early = false
			return s, nil
		}
	}
	return p.take(words)
}

// emptied tells the inbox that all it held is merged.
func (p *Processor) emptied() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken, p.full = 0, false
	for i := range p.inbox {
		if err := retire(&p.inbox[i].merged, func(device.Event) error { return nil }); err != nil {
			return err
		}
		p.inbox[i].early = false
	}
	return nil
}
