package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/workers"
)

// Searches by one thread each, in host memory: Brandes' algorithm without barriers. It is the way where a level of all
// threads would have too few arcs.
const (
	serialLevel = 1 << 15 // most arcs of a level of the first search, as a mean over all
	unitRoots   = 16      // roots whose scores are added up before they join the others'

	stopVertices = 1 << 16 // vertices between two looks at the context
)

// pathVertex is what a search knows of a vertex: its distance from the root, less than 0 if there is none yet, and
// number × expUp^exp: paths from the root, after the way back (targets + dependency) ÷ paths.
type pathVertex struct {
	number   float64
	distance int32
	exp      int32
}

const (
	notVisited = -1
	leftOut    = -2 // a vertex that the reduction removed
	expUp      = 0x1p512
	expDown    = 1 / expUp
)

// fix brings the number below expUp.
func (v *pathVertex) fix() {
	for v.number >= expUp {
		v.number *= expDown
		v.exp++
	}
}

// add adds the paths of a vertex one level above.
func (v *pathVertex) add(u *pathVertex) {
	switch d := u.exp - v.exp; {
	case d == 0:
		v.number += u.number
	case d == -1:
		v.number += u.number * expDown
	case d == 1:
		v.number, v.exp = v.number*expDown+u.number, u.exp
	case d > 1:
		v.number, v.exp = u.number, u.exp
	}
}

// serialPaths searches on each thread from a unit of roots at a time.
type serialPaths struct {
	*pathRoots
	rows   graph.Rows
	ranks  int
	scale  float64
	scores []float64 // by rank

	mu   sync.Mutex
	next sync.Cond // a unit has joined the scores, or one never will
	turn int       // units that have
	end  bool
}

// serialThread is the memory of a thread.
type serialThread struct {
	vertices []pathVertex
	order    []uint32 // visited ones
	scores   []float64
}

// targets is the number of vertices that one stands for.
func (s *serialPaths) targets(rank uint32) float64 {
	if s.reach == nil {
		return 1
	}
	return s.reach[rank]
}

// searchFrom adds the dependencies of the paths from a root to the thread's scores, or stops once ctx ends.
func (s *serialPaths) searchFrom(ctx context.Context, t *serialThread, root uint32) {
	weight := s.scale * s.targets(root)
	t.vertices[root] = pathVertex{number: 1}
	t.order = append(t.order[:0], root)
	for i := 0; i < len(t.order); i++ {
		if i%stopVertices == 0 && ctx.Err() != nil {
			return
		}
		v := &t.vertices[t.order[i]]
		v.fix()
		for _, w := range s.rows.Of(t.order[i]) {
			switch x := &t.vertices[w]; x.distance {
			case notVisited:
				*x = pathVertex{v.number, v.distance + 1, v.exp}
				t.order = append(t.order, w)
			case v.distance + 1:
				x.add(v)
			}
		}
	}
	for i := len(t.order) - 1; i > 0; i-- {
		if i%stopVertices == 0 && ctx.Err() != nil {
			return
		}
		rank := t.order[i]
		v := &t.vertices[rank]
		sum := 0.0
		for _, w := range s.rows.Of(rank) {
			if x := &t.vertices[w]; x.distance == v.distance+1 {
				switch x.exp + v.exp { // x has its share by now, of which the exponent is negative
				case 0:
					sum += x.number
				case -1:
					sum += x.number * expDown
				}
			}
		}
		sum *= v.number // the dependency
		targets := s.targets(rank)
		t.scores[rank] += weight * (sum + targets - 1)
		v.number, v.exp = (targets+sum)/v.number, -v.exp
	}
	for _, rank := range t.order {
		t.vertices[rank].distance = notVisited
	}
}

// join adds the scores of a unit once those before it have been, so that no sum depends on the number of threads, and
// calls joined.
func (s *serialPaths) join(ctx context.Context, t *serialThread, unit int, joined func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.turn < unit && !s.end && ctx.Err() == nil {
		s.next.Wait()
	}
	if s.end || ctx.Err() != nil {
		return ctx.Err()
	}
	for v, x := range t.scores {
		s.scores[v] += x
	}
	clear(t.scores)
	joined()
	s.turn++
	s.next.Broadcast()
	return nil
}

// serialBytes is the memory of searches by so many threads.
func serialBytes(ranks, threads int) int64 { return int64(ranks) * (8 + int64(threads)*28) }

// open finds the rows.
func (s *serialPaths) open(e *Engine) (err error) {
	if err = e.bothWays(); err == nil {
		s.rows, err = e.place.Rows(false)
	}
	if err != nil {
		return fmt.Errorf("engine: betweenness: %w", err)
	}
	return nil
}

// search searches from roots, in order, with the threads of a turn.
func (s *serialPaths) search(ctx context.Context, e *Engine, t *turn, roots []uint32) error {
	units := (len(roots) + unitRoots - 1) / unitRoots
	threads := max(1, min(t.workers(), units))
	s.ranks = int(e.place.Ranks)
	for threads > 1 && e.room("betweenness", serialBytes(s.ranks, threads)) != nil {
		threads--
	}
	if err := e.room("betweenness", serialBytes(s.ranks, threads)); err != nil {
		return err
	}
	s.scores, s.next.L = make([]float64, s.ranks), &s.mu
	defer context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.next.Broadcast()
	})()
	states := make([]serialThread, threads)
	return workers.Each(ctx, threads, units, nil, func(worker, unit int) (err error) {
		joined := false
		defer func() {
			if !joined {
				s.mu.Lock()
				s.end = true
				s.mu.Unlock()
				s.next.Broadcast()
			}
		}()
		start, own := time.Now(), &states[worker]
		if own.vertices == nil {
			s.alloc(own)
		}
		batch := roots[unit*unitRoots : min(len(roots), (unit+1)*unitRoots)]
		for _, root := range batch {
			s.searchFrom(ctx, own, root)
		}
		return s.join(ctx, own, unit, func() {
			s.predicted.finished(len(batch), threads, time.Since(start)) // with the wait for other units
			joined = true
		})
	})
}

func (s *serialPaths) alloc(t *serialThread) {
	t.vertices, t.scores = make([]pathVertex, s.ranks), make([]float64, s.ranks)
	for v := range t.vertices {
		if t.vertices[v].distance = notVisited; s.removed != nil && s.removed[v] {
			t.vertices[v].distance = leftOut
		}
	}
}
