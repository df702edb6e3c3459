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
	var near, nearID [nearColumns][]uint32
	parent, scattered, long := make([]uint32, ranks), make([]uint32, ranks), make([]uint64, ranks/64)
	far := make([]uint64, ranks/64)
	for k := range nearColumns {
		near[k], nearID[k] = make([]uint32, ranks), make([]uint32, ranks)
	}
	for i := range parent {
		parent[i] = hub()
		// Half of the rows have two neighbours, a quarter more than near holds.
		degree := []int{2, 2, 3, nearColumns + 1}[r.IntN(4)]
		for k := range nearColumns {
			if near[k][i] = ranks; k < degree {
				near[k][i], nearID[k][i] = hub(), r.Uint32N(ranks)
			}
		}
		if degree > 2 {
			far[i/64] |= 1 << (i % 64)
		}
		if degree > nearColumns {
			long[i/64] |= 1 << (i % 64)
		}
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
	vertexOf, rankOf := permutation(r, ranks), make([]uint32, ranks)
	for run := range slices.Chunk(vertexOf, 1<<14) {
		slices.Sort(run)
	}
	for rank, v := range vertexOf {
		rankOf[v] = uint32(rank)
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
					p := probeBlock{seen: seen[lo:hi], next: next[lo:hi], far: far[lo:hi], long: long[lo:hi], parent: parent[64*lo : 64*hi], rest: rest, front: front}
					for k := range nearColumns {
						p.near[k], p.nearID[k] = near[k][64*lo:64*hi], nearID[k][64*lo:64*hi]
					}
					s.probe(&p)
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
			{"mapBack", ranks, nil, func() {
				if s.byVertex != nil {
					s.byVertex(out, rankOf, parent)
				} else {
					byRank(out, vertexOf, parent, visited)
				}
			}},
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
