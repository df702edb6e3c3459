package engine

import (
	"fmt"

	"github.com/totemgo/totemgo/graph"
)

// pathRoots are the roots of Betweenness. With the 1-degree reduction (Bernaschi, Carbone, Vella, CF 2016) a vertex
// with one neighbour left is removed: its neighbour stands for it as a root, and pairs of which a path ends in the
// removed tree have a closed form.
type pathRoots struct {
	n         float64
	component []uint32 // by dense id; nil without the reduction
	ranks     []uint32 // the roots
	share     float64  // roots ÷ vertices
	predicted prediction

	reach   []float64 // by rank: vertices that a vertex stands for, itself included; nil without the reduction
	closed  []float64 // by rank: score of closed forms, over ordered pairs
	removed []bool
}

// pathRootBytes is the memory of the roots of all: of a rank with what it stands for.
const pathRootBytes = 4 + 8 + 8 + 1

// choose sets the roots.
func (p *pathRoots) choose(e *Engine, o *BetweennessOptions) error {
	p.share = 1
	switch {
	case o.Roots != nil:
		for _, label := range o.Roots {
			id, err := e.labels.ID(label)
			if err != nil {
				return err
			}
			p.add(e.place.RankOf[id])
		}
	case o.Samples > 0 && o.Samples < e.n:
		p.share = float64(o.Samples) / p.n
		for _, id := range sampled(e.n, o.Samples, o.Seed) {
			p.add(e.place.RankOf[id])
		}
	case p.component != nil && !e.place.Directed:
		return p.reduce(e)
	default:
		p.ranks = make([]uint32, 0, len(e.place.VertexOf))
		for rank, id := range e.place.VertexOf {
			if id != graph.None {
				p.ranks = append(p.ranks, uint32(rank))
			}
		}
	}
	return nil
}

func (p *pathRoots) add(rank uint32) {
	if rank != graph.None {
		p.ranks = append(p.ranks, rank)
	}
}

// reduce removes vertices with one neighbour, and sets the closed forms; the roots are vertices that have some left.
func (p *pathRoots) reduce(e *Engine) error {
	rows, err := e.place.Rows(false)
	if err != nil {
		return fmt.Errorf("engine: betweenness: %w", err)
	}
	ranks, size := int(e.place.Ranks), make([]float64, e.n)
	for _, c := range p.component {
		size[c]++
	}
	p.reach, p.closed, p.removed = make([]float64, ranks), make([]float64, ranks), make([]bool, ranks)
	degree := make([]uint32, ranks)
	var queue []uint32
	for v := range uint32(ranks) {
		p.reach[v] = 1
		if degree[v] = uint32(len(rows.Of(v))); degree[v] == 1 {
			queue = append(queue, v)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		if degree[u] != 1 {
			continue // its neighbour was removed into it
		}
		all := size[p.component[e.place.VertexOf[u]]]
		for _, v := range rows.Of(u) {
			if p.removed[v] {
				continue
			}
			p.closed[u] += (p.reach[u] - 1) * (all - p.reach[u])
			p.closed[v] += p.reach[u] * (all - p.reach[u] - 1)
			p.reach[v] += p.reach[u]
			p.removed[u] = true
			degree[u] = 0
			if degree[v]--; degree[v] == 1 {
				queue = append(queue, v)
			}
			break
		}
	}
	queue = degree[:0] // roots take the place of degrees
	for v, d := range degree {
		if d > 0 {
			queue = append(queue, uint32(v))
		}
	}
	p.ranks, p.component = queue, nil
	return nil
}

// scale is the factor of sums over ordered pairs.
func (p *pathRoots) scale(directed bool, o *BetweennessOptions) float64 {
	switch {
	case o.Normalized && p.n > 2:
		return 1 / p.share / (p.n - 1) / (p.n - 2)
	case directed || o.Ordered || o.Normalized:
		return 1 / p.share
	}
	return 1 / p.share / 2
}
