package engine

import (
	"github.com/totemgo/totemgo/program"
)

// Arrays and operators of betweenness.
const (
	bcPaths = iota // shortest paths from the root, 0 for an unvisited vertex
	bcIn           // what a step collects: paths, then shares
	bcGive         // (1 + dependency) ÷ paths
	bcScore

	bcCount = 0 // edge operators
	bcBack  = 1

	bcUnseen = 0 // vertex operators
	bcMove   = 1
	bcShare  = 2
)

// numbers are those of the paths from a root.
type numbers interface{ float64 | uint64 }

// brandes declares Brandes' algorithm (2001) for one root: paths are counted level by level, forward, dependencies
// summed up backward. sum adds numbers up along arcs.
func brandes[T numbers](name string, sum program.EdgeOp, move, share program.VertexOp) *program.Program {
	t, count, back := program.TypeOf[T](), sum, sum
	count.Name, count.From, count.To = "count", bcPaths, bcIn
	back.Name, back.From, back.To, back.Arcs = "back", bcGive, bcIn, program.Backward
	unseen := program.VertexOp{Name: "unseen", Device: "if (paths[v] != 0) DROP;\nin[v] = 0;", Block: func(b *program.Block) {
		paths, in := program.Of[T](b, bcPaths), program.Of[T](b, bcIn)
		for i := range b.Each() {
			if in[i] = 0; paths[i] != 0 {
				b.Drop(i)
			}
		}
	}}
	move.Name, share.Name = "move", "share"
	return &program.Program{
		Name: name,
		Arrays: []program.Array{{Name: "paths", Type: t, Scratch: true}, {Name: "in", Type: t, Scratch: true},
			{Name: "give", Type: t, Scratch: true}, {Name: "score", Type: program.F64}},
		Edges: []program.EdgeOp{count, back}, Vertices: []program.VertexOp{unseen, move, share},
	}
}

// betweenness counts in float64, up to pathsLimit paths.
var betweenness = brandes[float64]("betweenness", program.EdgeOp{Rows: floatSum{}, Device: `#define IDENTITY 0.0
FN double send(uint u, double from, double w) { return from; }
FN uint merge(double* to, double x) { *to += x; return 1; }
`}, program.VertexOp{Block: movePaths(pathsLimit), Device: movePathsDevice + "SUM(0, paths[v] > 0x1p960 ? 1 : 0);\nMIN(-paths[v]);"},
	program.VertexOp{Block: sharePaths[float64](
		func(paths, in float64) float64 { return paths * in }, func(f, paths float64) float64 { return f / paths },
	), Device: `double d = paths[v] * in[v];
score[v] += ARG(0) * d;
give[v] = (1 + d) / paths[v];
` + forgetDevice})

// pathsLimit leaves room for one more level, and for 1 ÷ paths.
const pathsLimit = 0x1p960

// floatSum is the sum of float64.
type floatSum struct{}

// Push implements program.Rows.
func (floatSum) Push(_ uint32, from float64, _ []uint32, _, out []float64) {
	for i := range out {
		out[i] = from
	}
}

// Combine implements program.Rows.
func (floatSum) Combine(to *float64, v float64) bool {
	*to += v
	return true
}

// Pull implements program.Rows. Four sums at a time hide the latency of an addition.
func (floatSum) Pull(_ uint32, row []uint32, _, from []float64, set []uint64, _ float64) (float64, bool) {
	var a, b, c, d float64
	if set == nil {
		for ; len(row) >= 4; row = row[4:] {
			a += from[row[0]]
			b += from[row[1]]
			c += from[row[2]]
			d += from[row[3]]
		}
	}
	for _, u := range row {
		if set == nil || set[u/64]>>(u%64)&1 != 0 {
			a += from[u]
		}
	}
	a += b + (c + d)
	return a, a != 0
}

// movePaths ends the count of a level: it drops the vertices without paths and those visited before. Sum[0] is the
// number of those with more paths than limit, Min the largest number of paths of float64, negated.
func movePaths[T numbers](limit T) func(*program.Block) {
	return func(b *program.Block) {
		paths, in, give, most := program.Of[T](b, bcPaths), program.Of[T](b, bcIn), program.Of[T](b, bcGive), T(0)
		for i := range b.Each() {
			if paths[i] != 0 || in[i] == 0 {
				b.Drop(i)
			} else {
				paths[i], give[i] = in[i], 0
				most = max(most, in[i])
			}
			in[i] = 0
		}
		if b.Min = -float64(most); most > limit {
			b.Sum[0]++
		}
	}
}

// sharePaths ends the collection of a level: it adds Args[0] × the dependency to the score and forgets the vertex.
func sharePaths[T numbers](product func(paths, in T) float64, quotient func(f float64, paths T) T) func(*program.Block) {
	return func(b *program.Block) {
		paths, in, give := program.Of[T](b, bcPaths), program.Of[T](b, bcIn), program.Of[T](b, bcGive)
		score := program.Of[float64](b, bcScore)
		for i := range b.Each() {
			dependency := product(paths[i], in[i])
			score[i] += b.Args[0] * dependency
			give[i] = quotient(1+dependency, paths[i])
			paths[i], in[i] = 0, 0
		}
		clear(b.Set)
	}
}

const (
	movePathsDevice = `if (paths[v] != 0 || in[v] == 0) DROP;
else {
  paths[v] = in[v];
  give[v] = 0;
}
in[v] = 0;
`
	forgetDevice = `paths[v] = in[v] = 0;
DROP;`
)
