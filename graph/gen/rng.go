package gen

import "github.com/totemgo/totemgo/internal/mix"

// stream is a SplitMix64 generator (Steele, Lea and Flood, 2014). Each edge has a
// stream of its own, so that edges can be made in any order.
type stream struct{ state uint64 }

// newStream is the stream of edge i. Different purposes have different salts.
func newStream(seed, salt uint64, i int64) stream {
	return stream{mix.Mix(mix.Mix(seed+salt*mix.Golden) ^ uint64(i)*0xd1342543de82ef95)}
}

func (s *stream) next() uint64 {
	s.state += mix.Golden
	return mix.Mix(s.state)
}

// below returns a number below n; its bias is under n/2^64.
func (s *stream) below(n uint64) uint64 { return mix.Below(s.next(), n) }

// Salts.
const (
	saltEdges = iota + 1
	saltWeights
	saltNames
)

// fillWeights makes the weights of edges from … : multiples of 2^−24 in (0, 1].
func fillWeights(seed uint64, from int64, weights []float32) {
	for i := range weights {
		s := newStream(seed, saltWeights, from+int64(i))
		weights[i] = float32(s.next()>>40+1) * (1.0 / (1 << 24))
	}
}
