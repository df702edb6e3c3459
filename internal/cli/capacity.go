package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/allpairs"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/record"
)

const capacityHelp = `capacity says how much memory each algorithm takes for a graph, and how large a graph fits.
Without a size it states the largest graph of --edges-per-vertex that fits the memory limit, for each
algorithm. apsp is a matrix of distances of each type. With --vertices and --edges, or for a graph FILE,
it states what each algorithm takes for that graph.

Arrays are counted by the functions by which a run checks them. The peak is the larger of what placing takes,
and the placed graph with the state of a run and its result. resident adds the graph as read or mapped and
the program itself: a run with --json states it as peak_rss_bytes. They agree within 2% for a native file (.tgr)
of a graph with hubs, from 150 MB on, where arrays get huge pages; else runs take less: smaller ones up to 5 MB,
as buffers may be as long as their limit, on grids up to 8%. Without hubs some states are those of the worst case.
Bytes of each device are those of its part of the graph and of a run; algorithms that a device cannot run are
named with the reason. Parts are those of equal degrees, at --speeds or those of devices nobody measured.
A ~ marks states with lists whose lengths depend on the form of the graph and on the roots. --vertices and
--edges count edges that differ, without self-loops; a Kronecker graph of scale 20 has 646,000 vertices with
edges and 15.7 million such edges.

  totemgo capacity
  totemgo capacity --edges-per-vertex 3 --memory-limit 16GiB
  totemgo capacity --vertices 1000000 --edges 16000000 --json
  totemgo capacity web.tgr --processors cpu:1,opencl:0`

func newCapacity(e *env) *cobra.Command {
	var (
		ef     engineFlags
		size   engine.GraphSize
		per    float64
		asJSON bool
	)
	c := &cobra.Command{
		Use: "capacity [FILE]", Short: "Say how large a graph of each algorithm fits this machine", Long: capacityHelp, Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := ef.check(); err != nil {
				return err
			}
			given := c.Flags().Changed("vertices") || c.Flags().Changed("edges")
			switch {
			case given && !(c.Flags().Changed("vertices") && c.Flags().Changed("edges")):
				return usagef("--vertices and --edges go together")
			case given && len(args) > 0:
				return usagef("FILE has a size of its own: leave --vertices and --edges out")
			case size.Vertices < 0 || size.Edges < 0 || size.Isolated < 0 || size.Isolated > size.Vertices && given:
				return usagef("--vertices %d, --isolated %d and --edges %d: want 0 or more, and no more isolated ones than vertices",
					size.Vertices, size.Isolated, size.Edges)
			case !(per > 0 && per <= 1<<20):
				return usagef("--edges-per-vertex %v: want more than 0", per)
			}
			o := ef.o
			var err error
			if o.Devices, err = engine.DescribeDevices(o); err != nil {
				return err
			}
			defer o.Devices.Close()
			doc := record.Capacity{Processors: ef.processors, MemoryLimitBytes: max(0, o.MemoryLimit), Algorithms: []record.CapacityAlgorithm{}}
			if ef.processors == autoProcessors {
				doc.Processors = engine.CPU.String()
			}
			beside := int64(0) // the arrays of a run
			if size.Hubs = true; len(args) > 0 {
				if size, doc.GraphReadBytes, beside, err = e.sizeOf(c.Context(), args[0], o); err != nil {
					return err
				}
				given = true
				o.MemoryLimit = max(1, o.MemoryLimit-doc.GraphReadBytes)
			}
			if given {
				g := graphRecord(size)
				doc.Graph = &g
			}
			for _, name := range engine.Footprints() {
				x, err := capacityOf(name, size, per, given, o)
				if err != nil {
					return err
				}
				if beside > 0 {
					x.ResidentBytes = x.PeakBytes + beside
				}
				doc.Algorithms = append(doc.Algorithms, x)
			}
			doc.Algorithms = append(doc.Algorithms, apspCapacity[int32](size, per, given, o), apspCapacity[float32](size, per, given, o),
				apspCapacity[float64](size, per, given, o))
			if asJSON {
				doc.Head = e.head(record.SchemaCapacity)
				return writeJSON(e.stdout, doc)
			}
			return e.printCapacity(doc)
		},
	}
	ef.add(e, c, false)
	fl := c.Flags()
	fl.Lookup("processors").Usage = "`LIST` of processors, one partition each: cpu, cpu:THREADS, opencl:N, cuda:N; auto takes the CPU"
	fl.Int64Var(&size.Vertices, "vertices", 0, "`N` vertices of the graph that is asked about")
	fl.Int64Var(&size.Isolated, "isolated", 0, "`N` of them have no edges")
	fl.Int64Var(&size.Edges, "edges", 0, "`N` edges that it has, each counted once")
	fl.BoolVar(&size.Directed, "directed", false, "edges are arcs")
	fl.Float64Var(&per, "edges-per-vertex", 16, "edges a vertex of the largest graph, `N`")
	fl.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// sizeOf returns the size of the simple graph of a file, the bytes of the graph as read, unless it is mapped, and those that a
