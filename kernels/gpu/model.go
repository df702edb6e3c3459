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

// Predict is the cost model of docs/gpu.md: the time of a superstep in seconds, without waits, from the device's
// measured constants. Each part takes its lanes' time or its memory's, whichever is longer; no imbalance is known.
func (m *Measured) Predict(l LevelWork) float64 {
	bitmap, words, s := l.Ranks/8, 4*l.Ranks, &m.Steps
	stream := func(bytes float64) float64 { return bytes / at(m.Copy, bytes) }
	reads := func(n, in float64) float64 { return n / at(m.Gather, in) }
	// A vertex found sets a bit, stores a parent and a list entry, and reads its degree.
	found := func(lanes float64) float64 {
		return math.Max(lanes, l.Found/at(m.Atomic, bitmap)+reads(3*l.Found, words)+stream(4*l.Found))
	}
	switch {
	case l.Kernel == "thin": // lists alone, bits and offsets
		return s.ThinS + m.LaunchS/math.Max(1, l.Together) + math.Max(s.ThinFindS*l.Found,
			reads(2*l.Frontier+l.Examined+2*l.Found, words)+l.Found/at(m.Atomic, bitmap))
	case !l.BottomUp:
		return s.PushS + found(s.FindS*l.Found) + math.Max(s.ArcS*l.Examined, reads(2*l.Frontier, words)+stream(4*l.Examined)+reads(l.Examined, bitmap))
	}
	listed := math.Min(l.Found, math.Max(listLeast, l.Ranks/listPart))
	t := s.PullS + found(s.FindS*listed+s.MeetS*(l.Found-listed)) + stream(2*bitmap) // one bitmap follows the other
	rest, left := l.Examined, l.Unvisited
	if l.First {
		// Each unvisited vertex reads up to two neighbours and their bits; the others are listed.
		t += math.Max(s.RowS*l.Ranks, stream(8*l.Ranks)+reads(l.Unvisited, bitmap))
		rest = math.Max(0, l.Examined-l.Unvisited)
		left = math.Min(left, rest)
	}
	return t + math.Max(s.ScanS*left, stream(8*left)+reads(2*left, words)+reads(rest, bitmap))
}

// Search predicts a whole search on a device alone: its supersteps, those enqueued with them after the end, a wait and a
// copy of counters for each batch, and the kernels before and after.
func (m *Measured) Search(levels []LevelWork) (t float64) {
	if len(levels) == 0 {
		return 0
	}
	steps, n := 0.0, levels[0].Ranks
	for _, l := range levels {
		t += m.Predict(l)
		steps += 1 / math.Max(1, l.Together)
	}
	more := math.Ceil(math.Max(0, steps-batchLevels) / moreLevels)
	t += (1+more)*(m.WaitS+m.ReadS) + (batchLevels+more*moreLevels-steps)*m.Steps.PushS
	// search_begin and search_root, and parents sorted by vertex id.
	return t + m.WaitS + 3*m.LaunchS + n/4/at(m.Copy, n/4) + 8*n/at(m.Copy, 8*n) + n/at(m.Gather, n/4) + n/at(m.Gather, 4*n)
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
// reads; a command takes 2.3 µs, a wait 12 µs, a superstep without work as many loads of 0.65 µs one after another as its
// kernel has: 4 top-down, 10 bottom-up, 6 a level of thin. Of an unknown name it returns no constants.
func Assumed(card string) Measured {
	const h100, h200, l2, command, load = 0.85 * 3.35e12, 0.85 * 4.8e12, 50 << 20, 2.3e-6, 0.65e-6
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
		LaunchS: command, FillS: command, ReadS: command, WaitS: 12e-6,
		Steps: StepTimes{PushS: command + 4*load, PullS: command + 10*load, ThinS: 6 * load},
	}
}

// IsThin reports that thin takes a top-down superstep's frontier, on a device of usual groups.
func (l LevelWork) IsThin() bool {
	return !l.BottomUp && l.Frontier <= defaultGroup && l.Examined <= thinArcs*defaultGroup
}
