package engine

import (
	"math"

	"github.com/totemgo/totemgo/program"
)

// A scaled number is not negative: 0, or (1 + m ÷ 2^42) × 2^(e − scaledBias), with m in its 42 low bits and e above.
// Numbers of shortest paths are beyond float64: a chain of 3,000 diamonds has 2^3000.
const (
	scaledBits   = 42
	scaledOnes   = uint64(1)<<scaledBits - 1
	scaledBias   = 1 << 21
	scaledOne    = uint64(scaledBias) << scaledBits
	scaledMargin = 64 // a level multiplies by less than 2^32
	scaledLimit  = uint64(2*scaledBias-scaledMargin) << scaledBits
)

// manyPaths counts in scaled numbers.
var manyPaths = brandes[uint64]("betweenness of many paths", program.EdgeOp{Rows: scaledSum{}, Device: scaledSumDevice},
	program.VertexOp{Block: movePaths(scaledLimit), Device: movePathsDevice + "SUM(0, (paths[v] >> 42) >= 4194240 ? 1 : 0);\nMIN(-(double)paths[v]);"},
	program.VertexOp{Block: sharePaths(product, quotient), Device: scaledShareDevice + forgetDevice})

// scaledSum is the sum of scaled numbers.
type scaledSum struct{}

// Push implements program.Rows.
func (scaledSum) Push(_ uint32, from uint64, _ []uint32, _, out []uint64) {
	for i := range out {
		out[i] = from
	}
}

// Combine implements program.Rows.
func (scaledSum) Combine(to *uint64, v uint64) bool {
	if *to == 0 {
		*to = v
	} else {
		*to = addScaled(*to, v)
	}
	return true
}

// Pull implements program.Rows. It sums up in float64, relative to the exponent of the first source.
func (scaledSum) Pull(_ uint32, row []uint32, _, from, set []uint64, _ uint64) (uint64, bool) {
	sum, base := 0.0, int64(-1)<<30
	for _, u := range row {
		if set != nil && set[u/64]>>(u%64)&1 == 0 {
			continue
		}
		x := from[u]
		e := int64(x>>scaledBits) - base
		if uint64(e+500) > 1000 {
			if e < 0 || x == 0 {
				continue
			}
			sum = math.Ldexp(sum, int(-min(e, 5000)))
			base, e = base+e, 0
		}
		sum += math.Float64frombits(uint64(e+1023)<<52 | (x&scaledOnes)<<(52-scaledBits))
	}
	if sum == 0 {
		return 0, false
	}
	return toScaled(sum, base), true
}

// fraction returns x as a number from 1 to below 2, and the exponent of 2 that it is to be multiplied with.
func fraction(x uint64) (float64, int) {
	return math.Float64frombits(1023<<52 | (x&scaledOnes)<<(52-scaledBits)), int(x>>scaledBits) - scaledBias
}

// toScaled is f × 2^(e − scaledBias); f is positive.
func toScaled(f float64, e int64) uint64 {
	f, k := math.Frexp(f) // from 0.5 to below 1
	return uint64(e+int64(k)-1)<<scaledBits + uint64(math.Round(f*(1<<(scaledBits+1)))) - scaledOnes - 1
}

// addScaled is x + y.
func addScaled(x, y uint64) uint64 {
	f, e := fraction(max(x, y))
	g, d := fraction(min(x, y))
	return toScaled(f+math.Ldexp(g, d-e), int64(e+scaledBias))
}

// product is x · y, in which 0 is allowed, as a float64.
func product(x, y uint64) float64 {
	if x == 0 || y == 0 {
		return 0
	}
	f, d := fraction(x)
	g, e := fraction(y)
	return math.Ldexp(f*g, d+e)
}

// quotient is f ÷ y.
func quotient(f float64, y uint64) uint64 {
	g, e := fraction(y)
	return toScaled(f/g, int64(scaledBias-e))
}

// Sources of the operators for devices.
const (
	scaledSumDevice = `#define IDENTITY ((u64)0)
FN u64 send(uint u, u64 from, u64 w) { return from; }
FN uint merge(u64* to, u64 x) {
  u64 ones = ((u64)1 << 42) - 1, hi = *to > x ? *to : x, lo = *to > x ? x : *to, apart = (hi >> 42) - (lo >> 42);
  if (lo != 0 && apart < 54) {
    u64 sum = (((hi & ones) + ones + 1) << 8) + ((((lo & ones) + ones + 1) << 8) >> apart), up = sum >> 51;
    hi = (((hi >> 42) + up) << 42) + ((sum + ((u64)128 << up)) >> (8 + up)) - ones - 1;
  }
  *to = hi;
  return 1;
}
`
	scaledShareDevice = `u64 ones = ((u64)1 << 42) - 1, s = paths[v], b = in[v];
double f = (double)((s & ones) + ones + 1) / 4398046511104.0, d = 0;
int e = (int)(s >> 42) - 2097152, k = 0;
if (b) {
  int up = e + (int)(b >> 42) - 2097152;
  double by = up < 0 ? 0.5 : 2.0;
  d = f * ((double)((b & ones) + ones + 1) / 4398046511104.0);
  up = up < 0 ? -up : up;
  for (up = up > 1100 ? 1100 : up; up; up >>= 1) {
    if (up & 1) d *= by;
    by *= by;
  }
}
score[v] += ARG(0) * d;
f = (1 + d) / f;
while (f >= 2) { f *= 0.5; k++; }
while (f < 1) { f *= 2; k--; }
give[v] = ((u64)(2097152 + k - e) << 42) + (u64)(f * 4398046511104.0 + 0.5) - ones - 1;
`
)
