package partition

import (
	"cmp"
	"fmt"
	"math"
	"sort"
)

// share is a contiguous part of the line of vertices: how many slots of one kind it is
// dealt to, its fraction of the entries, the vertices it gets at least where there are
// enough, and its memory budget in bytes, 0 without a bound.
type share struct {
	slots  int
	part   float64
	least  int // one for each slot, 0 if part is 0
	budget int64
	device bool
}

// shares returns a share for each processor in order, or with byKind for each run of
// processors of one kind. Parts add up to 1.
func (o *Options) shares(order []int, byKind bool, size sizeFunc) (list []share) {
	for _, i := range order {
		p := o.Processors[i]
		s := share{slots: 1, part: cmp.Or(p.Rate, 1), budget: p.Budget, device: p.Device}
		if o.Shares != nil {
			s.part = o.Shares[i]
		}
		if k := len(list) - 1; byKind && k >= 0 && list[k].device == s.device {
			run := &list[k]
			run.slots++
			run.part += s.part
			if run.budget > 0 && s.budget > 0 { // each has rank space to hold beside its part
				run.budget = max(1, run.budget+s.budget-size(s.device, 0, 0))
			} else {
				run.budget = 0
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
		if s := &list[k]; s.part > 0 {
			s.part /= sum
			s.least = s.slots
		}
	}
	return list
}

// line is n vertices: sum is the load of the first i of them.
type line struct {
	n   int
	sum func(i int) uint64
}

// nearestEnd returns the index after at whose sum comes nearest to target, which is at
// least the sum at at; of two that are as near the later one.
func (l line) nearestEnd(at int, target uint64) int {
	end := min(at+1+sort.Search(l.n-at, func(i int) bool { return l.sum(at+1+i) >= target }), l.n)
	if end > at && l.sum(end) >= target && l.sum(end)-target > target-l.sum(end-1) {
		end--
	}
	return end
}

// cut divides the vertices from index top on into shares, by their parts of the sum of
// loads and so that budgets hold, and returns where each begins and the last ends.
func (l line) cut(top int, shares []share, size sizeFunc) ([]int, error) {
	n := l.n
	ends := make([]int, len(shares)+1)
	ends[0] = top
	parts, later := 0.0, 0 // later: vertices that the shares to come want at least
	for _, s := range shares {
		later += s.least
	}
	for k, s := range shares {
		parts += s.part
		later -= s.least
		end := ends[k]
		if target := l.sum(top) + uint64(math.Round(parts*float64(l.sum(n)-l.sum(top)))); target > l.sum(end) {
			end = l.nearestEnd(end, target)
		}
		ends[k+1] = min(n, max(ends[k]+s.least, min(end, n-later)))
		if k == len(shares)-1 || later == 0 && s.part > 0 {
			ends[k+1] = n // also those without a load
		}
	}
	return ends, l.fitBudgets(ends, shares, size)
}

// fitBudgets moves the ends of shares that are over budget. Shares before the first one
// without a budget give their last vertices to the next share, those after it their first
// vertices to the previous one. If all have a budget, each gives to the next, then the
// last gives back.
func (l line) fitBudgets(ends []int, shares []share, size sizeFunc) error {
	top, n, last := ends[0], l.n, len(shares)
	// held is the largest number of vertices of share k that its budget holds, given the
	// load of each number.
	held := func(k int, load func(vertices int) uint64) int {
		all := ends[k+1] - ends[k]
		if shares[k].budget == 0 {
			return all
		}
		return sort.Search(all, func(c int) bool { return size(shares[k].device, load(c+1), c+1) > shares[k].budget })
	}
	free := 0
	for ; free < last && shares[free].budget > 0; free++ {
		at := ends[free]
		ends[free+1] = at + held(free, func(c int) uint64 { return l.sum(at+c) - l.sum(at) })
	}
	low := free
	if free == last && ends[last] < n {
		ends[last], low = n, -1 // the last share is full
	}
	for k := last - 1; k > low; k-- {
		end := ends[k+1]
		ends[k] = end - held(k, func(c int) uint64 { return l.sum(end) - l.sum(end-c) })
	}
	if ends[0] == top {
		return nil
	}
	have := int64(0)
	for _, s := range shares {
		have += s.budget
	}
	return fmt.Errorf("%w: %d bytes are needed and %d given", ErrCapacity, size(shares[0].device, l.sum(n)-l.sum(top), n-top), have)
}
