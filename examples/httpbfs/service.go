package main

import (
	"context"
	"sync"

	"github.com/totemgo/totemgo/engine"
)

// service answers from the graph at hand.
type service struct {
	load func(ctx context.Context) (*engine.Engine, error)

	reloading sync.Mutex   // one reload at a time: memory holds two graphs, not three
	mu        sync.RWMutex // read-locked by each request until it has its result, which outlives the engine
	engine    *engine.Engine
}

// search waits for a reload that waits for earlier requests.
func (sv *service) search(ctx context.Context, root uint64) (*engine.BFSResult, error) {
	sv.mu.RLock()
	defer sv.mu.RUnlock()
	return sv.engine.BFS(ctx, root)
}

// reload loads the graph, answers later requests from it, and closes the old engine once the
// earlier ones have their results: an engine that is closed drops the calls that wait for
// their turn. After an error the old graph stays.
func (sv *service) reload(ctx context.Context) error {
	sv.reloading.Lock()
	defer sv.reloading.Unlock()
	e, err := sv.load(ctx)
	if err != nil {
		return err
	}
	sv.mu.Lock()
	old := sv.engine
	sv.engine = e
	sv.mu.Unlock()
	return old.Close()
}

// close closes the engine at hand, after the last request.
func (sv *service) close() error {
	sv.reloading.Lock()
	defer sv.reloading.Unlock()
	return sv.engine.Close()
}
