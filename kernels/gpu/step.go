package gpu

import (
	"context"
	"fmt"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/program"
)

// Begin implements kernels.Run: it waits for the last search's commands, then clears the bitmaps.
func (p *run) Begin(need kernels.Need) (err error) {
	defer p.done("Begin", &err)
	p.meter.search()
	return p.reset(need)
}

func (p *Processor) reset(need kernels.Need) error {
	if err := p.drain(); err != nil {
		return err
	}
	p.search = search{need: need, unvisited: p.ownVertices, inArcs: p.ownInArcs,
		dirty: make([]bool, len(p.part.Ranges)), claimed: make([]int, len(p.part.Ranges)),
		published: make([]int, len(p.part.Ranges)), delivered: make([]bool, kernels.MaxPartitions+1)}
	for i := range p.chunks {
		p.chunks[i].frontier = frontierShape{}
	}
	for _, b := range []device.Buffer{p.seen, p.front, p.next} {
		p.fill(b, 0, b.Size(), 0)
	}
	p.fill(p.finder, 0, p.finder.Size(), uint32(p.part.Index)*0x01010101)
	p.counts.Unvisited, p.counts.UnvisitedArcs = p.unvisited, p.inArcs
	return p.finish()
}

// Seed implements kernels.Run: it visits the root.
func (p *run) Seed(rank uint32, _ int, _ program.Bits) (err error) {
	defer p.done("Seed", &err)
	for i := range p.chunks {
		c := &p.chunks[i]
		if rank < c.rank() || rank-c.rank() >= c.n {
			continue
		}
		word, bit := 4*int64(rank/32), uint32(1)<<(rank%32)
		p.fill(p.seen, word, 4, bit)
		p.fill(p.front, word, 4, bit)
		p.fill(p.parent, 4*int64(rank), 4, rank)
		p.fill(p.list, 4*int64(c.base), 4, rank)
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
	return nil
}

// Step implements kernels.Run: it launches a superstep's kernels. It returns once claims or counters are on the host.
func (p *run) Step(ctx context.Context, _ int, s program.Step) (name string, err error) {
	defer p.done("Step", &err)
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if s.From != program.Default || s.Over != program.Default {
		return "", fmt.Errorf("stored sets: %w", kernels.ErrUnsupported)
	}
	d := kernels.Direction(s.Way)
	p.fill(p.counters, 0, 4*int64(p.counterWords(len(p.chunks))), 0)
	step := p.topDown
	if d == kernels.BottomUp {
		step = p.bottomUp
	}
	return step().String(), p.afterStep(d)
}

// topDown launches a top-down step of every chunk.
func (p *Processor) topDown() Strategy {
	p.unvisitedListed = false
	var all frontierShape
	for _, c := range p.chunks {
		all.vertices += c.frontier.vertices
		all.arcs += c.frontier.arcs
		all.largest = max(all.largest, c.frontier.largest)
	}
	p.counts.Examined = all.arcs
	how := p.options.TopDown
	if how == Auto {
		how = all.pick()
	}
	for i := range p.chunks {
		if c := &p.chunks[i]; c.frontier.arcs > 0 {
			p.push(c, how)
		}
	}
	return how
}

// push launches a top-down step of a chunk with a strategy other than Auto.
func (p *Processor) push(c *chunk, how Strategy) {
	n, group := c.frontier.vertices, int64(p.program.group)
	push := buf(c.out.offsets, c.out.neighbours, p.list).u32(c.base, uint32(n), c.rank()).buf(p.seen, p.next, p.parent)
	switch how {
	case Thread:
		p.launch("topdown_thread", n, push)
	case Warp:
		lanes := c.frontier.lanes()
		p.launch("topdown_warp", n*int64(lanes), push.u32(lanes))
	case Group:
		p.launchGroups("topdown_group", n, push)
	default:
		sums, totals := p.scratchA, p.scratchB
		blocks := uint32((n + group - 1) / group)
		p.launch("edge_degrees", n, buf(c.out.offsets, p.list).u32(c.base, uint32(n), c.rank()).buf(sums, totals))
		p.launchGroups("edge_totals", 1, buf(totals).u32(blocks))
		p.launch("topdown_edge", c.frontier.arcs, push.buf(sums, totals).u32(blocks, uint32(c.frontier.arcs)))
	}
}

// bottomUp launches a bottom-up step of every chunk.
func (p *Processor) bottomUp() Strategy {
	p.counts.Examined = 0
	for r, dirty := range p.dirty {
		if dirty {
			p.clearFrontier(r)
		}
	}
	how := p.options.BottomUp
	if how == Auto {
		how = List
	}
	for i := range p.chunks {
		if c := &p.chunks[i]; c.sub.In != nil {
			p.pull(i, c, how)
		}
	}
	if p.unvisitedListed = how == List; p.unvisitedListed {
		p.scratchA, p.scratchB, p.flip = p.scratchB, p.scratchA, 1-p.flip
	}
	return how
}

// pull launches a bottom-up step of chunk i. The first of a phase with List probes all
// first neighbours, and scans the rows of the vertices left; later ones scan only.
func (p *Processor) pull(i int, c *chunk, how Strategy) {
	var counting uint32
	if p.need&kernels.NeedExamined != 0 {
		counting = 1
	}
	examined := buf(p.counters).u32(uint32(countsOfChunk*i+countExamined), counting)
	rows := buf(c.in.offsets, c.in.neighbours, p.front, p.seen, p.next, p.parent).u32(c.rank())
	if how == Word {
		p.launch("bottomup_word", int64(c.n+31)/32, append(rows.u32(c.n), examined...))
		return
	}
	unvisited, missed := p.scratchA, p.scratchB
	length, missedLength := uint32(2*i)+p.flip, uint32(2*i)+1-p.flip
	var skip uint32 // entries of each row that the probe has read
	if !p.unvisitedListed {
		skip = 1
		p.fill(p.lengths, 4*int64(length), 4, 0)
		p.launch("bottomup_probe", int64(c.n), append(buf(c.in.first, p.front, p.seen, p.next, p.parent).u32(c.rank(), c.n).
			buf(unvisited).u32(c.base).buf(p.lengths).u32(length, c.hub), examined...))
	}
	p.fill(p.lengths, 4*int64(missedLength), 4, 0)
	p.launch("bottomup_scan", min(int64(c.n), p.unvisited)*scanLanes, append(rows.buf(unvisited, missed).u32(c.base).
		buf(p.lengths).u32(length, missedLength, skip), examined...))
}

// afterStep lists the claims, or counts the new frontier where no message can add to it.
// It returns when the step's kernels are complete; claims may still be copied to the host.
func (p *Processor) afterStep(d kernels.Direction) error {
	clear(p.claimed)
	if p.counted = d == kernels.BottomUp || !p.hasForeign; !p.counted {
		return p.sendClaims()
	}
	return p.countFinds()
}

// sendClaims lists the claims on each remote range; each list is copied to the host while
// the next is made.
func (p *Processor) sendClaims() error {
	for r, rg := range p.part.Ranges {
		if rg.Owner == p.part.Index {
			continue
		}
		p.listClaims(r, words(rg))
		at := 4 * int64(p.rangeCounter(r))
		p.read(p.stream, p.counterStaging, at, p.counters, at, 4)
		p.listed[r] = p.record(p.stream)
	}
	for r, rg := range p.part.Ranges {
		if rg.Owner == p.part.Index {
			continue
		}
		if err := p.await(&p.listed[r]); err != nil {
			return err
		}
		if p.claimed[r] = int(p.tally[p.rangeCounter(r)]); p.claimed[r] > 0 {
			if err := p.await(&p.copied[r]); err != nil {
				return err
			}
			p.readMessage(p.copies, r, p.claimed[r], p.outbox, p.next)
			p.copied[r] = p.record(p.copies)
		}
	}
	return nil
}

// listClaims launches the kernel that lists the claims on the first words of range r.
func (p *Processor) listClaims(r int, words uint32) {
	p.launch("message_list", int64(words), buf(p.next).u32(p.part.Ranges[r].First/32, words, words).buf(p.outbox, p.counters).
		u32(uint32(p.rangeCounter(r))))
}

// countFinds lists and counts the owned vertices of next.
func (p *Processor) countFinds() error {
	for i := range p.chunks {
		p.listFrontier(i, &p.chunks[i])
	}
	return p.readCounters()
}

// listFrontier launches the kernel that lists and counts the vertices of next in chunk i.
func (p *Processor) listFrontier(i int, c *chunk) {
	p.launch("frontier_list", int64(c.n+31)/32, buf(p.next).u32(c.rank(), c.n).buf(c.out.offsets, c.in.offsets, p.list).
		u32(c.base).buf(p.counters).u32(uint32(countsOfChunk*i)))
}

// readCounters copies the counters to tally.
func (p *Processor) readCounters() error {
	p.read(p.stream, p.counterStaging, 0, p.counters, 0, 4*int64(p.counterWords(len(p.chunks))))
	return p.finish()
}

// Advance implements kernels.Run: it counts the new frontier, unless the step did, and swaps front and next.
func (p *run) Advance() (_ kernels.Counts, err error) {
	defer p.done("Advance", &err)
	if !p.counted {
		if err := p.countFinds(); err != nil {
			return p.counts, err
		}
	}
	p.counts = kernels.Counts{Examined: p.counts.Examined} // of a top-down step
	clear(p.published)
	for i := range p.chunks {
		c, t := &p.chunks[i], p.tally[countsOfChunk*i:]
		p.visited(c, t)
		p.counts.Next += c.frontier.vertices
		p.counts.NextArcs += c.frontier.arcs
		p.counts.Examined += int64(t[countExamined])
		p.published[c.rng] += int(c.frontier.vertices)
	}
	p.counts.Unvisited, p.counts.UnvisitedArcs = p.unvisited, p.inArcs
	p.front, p.next = p.next, p.front
	for r := range p.dirty { // a copy that Fold did not wait for still reads next
		p.dirty[r] = p.claimed[r] > 0
		if err := p.await(&p.copied[r]); err != nil {
			return p.counts, err
		}
	}
	p.fill(p.next, 0, p.next.Size(), 0)
	return p.counts, nil
}

// visited makes the vertices of which t holds the counters the frontier of chunk c.
func (p *Processor) visited(c *chunk, t []uint32) {
	c.frontier = frontierShape{vertices: int64(t[countVertices]), arcs: int64(t[countOut]), largest: int64(t[countLargest])}
	p.unvisited -= c.frontier.vertices
	p.inArcs -= int64(t[countIn])
}
