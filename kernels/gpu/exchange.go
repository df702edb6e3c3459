package gpu

import (
	"fmt"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// stagingOf is the part of messageStaging for range r.
func (p *Processor) stagingOf(r int) []uint32 {
	rg := p.part.Ranges[r]
	return words32(p.messageStaging.Bytes())[rg.First/32 : rg.Padded()/32]
}

// readMessage enqueues the copy of range r's message to messageStaging: count ranks of
// list, or the range's words of bits. list is indexed like bits.
func (p *Processor) readMessage(on device.Stream, r, count int, list, bits device.Buffer) error {
	rg := p.part.Ranges[r]
	at, n, from := int64(rg.First/8), int64(rg.Padded()-rg.First)/8, bits
	if kernels.AsList(count, int(rg.Padded()-rg.First)) {
		n, from = 4*int64(count), list
	}
	return on.Read(p.messageStaging, at, from, at, n)
}

// message is the message of range r in messageStaging.
func (p *Processor) message(r, count int) kernels.Message {
	rg := p.part.Ranges[r]
	switch {
	case count == 0:
		return kernels.Message{}
	case kernels.AsList(count, int(rg.Padded()-rg.First)):
		return kernels.Message{Count: count, List: p.stagingOf(r)[:count:count]}
	default:
		return kernels.Message{Count: count, Bits: p.stagingOf(r)}
	}
}

// Outbox waits for the copy of the claims on range r.
func (p *Processor) Outbox(r int) (kernels.Message, error) {
	if err := retire(&p.copied[r], device.Event.Wait); err != nil {
		return kernels.Message{}, p.fail("Outbox", err)
	}
	return p.message(r, p.claimed[r]), nil
}

// retire waits for an event and frees it; a nil event is complete.
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

// arrived waits for copies of the frontier to messageStaging.
func (p *Processor) arrived() error {
	if !p.reading {
		return nil
	}
	return p.finish()
}

// FrontierSlice copies the frontier of own range r to the host.
func (p *Processor) FrontierSlice(r int) (kernels.Message, error) {
	if err := p.publish(r); err != nil {
		return kernels.Message{}, p.fail("FrontierSlice", err)
	}
	return p.message(r, p.published[r]), nil
}

func (p *Processor) publish(r int) error {
	rg, count := p.part.Ranges[r], p.published[r]
	if count == 0 {
		return nil
	}
	if !kernels.AsList(count, int(rg.Padded()-rg.First)) {
		p.reading = true
		if err := p.readMessage(p.stream, r, count, nil, p.front); err != nil {
			return err
		}
		return p.arrived()
	}
	at := int64(rg.First / 8)
	for _, c := range p.chunks {
		if c.rng != r {
			continue
		}
		p.reading = true
		if err := p.stream.Read(p.messageStaging, at, p.list, 4*int64(c.base), 4*c.frontier.vertices); err != nil {
			return err
		}
		at += 4 * c.frontier.vertices
	}
	return p.arrived()
}

// clearFrontier clears the frontier's bits of remote range r.
func (p *Processor) clearFrontier(r int) error {
	rg := p.part.Ranges[r]
	p.dirty[r] = false
	return p.stream.Fill(p.front, int64(rg.First/8), int64(rg.Padded()-rg.First)/8, 0)
}

// receive uploads a message for range r and has launch merge it: once, or in parts for a
// list longer than the buffer.
func (p *Processor) receive(r int, m kernels.Message, launch func(messageArgs) error) error {
	rg := p.part.Ranges[r]
	if n := int(rg.Padded()-rg.First) / 32; m.List == nil && len(m.Bits) != n {
		return fmt.Errorf("a message of %d words for a range of %d", len(m.Bits), n)
	}
	words := m.List
	if words == nil {
		words = m.Bits
	}
	for len(words) > 0 {
		n := min(len(words), int(p.largestRange))
		if err := p.upload(p.inbox, 0, words[:n]); err != nil {
			return err
		}
		if err := launch(messageArgs{p.inbox, m.List != nil, rg.First / 32, uint32(n)}); err != nil {
			return err
		}
		words = words[n:]
	}
	return nil
}

// form is the ending of a kernel's name for a list or for bits.
func (a messageArgs) form() string {
	if a.isList {
		return "_list"
	}
	return "_bits"
}

// gatherOne launches the kernel that sets a message's bits in front and seen.
func (p *Processor) gatherOne(m messageArgs) error {
	return p.launch("gather"+m.form(), int64(m.n), gatherArgs{m, p.front, p.seen})
}

// mergeOne launches the kernel that merges the claims of a sender into next.
func (p *Processor) mergeOne(m messageArgs, shift, sender uint32) error {
	return p.launch("merge"+m.form(), int64(m.n), mergeArgs{messageArgs: m, seen: p.seen, next: p.next, finder: p.finder,
		shift: shift, sender: sender})
}

// SetRemoteFrontier uploads the frontier of remote range r.
func (p *Processor) SetRemoteFrontier(r int, m kernels.Message) error {
	return p.fail("SetRemoteFrontier", p.gather(r, m))
}

func (p *Processor) gather(r int, m kernels.Message) error {
	if p.dirty[r] && (m.Count == 0 || m.List != nil) {
		if err := p.clearFrontier(r); err != nil {
			return err
		}
	}
	p.dirty[r] = false
	if m.Count == 0 {
		return nil
	}
	return p.receive(r, m, p.gatherOne)
}

// MergeClaims uploads a sender's claims on own range r and merges them.
func (p *Processor) MergeClaims(r, from int, m kernels.Message) error {
	return p.fail("MergeClaims", p.deliver(r, from, m))
}

func (p *Processor) deliver(r, from int, m kernels.Message) error {
	if m.Count == 0 {
		return nil
	}
	rg := p.part.Ranges[r]
	p.delivered[from] = true
	base := uint32(0)
	for _, o := range p.owned {
		if o == r {
			break
		}
		base += p.part.Ranges[o].Padded() - p.part.Ranges[o].First
	}
	shift := base - rg.First // wraps; the sum with a rank does not
	return p.receive(r, m, func(m messageArgs) error { return p.mergeOne(m, shift, uint32(from)) })
}
