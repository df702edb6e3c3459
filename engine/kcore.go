package engine

import (
	"context"

	"github.com/totemgo/totemgo/program"
)

// Arrays and operators of kcore.
const (
	kcDegree = iota // arcs to vertices that remain, −1 once removed
	kcLost          // arcs to vertices that were removed in the last step
	kcCore

	kcCount = 0 // edge operators
	kcDrop  = 1
)

// kcore removes vertices of small degree: a vertex of degree k or less, for the smallest k such
// that there are some, has core number k.
var kcore = &program.Program{
	Name: "k-core",
	Arrays: []program.Array{{Name: "degree", Type: program.I32, Scratch: true}, {Name: "lost", Type: program.I32, Scratch: true},
		{Name: "core", Type: program.I32}},
	Edges: []program.EdgeOp{
		{Name: "count", From: -1, To: kcDegree, Arcs: program.Both, Map: program.One, Combine: program.Sum},
		{Name: "drop", From: -1, To: kcLost, Arcs: program.Both, Map: program.One, Combine: program.Sum},
	},
	Vertices: []program.VertexOp{{Name: "peel", Block: peel}},
}

// peel removes the vertices of degree Args[0] or less: they stay in the set. Min is the smallest degree of
// the others.
func peel(b *program.Block) {
	degree, lost, core := program.Of[int32](b, kcDegree), program.Of[int32](b, kcLost), program.Of[int32](b, kcCore)
	k, least := int32(b.Args[0]), int32(1<<31-1)
	for i := range b.Each() {
		d := degree[i] - lost[i]
		if lost[i] = 0; degree[i] >= 0 && d <= k {
			core[i], degree[i] = k, -1
			continue
		}
		if b.Drop(i); degree[i] >= 0 {
			degree[i] = d
			least = min(least, d)
		}
	}
	b.Min = float64(least)
}

// KCoreResult are the cores of a graph. The k-core is the largest subgraph in which all degrees are at
// least k.
type KCoreResult struct {
	*RunResult
	// Cores holds the core number of every vertex, by dense id: the largest k such that the k-core has it.
	Cores []int32
	// Degeneracy is the largest core number.
	Degeneracy int32
}

// KCore returns the core number of every vertex. The graph is simple; the degree of a vertex in a
// directed graph is its number of out-arcs and in-arcs. Processors that cannot run it are refused by
// name: errors are those of Run.
func (e *Engine) KCore(ctx context.Context) (*KCoreResult, error) {
	r, err := e.Run(ctx, kcore, driven(func(d *driver) {
		d.pull(kcCount)
		for k, left := 0.0, d.Info().Vertices; d.err == nil && left > 0; {
			f, rest := d.vertices(0, program.All, k)
			next := rest.Min // at most the smallest degree once f is removed
			for left -= f.Count; f.Count > 0; left -= f.Count {
				d.edges(kcDrop, program.Step{Way: program.Push})
				f, rest = d.vertices(0, program.Default, k)
				next = min(next, rest.Min)
			}
			k = next
		}
	}))
	if err != nil {
		return nil, err
	}
	c := &KCoreResult{RunResult: r, Cores: ArrayOf[int32](r, kcCore)}
	for _, k := range c.Cores {
		c.Degeneracy = max(c.Degeneracy, k)
	}
	return c, nil
}
