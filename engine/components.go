package engine

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/program"
)

// Neighbours that a root is linked with before the sampling, and vertices sampled.
const ccNeighbours, ccSamples = 2, 1024

// ccGrain is how many vertices a thread labels at a time.
const ccGrain = 1 << 12

// forest is a union-find forest over ranks: an entry is the vertex's parent, smaller than the
// vertex, or the vertex itself at a root. Threads link and find at once.
type forest []uint32

// find returns the root of v. It shortens long paths.
func (f forest) find(v uint32) uint32 {
	for n := 0; ; n++ {
		p := atomic.LoadUint32(&f[v])
		g := atomic.LoadUint32(&f[p])
		if root := atomic.LoadUint32(&f[g]); root == g {
			return g
		}
		if n > 0 {
			atomic.CompareAndSwapUint32(&f[v], p, g)
		}
		v = g
	}
}

// join joins the trees of roots u and v under the smaller and returns their root.
func (f forest) join(u, v uint32) uint32 {
	for u != v {
		hi, lo := max(u, v), min(u, v)
		if atomic.CompareAndSwapUint32(&f[hi], hi, lo) {
			return lo
		}
		u, v = f.find(hi), f.find(lo)
	}
	return u
}

// linkRow joins the tree of root with those of row.
func (f forest) linkRow(root uint32, row []uint32) {
	for _, v := range row {
		root = f.join(root, f.find(v))
	}
}

// components is a run of Components. Every partition has a forest of its own over all ranks.
type components struct {
	e       *Engine
	threads int
	largest uint32 // a vertex of the tree whose vertices are skipped
	forest  forest // all partitions', once joined
	labels  []uint32
}

// program returns the program of a run: operators share c.
func (c *components) program() *program.Program {
	return &program.Program{
		Name:   "components",
		Arrays: []program.Array{{Name: "parent", Type: program.U32, Init: program.Rank, Scratch: true}},
		Locals: []program.LocalOp{
			{Name: "hook", Run: c.hook, Arcs: program.Both, Device: fmt.Sprintf("if (k < %d) link(parent, u, v);", ccNeighbours), DeviceRanks: ccRoots},
			{Name: "link", Run: c.link, Arcs: program.Both, Device: ccLink, DeviceRanks: ccRoots},
		},
	}
}

// Sources of the operators for devices. They skip arcs between vertices of one tree, not vertices of the largest.
const (
	ccLink  = "if (LD(&parent[u]) != LD(&parent[v])) link(parent, u, v);"
	ccRoots = "compress(parent, v);"
)

// leastID lowers the label of each vertex' root, at first the root's id, to the vertex' id.
func (c *components) leastID(lo, hi uint32) {
	f, ids, labels := c.forest, c.e.place.VertexOf, c.labels
	for v := lo; v < hi; v++ {
		id := ids[v]
		if id == graph.None {
			continue
		}
		least := &labels[ids[f.find(v)]]
		for old := atomic.LoadUint32(least); id < old && !atomic.CompareAndSwapUint32(least, old, id); {
			old = atomic.LoadUint32(least)
		}
	}
}

// label gives each vertex the label of its root.
func (c *components) label(lo, hi uint32) {
	f, ids, labels := c.forest, c.e.place.VertexOf, c.labels
	for v := lo; v < hi; v++ {
		if root := f.find(v); root != v {
			labels[ids[v]] = labels[ids[root]]
		}
	}
}

// hook links every vertex with its first neighbour, then every root with some of its own.
func (c *components) hook(_ context.Context, l program.Local) error {
	f := forest(l.U32(0))
	err := l.Rows(program.Forward, func(b *program.RowBlock) { // all are roots
		for i, first := range b.First {
			f[b.Lo+uint32(i)] = min(b.Lo+uint32(i), first)
		}
	})
	if err != nil {
		return err
	}
	return l.Rows(program.Both, func(b *program.RowBlock) {
		for u := b.Lo; u < b.Hi; u++ {
			if atomic.LoadUint32(&f[u]) == u {
				f.linkRow(u, b.Row(u)[:min(ccNeighbours, len(b.Row(u)))])
			}
		}
	})
}

