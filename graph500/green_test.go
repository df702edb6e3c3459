package graph500_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/power"
	"github.com/totemgo/totemgo/record"
)

// testMeter draws constant power from its beginning on. A stream gives a reading
// every step, others one a read.
type testMeter struct {
	mu     sync.Mutex
	info   power.Info
	watts  float64
	step   time.Duration // of a stream
	next   time.Duration
	err    error
	begun  int
	closed int
	lastAt time.Duration
	back   bool // time went backwards
}

func counter(name string, watts float64) *testMeter {
	return &testMeter{watts: watts, info: power.Info{Name: name, Kind: "rapl", Domain: "package",
		Coverage: record.CoverageComponent, Method: power.Counter, Unit: 1e-6}}
}

func stream(name string, watts float64, step time.Duration) *testMeter {
	return &testMeter{watts: watts, step: step, info: power.Info{Name: name, Kind: "line", Domain: "system",
		Coverage: record.CoverageWholeSystem, Method: power.Power, Stream: true}}
}

func (m *testMeter) Info() power.Info { return m.info }

func (m *testMeter) Begin(time.Time) error { m.begun++; return m.err }

func (m *testMeter) Read(now time.Duration) ([]power.Reading, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.back, m.lastAt = m.back || now < m.lastAt, now
	if m.err != nil {
		return nil, m.err
	}
	if m.step == 0 {
		return []power.Reading{{At: now, Count: uint64(m.watts * now.Seconds() * 1e6)}}, nil
	}
	var out []power.Reading
	for ; m.next <= now; m.next += m.step {
		out = append(out, power.Reading{At: m.next, Watts: m.watts})
	}
	return out, nil
}

func (m *testMeter) Close() error { m.closed++; return nil }

