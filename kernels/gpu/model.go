package gpu

import "math"

// LevelWork is what a superstep on a device alone does.
type LevelWork struct {
	BottomUp, First bool    // First: it probes the first two neighbours
	Kernel          string  // as Step returns it
	Frontier        float64 // vertices that it starts from
	Unvisited       float64 // vertices before it
	Examined        float64 // adjacency entries that it reads
	Found           float64 // vertices of the next frontier
	Ranks           float64 // of the graph
	Together        float64 // supersteps of the same launch, of thin
}

// Grown is the work in a graph of so many times the size and the same shape; a root stays one vertex.
func (l LevelWork) Grown(times float64) LevelWork {
	if l.Frontier > 1 {
		l.Frontier, l.Examined = times*l.Frontier, times*l.Examined
	}
	l.Unvisited, l.Found, l.Ranks = times*l.Unvisited, times*l.Found, times*l.Ranks
	return l
}

// Predict is the cost model of docs/gpu.md: the time of a superstep in seconds, from the device's measured
// constants. It knows no imbalance and no latency beyond a command's.
func (m *Measured) Predict(l LevelWork) float64 {
	bitmap, words := l.Ranks/8, 4*l.Ranks
	stream := func(bytes float64) float64 { return bytes / at(m.Copy, bytes) }
	reads := func(n, in float64) float64 { return n / at(m.Gather, in) }
	atomics := func(n, in float64) float64 { return n / at(m.Atomic, in) }
	if l.Kernel == "thin" { // lists alone, bits and offsets
		return (m.WaitS+m.LaunchS)/math.Max(1, l.Together) + reads(2*l.Frontier+l.Examined+2*l.Found, words) + atomics(l.Found, bitmap)
	}
	// A vertex found sets a bit, stores a parent and a list entry, and reads its degree.
	t := m.WaitS + m.LaunchS + atomics(l.Found, bitmap) + reads(3*l.Found, words) + stream(4*l.Found)
	if !l.BottomUp {
		return t + reads(2*l.Frontier, words) + stream(4*l.Examined) + reads(l.Examined, bitmap)
	}
	t += stream(2 * bitmap) // one bitmap follows the other
	rest, left := l.Examined, l.Unvisited
	if l.First {
		// Each unvisited vertex reads up to two neighbours and their bits; the others are listed.
		t += stream(8*l.Ranks) + reads(l.Unvisited, bitmap)
		rest = math.Max(0, l.Examined-l.Unvisited)
		left = math.Min(left, rest)
	}
	return t + stream(8*left) + reads(2*left, words) + reads(rest, bitmap)
}

// at is the rate at a size, between two of the list on a logarithmic scale.
func at(list []Sized, bytes float64) float64 {
	if len(list) == 0 {
		return math.Inf(1)
	}
	for i, s := range list {
		if bytes > float64(s.Bytes) {
			continue
		}
		if i == 0 {
			return s.PerS
		}
		low := list[i-1]
		part := math.Log(bytes/float64(low.Bytes)) / math.Log(float64(s.Bytes)/float64(low.Bytes))
		return math.Exp(math.Log(low.PerS)*(1-part) + math.Log(s.PerS)*part)
	}
	return list[len(list)-1].PerS
}

// At returns the bytes copied, the random reads and the atomics a second in a working set of so many bytes.
func (m *Measured) At(bytes float64) (copied, reads, atomics float64) {
	return at(m.Copy, bytes), at(m.Gather, bytes), at(m.Atomic, bytes)
}

// LeastBytes is the bytes that a kernel must touch in a search on a device alone, each access counted as the
// 4 bytes that it reads or writes; false for a kernel whose bytes the levels' counts do not give.
func LeastBytes(kernel string, levels []LevelWork) (bytes float64, known bool) {
	if kernel == "scatter_parents" && len(levels) > 0 {
		return 24 * levels[0].Ranks, true
	}
	for _, l := range levels {
		rest, left := l.Examined, l.Unvisited // of the scan
		if l.First {
			rest = math.Max(0, l.Examined-l.Unvisited)
			left = math.Min(left, rest)
		}
		switch {
		case kernel == "thin" && l.Kernel == kernel, kernel == "superstep" && l.Kernel == "push":
			bytes += 8*l.Examined + 12*l.Frontier + 20*l.Found // neighbours and bits; ids and offsets; a bit, a parent, a degree, an id
		case kernel == "superstep" && l.BottomUp:
			bytes += 8*rest + 16*left + 20*l.Found
			if l.First { // first neighbours and their bits
				bytes += 4*l.Ranks + 8*l.Unvisited
			}
		}
	}
	if kernel != "thin" && kernel != "superstep" {
		return 0, false
	}
	return bytes, len(levels) > 0
}

// AssumedCards are the names that Assumed knows.
var AssumedCards = []string{"H100", "H200"}

// Assumed returns assumed constants of a card of NVIDIA, which nobody measured: 85% of the stated memory bandwidth; a read
// at random moves a sector of 32 bytes of it, in the 50 MB of L2 three times as many; atomics run at half the rate of
// reads; a command takes 2.3 µs, a wait 12 µs. Of an unknown name it returns no constants.
func Assumed(card string) Measured {
	const h100, h200, l2 = 0.85 * 3.35e12, 0.85 * 4.8e12, 50 << 20
	const near = 3 * h100 / 32 // one L2 in both
	bandwidth := 0.0
	switch card {
	case "H100":
		bandwidth = h100
	case "H200":
		bandwidth = h200
	default:
		return Measured{}
	}
	far := bandwidth / 32
	return Measured{
		Copy: []Sized{{l2, bandwidth}}, Gather: []Sized{{l2, near}, {4 * l2, far}}, Atomic: []Sized{{l2, near / 2}, {4 * l2, far / 2}},
		LaunchS: 2.3e-6, FillS: 2.3e-6, WaitS: 12e-6,
	}
}

// IsThin reports that thin takes a top-down superstep's frontier, on a device of usual groups.
func (l LevelWork) IsThin() bool {
	return !l.BottomUp && l.Frontier <= defaultGroup && l.Examined <= thinArcs*defaultGroup
}
