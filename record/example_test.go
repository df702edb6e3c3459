package record_test

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/totemgo/totemgo/record"
)

// Documents of the command are read into the types of this package, here that of
//
//	totemgo bfs tiny.el --root 1 --json >bfs.json
func Example() {
	data, err := os.ReadFile("testdata/bfs.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	var head record.Head // which document is it?
	if err := json.Unmarshal(data, &head); err != nil || head.Schema != record.SchemaBFS {
		fmt.Println(head.Schema, err)
		return
	}
	var doc record.BFS
	if err := json.Unmarshal(data, &doc); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(doc.Reached, "vertices, depth", doc.Depth)
	for _, l := range doc.Levels {
		fmt.Println("level", l.Level, l.Direction, l.Frontier)
	}
	// Output:
	// 6 vertices, depth 2
	// level 0 top-down 1
	// level 1 top-down 3
	// level 2 top-down 2
}
