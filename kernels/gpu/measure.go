package gpu

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/bits"
	"time"

	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// Sized is a rate at one size in bytes: of a working set, or of a transfer.
type Sized struct {
	Bytes int64
	PerS  float64 // operations, or bytes, a second
}

// Measured is what a device's memory, bus and commands allow, by the host's clock.
type Measured struct {
	Copy             []Sized // bytes read and written by a kernel that copies a working set in order
	Gather           []Sized // 4-byte reads at random places of a working set, many in flight
	Atomic           []Sized // 4-byte atomics with result, likewise
	ToDevice, ToHost []Sized // transfers of a size between staging and device memory, each waited for
	LaunchS, FillS   float64 // a kernel without work, a fill of 4 bytes, in a queue with many
	ReadS            float64 // a copy of 4 bytes to the host, likewise
	WaitS            float64 // until the host goes on after an empty kernel, beyond LaunchS
	Steps            StepTimes
}

// MeasureOptions bound a measurement.
type MeasureOptions struct {
	Largest int64         // bytes of the largest working set; 0 is 256 MiB, at most an eighth of device memory
	Each    time.Duration // of one figure, about; 0 is 50 ms
	// Commands leaves out memory and transfers.
	Commands bool
}

// Measure measures the device, which should be idle. Errors are ctx's and the device's.
func (p *Program) Measure(ctx context.Context, o MeasureOptions) (m Measured, err error) {
	if o.Largest <= 0 {
		o.Largest = 256 << 20
	}
	if o.Each <= 0 {
		o.Each = 50 * time.Millisecond
	}
	info := p.dev.Info()
	o.Largest = max(1<<16, min(o.Largest, info.Memory/8, info.LargestAllocation)) // three buffers
	on, err := New(p, Options{})
	if err != nil {
		return Measured{}, err
	}
	g := &gauge{Processor: on, ctx: ctx, each: o.Each}
	if err := g.prepare(o.Largest); err != nil {
		return Measured{}, errors.Join(err, g.free())
	}
	empty := func() { g.launch("measure_copy", 1, buf(g.words, g.other).u32(0)) }
	m.LaunchS, m.FillS = g.another(empty), g.another(func() { g.fill(g.out, 0, 4, 0) })
	m.ReadS = g.another(func() { g.read(g.staging, 0, g.words, 0, 4) })
	m.WaitS = max(0, g.least(1, empty)-m.LaunchS)
	m.Steps = g.clockSteps(m.LaunchS)
	for bytes := int64(1 << 16); bytes <= g.words.Size() && !o.Commands; bytes *= 16 {
		m.Copy = append(m.Copy, Sized{bytes, g.rate(float64(bytes), func() { // of two halves
			g.launch("measure_copy", g.lanes(), buf(g.words, g.other).u32(uint32(bytes/8)))
		})})
		m.Gather = append(m.Gather, Sized{bytes, g.random("measure_gather", bytes)})
		m.Atomic = append(m.Atomic, Sized{bytes, g.random("measure_atomic", bytes)})
	}
	for bytes := int64(4 << 10); bytes <= min(int64(len(g.staging.Bytes())), g.words.Size()) && !o.Commands; bytes *= 8 {
		m.ToDevice = append(m.ToDevice, Sized{bytes, g.rate(float64(bytes), func() {
			if g.err == nil {
				g.err = g.stream.Write(g.words, 0, g.staging, 0, bytes)
			}
		})})
		m.ToHost = append(m.ToHost, Sized{bytes, g.rate(float64(bytes), func() { g.read(g.staging, 0, g.words, 0, bytes) })})
	}
	return m, errors.Join(g.err, g.free())
}

// gauge is a processor that holds clockPart, and the memory of a measurement. Its first error is kept; after it nothing runs.
type gauge struct {
	*Processor
	ctx               context.Context
	each              time.Duration
	words, other, out device.Buffer // words and other: a power of two of bytes
	staging           device.Staging
}

// gaugeStaging is the size of the largest transfer that is measured, in bytes.
const gaugeStaging = 16 << 20

// prepare allocates the memory, with working sets of at most so many bytes.
func (g *gauge) prepare(largest int64) error {
	if err := g.Load(g.ctx, clockPart()); err != nil {
		return err
	}
	size := int64(1) << (63 - bits.LeadingZeros64(uint64(largest)))
	g.words, g.other, g.out = g.newBuffer("measured", size), g.newBuffer("measured", size), g.newBuffer("measured", 4*g.lanes())
	g.staging, _ = g.newStaging(min(size, gaugeStaging))
	for _, b := range []device.Buffer{g.words, g.other, g.out} {
		if g.err == nil {
			g.fill(b, 0, b.Size(), 0)
		}
	}
	return g.finish()
}

// lanes is the most lanes of a launch.
func (g *gauge) lanes() int64 { return int64(g.groups * g.program.group) }

// random is the rate of a kernel's accesses at random places of a working set.
func (g *gauge) random(kernel string, bytes int64) float64 {
	const each = 64
	return g.rate(float64(each*g.lanes()), func() {
		g.launch(kernel, g.lanes(), buf(g.words).u32(uint32(bytes/4-1), each).buf(g.out))
	})
}

// queued is the most commands that a measurement leaves in a queue, about those of a superstep.
const queued = 16

// timed is the time of so many commands in a queue, which is waited for.
func (g *gauge) timed(times int, enqueue func()) float64 {
	g.err = cmp.Or(g.err, g.ctx.Err())
	begun := time.Now()
	for range times {
		enqueue()
	}
	_ = g.finish() // Measure returns the error
	return time.Since(begun).Seconds()
}

// rate is n over the least time of a command among others in a queue.
func (g *gauge) rate(n float64, enqueue func()) float64 {
	best, begun := math.Inf(1), time.Now()
	for times, round := 1, 0; g.err == nil && (round < 3 || time.Since(begun) < g.each); round++ {
		took := g.timed(times, enqueue)
		best = min(best, took/float64(times))
		if took < g.each.Seconds()/8 {
			times = min(queued, 2*times)
		}
	}
	return n / best
}

// least is the least time of so many commands in a queue.
func (g *gauge) least(times int, enqueue func()) float64 {
	best := math.Inf(1)
	for range 101 {
		best = min(best, g.timed(times, enqueue))
	}
	return best
}

// another is the time that one more command in a queue takes.
func (g *gauge) another(enqueue func()) float64 {
	return max(0, g.least(queued, enqueue)-g.least(1, enqueue)) / (queued - 1)
}
