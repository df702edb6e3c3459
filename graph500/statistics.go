package graph500

import (
	"math"
	"slices"

	"github.com/totemgo/totemgo/record"
)

// Summary holds the order statistics and moments of a sample, by the benchmark's
// rules.
type Summary struct {
	Min, FirstQuartile, Median, ThirdQuartile, Max, Mean float64
	// Stddev divides by n−1; it is NaN for a sample of one.
	Stddev float64
}

// Summarize returns the statistics of x, which is left as it is. With x sorted the
// quartiles are (x[(n−1)/4] + x[n/4])/2, (x[(n−1)/2] + x[n/2])/2 and
// (x[n−1−(n−1)/4] + x[n−1−n/4])/2. All fields are NaN where x is empty.
func Summarize(x []float64) Summary {
	n := len(x)
	if n == 0 {
		nan := math.NaN()
		return Summary{nan, nan, nan, nan, nan, nan, nan}
	}
	var s Summary
	for _, v := range x {
		s.Mean += v
	}
	s.Mean /= float64(n)
	for _, v := range x {
		s.Stddev += (v - s.Mean) * (v - s.Mean)
	}
	s.Stddev = math.Sqrt(s.Stddev / float64(n-1))
	x = slices.Clone(x)
	slices.Sort(x)
	s.Min, s.Max = x[0], x[n-1]
	s.FirstQuartile = (x[(n-1)/4] + x[n/4]) / 2
	s.Median = (x[(n-1)/2] + x[n/2]) / 2
	s.ThirdQuartile = (x[n-1-(n-1)/4] + x[n-1-n/4]) / 2
	return s
}

// Rates returns the statistics of traversed edges per second of searches that took times[i]
// seconds for edges[i] edges. They are those of the seconds per edge x, turned over: Mean is
// the harmonic mean 1/mean(x), Min is 1/max(x), and Stddev is the standard error of Mean,
// std(x) / (mean(x)²·√(n−1)) (Norris, Annals of Mathematical Statistics 11, 1940).
func Rates(times []float64, edges []int64) Summary {
	x := make([]float64, len(times))
	for i := range x {
		x[i] = times[i] / float64(edges[i])
	}
	s := Summarize(x)
	return Summary{
		Min: 1 / s.Max, FirstQuartile: 1 / s.ThirdQuartile, Median: 1 / s.Median, ThirdQuartile: 1 / s.FirstQuartile, Max: 1 / s.Min,
		Mean: 1 / s.Mean, Stddev: s.Stddev / (s.Mean * s.Mean * math.Sqrt(float64(len(x)-1))),
	}
}

// Statistics returns the benchmark's block for searches that took times[i] seconds
// for edges[i] edges and whose validation took validate[i] seconds. TEPS are left
// out unless valid is true.
func Statistics(times []float64, edges []int64, validate []float64, valid bool) *record.Statistics {
	m := make([]float64, len(edges))
	for i, e := range edges {
		m[i] = float64(e)
	}
	t, e, v := Summarize(times), Summarize(m), Summarize(validate)
	s := &record.Statistics{
		MinTime: t.Min, FirstQuartileTime: t.FirstQuartile, MedianTime: t.Median,
		ThirdQuartileTime: t.ThirdQuartile, MaxTime: t.Max, MeanTime: t.Mean, StddevTime: known(t.Stddev),
		MinNEdge: e.Min, FirstQuartileNEdge: e.FirstQuartile, MedianNEdge: e.Median,
		ThirdQuartileNEdge: e.ThirdQuartile, MaxNEdge: e.Max, MeanNEdge: e.Mean, StddevNEdge: known(e.Stddev),
		MinValidate: v.Min, FirstQuartileValidate: v.FirstQuartile, MedianValidate: v.Median,
		ThirdQuartileValidate: v.ThirdQuartile, MaxValidate: v.Max, MeanValidate: v.Mean, StddevValidate: known(v.Stddev),
	}
	if valid {
		r := Rates(times, edges)
		s.MinTEPS, s.FirstQuartileTEPS, s.MedianTEPS = known(r.Min), known(r.FirstQuartile), known(r.Median)
		s.ThirdQuartileTEPS, s.MaxTEPS = known(r.ThirdQuartile), known(r.Max)
		s.HarmonicMeanTEPS, s.HarmonicStddevTEPS = known(r.Mean), known(r.Stddev)
	}
	return s
}

// known returns a pointer to x, or nil where x is not a number that JSON can hold.
func known(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
