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
	if err != nil {
		t.Fatal(err)
	}
	positive := func(what string, x float64) {
		if !(x > 0 && x < 1e15) {
			t.Errorf("%s: %v", what, x)
		}
	}
	positive("launch", m.LaunchS)
	positive("fill", m.FillS)
	for what, x := range map[string]float64{"top-down": m.Steps.PushS, "bottom-up": m.Steps.PullS - m.LaunchS, "arc": m.Steps.ArcS, "find": m.Steps.FindS, "find of thin": m.Steps.ThinFindS, "row": m.Steps.RowS, "scan": m.Steps.ScanS, "meet": m.Steps.MeetS} {
		positive(what, x)
	}
	if min(m.WaitS, m.ReadS, m.Steps.ThinS) < 0 { // on PoCL hardly more than the clock tells
		t.Errorf("wait: %v, read: %v, thin: %v", m.WaitS, m.ReadS, m.Steps.ThinS)
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
