package kernels

// Message is a set of ranks of one range, in host memory: empty, a list or a bitmap,
// whichever is smaller (AsList). The receiver must not change it.
type Message struct {
	// Count is the number of ranks.
	Count int
	// List holds the ranks, each once, in any order; nil if Bits is used or Count is 0. It
	// may alias the sender's frontier.
	List []uint32
	// Bits holds one word per 32 ranks of the range, padding included: bit i%32 of word i/32
	// for rank First+i. nil if List is used or Count is 0.
	Bits []uint32
	// Values is nil or a []T with a value per rank, in the order of List or of Bits. Dense says
	// that List and Bits are nil and that Values has one for each rank of the range, padding
	// included; Count is then the range's number of vertices.
	Values any
	Dense  bool
}

// Bytes is the size of the message in bytes.
func (m Message) Bytes() int64 {
	n := 4 * int64(len(m.List)+len(m.Bits))
	switch v := m.Values.(type) {
	case nil:
	case []uint32:
		n += 4 * int64(len(v))
	case []int32:
		n += 4 * int64(len(v))
	case []float32:
		n += 4 * int64(len(v))
	case []uint64:
		n += 8 * int64(len(v))
	case []int64:
		n += 8 * int64(len(v))
	case []float64:
		n += 8 * int64(len(v))
	}
	return n
}

// AsList reports whether c of b ranks are sent as a list: 32·c < b.
func AsList(c, b int) bool { return 32*c < b }
