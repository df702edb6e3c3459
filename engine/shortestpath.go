package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/program"
)

// ShortestPathOptions control ShortestPath.
type ShortestPathOptions struct {
	// Heuristic, if set, is a lower bound of the length of every path from a vertex, an id of the file, to the end; 0
	// where none is known, +Inf without a path. It need not be consistent.
	Heuristic func(vertex uint64) float64
}

// WeightedPath is a path with the sums of its weights.
type WeightedPath struct {
	// Vertices are ids of the file, both ends included.
	Vertices []uint64
	// Lengths are the sums of weights from the first vertex to each, added in the type of SSSP's distances.
	Lengths []float64
}

// label is a vertex that a weighted search has reached.
type label[T program.Value] struct {
	rank, before uint32 // before is the index of a label
	dist, weight T      // from the wave's end; of the last arc
	key          T      // the order of expansion: dist, with a heuristic plus its bound
}

// dijkstra is the state of weighted searches: of each wave the labels, 1 + the index of a rank's label, and a heap of
// keys and indices. An entry whose key is not its label's is stale.
type dijkstra[T program.Value] struct {
	labels [2][]label[T]
	heaps  [2]heap[T]
	best   T // length of the shortest path found, and its vertex in both waves
	meet   [2]uint32
	far    []uint32 // an arc to a distance out of range
}

type heap[T program.Value] []struct {
	key   T
	label uint32
}

func (h *heap[T]) push(key T, label uint32) {
	s := append(*h, struct {
		key   T
		label uint32
	}{key, label})
	*h = s
	for i := len(s) - 1; i > 0 && s[i].key < s[(i-1)/2].key; i = (i - 1) / 2 {
		s[i], s[(i-1)/2] = s[(i-1)/2], s[i]
	}
}

func (h *heap[T]) pop() (key T, label uint32) {
	s := *h
	top, last := s[0], len(s)-1
	s[0] = s[last]
	s, *h = s[:last], s[:last]
	for i, c := 0, 1; c < len(s); i, c = c, 2*c+1 {
		if c+1 < len(s) && s[c+1].key < s[c].key {
			c++
		}
		if !(s[c].key < s[i].key) {
			break
		}
		s[i], s[c] = s[c], s[i]
	}
	return top.key, top.label
}

// reach labels a vertex of wave s, or lowers its label. ahead is the heuristic's bound.
func (d *dijkstra[T]) reach(p *point, s int, v, before uint32, dist, weight, ahead T) {
	at := p.at[s][v]
	if at == 0 {
		d.labels[s] = append(d.labels[s], label[T]{rank: v})
		at = uint32(len(d.labels[s]))
		p.at[s][v] = at
	} else if !(dist < d.labels[s][at-1].dist) {
		return
	}
	l := &d.labels[s][at-1]
	l.before, l.dist, l.weight, l.key = before, dist, weight, dist+ahead
	if l.key < dist { // out of range
		l.key = program.Largest[T]()
	}
	if other := p.at[1-s][v]; other != 0 {
		if sum := dist + d.labels[1-s][other-1].dist; sum >= dist && sum < d.best {
			d.best, d.meet[s], d.meet[1-s] = sum, at-1, other-1
		}
	}
	if l.key < d.best {
		d.heaps[s].push(l.key, at-1)
	}
}

// search is Dijkstra's from both ends until no path can be shorter than the best. With bound, a heuristic by rank, it
// is A* from the first: a vertex that comes nearer is expanded again.
func search[T program.Value, W graph.Weight](ctx context.Context, p *point, d *dijkstra[T], bound func(v uint32) (T, error)) error {
	for work := 0; len(d.heaps[0]) > 0 && len(d.heaps[1]) > 0; {
		s, least := 0, d.heaps[0][0].key
		if bound == nil {
			if least += d.heaps[1][0].key; least < d.heaps[0][0].key {
				return nil // out of range
			}
			if len(d.heaps[1]) < len(d.heaps[0]) {
				s = 1
			}
		}
		if least >= d.best {
			return nil
		}
		key, at := d.heaps[s].pop()
		l := d.labels[s][at]
		if key != l.key {
			continue
		}
		g := p.rows[s].Segment(l.rank)
		from, to := g.Row(l.rank - g.First)
		all, err := graph.WeightsAs[W](g.Weights)
		if err != nil {
			return err
		}
		if work += int(to-from) + 1; work >= strongCheck/8 {
			if work = 0; ctx.Err() != nil {
				return ctx.Err()
			}
		}
		for k := from; k < to; k++ {
			v, w := g.Neighbours[k], T(all[k])
			dist, ahead := l.dist+w, T(0)
			if dist < l.dist || dist >= program.Largest[T]() {
				if d.far = []uint32{l.rank, v}; s == 1 {
					d.far = []uint32{v, l.rank}
				}
				continue
			}
			if bound != nil {
				if ahead, err = bound(v); err != nil {
					return err
				}
			}
			d.reach(p, s, v, at, dist, w, ahead)
		}
	}
	return nil
}

