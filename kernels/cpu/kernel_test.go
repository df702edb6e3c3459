package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/graph"
)

// block is the state of a run of words that a kernel works on.
type block struct {
	seen, next                             []uint64
	firsts, seconds, parent, rest, scatter []uint32
	front                                  []uint64
	all                                    []uint32
}

// newBlock makes a block of words whose last one may be padded, beside a frontier of
// so many words; bits of seen and front are set with the given probabilities.
func newBlock(r *rand.Rand, words, pad, frontWords int, seen, front float64) *block {
	b := &block{}
	rows := 64*words - pad
	ranks := uint32(64 * frontWords)
	neighbour := func() uint32 {
		if r.IntN(8) == 0 {
			return ranks // none: in no frontier
		}
		return r.Uint32N(ranks)
	}
	bit := func(p float64) (w uint64) {
		for i := range 64 {
			if r.Float64() < p {
				w |= 1 << i
			}
		}
		return w
	}
	for range words {
		b.seen = append(b.seen, bit(seen))
		b.next = append(b.next, r.Uint64())
	}
	if words > 0 && pad > 0 {
		b.seen[words-1] |= ^uint64(0) << (64 - pad)
	}
	for range rows {
		b.firsts = append(b.firsts, neighbour())
		b.seconds = append(b.seconds, neighbour())
		b.parent = append(b.parent, r.Uint32())
	}
	for range 64 * words {
		u := neighbour()
		if u == ranks {
			u = graph.None
		}
		b.scatter = append(b.scatter, u)
	}
	for range frontWords {
		b.front = append(b.front, bit(front))
	}
	b.front = append(b.front, 0)
	for range ranks {
		b.all = append(b.all, r.Uint32())
	}
	b.rest = make([]uint32, 64*words+restSlack)
	return b
}

func (b *block) clone() *block {
	return &block{
		seen: slices.Clone(b.seen), next: slices.Clone(b.next), firsts: b.firsts, seconds: b.seconds, parent: slices.Clone(b.parent),
		rest: slices.Clone(b.rest), scatter: slices.Clone(b.scatter), front: b.front, all: b.all,
	}
}

// blocks runs f over blocks of many shapes.
func blocks(t *testing.T, f func(b *block)) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, words := range []int{0, 1, 2, 3, 17, 64} {
		for _, pad := range []int{0, 1, 15, 16, 17, 33, 48, 63} {
			if words == 0 && pad > 0 {
				continue
			}
			for _, seen := range []float64{0, 0.3, 0.98, 1} {
				for _, front := range []float64{0, 0.01, 0.5, 1} {
					f(newBlock(r, words, pad, 1+r.IntN(40), seen, front))
				}
			}
		}
	}
}

