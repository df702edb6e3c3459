package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/allpairs"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/record"
)

const benchAllPairsHelp = `bench apsp times the dense methods of apsp with float32, int32 and float64 distances on a random graph of n
vertices with an edge between most, and each set of tile kernels of this processor with the first. It states the
operations a second (2n³ additions and minima, of squaring for each product) and the fraction of what the
processor does in registers alone, on the same threads at the same time. Rounds are in turn; the figures
are medians.

  totemgo bench apsp --n 4096
  totemgo bench apsp --n 1024 --methods blocked,naive,squaring --json
  totemgo bench apsp --n 1024 --processors cpu,opencl:0`

// benchAllPairs prepares "totemgo bench apsp".
func benchAllPairs(e *env, c *cobra.Command) runner {
	var (
		n, rounds  int
		methods    []string
		processors string
	)
	fl := c.Flags()
	fl.IntVar(&n, "n", 2048, "number of vertices")
	fl.IntVar(&rounds, "rounds", 3, "number of rounds")
	fl.StringVar(&processors, "processors", "cpu", "`LIST` of processors, one after the other: cpu, cpu:THREADS, opencl:N, cuda:N")
	fl.StringSliceVar(&methods, "methods", []string{"blocked"}, "`LIST` of methods: blocked, naive, squaring")
	atLeast(c, "1 or more", "n", "rounds")
	e.jsonFlag(c)
	return func(ctx context.Context, _ []string) error {
		if len(methods) == 0 {
			return usagef("--methods is empty: want some of blocked, naive, squaring")
		}
		procs, err := engine.ParseProcessors(processors)
		if err != nil {
			return err
		}
		doc := record.BenchAllPairs{N: n, Rounds: rounds}
		for _, p := range procs {
			for _, name := range methods {
				m, err := allpairs.ParseMethod(name)
				if err != nil || m == allpairs.Auto || m == allpairs.Searches {
					return usagef("--methods %s: want some of blocked, naive, squaring", name)
				}
				if err := e.benchProcessor(ctx, &doc, p, m); err != nil {
					return err
				}
			}
		}
		return e.show(record.SchemaBenchAPSP, &doc, func() { e.printAllPairs(doc) })
	}
}

func (e *env) printAllPairs(d record.BenchAllPairs) {
	e.print("all pairs of %d vertices, medians of %d rounds\n", d.N, d.Rounds)
	printTable(e.stdout, "processor\tmethod\ttype\tkernels\ttime s\tGop/s\tregisters Gop/s\tfraction\t", d.Runs, func(r record.BenchAllPairsMethod) string {
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%.4g\t%.4g\t%.4g\t%.2f\t", r.Processor, r.Method, r.Type, r.Kernels, r.TimeS, r.GopS, r.RateGopS, r.Fraction)
	})
}

// benchProcessor times a method on a processor.
func (e *env) benchProcessor(ctx context.Context, doc *record.BenchAllPairs, p engine.Processor, method allpairs.Method) error {
	o := allpairs.Options{Method: method, Threads: p.Threads}
	if p.Kind != engine.CPU {
		dev, err := engine.OpenDevice(p, e.drivers...)
		if err != nil {
			return err
		}
		defer func() { _ = dev.Close() }()
		o.Device = dev
	}
	g, err := denseGraph(ctx, doc.N)
	if err != nil {
		return err
	}
	if err = benchPairs[float32](ctx, doc, g, o, p.String()); err == nil {
		err = benchPairs[int32](ctx, doc, g, o, p.String())
	}
	if err == nil && (o.Device == nil || o.Device.Info().FP64) {
		err = benchPairs[float64](ctx, doc, g, o, p.String())
	}
	return err
}

// benchPairs times a method with distances of type T.
func benchPairs[T allpairs.Value](ctx context.Context, doc *record.BenchAllPairs, g *graph.CSR, o allpairs.Options, processor string) error {
	names, method := allpairs.Kernels[T](), o.Method
	if o.Device != nil {
		names = []string{o.Device.Info().Name}
	}
	times, rates := make([][]float64, len(names)), make([][]float64, len(names))
	for range doc.Rounds {
		for i, name := range names {
			if i > 0 && (method != allpairs.Blocked || name == "generic" && doc.N > 1024) {
				continue
			}
			var rate float64
			var err error
			if o.Device != nil {
				rate, err = allpairs.DeviceRate[T](ctx, o.Device)
			} else {
				o.Kernels = name
				rate, err = allpairs.Rate[T](ctx, name, o.Threads)
			}
			if err != nil {
				return err
			}
			start := time.Now()
			m, _, err := allpairs.Solve[T](ctx, g, o)
			if err != nil {
				return err
			}
			times[i], rates[i] = append(times[i], time.Since(start).Seconds()), append(rates[i], rate)
			_ = m.Free()
		}
	}
	operations := 2 * float64(doc.N) * float64(doc.N) * float64(doc.N)
	for arcs := 2; method == allpairs.Squaring && arcs < doc.N-1; arcs *= 2 {
		operations += 2 * float64(doc.N) * float64(doc.N) * float64(doc.N)
	}
	for i, name := range names {
		if len(times[i]) == 0 {
			continue
		}
		r := record.BenchAllPairsMethod{Method: method.String(), Kernels: name, Type: fmt.Sprintf("%T", T(0)), Processor: processor,
			TimeS: quantiles(times[i]).MedianS, RateGopS: quantiles(rates[i]).MedianS / 1e9}
		r.GopS = operations / r.TimeS / 1e9
		r.Fraction = r.GopS / r.RateGopS
		doc.Runs = append(doc.Runs, r)
	}
	return nil
}

// minPlusRates measures the tile kernels' instructions in registers alone, of each type, on one thread and on all.
func minPlusRates(ctx context.Context, threads int) (list []record.MinPlus, err error) {
	for _, t := range slices.Compact([]int{1, workers.Count(threads)}) {
		err = errors.Join(addRates[float32](ctx, &list, t), addRates[int32](ctx, &list, t), addRates[float64](ctx, &list, t))
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func addRates[T allpairs.Value](ctx context.Context, list *[]record.MinPlus, threads int) error {
	for _, name := range allpairs.Kernels[T]() {
		rate, err := allpairs.Rate[T](ctx, name, threads)
		if err != nil {
			return err
		}
		*list = append(*list, record.MinPlus{Type: fmt.Sprintf("%T", T(0)), Kernels: name, Threads: threads, GopS: rate / 1e9})
	}
	return nil
}

// denseGraph has n vertices, edges between three quarters of all pairs, and whole weights up to 1000.
func denseGraph(ctx context.Context, n int) (*graph.CSR, error) {
	list, err := gen.Make(ctx, gen.DensityOptions{Vertices: int64(n), Density: 0.75, Seed: 1})
	if err == nil {
		list, err = graph.RandomWeights(ctx, list, 1, 1000, 1, 0)
	}
	if err != nil {
		return nil, err
	}
	return graph.Build(ctx, list, graph.BuildOptions{})
}
