package cli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/allpairs"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/record"
)

func newBenchAllPairs(e *env) *cobra.Command {
	var (
		n, rounds, threads int
		methods            []string
		asJSON             bool
	)
	c := &cobra.Command{
		Use:   "apsp",
		Short: "Time the distances between all pairs",
		Long: `bench apsp times the dense methods of apsp with float32 and int32 distances on a random graph of n
vertices with an arc between most, and each set of tile kernels of this processor with the first. It states the
operations a second (2n³ additions and minima, of squaring for each product) and the fraction of what the
processor does in registers alone, on the same threads at the same time. Rounds are in turn; the figures
are medians.

  totemgo bench apsp --n 4096
  totemgo bench apsp --n 1024 --methods blocked,naive,squaring --json`,
		Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			if n < 1 || rounds < 1 || threads < 0 {
				return usagef("--n %d --rounds %d --threads %d: want 1 or more", n, rounds, threads)
			}
			doc := record.BenchAllPairs{Threads: workers.Count(threads), N: n, Rounds: rounds}
			for _, name := range methods {
				m, err := allpairs.ParseMethod(name)
				if err != nil || m == allpairs.Auto || m == allpairs.Searches {
					return usagef("--methods %s: want some of blocked, naive, squaring", name)
				}
				for _, f := range []func(context.Context, *record.BenchAllPairs, allpairs.Method) error{benchPairs[float32], benchPairs[int32]} {
					if err := f(c.Context(), &doc, m); err != nil {
						return err
					}
				}
			}
			if asJSON {
				doc.Head = e.head(record.SchemaBenchAPSP)
				return e.printJSON(doc)
			}
			fmt.Fprintf(e.stdout, "%d vertices, %d threads, medians of %d\n", n, doc.Threads, rounds)
			w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
			fmt.Fprintln(w, "method\ttype\tkernels\ttime s\tGop/s\tregisters Gop/s\tfraction\t")
			for _, r := range doc.Runs {
				fmt.Fprintf(w, "%s\t%s\t%s\t%.4g\t%.4g\t%.4g\t%.2f\t\n", r.Method, r.Type, r.Kernels, r.TimeS, r.GopS, r.RateGopS, r.Fraction)
			}
			return w.Flush()
		},
	}
	fl := c.Flags()
	fl.IntVar(&n, "n", 2048, "number of vertices")
	fl.IntVar(&rounds, "rounds", 3, "number of rounds")
	fl.IntVar(&threads, "threads", 0, "number of `THREADS` (default all)")
	fl.StringSliceVar(&methods, "methods", []string{"blocked"}, "`LIST` of methods: blocked, naive, squaring")
	fl.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// benchPairs times a method with distances of type T.
func benchPairs[T allpairs.Value](ctx context.Context, doc *record.BenchAllPairs, method allpairs.Method) error {
	g, err := denseGraph(ctx, doc.N)
	if err != nil {
		return err
	}
	names := allpairs.Kernels[T]()
	times, rates := make([][]float64, len(names)), make([][]float64, len(names))
	for range doc.Rounds {
		for i, name := range names {
			if i > 0 && (method != allpairs.Blocked || name == "generic" && doc.N > 1024) {
				continue
			}
			rate, err := allpairs.Rate[T](ctx, name, doc.Threads)
			if err != nil {
				return err
			}
			start := time.Now()
			m, _, err := allpairs.Solve[T](ctx, g, allpairs.Options{Method: method, Threads: doc.Threads, Kernels: name})
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
		r := record.BenchAllPairsMethod{Method: method.String(), Kernels: name, Type: fmt.Sprintf("%T", T(0)), Processor: "cpu",
			TimeS: median(times[i]), RateGopS: median(rates[i]) / 1e9}
		r.GopS = operations / r.TimeS / 1e9
		r.Fraction = r.GopS / r.RateGopS
		doc.Runs = append(doc.Runs, r)
	}
	return nil
}

// median is the middle of a list, or the mean of the two middle entries.
func median(list []float64) float64 {
	s := slices.Sorted(slices.Values(list))
	return (s[len(s)/2] + s[(len(s)-1)/2]) / 2
}

// denseGraph has n vertices, and an arc of a random weight up to 1000 to three quarters of all others.
func denseGraph(ctx context.Context, n int) (*graph.CSR, error) {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	offsets, targets, weights := make([]uint64, 1, n+1), []uint32(nil), []int32(nil)
	for u := range uint32(n) {
		for v := range uint32(n) {
			if u != v && r.IntN(4) > 0 {
				targets, weights = append(targets, v), append(weights, int32(1+r.IntN(1000)))
			}
		}
		offsets = append(offsets, uint64(len(targets)))
	}
	return graph.NewCSR(graph.CSRParts{Directed: true, Offsets: offsets, Targets: targets, Weights: graph.WeightsOf(weights)})
}
