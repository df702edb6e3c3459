package gpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
)

// samplePart has three ranges, the middle one of another partition, whose ranks are n of 2n vertex ids
// in random order.
func samplePart(n uint32) *kernels.Part {
	third := n / 3
	first := func(i uint32) uint32 { return i * ((third + 63) &^ 63) }
	p := &kernels.Part{Index: 1, Ranks: first(3), Ranges: []kernels.Range{
		{First: 0, Vertices: third, Owner: 1}, {First: first(1), Vertices: third}, {First: first(2), Vertices: third, Owner: 1},
	}}
	p.VertexOf = slices.Repeat([]uint32{graph.None}, int(p.Ranks))
	ids := rand.New(rand.NewPCG(1, 2)).Perm(int(2 * n))
	for _, rg := range p.Ranges {
		for k := range rg.Vertices {
			p.VertexOf[rg.First+k], ids = uint32(ids[0]), ids[1:]
		}
	}
	return p
}

// TestPlaces: each own vertex has one place, in the order of ids, whatever the cut into pieces, and
// no other entry is written.
func TestPlaces(t *testing.T) {
	for _, n := range []uint32{3, 30, 99, 3000} {
		part := samplePart(n)
		s := newPlaces(part)
		var own []uint32
		for _, rg := range part.Ranges {
			if rg.Owner == part.Index {
				own = append(own, part.VertexOf[rg.First:rg.First+rg.Vertices]...)
			}
		}
		slices.Sort(own)
		compact := make([]uint32, len(own))
		for k := range own {
			compact[k] = 7 + own[k]
		}
		for _, most := range []int64{32, 33, 64, 1000, 1 << 20} {
			const untouched = 1
			out := slices.Repeat([]uint32{untouched}, int(2*n)+64)
			for lo := 0; lo < s.words(); {
				hi := s.until(lo, most)
				if hi <= lo || s.before(hi)-s.before(lo) > most || hi < s.words() && s.before(hi+1)-s.before(lo) <= most {
					t.Fatalf("%d vertices: from word %d on until(%d) is %d", n, lo, most, hi)
				}
				s.scatter(out, compact[s.before(lo):s.before(hi)], lo, hi)
				lo = hi
			}
			for v, x := range out {
				_, is := slices.BinarySearch(own, uint32(v))
				if is && x != 7+uint32(v) || !is && x != untouched {
					t.Fatalf("%d vertices, pieces of %d: entry %d is %d", n, most, v, x)
				}
			}
		}
	}
}

func BenchmarkPlaces(b *testing.B) {
	part := samplePart(3 << 20)
	s := newPlaces(part)
	out, compact := make([]uint32, 6<<20), make([]uint32, 2<<20)
	b.SetBytes(int64(4 * len(compact)))
	for b.Loop() {
		s.scatter(out, compact, 0, s.words())
	}
}
