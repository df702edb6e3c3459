package cpu

import (
	"sync"

	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/kernels"
)

// crew is the threads of a run, of which the caller's is one.
type crew struct {
	threads int
	team    *workers.Team
}

// spread runs f over [0, n) in pieces, on all threads if n is at least from.
func (c crew) spread(n, from int, f func(lo, hi int)) {
	if c.threads == 1 || n < from {
		if n > 0 {
			f(0, n)
		}
		return
	}
	c.team.For(n, max(1, n/(4*c.threads)), func(_, lo, hi int) { f(lo, hi) })
}

// teams are those that no run has.
type teams struct {
	mu   sync.Mutex
	idle []*workers.Team // the last one used last
}

// hire returns a crew of up to n threads.
func (p *Processor) hire(n int) crew {
	p.teams.mu.Lock()
	defer p.teams.mu.Unlock()
	n = max(1, min(n, p.most))
	for i := len(p.teams.idle) - 1; i >= 0; i-- {
		if t := p.teams.idle[i]; t.Threads() == n {
			p.teams.idle = append(p.teams.idle[:i], p.teams.idle[i+1:]...)
			return crew{n, t}
		}
	}
	return crew{n, workers.Acquire(n)}
}

// dismiss takes a crew's threads back. Idle teams have twice the processor's threads at most.
func (p *Processor) dismiss(c crew) {
	if c.team == nil {
		return
	}
	p.teams.mu.Lock()
	defer p.teams.mu.Unlock()
	p.teams.idle = append(p.teams.idle, c.team)
	idle := 0
	for _, t := range p.teams.idle {
		idle += t.Threads()
	}
	for ; idle > 2*p.most; p.teams.idle = p.teams.idle[1:] {
		idle -= p.teams.idle[0].Threads()
		p.teams.idle[0].Close()
	}
}

// Assign gives r, a run of p between two uses, its threads for the next: from 1 to Threads, of a run
// of values as many as it was opened on: else it is false. 0 takes them away until the next Assign.
func (p *Processor) Assign(r kernels.Run, threads int) bool {
	var c *crew
	switch r := r.(type) {
	case *search:
		c = &r.crew
		defer r.grow()
	case *valueRun:
		c = &r.crew
		if threads > 0 && threads != len(r.memory) {
			return false
		}
	case *claimRun:
		return p.Assign(r.valueRun, threads)
	default:
		return false
	}
	p.dismiss(*c)
	if *c = (crew{}); threads > 0 {
		*c = p.hire(threads)
	}
	return true
}
