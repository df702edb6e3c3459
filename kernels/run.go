package kernels

import (
	"context"
	"math/bits"

	"github.com/totemgo/totemgo/program"
)

// Run is the state of one program on one Part: arrays, frontier, sets, messages. One goroutine
// at a time calls its methods. A message, and the memory it refers to, is valid and unchanged
// until the run's next superstep, so also after Advance. An error ends the run; Begin makes it usable
// again, unless the error is a device.ErrLost of package kernels/gpu/device.
//
// Own ranges are those of the processor's partition. Sources and Targets are the Part's.
type Run interface {
	// Begin forgets the last run: arrays have their initial values at own vertices, there is no
	// frontier and no set, and no vertex is visited. Counts of need are filled by Advance.
	Begin(need Need) error
	// Seed puts rank, of an own range, into the frontier, makes it visited and its own parent,
	// and sets its entry of array, if ≥ 0.
	Seed(rank uint32, array int, value program.Bits) error

	// A superstep of edge operator op: Expand of own ranges, Take of other ranges of Sources,
	// Step, Fold of other ranges of Targets, Merge into own ranges, Advance. Which ranges are
	// expanded and folded is the layout's choice by the step's way; where a part stores all
	// arcs of its own vertices a Push expands and a Pull folds nothing. Backward arcs go from
	// Targets to Sources: then the two change places, and with Both each range is in both.
	//
	// A Claims may be asked to merge before it folds, or between two folds.
	//
	// A step reads what From was before it, unless it is a Min or an Or of an array into itself:
	// such a step may read values that fell or grew in it, so that its messages and counts, but
	// not the results, may differ between processors: see program.Frontier.

	// Expand returns the vertices of the step's From set in own range r, with their values of
	// From where the operator reads it. With All every vertex of the range has a value, the
	// message is Dense, and empty where the operator reads no From. With Below they are those
	// that take part.
	Expand(op int, s program.Step, r int) (Message, error)
	// Take sets the From set and the values of range r, of Sources, for the next Step. An operator
	// with Once takes the vertices as visited, those of All excepted.
	// A tight arc into a vertex of another range needs that vertex' value too: the layout takes
	// it by an Expand with All before that of the step: a range may be expanded twice a superstep.
	Take(op int, s program.Step, r int, m Message) error
	// Step runs the operator. name is the way and the kernel. Where ctx has ended it returns
	// its error and starts nothing.
	Step(ctx context.Context, op int, s program.Step) (name string, err error)
	// Fold returns the vertices of range r, of Targets and not own, that Step reached, with
	// their combined values unless the operator is a Claim with To −1. Each vertex comes
	// once; with Once, vertices sent or taken before do not come again.
	Fold(r int) (Message, error)
	// Merge combines the news of partition from into own range r, and drops what the step's
	// Over does not have. Calls of a superstep come in rising order of from, after Step.
	Merge(r, from int, m Message) error
	// Advance ends the superstep: the vertices that joined are the frontier. It returns counts
	// of own vertices; NextArcs and UnvisitedArcs count the arcs that the part stores.
	Advance() (Counts, error)

	// VertexMap runs vertex operator op over own vertices of a set. The vertices left in
	// the blocks' sets are the frontier.
	VertexMap(ctx context.Context, op int, over program.Set, args [4]float64) (Reduced, error)
	// Local runs local operator op.
	Local(ctx context.Context, op int) error
	// Keep stores the frontier as set k ≥ 1.
	Keep(k program.Set) error
	// Use makes set k, empty if not stored, the frontier and returns counts of it; program.Default
	// leaves it as it is, program.All makes it every own vertex.
	Use(k program.Set) (Counts, error)
	// Whole returns an array of type U32 by rank, not a copy.
	Whole(array int) ([]uint32, error)
	// Read writes the entries of own vertices of an array to out, a []T of the array's type by
	// vertex id. Values of arrays with Ranks become vertex ids.
	Read(array int, out any) error
	// Close frees the run's memory.
	Close() error
}

// IsTree reports that p is a breadth-first search and nothing else: one operator that claims
// unvisited vertices along out-arcs. Processors may have a Run for it alone, a Claims.
func IsTree(p *program.Program) bool {
	if len(p.Edges) != 1 || len(p.Arrays)+len(p.Vertices)+len(p.Locals) > 0 {
		return false
	}
	e := p.Edges[0]
	return e.Rows == nil && e.Combine == program.Claim && e.Once && e.Arcs == program.Forward
}

