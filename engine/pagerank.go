package engine

import (
	"context"
	"math"

	"github.com/totemgo/totemgo/program"
)

// Arrays and operators of ranking.pull.
const (
	prRank  = iota
	prGive  // rank × share: what each out-arc carries
	prIn    // sum over in-arcs of give
	prShare // 1 ÷ out-degree, 0 for a vertex without out-arcs
	prAhead // where ranking.ahead is set: the ranks that give is of, and those before
	prBefore

	prCount = 0 // edge operators
	prSum   = 1

	prBegin = 0 // vertex operators
	prDamp  = 1
)

// Tuning of ranking.ahead.
const (
	// prSpectrum bounds the eigenvalues that it damps best at first: graphs with hubs have few beyond.
	prSpectrum = 0.4
	// prSlow is the ratio of two changes from which on these few are what is left: then it damps all.
	prSlow = 0.6
)

// pull is the power iteration in the form of a pull: in[v] sums give[u] over arcs u → v.
func (k *ranking) pull() *program.Program {
	give, begin, damp := program.F64, beginRanks[float64], dampRanks[float64]
	if k.Float32 {
		give, begin, damp = program.F32, beginRanks[float32], dampRanks[float32]
	}
	p := &program.Program{
		Name: "pagerank",
		Arrays: []program.Array{{Name: "rank", Type: program.F64}, {Name: "give", Type: give, Scratch: true},
			{Name: "in", Type: program.F64, Scratch: true}, {Name: "share", Type: program.F64, Scratch: true}},
		Edges: []program.EdgeOp{
			{Name: "count", From: -1, To: prShare, Arcs: program.Backward, Map: program.One, Combine: program.Sum},
			{Name: "sum", From: prGive, To: prIn, Map: program.Copy, Combine: program.Sum},
		},
		Vertices: []program.VertexOp{
			{Name: "begin", Block: func(b *program.Block) { begin(k, b) }, Device: prBeginDevice},
			{Name: "damp", Block: func(b *program.Block) { damp(k, b) }, Device: prDampDevice},
		},
	}
	if k.ahead {
		p.Vertices[prBegin].Device, p.Vertices[prDamp].Device = prBeginDevice+"ahead[v] = rank[v];", prAheadDevice
		for _, name := range []string{"ahead", "before"} {
			p.Arrays = append(p.Arrays, program.Array{Name: name, Type: program.F64, Scratch: true})
		}
	}
	if k.Multi {
		p.Edges[prCount].Rows, p.Edges[prSum].Rows = copies{}, copies{}
	}
	if k.start != nil || k.warm != nil || k.loops != nil { // the operators read host memory
		p.Vertices[prBegin].Device, p.Vertices[prDamp].Device = "", ""
	}
	return p
}

// Sources for devices: prBeginDevice of beginRanks, the others of dampRanks.
const (
	prBeginDevice = `double degree = share[v];
rank[v] = ARG(0) + ARG(1) * degree;
if (degree == 0) SUM(1, rank[v]);
else {
  share[v] = 1 / degree;
  give[v] = rank[v] * share[v];
}
`
	prDampDevice = `double x = ARG(0) * ARG(3) + ARG(1) * in[v], change = x - rank[v];
SUM(0, change < 0 ? -change : change);
rank[v] = x;
in[v] = 0;
give[v] = x * share[v];
if (share[v] == 0) SUM(1, x);`
	prAheadDevice = `double x = ARG(0) * ARG(3) + ARG(1) * in[v], last = ahead[v], change = x - last, next = x + ARG(2) * (x - before[v]);
SUM(0, change < 0 ? -change : change);
rank[v] = x;
before[v] = last;
ahead[v] = next;
in[v] = 0;
give[v] = next * share[v];`
)

// copies is the sum of values times the numbers of records, or of these alone.
type copies struct{}

// Push implements program.Rows.
func (copies) Push(_ uint32, from float64, _ []uint32, w, out []float64) {
	for i := range out {
		out[i] = from * w[i]
	}
}

// Combine implements program.Rows.
func (copies) Combine(to *float64, v float64) bool { *to += v; return true }

// Pull implements program.Rows.
func (copies) Pull(_ uint32, row []uint32, w, from []float64, _ []uint64, _ float64) (sum float64, ok bool) {
	for i, u := range row {
		if from == nil {
			sum += w[i]
		} else {
			sum += w[i] * from[u]
		}
	}
	return sum, true
}

// beginRanks sets the first ranks, Args[0] + Args[1] × degree unless warm. Sum[1] is the rank of
// vertices without out-arcs.
func beginRanks[T float32 | float64](k *ranking, b *program.Block) {
	rank, give, share := program.Of[float64](b, prRank), program.Of[T](b, prGive), program.Of[float64](b, prShare)
	for i := range rank {
		if rank[i] = b.Args[0] + b.Args[1]*share[i]; k.warm != nil {
			rank[i] = k.warm[b.Lo+uint32(i)]
		}
		if k.loops != nil {
			share[i] += k.loops[b.Lo+uint32(i)]
		}
		if share[i] == 0 {
			b.Sum[1] += rank[i]
			continue
		}
		share[i] = 1 / share[i]
		give[i] = T(rank[i] * share[i])
	}
	if k.ahead {
		copy(program.Of[float64](b, prAhead), rank)
	}
}