// reset implements weightedState.
func (d *dijkstra[T]) reset(p *point) {
	for s := range d.labels {
		for i := range d.labels[s] {
			p.at[s][d.labels[s][i].rank] = 0
		}
		d.labels[s], d.heaps[s] = d.labels[s][:0], d.heaps[s][:0]
	}
	d.best, d.far = program.Largest[T](), nil
}

// path returns the path that search has found, nil for none.
func (d *dijkstra[T]) path(e *Engine) *WeightedPath {
	if d.best == program.Largest[T]() {
		return nil
	}
	var ranks []uint32
	var weights []T
	for at := d.meet[0]; ; at = d.labels[0][at].before {
		ranks, weights = append(ranks, d.labels[0][at].rank), append(weights, d.labels[0][at].weight)
		if at == 0 {
			break
		}
	}
	slices.Reverse(ranks)
	slices.Reverse(weights) // the first is the end's: 0
	for at := d.meet[1]; at != 0; {
		weights = append(weights, d.labels[1][at].weight)
		at = d.labels[1][at].before
		ranks = append(ranks, d.labels[1][at].rank)
	}
	p, sum := &WeightedPath{Vertices: e.labelsOf(ranks)}, T(0)
	for _, w := range weights {
		sum += w
		p.Lengths = append(p.Lengths, float64(sum))
	}
	return p
}

func weightedPath[T program.Value, W graph.Weight](ctx context.Context, e *Engine, p *point, a, b uint32, o ShortestPathOptions) (*WeightedPath, error) {
	d, is := p.weighted.(*dijkstra[T])
	if !is {
		d = &dijkstra[T]{best: program.Largest[T]()}
		p.weighted = d
	}
	var bound func(v uint32) (T, error)
	if o.Heuristic != nil {
		bound = func(v uint32) (T, error) {
			switch h := o.Heuristic(e.labelOf(v)); {
			case h >= float64(program.Largest[T]()):
				return program.Largest[T](), nil
			case h <= 0:
				return 0, nil
			case h != h:
				return 0, fmt.Errorf("%w: the heuristic of vertex %d is not a number", ErrArgument, e.labelOf(v))
			default:
				return T(h), nil
			}
		}
	}
	d.reach(p, 0, a, 0, 0, 0, 0)
	d.reach(p, 1, b, 0, 0, 0, 0)
	if err := search[T, W](ctx, p, d, bound); err != nil {
		return nil, err
	}
	path := d.path(e)
	if path == nil && d.far != nil {
		ends := e.labelsOf(d.far)
		return nil, &WeightError{From: ends[0], To: ends[1], Reason: DistanceTooLarge}
	}
	return path, nil
}

// ShortestPath returns a path of the smallest sum of weights, nil without a path: by Dijkstra's method from both ends
// at once, with a heuristic by A* from the first. Its length is SSSP's; of float weights it may differ by the rounding of the
// path's sums. Weights are those of SSSP, none negative. Otherwise it is as Path; its state takes 8 bytes a rank
// more. Errors are a *WeightError, wrap ErrArgument for a heuristic that is not a number, or are Path's.
func (e *Engine) ShortestPath(ctx context.Context, from, to uint64, o ShortestPathOptions) (path *WeightedPath, err error) {
	same, err := e.between(ctx, from, to, true, func(p *point, a, b uint32) (err error) {
		path, err = typedBy[e.kind].between(ctx, e, p, a, b, o)
		return err
	})
	if same {
		path = &WeightedPath{Vertices: []uint64{from}, Lengths: []float64{0}}
	}
	return path, err
}
