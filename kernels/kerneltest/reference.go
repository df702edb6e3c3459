package kerneltest

import (
	"context"
	"math/bits"

	"github.com/bits-and-blooms/bitset"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// reference is one partition in serial Go: a bool per rank, messages copied.
type reference struct {
	part *kernels.Part
	need kernels.Need
	// Over all ranks.
	seen, frontier, next []bool
	parent               []uint32
	// finder is over all ranks; only own ranks are used.
	finder   []uint8
	examined int64
}

// NewReference returns the kit's model, a serial processor of kind "cpu", for tests of
// other packages.
func NewReference() kernels.Processor { return &reference{} }

func (p *reference) Kind() kernels.Kind { return kernels.CPU }

func (p *reference) Load(_ context.Context, part *kernels.Part) error {
	p.part = part
	return p.Begin(0)
}

func (p *reference) Bytes() (sum int64) {
	for _, s := range p.part.Subgraphs {
		if s != nil {
			sum += s.Bytes()
		}
	}
	return sum + 8*int64(p.part.Ranks)
}

func (p *reference) Begin(need kernels.Need) error {
	n := p.part.Ranks
	p.need = need
	p.seen, p.frontier, p.next = make([]bool, n), make([]bool, n), make([]bool, n)
	p.parent, p.finder = make([]uint32, n), make([]uint8, n)
	p.examined = 0
	return nil
}

func (p *reference) Seed(rank uint32, _ int, _ program.Bits) error {
	p.claim(rank, rank)
	p.frontier[rank], p.next[rank] = true, false
	return nil
}

// claim visits v from u; it reports whether v was unvisited.
func (p *reference) claim(u, v uint32) bool {
	if p.seen[v] {
		return false
	}
	p.seen[v], p.next[v], p.parent[v], p.finder[v] = true, true, u, uint8(p.part.Index)
	return true
}

// own calls do for each own vertex.
func (p *reference) own(do func(s *graph.Subgraph, row, rank uint32)) {
	for _, s := range p.part.Subgraphs {
		for i := uint32(0); s != nil && i < s.Rows; i++ {
			do(s, i, s.First+i)
		}
	}
}

// size is the number of own vertices in the frontier.
func (p *reference) size() (n int64) {
	p.own(func(_ *graph.Subgraph, _, rank uint32) {
		if p.frontier[rank] {
			n++
		}
	})
	return n
}

// leaves tells that a top-down step would claim a vertex of a foreign range.
func (p *reference) leaves() (is bool) {
	foreign := bitset.New(uint(p.part.Ranks))
	for _, r := range p.part.Ranges {
		for i := uint32(0); r.Owner != p.part.Index && i < r.Vertices; i++ {
			foreign.Set(uint(r.First + i))
		}
	}
	p.own(func(s *graph.Subgraph, row, rank uint32) {
		if !p.frontier[rank] {
			return
		}
		for _, v := range neighbours(s.Out, row) {
			is = is || foreign.Test(uint(v)) && !p.seen[v]
		}
	})
	return is
}

func (p *reference) Step(_ context.Context, _ int, s program.Step) (string, error) {
	d := kernels.Direction(s.Way)
	p.own(func(s *graph.Subgraph, row, rank uint32) {
		if d == kernels.TopDown && p.frontier[rank] {
			for _, v := range neighbours(s.Out, row) {
				p.examined++
				p.claim(rank, v)
			}
		}
		if d == kernels.BottomUp && !p.seen[rank] {
			for _, u := range neighbours(s.In, row) {
				p.examined++
				if p.frontier[u] {
					p.claim(u, rank)
					break
				}
			}
		}
	})
	return "reference-" + d.String(), nil
}

func neighbours(a *graph.Adjacency, row uint32) []uint32 {
	lo, hi := a.Row(row)
	return a.Neighbours[lo:hi]
}

func (p *reference) Expand(_ int, _ program.Step, r int) (kernels.Message, error) {
	return message(p.part.Ranges[r], p.frontier), nil
}

func (p *reference) Fold(r int) (kernels.Message, error) {
	return message(p.part.Ranges[r], p.next), nil
}

// message is the message of the vertices of rg in set.
func message(rg kernels.Range, set []bool) (m kernels.Message) {
	list, words := []uint32{}, make([]uint32, (rg.Padded()-rg.First)/32)
	for rank := rg.First; rank < rg.First+rg.Vertices; rank++ {
		if set[rank] {
			list = append(list, rank)
			words[(rank-rg.First)/32] |= 1 << (rank % 32)
		}
	}
	switch m.Count = len(list); {
	case m.Count == 0:
	case kernels.AsList(m.Count, 32*len(words)):
		m.List = list
	default:
		m.Bits = words
	}
	return m
}

// told returns the ranks in m.
func told(rg kernels.Range, m kernels.Message) []uint32 {
	if m.Count == 0 || m.List != nil {
		return m.List
	}
	var list []uint32
	for i, word := range m.Bits {
		for ; word != 0; word &= word - 1 {
			list = append(list, rg.First+uint32(32*i+bits.TrailingZeros32(word)))
		}
	}
	return list
}

func (p *reference) Take(_ int, _ program.Step, r int, m kernels.Message) error {
	for _, rank := range told(p.part.Ranges[r], m) {
		p.frontier[rank], p.seen[rank] = true, true
	}
	return nil
}

func (p *reference) Merge(r int, from int, m kernels.Message) error {
	for _, rank := range told(p.part.Ranges[r], m) {
		if !p.seen[rank] {
			p.seen[rank], p.next[rank], p.finder[rank] = true, true, uint8(from)
		}
	}
	return nil
}

func (p *reference) Advance() (c kernels.Counts, err error) {
	clear(p.frontier)
	p.own(func(s *graph.Subgraph, row, rank uint32) {
		p.frontier[rank] = p.next[rank]
		if p.next[rank] {
			c.Next++
			c.NextArcs += int64(s.Out.Degree(row))
		}
		if !p.seen[rank] {
			c.Unvisited++
			if s.In != nil {
				c.UnvisitedArcs += int64(s.In.Degree(row))
			}
		}
	})
	clear(p.next)
	c.Examined, p.examined = p.examined, 0
	return c, nil
}

func (p *reference) RemoteClaims(q int) (list []uint32, err error) {
	p.own(func(_ *graph.Subgraph, _, rank uint32) {
		if p.seen[rank] && int(p.finder[rank]) == q {
			list = append(list, rank)
		}
	})
	return list, nil
}

func (p *reference) LookupParents(ranks []uint32) ([]uint32, error) {
	list := make([]uint32, len(ranks))
	for i, rank := range ranks {
		list[i] = p.parent[rank]
	}
	return list, nil
}

func (p *reference) Parents(out []uint32, foreign, answers [][]uint32) error {
	for q := range foreign {
		for i, rank := range foreign[q] {
			p.parent[rank] = answers[q][i]
		}
	}
	p.own(func(_ *graph.Subgraph, _, rank uint32) {
		v := p.part.VertexOf[rank]
		if out[v] = graph.None; p.seen[rank] {
			out[v] = p.part.VertexOf[p.parent[rank]]
		}
	})
	return nil
}

func (p *reference) Close() error { return nil }

// Open returns the model itself: it is a processor and its run.
func (p *reference) Open(_ context.Context, prog *program.Program) (kernels.Run, error) {
	if !kernels.IsTree(prog) {
		return nil, kernels.ErrUnsupported
	}
	return p, nil
}

func (p *reference) RunBytes(*program.Program) int64 { return 0 }

func (p *reference) Use(program.Set) (c kernels.Counts, err error) {
	p.own(func(s *graph.Subgraph, row, rank uint32) {
		if p.frontier[rank] {
			c.Next++
			c.NextArcs += int64(s.Out.Degree(row))
		}
		if !p.seen[rank] {
			c.Unvisited++
			if s.In != nil {
				c.UnvisitedArcs += int64(s.In.Degree(row))
			}
		}
	})
	return c, nil
}

func (p *reference) Keep(program.Set) error           { return kernels.ErrUnsupported }
func (p *reference) Local(context.Context, int) error { return kernels.ErrUnsupported }
func (p *reference) Whole(int) ([]uint32, error)      { return nil, kernels.ErrUnsupported }
func (p *reference) Read(int, any) error              { return kernels.ErrUnsupported }
func (p *reference) VertexMap(context.Context, int, program.Set, [4]float64) (kernels.Reduced, error) {
	return kernels.Reduced{}, kernels.ErrUnsupported
}