// Claims is a Run of a program whose first operator is a Claim with Once and To −1: parents
// stay where they were found until the end.
type Claims interface {
	Run
	// RemoteClaims returns the ranks of own vertices whose finder is partition q, each once, in
	// any order. They are valid until the next call for q.
	RemoteClaims(q int) ([]uint32, error)
	// LookupParents returns the parents, as ranks, of the ranks that another partition asks
	// for, in their order. Results of several calls are valid at once, until Begin.
	LookupParents(ranks []uint32) ([]uint32, error)
	// Parents writes the parent of every own vertex, as a vertex id, to out[vertex id], and
	// graph.None for an unvisited one. out has an entry per vertex of the graph; entries of
	// other partitions and of vertices without a rank are left alone. claims[q] and found[q]
	// are the results of RemoteClaims(q) and of partition q's LookupParents, in one order; both
	// are empty for the processor's own index.
	Parents(out []uint32, claims, found [][]uint32) error
}

// MultiStepper is a Run that can run several pushes of operator 0, of the form of Claims, in one
// call, to amortise the cost of a superstep on graphs of many levels: those that need no exchange, as long
// as no other processor claims one of its vertices.
type MultiStepper interface {
	Run
	// MultiStepLimits bounds such a call; it does not change once the run is open. Levels is 0
	// where the run makes none.
	MultiStepLimits() MultiStepLimits
	// StepMany runs Step, by push, and Advance up to levels times, as one call that cannot be
	// cancelled. The counts are those that each Advance would have returned; they are valid
	// until the next call. It ends before a superstep whose frontier is empty or beyond the
	// limits, or that would claim a vertex of a remote range: there may be no counts at all.
	// The frontier is then as after the last Advance, and the next superstep may go either way.
	StepMany(ctx context.Context, levels int) (name string, counts []Counts, err error)
}

// Undoer is a MultiStepper that can take back what a call ran too much: another processor's next superstep
// claims vertices of it.
type Undoer interface {
	MultiStepper
	// Undo takes back the last n ≥ 1 supersteps of the last StepMany, which ran as many and was the last call:
	// vertices, frontier and counts are those before them.
	Undo(n int) error
}

// MultiStepLimits are the most supersteps of a call, and for each frontier that one of them
// starts from the most vertices, out-arcs and, with NeedUnvisitedArcs, in-arcs; the in-arcs
// of the first are not looked at.
type MultiStepLimits struct {
	Levels         int
	Vertices, Arcs int64
}

// RuleStepper is a Run that can run several supersteps of operator 0 in one call, either way: it
// evaluates a Rule after each. Every vertex is the processor's own.
type RuleStepper interface {
	Run
	// HasRules reports that the run is one; it does not change once the run is open.
	HasRules() bool
	// StepRule runs Step, the first one's way given, and Advance one or several times, as one call
	// that cannot be cancelled. It may end before any superstep but the first, and ends before one
	// whose frontier is empty. The supersteps are valid until the next call.
	StepRule(ctx context.Context, way Direction, rule *Rule) ([]Stepped, error)
}

// Stepped is a superstep of a call of several: its counts, as Advance returns them, its way and the
// name of its kernel.
type Stepped struct {
	Counts
	Way    Direction
	Kernel string
}

// RuleSteps is the number of steps of a Rule in the number of unvisited vertices: four a power of two.
const RuleSteps = 4 * 32

// Rule chooses the way of a superstep after one of way last: bottom-up if the frontier has more
// out-arcs than Above[last][RuleStep(unvisited)], where unvisited is the number of own vertices.
type Rule struct{ Above [2][RuleSteps]uint32 }

// Way is the way of the next superstep.
func (r *Rule) Way(last Direction, unvisited, arcs int64) Direction {
	if arcs > int64(r.Above[last][RuleStep(unvisited)]) {
		return BottomUp
	}
	return TopDown
}

// RuleStep is the index of a number, at most 2^32−1: its exponent and the two bits below its leading one.
func RuleStep(n int64) int {
	x := uint32(n)
	e := 31 - bits.LeadingZeros32(x|1)
	return 4*e + int(x<<(31-e)>>29&3)
}

// DeviceResults is a Claims with memory of its own. Where every run of a search is one, it ends
// with the parents in device memory: Parents is then called in two parts.
type DeviceResults interface {
	Claims
	// Resolve resolves the parents of own vertices to vertex ids in device memory, and
	// returns when they are complete. Its arguments are those of Parents.
	Resolve(claims, found [][]uint32) error
	// CopyTo copies the result of Resolve to out, as Parents writes it.
	CopyTo(out []uint32) error
}

// Reduced is what VertexMap returns: counts of the new frontier, and sums over blocks in the
// order of ranks, of each range apart where a partition owns several: Sums has one entry an
// own range that has vertices, in the order of ranges.
type Reduced struct {
	Counts
	Sums   []program.Reduced
	Kernel string // name of the kernel, as Step returns it
}
