package gen

import (
	"cmp"
	"context"
	"math/bits"

	"github.com/totemgo/totemgo/graph"
)

// Limits of options. Vertex ids have 32 bits, but for KroneckerOptions.FillWide.
const (
	MinScale          = 1
	MaxScale          = 31
	MaxKroneckerScale = 42
	MaxEdgeFactor     = 1 << 24
)

// maxEdges bounds the edges of a graph, so that the bytes of a file of 16 a tuple are an int64.
const maxEdges = int64(1) << 58

// Defaults of Graph500.
const (
	DefaultEdgeFactor = 16
	DefaultSeed1      = 2
	DefaultSeed2      = 3
)

// KroneckerOptions describe the Graph500 graph of version 3.0 of its reference code.
// They are a Recipe.
type KroneckerOptions struct {
	// Scale is the binary logarithm of the number of vertices, MinScale..MaxKroneckerScale. Above
	// MaxScale there is Size and FillWide only.
	Scale int
	// EdgeFactor is the number of edges per vertex, at most MaxEdgeFactor; 0 means
	// DefaultEdgeFactor.
	EdgeFactor int
	// Seed1 and Seed2 choose the graph; both 0 means DefaultSeed1 and DefaultSeed2.
	Seed1, Seed2 uint64
	// Threads bounds the goroutines that make edges; 0 means GOMAXPROCS.
	Threads int
	// Weights asks for float32 weights in [0, 1]: about 1 of 2^25 is 1, and 0 occurs.
	Weights bool
	// Progress, if set, receives the number of edges made, now and then and at the end.
	// It is called from one goroutine at a time.
	Progress func(done, total int64)
}

// Size implements Recipe.
func (o KroneckerOptions) Size() (Size, error) {
	factor := cmp.Or(o.EdgeFactor, DefaultEdgeFactor)
	err := cmp.Or(
		checkRange("scale", int64(o.Scale), MinScale, MaxKroneckerScale),
		checkRange("edge factor", int64(factor), 1, min(MaxEdgeFactor, maxEdges>>max(o.Scale, 0))))
	if err != nil {
		return Size{}, err
	}
	n := int64(1) << o.Scale
	return sizeOf(n, n*int64(factor), o.Weights), nil
}

func (o KroneckerOptions) seeds() (a, b uint64) {
	if o.Seed1 == 0 && o.Seed2 == 0 {
		return DefaultSeed1, DefaultSeed2
	}
	return o.Seed1, o.Seed2
}

func (o KroneckerOptions) hooks() hooks { return hooks{o.Threads, o.Weights, o.Progress} }

// Fill implements Recipe.
func (o KroneckerOptions) Fill(ctx context.Context, from int64, edges []graph.Edge, weights []float32) error {
	if err := checkRange("scale", int64(o.Scale), MinScale, MaxScale); err != nil {
		return err
	}
	k := newKronecker(o)
	return fill(ctx, o, from, edges, weights, func(from int64, edges []graph.Edge, weights []float32) {
		k.fill(from, len(edges), weights, func(i int, u, v uint64) { edges[i] = graph.Edge{U: uint32(u), V: uint32(v)} })
	})
}

// FillWide is Fill for ids of 64 bits, at any scale, with the same errors.
func (o KroneckerOptions) FillWide(ctx context.Context, from int64, edges []graph.Pair64, weights []float32) error {
	k := newKronecker(o)
	return fill(ctx, o, from, edges, weights, func(from int64, edges []graph.Pair64, weights []float32) {
		k.fill(from, len(edges), weights, func(i int, u, v uint64) { edges[i] = graph.Pair64{U: u, V: v} })
	})
}

// kronecker makes edges.
type kronecker struct {
	scale  int
	start  mrgState  // the seeded state
	powers mrgPowers // up to 2^127 steps
	scramble
}

// edgeShift: edge i starts i·2^edgeShift steps after the seeded state.
const edgeShift = 64

func newKronecker(o KroneckerOptions) *kronecker {
	k := &kronecker{scale: o.Scale, start: seeded(o.seeds()), powers: newPowers(134)}
	s := k.powers.skip(k.start, 50, 128)
	s = k.powers.skip(s, 7, 64)
	r0, r1, r2, r3 := s.next(), s.next(), s.next(), s.next()
	k.scramble = newScramble(o.Scale, r0*0xFFFFFFFF+r1, r2*0xFFFFFFFF+r3)
	return k
}

// Quadrant limits, of kroneckerRange: (0,1) below limitA, (1,0) below limitB, (0,0)
// below limitC, else (1,1).
const (
	kroneckerRange = 10000
	limitA         = 1900
	limitB         = 3800
	limitC         = 9500
	// reject: smaller outputs are drawn again, so that the rest divides evenly.
	reject = mrgP % kroneckerRange
)

// fill makes n edges from edge number from on, which it passes to put, and their weights, unless they are nil.
func (k *kronecker) fill(from int64, n int, weights []float32, put func(i int, u, v uint64)) {
	jump := *k.powers[edgeShift]
	s := k.powers.skip(k.start, uint64(from), edgeShift)
	scramble := k.scramble
	for i := range n {
		z1, z2, z3, z4, z5 := s[0], s[1], s[2], s[3], s[4]
		var u, v uint64
		same := uint64(1) // 1 while u = v
		for level := 0; level < k.scale; {
			// z's are kept below 2^31+2^27, not below mrgP: that is one operation less
			// in the chain from draw to draw.
			x := reduce58(mrgA1*z1 + mrgA5*z5)
			z1, z2, z3, z4, z5 = x, z1, z2, z3, z4
			if x >= mrgP {
				x -= mrgP
			}
			if x < reject {
				continue
			}
			q := x % kroneckerRange
			belowA, belowB, notC := (q-limitA)>>63, (q-limitB)>>63, (limitC-1-q)>>63
			bitV := belowA | notC
			bitU := belowA ^ belowB | notC
			swap := (belowA ^ belowB) & same
			bitU ^= swap
			bitV ^= swap
			same &^= bitU ^ bitV
			u, v = u<<1|bitU, v<<1|bitV
			level++
		}
		put(i, scramble.id(u), scramble.id(v))
		if weights != nil {
			last := mrgState{z1, z2, z3, z4, z5}
			weights[i] = float32(float64(float32(last.next())) * 4.65661287524579692e-10)
		}
		s = jump.apply(s)
	}
}

// scramble is a permutation of 0 … 2^scale−1.
type scramble struct {
	sum, mul0, mul1 uint64
	shift           int
}

func newScramble(scale int, val0, val1 uint64) scramble {
	return scramble{
		sum:   val0 + val1,
		mul0:  val0 | 0x4519840211493211,
		mul1:  val1 | 0x3050852102C843A5,
		shift: 64 - scale,
	}
}

func (s *scramble) id(x uint64) uint64 {
	x += s.sum
	x = bits.Reverse64(x*s.mul0) >> s.shift
	return bits.Reverse64(x*s.mul1) >> s.shift
}
