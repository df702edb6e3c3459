package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
)

// A CSR is a source of the same records as the list it was built from, in any number
// of blocks.
func TestCSRBlocks(t *testing.T) {
	type record struct {
		e graph.Edge
		w float64
	}
	sorted := func(src graph.Source, blocks int) (records []record) {
		var buf []graph.Edge
		for i := range src.Blocks(blocks) {
			w := src.BlockWeights(blocks, i)
			buf = src.Block(blocks, i, buf)
			if w.Len() != len(buf) {
				t.Fatalf("block %d of %d: %d records, %d weights", i, blocks, len(buf), w.Len())
			}
			for j, e := range buf {
				if !src.IsDirected() && e.U > e.V {
					e.U, e.V = e.V, e.U
				}
				records = append(records, record{e, w.Float64(j)})
			}
			if _, list := src.(*graph.EdgeList); list {
				buf = nil
			}
		}
		slices.SortFunc(records, func(a, b record) int {
			if a.e.U != b.e.U {
				return int(int64(a.e.U) - int64(b.e.U))
			}
			if a.e.V != b.e.V {
				return int(int64(a.e.V) - int64(b.e.V))
			}
			return int(a.w - b.w)
		})
		return records
	}
	for _, directed := range []bool{false, true} {
		for _, m := range []int{0, 1, 17, 3000} {
			l := randomList(5, 200, m, directed, graph.Int64)
			g, err := graph.Build(context.Background(), l, graph.BuildOptions{})
			if err != nil {
				t.Fatal(err)
			}
			want := sorted(l, 1)
			for _, blocks := range []int{1, 2, 3, 7, 100, 10000} {
				if got := sorted(g, blocks); !slices.Equal(got, want) {
					t.Errorf("directed %v, %d records: %d blocks hold other records", directed, m, blocks)
				}
			}
		}
	}
}

func TestCSRAgainstOracles(t *testing.T) {
	for _, g := range ref.Corpus() {
		csr, err := graph.Build(context.Background(), g.List, graph.BuildOptions{})
		if err != nil {
			t.Fatalf("%s: %v", g.Name, err)
		}
		if err := csr.Validate(); err != nil {
			t.Errorf("%s: %v", g.Name, err)
		}
		if csr.NumVertices() != g.List.Vertices || csr.NumEdges() != g.List.NumEdges() || csr.IsDirected() != g.List.Directed {
			t.Errorf("%s: %d vertices, %d edges", g.Name, csr.NumVertices(), csr.NumEdges())
		}
		for _, root := range g.Roots() {
			if !slices.Equal(ref.Levels(csr, root), ref.Levels(g.List, root)) {
				t.Errorf("%s: levels from %d differ", g.Name, root)
			}
		}
	}
}

// parts is the undirected graph 0–1, 0–1, 0–2, 1–1 on three vertices.
func parts() graph.CSRParts {
	return graph.CSRParts{
		Offsets: []uint64{0, 3, 6, 7},
		Targets: []uint32{1, 1, 2, 0, 0, 1, 0},
		Weights: graph.WeightsOf([]int32{5, 6, 7, 6, 5, 8, 7}),
	}
}

func TestNewCSR(t *testing.T) {
	g, err := graph.NewCSR(parts())
	if err != nil {
		t.Fatal(err)
	}
	if g.NumVertices() != 3 || g.NumEdges() != 4 || g.NumArcs() != 7 || g.SelfLoops() != 1 || g.Duplicates() != 1 ||
		g.Degree(0) != 3 || g.WeightKind() != graph.Int32 || g.VertexLabels().Len() != 3 {
		t.Errorf("%d vertices, %d edges, %d arcs, %d loops, %d duplicates", g.NumVertices(), g.NumEdges(), g.NumArcs(), g.SelfLoops(), g.Duplicates())
	}
	if err := g.Validate(); err != nil {
		t.Error(err)
	}

	p := parts()
	p.Targets = []uint32{2, 1, 1, 0, 1, 0, 0}
	if _, err := graph.NewCSR(p); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("unsorted rows: %v", err)
	}

	released := 0
	p = graph.CSRParts{Directed: true, Offsets: []uint64{0, 1, 2}, Targets: []uint32{1, 1}, Release: func() { released++ }}
	d, err := graph.NewCSR(p)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := d.Transpose(context.Background(), 1)
	if err != nil || !slices.Equal(tr.Targets(), []uint32{0, 1}) || tr.Degree(1) != 2 {
		t.Errorf("transpose %v: %v", tr.Targets(), err)
	}
	tr.Release()
	d.Release()
	if released != 1 {
		t.Errorf("released %d times", released)
	}

	p = parts()
	p.Trusted, p.Loops, p.Weights = true, 1, graph.Weights{}
	if g, err := graph.NewCSR(p); err != nil || g.NumEdges() != 4 || g.Validate() != nil {
		t.Errorf("trusted: %v", err)
	}
	p.Loops = 2
	if g, err := graph.NewCSR(p); err != nil || g.Validate() == nil {
		t.Errorf("trusted, with a wrong number of self-loops: %v", err)
	}
}

