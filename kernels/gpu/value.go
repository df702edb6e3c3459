package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unsafe"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/program"
)

// valueRun is a run of a program with values on a device. It shares the adjacency, the streams and
// the staging with the processor's search. Arrays and bitmaps are over all ranks: foreign entries
// are what Take brought, or what a push brings to others.
type valueRun struct {
	*Processor
	prog      *program.Program
	memory    []device.Buffer
	arrays    []device.Buffer
	operators []operator
	vertices  []*module
	locals    []*module
	sets      [6]*module // by type of values: kernels of value_set.cl
	least     int        // array of Counts.Least, or −1

	// Sets of vertices. front has the frontier, and between Take and Advance foreign sources of it;
	// active and over are the sets From and Over of a step that are stored ones.
	front, next, seen, active, over, mine device.Buffer
	list                                  device.Buffer // the frontier by chunk, as shapes say
	state                                 device.Buffer // 8 bytes of the least value, and counters
	totals, outList, outValues            device.Buffer // of messages
	inList, inValues                      device.Buffer
	snapshot                              device.Buffer // From before a step that writes it
	sums                                  device.Buffer // of blocks

	need           kernels.Need
	shapes         []frontierShape // by chunk
	seenAll        int64           // visited own vertices, and their in-arcs
	seenArcs       int64
	kept           map[program.Set][]uint32 // ranks, rising
	identity       []uint8                  // by array: 1 + the combination whose identity foreign entries are, else 0
	usesActive     bool
	unlisted       bool      // list and shapes are not the frontier's
	op             *operator // of the step since the last Advance
	step           program.Step
	boxes          []box // by range
	wholes         [][]uint32
	words, counted []uint32 // scratch
}

// box is the memory of a range's message.
type box struct {
	list, bits []uint32
	values     any
}

// operator is an edge operator, compiled.
type operator struct {
	*program.EdgeOp
	kernels *module
	value   program.Type  // of T in value_edge.cl
	to      device.Buffer // a buffer that is not used where there is none
	from    device.Buffer
	known   device.Buffer
	before  bool // a step reads From of before it
	weights [2][]device.Buffer
}

const (
	// inboxEntries bounds the entries of a message that are taken at once.
	inboxEntries = 1 << 18
	// nearRounds is the most rounds of a push with a bound that one wait is for.
	nearRounds = 16
	// countsOfSet is the counters of value_list, by chunk: vertices, out-arcs, in-arcs, largest out-degree.
	countsOfSet = 4
	// blockWords is the 5 doubles of a block: four sums and a minimum.
	blockSums = 5
)

// Counters of state, in words: the least value, a message's count, the sets of chunks, then by round the
// near vertices of chunks.
const messageCount, setCounts = 2, 3

func (r *valueRun) nearCount(round, chunk int) uint32 {
	return uint32(setCounts + countsOfSet*len(r.chunks) + round*len(r.chunks) + chunk)
}

// fits returns why a device cannot run a program, "" if it can.
func (p *Processor) fits(prog *program.Program) string {
	info := p.dev.Info()
	if !info.Compiler {
		return "programs other than searches need a compiler of kernels, which its driver lacks"
	}
	for _, a := range prog.Arrays {
		switch {
		case a.Type == program.F64 && !info.FP64:
			return fmt.Sprintf("array %q: the device has no doubles", a.Name)
		case a.Type.Size() == 8 && !info.Int64Atomics:
			return fmt.Sprintf("array %q: the device has no atomics of 64 bits", a.Name)
		}
	}
	for i := range prog.Edges {
		switch e := &prog.Edges[i]; {
		case e.Rows != nil && e.Device == "":
			return fmt.Sprintf("edge operator %q has no source for devices", e.Name)
		case e.Rows != nil && e.WholeRows:
			return fmt.Sprintf("edge operator %q takes whole rows", e.Name)
		case e.To < 0:
			return fmt.Sprintf("edge operator %q has no array for its parents", e.Name)
		}
	}
	for i := range prog.Vertices {
		switch v := &prog.Vertices[i]; {
		case v.Device == "":
			return fmt.Sprintf("vertex operator %q has no source for devices", v.Name)
		case !info.FP64 && sums.MatchString(v.Device):
			return fmt.Sprintf("vertex operator %q: the device has no doubles", v.Name)
		}
	}
	for i := range prog.Locals {
		if prog.Locals[i].Device == "" {
			return fmt.Sprintf("local operator %q has no source for devices", prog.Locals[i].Name)
		}
	}
	return ""
}

