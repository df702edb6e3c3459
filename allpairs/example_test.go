package allpairs_test

import (
	"context"
	"fmt"

	"github.com/totemgo/totemgo/allpairs"
	"github.com/totemgo/totemgo/graph"
)

func ExampleSolve() {
	g, err := graph.Build(context.Background(), &graph.EdgeList{Vertices: 3, Directed: true,
		Edges: []graph.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 0, V: 2}}, Weights: graph.WeightsOf([]int32{4, -1, 5})}, graph.BuildOptions{})
	if err != nil {
		panic(err)
	}
	m, _, err := allpairs.Solve[int32](context.Background(), g, allpairs.Options{})
	if err != nil {
		panic(err)
	}
	defer m.Free()
	fmt.Println(m.At(0, 2), m.At(2, 0) == allpairs.Unreachable[int32](allpairs.Shortest))
	// Output: 3 true
}
