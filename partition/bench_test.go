package partition_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/partition"
)

// BenchmarkNew builds the benchmark's Kronecker graphs from tuples in memory, for one
// processor and for two.
func BenchmarkNew(b *testing.B) {
	for _, scale := range []int{16, 20, 22} {
		for _, word := range []string{"c", "cc"} {
			b.Run(fmt.Sprintf("scale=%d/processors=%d", scale, len(word)), func(b *testing.B) {
				l, err := gen.Make(context.Background(), gen.KroneckerOptions{Scale: scale, EdgeFactor: 16})
				if err != nil {
					b.Fatal(err)
				}
				if l.Release != nil {
					defer l.Release()
				}
				b.SetBytes(8 * int64(len(l.Edges)))
				for b.Loop() {
					p, err := partition.New(context.Background(), l, partition.Options{Processors: procs(word)})
					if err != nil {
						b.Fatal(err)
					}
					p.Close()
				}
			})
		}
	}
}
