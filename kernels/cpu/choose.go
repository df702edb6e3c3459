package cpu

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/totemgo/totemgo/graph"
)

// ErrKernels is returned where a kernel or a set of kernels is unknown or cannot run here.
var ErrKernels = errors.New("cpu: no such kernels")

// kernelNames are the kernels that are chosen one by one.
var kernelNames = []string{"probe", "settle", "scan", "spread", "fetch", "mapBack"}

// take copies one kernel of another set.
func (k *kernelSet) take(kernel string, from *kernelSet) {
	switch kernel {
	case "probe":
		k.probe = from.probe
	case "settle":
		k.settle = from.settle
	case "scan":
		k.scan = from.scan
	case "spread":
		k.spread = from.spread
	case "fetch":
		k.prefetch = from.prefetch
	case "mapBack":
		k.byVertex = from.byVertex
	}
}

// choice says which set each of kernelNames is of.
type choice [6]string

// String is the name of the set, where all kernels are of one, else "probe=avx2,settle=…".
func (c choice) String() string {
	if same := slices.Repeat(c[:1], len(c)); slices.Equal(same, c[:]) {
		return c[0]
	}
	var list []string
	for i, set := range c {
		list = append(list, kernelNames[i]+"="+set)
	}
	return strings.Join(list, ",")
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
func KernelNames() []string { return slices.Clone(kernelNames) }

// parseKernels reads "auto", the name of a set or a list such as "probe=generic,scan=avx2".
// What it does not name is of plain Go until Choose measures it; auto says for which
// kernels that is.
func parseKernels(spec string) (c choice, auto [6]bool, err error) {
	known := Kernels()
	refuse := func(what string) error {
		return fmt.Errorf("%w: %q; this processor runs %s, for each of %s", ErrKernels, what, strings.Join(known, ", "), strings.Join(kernelNames, ", "))
	}
	for i := range c {
		c[i], auto[i] = generic.name, spec == "" || spec == "auto" || strings.Contains(spec, "=")
		if slices.Contains(known, spec) {
			c[i] = spec
		}
	}
	if auto[0] && !strings.Contains(spec, "=") || slices.Contains(known, spec) {
		return c, auto, nil
	}
	for _, part := range strings.Split(spec, ",") {
		kernel, set, _ := strings.Cut(strings.TrimSpace(part), "=")
		i := slices.Index(kernelNames, kernel)
		if i < 0 || set != "auto" && !slices.Contains(known, set) {
			return c, auto, refuse(part)
		}
		if auto[i] = set == "auto"; !auto[i] {
			c[i] = set
		}
	}
	return c, auto, nil
}

// Use chooses the kernels by name: "auto", one of Kernels, or a list such as
// "probe=generic,settle=avx2", whose other kernels are "auto". Those run what Choose has
// found, and in plain Go before it has measured them. It must not be called during a
// search; the error wraps ErrKernels.
func (p *Processor) Use(spec string) error {
	c, auto, err := parseKernels(spec)
	if err != nil {
		return err
	}
	for i, set := range p.found {
		if auto[i] && set != "" {
			c[i] = set
		}
	}
	p.auto, p.choice = auto, c
	p.take()
	return nil
}

// take puts the chosen kernels in use.
func (p *Processor) take() {
	p.set = p.choice.set()
	for w := range p.wayNames {
		p.wayNames[w] = way(w).String()
	}
	p.probeName = "words/" + p.choice[0]
	p.wayNames[rangeScatter] += "/" + p.choice[1]
	p.wayNames[bucketedScatter] += "/" + p.choice[1]
	p.wayNames[directScatter] += "/" + p.choice[3]
}

// set has the kernels of the choice.
func (c choice) set() kernelSet {
	k := generic
	for i, name := range c {
		for _, s := range available() {
			if s.name == name {
				k.take(kernelNames[i], &s)
			}
		}
	}
	return k
}

// KernelSet names the kernels in use: a set, or the set of each kernel.
func (p *Processor) KernelSet() string { return p.choice.String() }

// KernelTime is what Choose measured of one kernel: for each set the median time of runs
// over the same items, in nanoseconds an item.
type KernelTime struct {
	Kernel string             // one of probe, settle, scan, spread, fetch, mapBack
	Chosen string             // the set that runs
	Ns     map[string]float64 // by set; empty where nothing was measured
}

// KernelTimes lists the kernels in use, with what Choose measured.
func (p *Processor) KernelTimes() []KernelTime {
	list := make([]KernelTime, len(kernelNames))
	for i, name := range kernelNames {
		list[i] = KernelTime{Kernel: name, Chosen: p.choice[i], Ns: p.measured[i]}
	}
	return list
}

// chooseFrom is the number of ranks from which on kernels are measured: on a smaller graph a
// search takes microseconds with any.
const chooseFrom = 1 << 15

// tie is the part of plain Go's time above which another kernel does not replace it.
const tie = 0.95

// Choose measures the kernels that are "auto" and not measured yet, one by one on the
// loaded arrays, within about the given time, and takes for each the quickest set: plain Go
// unless another takes less than 95% of its time. On a small graph all stay in plain Go. It
// must be called after Load and not during a search, and leaves no trace in what a search
// reads.
func (p *Processor) Choose(budget time.Duration) {
	if p.part.Ranks < chooseFrom || budget <= 0 {
		return
	}
	sets := available()
	todo := 0
	for i, a := range p.auto {
		if a && p.found[i] == "" {
			todo++
		}
	}
	if len(sets) < 2 || todo == 0 {
		return
	}
	clock := p.clock
	if clock == nil {
		clock = func(_, _ string, run func()) time.Duration {
			start := time.Now()
			run()
			return time.Since(start)
		}
	}
	p.sampleFrontier()
	for i, name := range kernelNames {
		if !p.auto[i] || p.found[i] != "" {
			continue
		}
		s := p.sampleOf(name)
		if s.items == 0 {
			continue
		}
		rounds := s.measure(sets, budget/time.Duration(todo), func(set string, run func()) time.Duration { return clock(name, set, run) })
		p.measured[i] = map[string]float64{}
		for k := range sets {
			p.measured[i][sets[k].name] = median(rounds, func(took []time.Duration) float64 { return float64(took[k].Nanoseconds()) / float64(s.items) })
		}
		p.found[i] = quickest(sets, rounds)
		p.choice[i] = p.found[i]
	}
	p.take()
	p.resetSample()
}

// measure returns the times of each set in rounds, in which all run over the same piece of
// the arrays in turn: three rounds, and up to fifteen while the budget lasts.
func (s *sample) measure(sets []kernelSet, budget time.Duration, clock func(set string, run func()) time.Duration) (rounds [][]time.Duration) {
	begun := time.Now()
	call := 0
	for round := 0; round < 3 || round < 15 && time.Since(begun) < budget; round++ {
		took := make([]time.Duration, len(sets))
		for k := -1; k < len(sets); k++ {
			// The first run of a piece finds cold lines, or none: it is not clocked.
			set := (max(0, k) + round) % len(sets)
			if s.before != nil {
				s.before(round)
			}
			call++
			if run := func() { s.run(&sets[set], round, call) }; k < 0 {
				run()
			} else {
				took[set] = clock(sets[set].name, run)
			}
		}
		rounds = append(rounds, took)
	}
	if s.after != nil {
		s.after()
	}
	return rounds
}

// median is that of f over the rounds.
func median(rounds [][]time.Duration, f func(took []time.Duration) float64) float64 {
	var list []float64
	for _, r := range rounds {
		list = append(list, f(r))
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// quickest is the name of the set with the least median of ratios to plain Go's time, which
// is the last; of plain Go unless that is below tie.
func quickest(sets []kernelSet, rounds [][]time.Duration) string {
	last := len(sets) - 1
	best, least := last, tie
	for k := range sets[:last] {
		ratio := median(rounds, func(took []time.Duration) float64 { return float64(took[k]) / float64(max(1, took[last])) })
		if ratio < least {
			best, least = k, ratio
		}
	}
	return sets[best].name
}

// sample is what a kernel is measured on.
type sample struct {
	items  int
	before func(round int) // each run, unclocked
	run    func(k *kernelSet, round, call int)
	after  func() // all runs
}

const (
	// sampleWords is the number of words of a range that a run covers.
	sampleWords = chunkWords / 2
	// sampleRows is the number of rows that a run reads.
	sampleRows = 128
	// sampleArcs bounds the entries of these rows.
	sampleArcs = 1 << 11
)

// sampleFrontier sets every second bit of the first eighth of rank space in front: the
// first frontier of a bottom-up phase is of vertices of high degree.
func (p *Processor) sampleFrontier() {
	for i := range p.front.bits[:p.words/8] {
		p.front.bits[i] = 0x5555555555555555
	}
}

// resetSample clears what samples have written.
func (p *Processor) resetSample() {
	clear(p.front.bits)
	clear(p.next.bits)
	clear(p.seen)
}

// sampleOf is the sample of a kernel on the largest own range; items is 0 where there is
// none.
func (p *Processor) sampleOf(kernel string) (s sample) {
	var o *ownRange
	for i := range p.own {
		if c := &p.own[i]; o == nil || c.sub.Rows > o.sub.Rows {
			o = c
		}
	}
	if o == nil || o.sub.Rows < 64*sampleWords {
		return sample{}
	}
	w := &p.workers[0]
	words := int(o.sub.Rows) / 64
	// at is the first word of a round's piece: pieces lie all over the range.
	at := func(round int) int { return round * 7919 * sampleWords % (words - sampleWords + 1) }
	first := o.sub.First
	rows := p.sampleRows(o)
	arcs := 0
	for _, row := range rows {
		arcs += len(row)
	}
	switch kernel {
	case "probe":
		if o.sub.In == nil {
			return sample{}
		}
		lo := int(first / 64)
		return sample{items: 64 * sampleWords, before: func(round int) {
			clear(p.seen[lo+at(round) : lo+at(round)+sampleWords])
		}, run: func(k *kernelSet, round, _ int) {
			k.probe(p.blockOf(w, o, at(round), at(round)+sampleWords))
		}}
	case "settle":
		lo := int(first / 64)
		return sample{items: 64 * sampleWords, before: func(round int) {
			from := lo + at(round)
			clear(p.seen[from : from+sampleWords])
			for i := range 32 * sampleWords { // half of the entries, in no pattern
				p.scatter[64*from+i*2654435761%(64*sampleWords)] = uint32(i)
			}
		}, run: func(k *kernelSet, round, _ int) {
			from := lo + at(round)
			k.settle(p.scatter[64*from:64*(from+sampleWords)], p.seen[from:from+sampleWords], p.next.bits[from:from+sampleWords],
				p.parent[64*from:64*(from+sampleWords)])
		}}
	case "scan":
		none := make([]uint64, len(p.front.bits)) // each row is read to its end
		return sample{items: arcs, run: func(k *kernelSet, _, _ int) {
			for _, row := range rows {
				k.scan(row, none)
			}
		}}
	}
	return p.sampleMore(kernel, o, rows, arcs)
}

// sampleMore is sampleOf for the kernels that read rows in no order.
func (p *Processor) sampleMore(kernel string, o *ownRange, rows [][]uint32, arcs int) sample {
	w := &p.workers[0]
	switch kernel {
	case "spread":
		if p.threads == 1 || arcs == 0 {
			return sample{} // one thread never spreads
		}
		return sample{items: arcs, after: func() {
			for _, row := range rows {
				for _, v := range row {
					p.scatter[v] = graph.None
				}
			}
		}, run: func(k *kernelSet, _, _ int) {
			if k.spread == nil {
				// What runs instead: arcs are sorted by target, then written.
				p.shift = bucketShift
				for _, row := range rows {
					for _, v := range row {
						b := &w.buckets[v>>bucketShift]
						*b = append(*b, arc{v, 1})
					}
				}
				for b := range w.buckets {
					for _, a := range w.buckets[b] {
						p.scatter[a.to] = a.id
					}
					w.buckets[b] = w.buckets[b][:0]
				}
				return
			}
			for i, row := range rows {
				k.spread(row, 1, p.scatter, rows[(i+spreadAhead)%len(rows)])
			}
		}}
	case "fetch":
		a := o.sub.Out
		if a == nil {
			a = o.sub.In
		}
		if a == nil || a.Offsets32 == nil || o.sub.Rows < 1<<12 { // rows of all rounds are other ones
			return sample{}
		}
		sum := uint32(0)
		return sample{items: sampleRows, run: func(k *kernelSet, _, call int) {
			list := w.rest[:0]
			for i := range uint32(sampleRows) {
				// Rows in no order, others each time: those just read are in the cache.
				list = append(list, (i+uint32(call)*sampleRows)*2654435761%o.sub.Rows)
			}
			for batch := range slices.Chunk(list, takeVertices) {
				k.prefetch(batch, a.Offsets32, a.Neighbours)
				for _, i := range batch {
					for _, v := range a.Neighbours[a.Offsets32[i]:min(a.Offsets32[i]+16, a.Offsets32[i+1])] {
						sum += v
					}
				}
			}
			w.sum = sum // keeps the loop
		}}
	case "mapBack":
		return p.sampleMap(o)
	}
	return sample{}
}

// sampleRows are rows from the middle of a range, neither hubs nor leaves.
func (p *Processor) sampleRows(o *ownRange) (rows [][]uint32) {
	a := o.sub.Out
	if a == nil {
		a = o.sub.In
	}
	if a == nil {
		return nil
	}
	arcs := 0
	for i := o.sub.Rows / 4; i < o.sub.Rows && len(rows) < sampleRows && arcs < sampleArcs; i++ {
		lo, hi := a.Row(i)
		rows = append(rows, a.Neighbours[lo:hi])
		arcs += int(hi - lo)
	}
	return rows
}

// sampleMap maps the parents of a run of ranks to a result as large as rank space, or those
// of a run of vertices that holds as many ranks in the mean.
func (p *Processor) sampleMap(o *ownRange) sample {
	n := min(64*sampleWords, int(o.sub.Rows)) &^ 63
	vertices := len(p.part.RankOf)
	ids := min(vertices, int(int64(n)*int64(vertices)/max(1, p.vertices)))
	run := make([]uint32, ids)
	seen := slices.Repeat([]uint64{math.MaxUint64}, n/64)
	first := o.sub.First + o.sub.Rows/2&^63
	if first+uint32(n) > o.sub.Limit() {
		first = o.sub.First
	}
	targets := make([]uint32, n)
	for i := range targets {
		targets[i] = p.part.VertexOf[first+uint32(i)] % p.part.Ranks
	}
	all := p.rangeOf == nil
	return sample{items: n, after: func() {
		for _, v := range targets {
			p.scatter[v] = graph.None
		}
	}, run: func(k *kernelSet, round, _ int) {
		if k.byVertex != nil && all {
			from := round * 7919 * 64 % (vertices - ids + 1)
			k.byVertex(run, p.part.RankOf[from:from+ids], p.parent)
			return
		}
		byRank(p.scatter, targets, p.parent[first:first+uint32(n)], seen)
	}}
}
