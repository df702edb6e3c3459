package partition

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// byFallingDegree returns the vertices in order of falling degree; equal degrees
// keep their order in vertices. It counts how often each degree occurs.
func byFallingDegree(vertices []uint32, degree []uint32) []uint32 {
	top := uint32(0)
	for _, v := range vertices {
		top = max(top, degree[v])
	}
	at := make([]uint32, int(top)+2) // vertices of a higher degree, by top − degree
	for _, v := range vertices {
		at[top-degree[v]+1]++
	}
	for i := range top {
		at[i+1] += at[i]
	}
	sorted := make([]uint32, len(vertices))
	for _, v := range vertices {
		p := &at[top-degree[v]]
		sorted[*p] = v
		*p++
	}
	return sorted
}

// group is a future range: its vertices in rank order and its owner.
type group struct {
	owner    int
	vertices []uint32
}

// arrange applies the policy: it assigns the vertices of live, which have an edge, to
// groups. Groups are ordered by degree; load[v] is the number of adjacency entries of v,
// which shares and budgets count.
func (o *Options) arrange(live, degree, load []uint32, policy Policy, size sizeFunc) ([]group, error) {
	for _, q := range o.Processors {
		if need := size(q.Device, 0, 0); q.Budget > 0 && need > q.Budget {
			return nil, fmt.Errorf("%w: %w: it needs %d bytes at %s, %d are given", ErrCapacity, ErrRankSpace, need, q.Name, q.Budget)
		}
	}
	groups, err := o.assign(live, degree, load, policy, size)
	if err != nil {
		return nil, err
	}
	return groups, o.enforceBudgets(groups, degree, load, policy, size)
}

// survey returns the vertices that have an edge. It sets p's figures of degrees and the
// policy, which Auto chooses by them.
func (o *Options) survey(degree []uint32, p *Placement) []uint32 {
	live := make([]uint32, 0, len(degree))
	total, top := uint64(0), uint32(0)
	for v, d := range degree {
		if d > 0 {
			live = append(live, uint32(v))
			total += uint64(d)
			top = max(top, d)
		}
	}
	p.Isolated, p.MaxDegree, p.Policy = int64(len(degree)-len(live)), top, o.Policy
	if len(live) > 0 {
		p.MeanDegree = float64(total) / float64(len(live))
	}
	if p.Policy == Auto {
		p.Policy = HubsOnCPU
		switch {
		case o.TwoEnded > 0:
			p.Reason = fmt.Sprintf("two-ended share needs it (largest degree %d, mean %.1f)", top, p.MeanDegree)
		case float64(top) < HubRatio*p.MeanDegree:
			p.Policy = Original
			p.Reason = fmt.Sprintf("largest degree %d is below %d times the mean %.1f: no hubs", top, HubRatio, p.MeanDegree)
		default:
			p.Reason = fmt.Sprintf("largest degree %d is at least %d times the mean %.1f", top, HubRatio, p.MeanDegree)
		}
	}
	return live
}

// assign divides the vertices of live by the policy.
func (o *Options) assign(live, degree, load []uint32, policy Policy, size sizeFunc) ([]group, error) {
	switch policy {
	case Assigned:
		groups := make([]group, len(o.Processors))
		for i := range groups {
			groups[i].owner = i
		}
		for _, v := range byFallingDegree(live, degree) {
			g := &groups[o.Assignment[v]]
			g.vertices = append(g.vertices, v)
		}
		return groups, nil

	case Random:
		shuffled := slices.Clone(live)
		rng := rand.New(rand.NewPCG(o.Seed, 0x746f74656d676f))
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		order := make([]int, len(o.Processors))
		for i := range order {
			order[i] = i
		}
		groups, err := cut(shuffled, load, o.shares(order, false, size), size)
		for i := range groups {
			slices.Sort(groups[i].vertices)
			groups[i].vertices = byFallingDegree(groups[i].vertices, degree)
		}
		return groups, err

	case Original:
		return cut(live, load, o.shares(o.processorOrder(false), false, size), size)
	}

	// HubsOnCPU and its mirror.
	sorted, order := byFallingDegree(live, degree), o.processorOrder(policy == HubsOnGPU)
	var groups []group
	if o.TwoEnded > 0 {
		var top group
		top, o = o.takeTop(sorted, load, order, size)
		groups, sorted = append(groups, top), sorted[len(top.vertices):]
	}
	shares := o.shares(order, o.Shares == nil, size)
	byShare, err := cut(sorted, load, shares, size)
	for k, g := range byShare {
		groups = append(groups, deal(g.vertices, shares[k].owners)...)
	}
	return groups, err
}

// takeTop gives the highest-degree vertices that hold the fraction TwoEnded of the load to
// the first device in order; there must be one. It returns options for the rest, with the
// remaining budget and share of that device.
func (o *Options) takeTop(sorted, load []uint32, order []int, size sizeFunc) (group, *Options) {
	k := slices.IndexFunc(order, func(i int) bool { return o.Processors[i].Device })
	total, i := sumOf(sorted, load), order[k]
	n := nearestPrefix(sorted, load, uint64(o.TwoEnded*float64(total)))
	rest, top := *o, sumOf(sorted[:n], load)
	if b := o.Processors[i].Budget; b > 0 {
		rest.Processors = slices.Clone(o.Processors)
		rest.Processors[i].Budget = max(1, b-size(true, top, n)+size(true, 0, 0))
	}
	if o.Shares != nil {
		rest.Shares = slices.Clone(o.Shares)
		rest.Shares[i] = max(0, o.Shares[i]-float64(top)/float64(max(1, total)))
	}
	return group{i, sorted[:n]}, &rest
}

// processorOrder lists the processors with those that take the hubs first: the CPUs, or
// for the mirror the devices; without a device the mirror is the list reversed.
func (o *Options) processorOrder(mirror bool) []int {
	var cpus, devices []int
	for i, p := range o.Processors {
		if p.Device {
			devices = append(devices, i)
		} else {
			cpus = append(cpus, i)
		}
	}
	switch {
	case mirror && len(devices) == 0:
		slices.Reverse(cpus)
		return cpus
	case mirror:
		return append(devices, cpus...)
	}
	return append(cpus, devices...)
}

const (
	// The dealtSingly highest-degree vertices are dealt round-robin one at a time, the rest
	// in blocks of dealtBlock, so neighbouring ids share an owner (locality of the result
	// array).
	dealtSingly = 4096
	dealtBlock  = 64
)

// deal deals vertices, sorted by falling degree, to owners in turn.
func deal(vertices []uint32, owners []int) []group {
	if len(owners) == 1 {
		return []group{{owners[0], vertices}}
	}
	groups := make([]group, len(owners))
	for i, owner := range owners {
		groups[i] = group{owner, make([]uint32, 0, len(vertices)/len(owners)+1)}
	}
	for i, v := range vertices {
		turn := i
		if i >= dealtSingly {
			turn = dealtSingly + (i-dealtSingly)/dealtBlock
		}
		g := &groups[turn%len(owners)]
		g.vertices = append(g.vertices, v)
	}
	return groups
}
