package partition

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/totemgo/totemgo/internal/hugemem"
)

// byFallingDegree returns the vertices in order of falling degree; equal degrees
// keep their order in vertices. It counts how often each degree occurs. The result is in a.
func byFallingDegree(a *hugemem.Arena, vertices []uint32, degree []uint32) []uint32 {
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
	sorted := hugemem.Alloc[uint32](a, len(vertices))
	for _, v := range vertices {
		p := &at[top-degree[v]]
		sorted[*p] = v
		*p++
	}
	return sorted
}

// groups assigns vertices to slots, the ranges to be.
type groups struct {
	order  []uint32 // the vertices in rank order
	owners []int    // by slot
	slot   []uint8  // by vertex id; defined for the vertices in order
}

// arrange applies the policy to the vertices of live, which have an edge: it lines them up,
// cuts the line into shares, deals each share to its slots and enforces budgets. load[v] is
// the number of adjacency entries of v, which shares and budgets count. The groups are in a.
func (o *Options) arrange(a *hugemem.Arena, live, degree, load []uint32, policy Policy, size sizeFunc) (*groups, error) {
	g := &groups{order: live, slot: hugemem.Alloc[uint8](a, len(degree))}
	var err error
	if g.owners, err = o.owners(size); err != nil {
		return nil, err
	}
	if policy != Original {
		g.order = byFallingDegree(a, live, degree)
	}
	queue := g.order
	switch policy {
	case Assigned:
		g.slot = o.Assignment
		return g, o.enforceBudgets(g, load, true, size)
	case Random:
		queue = hugemem.Alloc[uint32](a, len(live))
		copy(queue, live)
		rng := rand.New(rand.NewPCG(o.Seed, 0x746f74656d676f))
		rng.Shuffle(len(queue), func(i, j int) { queue[i], queue[j] = queue[j], queue[i] })
	default:
		o.hubsFirst(g.owners, policy == HubsOnGPU)
	}
	sums := hugemem.Alloc[uint64](a, len(queue)+1)
	for i, v := range queue {
		sums[i+1] = sums[i] + uint64(load[v])
	}
	l := line{len(queue), func(i int) uint64 { return sums[i] }}
	rest, top, order := o, 0, g.owners
	if o.TwoEnded > 0 { // slot 0 takes the top
		d := order[o.firstDevice(order)]
		rest, top = o.takeTop(d, l, size)
		g.owners = append([]int{d}, order...)
	}
	shares := rest.shares(order, o.Shares == nil && (policy == HubsOnCPU || policy == HubsOnGPU), size)
	ends, err := l.cut(top, shares, size)
	if err != nil {
		return nil, err
	}
	slot := len(g.owners) - len(order)
	for k, s := range shares {
		for i, v := range queue[ends[k]:ends[k+1]] {
			if i >= dealtSingly {
				i = dealtSingly + (i-dealtSingly)/dealtBlock
			}
			g.slot[v] = uint8(slot + i%s.slots)
		}
		slot += s.slots
	}
	return g, o.enforceBudgets(g, load, false, size)
}

// owners returns the processors in order, or ErrRankSpace where one does not hold what searches keep of all ranks.
func (o *Options) owners(size sizeFunc) (owners []int, err error) {
	for i, q := range o.Processors {
		if need := size(q.Device, 0, 0); q.Budget > 0 && need > q.Budget {
			return nil, fmt.Errorf("%w: %w: it needs %d bytes at %s, %d are given", ErrCapacity, ErrRankSpace, need, q.Name, q.Budget)
		}
		owners = append(owners, i)
	}
	return owners, nil
}

const (
	// The dealtSingly highest-degree vertices are dealt round-robin one at a time, the rest
	// in blocks of dealtBlock, so neighbouring ids share an owner (locality of the result
	// array).
	dealtSingly = 4096
	dealtBlock  = 64
)

// hubsFirst sorts processors so that those that take the hubs come first: the CPUs, or
// for the mirror the devices; without a device the mirror is the list reversed.
func (o *Options) hubsFirst(order []int, mirror bool) {
	if mirror && o.firstDevice(order) < 0 {
		slices.Reverse(order)
	}
	later := func(i int) int {
		if o.Processors[i].Device == mirror {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(order, func(i, j int) int { return later(i) - later(j) })
}

// firstDevice returns the index in order of the first device, or −1.
func (o *Options) firstDevice(order []int) int {
	return slices.IndexFunc(order, func(i int) bool { return o.Processors[i].Device })
}

// takeTop gives the highest-degree vertices that hold the fraction TwoEnded of the load to
// processor i. It returns options for the rest, with the remaining budget and share of i,
// and the number of vertices taken.
func (o *Options) takeTop(i int, l line, size sizeFunc) (*Options, int) {
	total := l.sum(l.n)
	n := l.nearestEnd(0, uint64(o.TwoEnded*float64(total)))
	rest := *o
	rest.Processors, rest.Shares = slices.Clone(o.Processors), slices.Clone(o.Shares)
	if b := &rest.Processors[i].Budget; *b > 0 {
		*b = max(1, *b-size(true, l.sum(n), n)+size(true, 0, 0))
	}
	if o.Shares != nil {
		rest.Shares[i] = max(0, o.Shares[i]-float64(l.sum(n))/float64(max(1, total)))
	}
	return &rest, n
}

// survey returns the vertices that have an edge. It sets p's figures of degrees and the
// policy, which Auto chooses by them. The result is in a.
func (o *Options) survey(a *hugemem.Arena, degree []uint32, p *Placement) []uint32 {
	live := hugemem.Alloc[uint32](a, len(degree))[:0]
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
		case top == 0 || float64(top) < HubRatio*p.MeanDegree:
			p.Policy = Original
			p.Reason = fmt.Sprintf("largest degree %d is below %d times the mean %.1f: no hubs", top, HubRatio, p.MeanDegree)
		default:
			p.Reason = fmt.Sprintf("largest degree %d is at least %d times the mean %.1f", top, HubRatio, p.MeanDegree)
		}
	}
	return live
}
