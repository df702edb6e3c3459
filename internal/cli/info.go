package cli

import (
	"cmp"
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
	edges, loops, err := partition.Duplicates(ctx, src, ef.o.Threads)
	if err != nil {
		return nil, nil, err
	}
	doc.Duplicates = edges + loops
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
	kind, components, says := "undirected", "components", "the file does not say"
	if d.Directed {
		kind, components = "directed", "components (weak)"
	}
	if d.DirectionStated {
		says = "as the file says"
	} else if forced {
		says = "as the command line says"
	}
	format := strings.TrimSuffix(d.Format+", "+compression, ", ")
	var head strings.Builder
	w := tabwriter.NewWriter(&head, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\n", d.File)
	fmt.Fprintf(w, "format\t%s; %s (%s), %s weights\n", format, kind, says, cmp.Or(d.WeightKind, "no"))
	fmt.Fprintf(w, "vertices\t%d (%d without edges to others)\n", d.Vertices, d.Isolated)
	fmt.Fprintf(w, "edges\t%d (%d self-loops, %d duplicates)\n", d.Edges, d.SelfLoops, d.Duplicates)
	fmt.Fprintf(w, "arcs\t%d\n", d.Arcs)
	fmt.Fprintf(w, "%s\t%d, the largest of %d vertices\n", components, d.Components, d.LargestComponent)
	largest, simple := fmt.Sprint(d.MaxDegree), ""
	if d.Rule != nil && d.Rule.MaxDegree != d.MaxDegree {
		simple = " without self-loops and duplicates"
		largest += fmt.Sprintf(", %d%s", d.Rule.MaxDegree, simple)
	}
	fmt.Fprintf(w, "largest degree\t%s\n", largest)
	if s := d.Statistics; s != nil {
		fmt.Fprintf(w, "triangles\t%d, transitivity %.6g, average clustering %.6g\n", s.Triangles, s.Transitivity, s.AverageClustering)
		if b := s.Diameter; b != nil {
			fmt.Fprintf(w, "diameter\t%s, of the largest component\n", span(b.AtLeast, b.AtMost, " to "))
		}
	}
	_ = w.Flush() // a string takes all
	e.print("%s\ndegrees\n", head.String())
	most := int64(1)
	for _, b := range d.DegreeHistogram {
		most = max(most, b.Vertices)
	}
	for _, b := range d.DegreeHistogram {
		length := max(50*b.Vertices/most, min(b.Vertices, 1))
		e.print("%15s %10d %s\n", span(b.From, b.To, "-"), b.Vertices, strings.Repeat("#", int(length)))
	}
	e.print("\nplacements on %s\n", listOf(procs))
	if d.Rule != nil {
		e.print("default: %s, as the %s\n", d.Rule.Placement, strings.Replace(d.Rule.Why, "largest degree", "largest degree"+simple, 1))
	}
	var list []record.Placement // those that are equal by their names together
	for _, p := range d.Placements {
		same := func(q record.Placement) bool {
			return q.Bytes == p.Bytes && reflect.DeepEqual(q.Processors, p.Processors)
		}
		if i := slices.IndexFunc(list, same); i >= 0 {
			list[i].Placement += ", " + p.Placement
		} else {
			list = append(list, p)
		}
	}
	for _, p := range list {
		e.print("%s (%s in all)\n", p.Placement, sizeString(p.Bytes))
		e.printProcessors(p.Processors)
	}
}

// span is two numbers around a separator, or the one that both are.
func span(from, to int64, separator string) string {
	if from == to {
		return fmt.Sprint(from)
	}
	return fmt.Sprintf("%d%s%d", from, separator, to)
}