func sets(t *testing.T) []kernelSet {
	var list []kernelSet
	for _, s := range available() {
		if s.name != "generic" {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		t.Skip("this processor, or build, has the plain Go kernels alone")
	}
	return list
}

// TestProbe compares every set's probe with the plain one, and that with its words.
func TestProbe(t *testing.T) {
	for _, s := range sets(t) {
		blocks(t, func(b *block) {
			want, got := b.clone(), b.clone()
			wn := probeGeneric(want.seen, want.next, want.firsts, want.seconds, want.parent, want.rest, want.front)
			gn := s.probe(got.seen, got.next, got.firsts, got.seconds, got.parent, got.rest, got.front)
			if gn != wn || !slices.Equal(got.rest[:gn], want.rest[:wn]) {
				t.Fatalf("%s: rest %v, want %v", s.name, got.rest[:gn], want.rest[:wn])
			}
			if !slices.Equal(got.seen, want.seen) || !slices.Equal(got.next, want.next) {
				t.Fatalf("%s: seen or next differ from plain Go's", s.name)
			}
			for i, u := range got.parent {
				// The parent of a vertex that stays unvisited means nothing.
				if got.seen[i/64]>>(i%64)&1 != 0 && u != want.parent[i] {
					t.Fatalf("%s: parent %d is %d, want %d", s.name, i, u, want.parent[i])
				}
			}
		})
	}
}

// TestProbeRule checks plain Go's probe, vertex by vertex.
func TestProbeRule(t *testing.T) {
	blocks(t, func(b *block) {
		c := b.clone()
		n := probeGeneric(c.seen, c.next, c.firsts, c.seconds, c.parent, c.rest, c.front)
		rest := c.rest[:n]
		in := func(u uint32) bool { return b.front[u/64]>>(u%64)&1 != 0 }
		for i := range b.firsts {
			w, bit := i/64, uint64(1)<<(i%64)
			var want uint32
			hit := b.seen[w]&bit == 0
			switch {
			case !hit:
			case in(b.firsts[i]):
				want = b.firsts[i]
			case in(b.seconds[i]):
				want = b.seconds[i]
			default:
				hit = false
				if len(rest) == 0 || rest[0] != uint32(i) {
					t.Fatalf("vertex %d is missing in rest", i)
				}
				rest = rest[1:]
			}
			if hit != (c.next[w]&bit != 0) || (hit || b.seen[w]&bit != 0) != (c.seen[w]&bit != 0) {
				t.Fatalf("vertex %d: hit is %v", i, hit)
			}
			if hit && c.parent[i] != want || b.seen[w]&bit != 0 && c.parent[i] != b.parent[i] {
				t.Fatalf("vertex %d: parent %d", i, c.parent[i])
			}
		}
		if len(rest) > 0 {
			t.Fatalf("rest holds %v too many", rest)
		}
	})
}

// TestSettle compares every set's settle, the plain one with its rule.
func TestSettle(t *testing.T) {
	for _, s := range available() {
		blocks(t, func(b *block) {
			for len(b.parent) < len(b.scatter) {
				b.parent = append(b.parent, 0)
			}
			c := b.clone()
			s.settle(c.scatter, c.seen, c.next, c.parent)
			for i, u := range b.scatter {
				w, bit := i/64, uint64(1)<<(i%64)
				fresh := u != graph.None && b.seen[w]&bit == 0
				if c.scatter[i] != graph.None {
					t.Fatalf("%s: scatter entry %d is left", s.name, i)
				}
				if fresh != (c.next[w]&bit != 0) || (fresh || b.seen[w]&bit != 0) != (c.seen[w]&bit != 0) {
					t.Fatalf("%s: vertex %d: fresh is %v", s.name, i, fresh)
				}
				if fresh && c.parent[i] != u || !fresh && c.parent[i] != b.parent[i] {
					t.Fatalf("%s: vertex %d: parent %d", s.name, i, c.parent[i])
				}
			}
		})
	}
}

// spreading are the sets, those without a spread of their own with the twin.
func spreading() []kernelSet {
	sets := available()
	for i := range sets {
		if sets[i].spread == nil {
			sets[i].spread = spreadGeneric
		}
	}
	return sets
}

// TestSpread compares every set's spread, and the twin, with the rule.
func TestSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, s := range spreading() {
		for n := range 40 {
			scatter := slices.Repeat([]uint32{graph.None}, 1+r.IntN(200))
			draw := func(n int) []uint32 {
				row := make([]uint32, n)
				for i := range row {
					row[i] = r.Uint32N(uint32(len(scatter)))
				}
				return row
			}
			row, ahead := draw(n), draw(r.IntN(40))
			s.spread(row, 7, scatter, ahead)
			for i, u := range scatter {
				if want := slices.Contains(row, uint32(i)); want && u != 7 || !want && u != graph.None {
					t.Fatalf("%s: %d entries: place %d holds %d", s.name, n, i, u)
				}
			}
		}
	}
}

// TestScan compares every set's scan with a walk.
func TestScan(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range available() {
		for n := range 70 {
			for _, p := range []float64{0, 0.02, 0.3} {
				b := newBlock(r, 2, 0, 9, 0, p)
				row := make([]uint32, n)
				for i := range row {
					row[i] = r.Uint32N(64 * 9)
				}
				want := len(row)
				for i, u := range row {
					if b.front[u/64]>>(u%64)&1 != 0 {
						want = i
						break
					}
				}
				if got := s.scan(row, b.front); got != want {
					t.Fatalf("%s: scan of %d entries is %d, want %d", s.name, n, got, want)
				}
			}
		}
	}
}

// TestMapBack compares every set's mapBack with its rule.
func TestMapBack(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, s := range available() {
		for _, n := range []int{0, 1, 63, 64, 65, 127, 128, 129, 200, 1000} {
			for _, p := range []float64{0, 0.5, 1} {
				b := newBlock(r, (n+63)/64, 0, 20, p, 0)
				vertexOf := make([]uint32, n)
				for i, v := range r.Perm(n) {
					vertexOf[i] = uint32(v)
				}
				parent := b.parent[:n]
				for i := range parent {
					if b.seen[i/64]>>(i%64)&1 != 0 {
						parent[i] = r.Uint32N(64 * 20)
					}
				}
				out := make([]uint32, n)
				s.mapBack(out, vertexOf, parent, b.all, b.seen)
				for i, v := range vertexOf {
					want := graph.None
					if b.seen[i/64]>>(i%64)&1 != 0 {
						want = b.all[parent[i]]
					}
					if out[v] != want {
						t.Fatalf("%s: entry %d is %d, want %d", s.name, v, out[v], want)
					}
				}
			}
		}
	}
}

// TestKernelNames: the best comes first, plain Go last, and an unknown one is refused.
func TestKernelNames(t *testing.T) {
	names := Kernels()
	if names[len(names)-1] != "generic" {
		t.Errorf("kernels are %v", names)
	}
	for _, n := range append([]string{"", "auto"}, names...) {
		if _, err := kernelsByName(n); err != nil {
			t.Error(err)
		}
	}
	if _, err := kernelsByName("sse"); err == nil {
		t.Error("unknown kernels are found")
	}
}
