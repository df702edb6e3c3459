package gpu

import (
	"cmp"
	"context"
	"slices"

	"github.com/totemgo/totemgo/kernels"
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
	var calls []func()
	if none.sub.Out != nil {
		for _, s := range []Strategy{Thread, Warp, Group, Edge} {
			if how := p.options.TopDown; how == Auto || how == s {
				calls = append(calls, func() { p.push(&none, s) })
			}
		}
	}
	if none.sub.In != nil {
		calls = append(calls, func() { p.pull(0, &none, p.options.BottomUp) })
	}
	if p.MultiStepLimits().Levels > 0 {
		calls = append(calls, func() { p.pushThin(&none, 1) })
	}
	calls = append(calls,
		func() { p.listFrontier(0, &none) },
		func() { p.scatterParents(&none) })
	if p.hasForeign {
		foreign := slices.IndexFunc(p.part.Ranges, func(r kernels.Range) bool { return r.Owner != p.part.Index })
		list, bits := incoming{list: true}, incoming{}
		calls = append(calls,
			func() { p.listClaims(foreign, 0) },
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
	return nil
}
