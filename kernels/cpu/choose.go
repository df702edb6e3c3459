package cpu

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
)

// ErrKernels is returned where a kernel or a set of kernels is unknown or cannot run here.
var ErrKernels = errors.New("cpu: no such kernels")

// kernelCount is the number of kernels that are chosen one by one.
const kernelCount = 6

// auto stands for the set that Choose finds.
const auto = "auto"

// kernelTable lists these kernels: take copies one of another set,
// sample is what Choose measures it on.
var kernelTable = [kernelCount]struct {
	name   string
	take   func(k, from *kernelSet)
	sample func(s *sample)
}{
	{"probe", func(k, from *kernelSet) { k.probe = from.probe }, sampleProbe},
	{"settle", func(k, from *kernelSet) { k.settle = from.settle }, sampleSettle},
	{"scan", func(k, from *kernelSet) { k.scan = from.scan }, sampleScan},
	{"spread", func(k, from *kernelSet) { k.spread = from.spread }, sampleSpread},
	{"fetch", func(k, from *kernelSet) { k.prefetch, k.prefetchLines = from.prefetch, from.prefetchLines }, sampleFetch},
	{"mapBack", func(k, from *kernelSet) { k.byVertex = from.byVertex }, sampleMapBack},
}

// choice is what is known of one kernel of kernelTable.
type choice struct {
	set   string             // in use
	auto  bool               // Choose may change set
	found string             // by Choose; "" where it has not measured
	ns    map[string]float64 // by set: see KernelTime
}

// Kernels lists the names of the sets that run on this processor, plain Go last.
func Kernels() []string {
	var names []string
	for _, s := range available() {
		names = append(names, s.name)
	}
	return names
}

// KernelNames lists the kernels that Use can choose one by one.
func KernelNames() []string {
	var names []string
	for _, k := range kernelTable {
		names = append(names, k.name)
	}
	return names
}

// Use chooses the kernels by name: "auto", one of Kernels, or a list such as
// "probe=generic,settle=avx2", whose other kernels are "auto". Those run what Choose has
// found, and in plain Go before it has measured them. It must not be called during a
// search; the error wraps ErrKernels.
func (p *Processor) Use(spec string) error {
	known, names := Kernels(), KernelNames()
	refuse := func(what string) error {
		return fmt.Errorf("%w: %q; this processor runs %s, for each of %s", ErrKernels, what, strings.Join(known, ", "), strings.Join(names, ", "))
	}
	all, list := cmp.Or(spec, auto), []string(nil)
	if strings.Contains(spec, "=") {
		all, list = auto, strings.Split(spec, ",")
	}
	sets := slices.Repeat([]string{all}, len(names))
	for _, part := range list {
		kernel, set, _ := strings.Cut(strings.TrimSpace(part), "=")
		i := slices.Index(names, kernel)
		if i < 0 {
			return refuse(part)
		}
		sets[i] = set
	}
	for _, set := range sets {
		if set != auto && !slices.Contains(known, set) {
			return refuse(set)
		}
	}
	for i, set := range sets {
		k := &p.kernels[i]
		if k.auto = set == auto; k.auto {
			set = cmp.Or(k.found, generic.name)
		}
		k.set = set
	}
	p.take()
	return nil
}

// take puts the chosen kernels in use.
func (p *Processor) take() {
	p.set = generic
	for i, k := range kernelTable {
		for _, s := range available() {
			if s.name == p.kernels[i].set {
				k.take(&p.set, &s)
			}
		}
	}
	p.names, p.probeName = wayNames, "words/"+p.kernels[0].set
	p.names[bucketedScatter] += "/" + p.kernels[1].set
	p.names[directScatter] += "/" + p.kernels[3].set
}

// KernelSet names the kernels in use: the set, where all are of one, else
// "probe=avx2,settle=…".
func (p *Processor) KernelSet() string {
	var list []string
	same := true
	for i, k := range p.kernels {
		list = append(list, kernelTable[i].name+"="+k.set)
		same = same && k.set == p.kernels[0].set
	}
	if same {
		return p.kernels[0].set
	}
	return strings.Join(list, ",")
}

// KernelTime is what Choose measured of one kernel: for each set the median time of runs
// over the same items, in nanoseconds an item.
type KernelTime struct {
	Kernel string             // one of probe, settle, scan, spread, fetch, mapBack
	Chosen string             // the set that runs
	Ns     map[string]float64 // by set; empty where nothing was measured
}

// KernelTimes lists the kernels in use, with what Choose measured.
func (p *Processor) KernelTimes() []KernelTime {
	var list []KernelTime
	for i, k := range p.kernels {
		list = append(list, KernelTime{Kernel: kernelTable[i].name, Chosen: k.set, Ns: k.ns})
	}
	return list
}

