package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/record"
)

const (
	// allKernels is the value of bench's --kernels that compares the sets.
	allKernels = "all"
	// kernelRounds is the least number of rounds in which sets are compared.
	kernelRounds = 9
)

// kernelSets compares "auto" and each set of kernels on one engine: in every round each
// searches from all roots, one set after the other. It leaves the engine with "auto".
func (e *env) kernelSets(ctx context.Context, eng *engine.Engine, label func(uint32) uint64, roots []uint32, r *engine.BFSResult, rounds int) ([]record.BenchKernelSet, error) {
	rounds = max(kernelRounds, rounds)
	sets := append([]string{"auto"}, cpu.Kernels()...)
	out := make([]record.BenchKernelSet, len(sets))
	means := make([][]float64, len(sets)) // by set and round
	bar := e.progress("comparing kernels")
	defer bar.done()
	for round := range 1 + rounds { // the first is not clocked
		bar.set(int64(round), int64(1+rounds), "rounds")
		for k, set := range sets {
			if err := eng.UseKernels(ctx, set); err != nil {
				return nil, err
			}
			sum := 0.0
			for _, root := range roots {
				if err := eng.BFSInto(ctx, label(root), r); err != nil {
					return nil, err
				}
				sum += r.Time.Seconds()
			}
			out[k].Kernels, out[k].Runs = set, eng.Kernels()
			if round > 0 {
				means[k] = append(means[k], sum/float64(len(roots)))
			}
		}
	}
	for k := range out {
		ratios := make([]float64, rounds)
		for i, mean := range means[k] {
			ratios[i] = mean / means[0][i]
			out[k].MeanS += mean / float64(rounds)
		}
		out[k].Rounds, out[k].RoundMeansS = rounds, means[k]
		out[k].MedianS = graph500.Summarize(means[k]).Median
		q := graph500.Summarize(ratios)
		out[k].RatioQ1, out[k].RatioMedian, out[k].RatioQ3 = q.FirstQuartile, q.Median, q.ThirdQuartile
		out[k].Faster = out[k].RatioQ3 < 1
	}
	return out, eng.UseKernels(ctx, "auto")
}

// printKernelSets prints a line a set, and whether any is faster than "auto".
func (e *env) printKernelSets(list []record.BenchKernelSet) error {
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "kernels\tmean\tmedian of %d rounds\tover auto, median\tquartiles\t\n", list[0].Rounds)
	var faster []string
	for _, s := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%.3f\t%.3f to %.3f\t\n", s.Kernels, seconds(s.MeanS), seconds(s.MedianS), s.RatioMedian, s.RatioQ1, s.RatioQ3)
		if s.Faster {
			faster = append(faster, s.Kernels)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	verdict := "auto is the best within the spread"
	if len(faster) > 0 {
		verdict = "faster than auto beyond the spread: " + strings.Join(faster, ", ")
	}
	e.print("%s (auto is %s)\n", verdict, list[0].Runs)
	return nil
}

const (
	// kernelScale is the scale of the Kronecker graph that kernels are measured on.
	kernelScale = 17
	// kernelsFor is about the time that measuring them takes.
	kernelsFor = 200 * time.Millisecond
)

// kernelTimes measures the kernels of each set on a Kronecker graph, on so many threads, 0
// for all.
func kernelTimes(ctx context.Context, threads int) (list []record.KernelTime, err error) {
	threads = workers.Count(threads)
	g, err := gen.Make(ctx, gen.KroneckerOptions{Scale: kernelScale, Threads: threads})
	if err != nil {
		return nil, err
	}
	place, err := partition.New(ctx, g, partition.Options{Policy: partition.HubsOnCPU, Processors: make([]partition.Processor, 1), Threads: threads})
	if err != nil {
		return nil, err
	}
	defer place.Close()
	p := cpu.New(threads)
	defer p.Close()
	if err := p.Load(ctx, place.Part(0)); err != nil {
		return nil, err
	}
	run, err := p.Open(ctx, bsp.Tree)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	p.Choose(run, kernelsFor)
	for _, k := range p.KernelTimes() {
		list = append(list, record.KernelTime{Kernel: k.Kernel, Set: k.Chosen, NS: k.Ns})
	}
	return list, nil
}

