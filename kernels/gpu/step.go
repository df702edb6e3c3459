package gpu

import (
	"context"
	"errors"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// Reset waits for the last search's commands, then clears the bitmaps.
func (p *Processor) Reset(need kernels.Need) error { return p.fail("Reset", p.reset(need)) }

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
		if err := p.stream.Fill(b, 0, b.Size(), 0); err != nil {
			return err
		}
	}
	self := uint32(p.part.Index) * 0x01010101
	if err := p.stream.Fill(p.finder, 0, p.finder.Size(), self); err != nil {
		return err
	}
	return p.finish()
}

// drain waits for commands of the last search.
func (p *Processor) drain() error {
	return errors.Join(p.stream.Finish(), p.copies.Finish(), p.dropEvents())
}

// dropEvents frees all events.
func (p *Processor) dropEvents() error {
	var errs []error
	for i := range p.copied {
		errs = append(errs, retire(&p.copied[i], func(device.Event) error { return nil }))
	}
	return errors.Join(errs...)
}

// finish waits for all commands of stream.
func (p *Processor) finish() error {
	err := p.stream.Finish()
	if err == nil {
		p.uploads.finished()
		p.reading = false
	}
	return err
}

// SetRoot visits the root.
func (p *Processor) SetRoot(rank uint32) error { return p.fail("SetRoot", p.setRoot(rank)) }

func (p *Processor) setRoot(rank uint32) error {
	for i := range p.chunks {
		c := &p.chunks[i]
		if rank < c.rank() || rank-c.rank() >= c.n {
			continue
		}
		word, bit := 4*int64(rank/32), uint32(1)<<(rank%32)
		for _, set := range []struct {
			in   device.Buffer
			at   int64
			word uint32
		}{{p.seen, word, bit}, {p.front, word, bit}, {p.parent, 4 * int64(rank), rank}, {p.list, 4 * int64(c.base), rank}} {
			if err := p.stream.Fill(set.in, set.at, 4, set.word); err != nil {
				return err
			}
		}
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
	}
	return nil
}

// Step launches a superstep's kernels. It returns once claims or counters are on the host.
func (p *Processor) Step(ctx context.Context, d kernels.Direction) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", p.fail("Step", err)
	}
	var name string
	err := p.stream.Fill(p.counters, 0, 4*int64(p.counterWords(len(p.chunks))), 0)
	if err == nil && d == kernels.TopDown {
		name, err = p.topDown()
	} else if err == nil {
		name, err = p.bottomUp()
	}
	if err == nil {
		err = p.afterStep(d)
	}
	return name, p.fail("Step", err)
}

// topDown launches a top-down step of every chunk.
func (p *Processor) topDown() (string, error) {
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
			if err := p.push(c, how); err != nil {
				return "", err
			}
		}
	}
	return how.String(), nil
}

// push launches a top-down step of a chunk with a strategy other than Auto.
func (p *Processor) push(c *chunk, how Strategy) error {
	n, group := c.frontier.vertices, int64(p.program.group)
	args := pushArgs{rows: c.out, list: p.list, at: c.base, vertices: uint32(n), first: c.rank(),
		seen: p.seen, next: p.next, parent: p.parent}
	switch how {
	case Thread:
		return p.launch("topdown_thread", n, args)
	case Warp:
		lanes := c.frontier.lanes()
		return p.launch("topdown_warp", n*int64(lanes), warpArgs{args, lanes})
	case Group:
		return p.launchGroups("topdown_group", n, args)
	default:
		sums, totals := p.scratchA, p.scratchB
		edge := edgeArgs{pushArgs: args, sums: sums, totals: totals,
			blocks: uint32((n + group - 1) / group), arcs: uint32(c.frontier.arcs)}
		if err := p.launch("edge_degrees", n, degreesArgs{edge}); err != nil {
			return err
		}
		if err := p.launchGroups("edge_totals", 1, totalsArgs{totals, edge.blocks}); err != nil {
			return err
		}
		return p.launch("topdown_edge", c.frontier.arcs, edge)
	}
}

