package gpu

import (
	"context"
	"fmt"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// Begin implements kernels.Run: it clears the bitmaps by one kernel, after what a search that failed has enqueued.
func (p *run) Begin(need kernels.Need) (err error) {
	defer p.done("Begin", &err)
	p.meter.search()
	return p.reset(need)
}

func (p *Processor) reset(need kernels.Need) error {
	if err := p.drain(); err != nil {
		return err
	}
	ranges := len(p.part.Ranges)
	p.search = search{need: need, unvisited: p.ownVertices, inArcs: p.ownInArcs, listed: true,
		claimed: make([]int, ranges), asList: make([]bool, ranges), published: make([]int, ranges),
		delivered: make([]int, kernels.MaxPartitions+1)}
	for i := range p.chunks {
		p.chunks[i].frontier = frontierShape{}
	}
	words, finders, counters := p.part.Ranks/32, uint32(0), uint32(p.counterWords(len(p.chunks)))
	if p.hasForeign {
		finders = p.ownPadded / 4
	}
	p.launch("search_begin", int64(max(words, finders)), buf(p.bitmaps[0], p.bitmaps[1]).u32(words).buf(p.finder).
		u32(finders, uint32(p.part.Index)*0x01010101).buf(p.counters).u32(counters, uint32(p.stride()), uint32(p.ownVertices)))
	p.counts = kernels.Counts{Unvisited: p.unvisited, UnvisitedArcs: p.inArcs}
	return p.err
}

// Seed implements kernels.Run: it visits the root.
func (p *run) Seed(rank uint32, _ int, _ program.Bits) (err error) {
	defer p.done("Seed", &err)
	for i := range p.chunks {
		c := &p.chunks[i]
		if rank < c.rank() || rank-c.rank() >= c.n {
			continue
		}
		p.root(i, rank)
		var out, in int64
		if c.sub.Out != nil {
			out = int64(c.sub.Out.Degree(rank - c.sub.First))
		}
		if c.sub.In != nil {
			in = int64(c.sub.In.Degree(rank - c.sub.First))
		}
		c.frontier = frontierShape{vertices: 1, arcs: out, largest: out}
		p.published[c.rng] = 1
		p.unvisited--
		p.inArcs -= in
		p.counts.Next, p.counts.NextArcs = 1, out
	}
	p.counts.Unvisited, p.counts.UnvisitedArcs = p.unvisited, p.inArcs
	return p.err
}

// root launches the kernel that makes a vertex of chunk i the frontier.
func (p *Processor) root(i int, rank uint32) {
	c := &p.chunks[i]
	p.startGroups(p.searches, "search_root", 1, buf(c.out.offsets, c.in.offsets, p.bitmaps[0], p.bitmaps[1], p.parent).u32(c.rank(), c.n).
		buf(p.lists[0]).u32(c.base).buf(p.pieces[0]).u32(c.pieces).buf(p.counters).u32(uint32(p.chunkAt(0, i)), rank))
}

// Step implements kernels.Run: it enqueues the superstep's kernels and the copies of messages. end waits for a push
// of which messages are folded, after the claims that were merged before the first Fold.
func (p *run) Step(ctx context.Context, _ int, s program.Step) (name string, err error) {
	defer p.done("Step", &err)
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if s.From != program.Default || s.Over != program.Default {
		return "", fmt.Errorf("stored sets: %w", kernels.ErrUnsupported)
	}
	d := kernels.Direction(s.Way)
	if len(p.chunks) == 0 {
		return kernelNames[d], nil
	}
	p.parity = 1 - p.parity
	p.boxed, p.merged, p.few = false, false, false
	p.counts.Examined = 0
	p.last = d
	if d == kernels.TopDown {
		p.list()
		for i := range p.chunks {
			p.counts.Examined += p.chunks[i].frontier.arcs
		}
	}
	for i := range p.chunks {
		p.step(i, p.slot, uint32(d), p.itemsOf(&p.chunks[i], d))
	}
	if d == kernels.BottomUp {
		p.flip = 1 - p.flip
		p.publish()
	} else {
		p.foldClaims(p.counts.Examined)
	}
	p.slot++
	if p.unended = true; d == kernels.TopDown && p.hasForeign {
		if p.err == nil {
			p.err = p.stream.Flush()
		}
		return kernelNames[d], p.err
	}
	return kernelNames[d], p.end()
}

// end waits for the step and the claims merged so far: counters and messages are on the host.
func (p *Processor) end() error {
	if !p.unended && !p.merged {
		return p.err
	}
	if p.last == kernels.TopDown {
		if !p.alone {
			p.listFinds()
		}
		// A pull is likely next.
		if p.boxed = p.boxed || p.hasForeign && p.counts.Examined > p.ownVertices/256; p.boxed {
			p.box()
		}
	}
	if err := p.readCounters(); err != nil {
		return err
	}
	if p.unended {
		for r, rg := range p.part.Ranges {
			if p.claimed[r] = 0; rg.Owner != p.part.Index && p.last == kernels.TopDown {
				p.claimed[r] = int(p.tally[p.rangeCounter(r)])
			}
		}
	}
	p.unended, p.merged, p.few = false, false, p.last == kernels.TopDown && p.hasForeign
	p.listed = p.last == kernels.TopDown || p.alone && p.complete()
	return nil
}

var kernelNames = [...]string{kernels.TopDown: "push", kernels.BottomUp: "pull"}

// itemsOf is the number of lanes that a superstep of chunk c keeps busy.
func (p *Processor) itemsOf(c *chunk, d kernels.Direction) int64 {
	switch {
	case d == kernels.TopDown:
		return c.frontier.small + 32*(c.frontier.medium+c.frontier.long) + c.frontier.vertices
	case p.last == kernels.TopDown:
		return int64(c.n)
	}
	return p.unvisited
}

// listCap is the number of entries up to which a pull of chunk c makes the lists of the next frontier.
func (c *chunk) listCap() uint32 { return max(listLeast, c.n/listPart) }

const listLeast, listPart = 1024, 32

// complete reports that the last pull made complete lists of the frontier.
func (p *Processor) complete() bool {
	c := &p.chunks[0]
	most := int64(c.listCap())
	t := p.tally[p.chunkAt(p.slot, 0):]
	return max(int64(t[countSmall]), int64(t[countMedium]), int64(t[countLong])) < most
}

// step launches the kernel of a superstep on chunk i.
func (p *Processor) step(i int, slot, force uint32, items int64) {
	c := &p.chunks[i]
	rows := c.n
	switch { // without arcs of that way it writes the header only
	case force == stepPush && c.sub.Out == nil:
		force, items = stepStop, 0
	case force == stepPull && c.sub.In == nil:
		rows, items = 0, 0
	}
	var words, enlisting, counting uint32
	if i == 0 {
		words = p.part.Ranks / 32
	}
	if p.alone {
		enlisting = 1
	}
	if p.need&kernels.NeedExamined != 0 {
		counting = 1
	}
	p.launch("superstep", items, buf(c.out.offsets, c.out.neighbours, c.in.offsets, c.in.neighbours, c.in.first, c.in.second,
		p.bitmaps[0], p.bitmaps[1], p.parent, p.lists[0], p.lists[1], p.pieces[0], p.pieces[1], p.scratchA, p.scratchB,
		p.counters, p.rule).u32(c.rank(), rows, c.base, c.pieces, words, c.hub, c.listCap(), enlisting, counting,
		uint32(p.stride()), uint32(i), uint32(p.rangeCounter(0)), uint32(len(p.part.Ranges))+1, slot, force))
}

// The values of step's force; a Direction is one, too.
const (
	stepPush = uint32(kernels.TopDown)
	stepPull = uint32(kernels.BottomUp)
	stepStop = 2
	stepRule = 3
)

// list completes the lists of the frontier, where a pull left them incomplete.
func (p *Processor) list() {
	if p.listed {
		return
	}
	for i := range p.chunks {
		p.fill(p.counters, 4*int64(p.chunkAt(p.slot, i)+countSmall), 4*(countLong-countSmall+1), 0)
		p.listFrontier(i, p.slot, false)
	}
	p.listed = true
}

// listFinds lists and counts what a push, or a merge after it, found in own ranges.
func (p *Processor) listFinds() {
	for i := range p.chunks {
		p.listFrontier(i, p.slot, true)
	}
}

// listFrontier launches the kernel that lists, and counts, the vertices of chunk i in seen and not in old.
func (p *Processor) listFrontier(i int, slot uint32, counting bool) {
	c, count := &p.chunks[i], uint32(0)
	if counting {
		count = 1
	}
	p.launch("frontier_list", int64(c.n+31)/32, buf(p.seen(), p.old()).u32(c.rank(), c.n).buf(c.out.offsets, c.in.offsets,
		p.lists[slot%2]).u32(c.base).buf(p.pieces[slot%2]).u32(c.pieces).buf(p.counters).u32(uint32(p.chunkAt(slot, i)), count,
		uint32(p.rangeCounter(len(p.part.Ranges))), uint32(p.fewMost())))
}

// readCounters copies the counters, but for the log of thin, to tally.
func (p *Processor) readCounters() error {
	p.read(p.counterStaging, 0, p.counters, 0, 4*int64(p.counterWords(len(p.chunks))))
	return p.finish()
}

// Advance implements kernels.Run: it waits where claims were merged after the first Fold.
func (p *run) Advance() (_ kernels.Counts, err error) {
	defer p.done("Advance", &err)
	if err := p.end(); err != nil {
		return p.counts, err
	}
	p.counts = kernels.Counts{Examined: p.counts.Examined} // of a push
	clear(p.published)
	for i := range p.chunks {
		c := &p.chunks[i]
		t := p.tally[p.chunkAt(p.slot, i):]
		p.visited(c, t)
		p.counts.Next += c.frontier.vertices
		p.counts.NextArcs += c.frontier.arcs
		if p.last == kernels.BottomUp {
			p.counts.Examined += int64(t[countExamined])
		}
		p.counts.Turns = max(p.counts.Turns, int64(t[countTurns]))
		p.published[c.rng] += int(c.frontier.vertices)
	}
	p.counts.Unvisited, p.counts.UnvisitedArcs = p.unvisited, p.inArcs
	return p.counts, nil
}

// visited makes the vertices of which t holds the counters the frontier of chunk c.
func (p *Processor) visited(c *chunk, t []uint32) {
	c.frontier = frontierShape{vertices: int64(t[countVertices]), arcs: int64(t[countOut]), largest: int64(t[countLargest]),
		small: int64(t[countSmall]), medium: int64(t[countMedium]), long: int64(t[countLong])}
	p.unvisited -= c.frontier.vertices
	p.inArcs -= int64(t[countIn])
}
