package gpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// Processor is one partition on a device. Its methods are those of kernels.Processor.
type Processor struct {
	program *Program
	dev     device.Device
	options Options
	name    string // of the device

	part   *kernels.Part
	chunks []chunk
	owned  []int // indices of own ranges

	stream   device.Stream // the in-order queue
	searches *module       // kernels of searches and measurements
	modules  map[device.Program]*module
	weighted map[weightKey][]device.Buffer
	freed    []freer // everything to free, in the order made
	arrays   []Array

	// Over all ranks. One of bitmaps is seen, the visited vertices; the other one lags behind.
	bitmaps          [2]device.Buffer
	parent, vertexOf device.Buffer
	places           places
	placesWords      int64 // the length of places
	placesOnDevice   device.Buffer
	// Over own ranks.
	finder             device.Buffer
	lists, pieces      [2]device.Buffer // the frontier by the parity of its slot: see slots.cl
	scratchA, scratchB device.Buffer    // unvisited vertices, by the parity of pulls; other uses have names
	counters, rule     device.Buffer
	boxes, outbox      device.Buffer // by range: the bits, and the list, of a message
	inbox              device.Buffer
	uploads            device.Staging // of what goes to the device, and of lists from it
	staged             []uint32       // the words of uploads
	stagedUsed         int64          // words of staged that commands may still read
	messages           device.Staging // by range: a message on its way to the host; then own ranges again
	messageWords       []uint32       // the words of messages
	sent               []uint32       // by range: a message as a list
	counterStaging     device.Staging
	tally              []uint32     // the words of counterStaging
	ruled              kernels.Rule // what rule holds
	launches           map[string]int64
	meter              meter
	many               []kernels.Stepped // of the last call of several supersteps
	manyCounts         []kernels.Counts  // of the last StepMany
	ownVertices        int64
	ownInArcs          int64
	ownPieces          int64
	largestRange       uint32 // words of the largest range
	ownPadded          uint32
	groups             int // the most groups of a launch
	hasForeign         bool
	alone              bool // one chunk holds every vertex: steps make the next frontier's lists

	// err is the first error of commands; see done.
	err error

	running bool // a run is open
	search
}

// search is the state of a search.
type search struct {
	need      kernels.Need
	counts    kernels.Counts
	unvisited int64
	inArcs    int64
	slot      uint32 // superstep of the search: that of the frontier
	last      kernels.Direction
	flip      int        // parity of pulls: the bitmap that is seen
	listed    bool       // the frontier's lists are complete
	boxed     bool       // messages has the bits of own ranges of the frontier
	unended   bool       // nobody has waited for the step
	merged    bool       // claims were merged since somebody waited
	few       bool       // tally has the first vertices of the frontier
	parity    int        // of supersteps: the half of messages that has own ranges
	claimed   []int      // by remote range: vertices claimed by the step
	asList    []bool     // by remote range: their list is in messages, not their bits
	delivered []int      // by sender: vertices that it has claimed in this search, found or not
	claims    [][]uint32 // by sender: own vertices that it found; nil until they are listed
	published []int      // by own range: number of frontier vertices
}

type freer interface{ Free() error }

// New returns a processor on the device of program. It returns ErrOptions for options that
// contradict each other and ErrNotInPlace where the device cannot read host memory.
func New(program *Program, o Options) (*Processor, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	info := program.dev.Info()
	if o.Graph != OnDevice && !info.InPlace {
		return nil, &Error{Op: "New", Device: info.Name, Err: ErrNotInPlace}
	}
	return &Processor{program: program, dev: program.dev, options: o, name: info.Name, groups: groupsOf(info),
		searches: &module{program.built, map[string]device.Kernel{}}, launches: map[string]int64{}}, nil
}

// groupsOf is the most groups of a launch.
func groupsOf(info device.Info) int {
	if info.HostCPU {
		return 2 * max(1, info.ComputeUnits)
	}
	return 16 * max(1, info.ComputeUnits)
}

var _ kernels.Processor = (*Processor)(nil)

// Kind implements kernels.Processor: the kind of the device.
func (p *Processor) Kind() kernels.Kind { return kernels.Kind(p.dev.Info().Kind) }