// bottomUp launches a bottom-up step of every chunk.
func (p *Processor) bottomUp() (string, error) {
	p.counts.Examined = 0
	for r, dirty := range p.dirty {
		if dirty {
			if err := p.clearFrontier(r); err != nil {
				return "", err
			}
		}
	}
	var counting uint32
	if p.need&kernels.NeedExamined != 0 {
		counting = 1
	}
	how := p.options.BottomUp
	if how == Auto {
		how = List
	}
	for i := range p.chunks {
		c := &p.chunks[i]
		if c.sub.In == nil {
			continue
		}
		var err error
		if how == Word {
			err = p.pullWords(i, c, counting)
		} else {
			err = p.pullList(i, c, counting)
		}
		if err != nil {
			return "", err
		}
	}
	if p.unvisitedListed = how == List; p.unvisitedListed {
		p.scratchA, p.scratchB, p.flip = p.scratchB, p.scratchA, 1-p.flip
	}
	return how.String(), nil
}

// pullOf are the arguments that the bottom-up kernels of chunk i share.
func (p *Processor) pullOf(i int, c *chunk, counting uint32) pullArgs {
	return pullArgs{rows: c.in, front: p.front, seen: p.seen, next: p.next, parent: p.parent, first: c.rank(),
		count: countArgs{p.counters, uint32(countsOfChunk*i + countExamined), counting}}
}

func (p *Processor) pullWords(i int, c *chunk, counting uint32) error {
	return p.launch("bottomup_word", int64(c.n+31)/32, wordArgs{p.pullOf(i, c, counting), c.n})
}

// pullList launches a bottom-up step of chunk i. The first of a phase probes all first
// neighbours, and scans the rows of the vertices left; later ones scan only.
func (p *Processor) pullList(i int, c *chunk, counting uint32) error {
	unvisited, missed := p.scratchA, p.scratchB
	length, missedLength := uint32(2*i)+p.flip, uint32(2*i)+1-p.flip
	pull := p.pullOf(i, c, counting)
	var skip uint32
	if !p.unvisitedListed {
		skip = 1
		if err := p.stream.Fill(p.lengths, 4*int64(length), 4, 0); err != nil {
			return err
		}
		if err := p.launch("bottomup_probe", int64(c.n), probeArgs{pullArgs: pull, vertices: c.n, list: unvisited, at: c.base,
			lengths: p.lengths, length: length, hub: c.hub}); err != nil {
			return err
		}
	}
	if err := p.stream.Fill(p.lengths, 4*int64(missedLength), 4, 0); err != nil {
		return err
	}
	return p.launch("bottomup_scan", min(int64(c.n), p.unvisited)*scanLanes, scanArgs{pullArgs: pull, list: unvisited,
		missed: missed, at: c.base, lengths: p.lengths, length: length, missedLength: missedLength, skip: skip})
}

// afterStep lists the claims, or counts the new frontier where no message can add to it.
// It returns when the step's kernels are complete; claims may still be copied to the host.
func (p *Processor) afterStep(d kernels.Direction) error {
	clear(p.claimed)
	if d == kernels.TopDown && p.hasForeign {
		p.counted = false
		return p.sendClaims()
	}
	if err := p.countFinds(); err != nil {
		return err
	}
	_, err := p.readCounters()
	return err
}

// sendClaims lists the claims on each remote range; each list is copied to the host while
// the next is made.
func (p *Processor) sendClaims() (err error) {
	made := make([]device.Event, len(p.part.Ranges))
	defer func() {
		for _, e := range made {
			if e != nil {
				err = errors.Join(err, e.Free())
			}
		}
	}()
	for r, rg := range p.part.Ranges {
		if rg.Owner == p.part.Index {
			continue
		}
		if err := p.listClaims(r, (rg.Padded()-rg.First)/32); err != nil {
			return err
		}
		counter := p.rangeCounter(r)
		if err := p.stream.Read(p.counterStaging, 4*int64(counter), p.counters, 4*int64(counter), 4); err != nil {
			return err
		}
		if made[r], err = p.stream.Record(); err != nil {
			return err
		}
	}
	for r, e := range made {
		if e == nil {
			continue
		}
		if err := e.Wait(); err != nil {
			return err
		}
		p.claimed[r] = int(words32(p.counterStaging.Bytes())[p.rangeCounter(r)])
		if err := p.send(r); err != nil {
			return err
		}
	}
	return nil
}