// lose makes every read fail from now on.
func (m *testMeter) lose(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

// powered is a configuration with meters.
func powered(d time.Duration, meters ...*testMeter) graph500.Config {
	c := graph500.Config{Scale: 6, Searches: 8, Power: &graph500.PowerConfig{Duration: d, Session: power.Options{Rate: 100}}}
	for _, m := range meters {
		c.Power.Session.Meters = append(c.Power.Session.Meters, m)
	}
	return c
}

func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// printed is a document after a trip through JSON.
func printed(t *testing.T, r *record.Graph500) *record.Graph500 {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	out := &record.Graph500{}
	if err := json.Unmarshal(data, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func checkQuotients(t *testing.T, g *record.Green) {
	t.Helper()
	within(t, "average_power_w", g.AveragePowerW, g.EnergyJ/g.DurationS, 1e-9)
	within(t, "joules_per_search", g.JoulesPerSearch, g.EnergyJ/float64(g.Searches), 1e-9)
	within(t, "mteps_per_watt", g.MTEPSPerWatt, g.HarmonicMeanTEPS/1e6/g.AveragePowerW, 1e-9)
	sum := 0.0
	for _, m := range g.Meters {
		sum += m.EnergyJ
	}
	within(t, "the meters' sum", sum, g.EnergyJ, 1e-9)
}

// TestGreenReplay: a recorded log is played from the first repeated search on, and its
// energy is the integral over its real times.
func TestGreenReplay(t *testing.T) {
	spec, err := power.ParseSpec("replay:../power/testdata/watts.csv,column=watts,covers=whole-system")
	if err != nil {
		t.Fatal(err)
	}
	meters, _, err := power.Open([]power.Spec{spec}, power.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const d = 700 * time.Millisecond
	c := graph500.Config{Scale: 8, Power: &graph500.PowerConfig{Duration: d, Session: power.Options{Meters: meters}}}
	r, err := graph500.Run(context.Background(), c, graph500.WithEngine(engine.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	r = printed(t, r)
	g := r.Green
	if g == nil {
		t.Fatal("no figures")
	}
	checkQuotients(t, g)
	if g.DurationS < d.Seconds() || g.Searches < int64(r.NBFS) || g.Coverage != record.CoverageWholeSystem || g.Estimated || !g.Replayed {
		t.Errorf("%+v", g)
	}
	if len(g.Meters) != 1 || g.Meters[0].Covers != "system" || g.Meters[0].Seen == nil || len(g.Apart) != 0 || len(g.Phases) != 0 {
		t.Errorf("%+v", g)
	}
	// 96 W at 0 s, 75 W at 0.4 s, 84.4 W at 1.4 s, 81.8 W at 1.8 s.
	want, at := 0.0, []float64{0, 0.4, 1.4, 1.8}
	watts := []float64{96, 75, 84.4, 81.8}
	for i := 1; i < len(at); i++ {
		b := min(at[i], g.DurationS)
		if b <= at[i-1] {
			break
		}
		wb := watts[i-1] + (b-at[i-1])/(at[i]-at[i-1])*(watts[i]-watts[i-1])
		want += (watts[i-1] + wb) / 2 * (b - at[i-1])
	}
	if g.DurationS < 1.8 { // else the machine was busy elsewhere
		// The mark begins a little after the log.
		within(t, "energy_j", g.EnergyJ, want, 0.02)
	}
	for _, style := range []graph500.Style{graph500.StyleSpec, graph500.Style30, graph500.Style214} {
		var b strings.Builder
		if err := graph500.WriteOfficial(&b, style, r); err != nil {
			t.Fatal(err)
		}
		_, after, ok := strings.Cut(b.String(), "validation: 64 of 64 passed\n")
		for _, name := range []string{"green_harmonic_mean_TEPS:", "green_searches:", "green_duration_s:", "green_energy_j:", "green_average_power_w:",
			"green_joules_per_search:", "green_mteps_per_watt:", "green_coverage:                 whole-system", " replayed\n"} {
			if !ok || !strings.Contains(after, name) {
				t.Errorf("%s: no %q in %s", style, name, after)
			}
		}
	}
}

// TestGreenCounters: counters are exact, what does not count stands apart, the stages
// of the run before have their energies, and every meter begins and closes once.
func TestGreenCounters(t *testing.T) {
	pkg, gpu, cores := counter("rapl:package-0", 40), counter("nvml:0", 60), counter("rapl:package-0/core", 30)
	gpu.info.Domain, cores.info.Domain, cores.info.PartOf = "gpu", "cores", "rapl:package-0"
	e := &testEngine{}
	c := powered(60*time.Millisecond, pkg, gpu, cores)
	var last graph500.Stage
	c.Progress = func(s graph500.Stage, _, _ int64) { last = s }
	r, err := graph500.Run(context.Background(), c, e.build)
	if err != nil {
		t.Fatal(err)
	}
	g := printed(t, r).Green
	checkQuotients(t, g)
	within(t, "average_power_w", g.AveragePowerW, 100, 1e-4)
	within(t, "energy of the package", g.Meters[0].EnergyJ, 40*g.DurationS, 1e-4)
	within(t, "energy of the GPU", g.Meters[1].EnergyJ, 60*g.DurationS, 1e-4)
	if len(g.Apart) != 1 || g.Apart[0].Name != cores.info.Name || g.Apart[0].Covers != "cores" {
		t.Errorf("apart %+v", g.Apart)
	}
	within(t, "covered_s", g.CoveredS, g.DurationS, 1e-9)
	var names []string
	for _, p := range g.Phases {
		names = append(names, p.Name)
		within(t, p.Name, *p.EnergyJ, 100*p.DurationS, 1e-2)
		if len(p.Meters) != 3 {
			t.Errorf("%+v", p)
		}
	}
	if fmt.Sprint(names) != "[generating constructing searching]" || last != graph500.Searching {
		t.Errorf("phases %v, last stage %s", names, last)
	}
	if int64(e.searches) != g.Searches+int64(r.NBFS)+1 {
		t.Errorf("%d searches, %d repeated", e.searches, g.Searches)
	}
	for _, m := range []*testMeter{pkg, gpu, cores} {
		if m.begun != 1 || m.closed != 1 || m.back {
			t.Errorf("%s: begun %d times, closed %d times, backwards %v", m.info.Name, m.begun, m.closed, m.back)
		}
	}
	if all := strings.Join(g.Notes, "\n"); !strings.Contains(all, "component power") || !strings.Contains(all, "shorter than a minute") {
		t.Errorf("notes %q", g.Notes)
	}
}

// TestGreenStream: a live stream begins before the run, so that its readings surround
// the repeated searches; what it says of the time before is not theirs.
func TestGreenStream(t *testing.T) {
	m := stream("line:wall", 50, 20*time.Millisecond)
	r, err := graph500.Run(context.Background(), powered(100*time.Millisecond, m), (&testEngine{}).build)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "average_power_w", r.Green.AveragePowerW, 50, 1e-9)
	if m.begun != 1 || m.closed != 1 || m.back || r.Green.Coverage != record.CoverageWholeSystem {
		t.Errorf("%+v, %+v", m, r.Green)
	}
	for _, n := range r.Green.Notes {
		if strings.Contains(n, "held") {
			t.Error(n)
		}
	}
}

// TestGreenEveryRoot: however short the time, every root is searched.
func TestGreenEveryRoot(t *testing.T) {
	r, err := graph500.Run(context.Background(), powered(1, counter("c", 5)), (&testEngine{}).build)
	if err != nil || r.Green.Searches < int64(r.NBFS) {
		t.Errorf("%v, %+v", err, r.Green)
	}
}

// TestGreenWithoutMeters: no meter is no error and no figures.
func TestGreenWithoutMeters(t *testing.T) {
	e := &testEngine{}
	r, err := graph500.Run(context.Background(), powered(time.Hour), e.build)
	if err != nil || r.Green != nil || e.searches != r.NBFS+1 {
		t.Errorf("%v, %+v, %d searches", err, r.Green, e.searches)
	}
}

// TestGreenAfterABrokenTree: a failed validation has no figures.
func TestGreenAfterABrokenTree(t *testing.T) {
	m := counter("c", 5)
	e := &testEngine{spoil: func(search int, parents []uint32) {
		if search == 3 {
			for v := range parents {
				parents[v] = none
			}
		}
	}}
	r, err := graph500.Run(context.Background(), powered(time.Hour, m), e.build)
	if !errors.Is(err, graph500.ErrValidation) || r == nil || r.Green != nil || r.Compare != nil || m.closed != 1 {
		t.Errorf("%v, %+v, closed %d times", err, r, m.closed)
	}
}

func TestGreenErrors(t *testing.T) {
	boom := errors.New("boom")
	t.Run("duration", func(t *testing.T) {
		m := counter("c", 5)
		r, err := graph500.Run(context.Background(), powered(0, m), (&testEngine{}).build)
		if !errors.Is(err, graph500.ErrConfig) || r != nil || m.closed != 1 {
			t.Errorf("%v, closed %d times", err, m.closed)
		}
	})
	t.Run("begin", func(t *testing.T) {
		m := counter("c", 5)
		m.err = boom
		e := &testEngine{}
		r, err := graph500.Run(context.Background(), powered(time.Hour, m), e.build)
		if !errors.Is(err, graph500.ErrPower) || !errors.Is(err, boom) || r != nil || e.searches != 0 || m.closed != 1 {
			t.Errorf("%v, %d searches, closed %d times", err, e.searches, m.closed)
		}
	})
	t.Run("search", func(t *testing.T) {
		m := counter("c", 5)
		e := &testEngine{fail: func(n int) error {
			if n == 20 {
				return boom
			}
			return nil
		}}
		r, err := graph500.Run(context.Background(), powered(time.Hour, m), e.build)
		if !errors.Is(err, graph500.ErrPower) || !errors.Is(err, boom) || r == nil || r.Green != nil || r.BFS.HarmonicMeanTEPS == nil || !e.closed || m.closed != 1 {
			t.Errorf("%v, %+v", err, r)
		}
	})
	t.Run("lost before", func(t *testing.T) {
		m := counter("rapl:package-0", 5)
		e := &testEngine{fail: func(n int) error {
			if n == 9 { // the last of the validated run
				m.lose(boom)
			}
			return nil
		}}
		r, err := graph500.Run(context.Background(), powered(50*time.Millisecond, m), e.build)
		if !errors.Is(err, graph500.ErrPower) || !errors.Is(err, power.ErrUnknownEnergy) || !strings.Contains(err.Error(), "rapl:package-0 was lost: ") || r == nil || r.Green != nil {
			t.Errorf("%v, %+v", err, r)
		}
	})
	t.Run("lost in the middle", func(t *testing.T) {
		m := counter("rapl:package-0", 5)
		start := time.Time{}
		e := &testEngine{fail: func(n int) error {
			switch {
			case n == 10:
				start = time.Now()
			case n > 10 && time.Since(start) > 60*time.Millisecond:
				m.lose(boom)
			}
			return nil
		}}
		r, err := graph500.Run(context.Background(), powered(150*time.Millisecond, m), e.build)
		if err != nil {
			t.Fatal(err)
		}
		g := r.Green
		checkQuotients(t, g)
		if !(g.CoveredS < g.DurationS) || !g.Meters[0].Seen.Lost || !strings.Contains(strings.Join(g.Notes, "\n"), "was lost") {
			t.Errorf("%+v", g)
		}
		within(t, "average_power_w", g.AveragePowerW, 5, 1e-3)
	})
	t.Run("nothing counted", func(t *testing.T) {
		r, err := graph500.Run(context.Background(), powered(10*time.Millisecond, counter("c", 0)), (&testEngine{}).build)
		if !strings.Contains(fmt.Sprint(err), "; c: the counter did not move") || !errors.Is(err, graph500.ErrPower) || !errors.Is(err, power.ErrUnknownEnergy) || r == nil || r.Green != nil {
			t.Errorf("%v, %+v", err, r)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		m := counter("c", 5)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		e := &testEngine{fail: func(n int) error {
			if n == 30 {
				cancel()
			}
			return nil
		}}
		r, err := graph500.Run(ctx, powered(time.Hour, m), e.build)
		if r != nil || !errors.Is(err, context.Canceled) || !e.closed || m.closed != 1 {
			t.Errorf("record %v, error %v, closed %v and %d times", r, err, e.closed, m.closed)
		}
	})
}

// slowed is a serial search that takes longer.
type slowed struct {
	testEngine
	by time.Duration
}

func (e *slowed) Search(ctx context.Context, root uint32) (graph500.Found, error) {
	time.Sleep(e.by)
	return e.testEngine.Search(ctx, root)
}

func (e *slowed) build(_ context.Context, tuples graph.Source) (graph500.Engine, error) {
	e.tuples = tuples.(*graph.EdgeList)
	return e, nil
}

// TestCompare: the second configuration takes three times as long at the same power.
func TestCompare(t *testing.T) {
	m := counter("rapl:package-0", 20)
	a, b := &slowed{by: 20 * time.Millisecond}, &slowed{by: 60 * time.Millisecond}
	c := powered(100*time.Millisecond, m)
	c.Power.Against = b.build
	var stages []graph500.Stage
	c.Progress = func(s graph500.Stage, _, _ int64) {
		if len(stages) == 0 || stages[len(stages)-1] != s {
			stages = append(stages, s)
		}
	}
	r, err := graph500.Run(context.Background(), c, a.build)
	if err != nil {
		t.Fatal(err)
	}
	x := printed(t, r).Compare
	if x == nil || r.Green != nil {
		t.Fatalf("compare %+v, green %+v", x, r.Green)
	}
	if x.TimeRatio.Median < 1.2 { // 3 on a machine with nothing else to do
		t.Errorf("time_ratio %+v", x.TimeRatio)
	}
	within(t, "energy_ratio", x.EnergyRatio.Median, x.TimeRatio.Median, 1e-3)
	// At constant power a round's EDP ratio is the square of its time ratio. The median of an
	// even number of rounds is a mean of two: that of squares is 1 to 2 times the mean's square.
	square := x.EnergyRatio.Median * x.TimeRatio.Median
	if x.Rounds%2 == 1 {
		within(t, "edp_ratio", x.EDPRatio.Median, square, 1e-3)
	} else if e := x.EDPRatio.Median; e < square*(1-1e-3) || e > 2*square*(1+1e-3) {
		t.Errorf("edp_ratio %v of %d rounds, want %v to twice that", e, x.Rounds, square)
	}
	if x.Rounds < 1 || x.Estimated || x.Replayed || x.Coverage != record.CoverageComponent || x.TimeRatio.P10 > x.TimeRatio.Median || x.TimeRatio.P90 < x.TimeRatio.Median {
		t.Errorf("%+v", x)
	}
	if len(x.Configurations) != 2 {
		t.Fatalf("%+v", x.Configurations)
	}
	for _, s := range x.Configurations {
		within(t, "average_power_w", s.AveragePowerW, s.EnergyJ/s.DurationS, 1e-9)
		within(t, "joules_per_search", s.JoulesPerSearch, s.EnergyJ/float64(s.Searches), 1e-9)
		within(t, "mteps_per_watt", s.MTEPSPerWatt, s.HarmonicMeanTEPS/1e6/s.AveragePowerW, 1e-9)
		within(t, "the meter", s.Meters[0].EnergyJ, s.EnergyJ, 1e-9)
		if s.Searches != x.Configurations[0].Searches || s.Searches < int64(x.Rounds) || len(s.Processors) != 1 {
			t.Errorf("%+v", s)
		}
	}
	if fmt.Sprint(stages) != "[generating constructing searching preparing]" || !a.closed || !b.closed || m.closed != 1 {
		t.Errorf("stages %v, closed %v, %v, %d times", stages, a.closed, b.closed, m.closed)
	}
	var text strings.Builder
	if err := graph500.WriteOfficial(&text, graph500.StyleSpec, r); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"compare_1:", "compare_2:", "cpu:1: ", "compare_rounds:", "compare_time_ratio:", "compare_energy_ratio:", "compare_edp_ratio:", " (p10 "} {
		if !strings.Contains(text.String(), s) {
			t.Errorf("no %q in\n%s", s, text.String())
		}
	}
}

func TestCompareErrors(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name   string
		second testEngine
		build  error
		watts  float64
		want   error
	}{
		{"build", testEngine{}, boom, 5, graph500.ErrPower},
		{"search", testEngine{fail: func(int) error { return boom }}, nil, 5, graph500.ErrPower},
		{"repeated search", testEngine{fail: func(n int) error {
			if n > 9 {
				return boom
			}
			return nil
		}}, nil, 5, graph500.ErrPower},
		{"tree", testEngine{spoil: func(n int, parents []uint32) {
			if n == 5 {
				for v := range parents {
					parents[v] = none
				}
			}
		}}, nil, 5, graph500.ErrValidation},
		{"no energy", testEngine{}, nil, 0, power.ErrUnknownEnergy},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := counter("c", c.watts)
			cfg := powered(10*time.Millisecond, m)
			cfg.Power.Against = func(ctx context.Context, l graph.Source) (graph500.Engine, error) {
				if c.build != nil {
					return nil, c.build
				}
				return c.second.build(ctx, l)
			}
			r, err := graph500.Run(context.Background(), cfg, (&testEngine{}).build)
			if !errors.Is(err, c.want) || r == nil || r.Compare != nil || r.Green != nil || m.closed != 1 || c.build == nil && !c.second.closed {
				t.Errorf("error %v, record %+v, closed %v and %d times", err, r, c.second.closed, m.closed)
			}
		})
	}
}

// TestCompareLost: when the meter is lost, searches become slow. The figures are those
// of the rounds before, the speed as well.
func TestCompareLost(t *testing.T) {
	m := counter("c", 20)
	by, repeated := 20*time.Millisecond, false
	first := testEngine{fail: func(int) error {
		if repeated {
			m.lose(errors.New("boom"))
			by = 100 * time.Millisecond
		}
		time.Sleep(by)
		return nil
	}}
	second := testEngine{fail: func(n int) error {
		repeated = n > 9 // after a warm-up and 8 validated searches
		time.Sleep(by)
		return nil
	}}
	c := powered(800*time.Millisecond, m)
	c.Power.Against = second.build
	r, err := graph500.Run(context.Background(), c, first.build)
	if err != nil {
		t.Fatal(err)
	}
	x := r.Compare
	if !strings.Contains(strings.Join(x.Notes, "\n"), "left out") {
		t.Skip("one round took all the time")
	}
	for _, s := range x.Configurations {
		edges := float64(r.Searches[0].NEdge) // the same for all roots
		within(t, "harmonic_mean_TEPS", s.HarmonicMeanTEPS, edges*float64(s.Searches)/s.DurationS, 0.3)
	}
}
