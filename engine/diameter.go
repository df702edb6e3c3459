package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
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
	// Bound is an upper bound of Diameter, the same but after DiameterBounds.
	Bound int64
	// Vertices is the number of vertices of that component.
	Vertices int64
	// From and To are ids of the file at that distance.
	From, To uint64
	// Roots is the number of searches.
	Roots int64
	Time  time.Duration
}

// Diameter returns the largest distance in the largest component. In an undirected graph searches from few vertices bound the
// distances from all others (Takes and Kosters, CIKM 2011), so that those that cannot have a longer one are not searched from. A
// directed graph is searched from all its vertices. Errors are Closeness'.
func (e *Engine) Diameter(ctx context.Context) (*DiameterResult, error) {
	return e.DiameterBounds(ctx, 0)
}

// DiameterBounds is Diameter that ends after so many searches, if not 0: Diameter of the result is a lower bound then, and Bound an
// upper one. Three give good ones. A directed graph has none: the error wraps ErrArgument.
func (e *Engine) DiameterBounds(ctx context.Context, searches int64) (_ *DiameterResult, err error) {
	defer refused(&err)
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
	switch r := d.result; {
	case e.place.Directed && searches > 0:
		return nil, fmt.Errorf("%w: bounds of the diameter of a directed graph", ErrArgument)
	case len(d.members) < 2:
	case e.place.Directed:
		err = d.searchFrom(d.members)
		r.Bound = r.Diameter
	default:
		if err = e.room("diameter", 20*int64(e.n)); err != nil {
			return nil, err
		}
		d.search = e.NewResult()
		defer d.search.Free()
		d.least, d.most, d.radius = make([]int32, len(d.members)), slices.Repeat([]int32{math.MaxInt32}, len(d.members)), math.MaxInt32
		d.middle = slices.Clone(d.most)
		err = d.bound(searches)
		r.Bound = max(r.Diameter, min(int64(slices.Max(d.most)), 2*int64(d.radius)))
		if len(d.candidates()) == 0 {
			r.Bound = r.Diameter
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
	least   []int32  // by member: bounds of the largest distance from it; most is 0 once it was searched from
	most    []int32
	middle  []int32 // levels from the one with the smallest such distance, radius
	radius  int32
	search  *BFSResult
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

// from takes the distances from one vertex, and in an undirected graph bounds those from all others by them.
func (d *diameter) from(v uint32) error {
	if err := d.e.search(d.ctx, d.turn, d.e.labels.Label(v), d.search, false); err != nil {
		return fmt.Errorf("engine: diameter: %w", err)
	}
	d.result.Roots++
	level, farthest := d.search.Levels(), v
	for _, u := range d.members {
		if level[u] > level[farthest] {
			farthest = u
		}
	}
	far := level[farthest]
	for i, u := range d.members {
		d.least[i] = max(d.least[i], level[u], far-level[u])
		d.most[i] = min(d.most[i], far+level[u])
		if far < d.radius {
			d.middle[i] = level[u]
		}
	}
	d.radius = min(d.radius, far)
	d.keep(v, farthest, int64(far))
	return nil
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

// bound searches from candidates until there are none: one at a time as long as that spares others, from two
// of the largest bounds and one in the middle in turn, then many at once. It ends after so many searches, if limit > 0.
func (d *diameter) bound(limit int64) error {
	c := d.candidates()
	for before := 0; len(c) > 0 && (limit == 0 || d.result.Roots < limit); c = d.candidates() {
		if d.result.Roots%3 == 1 && limit == 0 {
			if d.result.Roots > 4 && len(c) > before-before/8 {
				break
			}
			before = len(c)
		}
		next := c[0]
		if d.result.Roots%3 > 0 {
			for _, i := range c {
				if x := cmp.Compare(d.most[i], d.most[next]); x > 0 || x == 0 && d.least[i] > d.least[next] {
					next = i
				}
			}
		} else {
			for i, u := range d.members {
				if x := cmp.Compare(d.least[i], d.least[next]); x < 0 || x == 0 && d.degree(u) > d.degree(d.members[next]) {
					next = i
				}
			}
		}
		if err := d.from(d.members[next]); err != nil {
			return err
		}
		d.least[next] = math.MaxInt32 // searched
	}
	if limit > 0 {
		return nil
	}
	for ; len(c) > 0; c = d.candidates() {
		slices.SortStableFunc(c, func(a, b int) int { return int(d.most[b]) - int(d.most[a]) })
		c = c[:min(len(c), diameterBatch)]
		roots := make([]uint32, len(c))
		for k, i := range c {
			roots[k], d.most[i] = d.members[i], 0
		}
		slices.Sort(roots)
		if err := d.searchFrom(roots); err != nil {
			return err
		}
	}
	return nil
}

// candidates are members, by index, one of which is an end of each distance longer than the longest so far: both ends have such
// a bound, and one is beyond half of it from the middle (iFUB; Crescenzi et al., TCS 2013).
func (d *diameter) candidates() (c []int) {
	for i, m := range d.most {
		if int64(m) > d.result.Diameter && 2*int64(d.middle[i]) > d.result.Diameter {
			c = append(c, i)
		}
	}
	return c
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
