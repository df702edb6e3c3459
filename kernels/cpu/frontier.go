package cpu

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// form says how a frontier is stored.
type form uint8

const (
	asList form = iota // list holds its vertices
	asBits             // bits holds them, in the words of own ranges
	asBoth
)

// frontier is the owned part of the current frontier, or of the next one. The bits of
// foreign ranges are those that Take or, in next, an untested top-down step
// has written.
type frontier struct {
	form form
	list []uint32
	bits []uint64 // a word more than there are ranks, which stays 0: see probeBlock

	size    int64
	arcs    int64 // out-arcs; −1 if they were not counted
	bounded bool  // arcs is an upper bound
}

// reset makes the frontier empty.
func (f *frontier) reset() {
	f.form, f.list = asList, f.list[:0]
	f.size, f.arcs, f.bounded = 0, -1, false
}

// bitsOf turns the frontier's list into bits of front, own slices only.
func (p *search) bitsOf() {
	if p.front.form != asList {
		return
	}
	for _, o := range p.own {
		lo := int(o.sub.First / 64)
		p.spread(int(o.sub.Padded()/64)-lo, parallelWords, func(a, b int) { clear(p.front.bits[lo+a : lo+b]) })
	}
	for _, v := range p.front.list {
		p.front.bits[v/64] |= 1 << (v % 64)
	}
	p.front.form = asBoth
}

// listOf turns the frontier's bits into a list.
func (p *search) listOf() {
	if p.front.form != asBits {
		return
	}
	p.front.list = slices.Grow(p.front.list[:0], int(p.front.size))
	for _, o := range p.own {
		p.front.list = appendBits(p.front.list, p.front.bits[o.sub.First/64:o.sub.Padded()/64], o.sub.First)
	}
	p.front.form = asBoth
}

// appendBits appends the ranks of the set bits of words, the first word's bit 0
// being rank first.
func appendBits(list []uint32, words []uint64, first uint32) []uint32 {
	for i, w := range words {
		base := first + uint32(i)*64
		for ; w != 0; w &= w - 1 {
			list = append(list, base+uint32(bits.TrailingZeros64(w)))
		}
	}
	return list
}

// arcsOf sums the out- and in-degrees of own ranks.
func (p *search) arcsOf(list []uint32) (out, in int64) {
	for _, v := range list {
		s := p.subOf(v)
		if s.Out != nil {
			out += int64(s.Out.Degree(v - s.First))
		}
		if s.In != nil && s.In != s.Out {
			in += int64(s.In.Degree(v - s.First))
		}
	}
	if len(p.own) > 0 && p.own[0].sub.In == p.own[0].sub.Out {
		in = out
	}
	return out, in
}

// Advance implements kernels.Run.
func (p *search) Advance() (kernels.Counts, error) {
	c := kernels.Counts{Least: program.TopOf(program.U32)}
	p.front, p.next = p.next, p.front
	p.used = false
	p.next.form, p.next.list = asList, p.next.list[:0]
	if p.front.form == asBits {
		for i := range p.workers {
			c.Next += p.workers[i].next
		}
	} else {
		c.Next = int64(len(p.front.list))
	}
	p.front.size = c.Next
	p.visited += c.Next
	var in int64
	p.front.arcs, p.front.bounded = -1, false
	bound := int64(math.MaxInt64)
	if p.need&(kernels.NeedNextArcs|kernels.NeedUnvisitedArcs) == 0 {
		bound = p.outArcs / kernels.ManyPart
		if p.rangeOf == nil {
			bound = min(bound, kernels.ManyTimes*(p.vertices-p.visited)+int64(p.words))
		}
	}
	switch {
	case p.need&(kernels.NeedNextArcs|kernels.NeedUnvisitedArcs|kernels.NeedFewArcs) == 0:
	case bound < math.MaxInt64 && p.longest <= shortRow && c.Next*p.longest <= int64(p.words):
		p.front.arcs, p.front.bounded = c.Next*p.longest, true
	case p.front.form != asBits:
		p.front.arcs, in = p.arcsOfList(bound)
	default:
		p.front.arcs, in = p.arcsOfBits(bound)
	}
	c.NextArcs = p.front.arcs
	p.visitedArcs += in
	if p.need&kernels.NeedUnvisited != 0 {
		c.Unvisited = p.vertices - p.visited
	}
	if p.need&kernels.NeedUnvisitedArcs != 0 {
		c.UnvisitedArcs = p.inArcs - p.visitedArcs
	}
	for i := range p.workers {
		c.Examined += p.workers[i].examined
	}
	return c, nil
}

// arcsOfList sums the degrees of the new frontier, a list. It stops where the out-arcs
// exceed bound, and returns −1 for them.
func (p *search) arcsOfList(bound int64) (out, in int64) {
	return p.sum(len(p.front.list), 256, bound, func(lo, hi int) (int64, int64) { return p.arcsOf(p.front.list[lo:hi]) })
}

// arcsOfBits is arcsOfList for a frontier of bits, own slices of front.
func (p *search) arcsOfBits(bound int64) (out, in int64) {
	for _, o := range p.own {
		s := o.sub
		base := int(s.First / 64)
		a, b := p.sum(int(s.Padded()/64)-base, 32, bound-out, func(lo, hi int) (a, b int64) {
			for k := lo; k < hi; k++ {
				for w := p.front.bits[base+k]; w != 0; w &= w - 1 {
					i := uint32(k)*64 + uint32(bits.TrailingZeros64(w))
					if s.Out != nil {
						a += int64(s.Out.Degree(i))
					}
					if s.In != nil && s.In != s.Out {
						b += int64(s.In.Degree(i))
					}
				}
			}
			if s.In == s.Out {
				b = a
			}
			return a, b
		})
		if a < 0 {
			return -1, 0
		}
		out += a
		in += b
	}
	return out, in
}

// sum adds up what f returns for pieces of [0, n) until the first sum exceeds bound,
// and then returns −1 for it.
func (p *search) sum(n, piece int, bound int64, f func(lo, hi int) (int64, int64)) (out, in int64) {
	if n <= 4*piece {
		if n > 0 {
			out, in = f(0, n)
		}
		if out > bound {
			out = -1
		}
		return out, in
	}
	var o, i atomic.Int64
	p.team.For(n, piece, func(_, lo, hi int) {
		if o.Load() > bound {
			return
		}
		a, b := f(lo, hi)
		o.Add(a)
		i.Add(b)
	})
	if out = o.Load(); out > bound {
		return -1, 0
	}
	return out, i.Load()
}
