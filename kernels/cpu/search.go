package cpu

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// search is the run of a breadth-first search on a part that stores all arcs of its own vertices.
type search struct {
	*Processor
	crew
	need kernels.Need

	// By rank.
	seen                 []uint64 // bits: own visited vertices, foreign ones that were claimed or in a frontier
	parent               []uint32 // vertex id of the parent, where this partition found it
	scatter              []uint32 // what untested arcs write, a vertex id; None between steps
	front, next          frontier
	visited, visitedArcs int64 // own vertices, and their in-arcs where they are counted

	way        way         // of the last top-down step
	shift      uint32      // a rank's bucket is the rank shifted right by so many bits
	cuts       []uint32    // where runs of ranks begin, by thread
	stragglers []straggler // own vertices still unvisited, once they are few and listed
	listed     bool
	counts     []kernels.Counts // of the last StepMany
	trail      []uint32         // of the last StepMany: the frontier before it, and those after each superstep
	marks      []int            // where each begins in trail

	// Own ranks that another partition claimed: remote has their bits, finder the
	// partition's number. Nil if all ranks are own.
	remote     []uint64
	finder     []uint8
	claimedOut bool       // next holds claims of foreign ranges
	foreign    [][]uint32 // by partition: what RemoteClaims returned
	answers    [][]uint32 // what LookupParents returned in this search
	asked      int        // how many of answers are of this search
	out        []outbox   // by range: claims
	publish    []outbox   // by range: slices of the frontier

	kept    map[program.Set][]uint64 // by Keep: bits over all ranks
	used    bool                     // the From set of this superstep is the frontier
	workers []worker
	memory  hugemem.Arena
}

var _ kernels.Claims = (*search)(nil)

// newSearch allocates the memory of searches, and of threads; dry it counts that alone.
func newSearch(on *Processor, threads crew, dry bool) (p *search, err error) {
	defer hugemem.Recover(&err)
	p = &search{Processor: on, crew: threads, memory: hugemem.Arena{Dry: dry}, kept: map[program.Set][]uint64{}}
	// A word and a line for each thread more than there are ranks: see spareWord.
	p.seen = hugemem.Alloc[uint64](&p.memory, p.words+8*(p.most+2))
	// One word more than there are ranks: see ownRange.
	p.front.bits = hugemem.Alloc[uint64](&p.memory, p.words+1)
	p.next.bits = hugemem.Alloc[uint64](&p.memory, p.words+1)
	p.parent = hugemem.Alloc[uint32](&p.memory, int(p.part.Ranks))
	p.scatter = hugemem.Alloc[uint32](&p.memory, int(p.part.Ranks))
	if !p.all {
		p.finder = hugemem.Alloc[uint8](&p.memory, int(p.part.Ranks))
		p.remote = hugemem.Alloc[uint64](&p.memory, p.words)
	}
	if dry {
		p.memory.Bytes += int64(p.most) * (4*(64*chunkWords+restSlack) + 24*int64(p.part.Ranks>>bucketShift+1))
		return p, nil
	}
	p.workers = make([]worker, 0, p.most)
	p.grow()
	p.spread(len(p.scatter), parallelWords, func(lo, hi int) { fillNone(p.scatter[lo:hi]) })
	p.out = make([]outbox, len(p.part.Ranges))
	p.publish = make([]outbox, len(p.part.Ranges))
	return p, nil
}

// grow makes workers the threads' memory, of new ones at their first use.
func (p *search) grow() {
	p.workers = p.workers[:p.threads]
	for i := range p.workers {
		if w := &p.workers[i]; w.lists == nil {
			w.lists = make([][]uint32, len(p.part.Ranges))
			w.buckets = make([][]arc, p.part.Ranks>>bucketShift+1)
			w.rest = make([]uint32, 64*chunkWords+restSlack)
		}
	}
}

// Begin implements kernels.Run.
func (p *search) Begin(need kernels.Need) error {
	p.need = need
	p.spread(p.words, parallelWords, func(lo, hi int) { clear(p.seen[lo:hi]) })
	for _, o := range p.own {
		if pad := o.sub.Rows % 64; pad != 0 {
			p.seen[o.sub.Limit()/64] |= ^uint64(0) << pad
		}
		if p.remote != nil {
			clear(p.remote[o.sub.First/64 : o.sub.Padded()/64])
		}
	}
	p.front.reset()
	p.next.reset()
	clear(p.kept)
	p.listed, p.used = false, false
	p.asked = 0
	p.visited, p.visitedArcs = 0, 0
	return nil
}

// Seed implements kernels.Run.
func (p *search) Seed(rank uint32, _ int, _ program.Bits) error {
	p.listOf()
	if !slices.Contains(p.front.list, rank) {
		p.front.list = append(p.front.list, rank)
		p.front.size++
	}
	p.front.form = asList
	if p.seen[rank/64]>>(rank%64)&1 != 0 {
		return nil
	}
	p.seen[rank/64] |= 1 << (rank % 64)
	p.parent[rank] = p.part.VertexOf[rank]
	p.visited++
	if p.need&kernels.NeedUnvisitedArcs != 0 {
		_, in := p.arcsOf(p.front.list[len(p.front.list)-1:])
		p.visitedArcs += in
	}
	return nil
}

