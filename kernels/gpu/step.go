package gpu

import (
	"context"
	"errors"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// Reset implements kernels.Processor.
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

// drain waits for what a search before left on the queues.
func (p *Processor) drain() error {
	return errors.Join(p.stream.Finish(), p.copies.Finish(), p.dropEvents())
}

// dropEvents frees all events.
func (p *Processor) dropEvents() error {
	var errs []error
	for i := range p.leaving {
		errs = append(errs, retire(&p.leaving[i], func(device.Event) error { return nil }))
	}
	return errors.Join(errs...)
}

// finish waits for the stream.
func (p *Processor) finish() error {
	err := p.stream.Finish()
	if err == nil {
		p.up.finished()
		p.reading = false
	}
	return err
}

// SetRoot implements kernels.Processor.
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

// Step implements kernels.Processor.
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

// topDown launches the kernels of a top-down step.
func (p *Processor) topDown() (string, error) {
	p.unsettledBuilt = false
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

// push launches a top-down step of a chunk.
func (p *Processor) push(c *chunk, how Strategy) error {
	n, group := c.frontier.vertices, int64(p.program.group)
	args := []device.Arg{device.Buf(c.out.offsets), device.Buf(c.out.neighbours), device.Buf(p.list), device.U32(c.base),
		device.U32(uint32(n)), device.U32(c.rank()), device.Buf(p.seen), device.Buf(p.next), device.Buf(p.parent)}
	switch how {
	case Thread:
		return p.launch("topdown_thread", n, args...)
	case Warp:
		lanes := c.frontier.lanes()
		return p.launch("topdown_warp", n*int64(lanes), append(args, device.U32(lanes))...)
	case Group:
		return p.launchGroups("topdown_group", n, args...)
	default:
		blocks := (n + group - 1) / group
		sums, totals := p.unsettled, p.rest
		if err := p.launch("edge_degrees", n, device.Buf(c.out.offsets), device.Buf(p.list), device.U32(c.base),
			device.U32(uint32(n)), device.U32(c.rank()), device.Buf(sums), device.Buf(totals)); err != nil {
			return err
		}
		if err := p.launchGroups("edge_totals", 1, device.Buf(totals), device.U32(uint32(blocks))); err != nil {
			return err
		}
		return p.launch("topdown_edge", c.frontier.arcs, append(args, device.Buf(sums), device.Buf(totals),
			device.U32(uint32(blocks)), device.U32(uint32(c.frontier.arcs)))...)
	}
}

// bottomUp launches the kernels of a bottom-up step.
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
	if p.unsettledBuilt = how == List; p.unsettledBuilt {
		p.unsettled, p.rest, p.flip = p.rest, p.unsettled, 1-p.flip
	}
	return how.String(), nil
}

func (p *Processor) pullWords(i int, c *chunk, counting uint32) error {
	return p.launch("bottomup_word", int64(c.n+31)/32, device.Buf(c.in.offsets), device.Buf(c.in.neighbours),
		device.Buf(p.front), device.Buf(p.seen), device.Buf(p.next), device.Buf(p.parent),
		device.U32(c.rank()), device.U32(c.n),
		device.Buf(p.counters), device.U32(uint32(countsOfChunk*i+countExamined)), device.U32(counting))
}

// pullList launches a bottom-up step of chunk i: in the first of a phase a probe of
// all first neighbours and a scan of the rows that it left, later a scan only.
func (p *Processor) pullList(i int, c *chunk, counting uint32) error {
	length, left := uint32(2*i)+p.flip, uint32(2*i)+1-p.flip
	counters, examined := device.Buf(p.counters), device.U32(uint32(countsOfChunk*i+countExamined))
	var skip uint32
	if !p.unsettledBuilt {
		skip = 1
		if err := p.stream.Fill(p.lengths, 4*int64(length), 4, 0); err != nil {
			return err
		}
		if err := p.launch("bottomup_probe", int64(c.n), device.Buf(c.in.first), device.Buf(p.front), device.Buf(p.seen),
			device.Buf(p.next), device.Buf(p.parent), device.U32(c.rank()), device.U32(c.n), device.Buf(p.unsettled),
			device.U32(c.base), device.Buf(p.lengths), device.U32(length), device.U32(c.hub),
			counters, examined, device.U32(counting)); err != nil {
			return err
		}
	}
	if err := p.stream.Fill(p.lengths, 4*int64(left), 4, 0); err != nil {
		return err
	}
	return p.launch("bottomup_scan", min(int64(c.n), p.unvisited)*scanLanes, device.Buf(c.in.offsets),
		device.Buf(c.in.neighbours), device.Buf(p.front), device.Buf(p.seen), device.Buf(p.next), device.Buf(p.parent),
		device.U32(c.rank()), device.Buf(p.unsettled), device.Buf(p.rest), device.U32(c.base),
		device.Buf(p.lengths), device.U32(length), device.U32(left), device.U32(skip),
		counters, examined, device.U32(counting))
}

// afterStep collects what the step found: the outboxes, and the own finds where no
// message can add to them. It returns when the step is done; the messages are still
// on their way to the host.
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

// sendClaims makes the messages of the foreign ranges. Each leaves on the queue of
// copies as soon as it is done, while the next is made.
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
		words, counter := (rg.Padded()-rg.First)/32, p.rangeCounter(r)
		if err := p.launch("message_list", int64(words), device.Buf(p.next), device.U32(rg.First/32), device.U32(words),
			device.U32(words), device.Buf(p.outbox), device.Buf(p.counters), device.U32(uint32(counter))); err != nil {
			return err
		}
		if err := p.stream.Read(p.tally, 4*int64(counter), p.counters, 4*int64(counter), 4); err != nil {
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
		p.claimed[r] = int(words32(p.tally.Bytes())[p.rangeCounter(r)])
		if err := p.send(r); err != nil {
			return err
		}
	}
	return nil
}

// send starts the copy of the message of range r to the mail.
func (p *Processor) send(r int) (err error) {
	if p.claimed[r] == 0 {
		return nil
	}
	if err := retire(&p.leaving[r], device.Event.Wait); err != nil {
		return err
	}
	if err := p.readMessage(p.copies, r, p.claimed[r], p.outbox, p.next); err != nil {
		return err
	}
	p.leaving[r], err = p.copies.Record()
	return err
}

// countFinds launches the kernels that list and count the own vertices of next.
func (p *Processor) countFinds() error {
	p.counted = true
	for i := range p.chunks {
		c := &p.chunks[i]
		if err := p.launch("frontier_list", int64(c.n+31)/32, device.Buf(p.next), device.U32(c.rank()), device.U32(c.n),
			device.Buf(c.out.offsets), device.Buf(c.in.offsets), device.Buf(p.list), device.U32(c.base),
			device.Buf(p.counters), device.U32(uint32(countsOfChunk*i))); err != nil {
			return err
		}
	}
	return nil
}

// readCounters waits for the stream and returns the counters.
func (p *Processor) readCounters() ([]uint32, error) {
	if err := p.stream.Read(p.tally, 0, p.counters, 0, 4*int64(p.counterWords(len(p.chunks)))); err != nil {
		return nil, err
	}
	return words32(p.tally.Bytes()), p.finish()
}

// Finish implements kernels.Processor.
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
	tally := words32(p.tally.Bytes())
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
	for r := range p.dirty { // a message that nobody took still reads next
		p.dirty[r] = p.claimed[r] > 0
		if err := retire(&p.leaving[r], device.Event.Wait); err != nil {
			return err
		}
	}
	return p.stream.Fill(p.next, 0, p.next.Size(), 0)
}
