package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/record"
)

const benchDeviceHelp = `bench device measures what bounds searches on a device, by the host's clock: bytes that a
kernel copies in order, reads and atomics at random places by the size of the working set,
transfers by size, and the time of a launch, a fill and a wait. It takes less than 20 s.
With --model it searches GRAPH on the device alone and prints the time of each level
beside what the cost model of docs/gpu.md makes of these figures, and what it makes of the
same searches on two cards with assumed figures, also for graphs of 4, 16 and 64 times the size.
With --predict it prints the latter alone, with levels that the CPU counts: no device is needed.

  totemgo bench device opencl:0
  totemgo bench device opencl:0 --model kron:20 --json
  totemgo bench device --predict h100,h200`

// benchDevice prepares "totemgo bench device".
func benchDevice(e *env, c *cobra.Command) runner {
	var (
		bf      benchFlags
		largest bytesFlag
		predict []string
	)
	bf.engine.o.Drivers = e.drivers
	fl := c.Flags()
	fl.Var(&largest, "largest", "the largest working set (default 256MiB, at most an eighth of device memory)")
	fl.StringVar(&bf.graph, "model", "", "`GRAPH` whose searches to predict: kron:SCALE, uniform:SCALE, grid:RxC, chain:N or a file")
	fl.StringSliceVar(&predict, "predict", nil, "`CARDS` to predict searches of --model on (default kron:20), without a device: h100, h200 or both")
	fl.IntVar(&bf.roots, "roots", 8, "number of searches of --model")
	fl.BoolVar(&bf.engine.o.NoKernelCache, "no-cache", false, "build device kernels anew instead of keeping them in the user's cache folder")
	atLeast(c, "1 or more", "roots")
	e.jsonFlag(c)
	c.Args = func(c *cobra.Command, args []string) error {
		if len(predict) > 0 {
			return takes()(c, args)
		}
		return takes("NAME")(c, args)
	}
	return func(ctx context.Context, args []string) error {
		for i, card := range predict {
			if predict[i] = strings.ToUpper(card); !slices.Contains(gpu.AssumedCards, predict[i]) {
				return usagef("--predict %q: want some of %s", card, strings.ToLower(strings.Join(gpu.AssumedCards, ",")))
			}
		}
		bf.seed, bf.engine.deviceGraph, bf.engine.processors = "", "device", engine.CPU.String()
		if len(predict) == 0 {
			bf.engine.processors = args[0]
		} else if bf.graph == "" {
			bf.graph = "kron:20"
		}
		bf.engine.o.MemoryLimit = engine.DefaultMemoryLimit()
		if err := bf.engine.check(); err != nil {
			return err
		}
		var doc record.BenchDevice
		var err error
		switch {
		case len(predict) > 0:
			doc.Model, err = e.deviceModel(ctx, &bf, nil, predict)
		case len(bf.engine.o.Processors) != 1 || bf.engine.o.Processors[0].Kind == engine.CPU:
			return usagef("%q is no device: want opencl:N or cuda:N", args[0])
		default:
			doc, err = e.benchDevice(ctx, &bf, gpu.MeasureOptions{Largest: int64(largest)})
		}
		if err != nil {
			return err
		}
		return e.show(record.SchemaBenchDevice, &doc, func() { e.printBenchDevice(doc) })
	}
}

