package kernels

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/program"
)

// MaxPartitions is the most processors of a run, because a finder is one byte.
const MaxPartitions = 255

// ErrUnsupported is wrapped by the errors of Open: the processor cannot run the program, and
// the error says what it lacks.
var ErrUnsupported = errors.New("kernels: the processor cannot run this program")

// Direction is how a superstep of a breadth-first search traverses edges.
type Direction uint8

// The two directions.
const (
	// TopDown pushes: each frontier vertex claims its unvisited out-neighbours.
	TopDown = Direction(program.Push)
	// BottomUp pulls: each unvisited vertex searches its in-neighbours for one in the frontier.
	BottomUp = Direction(program.Pull)
)

func (d Direction) String() string {
	if d == TopDown {
		return "top-down"
	}
	return "bottom-up"
}

type (
	// Range is a run of ranks with one owner.
	Range = graph.Range
	// Part is the partition that a processor loads.
	Part = graph.Part
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

// Processor holds one partition and opens programs on it. One goroutine at a time calls the
// methods of a run; different processors run concurrently, and so may the runs of a CPU. One
// goroutine at a time calls those of a device and of its runs.
type Processor interface {
	// Kind is CPU, or that of the device's driver.
	Kind() Kind
	// Load takes the partition. It is called once. p and its arrays must stay valid until
	// Close; nothing writes them after Load.
	Load(ctx context.Context, p *Part) error
	// Bytes is the memory of the partition.
	Bytes() int64
	// Open compiles a valid program (program.Program.Validate) and allocates the memory of one
	// run. The caller closes all runs before the processor. The error wraps ErrUnsupported
	// where the processor cannot run p.
	Open(ctx context.Context, p *program.Program) (Run, error)
	// RunBytes is the memory that Open allocates for p, and an estimate of what its steps do.
	RunBytes(p *program.Program) int64
	// Close frees everything; no other method is called afterwards.
	Close() error
}
