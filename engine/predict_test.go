package engine

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestPrediction: with batches that vary by 30% and a clock of their times, the time predicted after 2% of the roots is within
// 15% of what they take on any number of threads, and that after all is exact.
func TestPrediction(t *testing.T) {
	for threads := 1; threads <= 8; threads++ {
		for seed := range uint64(50) {
			r := rand.New(rand.NewPCG(seed, 31))
			batches := threads * (10 + r.IntN(200))
			p := prediction{of: int64(512 * batches)}
			before := time.Duration(r.IntN(1000)) * time.Microsecond
			ends, starts := make([]time.Duration, threads), make([]time.Duration, threads)
			took := func() time.Duration { return time.Duration(10000+r.IntN(3000)) * time.Microsecond }
			for i := range ends {
				ends[i], starts[i] = before+took(), before
			}
			var early, now, last time.Duration
			for done := range batches {
				first := 0
				for i := range ends {
					if ends[i] < ends[first] {
						first = i
					}
				}
				now = ends[first]
				last = p.add(512, threads, now-starts[first], now)
				if early == 0 && 50*(done+1) >= batches {
					early = last
				}
				if starts[first], ends[first] = now, now+took(); done+threads >= batches {
					ends[first] = math.MaxInt64 // none are left
				}
				if done+1 < batches && last <= now {
					t.Fatalf("after %d of %d batches nothing is left", done+1, batches)
				}
			}
			if off := float64(early)/float64(now) - 1; math.Abs(off) > 0.15 || last != now {
				t.Errorf("%d threads, %d batches: predicted %v, at the end %v; took %v", threads, batches, early, last, now)
			}
		}
	}
}
