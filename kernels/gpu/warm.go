package gpu

import (
	"cmp"
	"context"
)

// warm launches every kernel that a search may use, with no items, because drivers finish
// compiling at the first launch (up to 1 s each). It checks ctx between launches.
func (p *Processor) warm(ctx context.Context) error {
	if len(p.chunks) == 0 {
		return nil
	}
	if err := p.reset(0); err != nil { // they read bitmaps, whatever these hold
		return err
	}
	none := p.chunks[0]
	none.n, none.frontier = 0, frontierShape{}
	foreign := 0
	for r, rg := range p.part.Ranges {
		if rg.Owner != p.part.Index {
			foreign = r
		}
	}
	list, bits := incoming{list: true}, incoming{}
	calls := []func(){
		func() { p.root(0, p.chunks[0].rank()) },
		func() { p.step(0, 0, stepStop, 0) },
		func() { p.listFrontier(0, 0, false) },
		func() { p.scatterParents(&none) },
	}
	if p.MultiStepLimits().Levels > 0 {
		calls = append(calls, func() { p.thin(0, stepPush, 0) })
	}
	if p.hasForeign {
		calls = append(calls,
			func() { p.news(foreign, 0, 0, false) },
			func() { p.bitsOf(none.rng) },
			func() { p.gather(bits) },
			func() { p.gather(list) },
			func() { p.merge(bits, 0, 0) },
			func() { p.merge(list, 0, 0) },
			func() { p.listRemote(&none, 0, p.scratchA, 0) },
			func() { p.byRank("answer", p.scratchA, 0) },
			func() { p.byRank("adopt", p.scratchA, 0) })
	}
	for _, call := range calls {
		call()
		if err := cmp.Or(p.finish(), ctx.Err()); err != nil {
			return err
		}
	}
	clear(p.launches)
	return cmp.Or(p.reset(0), p.finish())
}
