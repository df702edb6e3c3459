package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/record"
)

func newConvert(e *env) *cobra.Command {
	var (
		rf          readFlags
		format      string
		weights     string
		merge       string
		dropLoops   bool
		dropWeights bool
		asJSON      bool
		threads     int
		memory      bytesFlag
		relabel     bool
		largest     bool
		random      string
		seed        uint64
	)
	c := &cobra.Command{
		Use:   "convert INPUT OUTPUT",
		Short: "Convert a graph file to another format",
		Long: `convert reads a graph file and writes it in another format, told by the output's name
or --format. "-" is standard input or output. What the output's format cannot hold is
refused, with the options that help, or named. What is changed, is changed in this order:
direction, largest component, self-loops and duplicates, weights, ids.

  totemgo convert web.txt.gz web.tgr
  totemgo convert web.txt.gz web.graph --undirected --drop-loops --merge-duplicates first
  totemgo convert web.txt.gz web.wel --largest-component --random-weights 1..255 --seed 7
  zcat web.txt.gz | totemgo convert - web.tgr`,
		Args: takes("INPUT", "OUTPUT"),
		RunE: func(c *cobra.Command, args []string) error {
			ctx := c.Context()
			if err := checkThreads(threads); err != nil {
				return err
			}
			mode, err := parseMerge(merge)
			if err != nil {
				return err
			}
			low, high, err := parseWeightRange(random)
			if err != nil {
				return err
			}
			switch {
			case random == "" && c.Flags().Changed("seed"):
				return usagef("--seed belongs to --random-weights")
			case random != "" && dropWeights:
				return usagef("--random-weights and --drop-weights exclude each other")
			}
			if err := checkOutput(args[1], format, weights, asJSON); err != nil {
				return err
			}
			limit := int64(memory)
			so := graphio.SaveOptions{
				Format: format, Tuple: rf.tuple, WeightsPath: weights, DropWeights: dropWeights, Threads: threads, MemoryLimit: limit, Stdout: e.stdout,
			}
			if err := graphio.CheckSave(args[1], so); err != nil {
				return err
			}
			if formatOf(args[1], format) == "graph500" && formatOf(args[0], rf.format) != "graph500" {
				rf.tuple = 0 // it is that of the output
			}
			if dropWeights && rf.weightColumn == 0 {
				rf.weightColumn = -1 // unusable weights do not matter then
			}
			change := dropLoops || mode != graph.KeepDuplicates
			room := func(vertices, records, list int64, directed bool, kind graph.WeightKind) error {
				if change || graphio.NeedsRows(args[1], so) {
					list += min(graph.BuildBytes(int(vertices), records, directed, kind), math.MaxInt64-list)
				}
				return fits(fmt.Sprintf("a graph of %d edges", records), list, limit)
			}
			if !largest {
				rf.expect = func(vertices, records int64, directed bool) error {
					return room(vertices, records, 8*records, directed, graph.Unweighted)
				}
			}
			file, err := rf.open(ctx, e, args[0], threads, limit)
			if err != nil {
				return err
			}
			defer file.Close()
			src := file.Source
			if _, rows := src.(*graph.CSR); !largest && (change || !rows) {
				if err := room(int64(src.NumVertices()), src.NumEdges(), 0, src.IsDirected(), src.WeightKind()); err != nil {
					return err
				}
			}
			if err := file.Verify(ctx); err != nil {
				return err
			}
			so.Vertex = file.Vertex
			if largest {
				if err := checkChange(src, limit, "the largest component"); err != nil {
					return err
				}
				if src, err = graph.LargestComponent(ctx, src, threads); err != nil {
					return err
				}
				if so.Vertex, err = vertexData(file, src.VertexLabels()); err != nil {
					return err
				}
			}
			if change {
				if src, err = simplify(ctx, src, dropLoops, mode, threads, limit); err != nil {
					return err
				}
			}
			if random != "" {
				if err := checkChange(src, limit, "a graph with new weights"); err != nil {
					return err
				}
				if src, err = graph.RandomWeights(ctx, src, low, high, seed, threads); err != nil {
					return err
				}
			}
			if relabel {
				src = graph.Relabel(src)
			}
			bar := e.progress("writing " + args[1])
			so.Progress = func(p graphio.Progress) { bar.set(p.Done, p.Total, p.Unit) }
			rep, err := graphio.Save(ctx, args[1], src, so)
			bar.done()
			if err != nil {
				return err
			}
			for _, n := range slices.Concat(rep.Losses, rep.Notes) {
				e.note("%s: %s", args[1], n)
			}
			doc := record.Convert{
				Input: args[0], Vertices: int64(src.NumVertices()), Edges: src.NumEdges(),
				Tolerated: file.Report.Tolerated, Losses: rep.Losses, Notes: rep.Notes,
				Outputs: []record.Output{{File: args[1], Format: rep.Format, Bytes: rep.Bytes}},
			}
			if asJSON {
				doc.Head = e.head(record.SchemaConvert)
				return e.printJSON(doc)
			}
			if args[1] == "-" || weights == "-" {
				return nil
			}
			_, err = fmt.Fprintf(e.stdout, "%s: %d vertices, %d edges, %s, %s\n", args[1], doc.Vertices, doc.Edges, rep.Format, humanize.IBytes(uint64(rep.Bytes)))
			return err
		},
	}
	rf.add(c, "from-")
	fl := c.Flags()
	fl.Lookup("tuple").Usage = "bytes of a Graph500 tuple, 12 or 16, of the input and the output (default 12)"
	fl.StringVar(&format, "format", "", "`FORMAT` of the output: "+strings.Join(formatNames(true), ", ")+"\n(default by its name)")
	completes(c, "format", formatNames(true)...)
	fl.StringVar(&weights, "weights", "", "`FILE` that takes the weights of a Graph500 tuple file")
	fl.StringVar(&merge, "merge-duplicates", "", "merge parallel edges; the weight is the `first`, min, max or sum")
	completes(c, "merge-duplicates", "first", "min", "max", "sum")
	fl.BoolVar(&dropLoops, "drop-loops", false, "leave self-loops out")
	fl.BoolVar(&dropWeights, "drop-weights", false, "leave weights out")
	fl.BoolVar(&relabel, "relabel", false, "number the vertices 0, 1, … in rising order of their ids, and drop the ids")
	fl.BoolVar(&largest, "largest-component", false, "keep the largest component only (of a directed graph the weak one)")
	fl.StringVar(&random, "random-weights", "", "give every edge a whole weight of the range `FROM..TO`, such as 1..255;\nit follows from --seed and the edge's ends alone")
	fl.Uint64Var(&seed, "seed", 1, "seed of --random-weights")
	fl.BoolVar(&asJSON, "json", false, "print JSON")
	fl.IntVar(&threads, "threads", 0, "most threads (default all cores)")
	fl.Var(&memory, "memory-limit", "most memory to take, such as 4GiB (default 80% of what is available)")
	return c
}

