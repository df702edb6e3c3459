package engine

import (
	"context"
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/program"
)

// LimitMemory sets the memory limit of an open engine.
func LimitMemory(e *Engine, bytes int64) { e.opts.MemoryLimit = bytes }

// MemoryFor is the memory of an engine and of so many searches.
func MemoryFor(e *Engine, searches int64) int64 {
	return e.held() + searches*e.runBytes(bsp.Tree)
}

// Turn is a run's threads.
type Turn = *turn

// Take queues a run until its turn.
func Take(t *testing.T, e *Engine, alone bool) Turn {
	turn, err := e.take(context.Background(), alone)
	if err != nil {
		t.Error(err)
	}
	return turn
}

// Release ends it.
func Release(t Turn) { t.release() }

// Threads are those of a run, by processor.
func Threads(t Turn) []int { return t.threads }

// Waiting is the number of runs that wait.
func Waiting(e *Engine) int {
	e.queue.mu.Lock()
	defer e.queue.mu.Unlock()
	return len(e.queue.waiting)
}

// Idle are the programs of idle states, the least recently used first.
func Idle(e *Engine) (list []*program.Program) {
	for _, st := range e.states.idle {
		list = append(list, st.program)
	}
	return list
}

// ByLevels makes Betweenness search with all processors at each level, however few its arcs.
func ByLevels(o *BetweennessOptions) { o.levels = true }
