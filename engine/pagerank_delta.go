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

	pdBegin = 0 // vertex operators
	pdPick  = 1
	pdTake  = 2
	pdEnd   = 3
)

// pdUnit is 1 as a fixed-point number: sums of these depend on no order.
const pdUnit = 1 << 60

// Tuning of delta, measured on Kronecker 20 and a web graph.
const (
	// pdPart × the mean of what is lacking for each out-arc is what a vertex lacks to take part.
	pdPart = 0.5
	// pdPush is the part of all arcs up to which a push from the vertices that take part is less
	// work than a pull over all rows.
	pdPush = 12
)

// delta is the PageRank of dropped dangling rank in the form of residues (McSherry 2005; Whang,
// Lenharth, Dhillon, Pingali 2015): y = held + what y lacks. The vertices that lack most for each
// out-arc add it to held and send it along their arcs, damped; all vertices do where these have many
// arcs, which is a power iteration. y ÷ Σy is the PageRank of spread rank.
func (k *ranking) delta() *program.Program {
	i64 := func(name string) program.Array { return program.Array{Name: name, Type: program.I64, Scratch: true} }
	p := &program.Program{
		Name: "pagerank-delta",
		Arrays: []program.Array{{Name: "rank", Type: program.F64}, i64("give"), i64("lacks"),
			{Name: "share", Type: program.F64, Scratch: true}, i64("held")},
		Edges: []program.EdgeOp{
			{Name: "count", From: -1, To: prShare, Arcs: program.Backward, Map: program.One, Combine: program.Sum},
			{Name: "move", From: pdGive, To: pdLacks, Map: program.Copy, Combine: program.Sum},
		},
		Vertices: []program.VertexOp{
			{Name: "begin", Block: k.beginLacks, Device: pdBeginDevice}, {Name: "pick", Block: pickLacks, Device: pdPickDevice},
			{Name: "take", Block: k.takeLacks, Device: pdTakeDevice}, {Name: "end", Block: endLacks, Device: pdEndDevice},
		},
	}
	if k.start != nil { // the operators read host memory
		p.Vertices[pdBegin].Device, p.Vertices[pdTake].Device = "", ""
	}
	return p
}

// Sources for devices, of beginLacks, pickLacks, takeLacks and endLacks. UNIT is pdUnit.
const (
	pdBeginDevice = `#define UNIT ((double)((u64)1 << 60))
double degree = share[v], y = ARG(0) + ARG(1) * degree;
lacks[v] = (i64)(((1 - ARG(2)) * ARG(3) - y) * UNIT);
held[v] = (i64)(y * UNIT);
if (degree > 0) {
  share[v] = 1 / degree;
  give[v] = (i64)(ARG(2) * y / degree * UNIT);
}`
	pdPickDevice = `double x = lacks[v], size = x < 0 ? -x : x;
SUM(0, size);
SUM(1, (double)(held[v] + lacks[v]));
SUM(2, x);
if (size * share[v] <= ARG(0) * (1 + share[v]) && (share[v] > 0 || size <= ARG(0))) DROP;`
	pdTakeDevice = `if (ARG(0) != 1) {
  held[v] = (i64)(ARG(0) * (double)held[v]);
  lacks[v] = (i64)(ARG(0) * (double)lacks[v] + (1 - ARG(0)) * (1 - ARG(1)) * (double)((u64)1 << 60) * ARG(2));
}
give[v] = (i64)rint(ARG(1) * (double)lacks[v] * share[v]);
held[v] += lacks[v];
lacks[v] = 0;`
	pdEndDevice = "rank[v] = ARG(0) * (double)(held[v] + lacks[v]);"
)

// beginLacks makes every vertex hold Args[0] + Args[1] × degree, and lack the rest of its part of
// the jumps.
func (k *ranking) beginLacks(b *program.Block) {
	give, lacks, held := program.Of[int64](b, pdGive), program.Of[int64](b, pdLacks), program.Of[int64](b, pdHeld)
	for i, degree := range program.Of[float64](b, prShare) {
		x, y := (1-k.Damping)*k.unit, b.Args[0]+b.Args[1]*degree
		if k.start != nil {
			x = (1 - k.Damping) * k.start[b.Lo+uint32(i)]
		}
		if lacks[i], held[i] = int64((x-y)*pdUnit), int64(y*pdUnit); degree > 0 {
			program.Of[float64](b, prShare)[i] = 1 / degree
			give[i] = int64(k.Damping * y / degree * pdUnit)
		}
	}
}

