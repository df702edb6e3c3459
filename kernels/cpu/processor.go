package cpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/kernels"
)

// ErrLoad is returned by Load where the part is not what the contract says.
var ErrLoad = errors.New("cpu: invalid partition")

// Processor runs the supersteps of one partition on a team of threads.
type Processor struct {
	threads int
	team    *workers.Team
	tuning  Tuning
	part    *kernels.Part
	need    kernels.Need

	// Of the partition, from Load on.
	own             []ownRange
	isOwn           []bool   // by range
	rangeOf         []uint16 // range of every 64 ranks; nil if all ranks are own
	words           int      // of a bitmap over all ranks
	vertices        int64    // own, with edges
	outArcs, inArcs int64
	longest         int64 // out-arcs of a vertex at most, if no more than shortRow
	identity        bool  // each rank is its vertex's id

	// Kernels: see Use and Choose.
	set       kernelSet
	kernels   [kernelCount]choice
	clock     func(kernel, set string, run func()) time.Duration // of Choose
	names     [len(wayNames)]string                              // what Step returns top-down
	probeName string                                             // and bottom-up

	// Of a search, by rank.
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
	shares     [][]span   // by thread: see mapShares

	workers []worker
	frees   []func()
	bytes   int64
}

// ownRange is one range of ranks that the processor owns.
type ownRange struct {
	index int
	sub   *graph.Subgraph
	// Of the in-rows: see probeBlock.
	near, nearID [nearColumns][]uint32
	far, long    []uint64
}

// outbox is the memory of the messages of one range.
type outbox struct {
	list  []uint32
	words []uint64
}

// worker is one thread's memory, padded against false sharing.
type worker struct {
	found    []uint32
	lists    [][]uint32 // found by range
	hubs     []uint32
	rest     []uint32 // long vertices that a probe left; rows to prefetch
	probe    probeBlock
	mask     []uint64
	buckets  [][]arc // by target
	sent     []arc   // arcs that leave the thread's run of ranks
	sorted   int     // arcs looked at for the buckets
	examined int64
	sum      uint32 // keeps a measured loop
	next     int64
	_        [64]byte
}

var _ kernels.Processor = (*Processor)(nil)

// New returns a processor with the given number of threads; workers.Acquire bounds
// it by GOMAXPROCS.
func New(threads int) *Processor {
	p := &Processor{threads: max(1, threads), tuning: DefaultTuning(), clock: clocked}
	_ = p.Use(auto)
	return p
}

// Tune sets the limits between the ways to run a step. It must not be called during a
// search.
func (p *Processor) Tune(t Tuning) error {
	if err := t.Validate(); err != nil {
		return err
	}
	p.tuning = t
	return nil
}

// Kind is kernels.CPU.
func (p *Processor) Kind() kernels.Kind { return kernels.CPU }

// Threads is the number of threads that it runs on.
func (p *Processor) Threads() int { return p.threads }

// Bytes is the memory that Load took, subgraphs included.
func (p *Processor) Bytes() int64 { return p.bytes }

func alloc[T hugemem.Elem](p *Processor, n int) []T {
	b := hugemem.Make[T](n)
	p.frees = append(p.frees, b.Free)
	var zero T
	p.bytes += int64(n) * int64(unsafe.Sizeof(zero))
	return b.S
}

// Load implements kernels.Processor.
func (p *Processor) Load(ctx context.Context, part *kernels.Part) error {
	if part.Ranks%64 != 0 || len(part.Subgraphs) != len(part.Ranges) {
		return fmt.Errorf("%w: %d ranks, %d subgraphs for %d ranges", ErrLoad, part.Ranks, len(part.Subgraphs), len(part.Ranges))
	}
	p.part = part
	p.team = workers.Acquire(p.threads)
	p.threads = p.team.Threads()
	p.words = int(part.Ranks / 64)
	p.isOwn = make([]bool, len(part.Ranges))
	all := true
	for i, r := range part.Ranges {
		if r.Owner != part.Index {
			all = all && r.Vertices == 0
			continue
		}
		p.isOwn[i] = true
		s := part.Subgraphs[i]
		if s == nil || s.First != r.First || s.Rows != r.Vertices {
			return fmt.Errorf("%w: range %d has no subgraph, or another one", ErrLoad, i)
		}
		p.vertices += int64(s.Rows)
		if s.Out != nil {
			p.outArcs += s.Out.Arcs()
			for i := uint32(0); i < s.Rows && p.longest <= shortRow; i++ {
				p.longest = max(p.longest, int64(s.Out.Degree(i)))
			}
		}
		if s.In != nil {
			p.inArcs += s.In.Arcs()
		}
		p.bytes += s.Bytes()
		p.own = append(p.own, p.newRange(i, s))
	}
	// A word and a line for each thread more than there are ranks: see spareWord.
	p.identity = all
	for rank, v := range part.VertexOf {
		if p.identity = p.identity && (v == uint32(rank) || v == graph.None); !p.identity {
			break
		}
	}
	p.seen = alloc[uint64](p, p.words+8*(p.threads+2))
	// One word more than there are ranks: see ownRange.
	p.front.bits = alloc[uint64](p, p.words+1)
	p.next.bits = alloc[uint64](p, p.words+1)
	p.parent = alloc[uint32](p, int(part.Ranks))
	p.scatter = alloc[uint32](p, int(part.Ranks))
	if !all {
		p.finder = alloc[uint8](p, int(part.Ranks))
		p.remote = alloc[uint64](p, p.words)
		p.rangeOf = make([]uint16, p.words)
		for i, r := range part.Ranges {
			for w := r.First / 64; w < r.Padded()/64; w++ {
				p.rangeOf[w] = uint16(i)
			}
		}
	}
	p.workers = make([]worker, p.threads)
	for i := range p.workers {
		p.workers[i].lists = make([][]uint32, len(part.Ranges))
		p.workers[i].buckets = make([][]arc, part.Ranks>>bucketShift+1)
		p.workers[i].rest = make([]uint32, 64*chunkWords+restSlack)
	}
	p.spread(len(p.scatter), parallelWords, func(lo, hi int) { fillNone(p.scatter[lo:hi]) })
	p.out = make([]outbox, len(part.Ranges))
	p.publish = make([]outbox, len(part.Ranges))
	return ctx.Err()
}