// Bytes implements kernels.Processor.
func (p *Processor) Bytes() (sum int64) {
	for _, a := range p.arrays {
		sum += a.Bytes
	}
	return sum
}

// Array is memory allocated by a processor.
type Array struct {
	Name  string
	Host  bool // in host memory, not the device's
	Bytes int64
}

// Arrays lists allocated memory; chunks of one array in one memory are summed.
func (p *Processor) Arrays() []Array { return slices.Clone(p.arrays) }

// took records memory for Arrays, and to be freed.
func (p *Processor) took(memory freer, name string, host bool, bytes int64) {
	p.freed = append(p.freed, memory)
	for i := range p.arrays {
		if a := &p.arrays[i]; a.Name == name && a.Host == host {
			a.Bytes += bytes
			return
		}
	}
	p.arrays = append(p.arrays, Array{Name: name, Host: host, Bytes: bytes})
}

// Launches returns the number of launches since Load by kernel name.
func (p *Processor) Launches() map[string]int64 { return maps.Clone(p.launches) }

// Load implements kernels.Processor.
func (p *Processor) Load(ctx context.Context, part *kernels.Part) (err error) {
	defer p.done("Load", &err)
	if err = p.load(ctx, part); err != nil {
		_ = p.free()
	}
	return err
}

func (p *Processor) load(ctx context.Context, part *kernels.Part) error {
	if part.Sources.Size+part.Targets.Size > 0 {
		return fmt.Errorf("gpu: %s has no grids: %w", p.name, kernels.ErrUnsupported)
	}
	p.places = newPlaces(part)
	if err := p.measure(part, int64(len(p.places))); err != nil {
		return err
	}
	var err error
	if p.stream, err = p.dev.NewStream(); err != nil {
		return err
	}
	p.freed = append(p.freed, p.stream)
	p.stream = metered{p.stream, &p.meter}
	if err := p.allocate(); err != nil {
		return err
	}
	p.sent = make([]uint32, p.part.Ranks/32)
	p.upload(p.vertexOf, 0, part.VertexOf)
	p.upload(p.placesOnDevice, 0, p.places)
	p.fill(p.rule, 0, p.rule.Size(), 0)
	for i := range p.chunks {
		c := &p.chunks[i]
		if err := cmp.Or(p.err, ctx.Err()); err != nil {
			return err
		}
		c.hub = c.hubWindow(int(p.part.Ranks / 32))
		if err := p.loadChunk(c); err != nil {
			return err
		}
	}
	err = p.warm(ctx)
	p.meter.reset()
	return err
}

