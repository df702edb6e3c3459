package power

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/totemgo/totemgo/record"
)

func TestMarksDoNotDependOnTheRate(t *testing.T) {
	// The same run, sampled often and not at all between marks.
	var got []Interval
	for _, steps := range []int{1, 10, 1000} {
		c := newManual()
		m := &scripted{info: counterInfo("a")}
		s := start(t, c, Options{Meters: []Meter{m}})
		at := func(d time.Duration) {
			c.t = d
			m.count = uint64(d.Microseconds()) * uint64(d.Seconds()+1) * 10
		}
		at(333 * time.Millisecond)
		mark := s.Mark("phase")
		for i := range steps {
			at(333*time.Millisecond + time.Duration(i)*4*time.Second/time.Duration(steps))
			s.sample()
		}
		at(4444 * time.Millisecond)
		got = append(got, mark.End())
	}
	for _, i := range got {
		near(t, "energy", i.Joules, got[0].Joules, 1e-9)
		near(t, "seconds", i.Covered, 4.111, 1e-9)
	}
}

func TestLostMeterKeepsItsSamples(t *testing.T) {
	c := newManual()
	a, b := &scripted{info: counterInfo("a")}, &scripted{info: powerInfo("b"), watts: 10}
	s := start(t, c, Options{Meters: []Meter{a, b}})
	m := s.Mark("run")
	for i := 1; i <= 10; i++ {
		c.t = time.Duration(i) * time.Second
		a.count = uint64(i) * 5e6
		if i > 4 {
			b.err = errors.New("bus error")
		}
		s.sample()
	}
	i := m.End()
	near(t, "a", energyOf(t, i, "a"), 50, 1e-9)
	near(t, "b", energyOf(t, i, "b"), 40, 1e-9)
	// The total stands for the part that both cover.
	if i.Covered > 4.5 || i.Covered < 4 {
		t.Errorf("covered %v", i.Covered)
	}
	near(t, "mean", i.MeanWatts(), 15, 1e-9)
	r := s.Result()
	seen := r.Meters[1].Seen
	if !seen.Lost || seen.Samples != 5 || len(r.Meters[1].Samples) != 5 || *seen.LostAtS != 7 || seen.Failures != 3 {
		t.Errorf("%+v", seen)
	}
	mustContain(t, seen.Reason, "bus error")
	if r.Meters[0].Seen.Lost {
		t.Error("the other meter is lost too")
	}
}

func TestFailuresInBetweenAreForgiven(t *testing.T) {
	c := newManual()
	a := &scripted{info: counterInfo("a")}
	s := start(t, c, Options{Meters: []Meter{a}, Rate: 1})
	for i := 1; i <= 12; i++ {
		c.t = time.Duration(i) * time.Second
		a.count += 7e6
		a.err = nil
		if i == 5 || i == 6 || i == 7-1 {
			a.err = errors.New("busy")
		}
		s.sample()
	}
	seen := s.Result().Meters[0].Seen
	if seen.Lost || seen.Failures != 2 || seen.Gaps != 1 || seen.MissingSamples != 2 {
		t.Errorf("%+v", seen)
	}
	near(t, "energy", *seen.EnergyJ, 84, 1e-9)
}

// A fault of half a second is as short at 100 Hz as at 1 Hz.
func TestShortFaultAtAHighRate(t *testing.T) {
	c := newManual()
	a := &scripted{info: counterInfo("a")}
	s := start(t, c, Options{Meters: []Meter{a}, Rate: 100})
	play := func(rounds int, err error) *record.PowerSeen {
		a.err = err
		for range rounds {
			c.t += 10 * time.Millisecond
			a.count += 1e4
			s.sample()
		}
		return s.Result().Meters[0].Seen
	}
	busy := errors.New("busy")
	play(100, nil)
	if seen := play(50, busy); !seen.Lost || *seen.LostAtS != 1.03 || strings.Count(seen.Reason, "busy") != 1 {
		t.Errorf("while it fails: %+v", seen)
	}
	seen := play(50, nil)
	if seen.Lost || seen.Reason != "" || seen.Failures != 50 || seen.Gaps != 1 || seen.MissingSamples != 50 {
		t.Errorf("after a short fault: %+v", seen)
	}
	near(t, "energy", *seen.EnergyJ, 2, 1e-9)
	play(150, busy)
	if seen := play(50, nil); !seen.Lost || seen.Samples != 151 {
		t.Errorf("after a long fault: %+v", seen)
	}
}

func TestClockSteps(t *testing.T) {
	c := newManual()
	a := &scripted{info: powerInfo("a"), watts: 100}
	s := start(t, c, Options{Meters: []Meter{a}})
	m := s.Mark("run")
	for i := 1; i <= 10; i++ {
		c.t = time.Duration(i) * time.Second
		switch i {
		case 3:
			c.wall = c.wall.Add(-time.Hour)
		case 7:
			c.wall = c.wall.Add(2 * time.Hour)
		}
		s.sample()
	}
	near(t, "energy", m.End().Joules, 1000, 1e-9)
	r := s.Result()
	if r.ClockSteps != 2 || len(r.Notes) == 0 || r.DurationS != 10 {
		t.Errorf("%d steps, notes %q, %v s", r.ClockSteps, r.Notes, r.DurationS)
	}
}

