package graph500

import (
	"fmt"
	"math"

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
	w, _ := graph.WeightsAs[float32](v.src.BlockWeights(wanted, block))
	return w
}

// scanWeighted reads the records from position at on, of any graph with any tree. Unless every is
// set it passes over records between a shorter and a longer distance than their weight, which break
// no rule but may be tree edges that break rule 2. Of vertices astray it only notes whether their
// tree edges exist. Sums are rounded to float32, as the reference code rounds them.
func (v *Validator) scanWeighted(f *finds, at uint64, edges []graph.Edge, weights []float32, every bool) {
	levels, distances, parents, directed := v.levels.S, v.tree.Distances, v.tree.Parents, v.src.IsDirected()
	for i, e := range edges {
		du, dv := distances[e.U], distances[e.V]
		there, back := float32(du+weights[i]), float32(dv+weights[i])
		if dv < there && du < back && !every {
			continue
		}
		if parents[e.V] == e.U {
			setBit(v.proven.S, e.V)
			if dv == there {
				setBit(v.exact.S, e.V)
			}
		}
		if !directed && parents[e.U] == e.V {
			setBit(v.proven.S, e.U)
			if du == back {
				setBit(v.exact.S, e.U)
			}
		}
		first := &f.span
		switch lu, lv := levels[e.U], levels[e.V]; {
		case lu == astray || lv == astray || lu == outside && (directed || lv == outside):
			continue
		case lu == outside || lv == outside:
			first = &f.half
		case dv <= there && (directed || du <= back): // not so if one is NaN
			continue
		}
		if x := (fault{at + uint64(i), e, weights[i]}); x.at < first.at {
			*first = x
		}
	}
}

// wrongDistance says what is wrong with the distance of vertex u, and names the tree edge if it is at fault.
func (v *Validator) wrongDistance(u uint32) (*graph.Edge, string) {
	label, d, l := v.label, v.tree.Distances[u], v.levels.S[u]
	switch {
	case l == outside:
		return nil, fmt.Sprintf("%s is not in the tree, but has distance %v", label(u), d)
	case l == 0 && d != 0:
		return nil, fmt.Sprintf("root has distance %v", d)
	case !fits(l, d):
		return nil, fmt.Sprintf("%s has distance %v", label(u), d)
	}
	p := v.tree.Parents[u]
	return &graph.Edge{U: p, V: u}, fmt.Sprintf("parent edge %s-%s has no weight that joins distances %v and %v",
		label(p), label(u), v.tree.Distances[p], d)
}

// longerPath names the vertex whose distance an edge undercuts.
func (v *Validator) longerPath(f fault) (far uint32, reason string) {
	label, e, d := v.label, f.edge, v.tree.Distances
	if far = e.V; d[e.V] <= float32(d[e.U]+f.weight) {
		far = e.U
	}
	return far, fmt.Sprintf("edge %s-%s of weight %v joins distances %v and %v", label(e.U), label(e.V), f.weight, d[e.U], d[e.V])
}
