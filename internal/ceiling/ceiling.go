// Package ceiling measures the machine's memory: bytes a second read in order and words a
// second read at random, by the size of the working set and the number of threads. They
// bound the speed of a graph search.
package ceiling

import (
	"context"
	"time"
	"unsafe"

	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/mix"
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
	pairs := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(data))), n/2)
	passes := max(1, (1<<22)/n)
	share := n / 2 / team.Threads()
	words, err := best(share*passes, func(w int) {
		sum := uint64(0)
		for range passes {
			for part := pairs[w*share : (w+1)*share]; len(part) >= 8; part = part[8:] {
				sum += part[0] + part[1] + part[2] + part[3] + part[4] + part[5] + part[6] + part[7]
			}
		}
		sums[w].x += uint32(sum)
	})
	if err != nil {
		return r, err
	}
	r.Sequential = 8 * words
	// Places come from a short list, each pass by another exclusive or: no read waits for
	// the place of the one before, and eight loads a turn are independent.
	var places [1 << 10]uint32
	for i := range places {
		places[i] = uint32(mix.Mix(uint64(i)))
	}
	const reads = 1 << 20
	if r.Random, err = best(reads, func(w int) {
		var a, b, c, d uint32
		for pass := range reads / len(places) {
			x := uint32(mix.Mix(uint64(w)<<32 | uint64(pass)))
			for i := 0; i < len(places); i += 8 {
				at := (*[8]uint32)(places[i:])
				a += data[(at[0]^x)&mask]
				b += data[(at[1]^x)&mask]
				c += data[(at[2]^x)&mask]
				d += data[(at[3]^x)&mask]
				a += data[(at[4]^x)&mask]
				b += data[(at[5]^x)&mask]
				c += data[(at[6]^x)&mask]
				d += data[(at[7]^x)&mask]
			}
		}
		sums[w].x += a + b + c + d
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
