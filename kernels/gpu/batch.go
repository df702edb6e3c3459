package gpu

import (
	"context"

	"github.com/totemgo/totemgo/kernels"
)

const (
	// thinLevels bounds the supersteps of one launch of thin, which cannot be cancelled.
	thinLevels = 64
	// logWords is the size of its log: the number of supersteps, then four words each.
	logWords = 1 + logOfLevel*thinLevels
	// logOfLevel is the number of words of a superstep: a chunk's first counters.
	logOfLevel = countLargest + 1
	// batchLevels is the number of supersteps that are enqueued together, moreLevels that from the
	// second time of a search on. A slot may be zeroed two supersteps ahead.
	batchLevels, moreLevels = 8, slots - 3
)

var (
	_ kernels.MultiStepper = (*run)(nil)
	_ kernels.RuleStepper  = (*run)(nil)
)

// MultiStepLimits implements kernels.MultiStepper: the frontiers that one work-group takes, where
// all own vertices lie in one chunk.
func (p *Processor) MultiStepLimits() kernels.MultiStepLimits {
	if len(p.chunks) != 1 || p.chunks[0].sub.Out == nil {
		return kernels.MultiStepLimits{}
	}
	group := int64(p.program.group)
	return kernels.MultiStepLimits{Levels: thinLevels, Vertices: group, Arcs: thinArcs * group}
}

// StepMany implements kernels.MultiStepper by thin.
func (p *run) StepMany(ctx context.Context, levels int) (name string, counts []kernels.Counts, err error) {
	defer p.done("StepMany", &err)
	if err := ctx.Err(); err != nil {
		return "", nil, err
	}
	levels = min(levels, p.MultiStepLimits().Levels)
	if levels < 1 || !p.isThin() {
		return "", nil, nil
	}
	p.list()
	p.thin(p.slot, stepPush, levels)
	if err := p.readLog(); err != nil {
		return "", nil, err
	}
	p.many = p.many[:0]
	p.thinned()
	p.manyCounts = p.manyCounts[:0]
	for _, s := range p.many {
		p.manyCounts = append(p.manyCounts, s.Counts)
	}
	return "thin", p.manyCounts, nil
}

// isThin reports that thin takes the frontier.
func (p *Processor) isThin() bool {
	limits, f := p.MultiStepLimits(), p.chunks[0].frontier
	return f.vertices <= limits.Vertices && f.arcs <= limits.Arcs && p.thinTurns(f) <= mostTurns
}

// thinTurns is the most entries of a row that one lane of thin reads.
func (p *Processor) thinTurns(f frontierShape) int64 {
	lanes := int64(1) // of each vertex
	for 2*lanes*f.vertices <= int64(p.program.group) && 2*lanes <= int64(p.program.group) {
		lanes *= 2
	}
	return (f.largest + lanes - 1) / lanes
}

// thin launches thin from a slot.
func (p *Processor) thin(slot, force uint32, levels int) {
	c, apart := &p.chunks[0], uint32(0)
	if p.hasForeign {
		apart = 1
	}
	p.startGroups(p.searches, "thin", 1, buf(c.out.offsets, c.out.neighbours, c.in.offsets, p.bitmaps[0], p.bitmaps[1], p.parent,
		p.lists[0], p.lists[1], p.pieces[0], p.pieces[1], p.counters, p.rule).u32(c.rank(), c.n, c.base, c.pieces,
		uint32(p.stride()), apart, uint32(p.counterWords(len(p.chunks))), slot, force, uint32(levels)))
}

// readLog copies the counters and the log of thin to tally.
func (p *Processor) readLog() error {
	p.read(p.counterStaging, 0, p.counters, 0, p.counters.Size())
	return p.finish()
}

// thinned appends the supersteps of thin to many. It returns their number.
func (p *Processor) thinned() int {
	log := p.tally[p.counterWords(len(p.chunks)):]
	n := min(int(log[0]), thinLevels)
	for k := range n {
		var t [countsOfChunk]uint32
		if copy(t[:], log[1+logOfLevel*k:][:logOfLevel]); k == n-1 {
			copy(t[:], p.tally[p.chunkAt(p.slot+1, 0):])
		}
		p.stepped(t[:], kernels.TopDown, "thin")
	}
	if n > 0 {
		p.slot++
	}
	return n
}

// stepped appends a superstep, the counters of whose new frontier are t, to many.
func (p *Processor) stepped(t []uint32, way kernels.Direction, kernel string) {
	c := &p.chunks[0]
	examined, turns := c.frontier.arcs, int64(t[countTurns])
	if kernel == "thin" {
		turns = p.thinTurns(c.frontier)
	}
	if way == kernels.BottomUp {
		examined = int64(t[countExamined])
	}
	p.visited(c, t)
	p.counts = kernels.Counts{Next: c.frontier.vertices, NextArcs: c.frontier.arcs, Unvisited: p.unvisited,
		UnvisitedArcs: p.inArcs, Examined: examined, Turns: turns}
	p.many = append(p.many, kernels.Stepped{Counts: p.counts, Way: way, Kernel: kernel})
	p.published[c.rng] = int(c.frontier.vertices)
	p.last, p.listed, p.boxed, p.merged, p.few = way, true, false, false, false
}

// HasRules implements kernels.RuleStepper.
func (p *run) HasRules() bool {
	return p.alone && p.chunks[0].sub.Out != nil && p.chunks[0].sub.In != nil
}

// StepRule implements kernels.RuleStepper: the device decides after each superstep how, and whether, to go on.
func (p *run) StepRule(ctx context.Context, way kernels.Direction, rule *kernels.Rule) (_ []kernels.Stepped, err error) {
	defer p.done("StepRule", &err)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.ruled != *rule {
		p.upload(p.rule, 0, rule.Above[0][:])
		p.upload(p.rule, kernels.RuleSteps, rule.Above[1][:])
		p.ruled = *rule
	}
	long := len(p.many) >= thinLevels && p.slot > 0 // so was the last call: a graph of high diameter
	batch := uint32(batchLevels)
	if p.slot > 0 {
		batch = moreLevels
	}
	p.many = p.many[:0]
	slot, end := p.slot, p.slot+batch
	if p.meter.profiling {
		end = slot + 1
	}
	thin := way == kernels.TopDown && p.isThin()
	if way == kernels.TopDown {
		p.list()
	}
	force := uint32(way)
	if thin {
		p.thin(slot, stepRule, thinLevels)
		slot, force = slot+1, stepRule
		if long {
			end = slot
		}
	}
	for ; slot < end; slot++ {
		p.step(0, slot, force, 1<<40)
		force = stepRule
	}
	if thin {
		err = p.readLog()
	} else {
		err = p.readCounters()
	}
	if err != nil {
		return nil, err
	}
	if thin {
		p.thinned()
	}
	for p.slot < end && p.tally[p.slotAt(p.slot)+headerWay] != stepStop {
		d := kernels.Direction(p.tally[p.slotAt(p.slot)+headerWay])
		p.slot++
		p.stepped(p.tally[p.chunkAt(p.slot, 0):], d, kernelNames[d])
		if d == kernels.BottomUp {
			p.flip = 1 - p.flip
			p.listed = p.complete()
		}
	}
	return p.many, nil
}
