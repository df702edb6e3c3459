package partition_test

import (
	"slices"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/partition"
)

// TestOrient: every edge is in one row, with its number of arcs, rows rise and lead to vertices of
// higher degree. Memory is what was predicted, and free at the end.
func TestOrient(t *testing.T) {
	for _, directed := range []bool{false, true} {
		g := &graph.EdgeList{Vertices: 300, Directed: directed, Edges: ref.RMAT(3, 8, 3000)}
		type pair struct{ u, v uint32 }
		arcs, degree := map[pair]bool{}, map[uint32]uint32{}
		for _, e := range g.Edges {
			if e.U != e.V && !arcs[pair{e.U, e.V}] {
				if arcs[pair{e.U, e.V}] = true; !arcs[pair{e.V, e.U}] {
					degree[e.U]++
					degree[e.V]++
				} else if !directed {
					delete(arcs, pair{e.U, e.V})
				}
			}
		}
		for _, policy := range []partition.Policy{partition.HubsOnCPU, partition.Random, partition.Original} {
			before := hugemem.Live()
			p, err := partition.New(t.Context(), g, partition.Options{Policy: policy, Seed: 1,
				Processors: []partition.Processor{{Name: "cpu"}, {Name: "cpu"}, {Name: "cpu"}}})
			if err != nil {
				t.Fatal(err)
			}
			placed := hugemem.Live()
			o, err := p.Orient(t.Context(), 2)
			if err != nil {
				t.Fatal(err)
			}
			if took := hugemem.Live().Bytes - placed.Bytes; took > p.OrientedBytes() || !directed && took+4*int64(p.Ranks)+4*int64(p.MaxDegree+2) < p.OrientedBytes()-20*64*4 {
				t.Errorf("%s, directed %v: %d bytes, %d predicted", policy, directed, took, p.OrientedBytes())
			}
			found := 0
			for v, rank := range o.Rank {
				row := o.To[o.Offsets[v]:o.Offsets[v+1]]
				if !slices.IsSorted(row) || len(row) > 0 && int(row[len(row)-1]) >= v {
					t.Fatalf("%s: row %d is %v", policy, v, row)
				}
				id := p.VertexOf[rank]
				if o.Degree[v] != degree[id] {
					t.Errorf("%s: vertex %d has degree %d, want %d", policy, id, o.Degree[v], degree[id])
				}
				for i, w := range row {
					u := p.VertexOf[o.Rank[w]]
					out, in := arcs[pair{id, u}], arcs[pair{u, id}]
					if both := out && in; !out && !in || directed && both != (o.Arcs[o.Offsets[v]+uint64(i)] == 2) {
						t.Errorf("%s: edge %d–%d: arcs %v, %v", policy, id, u, out, in)
					}
					if !directed && o.Degree[w] < o.Degree[v] {
						t.Errorf("%s: edge from degree %d to %d", policy, o.Degree[v], o.Degree[w])
					}
					found++
				}
			}
			sum := uint32(0)
			for _, d := range degree {
				sum += d
			}
			if found != int(sum)/2 || len(o.Rank) != len(degree) {
				t.Errorf("%s: %d edges of %d vertices, want %d of %d", policy, found, len(o.Rank), sum/2, len(degree))
			}
			o.Free()
			if hugemem.Live() != placed {
				t.Errorf("left: %+v, placed %+v", hugemem.Live(), placed)
			}
			p.Release(1)
			if _, err := p.Orient(t.Context(), 1); err == nil {
				t.Error("after Release: no error")
			}
			p.Close()
			if hugemem.Live() != before {
				t.Errorf("left: %+v, before %+v", hugemem.Live(), before)
			}
		}
	}
}