func (e *env) benchDevice(ctx context.Context, bf *benchFlags, o gpu.MeasureOptions) (doc record.BenchDevice, err error) {
	devices, err := engine.OpenDevices(ctx, bf.engine.o)
	if err != nil {
		return doc, err
	}
	defer devices.Close()
	e.progress("measuring")
	m, info, err := devices.Measure(ctx, bf.engine.o.Processors[0], o)
	if err != nil {
		return doc, err
	}
	d := deviceRecord(info)
	steps := record.DeviceSteps(m.Steps)
	doc = record.BenchDevice{Device: &d, LaunchS: m.LaunchS, FillS: m.FillS, WaitS: m.WaitS, ReadS: m.ReadS, Steps: &steps}
	for i, g := range m.Gather {
		doc.Accesses = append(doc.Accesses, record.DeviceAccess{WorkingSetBytes: g.Bytes, CopyBytesPerS: m.Copy[i].PerS, ReadsPerS: g.PerS, AtomicsPerS: m.Atomic[i].PerS})
	}
	for i, x := range m.ToDevice {
		doc.Transfers = append(doc.Transfers, record.DeviceTransfer{TransferBytes: x.Bytes, ToDeviceBytesPerS: x.PerS, ToHostBytesPerS: m.ToHost[i].PerS})
	}
	if bf.graph != "" {
		bf.engine.o.Devices = devices
		doc.Model, err = e.deviceModel(ctx, bf, &m, gpu.AssumedCards)
	}
	return doc, err
}

// modelRounds is the number of searches from a root; the least time of a level counts.
const modelRounds = 5

// deviceModel predicts searches on cards, and, unless m is nil, the levels of the engine's device, which it times.
func (e *env) deviceModel(ctx context.Context, bf *benchFlags, m *gpu.Measured, cards []string) (*record.DeviceModel, error) {
	s := &searching{}
	defer s.Close()
	if err := s.open(ctx, e, bf); err != nil {
		return nil, err
	}
	eng := s.eng
	ranks := float64(eng.Processors()[0].Vertices)
	r := eng.NewResult().Collect()
	defer r.Free()
	doc := &record.DeviceModel{Graph: bf.graph}
	if m != nil {
		doc.Time, doc.Search = &record.DevicePrediction{}, &record.DevicePrediction{}
	}
	var searches [][]gpu.LevelWork
	var edges []int64
	for _, root := range s.roots {
		if err := eng.CountBFS(ctx, root, r); err != nil {
			return nil, err
		}
		n, _, err := s.counts.Of(r.Parents)
		if err != nil {
			return nil, err
		}
		work := levelWork(r.Statistics.All(), ranks, m == nil)
		searches, edges = append(searches, work), append(edges, n)
		if m == nil {
			continue
		}
		now, _, err := bf.engine.o.Devices.Measure(ctx, bf.engine.o.Processors[0], gpu.MeasureOptions{Commands: true, Largest: 1 << 16})
		if err != nil {
			return nil, err
		}
		now.Copy, now.Gather, now.Atomic = m.Copy, m.Gather, m.Atomic
		times, whole := make([]float64, len(work)), math.Inf(1)
		for round := range 2 * modelRounds { // in turn, a whole search, and one each level of which has a time of its own
			clocked := round%2 == 1
			if err := eng.ProfileDevices(ctx, clocked); err != nil {
				return nil, err
			}
			if err := eng.BFSInto(ctx, root, r); err != nil {
				return nil, err
			}
			if !clocked {
				whole = min(whole, r.Time.Seconds())
				continue
			}
			levels := r.Statistics.All()
			if len(levels) != len(work) {
				return nil, fmt.Errorf("%d levels in one search and %d in another from root %d", len(work), len(levels), root)
			}
			for i, l := range levels {
				if round == 1 || l.TimeS < times[i] {
					times[i] = l.TimeS
				}
			}
		}
		if err := eng.ProfileDevices(ctx, false); err != nil {
			return nil, err
		}
		doc.Search.MeasuredS += whole / float64(len(s.roots))
		doc.Search.PredictedS += now.Search(work) / float64(len(s.roots))
		for i, w := range work { // a clocked kernel is waited for, and so are the counters
			call := (2*now.WaitS + now.ReadS) / max(1, w.Together)
			addLevel(doc, i, w.BottomUp, record.DevicePrediction{MeasuredS: times[i], PredictedS: call + now.Predict(w)})
		}
	}
	for i := range doc.Levels {
		l := &doc.Levels[i]
		doc.Time.MeasuredS += l.MeasuredS / float64(len(s.roots))
		doc.Time.PredictedS += l.PredictedS / float64(len(s.roots))
		l.MeasuredS /= float64(l.Searches)
		l.PredictedS /= float64(l.Searches)
	}
	for _, card := range cards {
		doc.Cards = append(doc.Cards, predictCard(card, searches, edges, ranks))
	}
	return doc, nil
}

