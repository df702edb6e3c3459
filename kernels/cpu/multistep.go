package cpu

import (
	"context"

	"github.com/totemgo/totemgo/kernels"
)

var _ kernels.Undoer = (*search)(nil)

const (
	// multiLevels is the most supersteps of a call, and multiArcs the most vertices, and arcs, of
	// a frontier: together they bound a call to some milliseconds.
	multiLevels = 1024
	multiArcs   = 1024
)

// MultiStepLimits implements kernels.MultiStepper: frontiers that one thread expands. A
// frontier with more arcs than Tuning.Serial may be worth several.
func (p *search) MultiStepLimits() kernels.MultiStepLimits {
	for _, o := range p.own {
		if o.sub.Out == nil {
			return kernels.MultiStepLimits{}
		}
	}
	arcs := int64(multiArcs)
	if p.most > 1 {
		arcs = min(arcs, p.tuning.Serial)
	}
	return kernels.MultiStepLimits{Levels: multiLevels, Vertices: arcs, Arcs: arcs}
}

// StepMany implements kernels.MultiStepper on one thread.
func (p *search) StepMany(ctx context.Context, levels int) (string, []kernels.Counts, error) {
	limits := p.MultiStepLimits()
	p.counts = p.counts[:0]
	if levels = min(levels, limits.Levels); levels < 1 || p.front.size > limits.Vertices {
		return "", nil, ctx.Err()
	}
	p.begin()
	p.listOf()
	p.trail, p.marks = p.trail[:0], p.marks[:0]
	p.mark()
	arcs := p.front.arcs
	if arcs < 0 || p.front.bounded {
		arcs, _ = p.arcsOf(p.front.list)
	}
	for len(p.counts) < levels && arcs <= limits.Arcs && (len(p.front.list) > 0 || len(p.counts) == 0) {
		next, in, ok := p.claimOwn()
		if !ok {
			break
		}
		p.workers[0].examined = arcs
		c, err := p.Advance()
		if err != nil {
			return "", nil, err
		}
		p.counts = append(p.counts, c)
		p.mark()
		arcs = next
		if c.Next > limits.Vertices || in > limits.Arcs {
			break
		}
	}
	if len(p.counts) == 0 {
		return "", nil, ctx.Err()
	}
	return p.names[serial], p.counts, ctx.Err()
}

// mark appends the frontier's list to trail.
func (p *search) mark() {
	p.marks = append(p.marks, len(p.trail))
	p.trail = append(p.trail, p.front.list...)
}

// Undo implements kernels.Undoer.
func (p *search) Undo(n int) error {
	keep := len(p.counts) - n
	at, end := p.marks[keep], p.marks[keep+1]
	undone := p.trail[end:]
	for _, v := range undone {
		p.seen[v/64] &^= 1 << (v % 64)
	}
	p.visited -= int64(len(undone))
	if p.need&kernels.NeedUnvisitedArcs != 0 {
		_, in := p.arcsOf(undone)
		p.visitedArcs -= in
	}
	p.front.reset()
	p.front.list = append(p.front.list, p.trail[at:end]...)
	p.front.size = int64(end - at)
	p.counts = p.counts[:keep]
	return nil
}

// claimOwn expands the frontier's list into nextList, and returns its out-arcs and, where
// they are asked for, in-arcs. It is false, and has claimed nothing, where the frontier
// leads to a foreign vertex that was not claimed before.
func (p *search) claimOwn() (out, in int64, ok bool) {
	seen, parent, next := p.seen, p.parent, p.next.list[:0]
	for _, u := range p.front.list {
		id := p.vertex(u)
		for _, v := range p.row(u) {
			word, bit := &seen[v/64], uint64(1)<<(v%64)
			if *word&bit != 0 {
				continue
			}
			if !p.owns(v / 64) {
				for _, v := range next {
					seen[v/64] &^= 1 << (v % 64)
				}
				p.next.list = next[:0]
				return 0, 0, false
			}
			*word |= bit
			parent[v] = id
			next = append(next, v)
		}
	}
	p.next.list = next
	for _, v := range next {
		s := p.subOf(v)
		out += int64(s.Out.Degree(v - s.First))
		if p.need&kernels.NeedUnvisitedArcs != 0 && s.In != nil {
			in += int64(s.In.Degree(v - s.First))
		}
	}
	return out, in, true
}
