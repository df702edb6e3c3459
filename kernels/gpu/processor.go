package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// Processor is one partition on a device.
type Processor struct {
	program *Program
	dev     device.Device
	options Options
	name    string // of the device

	part   *kernels.Part
	chunks []chunk
	owned  []int // indices of the own ranges

	// Two queues, each in order: kernels with all that goes to the device, and the
	// claims that leave.
	stream, copies device.Stream
	kernels        map[string]device.Kernel
	freed          []freer // everything to free, in the order made
	arrays         []Array

	// Over all ranks.
	seen, front, next, parent device.Buffer
	vertexOf                  device.Buffer
	// Over own ranks.
	finder             device.Buffer
	list               device.Buffer // the frontier's ranks
	scratchA, scratchB device.Buffer // each use has a name of its own
	counters, lengths  device.Buffer
	outbox             device.Buffer
	inbox              device.Buffer
	uploads            *ring          // staging of what goes to the device
	messageStaging     device.Staging // by range: a message on its way to the host
	counterStaging     device.Staging
	launches           map[string]int64
	thin               []kernels.Counts // of the last StepThin
	ownVertices        int64
	ownInArcs          int64
	largestRange       uint32 // words of the largest range
	ownPadded          uint32
	groups             int // the most groups of a launch
	closed, hasForeign bool

	leaving []device.Event // by foreign range: the copy of its message to the mail
	search
}

// search is the state of a search.
type search struct {
	need      kernels.Need
	counts    kernels.Counts
	unvisited int64
	inArcs    int64
	// counted tells that the counters of the step's finds are in the tally.
	counted bool
	// unvisitedListed tells that scratchA lists the unvisited vertices, as the last bottom-up step left them.
	unvisitedListed bool
	flip            uint32 // which of a chunk's two lengths is that of scratchA
	dirty           []bool // by foreign range: the frontier has bits there that are claims, not vertices
	claimed         []int  // by foreign range: vertices claimed by the step
	reading         bool   // copies to the mail are under way on the compute queue
	delivered       []bool // by sender: it told of own vertices in this search
	published       []int  // by own range: vertices of the frontier
}

type freer interface{ Free() error }

// New returns a processor on the device of program.
func New(program *Program, o Options) (*Processor, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	info := program.dev.Info()
	if o.Graph != OnDevice && !info.InPlace {
		return nil, &Error{Op: "New", Device: info.Name, Err: ErrNotInPlace}
	}
	groups := 16 * max(1, info.ComputeUnits)
	if info.HostCPU {
		groups = 2 * max(1, info.ComputeUnits)
	}
	return &Processor{program: program, dev: program.dev, options: o, name: info.Name, groups: groups,
		kernels: map[string]device.Kernel{}, launches: map[string]int64{}}, nil
}

var _ kernels.Processor = (*Processor)(nil)

// Kind implements kernels.Processor: the kind of the device.
func (p *Processor) Kind() string { return p.dev.Info().Kind }

// Bytes implements kernels.Processor.
func (p *Processor) Bytes() (sum int64) {
	for _, a := range p.arrays {
		sum += a.Bytes
	}
	return sum
}

// Array is memory that a processor has taken.
type Array struct {
	Name  string
	Host  bool // it is the host's memory, not the device's
	Bytes int64
}

// Arrays lists the memory taken, the parts of one array in one memory together.
func (p *Processor) Arrays() []Array { return slices.Clone(p.arrays) }

// took counts memory.
func (p *Processor) took(name string, host bool, bytes int64) {
	for i := range p.arrays {
		if a := &p.arrays[i]; a.Name == name && a.Host == host {
			a.Bytes += bytes
			return
		}
	}
	p.arrays = append(p.arrays, Array{Name: name, Host: host, Bytes: bytes})
}

// Launches returns how often each kernel was launched, by its name.
func (p *Processor) Launches() map[string]int64 {
	counts := make(map[string]int64, len(p.launches))
	for name, n := range p.launches {
		counts[name] = n
	}
	return counts
}

// fail names the method in an error.
func (p *Processor) fail(op string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Op: op, Device: p.name, Err: err}
}

// Load implements kernels.Processor.
func (p *Processor) Load(ctx context.Context, part *kernels.Part) error {
	if err := p.load(ctx, part); err != nil {
		_ = p.free()
		return p.fail("Load", err)
	}
	return nil
}

