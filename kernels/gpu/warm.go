package gpu

import (
	"context"

	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// warm launches every kernel that a search may use once, without work: drivers finish
// a kernel at its first launch, which must not fall into a search. That may take a
// second each, so ctx ends it between two.
func (p *Processor) warm(ctx context.Context) error {
	if len(p.chunks) == 0 {
		return nil
	}
	if err := p.reset(0); err != nil { // they read bitmaps, whatever these hold
		return err
	}
	finished := func() error {
		if err := p.finish(); err != nil {
			return err
		}
		return ctx.Err()
	}
	none, b := p.chunks[0], device.Buf
	none.n = 0
	zero := device.U32(0)
	strategies := []Strategy{p.options.TopDown}
	if p.options.TopDown == Auto {
		strategies = []Strategy{Thread, Warp, Group, Edge}
	}
	if none.sub.Out != nil {
		for _, s := range strategies {
			if err := p.push(&none, s); err != nil {
				return err
			}
			if err := finished(); err != nil {
				return err
			}
		}
	}
	if none.sub.In != nil {
		pull := p.pullList
		if p.options.BottomUp == Word {
			pull = p.pullWords
		}
		if err := pull(0, &none, 0); err != nil {
			return err
		}
	}
	if limits := p.ThinLimits(); limits.Levels > 0 {
		if err := p.pushThin(&none, 1); err != nil {
			return err
		}
	}
	calls := []struct {
		name string
		args []device.Arg
	}{
		{"frontier_list", []device.Arg{b(p.next), zero, zero, b(none.out.offsets), b(none.in.offsets), b(p.list), zero, b(p.counters), zero}},
		{"to_vertices", []device.Arg{b(p.parent), b(p.seen), b(p.vertexOf), zero, zero, b(p.unsettled), zero}},
	}
	if p.hasForeign {
		calls = append(calls, []struct {
			name string
			args []device.Arg
		}{
			{"message_list", []device.Arg{b(p.next), zero, zero, zero, b(p.outbox), b(p.counters), zero}},
			{"gather_bits", []device.Arg{b(p.inbox), zero, zero, zero, b(p.front), b(p.seen)}},
			{"gather_list", []device.Arg{b(p.inbox), zero, zero, b(p.front), b(p.seen)}},
			{"merge_bits", []device.Arg{b(p.inbox), zero, zero, zero, b(p.seen), b(p.next), b(p.finder), zero, zero}},
			{"merge_list", []device.Arg{b(p.inbox), zero, zero, b(p.seen), b(p.next), b(p.finder), zero, zero}},
			{"foreign_list", []device.Arg{b(p.seen), b(p.finder), zero, zero, zero, zero, b(p.unsettled), b(p.counters), zero}},
			{"answer", []device.Arg{b(p.unsettled), zero, b(p.parent)}},
			{"adopt", []device.Arg{b(p.unsettled), zero, b(p.parent)}},
		}...)
	}
	for _, c := range calls {
		if err := p.launch(c.name, 0, c.args...); err != nil {
			return err
		}
		if err := finished(); err != nil {
			return err
		}
	}
	clear(p.launches)
	return nil
}
