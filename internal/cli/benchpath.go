package cli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/record"
)

const benchPathHelp = `bench path times Engine.Path for pairs of vertices drawn at random from those with edges, one at
a time, and a plain bidirectional search over the graph's rows, in five rounds over all pairs. A
pair's time is the median of its five; the median and the 99th percentile over the pairs are printed. GRAPH is as in bench bfs.

  totemgo bench path --graph kron:18 --pairs 1000 --json`

// benchPath prepares "totemgo bench path".
func benchPath(e *env, c *cobra.Command) runner {
	var (
		bf    benchFlags
		pairs int
	)
	bf.add(e, c)
	c.Flags().IntVar(&pairs, "pairs", 200, "number of pairs")
	atLeast(c, "1 or more", "pairs")
	return func(ctx context.Context, _ []string) error { return e.benchPath(ctx, &bf, pairs) }
}

func (e *env) benchPath(ctx context.Context, bf *benchFlags, pairs int) error {
	if err := bf.engine.check(); err != nil {
		return err
	}
	file, err := e.benchGraph(ctx, bf)
	if err != nil {
		return err
	}
	defer file.Close()
	g, err := graph.Build(ctx, file.Source, graph.BuildOptions{Threads: bf.engine.o.Threads})
	if err != nil {
		return err
	}
	p, err := newPlainPaths(ctx, g)
	if err != nil {
		return err
	}
	eng, err := e.newEngine(ctx, bf.graph, g, &bf.engine)
	if err != nil {
		return err
	}
	defer eng.Close()
	doc := record.BenchPath{Setup: eng.Setup(), Graph: bf.graph, Vertices: int64(g.NumVertices()), Edges: g.NumEdges()}
	doc.Director = ""
	pairsOf := p.draw(pairs)
	if doc.Pairs = len(pairsOf); pairsOf == nil {
		return graph500.ErrNoRoots
	}
	// The rounds go over all pairs, so that a pair's rows are as cold in each; round 0 is not timed, and every other one begins
	// with the plain search.
	label := g.VertexLabels().Label
	search := [2]func(from, to uint32) (int, error){
		func(from, to uint32) (int, error) {
			path, err := eng.Path(ctx, label(from), label(to))
			return len(path), err
		},
		func(from, to uint32) (int, error) { return len(p.path(from, to)), nil },
	}
	times := [2][][]float64{make([][]float64, len(pairsOf)), make([][]float64, len(pairsOf))}
	for round := range 1 + pathRounds {
		for i, pair := range pairsOf {
			var vertices [2]int
			for k := range search {
				k = (k + round + 1) % 2
				start := time.Now()
				if vertices[k], err = search[k](pair[0], pair[1]); err != nil {
					return err
				}
				if round > 0 {
					times[k][i] = append(times[k][i], time.Since(start).Seconds())
				}
			}
			if vertices[0] != vertices[1] {
				return fmt.Errorf("path from %d to %d has %d vertices, that of a plain search %d", label(pair[0]), label(pair[1]), vertices[0], vertices[1])
			}
			if round == 0 && vertices[0] > 0 {
				doc.Connected++
				doc.MeanArcs += float64(vertices[0] - 1)
			}
		}
	}
	doc.MeanArcs /= float64(max(1, doc.Connected))
	doc.Path, doc.Plain = quantiles(medians(times[0])), quantiles(medians(times[1]))
	return e.show(record.SchemaBenchPath, &doc, func() {
		e.print("%s, %d pairs, %d connected, mean %.2f arcs\n", bf.graph, doc.Pairs, doc.Connected, doc.MeanArcs)
		e.print("path: median %s, 99th percentile %s\n", seconds(doc.Path.MedianS), seconds(doc.Path.P99S))
		e.print("plain: median %s, 99th percentile %s\n", seconds(doc.Plain.MedianS), seconds(doc.Plain.P99S))
	})
}

// pathRounds is how often a pair is timed.
const pathRounds = 5

// medians returns the median of each pair's times.
func medians(pairs [][]float64) (m []float64) {
	for _, times := range pairs {
		m = append(m, quantiles(times).MedianS)
	}
	return m
}

func quantiles(times []float64) record.BenchQuantiles {
	slices.Sort(times)
	return record.BenchQuantiles{MedianS: times[len(times)/2], P99S: times[(len(times)-1)*99/100], MaxS: times[len(times)-1]}
}

// plainPaths is a bidirectional search over a CSR, with which Engine.Path is compared.
type plainPaths struct {
	rows   [2]*graph.CSR // out-arcs and in-arcs
	parent [2][]uint32   // graph.None for a vertex not reached
	queue  [2][]uint32
}

func newPlainPaths(ctx context.Context, g *graph.CSR) (*plainPaths, error) {
	in, err := g.Transpose(ctx, 0)
	p := &plainPaths{rows: [2]*graph.CSR{g, in}}
	for s := range p.parent {
		p.parent[s] = slices.Repeat([]uint32{graph.None}, g.NumVertices())
	}
	return p, err
}

// draw draws pairs of vertices with arcs.
func (p *plainPaths) draw(n int) (pairs [][2]uint32) {
	var list []uint32
	for v := range uint32(p.rows[0].NumVertices()) {
		if p.rows[0].Degree(v)+p.rows[1].Degree(v) > 0 {
			list = append(list, v)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range min(n, n*len(list)) {
		pairs = append(pairs, [2]uint32{list[r.IntN(len(list))], list[r.IntN(len(list))]})
	}
	return pairs
}

// path returns the vertices of a shortest path, nil without one.
func (p *plainPaths) path(a, b uint32) (path []uint32) {
	if a == b {
		return []uint32{a}
	}
	p.queue = [2][]uint32{append(p.queue[0][:0], a), append(p.queue[1][:0], b)}
	p.parent[0][a], p.parent[1][b] = a, b
	defer func() {
		for s := range p.queue {
			for _, v := range p.queue[s] {
				p.parent[s][v] = graph.None
			}
		}
	}()
	for at := [2]int{}; at[0] < len(p.queue[0]) && at[1] < len(p.queue[1]); {
		s := 0
		if len(p.queue[1])-at[1] < len(p.queue[0])-at[0] {
			s = 1
		}
		own, other := p.parent[s], p.parent[1-s]
		for end := len(p.queue[s]); at[s] < end; at[s]++ {
			u := p.queue[s][at[s]]
			for _, v := range p.rows[s].Row(u) {
				if own[v] != graph.None {
					continue
				}
				own[v] = u
				p.queue[s] = append(p.queue[s], v)
				if other[v] == graph.None {
					continue
				}
				for x := v; x != a; x = p.parent[0][x] {
					path = append(path, x)
				}
				path = append(path, a)
				slices.Reverse(path)
				for x := v; x != b; {
					x = p.parent[1][x]
					path = append(path, x)
				}
				return path
			}
		}
	}
	return nil
}
