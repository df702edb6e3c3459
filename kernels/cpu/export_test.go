package cpu

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// Search is a processor and the run of a search on it.
type Search struct{ *search }

// Search opens a search.
func (p *Processor) Search() *Search {
	s, _ := newSearch(p, p.hire(p.most), false)
	return &Search{s}
}

// Close closes both.
func (p *Search) Close() error { return errors.Join(p.search.Close(), p.Processor.Close()) }

// Choose is Processor.Choose on the run.
func (p *Search) Choose(budget time.Duration) { p.chooseKernels(budget) }

// Go runs Step in a direction.
func (p *Search) Go(d kernels.Direction) (string, error) {
	return p.Step(context.Background(), 0, program.Step{Way: program.Way(d)})
}

// Slice is Expand of the frontier.
func (p *Search) Slice(r int) (kernels.Message, error) {
	return p.Expand(0, program.Step{Way: program.Pull}, r)
}

// Way is how the last step, in direction d, was shared by several threads: the name of a
// way to push, or "words"; "" if one thread ran it.
func (p *Search) Way(d kernels.Direction) string {
	switch {
	case p.threads == 1:
	case d == kernels.BottomUp && p.front.form == asBits:
		return "words"
	case d == kernels.TopDown && p.way != serial:
		return wayNames[p.way]
	}
	return ""
}

// Clock injects the times that Choose reads.
func (p *Processor) Clock(f func(kernel, set string, run func()) time.Duration) { p.clock = f }

// Clean tells what is left in the arrays that a search expects to be clean.
func (p *Search) Clean() error {
	for i, u := range p.scatter {
		if u != graph.None {
			return fmt.Errorf("scatter entry %d is %d", i, u)
		}
	}
	for i, w := range p.front.bits {
		if w != 0 {
			return fmt.Errorf("word %d of front is %#x", i, w)
		}
	}
	return nil
}
