package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
)

// TestMapShares: every own rank is in one span, spans begin at whole words, and long
// runs of rising ids lie with a thread by id.
func TestMapShares(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for round := range 60 {
		p := &search{Processor: &Processor{part: &kernels.Part{}}, crew: crew{threads: 1 + r.IntN(4)}}
		runs := 0
		// Ranges of a few runs of rising ids, each from all over the id space.
		n := uint32(1) << (4 + r.IntN(15))
		ids := r.Perm(int(n))
		at := 0
		for range 1 + r.IntN(3) {
			sub := &graph.Subgraph{First: uint32(len(p.part.VertexOf))}
			for range 1 + r.IntN(4) {
				k := min(r.IntN(int(n)/2+2), len(ids)-at)
				run := ids[at : at+k]
				at += k
				slices.Sort(run)
				for _, v := range run {
					p.part.VertexOf = append(p.part.VertexOf, uint32(v))
				}
				sub.Rows += uint32(k)
				runs++
			}
			for len(p.part.VertexOf)%64 != 0 {
				p.part.VertexOf = append(p.part.VertexOf, graph.None)
			}
			if r.IntN(3) > 0 {
				p.own = append(p.own, ownRange{sub: sub})
			}
		}
		times := make([]int, len(p.part.VertexOf))
		for _, spans := range p.mapShares() {
			for _, s := range spans {
				if s.from%64 != 0 || s.from >= s.to {
					t.Fatalf("round %d: span %v", round, s)
				}
				for k := s.from; k < s.to; k++ {
					times[k]++
				}
			}
		}
		for _, o := range p.own {
			for k := o.sub.First; k < o.sub.Limit(); k++ {
				times[k]--
			}
		}
		for k, c := range times {
			if c != 0 {
				t.Fatalf("round %d: rank %d is mapped %+d times too often", round, k, c)
			}
		}
	}
}
