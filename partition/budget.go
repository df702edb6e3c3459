package partition

import (
	"fmt"
	"slices"
)

// sizeFunc returns the bytes of a partition on a device or a CPU, given its entries and
// vertices.
type sizeFunc func(device bool, load uint64, vertices int) int64

// fitBudgets moves the ends of shares that are over budget. Shares before the first one
// without a budget give their last vertices to the next share, those after it their first
// vertices to the previous one. If all have a budget, each gives to the next, then the
// last gives back.
func fitBudgets(vertices, load []uint32, shares []share, ends []int, size sizeFunc) error {
	// holds is the largest number of vertices of share k, from its start or its end,
	// that its budget holds.
	holds := func(k int, fromEnd bool) int {
		all, sum := vertices[ends[k]:ends[k+1]], uint64(0)
		if shares[k].budget == 0 {
			return len(all)
		}
		for c := range all {
			v := all[c]
			if fromEnd {
				v = all[len(all)-1-c]
			}
			sum += uint64(load[v])
			if size(shares[k].device, sum, c+1) > shares[k].budget {
				return c
			}
		}
		return len(all)
	}
	last := len(shares)
	free := slices.IndexFunc(shares, func(s share) bool { return s.budget == 0 })
	if free < 0 {
		free = last
	}
	for k := range free {
		ends[k+1] = ends[k] + holds(k, false)
	}
	low := free
	if free == last && ends[last] < len(vertices) {
		ends[last], low = len(vertices), -1 // the last share is full
	}
	for k := last - 1; k > low; k-- {
		ends[k] = ends[k+1] - holds(k, true)
	}
	if low < 0 && ends[0] > 0 {
		have := int64(0)
		for _, s := range shares {
			have += s.budget
		}
		return fmt.Errorf("%w: %d bytes are needed and %d given",
			ErrCapacity, size(shares[0].device, sumOf(vertices, load), len(vertices)), have)
	}
	return nil
}

// enforceBudgets moves vertices off over-full processors, which dealing and takeTop can
// make: first to one of the same kind with room, then to an unlimited one, then to any. An
// assignment is not changed but refused.
func (o *Options) enforceBudgets(groups []group, degree, load []uint32, policy Policy, size sizeFunc) error {
	if !slices.ContainsFunc(o.Processors, func(p Processor) bool { return p.Budget > 0 }) {
		return nil
	}
	type holding struct {
		load     uint64
		vertices int
		last     int // its last group
	}
	held, grown := make([]holding, len(o.Processors)), make([]bool, len(groups))
	for g := range groups {
		h := &held[groups[g].owner]
		h.load += sumOf(groups[g].vertices, load)
		h.vertices += len(groups[g].vertices)
		h.last = g
	}
	// need is the bytes of processor i with more load and vertices.
	need := func(i int, more uint64, vertices int) int64 {
		return size(o.Processors[i].Device, held[i].load+more, held[i].vertices+vertices)
	}
	move := func(from int, v uint32) bool {
		best, rank := -1, 0
		for i, p := range o.Processors {
			if i == from || p.Budget > 0 && need(i, uint64(load[v]), 1) > p.Budget {
				continue
			}
			r := 1
			if p.Budget == 0 {
				r = 2
			}
			if p.Device == o.Processors[from].Device {
				r += 2
			}
			if r > rank {
				best, rank = i, r
			}
		}
		if best < 0 {
			return false
		}
		h := &held[best]
		h.load += uint64(load[v])
		h.vertices++
		if g := &groups[h.last]; grown[h.last] {
			g.vertices = append(g.vertices, v)
		} else {
			g.vertices, grown[h.last] = append(slices.Clip(g.vertices), v), true
		}
		return true
	}
	for i, p := range o.Processors {
		for g := len(groups) - 1; g >= 0; g-- {
			if groups[g].owner != i {
				continue
			}
			for p.Budget > 0 && len(groups[g].vertices) > 0 && need(i, 0, 0) > p.Budget {
				k := len(groups[g].vertices) - 1
				v := groups[g].vertices[k]
				if policy == Assigned || !move(i, v) {
					return fmt.Errorf("%w: the part of %s needs %d bytes, %d are given", ErrCapacity, p.Name, need(i, 0, 0), p.Budget)
				}
				groups[g].vertices = groups[g].vertices[:k]
				held[i].load -= uint64(load[v])
				held[i].vertices--
			}
		}
	}
	for g := range groups {
		if grown[g] {
			slices.Sort(groups[g].vertices)
			if policy != Original {
				groups[g].vertices = byFallingDegree(groups[g].vertices, degree)
			}
		}
	}
	return nil
}
