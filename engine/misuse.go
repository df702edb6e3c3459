package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/partition"
)

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