// sums finds the parts of a vertex operator that need doubles.
var sums = regexp.MustCompile(`\b(SUM|MIN|ARG)\(`)

// identifier is a name that can be a parameter of a kernel.
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z_0-9]*$`)

// typeNames are the dialect's names of types.
var typeNames = [...]string{"uint", "int", "u64", "i64", "float", "double"}

// buffers lists the memory of a run of a program.
func (r *valueRun) buffers(prog *program.Program) (list []searchBuffer) {
	ranks, largest := int64(r.part.Ranks), int64(0)
	add := func(name string, to *device.Buffer, bytes int64) { list = append(list, searchBuffer{name, to, bytes}) }
	r.arrays = make([]device.Buffer, len(prog.Arrays))
	for i, a := range prog.Arrays {
		add(a.Name, &r.arrays[i], int64(a.Type.Size())*ranks)
		largest = max(largest, int64(a.Type.Size()))
	}
	before := int64(0)
	for i := range prog.Edges {
		if e := &prog.Edges[i]; readsBefore(e) {
			before = max(before, int64(prog.Arrays[e.From].Type.Size()))
		}
	}
	for _, set := range []*device.Buffer{&r.front, &r.next, &r.seen, &r.active, &r.over, &r.mine} {
		add("set", set, ranks/8)
	}
	inbox := min(32*int64(r.largestRange), inboxEntries)
	add("list", &r.list, 4*int64(r.ownPadded))
	add("state", &r.state, 4*int64(r.nearCount(nearRounds+1, 0)))
	add("totals", &r.totals, 4*(int64(r.largestRange)/int64(r.program.group)+1))
	add("outbox", &r.outList, 4*int64(r.largestRange))
	add("outbox", &r.outValues, largest*32*int64(r.largestRange))
	add("inbox", &r.inList, 4*inbox)
	add("inbox", &r.inValues, largest*inbox)
	add("before", &r.snapshot, before*ranks)
	blocks := 32*int64(r.largestRange)/program.BlockVertices + 1
	add("sums", &r.sums, 8*blockSums*blocks)
	return list
}

// readsBefore reports an operator that reads From of before a step that writes it.
func readsBefore(e *program.EdgeOp) bool {
	return e.From >= 0 && e.From == e.To && (e.Rows != nil || e.Combine != program.Min && e.Combine != program.Or)
}

// valueBytes is RunBytes of a program that is no search.
func (p *Processor) valueBytes(prog *program.Program) (sum int64) {
	r := &valueRun{Processor: p}
	for _, b := range r.buffers(prog) {
		sum += max(4, b.bytes)
	}
	counted := map[weightKey]bool{}
	for i := range prog.Edges {
		for side := range 2 {
			if t, weighted := weighs(prog, &prog.Edges[i]); weighted {
				key := p.weightKey(side, t)
				if _, is := p.weighted[key]; !is && !counted[key] {
					sum += p.weightBytes(key)
				}
				counted[key] = true
			}
		}
	}
	return sum
}

// weighs returns the type of the weights that an operator reads, if it does.
func weighs(prog *program.Program, o *program.EdgeOp) (program.Type, bool) {
	switch {
	case o.To < 0: // no operator of devices
		return 0, false
	case o.Rows == nil && (o.Map == program.Tight || o.Map == program.TightLow):
		return prog.Arrays[o.From].Type, true
	}
	return prog.Arrays[o.To].Type, o.Rows != nil || o.Map == program.Plus
}

// Runs returns why the device cannot run a program: an error that wraps kernels.ErrUnsupported.
func (p *Processor) Runs(prog *program.Program) error {
	if reason := p.fits(prog); !kernels.IsTree(prog) && reason != "" {
		return fmt.Errorf("gpu: %s: %s: %w", p.name, reason, kernels.ErrUnsupported)
	}
	return nil
}

// openValues opens a program that is no search.
func (p *Processor) openValues(ctx context.Context, prog *program.Program) (_ kernels.Run, err error) {
	if err := p.Runs(prog); err != nil {
		return nil, err
	}
	r := &valueRun{Processor: p, prog: prog, least: prog.LeastArray(), shapes: make([]frontierShape, len(p.chunks)),
		boxes: make([]box, len(p.part.Ranges)), wholes: make([][]uint32, len(prog.Arrays)), identity: make([]uint8, len(prog.Arrays))}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	defer p.done("Open", &err)
	for _, b := range r.buffers(prog) {
		if *b.to, err = p.dev.NewBuffer(max(4, b.bytes)); err != nil {
			return nil, err
		}
		r.memory = append(r.memory, *b.to)
	}
	if err := errors.Join(r.build(), ctx.Err()); err != nil {
		return nil, err
	}
	p.write(r.mine, 0, int64(p.part.Ranks/32), func(at int64, words []uint32) {
		for k := range words {
			words[k] = p.ownWord(uint32(at) + uint32(k))
		}
	})
	return r, r.Begin(0)
}

// ownWord has the bits of own vertices of a word of ranks.
func (p *Processor) ownWord(word uint32) (bits uint32) {
	for _, i := range p.owned {
		if rg := p.part.Ranges[i]; 32*word >= rg.First && 32*word < rg.First+rg.Vertices {
			if left := rg.First + rg.Vertices - 32*word; left < 32 {
				return 1<<left - 1
			}
			return math.MaxUint32
		}
	}
	return 0
}

// build compiles the operators.
func (r *valueRun) build() (err error) {
	p := r.Processor
	for _, a := range r.prog.Arrays {
		if err := r.buildSet(a.Type); err != nil {
			return err
		}
	}
	if err := r.buildSet(program.U32); err != nil {
		return err
	}
	for i := range r.prog.Edges {
		o := operator{EdgeOp: &r.prog.Edges[i], to: r.state, from: r.state, known: r.state}
		if err := r.buildEdge(&o); err != nil {
			return err
		}
		r.operators = append(r.operators, o)
	}
	for i := range r.prog.Vertices {
		v := &r.prog.Vertices[i]
		head, defines := "FN void vertex(uint v, uint i, uint* t_stays, ", []string{fmt.Sprintf("-DBLOCK=%d", program.BlockVertices)}
		if sums.MatchString(v.Device) {
			head += "double t_arg0, double t_arg1, double t_arg2, double t_arg3, double* t_sums, "
			defines = append(defines, "-DSUMS")
		}
		macros := "#define DROP (*t_stays = 0)\n#define ARG(k) t_arg##k\n" +
			"#define SUM(k,x) (t_sums[k] += (x))\n#define MIN(x) (t_sums[4] = (x) < t_sums[4] ? (x) : t_sums[4])\n"
		m, err := p.build("vertex", macros+r.function(head, v.Device)+r.names(), defines...)
		if err != nil {
			return fmt.Errorf("vertex operator %q: %w", v.Name, err)
		}
		r.vertices = append(r.vertices, m)
	}
	for i := range r.prog.Locals {
		l := &r.prog.Locals[i]
		m, err := p.build("local", r.function("FN void arc(uint u, uint v, uint k, ", l.Device)+r.function("FN void rank(uint v, ", l.DeviceRanks)+r.names())
		if err != nil {
			return fmt.Errorf("local operator %q: %w", l.Name, err)
		}
		r.locals = append(r.locals, m)
	}
	return nil
}

// function returns a user's fragment as a function whose parameters end with the arrays, by name or by number.
func (r *valueRun) function(head, body string) string {
	var list []string
	for i, a := range r.prog.Arrays {
		name := a.Name
		if !identifier.MatchString(name) {
			name = fmt.Sprint("t_", i)
		}
		list = append(list, fmt.Sprintf("GLB %s* %s", typeNames[a.Type], name))
	}
	return fmt.Sprintf("%s%s) {\n%s\n}\n", head, strings.Join(list, ", "), body)
}

// names defines the arrays as parameters of a kernel.
func (r *valueRun) names() string {
	var typed, names []string
	for i, a := range r.prog.Arrays {
		names = append(names, fmt.Sprint("t_", i))
		typed = append(typed, fmt.Sprintf("GLB %s* t_%d", typeNames[a.Type], i))
	}
	return fmt.Sprintf("#define ARRAYS %s\n#define NAMES %s\n", strings.Join(typed, ", "), strings.Join(names, ", "))
}

// buildSet builds the kernels of a type of values.
func (r *valueRun) buildSet(t program.Type) (err error) {
	if r.sets[t] != nil {
		return nil
	}
	defines := []string{fmt.Sprintf("-DTYPE=%d", t)}
	if r.leastType() == t && r.least >= 0 {
		defines = append(defines, "-DLEAST")
	}
	r.sets[t], err = r.Processor.build("set", "", defines...)
	return err
}

// leastType is the type of Counts.Least.
func (r *valueRun) leastType() program.Type {
	if r.least < 0 {
		return program.U32
	}
	return r.prog.Arrays[r.least].Type
}

// buildEdge builds the kernels of an edge operator, and uploads the weights that it reads.
func (r *valueRun) buildEdge(o *operator) (err error) {
	o.to, o.before = r.arrays[o.To], readsBefore(o.EdgeOp)
	mapping, combining, weighted := int(o.Map), int(o.Combine), false
	o.value, weighted = weighs(r.prog, o.EdgeOp)
	if o.From >= 0 {
		o.from = r.arrays[o.From]
	}
	var defines []string
	if o.Rows != nil {
		mapping, combining = 6, 4
		if o.From >= 0 {
			defines = append(defines, "-DVALUED")
		}
	}
	if weighted {
		for side := range o.weights {
			if o.weights[side], err = r.weights(side, o.value); err != nil {
				return fmt.Errorf("edge operator %q: %w", o.Name, err)
			}
			if o.weights[side] != nil && len(defines) < 2 {
				defines = append(defines, "-DWEIGHTED")
			}
		}
	}
	if o.Known > 0 {
		o.known = r.arrays[o.Known-1]
		defines = append(defines, "-DKNOWN")
	}
	if o.Once {
		defines = append(defines, "-DONCE")
	}
	if o.From >= 0 && o.From == o.To && !o.before {
		defines = append(defines, "-DSELF")
	}
	if r.prog.Widens(o.EdgeOp) {
		defines = append(defines, "-DWIDENS")
	}
	defines = append([]string{fmt.Sprintf("-DTYPE=%d", o.value), fmt.Sprintf("-DMAPPING=%d", mapping), fmt.Sprintf("-DCOMBINING=%d", combining)},
		slices.Compact(defines)...)
	if o.kernels, err = r.Processor.build("edge", o.Device, defines...); err != nil {
		err = fmt.Errorf("edge operator %q: %w", o.Name, err)
	}
	return err
}

// passes are the rows that a step of the operator walks over: 0 is those of out-arcs.
func (r *valueRun) passes(o *operator, way program.Way) []int {
	switch along := int(way); {
	case !r.part.Directed || o.Arcs == program.Forward:
		return []int{along}
	case o.Arcs == program.Backward:
		return []int{1 - along}
	}
	return []int{0, 1}
}

// rows is the adjacency of a chunk, of out- or in-arcs.
func (c *chunk) rows(side int) *rows {
	if side == 0 {
		return &c.out
	}
	return &c.in
}

// Begin implements kernels.Run.
func (r *valueRun) Begin(need kernels.Need) (err error) {
	defer r.done("Begin", &err)
	if err := r.drain(); err != nil {
		return err
	}
	r.need, r.kept, r.op, r.usesActive, r.unlisted, r.seenAll, r.seenArcs = need, map[program.Set][]uint32{}, nil, false, false, 0, 0
	clear(r.shapes)
	clear(r.identity)
	for _, b := range []device.Buffer{r.front, r.next, r.seen, r.active} {
		r.fill(b, 0, b.Size(), 0)
	}
	for i, a := range r.prog.Arrays {
		switch b := r.arrays[i]; a.Init {
		case program.Zero:
			r.fill(b, 0, b.Size(), 0)
		case program.None:
			r.fill(b, 0, b.Size(), math.MaxUint32)
		case program.Top:
			r.setAll(a.Type, b, 0, r.part.Ranks, program.TopOf(a.Type))
		default:
			identified := uint32(0)
			if a.Init == program.ID {
				identified = 1
			}
			r.start(r.sets[program.U32], "value_number", int64(r.part.Ranks), buf(b, r.vertexOf).u32(r.part.Ranks, identified))
		}
	}
	return r.finish()
}

// setAll sets n entries of an array.
func (r *valueRun) setAll(t program.Type, b device.Buffer, at, n uint32, x program.Bits) {
	r.start(r.sets[t], "value_fill", int64(n), buf(b).u32(at, n).u64(uint64(x)))
}

// Seed implements kernels.Run.
func (r *valueRun) Seed(rank uint32, array int, value program.Bits) (err error) {
	defer r.done("Seed", &err)
	for i := range r.chunks {
		c := &r.chunks[i]
		if rank < c.rank() || rank-c.rank() >= c.n {
			continue
		}
		if !r.set(r.seen, rank) {
			r.seenAll++
			if c.sub.In != nil {
				r.seenArcs += int64(c.sub.In.Degree(rank - c.sub.First))
			}
		}
		r.set(r.front, rank)
		r.unlisted = true
		if array >= 0 {
			size := int64(r.prog.Arrays[array].Type.Size())
			for at := int64(0); at < size; at += 4 {
				r.fill(r.arrays[array], int64(rank)*size+at, 4, uint32(value>>(8*at)))
			}
		}
		return r.finish()
	}
	return fmt.Errorf("rank %d is no own vertex", rank)
}

// set sets a bit and returns what it was.
func (r *valueRun) set(b device.Buffer, rank uint32) (was bool) {
	word := uint32(0)
	_ = r.download(b, int64(rank/32), 1, func(words []uint32) { word = words[0] }) // the caller sees p.err
	was = word>>(rank%32)&1 != 0
	r.fill(b, 4*int64(rank/32), 4, word|1<<(rank%32))
	return was
}

// count lists the frontier and returns its counts.
func (r *valueRun) count() (k kernels.Counts, err error) {
	if err := r.listSet(r.front); err != nil {
		return k, err
	}
	r.unlisted = false
	k.Least = program.TopOf(r.leastType())
	if r.least >= 0 {
		if k.Least = program.Bits(r.counted[0]); r.leastType().Size() == 8 {
			k.Least |= program.Bits(r.counted[1]) << 32
		}
	}
	for i := range r.shapes {
		k.Next += r.shapes[i].vertices
		k.NextArcs += r.shapes[i].arcs
	}
	k.Unvisited, k.UnvisitedArcs = r.ownVertices-r.seenAll, r.ownInArcs-r.seenArcs
	return k, nil
}

// listSet lists own vertices of a set; shapes and counted get its counts.
func (r *valueRun) listSet(set device.Buffer) error {
	t := r.leastType()
	n := int64(setCounts + countsOfSet*len(r.chunks))
	r.fill(r.state, 0, 4*n, 0)
	of := r.state
	if r.least >= 0 {
		of = r.arrays[r.least]
		for at := int64(0); at < int64(t.Size()); at += 4 {
			r.fill(r.state, at, 4, uint32(program.TopOf(t)>>(8*at)))
		}
	}
	for i := range r.chunks {
		c := &r.chunks[i]
		r.start(r.sets[t], "value_list", int64(c.n+31)/32, buf(set).u32(c.rank(), c.n).buf(c.out.offsets, c.in.offsets, r.list).u32(c.base).
			buf(r.state).u32(uint32(setCounts+countsOfSet*i)).buf(of, r.state))
	}
	r.counted = r.counted[:0]
	err := r.download(r.state, 0, n, func(words []uint32) { r.counted = append(r.counted, words...) })
	if err != nil {
		return err
	}
	for i := range r.shapes {
		k := r.counted[setCounts+countsOfSet*i:]
		r.shapes[i] = frontierShape{vertices: int64(k[0]), arcs: int64(k[1])}
	}
	return nil
}

// inArcs is the in-arcs of the set that was listed.
func (r *valueRun) inArcs() (n int64) {
	for i := range r.chunks {
		n += int64(r.counted[setCounts+countsOfSet*i+2])
	}
	return n
}

// Whole implements kernels.Run: the array is a copy in host memory, of this run.
func (r *valueRun) Whole(array int) (_ []uint32, err error) {
	defer r.done("Whole", &err)
	if array < 0 || array >= len(r.prog.Arrays) || r.prog.Arrays[array].Type != program.U32 {
		return nil, fmt.Errorf("there is no array %d of type U32", array)
	}
	whole := r.wholes[array][:0]
	err = r.download(r.arrays[array], 0, int64(r.part.Ranks), func(words []uint32) { whole = append(whole, words...) })
	r.wholes[array] = whole
	return whole, err
}

// Read implements kernels.Run.
func (r *valueRun) Read(array int, out any) (err error) {
	defer r.done("Read", &err)
	if array < 0 || array >= len(r.prog.Arrays) {
		return fmt.Errorf("there is no array %d", array)
	}
	return valueTypes[r.prog.Arrays[array].Type].read(r, array, out)
}

func read[T program.Value](r *valueRun, array int, out any) error {
	to, is := out.([]T)
	if a := r.prog.Arrays[array]; !is || len(to) < len(r.part.RankOf) {
		return fmt.Errorf("array %q is a []%v by vertex, not %T", a.Name, a.Type, out)
	}
	size, ids := int64(unsafe.Sizeof(to[0]))/4, r.part.VertexOf
	for _, i := range r.owned {
		rg := r.part.Ranges[i]
		rank := int64(rg.First)
		err := r.download(r.arrays[array], size*rank, size*int64(rg.Vertices), func(words []uint32) {
			for _, v := range valuesOf[T](words) {
				if r.prog.Arrays[array].Ranks {
					of := uint32(v)
					if v = T(program.Largest[uint32]()); of < r.part.Ranks {
						v = T(ids[of])
					}
				}
				to[ids[rank]] = v
				rank++
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// valuesOf views words as values.
func valuesOf[T program.Value](words []uint32) []T {
	if len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&words[0])), len(words)*4/int(unsafe.Sizeof(*new(T))))
}

// Close implements kernels.Run.
func (r *valueRun) Close() (err error) {
	defer r.done("Close", &err)
	errs := []error{r.drain()}
	for _, b := range slices.Backward(r.memory) {
		errs = append(errs, b.Free())
	}
	r.memory = nil
	return errors.Join(errs...)
}
