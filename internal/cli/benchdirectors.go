package cli

import (
	"context"
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/record"
)

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
