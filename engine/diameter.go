package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/totemgo/totemgo/graph"
)

// DiameterResult is the largest distance in a component.
type DiameterResult struct {
	*RunResult
	// Diameter is the largest distance, in arcs, of two vertices of the largest weak component; of several the one
	// with the smallest id. In a directed graph it is the largest one along arcs; pairs without a path do not count.
	Diameter int64
	// Vertices is the number of vertices of that component.
	Vertices int64
	// From and To are ids of the file at that distance.
	From, To uint64
	// Roots is the number of searches.
	Roots int64
	Time  time.Duration
}

// Diameter returns the largest distance in the largest component. In an undirected graph it is iFUB (Crescenzi, Grossi,
// Habib, Lanzi, Marino, TCS 2013): from a vertex in the middle of a long path, vertices are searched from in the order
// of falling distance to it, many at once, until none of those left can have a longer one. A directed graph is searched
// from all its vertices. Errors are Closeness'.
func (e *Engine) Diameter(ctx context.Context) (*DiameterResult, error) {
	start := time.Now()
	c, err := e.Components(ctx)
	if err != nil {
		return nil, err
	}
	t, err := e.take(ctx, false)
	if err != nil {
		return nil, err
	}
	defer t.release()
	d := &diameter{ctx: ctx, e: e, turn: t, result: &DiameterResult{RunResult: &RunResult{labels: e.labels}}}
	d.largest(c.Labels)
	if len(d.members) > 1 {
		if e.place.Directed {
			err = d.searchFrom(d.members)
		} else {
			err = d.bound()
		}
	}
	d.result.Vertices, d.result.Time = int64(len(d.members)), time.Since(start)
	return d.result, err
}

// diameter is a call of Diameter.
type diameter struct {
	ctx     context.Context
	e       *Engine
	turn    *turn
	members []uint32 // of the component, by dense id, rising
	result  *DiameterResult
}

// largest sets the members and the end points of a component of one vertex.
func (d *diameter) largest(labels []uint32) {
	size, largest := make([]uint32, len(labels)), uint32(0)
	for _, c := range labels {
		size[c]++
	}
	for c, n := range size {
		if n > size[largest] {
			largest = uint32(c)
		}
	}
	for v, c := range labels {
		if c == largest {
			d.members = append(d.members, uint32(v))
		}
	}
	if len(d.members) > 0 {
		d.result.From = d.e.labels.Label(d.members[0])
		d.result.To = d.result.From
	}
}

// from returns the distances from one vertex: Total of the result.
func (d *diameter) from(v uint32) (level []uint64, farthest uint32, err error) {
	r, err := d.e.distances(d.ctx, d.turn, []uint32{v}, ClosenessOptions{})
	if err != nil {
		return nil, 0, fmt.Errorf("engine: diameter: %w", err)
	}
	d.result.Roots++
	farthest = v
	for _, u := range d.members {
		if r.Total[u] > r.Total[farthest] {
			farthest = u
		}
	}
	d.keep(v, farthest, int64(r.Total[farthest]))
	return r.Total, farthest, nil
}

// keep takes a distance if it is the largest so far.
func (d *diameter) keep(from, to uint32, distance int64) {
	if distance > d.result.Diameter {
		d.result.Diameter, d.result.From, d.result.To = distance, d.e.labels.Label(from), d.e.labels.Label(to)
	}
}

// searchFrom takes the largest distance from any of some vertices.
func (d *diameter) searchFrom(roots []uint32) error {
	r, err := d.e.distances(d.ctx, d.turn, roots, ClosenessOptions{})
	if err != nil {
		return fmt.Errorf("engine: diameter: %w", err)
	}
	d.result.Roots += int64(len(roots))
	farthest := slices.MaxFunc(d.members, func(a, b uint32) int { return int(r.Eccentricity[a]) - int(r.Eccentricity[b]) })
	if far := int64(r.Eccentricity[farthest]); far > d.result.Diameter {
		// One search against arcs names the other end.
		back, err := d.e.distances(d.ctx, d.turn, []uint32{farthest}, ClosenessOptions{Outward: true})
		if err != nil {
			return fmt.Errorf("engine: diameter: %w", err)
		}
		d.result.Roots++
		for _, v := range d.members {
			if back.Total[v] == uint64(far) {
				d.keep(v, farthest, far)
				break
			}
		}
	}
	return nil
}

// bound is iFUB. Its middle is that of the longer of two double sweeps, the second from the middle of the first.
func (d *diameter) bound() error {
	middle := slices.MaxFunc(d.members, func(a, b uint32) int { return int(d.degree(a)) - int(d.degree(b)) })
	for range 2 {
		_, a, err := d.from(middle)
		if err != nil {
			return err
		}
		fromA, b, err := d.from(a)
		if err != nil {
			return err
		}
		fromB, _, err := d.from(b)
		if err != nil {
			return err
		}
		half, most := fromA[b]/2, -1
		for _, v := range d.members { // of the vertices half-way the one of the highest degree
			if fromA[v] == half && fromA[v]+fromB[v] == fromA[b] && int(d.degree(v)) > most {
				middle, most = v, int(d.degree(v))
			}
		}
	}
	level, far, err := d.from(middle)
	if err != nil {
		return err
	}
	byLevel := slices.Clone(d.members)
	slices.SortStableFunc(byLevel, func(a, b uint32) int { return int(level[b]) - int(level[a]) })
	for i, l := 0, int64(level[far]); len(byLevel) > i && 2*l > d.result.Diameter; l-- {
		// Two vertices at most l from the middle are at most 2·l apart.
		from := i
		for i < len(byLevel) && int64(level[byLevel[i]]) == l {
			i++
		}
		for ; from < i && 2*l > d.result.Diameter; from += diameterBatch {
			if err := d.searchFrom(byLevel[from:min(i, from+diameterBatch)]); err != nil {
				return err
			}
		}
	}
	return nil
}

// diameterBatch is the number of vertices that are searched from at once.
const diameterBatch = 512

// degree is the number of neighbours.
func (d *diameter) degree(v uint32) uint64 {
	rank := d.e.place.RankOf[v]
	if rank == graph.None {
		return 0
	}
	s := d.e.place.Subgraphs[d.e.place.RangeOf(rank)]
	return cmp.Or(s.Out, s.In).Degree(rank - s.First)
}
