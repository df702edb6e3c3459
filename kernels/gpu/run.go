package gpu

import (
	"context"
	"fmt"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// run is a breadth-first search on a device. The processor holds its memory from Load on, so
// there is one at a time.
type run struct{ *Processor }

// Open implements kernels.Processor: it opens one search (kernels.IsTree) at a time, and any number
// of other programs.
func (p *Processor) Open(ctx context.Context, prog *program.Program) (kernels.Run, error) {
	if !kernels.IsTree(prog) {
		return p.openValues(ctx, prog)
	}
	if p.running {
		return nil, fmt.Errorf("gpu: %s runs one search at a time: %w", p.name, kernels.ErrUnsupported)
	}
	p.running = true
	return &run{p}, ctx.Err()
}

// RunBytes implements kernels.Processor: Load allocates the memory of a search.
func (p *Processor) RunBytes(prog *program.Program) int64 {
	if kernels.IsTree(prog) {
		return 0
	}
	return p.valueBytes(prog)
}

// Use implements kernels.Run.
func (p *run) Use(k program.Set) (kernels.Counts, error) {
	if k != program.Default {
		return kernels.Counts{}, p.lacks("stored sets")
	}
	return p.counts, nil
}

func (p *run) lacks(what string) error {
	return fmt.Errorf("gpu: %s: %s: %w", p.name, what, kernels.ErrUnsupported)
}

// Keep implements kernels.Run.
func (p *run) Keep(program.Set) error { return p.lacks("stored sets") }

// VertexMap implements kernels.Run.
func (p *run) VertexMap(context.Context, int, program.Set, [4]float64) (kernels.Reduced, error) {
	return kernels.Reduced{}, p.lacks("vertex operators")
}

// Local implements kernels.Run.
func (p *run) Local(context.Context, int) error { return p.lacks("local operators") }

// Whole implements kernels.Run.
func (p *run) Whole(int) ([]uint32, error) { return nil, p.lacks("arrays") }

// Read implements kernels.Run.
func (p *run) Read(int, any) error { return p.lacks("arrays") }

// Close implements kernels.Run.
func (p *run) Close() error {
	p.running = false
	return nil
}
