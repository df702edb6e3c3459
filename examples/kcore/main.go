// Command kcore prints the core number of every vertex: the largest k such that it belongs to a
// subgraph in which all degrees are at least k. It reads arcs as undirected edges.
//
//	kcore GRAPH
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/program"
)

const degree, lost, coreness = 0, 1, 2 // arrays

var kcore = &program.Program{
	Name:   "kcore",
	Arrays: []program.Array{{Name: "degree", Type: program.I32}, {Name: "lost", Type: program.I32}, {Name: "core", Type: program.I32}},
	Edges: []program.EdgeOp{
		{Name: "count", From: -1, To: degree, Map: program.One, Combine: program.Sum},
		{Name: "drop", From: -1, To: lost, Map: program.One, Combine: program.Sum},
	},
	Vertices: []program.VertexOp{{Name: "peel", Block: peel}},
}

// peel removes the vertices of degree k or less, k = Args[0]: they stay in the set. Removed
// vertices have a negative degree. Min is the smallest degree of those that remain.
func peel(b *program.Block) {
	d, l, c := program.Of[int32](b, degree), program.Of[int32](b, lost), program.Of[int32](b, coreness)
	k := int32(b.Args[0])
	for i := range b.Each() {
		d[i], l[i] = d[i]-l[i], 0
		if d[i] >= 0 && d[i] <= k {
			c[i], d[i] = k, -1<<30
			continue
		}
		if b.Drop(i); d[i] >= 0 {
			b.Min = min(b.Min, float64(d[i]))
		}
	}
}

func body(m program.Machine) error {
	_, err := m.EdgeMap(0, program.Step{Way: program.Pull, From: program.All})
	for k, left := 0.0, m.Info().Vertices; err == nil && left > 0; {
		f, rest, failure := m.VertexMap(0, program.All, k)
		for left -= f.Count; failure == nil && f.Count > 0; left -= f.Count {
			m.EdgeMap(1, program.Step{Way: program.Push}) // VertexMap returns its failure
			f, rest, failure = m.VertexMap(0, program.All, k)
		}
		k, err = rest.Min, failure
	}
	return err
}

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run writes the label and the core number of every vertex, a line each.
func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: kcore GRAPH")
	}
	f, err := graphio.Open(ctx, args[0], graphio.Options{Direction: graphio.Undirected})
	if err != nil {
		return err
	}
	e, err := engine.New(ctx, f.Source, engine.Options{})
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	defer e.Close()
	r, err := e.Run(ctx, kcore, body)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	for v, k := range engine.ArrayOf[int32](r, coreness) {
		fmt.Fprintf(w, "%d\t%d\n", r.Label(uint32(v)), k)
	}
	return w.Flush()
}
