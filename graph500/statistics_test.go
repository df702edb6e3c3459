package graph500_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph500"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b)) }

func TestSummarize(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want graph500.Summary
	}{
		{[]float64{3}, graph500.Summary{Min: 3, FirstQuartile: 3, Median: 3, ThirdQuartile: 3, Max: 3, Mean: 3, Stddev: math.NaN()}},
		{[]float64{2, 1}, graph500.Summary{Min: 1, FirstQuartile: 1, Median: 1.5, ThirdQuartile: 2, Max: 2, Mean: 1.5, Stddev: math.Sqrt(0.5)}},
		{[]float64{4, 1, 3, 2}, graph500.Summary{Min: 1, FirstQuartile: 1.5, Median: 2.5, ThirdQuartile: 3.5, Max: 4, Mean: 2.5, Stddev: math.Sqrt(5. / 3)}},
		{[]float64{5, 4, 3, 2, 1}, graph500.Summary{Min: 1, FirstQuartile: 2, Median: 3, ThirdQuartile: 4, Max: 5, Mean: 3, Stddev: math.Sqrt(2.5)}},
	} {
		before := append([]float64(nil), c.x...)
		got := graph500.Summarize(c.x)
		for i, v := range c.x {
			if before[i] != v {
				t.Fatal("the sample was changed")
			}
		}
		a := []float64{got.Min, got.FirstQuartile, got.Median, got.ThirdQuartile, got.Max, got.Mean, got.Stddev}
		b := []float64{c.want.Min, c.want.FirstQuartile, c.want.Median, c.want.ThirdQuartile, c.want.Max, c.want.Mean, c.want.Stddev}
		for i := range a {
			if !near(a[i], b[i]) && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
				t.Errorf("%v: %+v, want %+v", c.x, got, c.want)
				break
			}
		}
	}
	if s := graph500.Summarize(nil); !math.IsNaN(s.Mean) || !math.IsNaN(s.Max) {
		t.Errorf("empty: %+v", s)
	}
}

// TestRates: rates are compared by the harmonic mean, 4/(1/200+1/100+1/400+1/50).
func TestRates(t *testing.T) {
	r := graph500.Rates([]float64{0.5, 1, 1, 2}, []int64{100, 100, 400, 100})
	mean := (1./200 + 1./100 + 1./400 + 1./50) / 4
	dev := 0.0
	for _, x := range []float64{1. / 200, 1. / 100, 1. / 400, 1. / 50} {
		dev += (x - mean) * (x - mean)
	}
	dev = math.Sqrt(dev / 3)
	for _, c := range []struct{ got, want float64 }{
		{r.Min, 50}, {r.Max, 400}, {r.Median, 400. / 3}, {r.Mean, 320. / 3},
		{r.Stddev, dev / (mean * mean * math.Sqrt(3))},
	} {
		if !near(c.got, c.want) {
			t.Errorf("got %v, want %v: %+v", c.got, c.want, r)
		}
	}
}

func TestStatisticsLeavesOut(t *testing.T) {
	s := graph500.Statistics([]float64{1}, []int64{10}, []float64{2}, true)
	if s.StddevTime != nil || s.StddevNEdge != nil || s.HarmonicStddevTEPS != nil {
		t.Errorf("one search has a standard deviation: %+v", s)
	}
	if s.HarmonicMeanTEPS == nil || *s.HarmonicMeanTEPS != 10 {
		t.Errorf("%+v", s)
	}
	if s = graph500.Statistics([]float64{1}, []int64{10}, []float64{2}, false); s.HarmonicMeanTEPS != nil || s.MinTEPS != nil {
		t.Errorf("TEPS of an invalid run: %+v", s)
	}
	s = graph500.Statistics([]float64{1, 1}, []int64{10, 10}, []float64{2, 2}, true)
	if s.StddevNEdge == nil || *s.StddevNEdge != 0 {
		t.Errorf("a standard deviation of 0 is left out: %+v", s)
	}
}

func TestEdgeCounts(t *testing.T) {
	// A triangle with duplicates both ways and loops, a loop alone, a pair twice, a
	// vertex without anything.
	l := list(7, false, 0, 1, 1, 2, 2, 0, 1, 2, 2, 1, 3, 3, 2, 2, 4, 5, 5, 4)
	for _, threads := range []int{1, 2} {
		c, err := graph500.CountEdges(context.Background(), l, threads)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []struct {
			root        uint32
			nedge, spec int64
		}{{0, 5, 6}, {2, 5, 6}, {4, 2, 2}, {3, 0, 1}, {6, 0, 0}} {
			nedge, spec, err := c.Of(serialBFS(l, want.root, first))
			if err != nil || nedge != want.nedge || spec != want.spec {
				t.Errorf("root %d: %d, %d, %v; want %d, %d", want.root, nedge, spec, err, want.nedge, want.spec)
			}
		}
		if !c.Connected(0) || !c.Connected(1) || !c.Connected(2) || !c.Connected(4) || c.Connected(3) || c.Connected(6) || c.Connected(graph.None) || !c.Connected(5) {
			t.Error("other vertices than 0, 1, 2, 4 and 5 have an edge")
		}
		if _, _, err := c.Of(nil); !errors.Is(err, graph500.ErrTreeShape) {
			t.Error(err)
		}
	}
	arcs := list(4, true, 0, 1, 1, 0, 2, 0, 0, 0, 1, 3)
	c, err := graph500.CountEdges(context.Background(), arcs, 1)
	if err != nil {
		t.Fatal(err)
	}
	if nedge, spec, _ := c.Of(serialBFS(arcs, 0, first)); nedge != 3 || spec != 4 {
		t.Errorf("arcs: %d, %d", nedge, spec)
	}
}
