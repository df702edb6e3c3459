package cpu

import (
	"fmt"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
)

// Way is how the last step, in direction d, was shared by several threads: the name of a
// way to push, or "words"; "" if one thread ran it.
func (p *Processor) Way(d kernels.Direction) string {
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
func (p *Processor) Clean() error {
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