// begin prepares a step: the next frontier is empty, and nothing is claimed or counted.
func (p *search) begin() {
	for i := range p.workers {
		w := &p.workers[i]
		w.examined, w.next = 0, 0
		for r := range w.lists {
			w.lists[r] = w.lists[r][:0]
		}
	}
	p.next.form, p.claimedOut = asList, false
}

// Step implements kernels.Run. The name is the way to push or pull and, behind a
// slash, the set of the kernel that it runs: "direct-scatter/avx512", "serial", "words/avx2".
func (p *search) Step(ctx context.Context, _ int, s program.Step) (string, error) {
	if err := p.from(s.From); err != nil {
		return "", err
	}
	p.begin()
	if s.Way == program.Pull {
		p.bitsOf()
		if s.Over != program.Default {
			p.stepOver(s.Over)
			return p.probeName, ctx.Err()
		}
		if p.fewUnvisited() {
			p.stepStragglers()
			return "stragglers", ctx.Err()
		}
		p.stepUp()
		p.next.form = asBits
		return p.probeName, ctx.Err()
	}
	p.listOf()
	switch p.way = p.choose(); p.way {
	case serial:
		p.pushSerial()
	case ownRanks:
		p.pushOwnRanks()
	case bucketed, bucketedScatter:
		p.pushBucketed()
	case directScatter:
		p.pushDirectScatter()
	}
	return p.names[p.way], ctx.Err()
}

// stepOver is stepUp for the unvisited vertices of a set.
func (p *search) stepOver(over program.Set) {
	saved := slices.Clone(p.seen[:p.words])
	for _, o := range p.own {
		for w := o.sub.First / 64; w < o.sub.Padded()/64; w++ {
			p.seen[w] |= ^p.word(over, int(w))
		}
	}
	p.stepUp()
	p.next.form = asBits
	for _, o := range p.own {
		for w := o.sub.First / 64; w < o.sub.Padded()/64; w++ {
			p.seen[w] = saved[w] | p.next.bits[w]
		}
	}
	p.listed = false
}

// word returns word w of a set's bits.
func (p *search) word(k program.Set, w int) uint64 {
	if k == program.All {
		return ^uint64(0)
	}
	if set := p.kept[k]; set != nil {
		return set[w]
	}
	return 0
}

// from makes the From set of a superstep the frontier, once.
func (p *search) from(k program.Set) error {
	if p.used || k == program.Default {
		return nil
	}
	_, err := p.Use(k)
	p.used = true
	return err
}

// Keep implements kernels.Run.
func (p *search) Keep(k program.Set) error {
	p.bitsOf()
	set := make([]uint64, p.words)
	for _, o := range p.own {
		copy(set[o.sub.First/64:o.sub.Padded()/64], p.front.bits[o.sub.First/64:])
	}
	p.kept[k] = set
	return nil
}

// Use implements kernels.Run.
func (p *search) Use(k program.Set) (kernels.Counts, error) {
	if k != program.Default {
		p.front.reset()
		p.front.form = asBits
		for _, o := range p.own {
			lo, hi := o.sub.First/64, o.sub.Padded()/64
			for w := lo; w < hi; w++ {
				p.front.bits[w] = p.word(k, int(w))
			}
			if pad := o.sub.Rows % 64; pad != 0 {
				p.front.bits[hi-1] &= 1<<pad - 1
			}
			for _, w := range p.front.bits[lo:hi] {
				p.front.size += int64(bits.OnesCount64(w))
			}
		}
	}
	p.listOf()
	arcs, _ := p.arcsOf(p.front.list)
	p.front.arcs, p.front.bounded = arcs, false
	return kernels.Counts{Next: p.front.size, NextArcs: arcs, Unvisited: p.vertices - p.visited, UnvisitedArcs: p.inArcs - p.visitedArcs,
		Least: program.TopOf(program.U32)}, nil
}

// A search has no arrays and no other operators: see program.Program.

// VertexMap implements kernels.Run.
func (p *search) VertexMap(context.Context, int, program.Set, [4]float64) (kernels.Reduced, error) {
	return kernels.Reduced{}, fmt.Errorf("cpu: a search has no vertex operators: %w", kernels.ErrUnsupported)
}

// Local implements kernels.Run.
func (p *search) Local(context.Context, int) error {
	return fmt.Errorf("cpu: a search has no local operators: %w", kernels.ErrUnsupported)
}

// Whole implements kernels.Run.
func (p *search) Whole(int) ([]uint32, error) {
	return nil, fmt.Errorf("cpu: a search has no arrays: %w", kernels.ErrUnsupported)
}

// Read implements kernels.Run.
func (p *search) Read(int, any) error {
	return fmt.Errorf("cpu: a search has no arrays: %w", kernels.ErrUnsupported)
}

// Close implements kernels.Run.
func (p *search) Close() error {
	p.dismiss(p.crew)
	p.crew = crew{}
	p.memory.Free()
	return nil
}