func (p *Processor) load(ctx context.Context, part *kernels.Part) error {
	p.part = part
	for i, rg := range part.Ranges {
		p.largestRange = max(p.largestRange, (rg.Padded()-rg.First)/32)
		if rg.Owner != part.Index {
			p.hasForeign = true
			continue
		}
		sub := part.Subgraphs[i]
		p.owned = append(p.owned, i)
		p.ownPadded += rg.Padded() - rg.First
		p.ownVertices += int64(sub.Rows)
		if sub.In != nil {
			p.ownInArcs += sub.In.Arcs()
		}
	}
	err := p.cut()
	if err != nil {
		return err
	}
	for _, s := range []*device.Stream{&p.stream, &p.copies} {
		if *s, err = p.dev.NewStream(); err != nil {
			return err
		}
		p.freed = append(p.freed, *s)
	}
	p.leaving = make([]device.Event, len(part.Ranges))
	if err := p.allocate(); err != nil {
		return err
	}
	if err := p.upload(p.vertexOf, 0, part.VertexOf); err != nil {
		return err
	}
	for i := range p.chunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.loadChunk(&p.chunks[i]); err != nil {
			return err
		}
	}
	if err := p.warm(ctx); err != nil {
		return err
	}
	return p.reset(0)
}

// cut divides the own ranges into chunks, and says where the adjacency of each lies.
func (p *Processor) cut() error {
	room := int64(-1)
	switch {
	case p.options.Graph == OnHost:
		room = 0
	case p.options.Graph == Split && p.options.Memory > 0:
		room = p.options.Memory
		for _, b := range p.searchBuffers(2 * maxChunks * len(p.owned)) {
			room -= b.bytes
		}
		room = max(0, room)
	}
	base := uint32(0)
	for _, i := range p.owned {
		sub := p.part.Subgraphs[i]
		chunks, err := cutRange(sub, i, base, p.dev.Info().LargestAllocation, room)
		if err != nil {
			return err
		}
		for _, c := range chunks {
			if room > 0 && !c.host {
				room = max(0, room-adjacencyBytes(sub, c.lo, c.lo+c.n))
			}
		}
		p.chunks = append(p.chunks, chunks...)
		base += p.part.Ranges[i].Padded() - p.part.Ranges[i].First
	}
	return nil
}

// searchBuffer is one of the buffers of a search.
type searchBuffer struct {
	name  string
	to    *device.Buffer
	bytes int64
}

// searchBuffers are all buffers but the graph's, for so many chunks.
func (p *Processor) searchBuffers(chunks int) []searchBuffer {
	words := int64(p.part.Ranks / 32)
	group := int64(p.program.group)
	lists := 4 * ((int64(p.ownPadded)+group-1)/group*group + group)
	return []searchBuffer{
		{"seen", &p.seen, 4 * words},
		{"frontier", &p.front, 4 * max(words, hubWords)},
		{"next", &p.next, 4 * max(words, hubWords)},
		{"parents", &p.parent, 4 * int64(p.part.Ranks)},
		{"vertex_ids", &p.vertexOf, 4 * int64(p.part.Ranks)},
		{"finders", &p.finder, int64(p.ownPadded)},
		{"lists", &p.list, lists},
		{"lists", &p.scratchA, lists},
		{"lists", &p.scratchB, lists},
		{"inbox", &p.inbox, 4 * int64(p.largestRange)},
		{"outbox", &p.outbox, 4 * words},
		{"counters", &p.counters, 4 * int64(max(p.counterWords(chunks), thinWords))},
		{"counters", &p.lengths, 8 * int64(chunks)},
	}
}

// allocate makes all but the chunks.
func (p *Processor) allocate() error {
	for _, want := range p.searchBuffers(len(p.chunks)) {
		var err error
		if *want.to, err = p.newBuffer(want.name, want.bytes); err != nil {
			return err
		}
	}
	var err error
	if p.messageStaging, err = p.newStaging(4 * int64(p.part.Ranks/32)); err != nil {
		return err
	}
	if p.counterStaging, err = p.newStaging(p.counters.Size()); err != nil {
		return err
	}
	size := min(max(ringSmallest, 4*int64(p.largestRange)), ringLargest)
	staging, err := p.newStaging(size)
	if err != nil {
		return err
	}
	p.uploads = &ring{stream: p.stream, staging: staging, words: words32(staging.Bytes())}
	return nil
}

func (p *Processor) newBuffer(name string, bytes int64) (device.Buffer, error) {
	b, err := p.dev.NewBuffer(bytes)
	if err == nil {
		p.freed = append(p.freed, b)
		p.took(name, false, bytes)
	}
	return b, err
}

// newWords makes an array of n words where the adjacency of a chunk lies. fill sets
// the words from the at-th on; it may be called several times.
func (p *Processor) newWords(c *chunk, name string, n int64, fill func(at int64, words []uint32)) (device.Buffer, error) {
	if !c.host {
		b, err := p.newBuffer(name, 4*n)
		if err != nil {
			return nil, err
		}
		return b, p.uploads.write(b, n, fill)
	}
	dev, is := p.dev.(device.HostReader)
	if !is {
		return nil, ErrNotInPlace
	}
	b, err := dev.NewHostBuffer(4*n, func(memory []byte) { fill(0, words32(memory)) })
	if err == nil {
		p.freed = append(p.freed, b)
		p.took(name, true, 4*n)
	}
	return b, err
}

