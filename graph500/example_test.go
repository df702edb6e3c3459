package graph500_test

import (
	"context"
	"fmt"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph500"
)

// A run at a small scale: 64 searches, each tree checked by all rules.
func ExampleRun() {
	r, err := graph500.Run(context.Background(), graph500.Config{Scale: 10}, graph500.WithEngine(engine.Options{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.NBFS, "searches,", r.Validation.Passed, "valid,", r.Validation.Failed, "not")
	fmt.Println("median edges", r.BFS.MedianNEdge)
	fmt.Println("TEPS are known:", *r.BFS.HarmonicMeanTEPS > 0)
	// Output:
	// 64 searches, 64 valid, 0 not
	// median edges 16239
	// TEPS are known: true
}