// pickLacks leaves the vertices in the set that lack more than Args[0] for each out-arc and itself.
// Sum[0] is what all lack in size, Sum[1] their rank, Sum[2] what they lack.
func pickLacks(b *program.Block) {
	lacks, held := program.Of[int64](b, pdLacks), program.Of[int64](b, pdHeld)
	lack, rank, signed := 0.0, 0.0, 0.0
	for i, share := range program.Of[float64](b, prShare) {
		x := math.Abs(float64(lacks[i]))
		lack += x
		rank += float64(held[i] + lacks[i])
		signed += float64(lacks[i])
		if x*share <= b.Args[0]*(1+share) && (share > 0 || x <= b.Args[0]) {
			b.Drop(i)
		}
	}
	b.Sum[0], b.Sum[1], b.Sum[2] = lack, rank, signed
}

// takeLacks adds what vertices of the set lack to what they hold, and sends it. All hold Args[0]
// times as much before: they then lack Args[0] times as much, and 1 − Args[0] of their jumps.
func (k *ranking) takeLacks(b *program.Block) {
	give, lacks, held, share := program.Of[int64](b, pdGive), program.Of[int64](b, pdLacks), program.Of[int64](b, pdHeld), program.Of[float64](b, prShare)
	factor, jump := b.Args[0], (1-b.Args[0])*(1-k.Damping)*pdUnit
	for i := range b.Each() {
		if factor != 1 {
			s := k.unit
			if k.start != nil {
				s = k.start[b.Lo+uint32(i)]
			}
			held[i] = int64(factor * float64(held[i]))
			lacks[i] = int64(factor*float64(lacks[i]) + jump*s)
		}
		give[i] = int64(math.RoundToEven(k.Damping * float64(lacks[i]) * share[i]))
		held[i] += lacks[i]
		lacks[i] = 0
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
func (k *ranking) driveDelta(d *driver, r *PageRankResult) {
	rule, scale, all := k.Dangling, 1.0, d.Info()
	k.Dangling = DanglingDrop // until the end
	base, slope := k.estimate(all)
	_, alone := k.step(0, 1-k.Damping) // ranks of vertices without arcs are what jumps bring
	d.pull(prCount)
	if slope == 0 {
		base = 0
	}
	d.vertices(pdBegin, program.All, base, slope, k.Damping, k.unit)
	if slope > 0 {
		d.pull(pdMove)
	}
	for lack := 1.0; d.err == nil; r.Iterations++ {
		f, sums := d.vertices(pdPick, program.All, pdPart*lack*pdUnit/float64(all.Arcs+all.Vertices))
		lack = sums.Sum[0] / pdUnit
		total := sums.Sum[1]/pdUnit + alone
		if r.Change = lack; rule == DanglingSpread {
			scale = 1 / total
			r.Change *= 2 * scale // y ÷ Σy changes by no more
		}
		if r.Converged = r.Change < k.Tolerance; r.Converged || r.Iterations == k.MaxIterations {
			break
		}
		over, s, factor := program.Default, program.Step{Way: program.Push}, 1.0
		if f.Arcs > all.Arcs/pdPush {
			over, s = program.All, program.Step{Way: program.Pull, From: program.All}
			// All that is lacking shrinks by Damping a step. Less is left where it adds up to 0.
			if jumps, sum := 1-k.Damping-alone, sums.Sum[2]/pdUnit; sum < 0.9*jumps {
				factor = jumps / (jumps - sum)
			}
		}
		d.vertices(pdTake, over, factor, k.Damping, k.unit)
		d.edges(pdMove, s)
	}
	for i := range k.alone {
		k.alone[i].rank *= scale
	}
	d.vertices(pdEnd, program.All, scale/pdUnit)
}
