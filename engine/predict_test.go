package engine

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestPrediction: batches of several kinds are dealt to threads by a clock of their times. The time predicted after 2% of the
// roots is within 15% of what they take, or of the change of speed that comes after it; from half of them on all predictions
// are; the last one is exact, and none before it says that nothing is left.
func TestPrediction(t *testing.T) {
	const ms, n = time.Millisecond, 16
	for name, c := range map[string]struct {
		took    func(i, batches, threads int, at time.Duration) float64 // of batch i, in units of the mean of even ones
		changes float64                                                 // the part of all that comes after 2%
		least   int                                                     // batches of a thread
	}{
		"even":             {func(int, int, int, time.Duration) float64 { return 1 }, 0, 100},
		"one in four long": {func(i, _, _ int, _ time.Duration) float64 { return []float64{1, 1, 1, 3}[i%4] }, 0, 400},
		"first ones long": {func(i, _, threads int, _ time.Duration) float64 {
			if i < threads && (i > 0 || threads%2 == 1) {
				return 8
			}
			return 1
		}, 0, 40},
		"threads on one core for 25 ms": {func(_, _, _ int, at time.Duration) float64 {
			if at < 25*ms {
				return 2
			}
			return 1
		}, 0, 100},
		"half are slower": {func(i, batches, _ int, _ time.Duration) float64 { return []float64{1, 1.8}[2*i/batches] }, 0.4 / 1.4, 100},
		"other way":       {func(i, _, _ int, _ time.Duration) float64 { return 1 }, 0, 100},
	} {
		t.Run(name, func(t *testing.T) {
			for trial := range 200 {
				r := rand.New(rand.NewPCG(uint64(trial), 31))
				threads := 1 + trial%8
				batches := threads * (c.least + r.IntN(400))
				mean := []time.Duration{2 * ms, 20 * ms}[trial/8%2]
				p := prediction{of: int64(n * batches)}
				now := time.Duration(r.IntN(1000)) * time.Microsecond // allocations
				if name == "other way" && threads > 1 {               // of all threads, at first
					p.of += 20
					for range 20 {
						now += 10 * ms
						p.add(1, 1, 10*ms, now)
					}
				}
				starts, ends := make([]time.Duration, threads), make([]time.Duration, threads)
				deal := func(i, thread int) {
					starts[thread], ends[thread] = now, math.MaxInt64
					if i < batches {
						ends[thread] = now + time.Duration(c.took(i, batches, threads, now)*(0.9+0.2*r.Float64())*float64(mean))
					}
				}
				for i := range threads {
					deal(i, i)
				}
				var late []time.Duration // predictions once half are done
				for done := range batches {
					first := slices.Index(ends, slices.Min(ends))
					now = ends[first]
					all := p.add(n, threads, now-starts[first], now)
					if done+1 < batches && all <= now {
						t.Fatalf("after %d of %d batches nothing is left", done+1, batches)
					}
					if 2*done > batches {
						late = append(late, all)
					}
					deal(done+threads, first)
				}
				off := func(x time.Duration) float64 { return math.Abs(float64(x)/float64(now) - 1) }
				worst := slices.MaxFunc(late, func(a, b time.Duration) int { return int(1e6 * (off(a) - off(b))) })
				if off(p.early) > 0.15+c.changes || off(worst) > 0.15+c.changes || late[len(late)-1] != now {
					t.Errorf("%d threads, %d batches: predicted %v, after half of them %v at worst, at the end %v; took %v",
						threads, batches, p.early, worst, late[len(late)-1], now)
				}
			}
		})
	}
}
