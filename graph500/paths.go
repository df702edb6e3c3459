package graph500

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/totemgo/totemgo/graph"
)

// fits reports whether d can be the distance of a vertex at level l of the tree, or outside.
func fits(l uint32, d float32) bool {
	switch l {
	case outside:
		return d > math.MaxFloat32
	case 0:
		return d == 0
	}
	return d >= 0 && d <= math.MaxFloat32
}

// weights returns the weights of a block of records, nil if they are not float32.
func (v *Validator) weights(wanted, block int) []float32 {
	w, err := graph.WeightsAs[float32](v.src.BlockWeights(wanted, block))
	if err != nil {
		return nil
	}
	return w
}

// readWeights is readRecords for a tree with distances. Its first pass only tells whether the
// tree is valid; if not, a second one, in the source's order, finds the first fault of each rule.
func (v *Validator) readWeights(ctx context.Context) error {
	if t := v.total(); t.astray == graph.None && t.level == graph.None {
		if valid, err := v.shortest(ctx); valid || err != nil {
			return err
		}
	}
	wanted := blocksOf(v.src)
	err := graph.EachBlock(ctx, v.src, v.threads, wanted, func(w, b int, records []graph.Edge) error {
		v.scanPaths(&v.found[w], uint64(b)<<blockShift, records, v.weights(wanted, b))
		return nil
	})
	if err != nil {
		return err
	}
	return v.checkTreeEdges(ctx)
}

// shortest reports whether no record makes a path shorter, and every vertex of the tree but the
// root has a tree edge whose weight joins the two distances. All vertices are in the tree or
// outside, and their distances fit.
func (v *Validator) shortest(ctx context.Context) (bool, error) {
	var fault atomic.Bool
	scan := func(edges []graph.Edge, weights []float32) {
		if !v.scanShortest(edges, weights) {
			fault.Store(true)
		}
	}
	var err error
	if near := v.near.S; near != nil {
		err = chunks(ctx, v.threads, len(near), recordGrain, func(_, lo, hi int) { scan(near[lo:hi], v.weight.S[lo:hi]) })
	} else {
		wanted := blocksOf(v.src)
		err = graph.EachBlock(ctx, v.src, v.threads, wanted, func(_, b int, records []graph.Edge) error {
			scan(records, v.weights(wanted, b))
			return nil
		})
	}
	if err != nil || fault.Load() {
		return false, err
	}
	levels := v.levels.S
	err = chunks(ctx, v.threads, len(levels), vertexGrain, func(_, lo, hi int) {
		for u := lo; u < hi; u++ {
			if levels[u] != outside && levels[u] != 0 && !testBit(v.exact.S, u) {
				fault.Store(true)
				return
			}
		}
	})
	return !fault.Load(), err
}

// scanShortest marks the tree edges whose weight joins the two distances, and reports whether no
// edge makes a path shorter. Outside the tree distances are +Inf: an edge that leaves it makes
// one shorter too. Sums are rounded to float32, as the reference code rounds them.
func (v *Validator) scanShortest(edges []graph.Edge, weights []float32) bool {
	distances, parents, exact, directed := v.tree.Distances, v.tree.Parents, v.exact.S, v.src.IsDirected()
	for i, e := range edges {
		du, dv := distances[e.U], distances[e.V]
		there, back := float32(du+weights[i]), float32(dv+weights[i])
		if !(dv <= there) || !directed && !(du <= back) { // written so that NaN fails
			return false
		}
		if dv == there && parents[e.V] == e.U {
			setBit(exact, e.V)
		}
		if du == back && !directed && parents[e.U] == e.V {
			setBit(exact, e.U)
		}
	}
	return true
}

// scanPaths reads the records from position at on, of any graph with any tree. Of vertices astray
// it only notes whether their tree edges exist.
func (v *Validator) scanPaths(f *finds, at uint64, edges []graph.Edge, weights []float32) {
	levels, distances, parents, directed := v.levels.S, v.tree.Distances, v.tree.Parents, v.src.IsDirected()
	for i, e := range edges {
		w := weights[i]
		thereFits, backFits := distances[e.V] <= float32(distances[e.U]+w), distances[e.U] <= float32(distances[e.V]+w)
		if parents[e.V] == e.U {
			setBit(v.proven.S, e.V)
			if distances[e.V] == float32(distances[e.U]+w) {
				setBit(v.exact.S, e.V)
			}
		}
		if !directed && parents[e.U] == e.V {
			setBit(v.proven.S, e.U)
			if distances[e.U] == float32(distances[e.V]+w) {
				setBit(v.exact.S, e.U)
			}
		}
		first := &f.span
		switch lu, lv := levels[e.U], levels[e.V]; {
		case lu == astray || lv == astray || lu == outside && (directed || lv == outside):
			continue
		case lu == outside || lv == outside:
			first = &f.half
		case thereFits && (directed || backFits):
			continue
		}
		if x := (fault{at + uint64(i), e, w}); x.at < first.at {
			*first = x
		}
	}
}

// wrongDistance says what is wrong with the distance of vertex u, and names the tree edge if it is at fault.
func (v *Validator) wrongDistance(u uint32) (*graph.Edge, string) {
	label, d, l := v.labels.Label, v.tree.Distances[u], v.levels.S[u]
	switch {
	case l == outside:
		return nil, fmt.Sprintf("%d is not in the tree, but has distance %v", label(u), d)
	case l == 0 && d != 0:
		return nil, fmt.Sprintf("root has distance %v", d)
	case !fits(l, d):
		return nil, fmt.Sprintf("%d has distance %v", label(u), d)
	}
	p := v.tree.Parents[u]
	return &graph.Edge{U: p, V: u}, fmt.Sprintf("parent edge %d-%d has no weight that joins distances %v and %v",
		label(p), label(u), v.tree.Distances[p], d)
}

// longerPath names the vertex whose distance an edge undercuts.
func (v *Validator) longerPath(f fault) (far uint32, reason string) {
	label, e, d := v.labels.Label, f.edge, v.tree.Distances
	if far = e.V; d[e.V] <= float32(d[e.U]+f.weight) {
		far = e.U
	}
	return far, fmt.Sprintf("edge %d-%d of weight %v joins distances %v and %v", label(e.U), label(e.V), f.weight, d[e.U], d[e.V])
}
