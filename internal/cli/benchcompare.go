package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/totemgo/totemgo/bsp"
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
func (e *env) kernelSets(ctx context.Context, s *searching, rounds int) ([]record.BenchKernelSet, error) {
	sets := append([]string{"auto"}, cpu.Kernels()...)
	out := make([]record.BenchKernelSet, len(sets))
	means, err := s.inTurn(ctx, e.progress("comparing kernels"), 1+max(kernelRounds, rounds), len(sets), func(k int) error {
		err := s.eng.UseKernels(ctx, sets[k])
		out[k].Kernels, out[k].Runs = sets[k], s.eng.Kernels()
		return err
	})
	if err != nil {
		return nil, err
	}
	for k, m := range means {
		m = m[1:] // the first is not clocked
		ratios := make([]float64, len(m))
		for i, mean := range m {
			ratios[i] = mean / means[0][1+i]
			out[k].MeanS += mean / float64(len(m))
		}
		q := graph500.Summarize(ratios)
		out[k].Rounds, out[k].RoundMeansS, out[k].MedianS = len(m), m, graph500.Summarize(m).Median
		out[k].RatioQ1, out[k].RatioMedian, out[k].RatioQ3, out[k].Faster = q.FirstQuartile, q.Median, q.ThirdQuartile, q.ThirdQuartile < 1
	}
	return out, s.eng.UseKernels(ctx, "auto")
}

// printKernelSets prints a line a set, and whether any is faster than "auto".
func (e *env) printKernelSets(list []record.BenchKernelSet) {
	var faster []string
	printTable(e.stdout, fmt.Sprintf("kernels\tmean\tmedian of %d rounds\tover auto, median\tquartiles\t", list[0].Rounds), list, func(s record.BenchKernelSet) string {
		if s.Faster {
			faster = append(faster, s.Kernels)
		}
		return fmt.Sprintf("%s\t%s\t%s\t%.3f\t%.3f to %.3f\t", s.Kernels, seconds(s.MeanS), seconds(s.MedianS), s.RatioMedian, s.RatioQ1, s.RatioQ3)
	})
	verdict := "auto is the best within the spread"
	if len(faster) > 0 {
		verdict = "faster than auto beyond the spread: " + strings.Join(faster, ", ")
	}
	e.print("%s (auto is %s)\n\n", verdict, list[0].Runs)
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
func (e *env) printKernelTimes(list []record.KernelTime) {
	printTable(e.stdout, "kernel\truns\t"+strings.Join(cpu.Kernels(), " ns\t")+" ns\t", list, func(k record.KernelTime) string {
		row := k.Kernel + "\t" + k.Set + "\t"
		for _, set := range cpu.Kernels() {
			if ns, measured := k.NS[set]; measured {
				row += fmt.Sprintf("%.2f\t", ns)
			} else {
				row += "-\t"
			}
		}
		return row
	})
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
func (e *env) directors(ctx context.Context, s *searching, rounds int) ([]record.BenchDirector, error) {
	bar, eng, roots := e.progress("comparing directors"), s.eng, s.roots
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
	search := func(d bsp.Director, root uint64) (time.Duration, error) {
		if err := eng.SetDirector(ctx, d); err != nil {
			return 0, err
		}
		err := eng.BFSInto(ctx, root, s.r)
		return s.r.Time, err
	}
	least := func(d bsp.Director, root uint64) (best time.Duration, err error) {
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
			if err := eng.BFSInto(ctx, root, counted); err != nil {
				return nil, err
			}
			took := scriptOf(counted.Statistics)
			out[k].Searches[i] = record.DirectedSearch{Root: root, Directions: letters(took)}
			if k == 0 || t < quickest {
				script, quickest = took, t
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
		out[best].Searches[i] = record.DirectedSearch{Root: root, Directions: letters(script)}
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
func (e *env) printDirectors(list []record.BenchDirector) {
	printTable(e.stdout, "director\tmean\tover the oracle, median\tp90\tmost\tsame directions\t", list, func(d record.BenchDirector) string {
		return fmt.Sprintf("%s\t%s\t%.2f\t%.2f\t%.2f\t%d of %d\t", d.Director, seconds(d.MeanS), d.OverOracle.Median, d.OverOracle.P90, d.OverOracle.Max, d.SameRoots, len(d.Searches))
	})
	fmt.Fprintln(e.stdout)
}