// formatOf is the format that a file has by name, or the one that is given.
func formatOf(path, given string) string {
	if given == "" {
		given, _ = graphio.DetectName(path)
	}
	return given
}

// vertexData is what the file says about the vertices that have these labels.
func vertexData(file *graphio.File, labels *graph.Labels) (*graphio.VertexData, error) {
	if file.Vertex == nil {
		return nil, nil
	}
	ids := make([]uint32, labels.Len())
	for v := range ids {
		var err error
		if ids[v], err = file.Source.VertexLabels().ID(labels.Label(uint32(v))); err != nil {
			return nil, err
		}
	}
	return file.Vertex.Select(ids), nil
}

// parseWeightRange reads FROM..TO.
func parseWeightRange(s string) (low, high int64, err error) {
	if s == "" {
		return 0, 0, nil
	}
	a, b, ok := strings.Cut(s, "..")
	low, err1 := strconv.ParseInt(a, 10, 64)
	high, err2 := strconv.ParseInt(b, 10, 64)
	if !ok || err1 != nil || err2 != nil || low > high {
		return 0, 0, usagef("--random-weights %q: want FROM..TO, whole numbers that rise, such as 1..255", s)
	}
	return low, high, nil
}

// checkChange refuses to make a changed copy of a graph that would not fit.
func checkChange(src graph.Source, limit int64, what string) error {
	need := src.NumEdges()*int64(2*8+src.WeightKind().Size()) + 16*int64(src.NumVertices())
	return fits(what, need, limit)
}