// printKernelTimes prints a line a kernel, with a column for each set.
func (e *env) printKernelTimes(list []record.KernelTime) error {
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "kernel\truns\t%s ns\t\n", strings.Join(cpu.Kernels(), " ns\t"))
	for _, k := range list {
		fmt.Fprintf(w, "%s\t%s\t", k.Kernel, k.Set)
		for _, set := range cpu.Kernels() {
			if ns, measured := k.NS[set]; measured {
				fmt.Fprintf(w, "%.2f", ns)
			} else {
				fmt.Fprint(w, "-")
			}
			fmt.Fprint(w, "\t")
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

const (
	// oracle is the name of the best directions that were found for each root.
	oracle = "oracle"
	// oracleLevels is the number of levels, from the root's on, at which the oracle
	// tries both directions: a scale-free graph has fewer.
	oracleLevels = 16
	// oracleTries is how often each directions are clocked; the least time counts.
	oracleTries = 3
)

// directors compares all directors but bsp.DirectorBottomUp, and the best directions that are
// found for each root: starting from the quickest director's, both are tried at each
// level, and the quicker is kept, until nothing changes. All of them are then clocked
// again in turn, so that nobody's luck in the trials counts.
func (e *env) directors(ctx context.Context, eng *engine.Engine, label func(uint32) uint64, roots []uint32, r *engine.BFSResult, rounds int) ([]record.BenchDirector, error) {
	bar := e.progress("comparing directors")
	defer bar.done()
	defer eng.SetDirector(context.WithoutCancel(ctx), nil)
	var list []bsp.Director
	var out []record.BenchDirector
	for _, name := range append(bsp.Directors(), oracle) {
		if name == bsp.DirectorBottomUp {
			continue // on a long diameter it takes minutes
		}
		d, err := bsp.NewDirector(name, eng.Rates())
		if name == oracle {
			d, err = bsp.Script(nil), nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, d)
		out = append(out, record.BenchDirector{Director: string(name), Searches: make([]record.DirectedSearch, len(roots))})
	}
	search := func(d bsp.Director, root uint32) (time.Duration, error) {
		if err := eng.SetDirector(ctx, d); err != nil {
			return 0, err
		}
		err := eng.BFSInto(ctx, label(root), r)
		return r.Time, err
	}
	least := func(d bsp.Director, root uint32) (best time.Duration, err error) {
		for try := range oracleTries {
			t, err := search(d, root)
			if err != nil {
				return 0, err
			}
			if try == 0 || t < best {
				best = t
			}
		}
		return best, nil
	}
	counted := eng.NewResult().Collect()
	defer counted.Free()
	best := len(list) - 1
	for i, root := range roots {
		bar.set(int64(i), int64(len(roots)), "roots")
		var script bsp.Script
		var quickest time.Duration
		for k, d := range list[:best] {
			t, err := least(d, root)
			if err != nil {
				return nil, err
			}
			if err := eng.BFSInto(ctx, label(root), counted); err != nil {
				return nil, err
			}
			s := scriptOf(counted.Statistics)
			out[k].Searches[i] = record.DirectedSearch{Root: label(root), Directions: letters(s)}
			if k == 0 || t < quickest {
				script, quickest = s, t
			}
		}
		for changed := true; changed; {
			changed = false
			for level := range min(len(script), oracleLevels) {
				other := slices.Clone(script)
				other[level] = kernels.TopDown + kernels.BottomUp - other[level]
				t, err := least(other, root)
				if err != nil {
					return nil, err
				}
				if t < quickest {
					script, quickest, changed = other, t, true
				}
			}
		}
		out[best].Searches[i] = record.DirectedSearch{Root: label(root), Directions: letters(script)}
		list[best] = script
		for range oracleTries * rounds {
			for k, d := range list {
				t, err := search(d, root)
				if err != nil {
					return nil, err
				}
				out[k].Searches[i].TimeS += t.Seconds() / float64(oracleTries*rounds)
			}
		}
	}
	for k := range out {
		ratios := make([]float64, len(roots))
		for i, s := range out[k].Searches {
			out[k].MeanS += s.TimeS / float64(len(roots))
			ratios[i] = s.TimeS / out[best].Searches[i].TimeS
			if s.Directions == out[best].Searches[i].Directions {
				out[k].SameRoots++
			}
		}
		slices.Sort(ratios)
		out[k].OverOracle = record.BenchRatio{Median: ratios[len(ratios)/2], P90: ratios[len(ratios)*9/10], Max: ratios[len(ratios)-1]}
	}
	return out, nil
}

// scriptOf is the directions that a search took, the levels beyond those that
// statistics keep left out.
func scriptOf(s *bsp.Statistics) bsp.Script {
	script := make(bsp.Script, len(s.Levels))
	for i, l := range s.Levels {
		if script[i] = kernels.TopDown; l.Direction == record.BottomUp {
			script[i] = kernels.BottomUp
		}
	}
	return script
}

// letters writes directions with a letter a level, no further than the oracle tries.
func letters(s bsp.Script) string {
	text := make([]byte, min(len(s), oracleLevels))
	for i := range text {
		if text[i] = 'T'; s[i] == kernels.BottomUp {
			text[i] = 'B'
		}
	}
	return string(text)
}

// printDirectors prints a line a director.
func (e *env) printDirectors(list []record.BenchDirector) error {
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "director\tmean\tover the oracle, median\tp90\tmost\tsame directions\t")
	for _, d := range list {
		fmt.Fprintf(w, "%s\t%s\t%.2f\t%.2f\t%.2f\t%d of %d\t\n", d.Director, seconds(d.MeanS), d.OverOracle.Median, d.OverOracle.P90, d.OverOracle.Max, d.SameRoots, len(d.Searches))
	}
	return w.Flush()
}