// dampRanks sets rank to Args[0]·start + Args[1]·in. Sum[0] is the change of ranks (L1), Sum[1] as
// in beginRanks. Ahead, the next iteration takes ranks that go Args[2] further from those before.
func dampRanks[T float32 | float64](k *ranking, b *program.Block) {
	rank, give, share := program.Of[float64](b, prRank), program.Of[T](b, prGive), program.Of[float64](b, prShare)
	in, base, damping := program.Of[float64](b, prIn), b.Args[0]*k.unit, b.Args[1]
	change, dangling := 0.0, 0.0
	if k.ahead {
		ahead, before := program.Of[float64](b, prAhead), program.Of[float64](b, prBefore)
		for i, sum := range in {
			x := base + damping*sum
			change += math.Abs(x - ahead[i])
			next := x + b.Args[2]*(x-before[i])
			rank[i], before[i], ahead[i], in[i], give[i] = x, ahead[i], next, 0, T(next*share[i])
		}
		b.Sum[0] = change
		return
	}
	for i, sum := range in {
		if k.start != nil {
			base = b.Args[0] * k.start[b.Lo+uint32(i)]
		}
		if k.loops != nil {
			sum += k.loops[b.Lo+uint32(i)] * rank[i] * share[i]
		}
		x := base + damping*sum
		change += math.Abs(x - rank[i])
		rank[i], in[i], give[i] = x, 0, T(x*share[i])
		if share[i] == 0 {
			dangling += x
		}
	}
	b.Sum[0], b.Sum[1] = change, dangling
}

// drive is the body of pull.
func (k *ranking) drive(d *driver, r *PageRankResult) {
	d.pull(prCount)
	base, slope := k.estimate(d.Info())
	_, sums := d.vertices(prBegin, program.All, base, slope)
	_, alone := k.step(1, 0) // ranks of vertices without arcs stay
	dangling := sums.Sum[1] + alone
	spectrum, omega, further := prSpectrum, 2.0, 0.0
	for d.err == nil && r.Iterations < k.MaxIterations && !r.Converged {
		d.pull(prSum)
		jump := 1 - k.Damping
		if k.Dangling == DanglingSpread {
			jump += k.Damping * dangling
		}
		_, sums = d.vertices(prDamp, program.All, jump, k.Damping, further, k.unit)
		omega = 1 / (1 - omega*spectrum*spectrum/4)
		further = omega - 1
		change, alone := k.step(0, jump)
		last := r.Change
		r.Iterations++
		r.Change, dangling = sums.Sum[0]+change, sums.Sum[1]+alone
		if spectrum < k.Damping && r.Iterations > 2 && r.Change > prSlow*last {
			spectrum, omega, further = k.Damping, 2, 0
		}
		r.Converged = r.Change < k.Tolerance
	}
}

// estimate returns a line by degree from which ranks begin. In an undirected graph they are near
// one: what walks along arcs reaches a vertex in proportion to its degree. It is 1/n for all where
// the number of iterations is given, and where ranks do not follow from degrees.
func (k *ranking) estimate(g program.Info) (base, slope float64) {
	if g.Directed || g.Arcs == 0 || k.Tolerance < 0 || k.start != nil || k.warm != nil || k.Multi {
		return k.unit, 0
	}
	jump := 1 - k.Damping
	if k.Dangling == DanglingSpread {
		jump /= 1 - k.Damping*float64(g.Isolated)*k.unit
	}
	base = jump * k.unit
	for i := range k.alone {
		k.alone[i].rank = base
	}
	return base, k.Damping * base * float64(g.Vertices) / (1 - k.Damping) / float64(g.Arcs)
}

// step sets the ranks of vertices without arcs to keep·rank + jump·start, with the arcs to itself of
// one. It returns their change (L1), and the rank of those without any arc.
func (k *ranking) step(keep, jump float64) (change, dangling float64) {
	for i := range k.alone {
		l := &k.alone[i]
		x := keep*l.rank + jump*l.start
		if l.loops && keep == 0 {
			x += k.Damping * l.rank
		}
		if change += l.count * math.Abs(x-l.rank); !l.loops {
			dangling += l.count * x
		}
		l.rank = x
	}
	return change, dangling
}

// PageRank returns the PageRank of every vertex (Page, Brin, Motwani, Winograd 1999) of the
// simple graph, unless o.Multi is set: parallel edges count once, self-loops do not count. Options
// that contradict each other or are out of range are refused: the error wraps ErrArgument. Other
// errors are Run's.
func (e *Engine) PageRank(ctx context.Context, o PageRankOptions) (*PageRankResult, error) {
	if err := o.ensureDefaults(e.n); err != nil {
		return nil, err
	}
	result := &PageRankResult{}
	r, err := inTurn(ctx, e, func(t *turn) (*RunResult, error) {
		if e.n == 0 {
			result.Converged = true
			return &RunResult{labels: e.labels}, nil
		}
		k := &ranking{PageRankOptions: o}
		if err := k.prepare(e); err != nil {
			return nil, err
		}
		p, drive := k.pull, k.drive
		if k.Method == PageRankDelta {
			p, drive = k.delta, k.driveDelta
		}
		r, err := e.run(ctx, t, p(), 0, driven(func(d *driver) { drive(d, result) }))
		if err == nil {
			result.Ranks = k.result(e, r)
		}
		return r, err
	})
	if err != nil {
		return nil, err
	}
	result.RunResult = r
	return result, nil
}