// predictCard predicts searches on a card of assumed figures.
func predictCard(card string, searches [][]gpu.LevelWork, edges []int64, ranks float64) record.DeviceModelCard {
	m := gpu.Assumed(card)
	c := record.DeviceModelCard{Card: card, LaunchS: m.LaunchS, WaitS: m.WaitS}
	c.CopyBytesPerS, c.ReadsPerS, c.AtomicsPerS = m.At(ranks / 8)
	for _, times := range []int{1, 4, 16, 64} {
		size, perEdge, rated := record.DeviceModelSize{Times: times}, 0.0, 0
		for i, work := range searches {
			grown := make([]gpu.LevelWork, len(work))
			for k, w := range work {
				grown[k] = w.Grown(float64(times))
			}
			took := m.Search(grown)
			size.PredictedS += took / float64(len(searches))
			if edges[i] > 0 {
				perEdge, rated = perEdge+took/float64(edges[i])/float64(times), rated+1
			}
		}
		if rated > 0 {
			size.TEPS = float64(rated) / perEdge
		}
		c.Sizes = append(c.Sizes, size)
	}
	return c
}

// levelWork is the work of a search's levels, on a device alone. If the CPU counted them, thin takes what it may.
func levelWork(levels []record.Level, ranks float64, onCPU bool) (list []gpu.LevelWork) {
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
		if onCPU && w.IsThin() {
			w.Kernel = "thin"
		}
		unvisited -= w.Found
		list = append(list, w)
	}
	for i := 0; i < len(list); i++ { // supersteps of thin in sequence are one launch
		n := 1
		for list[i].Kernel == "thin" && i+n < len(list) && list[i+n].Kernel == "thin" {
			n++
		}
		for k := range n {
			list[i+k].Together = float64(n)
		}
		i += n - 1
	}
	return list
}

// addLevel adds a level to the sums of its number and direction.
func addLevel(doc *record.DeviceModel, level int, up bool, x record.DevicePrediction) {
	direction := record.TopDown
	if up {
		direction = record.BottomUp
	}
	i, known := slices.BinarySearchFunc(doc.Levels, record.DeviceLevel{Level: level, Direction: direction}, func(a, b record.DeviceLevel) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(a.Direction, b.Direction))
	})
	if !known {
		doc.Levels = slices.Insert(doc.Levels, i, record.DeviceLevel{Level: level, Direction: direction})
	}
	l := &doc.Levels[i]
	l.Searches++
	l.MeasuredS += x.MeasuredS
	l.PredictedS += x.PredictedS
}

