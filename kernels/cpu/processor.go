package cpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
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
	part    *kernels.Part
	need    kernels.Need

	own      []ownRange
	rangeOf  []uint16 // range of every 64 ranks; nil if all ranks are own
	isOwn    []bool   // by range
	words    int
	vertices int64
	outArcs  int64
	inArcs   int64
	identity bool  // each rank is its vertex's id
	longest  int64 // arcs of the longest out-row; of any longer than shortRow, if there is one

	set               kernelSet
	choice            choice // of the kernels in set
	auto              [6]bool
	measured          [6]map[string]float64
	clock             func(kernel, set string, run func()) time.Duration // nil: the machine's
	tuning            Tuning
	seen, front, next []uint64
	parent            []uint32 // by rank: the vertex id of the parent
	scatter           []uint32 // by rank: vertex ids; None between steps
	way               way      // of the top-down step
	shift             uint32   // a rank's bucket is the rank shifted right by so many bits
	cuts              []uint32 // scratch of cutRanks
	shares            [][]span // by thread: see mapShares

	// Of own ranks that another partition told of: told has their bits, finder the
	// partition's number. Both are nil if all ranks are own.
	told    []uint64
	finder  []uint8
	foreign [][]uint32 // by partition: what RemoteClaims returned
	answers [][]uint32 // what LookupParents returned in this search
	asked   int        // how many of answers are of this search

	frees []func()
	bytes int64

	list      []uint32 // the frontier as a list, if isList
	spare     []uint32
	isList    bool
	hasBits   bool // front holds the frontier's own slices
	frontSize int64

	// nextBits: the step wrote next; otherwise nextList, and next besides where
	// nextHasBits.
	nextBits, nextHasBits bool

	nextList   []uint32
	frontArcs  int64 // out-arcs of the frontier; −1 if they were not counted
	bounded    bool  // frontArcs is a bound of them
	claimedOut bool  // next holds claims of foreign ranges

	// The last unvisited own vertices, and perhaps others visited since, once listed.
	stragglers []straggler
	listed     bool

	visited, visitedArcs int64

	counts  []kernels.Counts // of the last StepMany
	workers []worker
	out     []outbox // by range
	publish []outbox
}

// ownRange is one range of ranks that the processor owns.
type ownRange struct {
	index int
	sub   *graph.Subgraph
	// Of the in-rows: see probeBlock.
	near, nearID [nearColumns][]uint32
	long         []uint64
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
	cursors  []cursor
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
	p := &Processor{threads: max(1, threads), tuning: DefaultTuning()}
	_ = p.Use("auto")
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

// Kind is "cpu".
func (p *Processor) Kind() string { return "cpu" }

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
	p.front = alloc[uint64](p, p.words+1)
	p.next = alloc[uint64](p, p.words+1)
	p.parent = alloc[uint32](p, int(part.Ranks))
	p.scatter = alloc[uint32](p, int(part.Ranks))
	if !all {
		p.finder = alloc[uint8](p, int(part.Ranks))
		p.told = alloc[uint64](p, p.words)
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
	o.long = alloc[uint64](p, (rows+63)/64)
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
		if p.told != nil {
			clear(p.told[o.sub.First/64 : o.sub.Padded()/64])
		}
	}
	p.list, p.nextList = p.list[:0], p.nextList[:0]
	p.isList, p.hasBits, p.nextBits, p.listed = true, false, false, false
	p.asked = 0
	p.frontSize, p.visited, p.visitedArcs, p.frontArcs, p.bounded = 0, 0, 0, -1, false
	return nil
}

// SetRoot implements kernels.Processor.
func (p *Processor) SetRoot(rank uint32) error {
	p.seen[rank/64] |= 1 << (rank % 64)
	p.parent[rank] = p.part.VertexOf[rank]
	p.list = append(p.list[:0], rank)
	p.frontSize = 1
	p.visited = 1
	if p.need&kernels.NeedUnvisitedArcs != 0 {
		_, p.visitedArcs = p.arcsOf(p.list)
	}
	return nil
}