func TestMarksOverlapAndStayOpen(t *testing.T) {
	c := newManual()
	a := &scripted{info: powerInfo("a"), watts: 100}
	s := start(t, c, Options{Meters: []Meter{a}})
	outer := s.Mark("outer")
	c.t = time.Second
	inner := s.Mark("inner")
	c.t = 2 * time.Second
	near(t, "inner", inner.End().Joules, 100, 1e-9)
	c.t = 3 * time.Second
	r := s.Result()
	if !r.Marks[0].Open || r.Marks[1].Open || r.Complete {
		t.Errorf("%+v", r.Marks)
	}
	near(t, "open", *r.Marks[0].EnergyJ, 300, 1e-9)
	near(t, "outer", outer.End().Joules, 300, 1e-9)
	c.t = 9 * time.Second
	near(t, "outer again", outer.End().Joules, 300, 1e-9)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil || a.closed != 1 {
		t.Errorf("second close: %v, meter closed %d times", err, a.closed)
	}
	c.t = 20 * time.Second
	late := s.Mark("late").End()
	if late.Known || s.sample() != 9*time.Second {
		t.Errorf("after Close: %+v at %v", late, s.sample())
	}
	if r := s.Result(); !r.Complete || r.DurationS != 9 {
		t.Errorf("%v, %v s", r.Complete, r.DurationS)
	}
}

func TestNothingKnownIsAbsent(t *testing.T) {
	c := newManual()
	s := start(t, c, Options{})
	m := s.Mark("run")
	c.t = time.Second
	i := m.End()
	if _, err := CostOf(i); !errors.Is(err, ErrUnknownEnergy) {
		t.Errorf("cost: %v", err)
	}
	b, err := json.Marshal(s.Result())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"energy_j", "mean_w", "peak_w", `"coverage"`} {
		if strings.Contains(string(b), k) {
			t.Errorf("%s is there: %s", k, b)
		}
	}
}

// TestSampler runs the real sampler beside marks, results and a slow meter.
func TestSampler(t *testing.T) {
	meter := &ticking{}
	s, err := Start(context.Background(), Options{Meters: []Meter{meter}, Rate: 500})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 10 {
				m := s.Mark("x")
				time.Sleep(5 * time.Millisecond)
				i := m.End()
				near(t, "power", i.MeanWatts(), 1, 1e-2)
				_ = s.Result()
			}
		}()
	}
	wg.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r := s.Result()
	near(t, "mean", *r.Meters[0].Seen.MeanW, 1, 1e-3)
	if r.Sampler.Ticks < 20 || r.Sampler.CostS <= 0 || r.Sampler.CostShare <= 0 || r.Sampler.CostShare >= 1 {
		t.Errorf("%+v", r.Sampler)
	}
	if r.Meters[0].Seen.OutOfOrder != 0 {
		t.Errorf("%+v", r.Meters[0].Seen)
	}
}

// ticking is a counter that rises by 1 W, in nanojoules.
type ticking struct{}

func (*ticking) Info() Info {
	return Info{Name: "t", Coverage: record.CoverageComponent, Method: Counter, Unit: 1e-9}
}
func (*ticking) Begin(time.Time) error { return nil }
func (*ticking) Close() error          { return nil }
func (*ticking) Read(now time.Duration) ([]Reading, error) {
	return []Reading{{At: now, Count: uint64(now)}}, nil
}

