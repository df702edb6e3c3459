package engine

import (
	"math"

	"github.com/totemgo/totemgo/program"
)

// Arrays and operators of ranking.delta, beside prShare and prCount.
const (
	pdRank  = iota // the result
	pdGive         // what each out-arc carries
	pdLacks        // rank that is still to be added, and passed on
	_              // prShare
	pdHeld         // rank that was passed on

	pdMove = 1 // edge operator

	pdBegin  = 0 // vertex operators
	pdSelect = 1
	pdEnd    = 2
)

// pdUnit is 1 as a fixed-point number: sums of these depend on no order.
const pdUnit = 1 << 62

// Tuning of delta, measured on Kronecker 20.
const (
	// pdPart × the mean of what is lacking for each out-arc is what a vertex lacks to take part.
	pdPart = 0.5
	// pdPush is the part of all arcs up to which a push from the vertices that take part is less
	// work than a pull over all rows.
	pdPush = 12
)

// delta is the PageRank of dropped dangling rank in the form of residues (McSherry 2005; Whang,
// Lenharth, Dhillon, Pingali 2015): rank y = held + what y lacks. In each step the vertices that
// lack most for each out-arc add it to held and send it along their arcs, damped. As y is short of
// nothing but dangling rank, y ÷ Σy is the PageRank of spread rank.
func (k *ranking) delta() *program.Program {
	i64 := func(name string) program.Array { return program.Array{Name: name, Type: program.I64, Scratch: true} }
	return &program.Program{
		Name: "pagerank-delta",
		Arrays: []program.Array{{Name: "rank", Type: program.F64}, i64("give"), i64("lacks"),
			{Name: "share", Type: program.F64, Scratch: true}, i64("held")},
		Edges: []program.EdgeOp{
			{Name: "count", From: -1, To: prShare, Arcs: program.Backward, Map: program.One, Combine: program.Sum},
			{Name: "move", From: pdGive, To: pdLacks, Map: program.Copy, Combine: program.Sum},
		},
		Vertices: []program.VertexOp{
			{Name: "begin", Block: k.beginLacks}, {Name: "select", Block: k.selectLacks}, {Name: "end", Block: endLacks},
		},
	}
}

// beginLacks makes every vertex lack its part of the jumps. Sum[0] is all of it.
func (k *ranking) beginLacks(b *program.Block) {
	lacks, share := program.Of[int64](b, pdLacks), program.Of[float64](b, prShare)
	for i := range lacks {
		x := (1 - k.Damping) * k.unit
		if k.start != nil {
			x = (1 - k.Damping) * k.start[b.Lo+uint32(i)]
		}
		if lacks[i] = int64(x * pdUnit); share[i] > 0 {
			share[i] = 1 / share[i]
		}
		b.Sum[0] += float64(lacks[i])
	}
}

// selectLacks leaves the vertices in the set that lack more than Args[0] and Args[0] for each
// out-arc, and takes their rank. Sum[0] is what all lacked before, Sum[1] what they held.
func (k *ranking) selectLacks(b *program.Block) {
	give, lacks, held, share := program.Of[int64](b, pdGive), program.Of[int64](b, pdLacks), program.Of[int64](b, pdHeld), program.Of[float64](b, prShare)
	for i, x := range lacks {
		b.Sum[0] += float64(x)
		b.Sum[1] += float64(held[i])
		give[i] = 0
		if share[i] == 0 { // nowhere to send it
			held[i] += x
			lacks[i] = 0
			b.Drop(i)
			continue
		}
		if float64(x)*share[i] <= b.Args[0]*(1+share[i]) {
			b.Drop(i)
			continue
		}
		held[i] += x
		lacks[i] = 0
		give[i] = int64(math.RoundToEven(k.Damping * float64(x) * share[i]))
	}
}

// endLacks sets the ranks, times Args[0].
func endLacks(b *program.Block) {
	rank, lacks, held := program.Of[float64](b, pdRank), program.Of[int64](b, pdLacks), program.Of[int64](b, pdHeld)
	for i := range rank {
		rank[i] = b.Args[0] * float64(held[i]+lacks[i])
	}
}

// driveDelta is the body of delta.
func (k *ranking) driveDelta(m program.Machine, r *PageRankResult) error {
	if _, err := m.EdgeMap(prCount, program.Step{Way: program.Pull, From: program.All}); err != nil {
		return err
	}
	_, sums, err := m.VertexMap(pdBegin, program.All)
	_, alone := k.step(0, 1-k.Damping) // ranks of vertices without arcs are what jumps bring
	arcs, total := float64(m.Info().Arcs+m.Info().Vertices), 0.0
	for err == nil {
		var f program.Frontier
		if f, sums, err = m.VertexMap(pdSelect, program.All, pdPart*sums.Sum[0]/arcs); err != nil {
			break
		}
		total = (sums.Sum[0]+sums.Sum[1])/pdUnit + alone
		if r.Change = sums.Sum[0] / pdUnit; k.Dangling == DanglingSpread {
			r.Change *= 2 / total // y ÷ Σy changes by no more
		}
		if r.Converged = r.Change < k.Tolerance; r.Converged || r.Iterations == k.MaxIterations {
			break
		}
		s := program.Step{Way: program.Push}
		if f.Arcs > m.Info().Arcs/pdPush {
			s = program.Step{Way: program.Pull, From: program.All} // others give 0
		}
		_, err = m.EdgeMap(pdMove, s)
		r.Iterations++
	}
	if err != nil {
		return err
	}
	scale := 1.0
	if k.Dangling == DanglingSpread {
		scale = 1 / total
	}
	for i := range k.alone {
		k.alone[i].rank *= scale
	}
	_, _, err = m.VertexMap(pdEnd, program.All, scale/pdUnit)
	return err
}
