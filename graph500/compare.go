package graph500

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/power"
	"github.com/totemgo/totemgo/record"
)

// A round of the first configuration takes about 1/20 of the duration, within these
// bounds: long enough for meters with one reading a second, short enough for a spread over
// rounds. There are at least someRounds.
const (
	roundParts = 20
	shortRound = 500 * time.Millisecond
	longRound  = 10 * time.Second
	someRounds = 4
)

// side is one of the two configurations that are compared.
type side struct {
	engine Engine
	marks  []*power.Mark // of all rounds
	rounds []tally
	// Of the rounds with a known energy:
	tally  tally
	costs  []power.Cost
	meters []record.GreenMeter
}

// compare builds the second configuration, validates its trees, and lets both search
// in turn, the same roots in each round.
func (p *powered) compare(ctx context.Context, c Config, first Engine, tuples graph.Source, out *record.Graph500) (err error) {
	second, err := p.Against(ctx, tuples)
	if err != nil {
		return fmt.Errorf("graph500: construction of the second configuration: %w", err)
	}
	defer func() { err = errors.Join(err, second.Close()) }()
	if err := prepare(ctx, c, second, tuples); err != nil {
		return fmt.Errorf("graph500: second configuration: %w", err)
	}

	s, err := p.start(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	sides := [2]*side{{engine: first}, {engine: second}}
	over := countdown(p.Duration, c.Progress)
	n := searchesPerRound(p.Duration, out.BFS.MeanTime)
	for next := 0; next == 0 || !over(); {
		for _, x := range sides {
			m := s.Mark(string(Repeating))
			var t tally
			for i := range n {
				if err := t.search(ctx, x.engine, out.Searches[(next+i)%len(out.Searches)]); err != nil {
					return err
				}
			}
			m.End()
			x.marks, x.rounds = append(x.marks, m), append(x.rounds, t)
		}
		next += n
		// The next round's number comes from this one's pace: a round that ends when its
		// time is over would favour short searches.
		n = searchesPerRound(p.Duration, sides[0].marks[len(sides[0].marks)-1].End().Seconds()/float64(n))
	}
	awaitReadings(ctx, sides[1].marks[len(sides[1].marks)-1])

	var last power.Interval // of a round that counts
	total := 0.0
	for r := range sides[0].marks {
		a, b := sides[0].marks[r].End(), sides[1].marks[r].End()
		total += a.Seconds() + b.Seconds()
		ca, erra := power.CostOf(a)
		cb, errb := power.CostOf(b)
		if erra != nil || errb != nil || ca.Joules <= 0 || cb.Joules <= 0 {
			continue
		}
		last = b
		sides[0].add(r, a, ca)
		sides[1].add(r, b, cb)
	}
	result := s.Result()
	ratios, err := power.CompareCosts(sides[0].costs, sides[1].costs)
	if err != nil {
		return fmt.Errorf("%w: no round has a known energy: %w%s", ErrPower, power.ErrUnknownEnergy, unknown(result))
	}
	rounds := len(sides[0].costs)
	cmp := &record.Compare{
		Evidence: evidence(last, result), Rounds: rounds, DurationS: total,
		TimeRatio: record.Ratio(ratios.Time), EnergyRatio: record.Ratio(ratios.Energy), EDPRatio: record.Ratio(ratios.EDP),
	}
	if n := len(sides[0].marks); n > rounds {
		cmp.Notes = append(cmp.Notes, fmt.Sprintf("%d of %d rounds have no known energy and are left out", n-rounds, n))
	}
	for _, x := range sides {
		cmp.Configurations = append(cmp.Configurations, x.record())
	}
	out.Compare = cmp
	return nil
}

// prepare warms a second configuration up and validates its trees.
func prepare(ctx context.Context, c Config, e Engine, tuples graph.Source) error {
	progress := c.Progress
	c.Progress = func(_ Stage, done, total int64) { progress(Preparing, done, total) }
	c.Count, c.SSSP = false, false
	return search(ctx, c, nil, e, tuples, &record.Graph500{})
}

// searchesPerRound is how many searches of mean seconds make a round.
func searchesPerRound(d time.Duration, mean float64) int {
	round := min(max(d/roundParts, shortRound), longRound, max(d/someRounds, 1)).Seconds()
	return int(max(1, math.Ceil(min(round/mean, math.MaxInt32))))
}

// add takes round r, which has a known energy.
func (x *side) add(r int, i power.Interval, c power.Cost) {
	x.tally.searches += x.rounds[r].searches
	x.tally.perEdge += x.rounds[r].perEdge
	x.costs = append(x.costs, c)
	for _, m := range i.Meters {
		if !m.InTotal {
			continue
		}
		j := slices.IndexFunc(x.meters, func(y record.GreenMeter) bool { return y.Name == m.Info.Name })
		if j < 0 {
			j = len(x.meters)
			x.meters = append(x.meters, record.GreenMeter{Name: m.Info.Name, Covers: m.Info.Domain, Coverage: m.Info.Coverage})
		}
		x.meters[j].EnergyJ += m.MeanWatts() * c.Seconds
	}
}

// record states the configuration's figures over the rounds with a known energy.
func (x *side) record() record.CompareSide {
	seconds, joules := 0.0, 0.0
	for _, c := range x.costs {
		seconds += c.Seconds
		joules += c.Joules
	}
	return record.CompareSide{Efficiency: x.tally.efficiency(seconds, joules, x.meters), Processors: x.engine.Report().Processors}
}
