package cpu

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/graph"
)

// block is the state of a run of words that a kernel works on.
type block struct {
	probeBlock
	scatter []uint32
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
	for k := range nearColumns {
		b.near[k], b.nearID[k] = []uint32{}, []uint32{}
	}
	b.far, b.long = make([]uint64, words), make([]uint64, words)
	for i := range rows {
		b.parent = append(b.parent, r.Uint32())
		degree := r.IntN(nearColumns + 3) // as many neighbours, or one that is absent from near
		for k := range nearColumns {
			u := ranks
			if k < degree {
				u = neighbour()
			}
			if u == ranks {
				degree = k
			}
			b.near[k] = append(b.near[k], u)
			b.nearID[k] = append(b.nearID[k], r.Uint32())
		}
		if degree > 2 {
			b.far[i/64] |= 1 << (i % 64)
		}
		if degree > nearColumns {
			b.long[i/64] |= 1 << (i % 64)
		}
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
	b.rest = make([]uint32, 64*words+restSlack)
	return b
}

func (b *block) clone() *block {
	c := *b
	c.seen, c.next, c.parent = slices.Clone(b.seen), slices.Clone(b.next), slices.Clone(b.parent)
	c.rest, c.scatter = slices.Clone(b.rest), slices.Clone(b.scatter)
	return &c
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
			wn := probeGeneric(&want.probeBlock)
			gn := s.probe(&got.probeBlock)
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
		n := probeGeneric(&c.probeBlock)
		rest := c.rest[:n]
		in := func(u uint32) bool { return b.front[u/64]>>(u%64)&1 != 0 }
		for i := range b.parent {
			w, bit := i/64, uint64(1)<<(i%64)
			var want uint32
			hit := false
			for k := 0; k < nearColumns && !hit && b.seen[w]&bit == 0; k++ {
				hit, want = in(b.near[k][i]), b.nearID[k][i]
			}
			if !hit && b.seen[w]&bit == 0 && b.long[w]&bit != 0 {
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

// TestByRank checks byRank by its rule.
func TestByRank(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 63, 64, 65, 127, 128, 129, 200, 1000} {
		for _, p := range []float64{0, 0.5, 1} {
			b := newBlock(r, (n+63)/64, 0, 20, p, 0)
			vertexOf, out := permutation(r, n), make([]uint32, n)
			byRank(out, vertexOf, b.parent[:n], b.seen)
			for i, v := range vertexOf {
				want := graph.None
				if b.seen[i/64]>>(i%64)&1 != 0 {
					want = b.parent[i]
				}
				if out[v] != want {
					t.Fatalf("entry %d is %d, want %d", v, out[v], want)
				}
			}
		}
	}
}

func permutation(r *rand.Rand, n int) []uint32 {
	list := make([]uint32, n)
	for i, v := range r.Perm(n) {
		list[i] = uint32(v)
	}
	return list
}

// mapped is a case for byVertex: ranks of n vertices, some without, and their parents.
func mapped(r *rand.Rand, n int) (rankOf, parent []uint32) {
	parent = make([]uint32, 1+r.IntN(2*n+1))
	for i := range parent {
		parent[i] = r.Uint32()
	}
	for range n {
		rank := graph.None
		if r.IntN(4) > 0 {
			rank = r.Uint32N(uint32(len(parent)))
		}
		rankOf = append(rankOf, rank)
	}
	return rankOf, parent
}

// mapping are the sets, plain Go with the twin.
func mapping() []kernelSet {
	sets := available()
	for i := range sets {
		if sets[i].byVertex == nil {
			sets[i].byVertex = byVertexGeneric
		}
	}
	return sets
}

// TestByVertex compares every set's byVertex with its rule.
func TestByVertex(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, s := range mapping() {
		for n := range 100 {
			rankOf, parent := mapped(r, n)
			out := make([]uint32, n)
			s.byVertex(out, rankOf, parent)
			for v, rank := range rankOf {
				want := uint32(0) // as it was
				if rank != graph.None {
					want = parent[rank]
				}
				if out[v] != want {
					t.Fatalf("%s: %d vertices: entry %d is %d, want %d", s.name, n, v, out[v], want)
				}
			}
		}
	}
}

// TestKernelNames: plain Go comes last, and what is unknown is refused by name.
func TestKernelNames(t *testing.T) {
	names := Kernels()
	if names[len(names)-1] != "generic" {
		t.Errorf("kernels are %v", names)
	}
	for spec, want := range map[string]string{
		"": "generic", "auto": "generic", names[0]: names[0], "probe=generic, settle=" + names[0]: "",
		"mapBack=auto": "generic",
	} {
		p := New(1)
		if err := p.Use(spec); err != nil {
			t.Error(err)
		} else if got := p.KernelSet(); want != "" && got != want || want == "" && p.kernels[1].set != names[0] {
			t.Errorf("%q: %s", spec, got)
		}
	}
	for _, spec := range []string{"sse", "probe", "probe=sse", "prove=generic", "probe=generic,", "generic,probe=generic", "="} {
		if err := New(1).Use(spec); !errors.Is(err, ErrKernels) {
			t.Errorf("%q: %v", spec, err)
		}
	}
}
