package cli

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/record"
)

const infoHelp = `info reads a graph file and prints its vertices, edges, self-loops, duplicates, degree
distribution and components, and for each placement what every processor would get.
With --device-memory and no --processors it shows the CPU with one device of that size.

  totemgo info web-NotreDame.txt.gz
  totemgo info web-NotreDame.txt.gz --stats
  totemgo info web-NotreDame.txt.gz --device-memory 4MiB`

// info prepares "totemgo info".
func info(e *env, c *cobra.Command) runner {
	var (
		ef    engineFlags
		rf    readFlags
		stats bool
	)
	ef.add(e, c, false)
	rf.add(c, "")
	e.jsonFlag(c)
	c.Flags().BoolVar(&stats, "stats", false, "count triangles, state clustering coefficients, and bound the diameter of an undirected graph")
	return func(ctx context.Context, args []string) error {
		if ef.device > 0 && !c.Flags().Changed("processors") {
			ef.processors = "cpu,opencl:0"
		}
		if err := ef.check(); err != nil {
			return err
		}
		file, err := rf.open(ctx, e, args[0], ef.o.Threads, ef.o.MemoryLimit)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := file.Verify(ctx); err != nil {
			return err
		}
		if need := 24 * int64(file.Source.NumVertices()); need > ef.o.MemoryLimit {
			return &graph.MemoryError{What: "describing the graph", Need: need, Limit: ef.o.MemoryLimit}
		}
		doc, procs, err := e.describe(ctx, file.Source, &ef)
		if err != nil {
			return inFile(args[0], err)
		}
		if stats {
			if doc.Statistics, err = statisticsOf(ctx, file.Source, &ef); err != nil {
				return inFile(args[0], err)
			}
		}
		doc.File, doc.Format, doc.DirectionStated = args[0], file.Report.Format, file.Report.DirectionStated && !rf.directed && !rf.undirected
		return e.show(record.SchemaInfo, doc, func() { e.printInfo(doc, file.Report.Compression, rf.directed || rf.undirected, procs) })
	}
}

// boundSearches is the number of searches that bound the diameter.
const boundSearches = 4

// statisticsOf computes what --stats adds, on the CPU.
func statisticsOf(ctx context.Context, src graph.Source, ef *engineFlags) (*record.InfoStatistics, error) {
	eng, err := engine.New(ctx, src, engine.Options{
		Processors: []engine.Processor{{Kind: engine.CPU, Threads: ef.o.Threads}}, Threads: ef.o.Threads, MemoryLimit: ef.o.MemoryLimit, Director: bsp.DirectorBeamer,
	})
	if err != nil {
		return nil, err
	}
	defer eng.Close()
	r, err := eng.Triangles(ctx)
	if err != nil {
		return nil, err
	}
	s := &record.InfoStatistics{Triangles: r.Count, Transitivity: r.Transitivity(), AverageClustering: r.Average()}
	if !src.IsDirected() {
		d, err := eng.DiameterBounds(ctx, boundSearches)
		if err != nil {
			return nil, err
		}
		s.Diameter = &record.InfoDiameter{AtLeast: d.Diameter, AtMost: d.Bound}
	}
	return s, nil
}

// describe computes everything that info prints.
func (e *env) describe(ctx context.Context, src graph.Source, ef *engineFlags) (*record.Info, []engine.Processor, error) {
	o, err := ef.options(src.VertexLabels())
	if err != nil {
		return nil, nil, err
	}
	f, err := graph.Measure(ctx, src, ef.o.Threads)
	if err != nil {
		return nil, nil, err
	}
	count, largest, _, err := graph.Components(ctx, src, ef.o.Threads)
	if err != nil {
		return nil, nil, err
	}
	doc := &record.Info{
		Vertices: int64(src.NumVertices()), Edges: src.NumEdges(), Arcs: src.NumEdges(), Directed: src.IsDirected(),
		SelfLoops: f.SelfLoops, Isolated: f.Isolated, MaxDegree: f.MaxDegree,
		Components: int64(count), LargestComponent: int64(largest),
		DegreeHistogram: []record.DegreeBin{}, Placements: []record.Placement{},
	}
	if !src.IsDirected() {
		doc.Arcs = 2*src.NumEdges() - f.SelfLoops
	}
	if k := src.WeightKind(); k != graph.Unweighted {
		doc.Weighted, doc.WeightKind = true, k.String()
	}
	for i, n := range f.Histogram {
		bin := record.DegreeBin{Vertices: n}
		if i > 0 {
			bin.From, bin.To = 1<<(i-1), 1<<i-1
		}
		doc.DegreeHistogram = append(doc.DegreeHistogram, bin)
	}
	// Duplicates are what the simple structures of a placement hold less.
	if doc.Duplicates, err = partition.Duplicates(ctx, src, ef.o.Threads); err != nil {
		return nil, nil, err
	}
	place := func(o engine.Options) (record.Placement, error) {
		p, err := engine.Place(ctx, src, o)
		if err != nil {
			return record.Placement{}, err
		}
		defer p.Close()
		if o.Placement == partition.Auto {
			doc.Rule = &record.Rule{Placement: string(p.Policy), MaxDegree: int64(p.MaxDegree), MeanDegree: p.MeanDegree, Ratio: partition.HubRatio, Why: p.Reason}
		}
		return placementRecord(p, o.Processors, false), nil
	}
	first, err := place(o)
	if err != nil {
		return nil, nil, err
	}
	if o.Placement != partition.Auto {
		doc.Placements = append(doc.Placements, first)
		return doc, o.Processors, nil
	}
	o.TwoEnded = 0 // it belongs to the rule's own choice
	for _, o.Placement = range partition.Policies() {
		r := first
		if string(o.Placement) != first.Placement {
			if r, err = place(o); err != nil {
				return nil, nil, err
			}
		}
		doc.Placements = append(doc.Placements, r)
	}
	return doc, o.Processors, nil
}