const (
	// chooseFrom is the number of ranks from which on kernels are measured: on a smaller
	// graph a search takes microseconds with any.
	chooseFrom = 1 << 15
	// tie is the part of plain Go's time above which another kernel does not replace it.
	tie = 0.95
)

// Choose measures the kernels that are "auto" and not measured yet, one by one on the
// loaded arrays, within about the given time, and takes for each the quickest set: plain Go
// unless another takes less than 95% of its time. On a small graph all stay in plain Go. It
// must not be called during a search, and leaves no trace in what a search reads. r is an open
// run of a search (kernels.IsTree); on others it does nothing.
func (p *Processor) Choose(r kernels.Run, budget time.Duration) {
	if p, is := r.(*search); is {
		p.chooseKernels(budget)
	}
}

func (p *search) chooseKernels(budget time.Duration) {
	var todo []int
	for i, k := range p.kernels {
		if k.auto && k.found == "" {
			todo = append(todo, i)
		}
	}
	s := p.newSample()
	if p.part.Ranks < chooseFrom || budget <= 0 || len(available()) < 2 || len(todo) == 0 || s == nil {
		return
	}
	// Every second bit of the first eighth of rank space: the first frontier of a bottom-up
	// phase is of vertices of high degree.
	for i := range p.front.bits[:p.words/8] {
		p.front.bits[i] = 0x5555555555555555
	}
	for _, i := range todo {
		s.items, s.before, s.after = 0, func(int) {}, func() {}
		if kernelTable[i].sample(s); s.items > 0 {
			p.measure(i, s, budget/time.Duration(len(todo)))
		}
	}
	p.take()
	clear(p.front.bits)
	clear(p.next.bits)
	clear(p.seen)
}

// measure clocks a kernel of each set in rounds, in which all run over the same piece of the
// arrays in turn: three rounds, and up to fifteen while the budget lasts. It takes the set
// with the least median of ratios to the time of plain Go, the last set; plain Go unless that
// is below tie.
func (p *search) measure(kernel int, s *sample, budget time.Duration) {
	sets := available()
	ns, ratios := make([][]float64, len(sets)), make([][]float64, len(sets))
	begun, call := time.Now(), 0
	for round := 0; round < 3 || round < 15 && time.Since(begun) < budget; round++ {
		took := make([]float64, len(sets))
		for k := -1; k < len(sets); k++ {
			// The first run of a piece finds cold lines, or none: its time is overwritten.
			set := (max(0, k) + round) % len(sets)
			s.before(round)
			call++
			took[set] = float64(p.clock(kernelTable[kernel].name, sets[set].name, func() { s.run(&sets[set], round, call) }).Nanoseconds())
		}
		for k, t := range took {
			ns[k] = append(ns[k], t/float64(s.items))
			ratios[k] = append(ratios[k], t/max(1, took[len(sets)-1]))
		}
	}
	s.after()
	c := &p.kernels[kernel]
	c.found, c.ns = generic.name, map[string]float64{}
	least := tie
	for k, set := range sets {
		c.ns[set.name] = median(ns[k])
		if ratio := median(ratios[k]); ratio < least {
			c.found, least = set.name, ratio
		}
	}
	c.set = c.found
}

// clocked is the time that run takes by the machine's clock.
func clocked(_, _ string, run func()) time.Duration {
	start := time.Now()
	run()
	return time.Since(start)
}

// median sorts the list, and returns the value in its middle.
func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

const (
	// sampleWords is the number of words of a range that a run covers.
	sampleWords = chunkWords / 2
	// sampleRows is the number of rows that a run reads.
	sampleRows = 128
	// sampleArcs bounds the entries of these rows.
	sampleArcs = 1 << 11
)

// sample is what a kernel is measured on: a part of the largest own range.
type sample struct {
	*search
	o    *ownRange
	w    *worker
	a    *graph.Adjacency // arcs of the range, out-arcs if there are any
	rows [][]uint32       // from its middle: neither hubs nor leaves
	arcs int              // of rows

	items  int             // of a run; 0: the kernel is not measured
	before func(round int) // each run, unclocked
	run    func(k *kernelSet, round, call int)
	after  func() // all runs
}

// newSample is a sample without a kernel; nil where no own range has enough rows.
func (p *search) newSample() *sample {
	s := &sample{search: p, w: &p.workers[0]}
	for i := range p.own {
		if o := &p.own[i]; s.o == nil || o.sub.Rows > s.o.sub.Rows {
			s.o = o
		}
	}
	if s.o == nil || s.o.sub.Rows < 64*sampleWords {
		return nil
	}
	if s.a = s.o.sub.Out; s.a == nil {
		s.a = s.o.sub.In
	}
	if s.a == nil {
		return s
	}
	for i := s.o.sub.Rows / 4; i < s.o.sub.Rows && len(s.rows) < sampleRows && s.arcs < sampleArcs; i++ {
		lo, hi := s.a.Row(i)
		s.rows = append(s.rows, s.a.Neighbours[lo:hi])
		s.arcs += int(hi - lo)
	}
	return s
}

