package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/graph"
)

// BenchmarkKernel runs each kernel of each set on what a search of a Kronecker graph of
// scale 20 gives it: 2^20 ranks, parents among the hubs.
//
//	go test ./kernels/cpu -run '^$' -bench Kernel -count 6
func BenchmarkKernel(b *testing.B) {
	const ranks = 1 << 20
	r := rand.New(rand.NewPCG(21, 22))
	// hub draws neighbours as a scale-free graph has them: the nearer to 0, the likelier.
	hub := func() uint32 { f := r.Float64(); return uint32(f * f * f * f * ranks) }
	firsts, seconds, parent, scattered := make([]uint32, ranks), make([]uint32, ranks), make([]uint32, ranks), make([]uint32, ranks)
	for i := range firsts {
		firsts[i], seconds[i], parent[i] = hub(), hub(), hub()
		if scattered[i] = graph.None; r.IntN(2) == 0 {
			scattered[i] = hub()
		}
	}
	front := make([]uint64, ranks/64+1)
	for i := range uint32(ranks) {
		if r.IntN(2) == 0 && i < ranks/8 {
			front[i/64] |= 1 << (i % 64)
		}
	}
	visited := make([]uint64, ranks/64) // one in eight
	for i := range visited {
		visited[i] = r.Uint64() & r.Uint64() & r.Uint64()
	}
	// Runs of a few ranks of one degree rise by id.
	vertexOf := make([]uint32, ranks)
	for i, v := range r.Perm(ranks) {
		vertexOf[i] = uint32(v)
	}
	for run := range slices.Chunk(vertexOf, 1<<14) {
		slices.Sort(run)
	}
	var rows [][]uint32
	for range 1 << 12 {
		row := make([]uint32, 1+r.IntN(64))
		for i := range row {
			row[i] = ranks - 1 - r.Uint32N(ranks/2) // rarely in the frontier
		}
		rows = append(rows, row)
	}
	entries := 0
	for _, row := range rows {
		entries += len(row)
	}
	seen, next, rest, out, scatter := make([]uint64, len(visited)), make([]uint64, len(visited)), make([]uint32, 64*blockWords+restSlack), make([]uint32, ranks), make([]uint32, ranks)
	blocks := func(f func(lo, hi int)) {
		for lo := 0; lo < len(seen); lo += blockWords {
			f(lo, min(lo+blockWords, len(seen)))
		}
	}
	for _, s := range spreading() {
		for _, k := range []struct {
			name   string
			items  int
			before func()
			run    func()
		}{
			{"probe", ranks, func() { copy(seen, visited) }, func() {
				blocks(func(lo, hi int) {
					s.probe(seen[lo:hi], next[lo:hi], firsts[64*lo:64*hi], seconds[64*lo:64*hi], parent[64*lo:64*hi], rest, front)
				})
			}},
			{"settle", ranks, func() { copy(seen, visited); copy(scatter, scattered) }, func() {
				blocks(func(lo, hi int) { s.settle(scatter[64*lo:64*hi], seen[lo:hi], next[lo:hi], parent[64*lo:64*hi]) })
			}},
			{"scan", entries, nil, func() {
				for _, row := range rows {
					s.scan(row, front)
				}
			}},
			{"spread", entries, nil, func() {
				for i, row := range rows {
					s.spread(row, uint32(i), scatter, rows[(i+spreadAhead)%len(rows)])
				}
			}},
			{"mapBack", ranks, nil, func() { s.mapBack(out, vertexOf, parent, vertexOf, visited) }},
		} {
			b.Run("kernel="+k.name+"/set="+s.name, func(b *testing.B) {
				for b.Loop() {
					if k.before != nil {
						b.StopTimer()
						k.before()
						b.StartTimer()
					}
					k.run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(k.items), "ns/item")
			})
		}
	}
}
