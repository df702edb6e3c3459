package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/program"
)

// friends is 0–1–2–3 and 1–3, with 4 apart.
func friends() *graph.EdgeList {
	return &graph.EdgeList{Vertices: 5, Edges: []graph.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}, {U: 1, V: 3}}}
}

// A search returns a tree: every vertex that was reached, with its parent.
func ExampleEngine_BFS() {
	ctx := context.Background()
	e, err := engine.New(ctx, friends(), engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	r, err := e.BFS(ctx, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.NumReached, "vertices, depth", r.Depth)
	for v, parent := range r.Tree() {
		fmt.Println(v, "from", parent)
	}
	fmt.Println("reached", r.Reached(), "levels", r.Levels())
	// Output:
	// 4 vertices, depth 2
	// 0 from 0
	// 1 from 0
	// 2 from 1
	// 3 from 1
	// reached {0,1,2,3} levels [0 1 2 2 -1]
}

// Many searches share one result: its memory is used again.
func ExampleEngine_BFSInto() {
	ctx := context.Background()
	e, err := engine.New(ctx, friends(), engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	r := e.NewResult()
	defer r.Free()
	for _, root := range []uint64{0, 2, 4, 9} {
		err := e.BFSInto(ctx, root, r)
		switch {
		case errors.Is(err, graph.ErrNoVertex):
			fmt.Println(root, "is no vertex")
		case err != nil:
			fmt.Println(err)
		default:
			fmt.Println(root, "reaches", r.NumReached)
		}
	}
	// Output:
	// 0 reaches 4
	// 2 reaches 4
	// 4 reaches 1
	// 9 is no vertex
}

// A context ends a search within a superstep; the engine works on.
func ExampleEngine_BFS_deadline() {
	ctx := context.Background()
	const n = 1 << 20 // a path: as many levels as vertices
	list := &graph.EdgeList{Vertices: n, Edges: make([]graph.Edge, n-1)}
	for v := range uint32(n - 1) {
		list.Edges[v] = graph.Edge{U: v, V: v + 1}
	}
	e, err := engine.New(ctx, list, engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	soon, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	_, err = e.BFS(soon, 0)
	fmt.Println(err, errors.Is(err, context.DeadlineExceeded))
	r, err := e.BFS(ctx, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("depth", r.Depth)
	// Output:
	// context deadline exceeded true
	// depth 1048575
}

// Two processors, the vertices of high degree on the first, and how each level went.
func ExampleNew() {
	ctx := context.Background()
	procs, err := engine.ParseProcessors("cpu:1,cpu:1")
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := engine.New(ctx, friends(), engine.Options{
		Processors: procs, Placement: partition.HubsOnCPU, Shares: []float64{0.4, 0.6}, Director: "bottom-up",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	for _, p := range e.Processors() {
		fmt.Printf("%s: %d vertices, %d arcs\n", p.Name, p.Vertices, p.Edges)
	}
	r := e.NewResult()
	defer r.Free()
	r.Statistics = &bsp.Statistics{}
	if err := e.BFSInto(ctx, 0, r); err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range r.Statistics.Levels {
		fmt.Println(l.Level, l.Direction, l.Frontier)
	}
	// Output:
	// cpu:1: 1 vertices, 3 arcs
	// cpu:1: 3 vertices, 5 arcs
	// 0 bottom-up 1
	// 1 bottom-up 1
	// 2 bottom-up 2
}

// Vertices of one component have one label, the smallest id.
func ExampleEngine_Components() {
	ctx := context.Background()
	e, err := engine.New(ctx, friends(), engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	r, err := e.Components(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Labels, r.Sizes())
	// Output:
	// [0 0 0 0 4] [4 1]
}

// Vertices of one strong component reach each other along arcs.
func ExampleEngine_StrongComponents() {
	ctx := context.Background()
	links := &graph.EdgeList{Vertices: 4, Directed: true, Edges: []graph.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 1}, {U: 2, V: 3}}}
	e, err := engine.New(ctx, links, engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	r, err := e.StrongComponents(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for v, label := range r.All() {
		fmt.Println(v, label)
	}
	fmt.Println(r.Count(), r.Sizes())
	// Output:
	// 0 0
	// 1 1
	// 2 1
	// 3 3
	// 3 [2 1 1]
}

func ExampleEngine_PageRank() {
	ctx := context.Background()
	e, err := engine.New(ctx, friends(), engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	r, err := e.PageRank(ctx, engine.PageRankOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for id, rank := range r.All() {
		fmt.Printf("%d %.3f\n", id, rank)
	}
	// Output:
	// 0 0.136
	// 1 0.353
	// 2 0.237
	// 3 0.237
	// 4 0.036
}

// Lengths have the kind of the weights; vertex 4 is not reached.
func ExampleEngine_SSSP() {
	ctx := context.Background()
	g := friends()
	g.Weights = graph.WeightsOf([]int32{1, 4, 1, 2})
	e, err := engine.New(ctx, g, engine.Options{Weights: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	r, err := e.SSSP(ctx, 0, engine.SSSPOptions{Parents: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for v, d := range engine.DistancesOf[int64](r)[:r.NumReached] {
		fmt.Printf("%d: %d over %d\n", v, d, r.Parents[v])
	}
	_, ok := r.Distance(4)
	fmt.Println(ok)
	// Output:
	// 0: 0 over 0
	// 1: 1 over 0
	// 2: 4 over 3
	// 3: 3 over 1
	// false
}

// A program of one's own: the number of neighbours of every vertex.
func ExampleEngine_Run() {
	ctx := context.Background()
	e, err := engine.New(ctx, friends(), engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	degrees := &program.Program{
		Name:   "degrees",
		Arrays: []program.Array{{Name: "degree", Type: program.I32}},
		Edges:  []program.EdgeOp{{Name: "count", From: -1, To: 0, Map: program.One, Combine: program.Sum}},
	}
	r, err := e.Run(ctx, degrees, func(m program.Machine) error {
		_, err := m.EdgeMap(0, program.Step{Way: program.Pull, From: program.All})
		return err
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(engine.ArrayOf[int32](r, 0))
	// Output:
	// [1 3 2 2 0]
}

// Reach finds what several roots reach together.
func ExampleEngine_Reach() {
	ctx := context.Background()
	list := &graph.EdgeList{Vertices: 6, Directed: true, Edges: []graph.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 3, V: 2}, {U: 4, V: 5}}}
	e, err := engine.New(ctx, list, engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	r, err := e.Reach(ctx, 1, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.NumReached, "vertices:", slices.Collect(r.All()))
	// Output: 4 vertices: [1 2 4 5]
}

// Triangles come with the clustering coefficients of vertices and of the graph.
func ExampleEngine_Triangles() {
	ctx := context.Background()
	e, err := engine.New(ctx, friends(), engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	r, err := e.Triangles(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Count, r.Triangles)
	fmt.Printf("%.2f, transitivity %.2f, average %.2f\n", r.Clustering, r.Transitivity(), r.Average())
	// Output:
	// 1 [0 1 1 1 0]
	// [0.00 0.33 1.00 1.00 0.00], transitivity 0.60, average 0.47
}

// The 2-core is the triangle.
func ExampleEngine_KCore() {
	ctx := context.Background()
	e, err := engine.New(ctx, friends(), engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	r, err := e.KCore(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Cores, r.Degeneracy)
	// Output:
	// [1 2 2 2 0] 2
}

// Labels are those after ten iterations, or earlier where none changes any more.
func ExampleEngine_CDLP() {
	ctx := context.Background()
	e, err := engine.New(ctx, friends(), engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	r, err := e.CDLP(ctx, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Labels, r.Count(), "communities after", r.Iterations, "iterations")
	// Output:
	// [0 0 0 0 4] 2 communities after 5 iterations
}

// Closeness sums up the distances between all vertices; Diameter finds the largest.
func ExampleEngine_Closeness() {
	ctx := context.Background()
	e, err := engine.New(ctx, friends(), engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	r, err := e.Closeness(ctx, engine.ClosenessOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for v := range uint32(3) {
		fmt.Printf("%d: closeness %.2f, harmonic %.1f, eccentricity %d\n", v, r.Closeness(v, false), r.Harmonic(v), r.Eccentricity[v])
	}
	fmt.Println("pairs by distance:", r.Hops)
	// Output:
	// 0: closeness 0.45, harmonic 2.0, eccentricity 2
	// 1: closeness 0.75, harmonic 3.0, eccentricity 1
	// 2: closeness 0.56, harmonic 2.5, eccentricity 2
	// pairs by distance: [5 8 4]
}

func ExampleEngine_Diameter() {
	ctx := context.Background()
	e, err := engine.New(ctx, friends(), engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	r, err := e.Diameter(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Diameter, "in a component of", r.Vertices)
	// Output: 2 in a component of 4
}

// Betweenness tells through which vertices shortest paths lead.
func ExampleEngine_Betweenness() {
	ctx := context.Background()
	e, err := engine.New(ctx, friends(), engine.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	r, err := e.Betweenness(ctx, engine.BetweennessOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Scores)
	// Output: [0 2 0 0 0]
}
