package partition

import (
	"fmt"
	"slices"
)

// sizeFunc returns the bytes of a partition on a device or a CPU, given its entries and
// vertices.
type sizeFunc func(device bool, load uint64, vertices int) int64

// sizes is the sizeFunc for a graph of n vertices, of which live have edges.
func (o *Options) sizes(n, live int64, structures, weight int) sizeFunc {
	ranks := live + 64*int64(len(o.Processors)+1) // ranges round up; two-ended adds one
	return func(device bool, load uint64, vertices int) int64 {
		s := PartSize{Entries: int64(load), Rows: int64(vertices), Ranks: ranks, Structures: structures, Offset: 4, Weight: weight}
		if device && o.InPlace {
			s.Entries, s.Structures = 0, 0
		}
		return PartBytes(s) + searchBytes(device, s.Rows, ranks, n)
	}
}

// searchBytes is the memory of a partition beyond PartBytes, of a graph of n vertices.
func searchBytes(device bool, rows, ranks, n int64) int64 {
	if device {
		return DeviceBytes(ranks, n)
	}
	return HostBytes(rows, ranks)
}

// enforceBudgets moves vertices off over-full processors, which dealing and takeTop can
// make, from the end of rank order on: first to one of the same kind with room, then to an
// unlimited one, then to any. A fixed assignment is not changed but refused.
func (o *Options) enforceBudgets(g *groups, load []uint32, fixed bool, size sizeFunc) error {
	if !slices.ContainsFunc(o.Processors, func(p Processor) bool { return p.Budget > 0 }) {
		return nil
	}
	type holding struct {
		load     uint64
		vertices int
		last     int // its last slot
	}
	held := make([]holding, len(o.Processors))
	for s, i := range g.owners {
		held[i].last = s
	}
	add := func(i int, v uint32, sign int) {
		held[i].load += uint64(sign) * uint64(load[v])
		held[i].vertices += sign
	}
	for _, v := range g.order {
		add(g.owners[g.slot[v]], v, 1)
	}
	// need is the bytes of processor i with more load and vertices.
	need := func(i int, more uint64, vertices int) int64 {
		return size(o.Processors[i].Device, held[i].load+more, held[i].vertices+vertices)
	}
	for i, p := range o.Processors {
		for k := len(g.order) - 1; k >= 0 && p.Budget > 0 && need(i, 0, 0) > p.Budget; k-- {
			v := g.order[k]
			if g.owners[g.slot[v]] != i {
				continue
			}
			best, rank := -1, 0
			for j, q := range o.Processors {
				r := 1
				if q.Budget == 0 {
					r = 2
				} else if need(j, uint64(load[v]), 1) > q.Budget {
					continue
				}
				if q.Device == p.Device {
					r += 2
				}
				if j != i && r > rank {
					best, rank = j, r
				}
			}
			if fixed || best < 0 {
				return fmt.Errorf("%w: the part of %s needs %d bytes, %d are given", ErrCapacity, p.Name, need(i, 0, 0), p.Budget)
			}
			add(i, v, -1)
			add(best, v, 1)
			g.slot[v] = uint8(held[best].last)
		}
	}
	return nil
}
