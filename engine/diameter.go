package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// Diameter returns the largest distance in the largest component. In an undirected graph searches from few vertices bound the
// distances from all others (Takes and Kosters, CIKM 2011), so that those that cannot have a longer one are not searched from. A
// directed graph is searched from all its vertices. Errors are Closeness'.
func (e *Engine) Diameter(ctx context.Context) (*DiameterResult, error) {
	return e.DiameterBounds(ctx, 0)
}

// DiameterBounds is Diameter that ends after so many searches, if not 0: Diameter of the result is a lower bound then, and Bound an
// upper one. Three give good ones. A directed graph has none: the error wraps ErrArgument, as for less than 0.
func (e *Engine) DiameterBounds(ctx context.Context, searches int64) (_ *DiameterResult, err error) {
	defer refused(&err)
	if searches < 0 || e.place.Directed && searches > 0 {
		return nil, fmt.Errorf("%w: %d searches for bounds of the diameter of a graph with Directed %v", ErrArgument, searches, e.place.Directed)
	}
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
	d := &diameter{ctx: ctx, e: e, turn: t, radius: math.MaxInt32, result: &DiameterResult{RunResult: &RunResult{labels: e.labels}}}
	if err = e.room("diameter", (memberBytes+4)*int64(e.place.Ranks)+8*int64(e.n)); err == nil {
		d.largest(c.Labels)
		err = d.bound(searches)
	}
	if err != nil {
		return nil, fmt.Errorf("engine: diameter: %w", err)
	}
	d.result.Vertices, d.result.Time = int64(len(d.members)), time.Since(start)
	return d.result, nil
}

// member is a vertex of the component.
type member struct {
	id          uint32
	least, most int32 // bounds of the largest distance from it: least is large once it was searched from, most 0 with others
	middle      int32 // level from the member with the smallest largest distance
}

const memberBytes = 16

// diameter is a call of Diameter.
type diameter struct {
	ctx     context.Context
	e       *Engine
	turn    *turn
	members []member // by dense id, rising
	some    []uint32 // members by index: room for candidates
	level   []int32  // of the tree of a search
	radius  int32    // smallest largest distance from a member searched from alone
	result  *DiameterResult
}

// largest sets the members, and the end points of a component of one vertex.
func (d *diameter) largest(labels []uint32) {
	if len(labels) == 0 {
		return
	}
	size := make([]uint32, len(labels))
	for _, c := range labels {
		size[c]++
	}
	most := slices.Max(size)
	largest := uint32(slices.Index(size, most))
	d.members = make([]member, 0, most)
	for v, c := range labels {
		if c == largest {
			d.members = append(d.members, member{uint32(v), 0, math.MaxInt32, math.MaxInt32})
		}
	}
	d.some = make([]uint32, most)
	d.found(d.members[0].id, d.members[0].id, 0)
}

// found sets the longest distance so far.
func (d *diameter) found(from, to uint32, distance int64) {
	if !d.e.place.Directed {
		from, to = min(from, to), max(from, to)
	}
	d.result.Diameter, d.result.From, d.result.To = distance, d.e.labels.Label(from), d.e.labels.Label(to)
}

// alone searches from one member of an undirected graph, and bounds the distances from all others by its levels.
func (d *diameter) alone(v uint32, search *BFSResult) error {
	if err := d.e.search(d.ctx, d.turn, d.e.labels.Label(v), search, false); err != nil {
		return err
	}
	d.result.Roots++
	level := levels(d.level, search.Parents)
	farthest := slices.MaxFunc(d.members, func(a, b member) int { return cmp.Compare(level[a.id], level[b.id]) }).id
	far := level[farthest]
	for i := range d.members {
		u := &d.members[i]
		l := level[u.id]
		if u.least, u.most = max(u.least, l, far-l), min(u.most, far+l); far < d.radius {
			u.middle = l
		}
		if u.id == v {
			u.least = math.MaxInt32
		}
	}
	if d.radius = min(d.radius, far); int64(far) > d.result.Diameter {
		d.found(v, farthest, int64(far))
	}
	return nil
}