func TestContextEndsTheSampler(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s, err := Start(ctx, Options{Meters: []Meter{&ticking{}}, Rate: 100})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	s.sampler.Wait()
	m := s.Mark("after")
	time.Sleep(time.Millisecond)
	if i := m.End(); !i.Known {
		t.Error("marks still read the meters")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestLateRoundsAreCounted(t *testing.T) {
	slow := &sleepy{d: 30 * time.Millisecond}
	s, err := Start(context.Background(), Options{Meters: []Meter{slow, &ticking{}}, Rate: 100})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r := s.Result()
	if r.Sampler.WorstTickS < 0.03 || r.Sampler.CostShare < 0.3 {
		t.Errorf("%+v", r.Sampler)
	}
	if seen := r.Meters[1].Seen; seen.Gaps == 0 || seen.MissingSamples == 0 {
		t.Errorf("%+v", seen)
	}
}

type sleepy struct {
	ticking
	d time.Duration
}

func (*sleepy) Info() Info {
	return Info{Name: "slow", Coverage: record.CoverageComponent, Method: Power}
}
func (m *sleepy) Read(now time.Duration) ([]Reading, error) {
	time.Sleep(m.d)
	return []Reading{{At: now, Watts: 1}}, nil
}

func TestBaseline(t *testing.T) {
	m := &scripted{info: powerInfo("a"), watts: 40}
	s, err := Start(context.Background(), Options{Meters: []Meter{m}, Rate: 100, SubtractBaseline: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	i, err := s.Baseline(context.Background(), 20*time.Millisecond)
	if err != nil || i.HasNet {
		t.Fatalf("%+v, %v", i, err)
	}
	near(t, "baseline", i.MeanWatts(), 40, 1e-9)
	mark := s.Mark("run")
	time.Sleep(10 * time.Millisecond)
	run := mark.End()
	near(t, "net", run.NetJoules, 0, 1e-9)
	if !run.HasNet || *s.Result().BaselineW != i.MeanWatts() {
		t.Errorf("%+v", run)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Baseline(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCompareCosts(t *testing.T) {
	a := []Cost{{1, 100}, {2, 200}, {4, 400}}
	b := []Cost{{0.5, 100}, {1, 300}, {2, 400}}
	r, err := CompareCosts(a, b)
	if err != nil {
		t.Fatal(err)
	}
	want := Ratios{Rounds: 3, Time: Spread{0.5, 0.5, 0.5}, Energy: Spread{1, 1, 1.4}, EDP: Spread{0.5, 0.5, 0.7}}
	if d := cmp.Diff(want, r, cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) < 1e-12 })); d != "" {
		t.Error(d)
	}
	if _, err := CompareCosts(a, b[:2]); err == nil {
		t.Error("unequal rounds compared")
	}
	if _, err := CompareCosts([]Cost{{1, 0}}, []Cost{{1, 1}}); !errors.Is(err, ErrUnknownEnergy) {
		t.Errorf("got %v", err)
	}
	if got := SpreadOf([]float64{3}); got != (Spread{3, 3, 3}) {
		t.Errorf("%+v", got)
	}
}

func TestSessionFiles(t *testing.T) {
	c := newManual()
	a := &scripted{info: powerInfo("a,b"), watts: 12.5}
	s := start(t, c, Options{Meters: []Meter{a}})
	m := s.Mark("run")
	c.t = 1500 * time.Millisecond
	m.End()
	p := s.Result()
	file := filepath.Join(t.TempDir(), "s.json")
	if err := WriteSession(file, p); err != nil {
		t.Fatal(err)
	}
	got, err := ReadSession(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(p, got); d != "" {
		t.Error(d)
	}
	var b bytes.Buffer
	if err := WriteSamples(&b, got); err != nil {
		t.Fatal(err)
	}
	want := "time,t_s,meter,energy_j,power_w\n" +
		"2026-03-02T10:00:00Z,0.000000000,\"a,b\",,12.5\n2026-03-02T10:00:01.5Z,1.500000000,\"a,b\",,12.5\n"
	if b.String() != want {
		t.Errorf("got %q", b.String())
	}
	for _, bad := range []string{"", "{}", `{"schema":"other/1"}`} {
		if err := os.WriteFile(file, []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSession(file); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if err := WriteSession(filepath.Join(t.TempDir(), "no", "s.json"), p); err == nil {
		t.Error("written into a directory that is not there")
	}
}

func TestModel(t *testing.T) {
	proc := t.TempDir()
	stat := func(user, idle, steal int) {
		line := "cpu  " + itoa(user) + " 0 0 " + itoa(idle) + " 0 0 0 " + itoa(steal) + " 0 0\n"
		if err := os.WriteFile(filepath.Join(proc, "stat"), []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stat(1000, 5000, 0)
	meters, _, err := Open([]Spec{{Kind: KindModel, Idle: 50, Busy: 180}}, OpenOptions{ProcRoot: proc})
	if err != nil {
		t.Fatal(err)
	}
	c := newManual()
	s := start(t, c, Options{Meters: meters})
	m := s.Mark("run")
	stat(1050, 5100, 50) // a quarter of the time at work
	c.t = time.Second
	s.sample()
	stat(1250, 5100, 50) // all of it
	c.t = 3 * time.Second
	s.sample()
	stat(1251, 5100, 50) // too little time to tell: as before
	c.t = 3500 * time.Millisecond
	i := m.End()
	near(t, "energy", i.Joules, 50+130.0/4+2*180+0.5*180, 1e-5)
	if !i.Estimated || i.Coverage != "model" {
		t.Errorf("%+v", i)
	}
	if r := s.Result(); !r.Estimated || r.Meters[0].Method != "model" {
		t.Errorf("%+v", r)
	}
	if err := os.WriteFile(filepath.Join(proc, "stat"), []byte("intr 5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := newModel(1, 2, proc); !errors.Is(err, ErrFormat) {
		t.Errorf("got %v", err)
	}
	if _, err := newModel(1, 2, t.TempDir()); err == nil {
		t.Error("a model without /proc/stat")
	}
}

func itoa(i int) string { b, _ := json.Marshal(i); return string(b) }
