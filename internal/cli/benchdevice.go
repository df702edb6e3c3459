package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/record"
)

// deviceRecord is a device as documents state it.
func deviceRecord(d engine.DeviceInfo) record.Device {
	return record.Device{
		Name: d.Name, Kind: d.Kind, Model: d.Model, Vendor: d.Vendor, Platform: d.Platform, Version: d.Version, Driver: d.Driver,
		MemoryBytes: d.Memory, LargestAllocationBytes: d.LargestAllocation, ComputeUnits: d.ComputeUnits, HostCPU: d.HostCPU, InPlace: d.InPlace,
	}
}

func newBenchDevice(e *env) *cobra.Command {
	var (
		ef      engineFlags
		rf      readFlags
		bf      benchFlags
		largest bytesFlag
		asJSON  bool
	)
	c := &cobra.Command{
		Use:   "device NAME",
		Short: "Measure a device: memory, atomics, transfers, the latency of commands",
		Long: `bench device measures what bounds searches on a device, by the host's clock: bytes that a
kernel copies in order, reads and atomics at random places by the size of the working set,
transfers by size, and the time of a launch, a fill and a wait. It takes less than 20 s.
With --model it searches GRAPH on the device alone and prints the time of each level
beside what the cost model of docs/gpu.md makes of these figures, and what it makes of the
same searches on two cards with assumed figures.

  totemgo bench device opencl:0
  totemgo bench device opencl:0 --model kron:20 --json`,
		Args: takes("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			ef.processors, bf.seed, ef.deviceGraph = args[0], "", "device"
			if err := ef.check(); err != nil {
				return err
			}
			if len(ef.o.Processors) != 1 || ef.o.Processors[0].Kind == engine.CPU {
				return usagef("%q is no device: want opencl:N or cuda:N", args[0])
			}
			if bf.roots < 1 {
				return usagef("--roots is at least 1")
			}
			doc, err := e.benchDevice(c.Context(), &ef, &rf, &bf, gpu.MeasureOptions{Largest: int64(largest)})
			if err != nil {
				return err
			}
			if doc.Head = e.head(record.SchemaBenchDevice); asJSON {
				return e.printJSON(doc)
			}
			return e.printBenchDevice(doc)
		},
	}
	ef.o.Drivers = e.drivers
	fl := c.Flags()
	fl.Var(&largest, "largest", "the largest working set (default 256MiB, at most an eighth of device memory)")
	fl.StringVar(&bf.graph, "model", "", "`GRAPH` whose searches to predict: kron:SCALE, uniform:SCALE, grid:RxC, chain:N or a file")
	fl.IntVar(&bf.roots, "roots", 8, "number of searches of --model")
	fl.BoolVar(&ef.o.NoKernelCache, "no-cache", false, "build device kernels anew instead of keeping them in the user's cache folder")
	fl.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (e *env) benchDevice(ctx context.Context, ef *engineFlags, rf *readFlags, bf *benchFlags, o gpu.MeasureOptions) (doc record.BenchDevice, err error) {
	devices, err := engine.OpenDevices(ctx, ef.o)
	if err != nil {
		return doc, err
	}
	defer devices.Close()
	bar := e.progress("measuring")
	m, info, err := devices.Measure(ctx, ef.o.Processors[0], o)
	bar.done()
	if err != nil {
		return doc, err
	}
	doc = record.BenchDevice{Device: deviceRecord(info), LaunchS: m.LaunchS, FillS: m.FillS, WaitS: m.WaitS}
	for i, g := range m.Gather {
		doc.Accesses = append(doc.Accesses, record.DeviceAccess{WorkingSetBytes: g.Bytes, CopyBytesPerS: m.Copy[i].PerS, ReadsPerS: g.PerS, AtomicsPerS: m.Atomic[i].PerS})
	}
	for i, x := range m.ToDevice {
		doc.Transfers = append(doc.Transfers, record.DeviceTransfer{TransferBytes: x.Bytes, ToDeviceBytesPerS: x.PerS, ToHostBytesPerS: m.ToHost[i].PerS})
	}
	if bf.graph != "" {
		ef.o.Devices = devices
		doc.Model, err = e.deviceModel(ctx, ef, rf, bf, &m)
	}
	return doc, err
}

// modelRounds is the number of searches from a root; the least time of a level counts.
const modelRounds = 3

// deviceModel predicts the levels of searches and times them.
func (e *env) deviceModel(ctx context.Context, ef *engineFlags, rf *readFlags, bf *benchFlags, m *gpu.Measured) (*record.DeviceModel, error) {
	src, closeSource, err := e.benchGraph(ctx, bf, rf, ef)
	if err != nil {
		return nil, err
	}
	defer closeSource()
	roots, err := benchRoots(ctx, src, bf.roots, ef.o.Threads)
	if err != nil {
		return nil, err
	}
	eng, err := e.newEngine(ctx, bf.graph, src, ef)
	if err != nil {
		return nil, err
	}
	defer eng.Close()
	ranks := float64(eng.Processors()[0].Vertices)
	r := eng.NewResult().Collect()
	defer r.Free()
	doc := &record.DeviceModel{Graph: bf.graph}
	cards := assumedCards(ranks)
	n := float64(len(roots))
	for _, root := range roots {
		label := src.VertexLabels().Label(root)
		if err := eng.CountBFS(ctx, label, r); err != nil {
			return nil, err
		}
		work := levelWork(r.Statistics.All(), ranks)
		times := make([]float64, len(work))
		for round := range modelRounds {
			if err := eng.BFSInto(ctx, label, r); err != nil {
				return nil, err
			}
			levels := r.Statistics.All()
			if len(levels) != len(work) {
				return nil, fmt.Errorf("%d levels in one search and %d in another from root %d", len(work), len(levels), label)
			}
			for i, l := range levels {
				if round == 0 || l.TimeS < times[i] {
					times[i] = l.TimeS
				}
			}
		}
		for i, w := range work {
			x := record.DevicePrediction{MeasuredS: times[i], PredictedS: m.Predict(w)}
			addLevel(doc, i, w.BottomUp, x)
			doc.Time.MeasuredS += x.MeasuredS / n
			doc.Time.PredictedS += x.PredictedS / n
			for k := range cards {
				cards[k].PredictedS += cards[k].m.Predict(w) / n
			}
		}
	}
	for i := range doc.Levels {
		l := &doc.Levels[i]
		l.MeasuredS /= float64(l.Searches)
		l.PredictedS /= float64(l.Searches)
	}
	for _, c := range cards {
		doc.Cards = append(doc.Cards, c.DeviceModelCard)
	}
	return doc, nil
}

// levelWork is the work of a search's levels, on a device alone.
func levelWork(levels []record.Level, ranks float64) (list []gpu.LevelWork) {
	unvisited := ranks - 1
	for i, l := range levels {
		w := gpu.LevelWork{BottomUp: l.Direction == record.BottomUp, Frontier: l.Frontier, Unvisited: unvisited, Ranks: ranks}
		w.First = w.BottomUp && (i == 0 || levels[i-1].Direction == record.TopDown)
		if len(l.Processors) > 0 {
			w.Kernel = l.Processors[0].Kernel
		}
		if l.EdgesExamined != nil {
			w.Examined = *l.EdgesExamined
		}
		if i+1 < len(levels) {
			w.Found = levels[i+1].Frontier
		}
		unvisited -= w.Found
		list = append(list, w)
	}
	return list
}

// addLevel adds a level to the sums of its number and direction.
func addLevel(doc *record.DeviceModel, level int, up bool, x record.DevicePrediction) {
	direction := record.TopDown
	if up {
		direction = record.BottomUp
	}
	i := slices.IndexFunc(doc.Levels, func(l record.DeviceLevel) bool { return l.Level == level && l.Direction == direction })
	if i < 0 {
		i = slices.IndexFunc(doc.Levels, func(l record.DeviceLevel) bool {
			return l.Level > level || l.Level == level && l.Direction > direction
		})
		if i < 0 {
			i = len(doc.Levels)
		}
		doc.Levels = slices.Insert(doc.Levels, i, record.DeviceLevel{Level: level, Direction: direction})
	}
	l := &doc.Levels[i]
	l.Searches++
	l.MeasuredS += x.MeasuredS
	l.PredictedS += x.PredictedS
}

// assumedCard is a card of assumed constants.
type assumedCard struct {
	record.DeviceModelCard
	m gpu.Measured
}

// assumedCards are NVIDIA's H100 and H200, which no figure here was measured on: 85% of the stated memory
// bandwidth; a read at random moves a sector of 32 bytes of it, in the 50 MB of L2 three times as many; atomics run
// at half the rate of reads in L2; a command takes 2.3 µs, a wait 12 µs.
func assumedCards(ranks float64) (list []assumedCard) {
	for _, c := range []struct {
		name  string
		bytes float64
	}{{"H100", 3.35e12}, {"H200", 4.8e12}} {
		far := 0.85 * c.bytes / 32
		const l2, near = 50 << 20, 3 * 0.85 * 3.35e12 / 32 // one L2 in both
		m := gpu.Measured{
			Copy: []gpu.Sized{{Bytes: l2, PerS: 0.85 * c.bytes}}, LaunchS: 2.3e-6, FillS: 2.3e-6, WaitS: 12e-6,
			Gather: []gpu.Sized{{Bytes: l2, PerS: near}, {Bytes: 4 * l2, PerS: far}},
			Atomic: []gpu.Sized{{Bytes: l2, PerS: near / 2}, {Bytes: 4 * l2, PerS: far / 2}},
		}
		copied, reads, atomics := m.At(ranks / 8)
		list = append(list, assumedCard{record.DeviceModelCard{Card: c.name, CopyBytesPerS: copied, LaunchS: m.LaunchS, WaitS: m.WaitS,
			ReadsPerS: reads, AtomicsPerS: atomics}, m})
	}
	return list
}

func (e *env) printBenchDevice(doc record.BenchDevice) error {
	fmt.Fprintf(e.stdout, "%s: %s, %d compute units\n", doc.Device.Name, doc.Device.Model, doc.Device.ComputeUnits)
	fmt.Fprintf(e.stdout, "launch %s, fill %s, wait %s\n\n", seconds(doc.LaunchS), seconds(doc.FillS), seconds(doc.WaitS))
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "working set\tcopy GB/s\treads M/s\tatomics M/s\t")
	for _, a := range doc.Accesses {
		fmt.Fprintf(w, "%s\t%.2f\t%.0f\t%.0f\t\n", sizeString(a.WorkingSetBytes), a.CopyBytesPerS/1e9, a.ReadsPerS/1e6, a.AtomicsPerS/1e6)
	}
	fmt.Fprintln(w, "\ntransfer\tto device GB/s\tto host GB/s\t")
	for _, x := range doc.Transfers {
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t\n", sizeString(x.TransferBytes), x.ToDeviceBytesPerS/1e9, x.ToHostBytesPerS/1e9)
	}
	if d := doc.Model; d != nil {
		fmt.Fprintf(w, "\n%s, level\tsearches\tmeasured\tpredicted\tratio\t\n", d.Graph)
		for _, l := range d.Levels {
			fmt.Fprintf(w, "%d %s\t%d\t%s\t%s\t%.2f\t\n", l.Level, l.Direction, l.Searches, seconds(l.MeasuredS), seconds(l.PredictedS), l.PredictedS/l.MeasuredS)
		}
		fmt.Fprintf(w, "all, mean\t\t%s\t%s\t%.2f\t\n", seconds(d.Time.MeasuredS), seconds(d.Time.PredictedS), d.Time.PredictedS/d.Time.MeasuredS)
		for _, c := range d.Cards {
			fmt.Fprintf(w, "%s, assumed figures\t\t\t%s\t\t\n", c.Card, seconds(c.PredictedS))
		}
	}
	return w.Flush()
}

