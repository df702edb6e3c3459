package main

import (
	"context"
	"sync"

	"github.com/totemgo/totemgo/engine"
)

// service answers from the graph at hand.
type service struct {
	load func(ctx context.Context) (*engine.Engine, error)

	reloading sync.Mutex // one reload at a time: memory holds two graphs, not three
	engine    *engine.Swap
}

// search returns a tree, which outlives its engine.
func (sv *service) search(ctx context.Context, root uint64) (r *engine.BFSResult, err error) {
	err = sv.engine.Do(func(e *engine.Engine) (err error) {
		r, err = e.BFS(ctx, root)
		return err
	})
	return r, err
}

// path returns the vertices of a shortest path, nil without one.
func (sv *service) path(ctx context.Context, from, to uint64) (path []uint64, err error) {
	err = sv.engine.Do(func(e *engine.Engine) (err error) {
		path, err = e.Path(ctx, from, to)
		return err
	})
	return path, err
}

// reload loads the graph and answers later requests from it. After an error the old graph stays.
func (sv *service) reload(ctx context.Context) error {
	sv.reloading.Lock()
	defer sv.reloading.Unlock()
	e, err := sv.load(ctx)
	if err != nil {
		return err
	}
	return sv.engine.Swap(e)
}

// close closes the engine at hand, after the last request.
func (sv *service) close() error { return sv.engine.Close() }
