package graph_test

import (
	"errors"
	"math"
	"testing"

	"github.com/totemgo/totemgo/graph"
)

// Convert gives the same number or refuses.
func TestConvert(t *testing.T) {
	const none = 12345 // refused
	for _, c := range []struct {
		from               graph.Weights
		i32, i64, f32, f64 float64
	}{
		{graph.WeightsOf([]int32{-7}), -7, -7, -7, -7},
		{graph.WeightsOf([]int32{1<<24 + 1}), 1<<24 + 1, 1<<24 + 1, none, 1<<24 + 1},
		{graph.WeightsOf([]int64{1 << 31}), none, 1 << 31, 1 << 31, 1 << 31},
		{graph.WeightsOf([]int64{-1 << 31}), -1 << 31, -1 << 31, -1 << 31, -1 << 31},
		{graph.WeightsOf([]int64{1<<53 + 1}), none, 1 << 53, none, none},
		{graph.WeightsOf([]int64{math.MaxInt64}), none, 1 << 63, none, none},
		{graph.WeightsOf([]int64{math.MinInt64}), none, -1 << 63, -1 << 63, -1 << 63},
		{graph.WeightsOf([]float32{0.5}), none, none, 0.5, 0.5},
		{graph.WeightsOf([]float64{1 << 31}), none, 1 << 31, 1 << 31, 1 << 31},
		{graph.WeightsOf([]float64{math.MaxInt32 + 0.5}), none, none, none, math.MaxInt32 + 0.5},
		{graph.WeightsOf([]float64{-1 << 63}), none, -1 << 63, -1 << 63, -1 << 63},
		{graph.WeightsOf([]float64{1 << 63}), none, none, 1 << 63, 1 << 63},
		{graph.WeightsOf([]float64{0.1}), none, none, none, 0.1},
		{graph.WeightsOf([]float64{math.Inf(1)}), none, none, math.Inf(1), math.Inf(1)},
		{graph.WeightsOf([]float64{math.NaN()}), none, none, math.NaN(), math.NaN()},
	} {
		for k, want := range map[graph.WeightKind]float64{graph.Int32: c.i32, graph.Int64: c.i64, graph.Float32: c.f32, graph.Float64: c.f64} {
			got, err := c.from.Convert(k)
			switch {
			case want == none:
				if !errors.Is(err, graph.ErrWeightLoss) {
					t.Errorf("%s as %v: %v, %v, want ErrWeightLoss", c.from.Format(0), k, got.Format(0), err)
				}
			case err != nil || got.Kind() != k || got.Float64(0) != want && got.Float64(0) == got.Float64(0):
				t.Errorf("%s as %v: %v, %v, want %v", c.from.Format(0), k, got.Float64(0), err, want)
			}
		}
	}
}