// link links along all arcs of vertices outside of the largest tree. An arc between two of its
// vertices joins nothing, and other arcs have an end that is not skipped.
func (c *components) link(_ context.Context, l program.Local) error {
	f := forest(l.U32(0))
	return l.Rows(program.Both, func(b *program.RowBlock) {
		largest := f.find(c.largest)
		for u := b.Lo; u < b.Hi; u++ {
			if root := f.find(u); root != largest {
				f.linkRow(root, b.Row(u))
			}
		}
	})
}

// sample sets largest to the most frequent root of a sample of vertices.
func (c *components) sample(forests [][]uint32) {
	count := map[uint32]int{}
	for i := range min(ccSamples, uint64(c.e.place.Ranks)) {
		v := uint32(uint64(c.e.place.Ranks) * i / ccSamples)
		root := forest(forests[c.e.place.Ranges[c.e.place.RangeOf(v)].Owner]).find(v)
		if count[root]++; count[root] > count[c.largest] {
			c.largest = root
		}
	}
}

func (c *components) body(m program.Machine) error {
	_ = m.Local(0) // Gather returns its failure
	forests, err := m.Gather(0)
	if err != nil {
		return err
	}
	c.sample(forests)
	_ = m.Local(1)
	if forests, err = m.Gather(0); err != nil {
		return err
	}
	c.forest = forests[0] // a vertex and its parent in any forest are in one component
	for _, f := range forests[1:] {
		for v, p := range f {
			c.forest.join(c.forest.find(uint32(v)), c.forest.find(p))
		}
	}
	c.labels = make([]uint32, c.e.n)
	for v := range c.labels {
		c.labels[v] = uint32(v)
	}
	team := workers.Acquire(c.threads)
	defer team.Close()
	for _, f := range []func(lo, hi uint32){c.leastID, c.label} {
		team.For(int(c.e.place.Ranks), ccGrain, func(_, lo, hi int) { f(uint32(lo), uint32(hi)) })
	}
	return nil
}

// Components returns the weakly connected components: two vertices have the same label if and
// only if a path joins them, whatever the direction of its arcs. It is Afforest (Sutton, Ben-Nun,
// Barak 2018): union-find that skips most arcs of the largest component. Partitions exchange
// their forests once. Errors are Run's.
func (e *Engine) Components(ctx context.Context) (*ComponentsResult, error) {
	c := &components{e: e}
	r, err := inTurn(ctx, e, func(t *turn) (*RunResult, error) {
		c.threads = t.workers()
		return e.run(ctx, t, c.program(), 4*int64(e.n), c.body)
	})
	if err != nil {
		return nil, err
	}
	return &ComponentsResult{RunResult: r, Labels: c.labels}, nil
}

// ComponentsResult are the components of a graph.
type ComponentsResult struct {
	*RunResult
	// Labels holds the smallest dense id of the component of every vertex, by dense id.
	Labels []uint32
	// Strong says that components are strong, else they are weak.
	Strong bool
}

// Count is the number of components.
func (r *ComponentsResult) Count() (n int) {
	for v, label := range r.Labels {
		if label == uint32(v) {
			n++
		}
	}
	return n
}

// Sizes returns the number of vertices of every component, largest first.
func (r *ComponentsResult) Sizes() []int {
	count := make([]int, len(r.Labels))
	for _, label := range r.Labels {
		count[label]++
	}
	count = slices.DeleteFunc(count, func(n int) bool { return n == 0 })
	slices.SortFunc(count, func(a, b int) int { return b - a })
	return count
}

// All yields every vertex and the label of its component as the file's ids, in the order of dense
// ids.
func (r *ComponentsResult) All() iter.Seq2[uint64, uint64] {
	return each(r.labels, len(r.Labels), func(v uint32) (uint64, bool) { return r.Label(r.Labels[v]), true })
}