// Every rule is broken once, and named.
func TestValidateNamesTheRule(t *testing.T) {
	for _, c := range []struct {
		rule  string
		spoil func(p *graph.CSRParts)
	}{
		{"offsets have an entry for each vertex", func(p *graph.CSRParts) { p.Offsets = nil }},
		{"offsets go from 0", func(p *graph.CSRParts) { p.Offsets[0] = 1 }},
		{"offsets go from 0", func(p *graph.CSRParts) { p.Offsets[3] = 8 }},
		{"offsets do not fall", func(p *graph.CSRParts) { p.Offsets[1] = 7 }},
		{"offsets do not fall", func(p *graph.CSRParts) { p.Offsets[1] = 1 << 63 }},
		{"each arc has a weight", func(p *graph.CSRParts) { p.Weights = p.Weights.Slice(0, 6) }},
		{"each vertex has a label", func(p *graph.CSRParts) { p.Labels = graph.IdentityLabels(4, 0) }},
		{"targets are vertices", func(p *graph.CSRParts) { p.Targets[2] = 3 }},
		{"rows rise", func(p *graph.CSRParts) { p.Targets[1] = 0 }},
		{"an undirected graph holds both arcs", func(p *graph.CSRParts) { p.Targets[1] = 2 }},
		{"an undirected graph holds both arcs", func(p *graph.CSRParts) { p.Targets[4] = 1 }},
		{"an undirected graph holds both arcs", func(p *graph.CSRParts) { p.Targets[6] = 1 }},
		{"an undirected graph holds both arcs", func(p *graph.CSRParts) {
			copy(p.Targets, []uint32{0, 1, 1}) // none from 0 to 2
			p.Weights = graph.Weights{}
		}},
		{"both arcs of an edge have the same weight", func(p *graph.CSRParts) {
			p.Weights = graph.WeightsOf([]int32{5, 6, 7, 6, 6, 8, 7})
		}},
	} {
		p := parts()
		c.spoil(&p)
		_, err := graph.NewCSR(p)
		if !errors.Is(err, graph.ErrInvalid) || !strings.Contains(fmt.Sprint(err), c.rule) {
			t.Errorf("%v, want %q", err, c.rule)
		}
	}
}

// Arbitrary parts are refused or make a graph that validates and can be read.
func FuzzNewCSR(f *testing.F) {
	f.Add([]byte{3, 6, 7}, []byte{1, 1, 2, 0, 0, 1, 0}, false)
	f.Add([]byte{2, 2, 4}, []byte{0, 1, 3, 3}, true)
	f.Fuzz(func(t *testing.T, ends, targets []byte, directed bool) {
		p := graph.CSRParts{Directed: directed, Offsets: []uint64{0}, Threads: 1}
		for _, e := range ends {
			p.Offsets = append(p.Offsets, uint64(e))
		}
		for _, x := range targets {
			p.Targets = append(p.Targets, uint32(x))
		}
		g, err := graph.NewCSR(p)
		if err != nil {
			if !errors.Is(err, graph.ErrInvalid) {
				t.Fatal(err)
			}
			return
		}
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		again, err := graph.Build(context.Background(), g, graph.BuildOptions{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if again.NumEdges() != g.NumEdges() || !slices.Equal(again.Targets(), g.Targets()) ||
			again.SelfLoops() != g.SelfLoops() || again.Duplicates() != g.Duplicates() {
			t.Fatal("the graph built from the CSR differs")
		}
	})
}