// listClaims launches the kernel that lists the claims on the first words of range r.
func (p *Processor) listClaims(r int, words uint32) error {
	return p.launch("message_list", int64(words), claimsArgs{next: p.next, word: p.part.Ranges[r].First / 32, words: words,
		list: p.outbox, counters: p.counters, count: uint32(p.rangeCounter(r))})
}

// send starts the copy of the claims on range r to the host.
func (p *Processor) send(r int) (err error) {
	if p.claimed[r] == 0 {
		return nil
	}
	if err := retire(&p.copied[r], device.Event.Wait); err != nil {
		return err
	}
	if err := p.readMessage(p.copies, r, p.claimed[r], p.outbox, p.next); err != nil {
		return err
	}
	p.copied[r], err = p.copies.Record()
	return err
}

// countFinds lists and counts the owned vertices of next.
func (p *Processor) countFinds() error {
	p.counted = true
	for i := range p.chunks {
		if err := p.listFrontier(i, &p.chunks[i]); err != nil {
			return err
		}
	}
	return nil
}

// listFrontier launches the kernel that lists and counts the vertices of next in chunk i.
func (p *Processor) listFrontier(i int, c *chunk) error {
	return p.launch("frontier_list", int64(c.n+31)/32, frontierArgs{next: p.next, first: c.rank(), vertices: c.n,
		outOffsets: c.out.offsets, inOffsets: c.in.offsets, list: p.list, at: c.base, counters: p.counters,
		count: uint32(countsOfChunk * i)})
}

// readCounters returns the counters, valid until the next call.
func (p *Processor) readCounters() ([]uint32, error) {
	if err := p.stream.Read(p.counterStaging, 0, p.counters, 0, 4*int64(p.counterWords(len(p.chunks)))); err != nil {
		return nil, err
	}
	return words32(p.counterStaging.Bytes()), p.finish()
}

// Finish counts the new frontier, unless the step did, and swaps front and next.
func (p *Processor) Finish() (kernels.Counts, error) {
	err := p.finishStep()
	return p.counts, p.fail("Finish", err)
}

func (p *Processor) finishStep() error {
	if !p.counted {
		if err := p.countFinds(); err != nil {
			return err
		}
		if _, err := p.readCounters(); err != nil {
			return err
		}
	}
	tally := words32(p.counterStaging.Bytes())
	examined := p.counts.Examined // of a top-down step
	p.counts = kernels.Counts{Examined: examined}
	clear(p.published)
	for i := range p.chunks {
		c, t := &p.chunks[i], tally[countsOfChunk*i:]
		c.frontier = frontierShape{vertices: int64(t[countVertices]), arcs: int64(t[countOut]), largest: int64(t[countLargest])}
		p.counts.Next += c.frontier.vertices
		p.counts.NextArcs += c.frontier.arcs
		p.counts.Examined += int64(t[countExamined])
		p.published[c.rng] += int(t[countVertices])
		p.unvisited -= c.frontier.vertices
		p.inArcs -= int64(t[countIn])
	}
	p.counts.Unvisited, p.counts.UnvisitedArcs = p.unvisited, p.inArcs
	p.front, p.next = p.next, p.front
	for r := range p.dirty { // a copy that Outbox did not wait for still reads next
		p.dirty[r] = p.claimed[r] > 0
		if err := retire(&p.copied[r], device.Event.Wait); err != nil {
			return err
		}
	}
	return p.stream.Fill(p.next, 0, p.next.Size(), 0)
}