// profile runs a search from each root that clocks each kernel.
func (e *env) profile(ctx context.Context, eng *engine.Engine, label func(uint32) uint64, roots []uint32, r *engine.BFSResult) error {
	if err := eng.ProfileDevices(ctx, true); err != nil {
		return err
	}
	for _, root := range roots {
		if err := eng.BFSInto(ctx, label(root), r); err != nil {
			return err
		}
	}
	return eng.ProfileDevices(ctx, false)
}

// leastBytes sets the least bytes of kernels, by the levels of searches on a device alone.
func leastBytes(kernels []record.KernelProfile, searches [][]record.Level, ranks float64) {
	for i := range kernels {
		sum := 0.0
		for _, levels := range searches {
			bytes, known := gpu.LeastBytes(kernels[i].Kernel, levelWork(levels, ranks))
			if sum += bytes; !known {
				sum = 0
				break
			}
		}
		if sum > 0 {
			sum /= float64(len(searches))
			kernels[i].LeastBytes = &sum
		}
	}
}

// printKernels prints a row for each kernel.
func printKernels(w io.Writer, kernels []record.KernelProfile) {
	for _, k := range kernels {
		fmt.Fprintf(w, "%s\t%.1f\t%s\t", k.Kernel, k.Launches, seconds(k.TimeS))
		if k.LeastBytes != nil && k.TimeS > 0 {
			fmt.Fprintf(w, "%s\t%.2f", sizeString(int64(*k.LeastBytes)), *k.LeastBytes/k.TimeS/1e9)
		} else {
			fmt.Fprint(w, "\t")
		}
		fmt.Fprintln(w, "\t")
	}
}

// printCommands prints what a search asks of each device, and the kernels' times where they were clocked.
func (e *env) printCommands(processors []record.Processor) error {
	for _, p := range processors {
		c := p.Commands
		if c == nil {
			continue
		}
		fmt.Fprintf(e.stdout, "%s, a search: %.1f kernels, %.1f fills (%s), %.1f uploads (%s), %.1f downloads (%s), %.1f waits\n", p.Name, c.Launches, c.Fills,
			sizeString(int64(c.FillBytes)), c.Uploads, sizeString(int64(c.UploadBytes)), c.Downloads, sizeString(int64(c.DownloadBytes)), c.Waits)
		w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
		if len(c.Kernels) > 0 {
			fmt.Fprintln(w, "kernel\tlaunches\ttime\tleast bytes\tGB/s\t")
		}
		printKernels(w, c.Kernels)
		if err := w.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(e.stdout)
	}
	return nil
}
