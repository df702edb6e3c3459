package kernels

import "github.com/totemgo/totemgo/program"

// Need is the set of counts that a director reads; a processor computes no others.
type Need uint8

const (
	// NeedNextArcs asks for Counts.NextArcs.
	NeedNextArcs Need = 1 << iota
	// NeedFewArcs is NeedNextArcs with an upper limit. Above the limit NextArcs may be −1.
	// The limit is out-arcs/ManyPart; if the processor owns every vertex, at most
	// ManyTimes·unvisited + words. Up to words, an upper bound may be returned instead of
	// the count. words is the number of 64-rank words of all ranks.
	NeedFewArcs
	// NeedUnvisited asks for Counts.Unvisited.
	NeedUnvisited
	// NeedUnvisitedArcs asks for Counts.UnvisitedArcs.
	NeedUnvisitedArcs
	// NeedExamined asks for Counts.Examined, which costs time: such a search is not clocked.
	NeedExamined
)

// ManyPart and ManyTimes set the limit of NeedFewArcs. Above it a bottom-up step is cheaper
// whatever the count.
const (
	ManyPart  = 16
	ManyTimes = 16
)

// Counts are a processor's own counts after a superstep. A field that the search's Need
// does not name may have any value; Next is always set.
type Counts struct {
	Next          int64 // vertices of the new frontier
	NextArcs      int64 // their out-arcs in the part; see NeedFewArcs for −1 and bounds
	Unvisited     int64 // unvisited own vertices
	UnvisitedArcs int64 // their in-arcs in the part
	Examined      int64 // adjacency entries read by the step
	// Turns is the most entries of one row that a lane of a device read one after the other (NeedExamined).
	Turns int64
	// Least is the smallest entry of the new frontier in program.Program.LeastArray, the
	// type's largest value if there are no entries.
	Least program.Bits
}