// together searches from candidates of the largest bounds at once, in a directed graph from all.
func (d *diameter) together(c []uint32) error {
	if !d.e.place.Directed {
		slices.SortStableFunc(c, func(a, b uint32) int { return cmp.Compare(d.members[b].most, d.members[a].most) })
		c = c[:min(len(c), diameterBatch)]
	}
	roots := make([]uint32, len(c))
	for k, i := range c {
		roots[k] = d.members[i].id
	}
	slices.Sort(roots)
	to, far, err := d.farthest(roots, false)
	if err == nil && far > d.result.Diameter {
		var from uint32
		if from, far, err = d.farthest([]uint32{to}, true); err == nil {
			d.found(from, to, far)
		}
	}
	if err != nil {
		return err
	}
	for _, i := range c {
		d.members[i].most = 0
	}
	return nil
}

// farthest is the first member that is farthest from any root, or from which a root is.
func (d *diameter) farthest(roots []uint32, outward bool) (v uint32, far int64, err error) {
	r, err := d.e.distances(d.ctx, d.turn, roots, ClosenessOptions{Outward: outward})
	if err != nil {
		return 0, 0, err
	}
	d.result.Roots += int64(len(roots))
	v = slices.MaxFunc(d.members, func(a, b member) int { return cmp.Compare(r.Eccentricity[a.id], r.Eccentricity[b.id]) }).id
	return v, int64(r.Eccentricity[v]), nil
}

// bound searches from candidates until there are none: in an undirected graph one at a time as long as that spares others, from
// two of the largest bounds and one in the middle in turn, then many at once if memory has room. It ends after so many searches,
// if limit > 0.
func (d *diameter) bound(limit int64) error {
	r, c, many := d.result, d.candidates(), d.e.place.Directed
	search := d.e.NewResult()
	defer search.Free()
	d.level = make([]int32, d.e.n)
	for before := 0; len(c) > 0 && (limit == 0 || r.Roots < limit); c = d.candidates() {
		if !many && limit == 0 && r.Roots%3 == 1 {
			many, before = r.Roots > 4 && len(c) > before-before/8, len(c)
		}
		if many {
			err := d.together(c)
			if err == nil {
				continue
			}
			if many = false; d.e.place.Directed || !errors.Is(err, ErrMemory) {
				return err
			}
		}
		if err := d.alone(d.next(c, r.Roots%3 == 0), search); err != nil {
			return err
		}
	}
	if r.Bound = r.Diameter; len(c) > 0 {
		most := slices.MaxFunc(d.members, func(a, b member) int { return cmp.Compare(a.most, b.most) }).most
		r.Bound = max(r.Diameter, min(int64(most), 2*int64(d.radius)))
	}
	return nil
}

// next is the candidate with the largest bound, or the member in the middle of the component; of several of these one of few ranks,
// which mostly has many neighbours.
func (d *diameter) next(c []uint32, middle bool) uint32 {
	if middle {
		rank := d.e.place.RankOf
		return slices.MinFunc(d.members, func(a, b member) int {
			return cmp.Or(cmp.Compare(a.least, b.least), cmp.Compare(rank[a.id], rank[b.id]))
		}).id
	}
	return d.members[slices.MaxFunc(c, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(d.members[a].most, d.members[b].most), cmp.Compare(d.members[b].least, d.members[a].least))
	})].id
}

// candidates are members, by index, one of which is an end of each distance longer than the longest so far: both ends have such
// a bound, and one is beyond half of it from the middle (iFUB; Crescenzi et al., TCS 2013).
func (d *diameter) candidates() []uint32 {
	c := d.some[:0]
	for i, m := range d.members {
		if int64(m.most) > d.result.Diameter && 2*int64(m.middle) > d.result.Diameter && len(d.members) > 1 {
			c = append(c, uint32(i))
		}
	}
	return c
}

// diameterBatch is the number of vertices that are searched from at once.
const diameterBatch = 512
