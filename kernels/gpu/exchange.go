package gpu

import (
	"fmt"
	"slices"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/program"
)

// words is the number of words of a range's bits.
func words(rg kernels.Range) uint32 { return (rg.Padded() - rg.First) / 32 }

// asList reports whether count ranks of a range are sent as a list.
func asList(count int, rg kernels.Range) bool {
	return kernels.AsList(count, int(rg.Padded()-rg.First))
}

// readMessage enqueues the copy of range r's message to messageStaging: count ranks of
// list, or the range's words of bits. list is indexed like bits.
func (p *Processor) readMessage(on device.Stream, r, count int, list, bits device.Buffer) {
	rg := p.part.Ranges[r]
	at, n, from := int64(rg.First/8), 4*int64(words(rg)), bits
	if asList(count, rg) {
		n, from = 4*int64(count), list
	}
	p.read(on, p.messageStaging, at, from, at, n)
}

// message is the message of range r in messageStaging.
func (p *Processor) message(r, count int) kernels.Message {
	rg := p.part.Ranges[r]
	staged := words32(p.messageStaging.Bytes())[rg.First/32 : rg.Padded()/32]
	switch {
	case count == 0:
		return kernels.Message{}
	case asList(count, rg):
		return kernels.Message{Count: count, List: staged[:count:count]}
	default:
		return kernels.Message{Count: count, Bits: staged}
	}
}

// Fold implements kernels.Run: it waits for the copy of the claims on range r.
func (p *run) Fold(r int) (_ kernels.Message, err error) {
	defer p.done("Fold", &err)
	return p.message(r, p.claimed[r]), p.await(&p.copied[r])
}

// Expand implements kernels.Run: it copies the frontier of own range r to the host.
func (p *run) Expand(_ int, _ program.Step, r int) (_ kernels.Message, err error) {
	defer p.done("Expand", &err)
	rg, count := p.part.Ranges[r], p.published[r]
	if count == 0 {
		return kernels.Message{}, nil
	}
	if asList(count, rg) {
		at := int64(rg.First / 8)
		for _, c := range p.chunks {
			if c.rng == r {
				p.read(p.stream, p.messageStaging, at, p.list, 4*int64(c.base), 4*c.frontier.vertices)
				at += 4 * c.frontier.vertices
			}
		}
	} else {
		p.readMessage(p.stream, r, count, nil, p.front)
	}
	return p.message(r, count), p.finish()
}

// clearFrontier clears the frontier's bits of remote range r.
func (p *Processor) clearFrontier(r int) {
	rg := p.part.Ranges[r]
	p.dirty[r] = false
	p.fill(p.front, int64(rg.First/8), 4*int64(words(rg)), 0)
}

// incoming is a message in inbox: n ranks, or as bits n words of the range that begins at
// word.
type incoming struct {
	list    bool
	word, n uint32
}

// receive uploads a message for range r and has launch merge it: once, or in parts for a
// list longer than the buffer.
func (p *Processor) receive(r int, m kernels.Message, launch func(incoming)) error {
	rg, data := p.part.Ranges[r], m.List
	if data == nil {
		if data = m.Bits; len(data) != int(words(rg)) {
			return fmt.Errorf("a message of %d words for a range of %d", len(data), words(rg))
		}
	}
	for part := range slices.Chunk(data, int(p.largestRange)) {
		p.upload(p.inbox, 0, part)
		launch(incoming{m.List != nil, rg.First / 32, uint32(len(part))})
	}
	return nil
}

// take launches a kernel on a message; rest are its arguments after the message.
func (p *Processor) take(kernel string, m incoming, rest args) {
	message := buf(p.inbox).u32(0)
	if m.list {
		kernel += "_list"
	} else {
		kernel += "_bits"
		message = message.u32(m.word)
	}
	p.launch(kernel, int64(m.n), append(message.u32(m.n), rest...))
}

// gather launches the kernel that sets a message's bits in front and seen.
func (p *Processor) gather(m incoming) { p.take("gather", m, buf(p.front, p.seen)) }

// merge launches the kernel that merges the claims of a sender into next.
// finder[shift+rank] is a rank's byte.
func (p *Processor) merge(m incoming, shift, sender uint32) {
	p.take("merge", m, buf(p.seen, p.next, p.finder).u32(shift, sender))
}

// Take implements kernels.Run: it uploads the frontier of remote range r.
func (p *run) Take(_ int, _ program.Step, r int, m kernels.Message) (err error) {
	defer p.done("Take", &err)
	if p.dirty[r] && (m.Count == 0 || m.List != nil) {
		p.clearFrontier(r)
	}
	p.dirty[r] = false
	if m.Count == 0 {
		return nil
	}
	return p.receive(r, m, p.gather)
}

// Merge implements kernels.Run: it uploads a sender's claims on own range r and merges them.
func (p *run) Merge(r, from int, m kernels.Message) (err error) {
	defer p.done("Merge", &err)
	i := slices.IndexFunc(p.chunks, func(c chunk) bool { return c.rng == r })
	if m.Count == 0 || i < 0 {
		return nil
	}
	p.delivered[from] = true
	shift := p.chunks[i].base - p.chunks[i].rank() // wraps; the sum with a rank does not
	return p.receive(r, m, func(m incoming) { p.merge(m, shift, uint32(from)) })
}