func (e *env) printInfo(d *record.Info, compression string, forced bool, procs []engine.Processor) {
	kind := "undirected"
	if d.Directed {
		kind = "directed"
	}
	switch {
	case d.DirectionStated:
		kind += " (as the file says)"
	case forced:
		kind += " (as the command line says)"
	default:
		kind += " (the file does not say)"
	}
	weights := "no weights"
	if d.Weighted {
		weights = d.WeightKind + " weights"
	}
	format := d.Format
	if compression != "" {
		format += ", " + compression
	}
	var head strings.Builder
	w := tabwriter.NewWriter(&head, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\n", d.File)
	fmt.Fprintf(w, "format\t%s; %s, %s\n", format, kind, weights)
	fmt.Fprintf(w, "vertices\t%d (%d without edges to others)\n", d.Vertices, d.Isolated)
	fmt.Fprintf(w, "edges\t%d (%d self-loops, %d duplicates)\n", d.Edges, d.SelfLoops, d.Duplicates)
	fmt.Fprintf(w, "arcs\t%d\n", d.Arcs)
	what := "components"
	if d.Directed {
		what = "components (weak)"
	}
	fmt.Fprintf(w, "%s\t%d, the largest of %d vertices\n", what, d.Components, d.LargestComponent)
	simple := ""
	if d.Rule != nil && d.Rule.MaxDegree != d.MaxDegree {
		simple = " without self-loops and duplicates"
		fmt.Fprintf(w, "largest degree\t%d, %d%s\n", d.MaxDegree, d.Rule.MaxDegree, simple)
	} else {
		fmt.Fprintf(w, "largest degree\t%d\n", d.MaxDegree)
	}
	if s := d.Statistics; s != nil {
		fmt.Fprintf(w, "triangles\t%d, transitivity %.6g, average clustering %.6g\n", s.Triangles, s.Transitivity, s.AverageClustering)
		if b := s.Diameter; b != nil && b.AtLeast == b.AtMost {
			fmt.Fprintf(w, "diameter\t%d, of the largest component\n", b.AtLeast)
		} else if b != nil {
			fmt.Fprintf(w, "diameter\t%d to %d, of the largest component\n", b.AtLeast, b.AtMost)
		}
	}
	_ = w.Flush() // a string takes all
	e.print("%s\ndegrees\n", head.String())
	most := int64(1)
	for _, b := range d.DegreeHistogram {
		most = max(most, b.Vertices)
	}
	for _, b := range d.DegreeHistogram {
		span := fmt.Sprint(b.From)
		if b.To > b.From {
			span = fmt.Sprintf("%d-%d", b.From, b.To)
		}
		length := int(50 * b.Vertices / most)
		if b.Vertices > 0 && length == 0 {
			length = 1
		}
		e.print("%15s %10d %s\n", span, b.Vertices, strings.Repeat("#", length))
	}
	names := make([]string, len(procs))
	for i, p := range procs {
		names[i] = p.String()
	}
	e.print("\nplacements on %s\n", strings.Join(names, ","))
	if d.Rule != nil {
		e.print("default: %s, as the %s\n", d.Rule.Placement, strings.Replace(d.Rule.Why, "largest degree", "largest degree"+simple, 1))
	}
	for i, p := range d.Placements {
		names := p.Placement
		same := func(q record.Placement) bool {
			return q.Bytes == p.Bytes && reflect.DeepEqual(q.Processors, p.Processors)
		}
		if slices.ContainsFunc(d.Placements[:i], same) {
			continue // named with the first
		}
		for _, q := range d.Placements[i+1:] {
			if same(q) {
				names += ", " + q.Placement
			}
		}
		e.print("%s (%s in all)\n", names, sizeString(p.Bytes))
		e.printProcessors(p.Processors)
	}
}
