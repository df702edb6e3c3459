package kernels

import (
	"context"

	"github.com/totemgo/totemgo/graph"
)

// MaxPartitions is the largest number of processors of a run: a finder is a byte.
const MaxPartitions = 255

// Direction is the way a superstep crosses edges.
type Direction uint8

// The two directions.
const (
	// TopDown pushes: every frontier vertex claims its unvisited out-neighbours.
	TopDown Direction = iota
	// BottomUp pulls: every unvisited vertex looks for an in-neighbour in the frontier.
	BottomUp
)

func (d Direction) String() string {
	if d == TopDown {
		return "top-down"
	}
	return "bottom-up"
}

// Range and Part are what a placement gives out: see package graph.
type (
	Range = graph.Range
	Part  = graph.Part
)

// Message is the news of one range of ranks: none, a list or a bitmap, whichever
// is smaller, in host memory.
type Message struct {
	// Count is the number of vertices told.
	Count int
	// List holds their ranks in any order, or is nil.
	List []uint32
	// Bits holds the words of the range, bit i of word i/32 for rank First+i, if
	// List is nil and Count above 0.
	Bits []uint32
}

// Bytes is the size of the message on its way.
func (m Message) Bytes() int64 {
	if m.List != nil {
		return 4 * int64(len(m.List))
	}
	return 4 * int64(len(m.Bits))
}

// AsList tells whether c vertices out of b ranks travel as a list: 32·c < b.
func AsList(c, b int) bool { return 32*c < b }

// Need says which counts a director reads, so that none is computed in vain.
type Need uint8

const (
	// NeedNextArcs asks for Counts.NextArcs.
	NeedNextArcs Need = 1 << iota
	// NeedFewArcs asks for Counts.NextArcs unless there are many: then it may be −1.
	// Many are more than one in ManyPart of the processor's out-arcs; and, for a
	// processor that owns all ranks, more than ManyTimes the vertices not yet visited
	// and one for each word of the bitmaps. Where there are no more than one for each
	// word, a bound above them that is not more either will do.
	NeedFewArcs
	// NeedUnvisited asks for Counts.Unvisited.
	NeedUnvisited
	// NeedUnvisitedArcs asks for Counts.UnvisitedArcs.
	NeedUnvisitedArcs
	// NeedExamined asks for Counts.Examined; such a search is not clocked.
	NeedExamined
)

// ManyPart and ManyTimes say how many arcs of a new frontier are many for NeedFewArcs:
// so many that a bottom-up step is the cheaper one whatever their number.
const (
	ManyPart  = 16
	ManyTimes = 16
)

// Counts is what a processor knows of its own ranges after a superstep.
type Counts struct {
	Next          int64 // vertices of the new frontier
	NextArcs      int64 // their out-arcs; −1 if not counted, or a bound (NeedFewArcs)
	Unvisited     int64 // vertices not yet visited
	UnvisitedArcs int64 // their in-arcs
	Examined      int64 // adjacency entries read by the step
}

// Processor runs the supersteps of one partition. An error of any method ends the
// search; the processor is usable again after Reset, unless the error says that the
// device is lost.
type Processor interface {
	// Kind is "cpu", "opencl" or "cuda".
	Kind() string
	// Load takes the partition, builds what depends on it alone and allocates all
	// that searches need. It is called once.
	Load(ctx context.Context, p *Part) error
	// Bytes is the memory that Load took, subgraphs included.
	Bytes() int64
	// Reset forgets the last search. need holds for the search that follows.
	Reset(need Need) error
	// SetRoot visits the root, a rank of an own range: frontier {root}, parent itself.
	SetRoot(rank uint32) error
	// Publish returns the frontier's slice of own range r.
	Publish(r int) (Message, error)
	// Gather takes the frontier's slice of foreign range r for the bottom-up step to
	// come, and marks its vertices as seen.
	Gather(r int, m Message) error
	// Step runs one superstep from the frontier and fills next; name is the kernel
	// that ran.
	Step(ctx context.Context, d Direction) (name string, err error)
	// Outbox returns the vertices of foreign range r that a top-down step claimed.
	Outbox(r int) (Message, error)
	// Deliver merges what partition from claimed of own range r into next: what is
	// already seen is dropped. Called in rising order of from.
	Deliver(r int, from int, m Message) error
	// Finish ends the superstep: next becomes the frontier, and its counts return.
	Finish() (Counts, error)
	// Foreign returns the ranks of own vertices whose finder is partition q.
	Foreign(q int) ([]uint32, error)
	// Answer returns the parent entries (ranks) of the ranks asked for.
	Answer(ranks []uint32) ([]uint32, error)
	// Parents writes the parent of every own vertex, as vertex ids, to
	// out[vertex id]: graph.None for an unvisited one. foreign[q] and answers[q] are
	// what Foreign(q) and partition q's Answer returned; both are nil for q = Index.
	Parents(out []uint32, foreign, answers [][]uint32) error
	// Close frees everything; no other method is called afterwards.
	Close() error
}

// Thin is a Processor that can run several top-down supersteps in one call, which a
// long and thin graph needs: there a superstep costs a launch and little else. It may
// be asked only where the processor owns every vertex.
type Thin interface {
	Processor
	// ThinLimits bounds such a call. Levels is 0 where the processor, with the
	// partition that it has loaded, runs none.
	ThinLimits() ThinLimits
	// StepThin runs Step, top-down, and Finish up to levels times, as one call that
	// cannot be cancelled. The counts are those that each Finish would have returned;
	// they are valid until the next call. There are fewer where a frontier is empty or
	// beyond the limits, and none where the one to start from is.
	StepThin(ctx context.Context, levels int) (name string, counts []Counts, err error)
}

// ThinLimits are the most supersteps of a call, and for each frontier that one of them
// starts from the most vertices, out-arcs and in-arcs; the in-arcs of the first are
// not looked at.
type ThinLimits struct {
	Levels         int
	Vertices, Arcs int64
}

// Resident is a Processor whose memory is not the host's. A search on such processors
// alone ends with the parents in their memory: Parents is then called in two parts.
type Resident interface {
	Processor
	// Settle makes the parents of all own vertices as vertex ids, and returns once
	// they are in the processor's memory, in an order of its own. The arguments are
	// those of Parents.
	Settle(foreign, answers [][]uint32) error
	// Fetch writes them to out as Parents does.
	Fetch(out []uint32) error
}
