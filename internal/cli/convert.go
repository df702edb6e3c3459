package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/record"
)

const convertHelp = `convert reads a graph file and writes it in another format, told by the output's name
or --format. "-" is standard input or output. What the output's format cannot hold is
refused, with the options that help, or named. What is changed, is changed in this order:
direction, largest component, self-loops and duplicates, weights, ids.

  totemgo convert web.txt.gz web.tgr
  totemgo convert web.txt.gz web.graph --undirected --drop-loops --merge-duplicates first
  totemgo convert web.txt.gz web.wel --largest-component --random-weights 1..255 --seed 7
  zcat web.txt.gz | totemgo convert - web.tgr`

// convert prepares "totemgo convert".
func convert(e *env, c *cobra.Command) runner {
	var (
		rf               readFlags
		sf               saveFlags
		relabel, largest bool
		random           string
		seed             uint64
	)
	rf.add(c, "from-")
	sf.add(e, c, "`FILE` that takes the weights of a Graph500 tuple file")
	fl := c.Flags()
	fl.Lookup("tuple").Usage = "bytes of a Graph500 tuple, 12 or 16, of the input and the output (default 12)"
	fl.BoolVar(&sf.o.DropWeights, "drop-weights", false, "leave weights out")
	fl.BoolVar(&relabel, "relabel", false, "number the vertices 0, 1, … in rising order of their ids, and drop the ids")
	fl.BoolVar(&largest, "largest-component", false, "keep the largest component only (of a directed graph the weak one)")
	fl.StringVar(&random, "random-weights", "", "give every edge a whole weight of the range `FROM..TO`, such as 1..255;\nit follows from --seed and the edge's ends alone")
	fl.Uint64Var(&seed, "seed", 1, "seed of --random-weights")
	annotate(c, needsOf, []string{"random-weights"}, "seed")
	return func(ctx context.Context, args []string) error {
		low, high, ok := parseSpan(random, "..")
		switch {
		case random != "" && !ok:
			return usagef("--random-weights %q: want FROM..TO, whole numbers that rise, such as 1..255", random)
		case random != "" && sf.o.DropWeights:
			return usagef("--random-weights and --drop-weights exclude each other")
		}
		sf.o.Tuple = rf.o.Tuple
		if err := sf.check(e, args[1], false); err != nil {
			return err
		}
		if formatOf(args[1], sf.o.Format) == "graph500" && formatOf(args[0], rf.o.Format) != "graph500" {
			rf.o.Tuple = 0 // it is that of the output
		}
		if sf.o.DropWeights && rf.o.WeightColumn == 0 {
			rf.o.WeightColumn = -1 // unusable weights do not matter then
		}
		limit := sf.o.MemoryLimit
		room := func(vertices, records, list int64, directed bool, kind graph.WeightKind) error {
			return fits(fmt.Sprintf("a graph of %d edges", records), sf.need(args[1], vertices, records, list, directed, kind), limit)
		}
		if !largest {
			rf.o.Expect = func(vertices, records int64, directed bool) error {
				return room(vertices, records, 8*records, directed, graph.Unweighted)
			}
		}
		file, err := rf.open(ctx, e, args[0], e.threads, limit)
		if err != nil {
			return err
		}
		defer file.Close()
		src := file.Source
		if _, rows := src.(*graph.CSR); !largest && (sf.changes() || !rows) {
			if err := room(int64(src.NumVertices()), src.NumEdges(), 0, src.IsDirected(), src.WeightKind()); err != nil {
				return err
			}
		}
		if err := file.Verify(ctx); err != nil {
			return err
		}
		sf.o.Vertex = file.Vertex
		if largest {
			if err := checkChange(src, limit, "the largest component"); err != nil {
				return err
			}
			if src, err = graph.LargestComponent(ctx, src, e.threads); err != nil {
				return err
			}
			if sf.o.Vertex, err = vertexData(file, src.VertexLabels()); err != nil {
				return err
			}
		}
		if src, err = sf.simplify(ctx, src); err != nil {
			return err
		}
		if random != "" {
			if err := checkChange(src, limit, "a graph with new weights"); err != nil {
				return err
			}
			if src, err = graph.RandomWeights(ctx, src, low, high, seed, e.threads); err != nil {
				return err
			}
		}
		if relabel {
			src = graph.Relabel(src)
		}
		rep, err := e.save(ctx, args[1], src, sf.o)
		if err != nil {
			return err
		}
		doc := record.Convert{
			Input: args[0], Vertices: int64(src.NumVertices()), Edges: src.NumEdges(),
			Tolerated: file.Report.Tolerated, Losses: rep.Losses, Notes: rep.Notes,
			Outputs: []record.Output{{File: args[1], Format: rep.Format, Bytes: rep.Bytes}},
		}
		return e.show(record.SchemaConvert, &doc, func() {
			if args[1] != "-" && sf.o.WeightsPath != "-" {
				e.print("%s: %d vertices, %d edges, %s, %s\n", args[1], doc.Vertices, doc.Edges, rep.Format, sizeString(rep.Bytes))
			}
		})
	}
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

// checkChange refuses to make a changed copy of a graph that would not fit.
func checkChange(src graph.Source, limit int64, what string) error {
	need := src.NumEdges()*int64(2*8+src.WeightKind().Size()) + 16*int64(src.NumVertices())
	return fits(what, need, limit)
}
