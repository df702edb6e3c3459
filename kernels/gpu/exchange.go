package gpu

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// words is the number of words of a range's bits.
func words(rg kernels.Range) uint32 { return (rg.Padded() - rg.First) / 32 }

// asList reports whether count ranks of a range are sent as a list.
func asList(count int, rg kernels.Range) bool {
	return kernels.AsList(count, int(rg.Padded()-rg.First))
}

// foldClaims makes the messages to other processors: what a push has visited in remote ranges. A frontier of
// arcs out-arcs claims no more vertices: few are read as a list, more as bits.
func (p *Processor) foldClaims(arcs int64) {
	for r, rg := range p.part.Ranges {
		if rg.Owner == p.part.Index {
			continue
		}
		n, from, most := int64(words(rg)), p.boxes, uint32(0)
		if p.asList[r] = arcs <= n; p.asList[r] {
			n, from, most = arcs, p.outbox, words(rg)
		}
		p.news(r, words(rg), most, true)
		p.read(p.messages, int64(rg.First/8), from, int64(rg.First/8), 4*n)
	}
}

// news launches the kernel that counts the visited vertices in the first words of range r that are not in old,
// and lists up to most of them.
func (p *Processor) news(r int, words, most uint32, sync bool) {
	var s uint32
	if sync {
		s = 1
	}
	p.launch("news", int64(words), buf(p.seen(), p.old()).u32(p.part.Ranges[r].First/32, words, most, s).
		buf(p.boxes, p.outbox, p.counters).u32(uint32(p.rangeCounter(r))))
}

// publish reads the bits of own ranges of the frontier after a pull, where other processors may ask for them.
func (p *Processor) publish() {
	if !p.hasForeign {
		return
	}
	for _, r := range p.owned {
		p.news(r, words(p.part.Ranges[r]), 0, false)
		p.readOwn(r)
	}
	p.boxed = true
}

// readOwn reads the bits of own range r in boxes.
func (p *Processor) readOwn(r int) {
	rg := p.part.Ranges[r]
	p.read(p.messages, 4*int64(p.ownAt(r)), p.boxes, int64(rg.First/8), 4*int64(words(rg)))
}

// ownAt is the word of messages at which own range r begins: others may still read those of the superstep before.
func (p *Processor) ownAt(r int) uint32 {
	return (uint32(p.parity)*p.part.Ranks + p.part.Ranges[r].First) / 32
}

// message is the message of count ranks of range r, in messages from word at on as a list or as bits.
func (p *Processor) message(r, count int, at uint32, listed bool) kernels.Message {
	rg := p.part.Ranges[r]
	staged := p.messageWords[at:][:words(rg)]
	switch {
	case count == 0:
		return kernels.Message{}
	case listed && asList(count, rg):
		return kernels.Message{Count: count, List: staged[:count:count]}
	case listed:
		set := p.sent[rg.First/32 : rg.Padded()/32]
		setBits(set, rg, staged[:count])
		return kernels.Message{Count: count, Bits: set}
	case !asList(count, rg):
		return kernels.Message{Count: count, Bits: staged}
	}
	return kernels.Message{Count: count, List: appendBits(p.sent[rg.First/32:rg.First/32:rg.Padded()/32], rg, staged)}
}

// setBits makes a set the ranks of a list that are in a range.
func setBits(set []uint32, rg kernels.Range, list []uint32) {
	clear(set)
	for _, v := range list {
		if v-rg.First < rg.Vertices {
			set[(v-rg.First)/32] |= 1 << (v % 32)
		}
	}
}

// appendBits appends the ranks of a range that a set has.
func appendBits(list []uint32, rg kernels.Range, set []uint32) []uint32 {
	for i, w := range set {
		for ; w != 0; w &= w - 1 {
			list = append(list, rg.First+32*uint32(i)+uint32(bits.TrailingZeros32(w)))
		}
	}
	return list
}

// Fold implements kernels.Run.
func (p *run) Fold(r int) (_ kernels.Message, err error) {
	defer p.done("Fold", &err)
	if p.unended {
		if err := p.end(); err != nil {
			return kernels.Message{}, err
		}
	}
	return p.message(r, p.claimed[r], p.part.Ranges[r].First/32, p.asList[r]), nil
}

// Expand implements kernels.Run: it copies the frontier of own range r to the host, unless the last step did.
func (p *run) Expand(_ int, _ program.Step, r int) (_ kernels.Message, err error) {
	defer p.done("Expand", &err)
	switch rg := p.part.Ranges[r]; {
	case p.published[r] == 0 || p.boxed:
	case p.few && p.counts.Next <= fewFound:
		setBits(p.messageWords[p.ownAt(r):][:words(rg)], rg, p.tally[p.rangeCounter(len(p.part.Ranges))+1:][:p.counts.Next])
	default:
		if p.listed {
			p.bitsOf(r)
		} else {
			p.news(r, words(rg), 0, false)
		}
		p.readOwn(r)
		if err := p.finish(); err != nil {
			return kernels.Message{}, err
		}
	}
	return p.message(r, p.published[r], p.ownAt(r), false), nil
}

// box reads the bits of the frontier, which is in lists, in own ranges.
func (p *Processor) box() {
	for _, r := range p.owned {
		p.bitsOf(r)
		p.readOwn(r)
	}
}

// bitsOf makes the bits of the frontier in own range r from its lists.
func (p *Processor) bitsOf(r int) {
	rg := p.part.Ranges[r]
	p.fill(p.boxes, int64(rg.First/8), 4*int64(words(rg)), 0)
	for i := range p.chunks {
		if c := &p.chunks[i]; c.rng == r {
			p.launch("frontier_bits", int64(c.n), buf(c.out.offsets).u32(c.rank(), c.n).buf(p.lists[p.slot%2]).
				u32(c.base).buf(p.pieces[p.slot%2]).u32(c.pieces).buf(p.counters).u32(uint32(p.chunkAt(p.slot, i))).buf(p.boxes))
		}
	}
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

// gather launches the kernel that sets a message's bits in seen.
func (p *Processor) gather(m incoming) { p.take("gather", m, buf(p.seen())) }

// merge launches the kernel that merges the claims of a sender into seen.
// finder[shift+rank] is a rank's byte.
func (p *Processor) merge(m incoming, shift, sender uint32) {
	p.take("merge", m, buf(p.seen(), p.finder).u32(shift, sender))
}

// Take implements kernels.Run: it uploads the frontier of remote range r.
func (p *run) Take(_ int, _ program.Step, r int, m kernels.Message) (err error) {
	defer p.done("Take", &err)
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
	p.delivered[from] += m.Count
	p.merged, p.claims = true, nil
	p.boxed = p.boxed || int64(m.Count) > p.ownVertices/256
	shift := p.chunks[i].base - p.chunks[i].rank() // wraps; the sum with a rank does not
	return p.receive(r, m, func(m incoming) { p.merge(m, shift, uint32(from)) })
}