// run has beside its arrays: of the graph as read or mapped, and the program's own.
func (e *env) sizeOf(ctx context.Context, path string, o engine.Options) (s engine.GraphSize, read, beside int64, err error) {
	rf := readFlags{}
	file, err := rf.open(ctx, e, path, o.Threads, o.MemoryLimit)
	if err != nil {
		return s, 0, 0, err
	}
	defer file.Close()
	src := file.Source
	switch g := src.(type) {
	case *graph.CSR:
		if read = g.Bytes(); file.Report.Format == "native" {
			read, beside = 0, file.Report.Bytes
		}
	case *graph.EdgeList:
		read = 8*int64(len(g.Edges)) + int64(g.Weights.Len()*g.Weights.Kind().Size())
	}
	hugemem.Peak()
	edges, _, err := partition.Duplicates(ctx, src, o.Threads) // begins as a run does
	if err != nil {
		return s, 0, 0, inFile(path, err)
	}
	if all := peakRSS(); all > 0 {
		beside = max(read+beside, all-hugemem.Peak())
	}
	f, err := graph.Measure(ctx, src, o.Threads)
	if err != nil {
		return s, 0, 0, inFile(path, err)
	}
	s = engine.GraphSize{Vertices: int64(src.NumVertices()), Isolated: f.Isolated, Directed: src.IsDirected(), Weights: src.WeightKind(),
		Records: src.NumEdges()}
	s.Edges = s.Records - edges - f.SelfLoops
	s.Hubs = float64(f.MaxDegree)*float64(s.Vertices-s.Isolated) >= 2*partition.HubRatio*float64(s.Edges)
	return s, read, beside, nil
}

// capacityOf is what an algorithm takes for a graph of that size or, if none is given, for the largest one that fits.
func capacityOf(name string, size engine.GraphSize, per float64, given bool, o engine.Options) (record.CapacityAlgorithm, error) {
	if o.Weights = name == "sssp"; o.Weights && size.Weights == graph.Unweighted {
		size.Weights = graph.Int32
	} else if !o.Weights {
		size.Weights = graph.Unweighted
	}
	at := func(n int) engine.GraphSize {
		s := size
		s.Vertices, s.Edges = int64(n), int64(per*float64(n))
		return s
	}
	if !given {
		most := int(graph.MaxVertices) - 64*max(1, len(o.Processors))
		n := sort.Search(most, func(n int) bool { _, err := engine.FootprintOf(name, at(n+1), o); return err != nil })
		size = at(n)
	}
	f, err := engine.FootprintOf(name, size, o)
	x := record.CapacityAlgorithm{Algorithm: name, Fits: err == nil, Graph: graphRecord(size), PlacingBytes: f.Placing, PlacedBytes: f.Placed,
		StateBytes: f.State, ResultBytes: f.Result, IdleBytes: f.Idle, PeakBytes: f.Peak(), Varies: f.Varies}
	for _, d := range f.Devices {
		x.Devices = append(x.Devices, record.CapacityDevice{Processor: d.Processor, MemoryBytes: d.Memory, PlacedBytes: d.Placed, StateBytes: d.State,
			PeakBytes: d.Placed + d.State})
	}
	for _, expected := range []error{engine.ErrMemory, engine.ErrCapacity, partition.ErrTooLarge, kernels.ErrUnsupported} {
		if errors.Is(err, expected) {
			x.Reason = message(err)
			return x, nil
		}
	}
	return x, err
}

