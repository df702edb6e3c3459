package kernels

import (
	"context"
	"fmt"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// MaxPartitions is the most processors of a run, because a finder is one byte.
const MaxPartitions = 255

// Direction is how a superstep traverses edges.
type Direction uint8

// The two directions.
const (
	// TopDown pushes: each frontier vertex claims its unvisited out-neighbours.
	TopDown Direction = iota
	// BottomUp pulls: each unvisited vertex searches its in-neighbours for one in the frontier.
	BottomUp
)

func (d Direction) String() string {
	if d == TopDown {
		return "top-down"
	}
	return "bottom-up"
}

// Range and Part describe a partition: see package graph.
type (
	Range = graph.Range
	Part  = graph.Part
)

// Kind is the kind of a processor: CPU, or that of a device's driver.
type Kind string

// The kinds of this module; a program may bring drivers of others.
const (
	CPU    Kind = "cpu"
	OpenCL Kind = "opencl"
	CUDA   Kind = "cuda"
)

func (k Kind) String() string { return string(k) }

// UnmarshalText sets k to a non-empty name without colon and comma. Whether there is a
// driver of that kind shows when a device is opened.
func (k *Kind) UnmarshalText(text []byte) error {
	if len(text) == 0 || strings.ContainsAny(string(text), ":,") {
		return fmt.Errorf("kernels: %q is no kind of processor", text)
	}
	*k = Kind(text)
	return nil
}

// Processor runs the supersteps of one partition. Package doc gives the order of calls.
// One goroutine at a time calls a processor's methods, so that Step and Outbox never run
// at once; different processors run concurrently.
//
// An error ends the search. The processor is usable again after Reset, unless the error is
// a device.ErrLost of package kernels/gpu/device: then every later call but Close returns it.
type Processor interface {
	Kind() Kind
	// Load takes the partition and allocates all memory that searches need. It is called
	// once. p and its arrays must stay valid until Close and are not changed.
	Load(ctx context.Context, p *Part) error
	// Bytes is the memory that Load allocated, and of the subgraphs.
	Bytes() int64
	// Reset starts a search: no vertex is visited, and Finish fills the counts of need.
	Reset(need Need) error
	// SetRoot makes rank, of an own range, the frontier and its own parent.
	SetRoot(rank uint32) error
	// FrontierSlice returns the frontier's slice of own range r. It is valid until the next
	// superstep's FrontierSlice or Step, so through this superstep's Step and Finish; those of
	// several ranges are valid at once. FrontierSlice does not change the search.
	FrontierSlice(r int) (Message, error)
	// SetRemoteFrontier sets the frontier's slice of remote range r for the next bottom-up step and
	// marks its vertices as seen.
	SetRemoteFrontier(r int, m Message) error
	// Step runs one superstep from the frontier. name is the kernel. Where ctx has ended it
	// returns its error and starts nothing.
	Step(ctx context.Context, d Direction) (name string, err error)
	// Outbox returns the vertices of remote range r that a top-down step claimed and that
	// the processor had not seen before. It is valid until the next Step, so also after
	// Finish; those of several ranges are valid at once.
	Outbox(r int) (Message, error)
	// MergeClaims merges the claims of partition from on own range r into the next frontier;
	// it drops visited vertices. Calls of a superstep come in rising order of from.
	MergeClaims(r int, from int, m Message) error
	// Finish ends the superstep: the next frontier becomes the frontier. It returns counts of
	// own vertices.
	Finish() (Counts, error)
	// RemoteClaims returns the ranks of own vertices whose finder is partition q, each once, in any
	// order. They are valid until the next call for q.
	RemoteClaims(q int) ([]uint32, error)
	// LookupParents returns the parents, as ranks, of the ranks that another partition asks for, in
	// their order. Results of several calls are valid at once, until Reset.
	LookupParents(ranks []uint32) ([]uint32, error)
	// Parents writes the parent of every own vertex, as a vertex id, to out[vertex id], and
	// graph.None for an unvisited one. out has an entry per vertex of the graph; entries of
	// other partitions and of vertices without a rank are left alone. foreign[q] and
	// answers[q] are the results of RemoteClaims(q) and of partition q's LookupParents, in one order; both
	// are empty for the processor's own index.
	Parents(out []uint32, foreign, answers [][]uint32) error
	// Close frees everything; no other method is called afterwards.
	Close() error
}

// MultiStepper is a Processor that can run several top-down supersteps in one call, to
// amortise the cost of a superstep on graphs of many levels. It may be asked only while no
// other processor has a frontier: then these supersteps need no exchange.
type MultiStepper interface {
	Processor
	// MultiStepLimits bounds such a call; it does not change once the partition is loaded.
	// Levels is 0 where the processor runs none.
	MultiStepLimits() MultiStepLimits
	// StepMany runs Step, top-down, and Finish up to levels times, as one call that
	// cannot be cancelled. The counts are those that each Finish would have returned;
	// they are valid until the next call. It ends before a superstep whose frontier is
	// empty or beyond the limits, or that would claim a vertex of a foreign range: there
	// may be no counts at all. The frontier is then as after the last Finish, and the next
	// superstep may go either way.
	StepMany(ctx context.Context, levels int) (name string, counts []Counts, err error)
}

// MultiStepLimits are the most supersteps of a call, and for each frontier that one of them
// starts from the most vertices, out-arcs and, with NeedUnvisitedArcs, in-arcs; the in-arcs
// of the first are not looked at.
type MultiStepLimits struct {
	Levels         int
	Vertices, Arcs int64
}

// DeviceResults is a Processor with memory of its own. Where every processor of a run is one, a
// search ends with the parents in device memory: Parents is then called in two parts.
type DeviceResults interface {
	Processor
	// Resolve resolves the parents of own vertices to vertex ids in device memory, and
	// returns when they are complete. Its arguments are those of Parents.
	Resolve(foreign, answers [][]uint32) error
	// CopyTo copies the result of Resolve to out, as Parents writes it.
	CopyTo(out []uint32) error
}