func (p *Processor) newStaging(bytes int64) (device.Staging, error) {
	s, err := p.dev.NewStaging(max(bytes, 64))
	if err == nil {
		p.freed = append(p.freed, s)
		p.took("staging", true, bytes)
	}
	return s, err
}

func (p *Processor) loadChunk(c *chunk) (err error) {
	if c.sub.Out == nil && c.sub.In == nil {
		return errors.New("a subgraph without arcs of either direction")
	}
	c.hub = c.hubWindow(int(p.part.Ranks / 32))
	if c.sub.Out != nil {
		if c.out, err = p.loadRows(c, c.sub.Out, "out_", c.sub.Out == c.sub.In); err != nil {
			return err
		}
	}
	switch {
	case c.sub.In == c.sub.Out || c.sub.In == nil:
		c.in = c.out
	default:
		if c.in, err = p.loadRows(c, c.sub.In, "in_", true); err != nil {
			return err
		}
		if c.sub.Out == nil {
			c.out = c.in
		}
	}
	return nil
}

// loadRows brings the chunk's rows of out-arcs or in-arcs where its adjacency lies; the
// arrays' names begin with side unless there is one structure for both.
func (p *Processor) loadRows(c *chunk, a *graph.Adjacency, side string, first bool) (r rows, err error) {
	if c.sub.In == c.sub.Out {
		side = ""
	}
	lo, _ := a.Row(c.lo)
	_, hi := a.Row(c.lo + c.n - 1)
	copied := func(from []uint32) func(int64, []uint32) {
		return func(at int64, words []uint32) { copy(words, from[at:]) }
	}
	if r.offsets, err = p.newWords(c, side+"offsets", int64(c.n)+1, func(at int64, words []uint32) {
		for k := range words {
			begin := hi
			if i := at + int64(k); i < int64(c.n) {
				begin, _ = a.Row(c.lo + uint32(i))
			}
			words[k] = uint32(begin - lo)
		}
	}); err != nil {
		return r, err
	}
	if r.neighbours, err = p.newWords(c, side+"neighbours", int64(hi-lo), copied(a.Neighbours[lo:hi])); err != nil || !first {
		return r, err
	}
	r.first, err = p.newWords(c, side+"first_neighbours", int64(c.n), copied(a.FirstNeighbours[c.lo:c.lo+c.n]))
	return r, err
}

// upload copies words to dst from word at on, through staging.
func (p *Processor) upload(dst device.Buffer, at int64, words []uint32) error {
	return p.uploads.copy(dst, at, words)
}

// launch runs a kernel with a lane for each of n things, or as many as pay.
func (p *Processor) launch(name string, n int64, a arguments) error {
	return p.launchGroups(name, (n+int64(p.program.group)-1)/int64(p.program.group), a)
}

func (p *Processor) launchGroups(name string, groups int64, a arguments) error {
	k := p.kernels[name]
	if k == nil {
		var err error
		if k, err = p.program.built.Kernel(name); err != nil {
			return err
		}
		p.kernels[name] = k
		p.freed = append(p.freed, k)
	}
	p.launches[name]++
	return p.stream.Launch(k, device.Launch{Groups: int(max(1, min(groups, int64(p.groups)))),
		GroupSize: p.program.group, Args: a.args()})
}

// Close implements kernels.Processor.
func (p *Processor) Close() error {
	if p.closed {
		return nil
	}
	p.closed = true
	return p.fail("Close", p.free())
}

// free frees everything, in reverse order, and returns the first failure.
func (p *Processor) free() error {
	var errs []error
	for _, s := range []device.Stream{p.stream, p.copies} {
		if s != nil {
			errs = append(errs, s.Finish())
		}
	}
	errs = append(errs, p.dropEvents())
	for i := len(p.freed) - 1; i >= 0; i-- {
		errs = append(errs, p.freed[i].Free())
	}
	p.freed, p.stream, p.copies = nil, nil, nil
	p.kernels = map[string]device.Kernel{}
	p.arrays = nil
	return errors.Join(errs...)
}

// words32 is memory of a driver as words.
func words32(data []byte) []uint32 {
	if len(data) < 4 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&data[0])), len(data)/4)
}

// counterWords is the size of the counters for so many chunks: five a chunk, then one a
// range.
func (p *Processor) counterWords(chunks int) int {
	return countsOfChunk*chunks + len(p.part.Ranges) + 1
}

// Places in the counters.
const (
	countVertices = iota // and after it out-arcs, in-arcs, largest out-degree
	countOut
	countIn
	countLargest
	countExamined
	countsOfChunk
)

func (p *Processor) rangeCounter(r int) int { return countsOfChunk*len(p.chunks) + r }

func (p *Processor) String() string { return fmt.Sprintf("partition on %s", p.name) }
