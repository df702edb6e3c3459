package gpu

import (
	"context"

	"github.com/totemgo/totemgo/kernels"
)

// thinLevels bounds the supersteps of one launch, which cannot be cancelled.
const thinLevels = 64

// thinWords is the number of counters of a launch: the number of levels, then four a level.
const thinWords = 1 + countExamined*thinLevels

var _ kernels.MultiStepper = (*Processor)(nil)

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
func (p *Processor) StepMany(ctx context.Context, levels int) (string, []kernels.Counts, error) {
	if err := ctx.Err(); err != nil {
		return "", nil, p.fail("StepMany", err)
	}
	limits := p.MultiStepLimits()
	if levels = min(levels, limits.Levels); levels < 1 {
		return "", nil, nil
	}
	if f := p.chunks[0].frontier; f.vertices > limits.Vertices || f.arcs > limits.Arcs {
		return "", nil, nil
	}
	counts, err := p.stepThin(levels)
	return "thin", counts, p.fail("StepMany", err)
}

// pushThin launches topdown_thin.
func (p *Processor) pushThin(c *chunk, levels int) error {
	return p.launchGroups("topdown_thin", 1, thinArgs{rows: c.out, inOffsets: c.in.offsets, list: p.list, at: c.base,
		vertices: uint32(c.frontier.vertices), first: c.rank(), seen: p.seen, front: p.front, parent: p.parent,
		levels: uint32(levels), counters: p.counters})
}

func (p *Processor) stepThin(levels int) ([]kernels.Counts, error) {
	p.unvisitedListed = false
	c := &p.chunks[0]
	if err := p.pushThin(c, levels); err != nil {
		return nil, err
	}
	if err := p.stream.Read(p.counterStaging, 0, p.counters, 0, 4*int64(1+countExamined*levels)); err != nil {
		return nil, err
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	tally := words32(p.counterStaging.Bytes())
	p.thin = p.thin[:0]
	for level := range min(int(tally[0]), levels) {
		t := tally[1+countExamined*level:]
		examined := c.frontier.arcs
		c.frontier = frontierShape{vertices: int64(t[countVertices]), arcs: int64(t[countOut]), largest: int64(t[countLargest])}
		p.unvisited -= c.frontier.vertices
		p.inArcs -= int64(t[countIn])
		p.thin = append(p.thin, kernels.Counts{Next: c.frontier.vertices, NextArcs: c.frontier.arcs,
			Unvisited: p.unvisited, UnvisitedArcs: p.inArcs, Examined: examined})
	}
	p.published[c.rng] = int(c.frontier.vertices)
	return p.thin, nil
}