// newRange prepares an own range for searches.
func (p *Processor) newRange(index int, s *graph.Subgraph) ownRange {
	o := ownRange{index: index, sub: s}
	in := s.In
	if in == nil {
		return o
	}
	rows := int(s.Rows)
	o.far, o.long = alloc[uint64](p, (rows+63)/64), alloc[uint64](p, (rows+63)/64)
	for k := range nearColumns {
		o.nearID[k] = alloc[uint32](p, rows)
		// The ranks of first neighbours are there already, but for empty rows.
		if k == 0 && !slices.Contains(in.FirstNeighbours, graph.None) {
			o.near[k] = in.FirstNeighbours
		} else {
			o.near[k] = alloc[uint32](p, rows)
		}
	}
	p.team.For(len(o.long), 64, func(_, from, to int) {
		for i := uint32(from) * 64; i < min(s.Rows, uint32(to)*64); i++ {
			lo, hi := in.Row(i)
			row := in.Neighbours[lo:min(hi, lo+nearColumns)]
			for k := range nearColumns {
				u, id := p.part.Ranks, graph.None
				if k < len(row) {
					u, id = row[k], p.part.VertexOf[row[k]]
				}
				if k > 0 || o.near[0][i] != u {
					o.near[k][i] = u
				}
				o.nearID[k][i] = id
			}
			if hi-lo > 2 {
				o.far[i/64] |= 1 << (i % 64)
			}
			if hi-lo > nearColumns {
				o.long[i/64] |= 1 << (i % 64)
			}
		}
	})
	return o
}

func fillNone(s []uint32) {
	for i := range s {
		s[i] = graph.None
	}
}

// shortRow is the length up to which the longest row bounds the arcs of a thin frontier,
// which are not counted then: on meshes and roads.
const shortRow = 16

// parallelWords is the size from which on a pass over a bitmap is worth several
// threads.
const parallelWords = 1 << 13

// spread runs f over [0, n) in pieces, on all threads if n is at least from.
func (p *Processor) spread(n, from int, f func(lo, hi int)) {
	if p.threads == 1 || n < from {
		if n > 0 {
			f(0, n)
		}
		return
	}
	p.team.For(n, max(1, n/(4*p.threads)), func(_, lo, hi int) { f(lo, hi) })
}

// Reset implements kernels.Processor.
func (p *Processor) Reset(need kernels.Need) error {
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
	p.listed = false
	p.asked = 0
	p.visited, p.visitedArcs = 0, 0
	return nil
}

// SetRoot implements kernels.Processor.
func (p *Processor) SetRoot(rank uint32) error {
	p.seen[rank/64] |= 1 << (rank % 64)
	p.parent[rank] = p.part.VertexOf[rank]
	p.front.list = append(p.front.list[:0], rank)
	p.front.size = 1
	p.visited = 1
	if p.need&kernels.NeedUnvisitedArcs != 0 {
		_, p.visitedArcs = p.arcsOf(p.front.list)
	}
	return nil
}

// subOf returns the processor's subgraph that holds a rank.
func (p *Processor) subOf(rank uint32) *graph.Subgraph {
	for i := range p.own {
		if s := p.own[i].sub; rank >= s.First && rank < s.First+s.Rows {
			return s
		}
	}
	return nil
}

// begin prepares a step: the next frontier is empty, and nothing is claimed or counted.
func (p *Processor) begin() {
	for i := range p.workers {
		w := &p.workers[i]
		w.examined, w.next = 0, 0
		for r := range w.lists {
			w.lists[r] = w.lists[r][:0]
		}
	}
	p.next.form, p.claimedOut = asList, false
}

// Step implements kernels.Processor. The name is the way to push or pull and, behind a
// slash, the set of the kernel that it runs: "direct-scatter/avx512", "serial", "words/avx2".
func (p *Processor) Step(ctx context.Context, d kernels.Direction) (string, error) {
	p.begin()
	if d == kernels.BottomUp {
		p.bitsOf()
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

// Close implements kernels.Processor.
func (p *Processor) Close() error {
	if p.team != nil {
		p.team.Close()
		p.team = nil
	}
	for _, f := range p.frees {
		f()
	}
	p.frees = nil
	return nil
}