// apspCapacity is capacityOf all pairs with distances of type T, as a matrix: each device holds one.
func apspCapacity[T allpairs.Value](size engine.GraphSize, per float64, given bool, o engine.Options) (x record.CapacityAlgorithm) {
	size.Weights = graph.WeightsOf([]T{}).Kind()
	need := func(n int) error {
		host, _, err := allpairs.Footprint[T](n, allpairs.Options{MemoryLimit: o.MemoryLimit}, nil)
		x.StateBytes, x.Devices = host, nil
		for _, p := range o.Processors {
			info, is := o.Devices.Info(p)
			if !is || slices.ContainsFunc(x.Devices, func(d record.CapacityDevice) bool { return d.Processor == p.String() }) {
				continue
			}
			host, bytes, failed := allpairs.Footprint[T](n, allpairs.Options{MemoryLimit: o.MemoryLimit}, &info)
			x.StateBytes, err = host, cmp.Or(err, failed)
			x.Devices = append(x.Devices, record.CapacityDevice{Processor: p.String(), MemoryBytes: info.Memory, StateBytes: bytes, PeakBytes: bytes})
		}
		return err
	}
	if !given {
		n := sort.Search(int(graph.MaxVertices), func(n int) bool { return need(n+1) != nil })
		size.Vertices, size.Edges = int64(n), int64(per*float64(n))
	}
	err := need(int(size.Vertices))
	if x.Fits = err == nil; !x.Fits {
		x.Reason = message(err)
	}
	x.Algorithm, x.Graph, x.PeakBytes = "apsp", graphRecord(size), x.StateBytes
	return x
}

func graphRecord(s engine.GraphSize) record.CapacityGraph {
	g := record.CapacityGraph{Vertices: s.Vertices, Isolated: s.Isolated, Edges: s.Edges, Directed: s.Directed}
	if s.Weights != graph.Unweighted {
		g.WeightKind = s.Weights.String()
	}
	return g
}

func (e *env) printCapacity(doc record.Capacity) error {
	limit := "no memory limit"
	if doc.MemoryLimitBytes > 0 {
		limit = fmt.Sprintf("at most %d bytes (%s)", doc.MemoryLimitBytes, sizeString(doc.MemoryLimitBytes))
	}
	fmt.Fprintf(e.stdout, "%s, %s", doc.Processors, limit)
	if doc.GraphReadBytes > 0 {
		fmt.Fprintf(e.stdout, "; the graph as read takes %d of them", doc.GraphReadBytes)
	}
	fmt.Fprintln(e.stdout)
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "algorithm\tvertices\tedges\tplacing\tplaced\tstate\tresult\tpeak\t")
	resident := doc.Algorithms[0].ResidentBytes > 0
	if resident {
		fmt.Fprint(w, "resident\t")
	}
	for _, d := range slices.MaxFunc(doc.Algorithms, func(a, b record.CapacityAlgorithm) int { return len(a.Devices) - len(b.Devices) }).Devices {
		fmt.Fprintf(w, "%s\t", d.Processor)
	}
	fmt.Fprintln(w, "fits\t")
	for _, x := range doc.Algorithms {
		fits, about, name := "yes", "", x.Algorithm
		if name == "apsp" {
			name += " " + x.Graph.WeightKind
		}
		if !x.Fits {
			fits = "no"
		}
		if x.Varies {
			about = "~"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s%d\t%d\t%d\t", name, x.Graph.Vertices, x.Graph.Edges, x.PlacingBytes, x.PlacedBytes, about,
			x.StateBytes+x.IdleBytes, x.ResultBytes, x.PeakBytes)
		if resident {
			fmt.Fprintf(w, "%d\t", x.ResidentBytes)
		}
		for _, d := range x.Devices {
			fmt.Fprintf(w, "%d\t", d.PeakBytes)
		}
		fmt.Fprintf(w, "%s\t\n", fits)
	}
	err := w.Flush()
	for _, x := range doc.Algorithms {
		if x.Reason != "" {
			fmt.Fprintf(e.stdout, "%s: %s\n", x.Algorithm, x.Reason)
		}
	}
	return err
}
