package graph_test

import (
	"context"
	"fmt"

	"github.com/totemgo/totemgo/graph"
)

// Ids of 64 bits, with gaps, become dense ones; the labels lead back.
func ExampleCompact() {
	follows := []graph.Pair64{{U: 1 << 40, V: 7}, {U: 7, V: 900}, {U: 900, V: 1 << 40}}
	edges, labels, err := graph.Compact(context.Background(), [][]graph.Pair64{follows}, graph.CompactOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	list := &graph.EdgeList{Vertices: labels.Len(), Directed: true, Edges: edges, Labels: labels}
	fmt.Println(list.Vertices, "vertices:", list.Edges)
	fmt.Println("vertex 2 is", labels.Label(2))
	id, err := labels.ID(900)
	fmt.Println("900 is vertex", id, err)
	_, err = labels.ID(8)
	fmt.Println(err)
	// Output:
	// 3 vertices: [{2 0} {0 1} {1 2}]
	// vertex 2 is 1099511627776
	// 900 is vertex 1 <nil>
	// graph: no such vertex: 8 is none of the 3 ids between 7 and 1099511627776
}