// piece is the first word of a round's piece of the range: pieces lie all over it.
func (s *sample) piece(round int) int {
	return round * 7919 * sampleWords % (int(s.o.sub.Rows)/64 - sampleWords + 1)
}

// clean empties the entries of scatter at ranks that a run has written to.
func (s *sample) clean(ranks []uint32) {
	for _, v := range ranks {
		s.scatter[v] = graph.None
	}
}

func sampleProbe(s *sample) {
	if s.o.sub.In == nil {
		return
	}
	s.items = 64 * sampleWords
	s.before = func(round int) {
		from := int(s.o.sub.First/64) + s.piece(round)
		clear(s.seen[from : from+sampleWords])
	}
	s.run = func(k *kernelSet, round, _ int) {
		k.probe(s.blockOf(s.w, s.o, s.piece(round), s.piece(round)+sampleWords))
	}
}

func sampleSettle(s *sample) {
	s.items = 64 * sampleWords
	s.before = func(round int) {
		from := int(s.o.sub.First/64) + s.piece(round)
		clear(s.seen[from : from+sampleWords])
		for i := range 32 * sampleWords { // half of the entries, in no pattern
			s.scatter[64*from+i*2654435761%(64*sampleWords)] = uint32(i)
		}
	}
	s.run = func(k *kernelSet, round, _ int) {
		from := int(s.o.sub.First/64) + s.piece(round)
		to := from + sampleWords
		k.settle(s.scatter[64*from:64*to], s.seen[from:to], s.next.bits[from:to], s.parent[64*from:64*to])
	}
}

func sampleScan(s *sample) {
	s.items = s.arcs
	none := make([]uint64, len(s.front.bits)) // each row is read to its end
	s.run = func(k *kernelSet, _, _ int) {
		for _, row := range s.rows {
			k.scan(row, none)
		}
	}
}

// sampleSpread compares with sorting by target, which plain Go does instead on several
// threads.
func sampleSpread(s *sample) {
	s.items = s.arcs
	s.after = func() {
		for _, row := range s.rows {
			s.clean(row)
		}
	}
	s.run = func(k *kernelSet, _, _ int) {
		spread := k.spread
		if spread == nil && s.threads == 1 {
			spread = spreadGeneric
		}
		if spread != nil {
			for i, row := range s.rows {
				spread(row, 1, s.scatter, s.rows[(i+spreadAhead)%len(s.rows)])
			}
			return
		}
		s.way, s.shift = bucketedScatter, bucketShift
		for _, row := range s.rows {
			s.sort(s.w, row, s.o.sub.First)
		}
		for b := range s.w.buckets {
			scatterArcs(s.scatter, s.w.buckets[b])
			s.w.buckets[b] = s.w.buckets[b][:0]
		}
		s.w.sorted = 0
	}
}

func sampleFetch(s *sample) {
	if s.a == nil || s.a.Offsets32 == nil || s.o.sub.Rows < 1<<12 { // rows of all rounds are other ones
		return
	}
	s.items = sampleRows
	s.run = func(k *kernelSet, _, call int) {
		list := s.w.rest[:0]
		for i := range uint32(sampleRows) {
			// Rows in no order, others each time: those just read are in the cache.
			list = append(list, (i+uint32(call)*sampleRows)*2654435761%s.o.sub.Rows)
		}
		for batch := range slices.Chunk(list, takeVertices) {
			k.prefetch(batch, s.a.Offsets32, s.a.Neighbours)
			for _, i := range batch {
				for _, v := range s.a.Neighbours[s.a.Offsets32[i]:min(s.a.Offsets32[i]+16, s.a.Offsets32[i+1])] {
					s.w.sum += v // keeps the loop
				}
			}
		}
	}
}

// sampleMapBack maps the parents of a run of ranks to a result as large as rank space, or
// those of a run of vertices that holds as many ranks in the mean.
func sampleMapBack(s *sample) {
	const n = 64 * sampleWords
	s.items = n
	vertices := len(s.part.RankOf)
	ids := min(vertices, int(n*int64(vertices)/max(1, s.vertices)))
	out := make([]uint32, ids)
	seen := slices.Repeat([]uint64{math.MaxUint64}, sampleWords)
	first := int(s.o.sub.First) + 64*s.piece(1)
	targets := slices.Clone(s.part.VertexOf[first : first+n])
	for i := range targets {
		targets[i] %= s.part.Ranks
	}
	s.after = func() { s.clean(targets) }
	s.run = func(k *kernelSet, round, _ int) {
		if k.byVertex != nil && s.rangeOf == nil {
			from := round * 7919 * 64 % (vertices - ids + 1)
			k.byVertex(out, s.part.RankOf[from:from+ids], s.parent)
			return
		}
		byRank(s.scatter, targets, s.parent[first:first+n], seen)
	}
}