// subOf returns the own subgraph that holds a rank.
func (p *Processor) subOf(rank uint32) *graph.Subgraph {
	for i := range p.own {
		if s := p.own[i].sub; rank >= s.First && rank < s.First+s.Rows {
			return s
		}
	}
	return nil
}

// arcsOf sums the out- and in-degrees of own ranks.
func (p *Processor) arcsOf(list []uint32) (out, in int64) {
	for _, v := range list {
		s := p.subOf(v)
		if s.Out != nil {
			out += int64(s.Out.Degree(v - s.First))
		}
		if s.In != nil && s.In != s.Out {
			in += int64(s.In.Degree(v - s.First))
		}
	}
	if len(p.own) > 0 && p.own[0].sub.In == p.own[0].sub.Out {
		in = out
	}
	return out, in
}

// bitsOf turns the frontier's list into bits of front, own slices only.
func (p *Processor) bitsOf() {
	if p.hasBits {
		return
	}
	for _, o := range p.own {
		lo := int(o.sub.First / 64)
		p.spread(int(o.sub.Padded()/64)-lo, parallelWords, func(a, b int) { clear(p.front[lo+a : lo+b]) })
	}
	for _, v := range p.list {
		p.front[v/64] |= 1 << (v % 64)
	}
	p.hasBits = true
}

// listOf turns the frontier's bits into a list.
func (p *Processor) listOf() {
	if p.isList {
		return
	}
	p.list = slices.Grow(p.list[:0], int(p.frontSize))
	for _, o := range p.own {
		p.list = appendBits(p.list, p.front[o.sub.First/64:o.sub.Padded()/64], o.sub.First)
	}
	p.isList = true
}

// appendBits appends the ranks of the set bits of words, the first word's bit 0
// being rank first.
func appendBits(list []uint32, words []uint64, first uint32) []uint32 {
	for i, w := range words {
		base := first + uint32(i)*64
		for ; w != 0; w &= w - 1 {
			list = append(list, base+uint32(bits.TrailingZeros64(w)))
		}
	}
	return list
}

// as32 views words as the uint32 words of a message: bit i of word i/32.
func as32(words []uint64) []uint32 {
	if len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&words[0])), 2*len(words))
}

// message makes the message of range r out of lists of ranks.
func (p *Processor) message(r int, box *outbox, lists ...[]uint32) kernels.Message {
	c := 0
	for _, l := range lists {
		c += len(l)
	}
	if c == 0 {
		return kernels.Message{}
	}
	rg := p.part.Ranges[r]
	b := int(rg.Padded() - rg.First)
	if kernels.AsList(c, b) {
		if len(lists) == 1 {
			return kernels.Message{Count: c, List: lists[0]}
		}
		box.list = box.list[:0]
		for _, l := range lists {
			box.list = append(box.list, l...)
		}
		return kernels.Message{Count: c, List: box.list}
	}
	if box.words == nil {
		box.words = make([]uint64, b/64)
	}
	p.spread(len(box.words), parallelWords, func(lo, hi int) { clear(box.words[lo:hi]) })
	for _, l := range lists {
		for _, v := range l {
			v -= rg.First
			box.words[v/64] |= 1 << (v % 64)
		}
	}
	return kernels.Message{Count: c, Bits: as32(box.words)}
}

// FrontierSlice implements kernels.Processor.
func (p *Processor) FrontierSlice(r int) (kernels.Message, error) {
	rg := p.part.Ranges[r]
	b := int(rg.Padded() - rg.First)
	if p.isList {
		l := p.list
		if len(p.own) > 1 {
			box := &p.publish[r]
			box.list = box.list[:0]
			for _, v := range p.list {
				if v >= rg.First && v < rg.Padded() {
					box.list = append(box.list, v)
				}
			}
			l = box.list
		}
		if len(l) == 0 {
			return kernels.Message{}, nil
		}
		if kernels.AsList(len(l), b) {
			return kernels.Message{Count: len(l), List: l}, nil
		}
	}
	p.bitsOf()
	return messageOf(p.front[rg.First/64:rg.Padded()/64], rg.First, &p.publish[r]), nil
}

