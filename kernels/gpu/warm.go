package gpu

import (
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
	finished := func() error {
		if err := p.finish(); err != nil {
			return err
		}
		return ctx.Err()
	}
	none := p.chunks[0]
	none.n, none.frontier = 0, frontierShape{}
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
	if limits := p.MultiStepLimits(); limits.Levels > 0 {
		if err := p.pushThin(&none, 1); err != nil {
			return err
		}
	}
	calls := []func() error{
		func() error { return p.listFrontier(0, &none) },
		func() error { return p.toVertices(&none, p.scratchA) },
	}
	if p.hasForeign {
		foreign := slices.IndexFunc(p.part.Ranges, func(r kernels.Range) bool { return r.Owner != p.part.Index })
		list, bits, parents := messageArgs{message: p.inbox, isList: true}, messageArgs{message: p.inbox}, parentArgs{p.scratchA, 0, p.parent}
		calls = append(calls,
			func() error { return p.listClaims(foreign, 0) },
			func() error { return p.gatherOne(bits) },
			func() error { return p.gatherOne(list) },
			func() error { return p.mergeOne(bits, 0, 0) },
			func() error { return p.mergeOne(list, 0, 0) },
			func() error { return p.listRemote(&none, 0, p.scratchA, 0) },
			func() error { return p.launch("answer", 0, parents) },
			func() error { return p.launch("adopt", 0, parents) })
	}
	for _, call := range calls {
		if err := call(); err != nil {
			return err
		}
		if err := finished(); err != nil {
			return err
		}
	}
	clear(p.launches)
	return nil
}
