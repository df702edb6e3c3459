package gpu

import (
	"context"

	"github.com/totemgo/totemgo/kernels"
)

// thinLevels bounds the supersteps of one launch, which cannot be cancelled.
const thinLevels = 64

// thinWords is the number of counters of a launch: the number of levels, then four a level.
const thinWords = 1 + countExamined*thinLevels

var _ kernels.MultiStepper = (*run)(nil)

// MultiStepLimits implements kernels.MultiStepper: the frontiers that one work-group takes, where
// all vertices lie in one chunk and no strategy is forced.
func (p *Processor) MultiStepLimits() kernels.MultiStepLimits {
	if p.hasForeign || len(p.chunks) != 1 || p.chunks[0].sub.Out == nil || p.options.TopDown != Auto {
		return kernels.MultiStepLimits{}
	}
	group := int64(p.program.group)
	return kernels.MultiStepLimits{Levels: thinLevels, Vertices: group, Arcs: thinArcs * group}
}

// StepMany implements kernels.MultiStepper.
func (p *run) StepMany(ctx context.Context, levels int) (name string, counts []kernels.Counts, err error) {
	defer p.done("StepMany", &err)
	if err := ctx.Err(); err != nil {
		return "", nil, err
	}
	limits := p.MultiStepLimits()
	if levels = min(levels, limits.Levels); levels < 1 {
		return "", nil, nil
	}
	c := &p.chunks[0]
	if f := c.frontier; f.vertices > limits.Vertices || f.arcs > limits.Arcs {
		return "", nil, nil
	}
	p.unvisitedListed = false
	p.pushThin(c, levels)
	p.read(p.stream, p.counterStaging, 0, p.counters, 0, 4*int64(1+countExamined*levels))
	if err := p.finish(); err != nil {
		return "", nil, err
	}
	p.thin = p.thin[:0]
	for level := range min(int(p.tally[0]), levels) {
		examined := c.frontier.arcs
		p.visited(c, p.tally[1+countExamined*level:])
		p.thin = append(p.thin, kernels.Counts{Next: c.frontier.vertices, NextArcs: c.frontier.arcs,
			Unvisited: p.unvisited, UnvisitedArcs: p.inArcs, Examined: examined})
	}
	p.published[c.rng] = int(c.frontier.vertices)
	return "thin", p.thin, nil
}

// pushThin launches topdown_thin.
func (p *Processor) pushThin(c *chunk, levels int) {
	p.launchGroups("topdown_thin", 1, buf(c.out.offsets, c.out.neighbours, c.in.offsets, p.list).
		u32(c.base, uint32(c.frontier.vertices), c.rank()).buf(p.seen, p.front, p.parent).u32(uint32(levels)).buf(p.counters))
}
