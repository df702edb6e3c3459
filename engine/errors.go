package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/partition"
)

// Opening an engine.
var (
	// ErrOptions is returned by New for options that contradict each other, are out of range
	// or name something unknown. The message lists every fault.
	ErrOptions = errors.New("engine: invalid options")
	// ErrArgument is returned for a nil context or graph, and for options of an algorithm that are out of range.
	ErrArgument = errors.New("engine: invalid argument")
	// ErrPanic is returned by New and Place if a call panicked: Options.Progress or Logger, or,
	// which is a bug, the engine's own. The message has the stack; everything is freed.
	ErrPanic = errors.New("engine: a call panicked")
	// ErrMemory is returned by New before it allocates if the graph needs more memory than
	// Options.MemoryLimit. The message has both in bytes.
	ErrMemory = errors.New("engine: not enough memory")
	// ErrCapacity is returned by New if the memory of devices, or Processor.Memory, does not
	// hold their parts of the graph. The message has the sizes in bytes and, if a CPU would
	// hold the rest, the processors to use.
	ErrCapacity = errors.New("engine: not enough device memory")
	// ErrNoDevice is returned for a processor that names a device or driver that this build or
	// machine does not have.
	ErrNoDevice = errors.New("engine: no such device")
	// ErrNotInPlace is returned by OpenDevices and New if Options.DeviceGraph leaves the graph
	// in host memory and a device cannot read that. The message has the bytes that fit in
	// device memory.
	ErrNotInPlace = errors.New("engine: the device cannot read the graph in place")
)

// Running.
var (
	// ErrClosed is returned by calls on a closed engine, and on one that New did not make.
	ErrClosed = errors.New("engine: closed")
	// ErrDirector is returned by a search whose director panicked (the message has the stack),
	// is nil or chose no direction, and if Options.NewDirector panicked. Later searches work.
	ErrDirector = bsp.ErrDirectorFailed
	// ErrNoRows is returned by algorithms that read the graph in host memory, such as
	// StrongComponents, where Options.ReleaseHost has freed a device's rows.
	ErrNoRows = partition.ErrNoRows
	// ErrResult is returned by BFSInto for a result that is nil, freed or of another engine.
	ErrResult = errors.New("engine: the result is nil, freed or of another engine")
)

// OptionError is a fault of one field of Options. It wraps ErrOptions and the reason.
type OptionError struct {
	Field  string
	Reason error
}

func (e *OptionError) Error() string { return fmt.Sprintf("%v: %v", ErrOptions, e.Reason) }

// Unwrap returns ErrOptions and the reason.
func (e *OptionError) Unwrap() []error { return []error{ErrOptions, e.Reason} }

// checkArguments refuses a nil context and a source that cannot be placed.
func checkArguments(ctx context.Context, src graph.Source) error {
	if ctx == nil {
		return fmt.Errorf("%w: the context is nil", ErrArgument)
	}
	if absent(src) {
		return fmt.Errorf("%w: the graph is nil", ErrArgument)
	}
	if err := graph.CheckSource(src); err != nil {
		return fmt.Errorf("engine: %w: %w", partition.ErrInvalid, err)
	}
	return nil
}

// absent reports that src is nil, or a nil pointer to a graph.
func absent(src graph.Source) bool {
	switch s := src.(type) {
	case *graph.EdgeList:
		return s == nil
	case *graph.CSR:
		return s == nil
	}
	return src == nil
}

// recovered, deferred, sets err after a panic: ErrMemory where memory was refused, else kind, the panic's value and the stack.
func recovered(err *error, kind error) {
	if v := recover(); v != nil {
		if refusal := hugemem.Refusal(v); refusal != nil {
			*err = fmt.Errorf("%w: %w", ErrMemory, refusal)
			return
		}
		*err = fmt.Errorf("%w: %v\n\n%s", kind, v, debug.Stack())
	}
}

// refused, deferred, sets err to ErrMemory where memory was refused, by a panic or an error. Other panics go on.
func refused(err *error) {
	refusal := *err
	if v := recover(); v != nil {
		if refusal = hugemem.Refusal(v); refusal == nil {
			panic(v)
		}
	}
	if errors.Is(refusal, hugemem.ErrMemory) && !errors.Is(refusal, ErrMemory) {
		*err = fmt.Errorf("%w: %w", ErrMemory, refusal)
	}
}