// SetRemoteFrontier implements kernels.Processor.
func (p *Processor) SetRemoteFrontier(r int, m kernels.Message) error {
	rg := p.part.Ranges[r]
	lo, hi := int(rg.First/64), int(rg.Padded()/64)
	if m.Bits == nil {
		p.spread(hi-lo, parallelWords, func(a, b int) { clear(p.front[lo+a : lo+b]) })
		for _, v := range m.List {
			p.front[v/64] |= 1 << (v % 64)
			p.seen[v/64] |= 1 << (v % 64)
		}
		return nil
	}
	p.spread(hi-lo, parallelWords, func(a, b int) {
		for i := a; i < b; i++ {
			w := uint64(m.Bits[2*i]) | uint64(m.Bits[2*i+1])<<32
			p.front[lo+i] = w
			p.seen[lo+i] |= w
		}
	})
	return nil
}

// Outbox implements kernels.Processor.
func (p *Processor) Outbox(r int) (kernels.Message, error) {
	if p.nextBits {
		return p.claims(r), nil
	}
	if p.threads == 1 {
		return p.message(r, &p.out[r], p.workers[0].lists[r]), nil
	}
	lists := make([][]uint32, 0, 8)
	for i := range p.workers {
		if l := p.workers[i].lists[r]; len(l) > 0 {
			lists = append(lists, l)
		}
	}
	return p.message(r, &p.out[r], lists...), nil
}

// claims is the message of foreign range r out of the bits of next.
func (p *Processor) claims(r int) kernels.Message {
	if !p.claimedOut {
		return kernels.Message{}
	}
	rg := p.part.Ranges[r]
	words := p.next[rg.First/64 : rg.Padded()/64]
	return messageOf(words, rg.First, &p.out[r])
}

// messageOf makes a message of words of bits, the first one's bit 0 being rank first.
func messageOf(words []uint64, first uint32, box *outbox) kernels.Message {
	c := 0
	for _, w := range words {
		c += bits.OnesCount64(w)
	}
	switch {
	case c == 0:
		return kernels.Message{}
	case kernels.AsList(c, 64*len(words)):
		box.list = appendBits(box.list[:0], words, first)
		return kernels.Message{Count: c, List: box.list}
	}
	return kernels.Message{Count: c, Bits: as32(words)}
}

// MergeClaims implements kernels.Processor.
func (p *Processor) MergeClaims(r, from int, m kernels.Message) error {
	if m.Count == 0 {
		return nil
	}
	take := func(v uint32) {
		p.finder[v] = uint8(from)
		p.told[v/64] |= 1 << (v % 64)
		if p.nextBits {
			p.next[v/64] |= 1 << (v % 64)
			p.workers[0].next++
		} else {
			p.nextList = append(p.nextList, v)
		}
	}
	if m.Bits == nil {
		for _, v := range m.List {
			if p.seen[v/64]>>(v%64)&1 == 0 {
				p.seen[v/64] |= 1 << (v % 64)
				take(v)
			}
		}
		return nil
	}
	rg := p.part.Ranges[r]
	for i := range int(rg.Padded()-rg.First) / 64 {
		in := uint64(m.Bits[2*i]) | uint64(m.Bits[2*i+1])<<32
		k := int(rg.First/64) + i
		fresh := in &^ p.seen[k]
		if fresh == 0 {
			continue
		}
		p.seen[k] |= fresh
		for ; fresh != 0; fresh &= fresh - 1 {
			take(uint32(k)*64 + uint32(bits.TrailingZeros64(fresh)))
		}
	}
	return nil
}

