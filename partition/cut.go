package partition

import "math"

// share is a contiguous part of the cut order: its owners (several of one kind are dealt
// vertices), its fraction of the entries and its memory budget in bytes, 0 without a bound.
type share struct {
	owners []int
	part   float64
	budget int64
	device bool
}

// minVertices is one for each owner, 0 if part is 0.
func (s share) minVertices() int {
	if s.part > 0 {
		return len(s.owners)
	}
	return 0
}

// shares returns a share for each processor in order, or with byKind for each run of
// processors of one kind. Parts add up to 1.
func (o *Options) shares(order []int, byKind bool, size sizeFunc) (list []share) {
	for _, i := range order {
		p := o.Processors[i]
		s := share{[]int{i}, p.Rate, p.Budget, p.Device}
		if p.Rate == 0 {
			s.part = 1
		}
		if o.Shares != nil {
			s.part = o.Shares[i]
		}
		if k := len(list) - 1; byKind && k >= 0 && list[k].device == p.Device {
			list[k].owners = append(list[k].owners, i)
			list[k].part += s.part
			if s.budget == 0 || list[k].budget == 0 {
				list[k].budget = 0
			} else { // each has rank space to hold beside its part
				list[k].budget = max(1, list[k].budget+s.budget-size(s.device, 0, 0))
			}
		} else {
			list = append(list, s)
		}
	}
	sum := 0.0
	for _, s := range list {
		sum += s.part
	}
	for k := range list {
		if sum > 0 {
			list[k].part /= sum
		}
	}
	return list
}

// nearestPrefix is the number of leading vertices whose loads come nearest to target.
func nearestPrefix(vertices, load []uint32, target uint64) int {
	sum := uint64(0)
	for i, v := range vertices {
		next := sum + uint64(load[v])
		if next >= target {
			if next-target <= target-sum {
				return i + 1
			}
			return i
		}
		sum = next
	}
	return len(vertices)
}

func sumOf(vertices, load []uint32) uint64 {
	sum := uint64(0)
	for _, v := range vertices {
		sum += uint64(load[v])
	}
	return sum
}

// cut divides the vertices, in their order, into one group per share by the shares'
// parts of the sum of loads, and then moves cuts so that budgets hold. Each owner of a
// share with a positive part gets at least one vertex where there are enough.
func cut(vertices, load []uint32, shares []share, size sizeFunc) ([]group, error) {
	total, done := sumOf(vertices, load), uint64(0)
	ends := make([]int, len(shares)+1)
	parts, later := 0.0, 0 // later: vertices that the shares to come want at least
	for _, s := range shares {
		later += s.minVertices()
	}
	for k, s := range shares {
		parts += s.part
		later -= s.minVertices()
		at, left := ends[k], len(vertices)-ends[k]
		n := 0
		if target := uint64(math.Round(parts * float64(total))); target > done {
			n = nearestPrefix(vertices[at:], load, target-done)
		}
		n = min(left, max(s.minVertices(), min(n, left-later)))
		if k == len(shares)-1 || later == 0 && s.part > 0 {
			n = left // also those without a load
		}
		done += sumOf(vertices[at:at+n], load)
		ends[k+1] = at + n
	}
	if err := fitBudgets(vertices, load, shares, ends, size); err != nil {
		return nil, err
	}
	groups := make([]group, len(shares))
	for k, s := range shares {
		groups[k] = group{s.owners[0], vertices[ends[k]:ends[k+1]]}
	}
	return groups, nil
}
