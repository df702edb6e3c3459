package engine

import (
	"context"
	"math/bits"
	"time"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/partition"
)

const (
	// rateSamples is the number of operations that each rate is measured over.
	rateSamples = 1 << 16
	// stepCost is what a bottom-up step costs however small the graph: its passes
	// over bitmaps and its handing of work to threads, in nanoseconds. It is a bound,
	// not a measurement: on graphs so small that it decides, either way is quick.
	stepCost = 3000
)

// measureRates times the operations that a search is made of, on arrays of the
// graph's own size and, for neighbours, the graph's own first rows: one thread,
// divided by the number of threads.
func measureRates(ctx context.Context, p *partition.Placement, threads int) bsp.Rates {
	words := int(p.Ranks / 64)
	if words == 0 || ctx.Err() != nil {
		return bsp.Rates{Claim: 1, Visit: 1, Probe: 1, Word: 1, Step: stepCost}
	}
	seen := hugemem.Make[uint64](words)
	defer seen.Free()
	parent := hugemem.Make[uint32](int(p.Ranks))
	defer parent.Free()
	per := func(n int, f func()) float64 {
		best := time.Duration(1 << 62)
		for range 3 {
			start := time.Now()
			f()
			best = min(best, time.Since(start))
		}
		return max(0.01, float64(best.Nanoseconds())/float64(max(1, n))/float64(threads))
	}
	var r bsp.Rates
	r.Step = stepCost
	r.Word = per(words, func() {
		for i, w := range seen.S {
			seen.S[i] = ^w &^ w
		}
	})
	clear(seen.S)
	var nbr, first []uint32
	for _, s := range p.Subgraphs {
		a := s.In
		if a == nil {
			a = s.Out
		}
		if a != nil && a.Arcs() > 0 {
			// The middle of the rows: neither the hubs' nor the leaves'.
			mid := len(a.Neighbours) / 2
			nbr = a.Neighbours[mid:min(len(a.Neighbours), mid+rateSamples)]
			first = a.FirstNeighbours[:min(len(a.FirstNeighbours), rateSamples)]
			break
		}
	}
	r.Claim = per(len(nbr), func() {
		for i, v := range nbr {
			if seen.S[v/64]>>(v%64)&1 == 0 {
				seen.S[v/64] |= 1 << (v % 64)
				parent.S[v] = uint32(i)
			}
		}
	})
	hits := uint64(0)
	r.Probe = per(len(nbr), func() {
		for _, v := range nbr {
			hits += seen.S[v/64] >> (v % 64) & 1
		}
	})
	r.Visit = per(len(first), func() {
		for i, v := range first {
			if v < p.Ranks && seen.S[v/64]>>(v%64)&1 != 0 {
				parent.S[i] = v
			}
		}
	})
	_ = bits.OnesCount64(hits) // keeps the loop
	return r
}