// measure sets the sizes of a part, and cuts it into chunks.
func (p *Processor) measure(part *kernels.Part, placesWords int64) error {
	p.part, p.placesWords = part, placesWords
	for i, rg := range part.Ranges {
		p.largestRange = max(p.largestRange, words(rg))
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
	p.alone = !p.hasForeign && len(p.chunks) == 1
	return err
}

// cut divides own ranges into chunks and decides which memory holds each chunk's adjacency.
func (p *Processor) cut() error {
	room := int64(-1)
	switch {
	case p.options.Graph == OnHost:
		room = 0
	case p.options.Graph == Split && p.options.Memory > 0:
		room = p.options.Memory
		most := 0
		for _, i := range p.owned { // a range that is divided has one chunk more
			whole, err := cutRange(p.part.Subgraphs[i], i, 0, p.dev.Info().LargestAllocation, -1)
			if err != nil {
				return err
			}
			most += len(whole) + 1
		}
		for _, b := range p.searchBuffers(most) {
			room -= b.bytes
		}
		room = max(0, room)
	}
	base := uint32(0)
	for _, i := range p.owned {
		sub, rg := p.part.Subgraphs[i], p.part.Ranges[i]
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
		base += rg.Padded() - rg.First
	}
	pieces := uint32(0)
	for i := range p.chunks {
		p.chunks[i].pieces = pieces
		pieces += p.chunks[i].piecesOf()
	}
	p.ownPieces = int64(pieces)
	return nil
}

// searchBuffer is a device buffer that searches use.
type searchBuffer struct {
	name  string
	to    *device.Buffer
	bytes int64
}

// searchBuffers lists all buffers except the adjacency, for the given number of chunks.
func (p *Processor) searchBuffers(chunks int) []searchBuffer {
	words := int64(p.part.Ranks / 32)
	lists, pieces := 4*int64(max(p.ownPadded, 64)), 8*p.ownPieces
	return []searchBuffer{
		{"seen", &p.bitmaps[0], 4 * max(words, hubWords)},
		{"seen", &p.bitmaps[1], 4 * max(words, hubWords)},
		{"parents", &p.parent, 4 * int64(p.part.Ranks)},
		{"vertex_ids", &p.vertexOf, 4 * int64(p.part.Ranks)},
		{"places", &p.placesOnDevice, 4 * p.placesWords},
		{"finders", &p.finder, int64(p.ownPadded)},
		{"lists", &p.lists[0], lists},
		{"lists", &p.lists[1], lists},
		{"lists", &p.scratchA, lists},
		{"lists", &p.scratchB, lists},
		{"lists", &p.pieces[0], pieces},
		{"lists", &p.pieces[1], pieces},
		{"inbox", &p.inbox, 4 * int64(p.largestRange)},
		{"outbox", &p.outbox, 4 * words},
		{"outbox", &p.boxes, 4 * words},
		{"counters", &p.counters, 4 * int64(p.counterWords(chunks)+logWords)},
		{"counters", &p.rule, 4 * 2 * kernels.RuleSteps},
	}
}

// allocate makes all buffers and staging except the adjacency.
func (p *Processor) allocate() error {
	for _, want := range p.searchBuffers(len(p.chunks)) {
		*want.to = p.newBuffer(want.name, want.bytes)
	}
	if p.err != nil {
		return p.err
	}
	p.messages, p.messageWords = p.newStaging(8 * int64(p.part.Ranks/32))
	p.counterStaging, p.tally = p.newStaging(p.counters.Size())
	p.uploads, p.staged = p.newStaging(min(max(uploadsSmallest, 4*int64(p.largestRange)), uploadsLargest))
	return p.err
}

// newBuffer allocates device memory.
func (p *Processor) newBuffer(name string, bytes int64) (b device.Buffer) {
	if p.err != nil {
		return nil
	}
	if b, p.err = p.dev.NewBuffer(bytes); p.err == nil {
		p.took(b, name, false, bytes)
	}
	return b
}

// newWords makes an array of n words in the memory that holds the chunk's adjacency. set is
// that of write.
func (p *Processor) newWords(c *chunk, name string, n int64, set func(i int64, words []uint32)) (b device.Buffer) {
	if !c.host {
		b = p.newBuffer(name, 4*n)
		p.write(b, 0, n, set)
		return b
	}
	dev, is := p.dev.(device.HostReader)
	if !is {
		p.err = cmp.Or(p.err, ErrNotInPlace)
	}
	if p.err != nil {
		return nil
	}
	if b, p.err = dev.NewHostBuffer(4*n, func(memory []byte) { set(0, words32(memory)) }); p.err == nil {
		p.took(b, name, true, 4*n)
	}
	return b
}

// newStaging allocates host memory for copies, and returns its words too.
func (p *Processor) newStaging(bytes int64) (s device.Staging, words []uint32) {
	if p.err != nil {
		return nil, nil
	}
	if s, p.err = p.dev.NewStaging(max(bytes, 64)); p.err != nil {
		return nil, nil
	}
	p.took(s, "staging", true, bytes)
	return s, words32(s.Bytes())
}

// loadChunk uploads the adjacency of a chunk.
func (p *Processor) loadChunk(c *chunk) error {
	out, in := c.sub.Out, c.sub.In
	if out == nil && in == nil {
		return errors.New("a subgraph without arcs of either direction")
	}
	outNames, inNames := "out_", "in_"
	if in == out {
		outNames, inNames = "", ""
	}
	if out != nil {
		c.out = p.loadRows(c, out, outNames)
	}
	if c.in = c.out; in != nil && in != out {
		c.in = p.loadRows(c, in, inNames)
	}
	if in != nil { // a pull probes two neighbours
		c.in.first = p.newWords(c, inNames+"first_neighbours", int64(c.n), from(in.FirstNeighbours, int64(c.lo)))
		c.in.second = p.newWords(c, inNames+"second_neighbours", int64(c.n), func(at int64, words []uint32) {
			for k := range words {
				words[k] = graph.None
				if lo, hi := in.Row(c.lo + uint32(at) + uint32(k)); hi-lo > 1 {
					words[k] = in.Neighbours[lo+1]
				}
			}
		})
	}
	if out == nil {
		c.out = c.in
	}
	if in == nil { // arguments of a kernel that does not read them
		c.in = c.out
		c.in.first, c.in.second = c.out.offsets, c.out.offsets
	}
	return p.err
}

// loadRows uploads the chunk's offsets and neighbours of one direction. Array names begin
// with side.
func (p *Processor) loadRows(c *chunk, a *graph.Adjacency, side string) (r rows) {
	r.offsets = p.newWords(c, side+"offsets", int64(c.n)+1, func(at int64, words []uint32) {
		lo, _ := a.Row(c.lo)
		_, hi := a.Row(c.lo + c.n - 1)
		for k := range words {
			begin := hi
			if i := at + int64(k); i < int64(c.n) {
				begin, _ = a.Row(c.lo + uint32(i))
			}
			words[k] = uint32(begin - lo)
		}
	})
	r.neighbours = p.newWords(c, side+"neighbours", entriesOf(c.sub, a, c.lo, c.lo+c.n), func(at int64, words []uint32) {
		lo, _ := a.Row(c.lo)
		copy(words, a.Neighbours[int64(lo)+at:])
	})
	return r
}

// Close implements kernels.Processor.
func (p *Processor) Close() (err error) {
	defer p.done("Close", &err)
	return p.free()
}

// free frees everything in reverse order of allocation, and returns the first error: later ones follow
// from it.
func (p *Processor) free() error {
	errs := []error{p.drain()}
	for i := len(p.freed) - 1; i >= 0; i-- {
		errs = append(errs, p.freed[i].Free())
	}
	p.freed, p.stream = nil, nil
	clear(p.searches.kernels)
	p.modules, p.weighted = nil, nil
	p.arrays = nil
	return cmp.Or(errs...)
}

// words32 views driver memory as words.
func words32(data []byte) []uint32 {
	if len(data) < 4 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&data[0])), len(data)/4)
}