func (e *env) printBenchDevice(doc record.BenchDevice) {
	if doc.Device != nil {
		e.print("%s: %s, %d compute units\n", doc.Device.Name, doc.Device.Model, doc.Device.ComputeUnits)
		e.print("launch %s, fill %s, read %s, wait %s\n", seconds(doc.LaunchS), seconds(doc.FillS), seconds(doc.ReadS), seconds(doc.WaitS))
		t := doc.Steps
		e.print("superstep without work: top-down %s, bottom-up %s, thin %s\n", seconds(t.PushS), seconds(t.PullS), seconds(t.ThinS))
		e.print("in cache, ns: top-down arc %.3g, find %.3g, of thin %.3g; bottom-up row %.3g, scan %.3g, find %.3g\n\n", 1e9*t.ArcS, 1e9*t.FindS,
			1e9*t.ThinFindS, 1e9*t.RowS, 1e9*t.ScanS, 1e9*t.MeetS)
		printTable(e.stdout, "working set\tcopy GB/s\treads M/s\tatomics M/s\t", doc.Accesses, func(a record.DeviceAccess) string {
			return fmt.Sprintf("%s\t%.2f\t%.0f\t%.0f\t", sizeString(a.WorkingSetBytes), a.CopyBytesPerS/1e9, a.ReadsPerS/1e6, a.AtomicsPerS/1e6)
		})
		printTable(e.stdout, "\ntransfer\tto device GB/s\tto host GB/s\t", doc.Transfers, func(x record.DeviceTransfer) string {
			return fmt.Sprintf("%s\t%.2f\t%.2f\t", sizeString(x.TransferBytes), x.ToDeviceBytesPerS/1e9, x.ToHostBytesPerS/1e9)
		})
	}
	d := doc.Model
	if d == nil {
		return
	}
	if d.Time != nil {
		both := func(x record.DevicePrediction) string {
			return fmt.Sprintf("%s\t%s\t%.2f\t", seconds(x.MeasuredS), seconds(x.PredictedS), x.PredictedS/x.MeasuredS)
		}
		var rows []string
		for _, l := range d.Levels {
			rows = append(rows, fmt.Sprintf("%d %s\t%d\t%s", l.Level, l.Direction, l.Searches, both(record.DevicePrediction{MeasuredS: l.MeasuredS, PredictedS: l.PredictedS})))
		}
		rows = append(rows, "levels, mean\t\t"+both(*d.Time), "search, mean\t\t"+both(*d.Search))
		printTable(e.stdout, "\n"+d.Graph+", level\tsearches\tmeasured\tpredicted\tratio\t", rows, func(row string) string { return row })
	}
	var rows []string
	for _, c := range d.Cards {
		for _, s := range c.Sizes {
			rows = append(rows, fmt.Sprintf("%s\t× %d\t%s\t%.0f\t", c.Card, s.Times, seconds(s.PredictedS), s.TEPS/1e9))
		}
	}
	printTable(e.stdout, "\n"+d.Graph+", assumed figures\tsize\tpredicted\tGTEPS\t", rows, func(row string) string { return row })
}

// profile runs a search from each root that clocks each kernel.
func (s *searching) profile(ctx context.Context) error {
	if err := s.eng.ProfileDevices(ctx, true); err != nil {
		return err
	}
	for _, err := range s.each(ctx) {
		if err != nil {
			return err
		}
	}
	return s.eng.ProfileDevices(ctx, false)
}

// leastBytes sets the least bytes of kernels, by the levels of searches on a device alone.
func leastBytes(kernels []record.KernelProfile, searches [][]record.Level, ranks float64) {
	for i := range kernels {
		sum := 0.0
		for _, levels := range searches {
			bytes, known := gpu.LeastBytes(kernels[i].Kernel, levelWork(levels, ranks, false))
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

// printKernels prints a row for each kernel, below a title.
func printKernels(w io.Writer, title string, kernels []record.KernelProfile) {
	printTable(w, title+"kernel\tlaunches\ttime\tleast bytes\tGB/s\t", kernels, func(k record.KernelProfile) string {
		bytes := "\t"
		if k.LeastBytes != nil && k.TimeS > 0 {
			bytes = fmt.Sprintf("%s\t%.2f", sizeString(int64(*k.LeastBytes)), *k.LeastBytes/k.TimeS/1e9)
		}
		return fmt.Sprintf("%s\t%.1f\t%s\t%s\t", k.Kernel, k.Launches, seconds(k.TimeS), bytes)
	})
}

// printCommands prints what a search asks of each device, and the kernels' times where they were clocked.
func (e *env) printCommands(processors []record.Processor) {
	for _, p := range processors {
		c := p.Commands
		if c == nil {
			continue
		}
		fmt.Fprintf(e.stdout, "%s, a search: %.1f kernels, %.1f fills (%s), %.1f uploads (%s), %.1f downloads (%s), %.1f waits\n", p.Name, c.Launches, c.Fills,
			sizeString(int64(c.FillBytes)), c.Uploads, sizeString(int64(c.UploadBytes)), c.Downloads, sizeString(int64(c.DownloadBytes)), c.Waits)
		if len(c.Kernels) > 0 {
			printKernels(e.stdout, "", c.Kernels)
		}
		fmt.Fprintln(e.stdout)
	}
}
