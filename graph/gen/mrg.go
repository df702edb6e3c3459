package gen

// This file is the random number stream of Graph500: the multiple recursive
// generator of L'Ecuyer, Blouin and Couture ("A search for good multiple recursive
// random number generators", 1993, table 3, k = 5).

// mrgP is the modulus, 2^31−1.
const mrgP = 1<<31 - 1

// The coefficients: next = (mrgA1·z1 + mrgA5·z5) mod mrgP.
const (
	mrgA1 = 107374182
	mrgA5 = 104480
)

// mrgState is (z1 … z5); every word is below mrgP.
type mrgState [5]uint64

// mrgMatrix maps a state to a later one.
type mrgMatrix [5][5]uint64

// seeded returns the state of seeds a and b.
func seeded(a, b uint64) mrgState {
	const low = 0x3fffffff
	return mrgState{
		a&low + 1, a>>30&low + 1,
		b&low + 1, b>>30&low + 1,
		b>>60<<4 + a>>60 + 1,
	}
}

// next draws one output.
func (s *mrgState) next() uint64 {
	x := reduce58(mrgA1*s[0] + mrgA5*s[4])
	if x >= mrgP {
		x -= mrgP
	}
	s[4], s[3], s[2], s[1], s[0] = s[3], s[2], s[1], s[0], x
	return x
}

// float64 draws two outputs and returns a number in [0, 1].
func (s *mrgState) float64() float64 {
	r := float64(s.next()) * 4.65661287524579692e-10
	// The conversion keeps compilers from fusing the product into the sum.
	low := float64(float64(s.next()) * 2.168404344971008868e-19)
	return float64(r) + low
}

// reduce58 returns a number below 2^31+2^27 that is x modulo mrgP, for x < 2^58.
func reduce58(x uint64) uint64 { return x&mrgP + x>>31 }

// dot is a·b modulo mrgP. Words are below 2^31, so four products fit in 64 bits.
func dot(a *[5]uint64, b0, b1, b2, b3, b4 uint64) uint64 {
	x := a[0]*b0 + a[1]*b1 + a[2]*b2
	x = x&mrgP + x>>31
	x += a[3]*b3 + a[4]*b4
	x = x&mrgP + x>>31
	x = x&mrgP + x>>31
	if x >= mrgP {
		x -= mrgP
	}
	return x
}

// apply returns m·s.
func (m *mrgMatrix) apply(s mrgState) mrgState {
	return mrgState{
		dot(&m[0], s[0], s[1], s[2], s[3], s[4]),
		dot(&m[1], s[0], s[1], s[2], s[3], s[4]),
		dot(&m[2], s[0], s[1], s[2], s[3], s[4]),
		dot(&m[3], s[0], s[1], s[2], s[3], s[4]),
		dot(&m[4], s[0], s[1], s[2], s[3], s[4]),
	}
}

// square returns m·m.
func (m *mrgMatrix) square() *mrgMatrix {
	var r mrgMatrix
	for i := range m {
		for j := range m {
			r[i][j] = dot(&m[i], m[0][j], m[1][j], m[2][j], m[3][j], m[4][j])
		}
	}
	return &r
}

// mrgPowers[k] advances a state by 2^k steps.
type mrgPowers []*mrgMatrix

// newPowers returns the powers up to 2^(bits−1).
func newPowers(bits int) mrgPowers {
	p := make(mrgPowers, bits)
	p[0] = &mrgMatrix{
		{mrgA1, 0, 0, 0, mrgA5},
		{1, 0, 0, 0, 0},
		{0, 1, 0, 0, 0},
		{0, 0, 1, 0, 0},
		{0, 0, 0, 1, 0},
	}
	for k := 1; k < bits; k++ {
		p[k] = p[k-1].square()
	}
	return p
}

// skip returns the state n·2^shift steps after s.
func (p mrgPowers) skip(s mrgState, n uint64, shift int) mrgState {
	for k := shift; n != 0; k, n = k+1, n>>1 {
		if n&1 != 0 {
			s = p[k].apply(s)
		}
	}
	return s
}
