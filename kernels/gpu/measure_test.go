package gpu_test

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device/fake"
)

// TestMeasure: every figure is positive and finite, sizes rise, and everything is freed.
func TestMeasure(t *testing.T) {
	dev := counted(t, fake.Options{})
	p := build(t, dev, gpu.BuildOptions{})
	o := gpu.MeasureOptions{Largest: 4 << 20, Each: time.Millisecond}
	m, err := p.Measure(t.Context(), o)
	for try := 1; err == nil && m.LaunchS == 0 && try < 4; try++ { // a difference too, but of many launches
		m, err = p.Measure(t.Context(), o)
	}
	if err != nil {
		t.Fatal(err)
	}
	positive := func(what string, x float64) {
		if !(x > 0 && x < 1e15) {
			t.Errorf("%s: %v", what, x)
		}
	}
	positive("launch", m.LaunchS)
	positive("top-down", m.Steps.PushS)
	positive("bottom-up", m.Steps.PullS)
	// Differences of clocked times: 0 where the clock tells none, as beside other work.
	for what, x := range map[string]float64{"fill": m.FillS, "wait": m.WaitS, "read": m.ReadS, "thin": m.Steps.ThinS, "arc": m.Steps.ArcS, "find": m.Steps.FindS,
		"find of thin": m.Steps.ThinFindS, "row": m.Steps.RowS, "scan": m.Steps.ScanS, "meet": m.Steps.MeetS} {
		if !(x >= 0 && x < 1e15) {
			t.Errorf("%s: %v", what, x)
		}
	}
	for what, list := range map[string][]gpu.Sized{"copy": m.Copy, "gather": m.Gather, "atomic": m.Atomic, "to device": m.ToDevice, "to host": m.ToHost} {
		for i, s := range list {
			positive(what, s.PerS)
			if s.Bytes > o.Largest || i > 0 && s.Bytes <= list[i-1].Bytes {
				t.Errorf("%s: %d bytes", what, s.Bytes)
			}
		}
		if len(list) < 2 {
			t.Errorf("%s: %d sizes", what, len(list))
		}
	}
	live := dev.Live()
	for _, n := range []int{1, 2, 4, 7, 10, 20, 50} { // the n-th operation fails
		dev.FailAt(n, nil)
		if _, err := p.Measure(t.Context(), o); !errors.Is(err, fake.ErrInjected) {
			t.Errorf("operation %d fails: %v", n, err)
		}
		dev.FailAt(0, nil)
		if now := dev.Live(); !maps.Equal(now, live) {
			t.Errorf("operation %d fails: %v are not freed, %v before", n, now, live)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Measure(ended, o); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled measurement: %v", err)
	}
}
