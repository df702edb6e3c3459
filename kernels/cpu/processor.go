package cpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/kernels"
)

// ErrLoad is returned by Load where the part is not what the contract says.
var ErrLoad = errors.New("cpu: invalid partition")

// Processor runs the supersteps of one partition on threads. Its runs may go on at once, each on
// threads of its own; Tune, Use and Choose need that none does.
type Processor struct {
	most   int // threads
	teams  teams
	tuning Tuning
	part   *kernels.Part

	// Of the partition, from Load on.
	own             []ownRange
	isOwn           []bool   // by range
	rangeOf         []uint16 // range of every 64 ranks; nil if all ranks are own
	words           int      // of a bitmap over all ranks
	vertices        int64    // own, with edges
	outArcs, inArcs int64
	longest         int64 // out-arcs of a vertex at most, if no more than shortRow
	identity        bool  // each rank is its vertex's id
	all             bool  // all ranks are own
	split           bool  // arcs of own vertices lie elsewhere too: see valueRun

	// Kernels: see Use and Choose.
	set       kernelSet
	kernels   [kernelCount]choice
	clock     func(kernel, set string, run func()) time.Duration // of Choose
	names     [len(wayNames)]string                              // what Step returns top-down
	probeName string                                             // and bottom-up

	weights  weightCache // of runs with values
	leafOnce sync.Once
	leaf     []uint64 // see leafSet
	sharing  sync.Mutex
	shares   map[int][][]span // by number of threads: see mapShares
	memory   hugemem.Arena    // what Close frees
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
	p := &Processor{most: max(1, threads), shares: map[int][][]span{}, tuning: DefaultTuning(), clock: clocked}
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
func (p *Processor) Threads() int { return p.most }

// Bytes is the memory of the partition: its subgraphs, and what Load has made of them.
func (p *Processor) Bytes() int64 { return p.memory.Bytes }

// LoadSize is Load of a part whose arrays need not exist (partition.Sized): Bytes and RunBytes count what Load and Open
// allocate.
func (p *Processor) LoadSize(part *kernels.Part) error {
	p.memory.Dry = true
	return p.Load(context.Background(), part)
}

// Load implements kernels.Processor.
func (p *Processor) Load(ctx context.Context, part *kernels.Part) error {
	if part.Ranks%64 != 0 || len(part.Subgraphs) != len(part.Ranges) {
		return fmt.Errorf("%w: %d ranks, %d subgraphs for %d ranges", ErrLoad, part.Ranks, len(part.Subgraphs), len(part.Ranges))
	}
	p.part = part
	team := workers.Acquire(p.most)
	p.most = team.Threads()
	all := crew{p.most, team}
	defer p.dismiss(all)
	p.words = int(part.Ranks / 64)
	p.isOwn = make([]bool, len(part.Ranges))
	if p.split = !wholeRows(part); p.split {
		return p.loadSplit(ctx)
	}
	whole := true
	for i, r := range part.Ranges {
		s := part.Subgraphs[i]
		if r.Owner != part.Index {
			if s != nil && s.Rows > 0 {
				return fmt.Errorf("%w: range %d is another's and has a subgraph, and the spaces are zero", ErrLoad, i)
			}
			whole = whole && r.Vertices == 0
			continue
		}
		p.isOwn[i] = true
		if s == nil || s.First != r.First || s.Rows != r.Vertices {
			return fmt.Errorf("%w: range %d has no subgraph, or another one", ErrLoad, i)
		}
		p.vertices += int64(s.Rows)
		if s.Out != nil {
			p.outArcs += s.Out.Arcs()
			for i := uint32(0); i < s.Rows && p.longest <= shortRow && !p.memory.Dry; i++ {
				p.longest = max(p.longest, int64(s.Out.Degree(i)))
			}
		}
		if s.In != nil {
			p.inArcs += s.In.Arcs()
		}
		p.memory.Bytes += s.Bytes()
		p.own = append(p.own, p.newRange(all, i, s))
	}
	p.identity = whole
	for rank, v := range part.VertexOf {
		if p.identity = p.identity && (v == uint32(rank) || v == graph.None); !p.identity {
			break
		}
	}
	p.all = whole
	if !whole && !p.memory.Dry {
		p.rangeOf = make([]uint16, p.words)
		for i, r := range part.Ranges {
			for w := r.First / 64; w < r.Padded()/64; w++ {
				p.rangeOf[w] = uint16(i)
			}
		}
	}
	return ctx.Err()
}

// newRange prepares an own range for searches.
func (p *Processor) newRange(on crew, index int, s *graph.Subgraph) ownRange {
	o := ownRange{index: index, sub: s}
	in := s.In
	if in == nil {
		return o
	}
	rows := int(s.Rows)
	o.far, o.long = hugemem.Alloc[uint64](&p.memory, (rows+63)/64), hugemem.Alloc[uint64](&p.memory, (rows+63)/64)
	for k := range nearColumns {
		o.nearID[k] = hugemem.Alloc[uint32](&p.memory, rows)
		// The ranks of first neighbours are there already, but for empty rows.
		if k == 0 && (s.In == s.Out || !p.memory.Dry && !slices.Contains(in.FirstNeighbours, graph.None)) {
			o.near[k] = in.FirstNeighbours
		} else {
			o.near[k] = hugemem.Alloc[uint32](&p.memory, rows)
		}
	}
	if p.memory.Dry {
		return o
	}
	on.team.For(len(o.long), 64, func(_, from, to int) {
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

// subOf returns the processor's subgraph that holds a rank.
func (p *Processor) subOf(rank uint32) *graph.Subgraph {
	for i := range p.own {
		if s := p.own[i].sub; rank >= s.First && rank < s.First+s.Rows {
			return s
		}
	}
	return nil
}

// Close implements kernels.Processor.
func (p *Processor) Close() error {
	for _, t := range p.teams.idle {
		t.Close()
	}
	p.teams.idle = nil
	p.memory.Free()
	return nil
}
