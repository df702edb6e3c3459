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
	mu        sync.Mutex // guards now, and that users of it are counted
	now       *served
}

// served is an engine with the requests that use it. An engine that is closed drops the calls
// that wait for their turn, so it is closed after the last of them.
type served struct {
	*engine.Engine
	users sync.WaitGroup
}

func newService(e *engine.Engine, load func(ctx context.Context) (*engine.Engine, error)) *service {
	return &service{load: load, now: &served{Engine: e}}
}

// use returns the engine at hand; the caller calls users.Done once it has its result, which
// outlives the engine.
func (sv *service) use() *served {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	sv.now.users.Add(1)
	return sv.now
}

// reload loads the graph, answers later requests from it, and closes the old engine once the
// earlier ones have their results. After an error the old graph stays.
func (sv *service) reload(ctx context.Context) error {
	sv.reloading.Lock()
	defer sv.reloading.Unlock()
	e, err := sv.load(ctx)
	if err != nil {
		return err
	}
	sv.mu.Lock()
	old := sv.now
	sv.now = &served{Engine: e}
	sv.mu.Unlock()
	old.users.Wait()
	return old.Close()
}

// close closes the engine at hand, after the last request.
func (sv *service) close() error {
	sv.reloading.Lock()
	defer sv.reloading.Unlock()
	return sv.now.Close()
}
