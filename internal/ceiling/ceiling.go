// Package ceiling measures the machine's memory: bytes a second read in order and words a
// second read at random, by the size of the working set and the number of threads. They
// bound the speed of a graph search.
package ceiling

import (
	"context"
	"time"

	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/workers"
)

// Rates are the ceilings at one working set, over all threads.
type Rates struct {
	Bytes   int64 // the working set
	Threads int
	// Sequential is the number of bytes a second read in order.
	Sequential float64
	// Random is the number of independent 4-byte reads a second at random places,
	// many in flight; Dependent is the same where each read's place is known only
	// after the one before, over all threads.
	Random, Dependent float64
}

// rounds is the number of repetitions of each measurement; the best counts, since other
// processes can only slow it.
const rounds = 5

// Measure measures the ceilings at a working set of so many bytes (at least 64) on so
// many threads. It takes some tens of milliseconds for what fits in caches and longer
// beyond. The error is ctx's.
func Measure(ctx context.Context, bytes int64, threads int) (Rates, error) {
	n := 16 // words, a power of two
	for int64(n)*8 <= bytes {
		n *= 2
	}
	team := workers.Acquire(threads)
	defer team.Close()
	block := hugemem.Make[uint32](n)
	defer block.Free()
	data := block.S
	// One cycle through all words, so that dependent reads visit all of them: the
	// full-period congruence next = (a·i + c) mod n.
	mask := uint32(n - 1)
	for i := range data {
		data[i] = (uint32(i)*0x2c9277b5 + 0x1b873593) & mask
	}
	r := Rates{Bytes: 4 * int64(n), Threads: team.Threads()}
	sums := make([]struct {
		x uint32
		_ [60]byte
	}, team.Threads())
	best := func(ops int, f func(worker int)) (float64, error) {
		least := time.Duration(1<<63 - 1)
		for range rounds {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			start := time.Now()
			team.Run(f)
			least = min(least, time.Since(start))
		}
		return float64(ops) * float64(team.Threads()) / least.Seconds(), nil
	}
	var err error
	passes := max(1, (1<<22)/n)
	share := n / team.Threads()
	words, err := best(share*passes, func(w int) {
		sum := uint32(0)
		part := data[w*share : (w+1)*share]
		for range passes {
			for len(part) >= 8 {
				sum += part[0] + part[1] + part[2] + part[3] + part[4] + part[5] + part[6] + part[7]
				part = part[8:]
			}
			part = data[w*share : (w+1)*share]
		}
		sums[w].x += sum
	})
	if err != nil {
		return r, err
	}
	r.Sequential = 4 * words
	const reads = 1 << 20
	if r.Random, err = best(reads, func(w int) {
		sum, at := uint32(0), uint32(w)*0x9e3779b9
		for range reads {
			at = at*0x2c9277b5 + 0x5bd1e995
			sum += data[at>>3&mask]
		}
		sums[w].x += sum
	}); err != nil {
		return r, err
	}
	const steps = 1 << 16
	r.Dependent, err = best(steps, func(w int) {
		at := uint32(w) & mask
		for range steps {
			at = data[at]
		}
		sums[w].x += at
	})
	return r, err
}