// Indices in the counters of a chunk and in the header of a slot: see slots.cl.
const (
	countVertices = iota
	countOut
	countIn
	countLargest
	countExamined
	countTurns
	countSmall
	countMedium
	countLong
	countLeft
	countsOfChunk

	headerWay   = 0
	headerWords = 4
)

// stride is the number of counters of a slot.
func (p *Processor) stride() int { return p.strideOf(len(p.chunks)) }

func (p *Processor) strideOf(chunks int) int { return headerWords + countsOfChunk*chunks }

// slotAt is the index of a slot's counters.
func (p *Processor) slotAt(slot uint32) int { return int(slot%slots) * p.stride() }

// chunkAt is the index of chunk i's counters in a slot.
func (p *Processor) chunkAt(slot uint32, i int) int {
	return p.slotAt(slot) + headerWords + countsOfChunk*i
}

// fewFound is the number of vertices of a new frontier that are read with the counters, for other processors.
const fewFound = 1024

func (p *Processor) fewMost() int {
	if p.hasForeign {
		return fewFound
	}
	return 0
}

// counterWords is the length of counters but for the log of thin: the slots, one a range, and the number
// of vertices listed by frontier_list, or by listRemote, with fewMost of the former.
func (p *Processor) counterWords(chunks int) int {
	return slots*p.strideOf(chunks) + len(p.part.Ranges) + 1 + p.fewMost()
}

func (p *Processor) rangeCounter(r int) int { return slots*p.stride() + r }

// seen is the bitmap of visited vertices, old the other one.
func (p *Processor) seen() device.Buffer { return p.bitmaps[p.flip] }
func (p *Processor) old() device.Buffer  { return p.bitmaps[1-p.flip] }

func (p *Processor) String() string { return fmt.Sprintf("partition on %s", p.name) }
