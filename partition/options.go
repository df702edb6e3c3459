package partition

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

var (
	// ErrOptions is returned by New where the options contradict each other or
	// name something unknown.
	ErrOptions = errors.New("partition: invalid options")
	// ErrMemory is returned by New, before anything is allocated, where the
	// placement would need more memory than the limit; the message has both figures.
	ErrMemory = errors.New("partition: not enough memory")
	// ErrTooLarge is returned by New where rank space or a count passes 32 bits.
	ErrTooLarge = errors.New("partition: graph too large")
	// ErrCapacity is returned by New where the processors' memory budgets together
	// do not hold the graph.
	ErrCapacity = errors.New("partition: processors do not hold the graph")
	// ErrRankSpace comes with ErrCapacity where what a search keeps of the whole rank
	// space is over a processor's budget already, however small its part.
	ErrRankSpace = errors.New("rank space alone is too large")
	// ErrNoRows is returned by Placement.Rows after a Release, and for a direction that
	// Options.NoOut or NoIn left out.
	ErrNoRows = errors.New("partition: rows are not in host memory")
	// ErrInvalid is returned by New where the source's records name vertices that
	// do not exist, or its offsets fall; by package engine also where there are not as
	// many labels as vertices.
	ErrInvalid = errors.New("partition: invalid graph")
)

// Policy names a rule that assigns vertices to processors.
type Policy string

const (
	// Auto is HubsOnCPU, or Original for a graph without hubs: largest degree below
	// HubRatio × mean degree.
	Auto Policy = ""
	// HubsOnCPU gives the vertices of highest degree to the CPU processors, the
	// others to the devices. Processors of one kind are dealt vertices round-robin by
	// falling degree; where shares are given, the cuts are by degree in the order listed.
	HubsOnCPU Policy = "hubs-on-cpu"
	// HubsOnGPU is the mirror of HubsOnCPU. Without a device the hubs go to the
	// last processor listed.
	HubsOnGPU Policy = "hubs-on-gpu"
	// Random assigns vertices in a seeded random order until each share is met.
	Random Policy = "random"
	// Original keeps the order of ids and cuts it, the CPUs first.
	Original Policy = "original"
	// Assigned takes each vertex's processor from Options.Assignment.
	Assigned Policy = "assigned"
)

// Policies lists the policies that a user can name.
func Policies() []Policy { return []Policy{HubsOnCPU, HubsOnGPU, Random, Original} }

// HubRatio is the ratio of the largest to the mean degree from which on a graph is
// said to have hubs.
const HubRatio = 16

// Processor describes one owner to a placement.
type Processor struct {
	// Name identifies it in reports and errors.
	Name string
	// Device tells that it is a device (GPU) rather than CPU threads.
	Device bool
	// Rate is its speed relative to the others, used for default shares; 0 means 1.
	Rate float64
	// Budget is the memory in bytes that its part of the graph may take; 0 means no
	// bound. What does not fit goes to processors without one.
	Budget int64
}

// Options say how to place a graph. The zero value places it on one CPU processor.
type Options struct {
	// Policy is the rule; Auto by default.
	Policy Policy
	// Processors lists the owners; none means one CPU processor.
	Processors []Processor
	// Shares are the fractions of adjacency entries per processor, in the order of
	// Processors, adding up to 1, what TwoEnded gives included; nil means by Rate.
	Shares []float64
	// Seed drives Random.
	Seed uint64
	// Assignment is the processor of each vertex id, for Assigned.
	Assignment []uint8
	// TwoEnded, with HubsOnCPU, gives the vertices that hold this fraction of the arcs at
	// the top of the degree order to the first device, which there must be (Totem's λ); 0
	// turns it off.
	TwoEnded float64
	// InPlace allows the adjacency of devices in host memory: it does not count against
	// their budgets.
	InPlace bool
	// NoOut and NoIn leave out the arcs of one direction of a directed graph, where
	// no step can use them.
	NoOut, NoIn bool
	// Weighted keeps the weights: of parallel records the smallest.
	Weighted bool
	// Threads used for building; 0 means GOMAXPROCS, or the processors that the process may use if they are fewer.
	Threads int
	// MemoryLimit is the number of bytes that building and its result may take; 0
	// means no limit.
	MemoryLimit int64
	// Consumed, if set, is called once the source will not be read again, so that its
	// memory can be freed before the subgraphs are allocated.
	Consumed func()
	// Progress, if set, is called now and then with the work done, of a total.
	Progress func(done, total int64)
}

