package partition

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/totemgo/totemgo/graph"
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

// group is one range to be: its vertices in rank order and its owner.
type group struct {
	owner    int
	vertices []uint32
}

// arrange applies the policy: it assigns every vertex that has an edge to a group.
// Groups are ordered by degree; load is the adjacency entries that a vertex brings,
// which shares and budgets are about.
func (o *Options) arrange(degree, load []uint32, p *Placement, size sizer) ([]group, error) {
	for _, q := range o.Processors {
		if need := size(q.Device, 0, 0); q.Budget > 0 && need > q.Budget {
			return nil, fmt.Errorf("%w: %w: it needs %d bytes at %s, %d are given", ErrCapacity, ErrRankSpace, need, q.Name, q.Budget)
		}
	}
	groups, err := o.assign(degree, load, p, size)
	if err != nil {
		return nil, err
	}
	return groups, o.settle(groups, degree, load, p.Policy, size)
}

func (o *Options) assign(degree, load []uint32, p *Placement, size sizer) ([]group, error) {
	n := len(degree)
	live := make([]uint32, 0, n)
	total, top := uint64(0), uint32(0)
	for v, d := range degree {
		if d > 0 {
			live = append(live, uint32(v))
			total += uint64(d)
			top = max(top, d)
		}
	}
	p.Isolated = int64(n - len(live))
	p.MaxDegree = top
	if len(live) > 0 {
		p.MeanDegree = float64(total) / float64(len(live))
	}
	p.Policy = o.Policy
	if p.Policy == Auto {
		p.Policy = HubsOnCPU
		p.Why = fmt.Sprintf("largest degree %d is at least %d times the mean %.1f", top, HubRatio, p.MeanDegree)
		if float64(top) < HubRatio*p.MeanDegree && o.TwoEnded == 0 {
			p.Policy = Original
			p.Why = fmt.Sprintf("largest degree %d is below %d times the mean %.1f: no hubs", top, HubRatio, p.MeanDegree)
		}
		if o.TwoEnded > 0 {
			p.Why = fmt.Sprintf("two-ended share needs it (largest degree %d, mean %.1f)", top, p.MeanDegree)
		}
	}

	switch p.Policy {
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
		groups, err := cut(shuffled, load, o.sequence(identity(len(o.Processors))), size)
		for i := range groups {
			slices.Sort(groups[i].vertices)
			groups[i].vertices = byFallingDegree(groups[i].vertices, degree)
		}
		return groups, err

	case Original:
		return cut(live, load, o.sequence(o.kinds(false)), size)
	}

	// hubs-on-cpu and its mirror
	sorted := byFallingDegree(live, degree)
	mirror := p.Policy == HubsOnGPU
	order := o.kinds(mirror)
	var groups []group
	if o.TwoEnded > 0 {
		for _, i := range order {
			if o.Processors[i].Device {
				k := prefix(sorted, load, uint64(o.TwoEnded*float64(sumOf(sorted, load))))
				groups = append(groups, group{owner: i, vertices: sorted[:k]})
				rest, top := *o, sumOf(sorted[:k], load)
				if b := o.Processors[i].Budget; b > 0 { // what is left of it takes the lowest degrees
					rest.Processors = slices.Clone(o.Processors)
					rest.Processors[i].Budget = max(1, b-size(true, top, k)+size(true, 0, 0))
				}
				if o.Shares != nil { // as is what is left of its share
					rest.Shares = slices.Clone(o.Shares)
					rest.Shares[i] = max(0, o.Shares[i]-float64(top)/float64(max(1, sumOf(sorted, load))))
				}
				o = &rest
				sorted = sorted[k:]
				break
			}
		}
	}
	if o.Shares != nil {
		rest, err := cut(sorted, load, o.sequence(order), size)
		return append(groups, rest...), err
	}
	// Cut between the kinds, then deal within each.
	var kinds []slot
	for _, i := range order {
		proc := o.Processors[i]
		if k := len(kinds) - 1; k >= 0 && o.Processors[kinds[k].owners[0]].Device == proc.Device {
			kinds[k].owners = append(kinds[k].owners, i)
			kinds[k].share += rate(proc)
			if proc.Budget == 0 || kinds[k].budget == 0 {
				kinds[k].budget = 0
			} else {
				// Each has rank space to hold beside its part.
				kinds[k].budget = max(1, kinds[k].budget+proc.Budget-size(proc.Device, 0, 0))
			}
		} else {
			kinds = append(kinds, slot{owners: []int{i}, share: rate(proc), budget: proc.Budget, device: proc.Device})
		}
	}
	normalise(kinds)
	byKind, err := cut(sorted, load, kinds, size)
	for k, g := range byKind {
		owners := kinds[k].owners
		dealt := make([]group, len(owners))
		for i, owner := range owners {
			dealt[i].owner = owner
			dealt[i].vertices = make([]uint32, 0, len(g.vertices)/len(owners)+1)
		}
		for i, v := range g.vertices {
			d := &dealt[dealer(i)%len(owners)]
			d.vertices = append(d.vertices, v)
		}
		groups = append(groups, dealt...)
	}
	return groups, err
}