// Finish implements kernels.Processor.
func (p *Processor) Finish() (kernels.Counts, error) {
	var c kernels.Counts
	if p.nextBits || p.nextHasBits {
		p.front, p.next = p.next, p.front
	}
	if p.nextBits {
		for i := range p.workers {
			c.Next += p.workers[i].next
		}
		p.isList, p.hasBits = false, true
	} else {
		p.list, p.nextList = p.nextList, p.list[:0]
		p.isList, p.hasBits = true, p.nextHasBits
		c.Next = int64(len(p.list))
	}
	p.frontSize = c.Next
	p.visited += c.Next
	var in int64
	p.frontArcs, p.bounded = -1, false
	bound := int64(math.MaxInt64)
	if p.need&(kernels.NeedNextArcs|kernels.NeedUnvisitedArcs) == 0 {
		bound = p.outArcs / kernels.ManyPart
		if p.rangeOf == nil {
			bound = min(bound, kernels.ManyTimes*(p.vertices-p.visited)+int64(p.words))
		}
	}
	switch {
	case p.need&(kernels.NeedNextArcs|kernels.NeedUnvisitedArcs|kernels.NeedFewArcs) == 0:
	case bound < math.MaxInt64 && p.longest <= shortRow && c.Next*p.longest <= int64(p.words):
		p.frontArcs, p.bounded = c.Next*p.longest, true
	case p.isList:
		p.frontArcs, in = p.arcsOfList(bound)
	default:
		p.frontArcs, in = p.arcsOfBits(bound)
	}
	c.NextArcs = p.frontArcs
	p.visitedArcs += in
	if p.need&kernels.NeedUnvisited != 0 {
		c.Unvisited = p.vertices - p.visited
	}
	if p.need&kernels.NeedUnvisitedArcs != 0 {
		c.UnvisitedArcs = p.inArcs - p.visitedArcs
	}
	for i := range p.workers {
		c.Examined += p.workers[i].examined
	}
	return c, nil
}

// RemoteClaims implements kernels.Processor.
func (p *Processor) RemoteClaims(q int) ([]uint32, error) {
	if p.told == nil || q == p.part.Index {
		return nil, nil
	}
	for len(p.foreign) <= q {
		p.foreign = append(p.foreign, nil)
	}
	list := p.foreign[q][:0]
	for _, o := range p.own {
		for w := o.sub.First / 64; w < o.sub.Padded()/64; w++ {
			for bit := p.told[w]; bit != 0; bit &= bit - 1 {
				if v := w*64 + uint32(bits.TrailingZeros64(bit)); int(p.finder[v]) == q {
					list = append(list, v)
				}
			}
		}
	}
	p.foreign[q] = list
	return list, nil
}

// LookupParents implements kernels.Processor.
func (p *Processor) LookupParents(ranks []uint32) ([]uint32, error) {
	if p.asked == len(p.answers) {
		p.answers = append(p.answers, nil)
	}
	parents := slices.Grow(p.answers[p.asked][:0], len(ranks))[:len(ranks)]
	p.answers[p.asked] = parents
	p.asked++
	p.spread(len(ranks), 1<<12, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			parents[i] = p.part.RankOf[p.parent[ranks[i]]]
		}
	})
	return parents, nil
}

// Parents implements kernels.Processor.
func (p *Processor) Parents(out []uint32, foreign, answers [][]uint32) error {
	vertexOf := p.part.VertexOf
	p.mapBack(out)
	for q, list := range foreign {
		if len(answers) <= q || len(answers[q]) != len(list) {
			return fmt.Errorf("cpu: %d parents asked of partition %d, not as many answered", len(list), q)
		}
		a := answers[q]
		p.spread(len(list), 1<<12, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				out[vertexOf[list[i]]] = vertexOf[a[i]]
			}
		})
	}
	return nil
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
