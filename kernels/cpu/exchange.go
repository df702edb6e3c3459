package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// as32 views words as the uint32 words of a message: bit i of word i/32.
func as32(words []uint64) []uint32 {
	if len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&words[0])), 2*len(words))
}

// message makes the message of range r out of a list of its ranks.
func (p *search) message(r int, box *outbox, list []uint32) kernels.Message {
	rg := p.part.Ranges[r]
	width := int(rg.Padded() - rg.First)
	if len(list) == 0 || kernels.AsList(len(list), width) {
		return kernels.Message{Count: len(list), List: list}
	}
	if box.words == nil {
		box.words = make([]uint64, width/64)
	}
	p.spread(len(box.words), parallelWords, func(lo, hi int) { clear(box.words[lo:hi]) })
	for _, v := range list {
		v -= rg.First
		box.words[v/64] |= 1 << (v % 64)
	}
	return kernels.Message{Count: len(list), Bits: as32(box.words)}
}

// Expand implements kernels.Run.
func (p *search) Expand(_ int, s program.Step, r int) (kernels.Message, error) {
	if err := p.from(s.From); err != nil {
		return kernels.Message{}, err
	}
	rg := p.part.Ranges[r]
	b := int(rg.Padded() - rg.First)
	if p.front.form != asBits {
		l := p.front.list
		if len(p.own) > 1 {
			box := &p.publish[r]
			box.list = box.list[:0]
			for _, v := range p.front.list {
				if v >= rg.First && v < rg.Padded() {
					box.list = append(box.list, v)
				}
			}
			l = box.list
		}
		if len(l) == 0 || kernels.AsList(len(l), b) {
			return kernels.Message{Count: len(l), List: l}, nil
		}
	}
	p.bitsOf()
	return messageOf(p.front.bits[rg.First/64:rg.Padded()/64], rg.First, &p.publish[r]), nil
}

// Take implements kernels.Run.
func (p *search) Take(_ int, _ program.Step, r int, m kernels.Message) error {
	rg := p.part.Ranges[r]
	lo, hi := int(rg.First/64), int(rg.Padded()/64)
	if m.Bits == nil {
		p.spread(hi-lo, parallelWords, func(a, b int) { clear(p.front.bits[lo+a : lo+b]) })
		for _, v := range m.List {
			p.front.bits[v/64] |= 1 << (v % 64)
			p.seen[v/64] |= 1 << (v % 64)
		}
		return nil
	}
	p.spread(hi-lo, parallelWords, func(a, b int) {
		for i := a; i < b; i++ {
			w := uint64(m.Bits[2*i]) | uint64(m.Bits[2*i+1])<<32
			p.front.bits[lo+i] = w
			p.seen[lo+i] |= w
		}
	})
	return nil
}

// Fold implements kernels.Run.
func (p *search) Fold(r int) (kernels.Message, error) {
	box := &p.out[r]
	if p.next.form == asBits {
		if !p.claimedOut {
			return kernels.Message{}, nil
		}
		rg := p.part.Ranges[r]
		return messageOf(p.next.bits[rg.First/64:rg.Padded()/64], rg.First, box), nil
	}
	list := p.workers[0].lists[r]
	if p.threads > 1 {
		box.list = box.list[:0]
		for i := range p.workers {
			box.list = append(box.list, p.workers[i].lists[r]...)
		}
		list = box.list
	}
	return p.message(r, box, list), nil
}

// messageOf makes a message of words of bits, the first one's bit 0 being rank first.
func messageOf(words []uint64, first uint32, box *outbox) kernels.Message {
	c := 0
	for _, w := range words {
		c += bits.OnesCount64(w)
	}
	switch {
	case c == 0:
		return kernels.Message{}
	case kernels.AsList(c, 64*len(words)):
		box.list = appendBits(box.list[:0], words, first)
		return kernels.Message{Count: c, List: box.list}
	}
	return kernels.Message{Count: c, Bits: as32(words)}
}

// Merge implements kernels.Run.
func (p *search) Merge(r, from int, m kernels.Message) error {
	if m.Count == 0 {
		return nil
	}
	take := func(v uint32) {
		p.finder[v] = uint8(from)
		p.remote[v/64] |= 1 << (v % 64)
		if p.next.form == asBits {
			p.next.bits[v/64] |= 1 << (v % 64)
			p.workers[0].next++
		} else {
			p.next.list = append(p.next.list, v)
		}
	}
	if m.Bits == nil {
		for _, v := range m.List {
			if p.seen[v/64]>>(v%64)&1 == 0 {
				p.seen[v/64] |= 1 << (v % 64)
				take(v)
			}
		}
		return nil
	}
	rg := p.part.Ranges[r]
	for i := range int(rg.Padded()-rg.First) / 64 {
		in := uint64(m.Bits[2*i]) | uint64(m.Bits[2*i+1])<<32
		k := int(rg.First/64) + i
		fresh := in &^ p.seen[k]
		if fresh == 0 {
			continue
		}
		p.seen[k] |= fresh
		for ; fresh != 0; fresh &= fresh - 1 {
			take(uint32(k)*64 + uint32(bits.TrailingZeros64(fresh)))
		}
	}
	return nil
}