const (
	// dealtSingly is how many vertices of the highest degrees are dealt one by one,
	// dealtBlock how many of the others at a time: ties of degree keep the order of
	// ids, so that a block's ids lie together, and processors write to other lines of
	// a result.
	dealtSingly = 4096
	dealtBlock  = 64
)

// dealer numbers the turns of dealing: that in which the i-th vertex by falling degree
// is dealt.
func dealer(i int) int {
	if i < dealtSingly {
		return i
	}
	return dealtSingly + (i-dealtSingly)/dealtBlock
}

func identity(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// kinds lists the processors with those that take the hubs first: the CPUs, or for
// the mirror the devices; without a device the mirror is the list reversed.
func (o *Options) kinds(mirror bool) []int {
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

func rate(p Processor) float64 {
	if p.Rate == 0 {
		return 1
	}
	return p.Rate
}

// slot is one place in the order of cutting: its owners (several of one kind are
// dealt), its share of the entries and its memory budget.
type slot struct {
	owners []int
	share  float64
	budget int64
	device bool
}

// least is the number of vertices that give each owner one, 0 without a share.
func (s slot) least() int {
	if s.share > 0 {
		return len(s.owners)
	}
	return 0
}

// sequence gives each processor in order a slot of its own.
func (o *Options) sequence(order []int) []slot {
	slots := make([]slot, len(order))
	for k, i := range order {
		slots[k] = slot{owners: []int{i}, share: rate(o.Processors[i]), budget: o.Processors[i].Budget, device: o.Processors[i].Device}
		if o.Shares != nil {
			slots[k].share = o.Shares[i]
		}
	}
	normalise(slots)
	return slots
}

func normalise(slots []slot) {
	sum := 0.0
	for _, s := range slots {
		sum += s.share
	}
	for i := range slots {
		if sum > 0 {
			slots[i].share /= sum
		}
	}
}

// sizer computes the bytes of a partition, of a device or a CPU, from its sum of loads
// and vertices.
type sizer func(device bool, load uint64, vertices int) int64

// prefix is the number of leading vertices whose loads come nearest to target.
func prefix(vertices, load []uint32, target uint64) int {
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

// cut divides the vertices, in their order, into one group per slot by the slots'
// shares of the sum of loads, and then moves cuts so that budgets hold. Each owner
// of a slot with a positive share gets at least one vertex where there are enough.
func cut(vertices, load []uint32, slots []slot, size sizer) ([]group, error) {
	total := sumOf(vertices, load)
	ends := make([]int, len(slots)+1)
	acc, at, done := 0.0, 0, uint64(0)
	for k, s := range slots {
		acc += s.share
		target := uint64(math.Round(acc * float64(total)))
		if k == len(slots)-1 {
			target = total
		}
		n := 0
		if target > done {
			n = prefix(vertices[at:], load, target-done)
		}
		after := 0 // vertices that the slots still to come want
		for _, t := range slots[k+1:] {
			after += t.least()
		}
		rest := len(vertices) - at
		n = min(rest, max(s.least(), min(n, rest-after)))
		if k == len(slots)-1 || after == 0 && s.share > 0 {
			n = len(vertices) - at // also those without a load
		}
		done += sumOf(vertices[at:at+n], load)
		at += n
		ends[k+1] = at
	}
	if err := fit(vertices, load, slots, ends, size); err != nil {
		return nil, err
	}
	groups := make([]group, len(slots))
	for k, s := range slots {
		groups[k] = group{owner: s.owners[0], vertices: vertices[ends[k]:ends[k+1]]}
	}
	return groups, nil
}

// fit shrinks slots that are over budget. What a slot cannot hold moves across its
// border towards a slot without a budget: left if there is one, else right, and back
// where the last one is full.
func fit(vertices, load []uint32, slots []slot, ends []int, size sizer) error {
	free := -1
	bounded := false
	for k, s := range slots {
		if s.budget > 0 {
			bounded = true
		} else if free < 0 {
			free = k
		}
	}
	if !bounded {
		return nil
	}
	// holds is the largest number of vertices of vertices[lo:hi], counted from one
	// side, whose partition stays within the slot's budget.
	holds := func(lo, hi int, s slot, fromEnd bool) int {
		sum := uint64(0)
		for c := 0; c < hi-lo; c++ {
			v := lo + c
			if fromEnd {
				v = hi - 1 - c
			}
			sum += uint64(load[vertices[v]])
			if size(s.device, sum, c+1) > s.budget {
				return c
			}
		}
		return hi - lo
	}
	shrink := func(k int, fromEnd bool) {
		if slots[k].budget == 0 {
			return
		}
		c := holds(ends[k], ends[k+1], slots[k], fromEnd)
		if fromEnd {
			ends[k] = ends[k+1] - c
		} else {
			ends[k+1] = ends[k] + c
		}
	}
	last := len(slots)
	if free < 0 {
		free = last // nobody is unbounded: push everything right and see
	}
	for k := last - 1; k > free; k-- {
		shrink(k, true)
	}
	for k := range min(free, last) {
		shrink(k, false)
	}
	if free == last && ends[last] < len(vertices) {
		// The last slot is full: what is left moves back to those with room.
		ends[last] = len(vertices)
		for k := last - 1; k >= 0; k-- {
			shrink(k, true)
		}
		if ends[0] > 0 {
			have := int64(0)
			for _, s := range slots {
				have += s.budget
			}
			return fmt.Errorf("%w: %d bytes are needed and %d given",
				ErrCapacity, size(slots[0].device, sumOf(vertices, load), len(vertices)), have)
		}
	}
	return nil
}

// settle moves what lies over the budget of a processor, which dealing and a range
// of the top arcs do not look at: to one of its kind that has room, else to one without
// a budget, else to any with room. An assignment is taken as it is, or refused.
func (o *Options) settle(groups []group, degree, load []uint32, policy Policy, size sizer) error {
	bounded := false
	for _, p := range o.Processors {
		bounded = bounded || p.Budget > 0
	}
	if !bounded {
		return nil
	}
	type holding struct {
		load     uint64
		vertices int
		last     int // its last group
	}
	held := make([]holding, len(o.Processors))
	for g := range groups {
		h := &held[groups[g].owner]
		h.load += sumOf(groups[g].vertices, load)
		h.vertices += len(groups[g].vertices)
		h.last = g
	}
	room := func(i int, v uint32) bool {
		h, p := held[i], o.Processors[i]
		return p.Budget == 0 || size(p.Device, h.load+uint64(load[v]), h.vertices+1) <= p.Budget
	}
	moved := make([][]uint32, len(groups)) // to each
	move := func(from int, v uint32) bool {
		best, rank := -1, 0
		for i, p := range o.Processors {
			if i == from || !room(i, v) {
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
		moved[h.last] = append(moved[h.last], v)
		return true
	}
	for i, p := range o.Processors {
		for g := len(groups) - 1; g >= 0; g-- {
			if groups[g].owner != i {
				continue
			}
			for k := len(groups[g].vertices) - 1; k >= 0 && p.Budget > 0 && size(p.Device, held[i].load, held[i].vertices) > p.Budget; k-- {
				v := groups[g].vertices[k]
				if policy == Assigned || !move(i, v) {
					return fmt.Errorf("%w: the part of %s needs %d bytes, %d are given", ErrCapacity, p.Name, size(p.Device, held[i].load, held[i].vertices), p.Budget)
				}
				groups[g].vertices = groups[g].vertices[:k]
				held[i].load -= uint64(load[v])
				held[i].vertices--
			}
		}
	}
	for g := range groups {
		if len(moved[g]) == 0 {
			continue
		}
		groups[g].vertices = slices.Concat(groups[g].vertices, moved[g])
		slices.Sort(groups[g].vertices)
		if policy != Original {
			groups[g].vertices = byFallingDegree(groups[g].vertices, degree)
		}
	}
	return nil
}

// layRanges turns groups into ranges, rank maps and the total of rank space.
func (p *Placement) layRanges(groups []group, vertices int) error {
	ranks := uint64(0)
	for _, g := range groups {
		ranks += (uint64(len(g.vertices)) + 63) &^ 63
	}
	if ranks >= graph.MaxVertices {
		return fmt.Errorf("%w: rank space of %d ranks passes %d", ErrTooLarge, ranks, uint32(graph.MaxVertices))
	}
	p.Ranks = uint32(ranks)
	p.RankOf = alloc[uint32](p, vertices)
	p.VertexOf = alloc[uint32](p, int(ranks))
	for i := range p.RankOf {
		p.RankOf[i] = graph.None
	}
	first := uint32(0)
	for _, g := range groups {
		r := graph.Range{First: first, Vertices: uint32(len(g.vertices)), Owner: g.owner}
		for i, v := range g.vertices {
			p.VertexOf[first+uint32(i)] = v
			p.RankOf[v] = first + uint32(i)
		}
		for i := r.First + r.Vertices; i < r.Padded(); i++ {
			p.VertexOf[i] = graph.None
		}
		p.Ranges = append(p.Ranges, r)
		first = r.Padded()
	}
	return nil
}
