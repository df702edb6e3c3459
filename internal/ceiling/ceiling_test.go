package ceiling_test

import (
	"context"
	"errors"
	"testing"

	"github.com/totemgo/totemgo/internal/ceiling"
)

func TestMeasure(t *testing.T) {
	for _, bytes := range []int64{0, 64, 1 << 16, 1 << 20} {
		for threads := 1; threads <= 2; threads++ {
			r, err := ceiling.Measure(context.Background(), bytes, threads)
			if err != nil {
				t.Fatal(err)
			}
			if r.Sequential <= 0 || r.Random <= 0 || r.Dependent <= 0 || r.Threads < 1 || r.Bytes < 64 || r.Bytes > max(64, bytes) {
				t.Errorf("%d bytes on %d threads: %+v", bytes, threads, r)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ceiling.Measure(ctx, 1<<16, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