// shareSlack is how far the sum of shares may lie from 1.
const shareSlack = 1e-6

// validate fills defaults and returns every contradiction at once.
func (o *Options) validate(vertices int) error {
	if len(o.Processors) == 0 {
		o.Processors = []Processor{{Name: "cpu"}}
	}
	return o.check(vertices)
}

// Check returns every contradiction that shows without a graph. The errors wrap
// ErrOptions.
func (o Options) Check() error { return o.check(-1) }

// check returns every contradiction, for a graph of so many vertices; negative, those that
// show without a graph.
func (o *Options) check(vertices int) error {
	var errs []error
	refuse := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrOptions}, args...)...))
		}
	}
	refuse(len(o.Processors) > 255, "%d processors, at most 255 are possible", len(o.Processors))
	refuse(o.Policy != Auto && o.Policy != Assigned && !slices.Contains(Policies(), o.Policy),
		"unknown placement %q; known are %q", o.Policy, Policies())
	refuse(o.Policy == Assigned && o.Shares != nil, "shares cannot be given with an assignment")
	if o.Shares != nil {
		errs = append(errs, CheckShares(o.Shares, max(1, len(o.Processors))))
	}
	device := false
	for _, p := range o.Processors {
		refuse(p.Rate < 0 || math.IsNaN(p.Rate) || p.Budget < 0, "processor %s has a negative rate or budget", p.Name)
		device = device || p.Device
	}
	refuse(!(o.TwoEnded >= 0 && o.TwoEnded < 1), "two-ended share %v is outside 0..1", o.TwoEnded)
	refuse(o.TwoEnded > 0 && o.Policy != HubsOnCPU && o.Policy != Auto, "a two-ended share goes with hubs-on-cpu only")
	refuse(vertices >= 0 && o.TwoEnded > 0 && !device, "a two-ended share is for a device, and no processor is one")
	if vertices >= 0 && o.Policy == Assigned {
		refuse(len(o.Assignment) != vertices, "the assignment names %d vertices, the graph has %d", len(o.Assignment), vertices)
		if v := slices.IndexFunc(o.Assignment, func(p uint8) bool { return int(p) >= len(o.Processors) }); v >= 0 {
			refuse(true, "vertex %d is assigned to processor %d of %d", v, o.Assignment[v], len(o.Processors))
		}
	}
	return errors.Join(errs...)
}

// FormatShares writes the parts that processors have of all entries as fractions that
// pass CheckShares, "0.92,0.08", with the digits that the same cut needs; "" without
// entries.
func FormatShares(entries []int64) string {
	total := int64(0)
	for _, e := range entries {
		total += e
	}
	if total == 0 {
		return ""
	}
	// Three digits below one entry; rounded sums, so that roundings do not add up.
	one := 1e3
	for one < 1e3*float64(total) {
		one *= 10
	}
	text, sum, before := make([]string, len(entries)), int64(0), 0.0
	for i, e := range entries {
		sum += e
		upTo := math.Round(float64(sum) / float64(total) * one)
		text[i] = strconv.FormatFloat((upTo-before)/one, 'f', -1, 64)
		before = upTo
	}
	return strings.Join(text, ",")
}

// CheckShares checks that there is a share for each of so many processors, that each lies
// in [0, 1], and that they add up to 1. The error wraps ErrOptions.
func CheckShares(shares []float64, processors int) error {
	sum := 0.0
	for i, s := range shares {
		if !(s >= 0 && s <= 1) {
			return fmt.Errorf("%w: share %d is %v, outside 0..1", ErrOptions, i+1, s)
		}
		sum += s
	}
	if len(shares) != processors {
		return fmt.Errorf("%w: %d shares for %d processors", ErrOptions, len(shares), processors)
	}
	if math.Abs(sum-1) > shareSlack {
		return fmt.Errorf("%w: shares add up to %v, not to 1", ErrOptions, sum)
	}
	return nil
}
