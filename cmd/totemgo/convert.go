package main

import (
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
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
	)
	c := &cobra.Command{
		Use:   "convert INPUT OUTPUT",
		Short: "Convert a graph file to another format",
		Long: `convert reads a graph file and writes it in another format, told by the output's name
or --format. "-" is standard input or output. What the output's format cannot hold is
refused, with the options that help, or named.

  totemgo convert web.txt.gz web.tgr
  totemgo convert web.txt.gz web.graph --undirected --drop-loops --merge-duplicates first`,
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
			if err := checkOutput(args[1], format, asJSON); err != nil {
				return err
			}
			limit := int64(memory)
			if limit == 0 {
				limit = engine.DefaultMemoryLimit()
			}
			so := graphio.SaveOptions{
				Format: format, Tuple: rf.tuple, WeightsPath: weights, DropWeights: dropWeights, Threads: threads, MemoryLimit: limit, Stdout: e.stdout,
			}
			if err := graphio.CheckSave(args[1], so); err != nil {
				return err
			}
			file, err := rf.open(ctx, e, args[0], threads, limit)
			if err != nil {
				return err
			}
			defer file.Close()
			src := file.Source
			if dropLoops || mode != graph.KeepDuplicates {
				if src, err = simplify(ctx, src, dropLoops, mode, threads, limit); err != nil {
					return err
				}
			}
			bar := e.progress("writing " + args[1])
			so.Progress = func(p graphio.Progress) { bar.set(p.Done, p.Total, p.Unit) }
			rep, err := graphio.Save(ctx, args[1], src, so)
			bar.done()
			if err != nil {
				return err
			}
			for _, n := range append(rep.Losses, rep.Notes...) {
				e.note("%s: %s", args[1], n)
			}
			doc := record.Convert{
				Input: args[0], Vertices: int64(src.NumVertices()), Edges: src.NumEdges(),
				Outputs: []record.Output{{File: args[1], Format: rep.Format, Bytes: rep.Bytes}},
			}
			if asJSON {
				doc.Head = e.head(record.SchemaConvert)
				return e.printJSON(doc)
			}
			if args[1] == "-" {
				return nil
			}
			_, err = fmt.Fprintf(e.stdout, "%s: %d vertices, %d edges, %s, %s\n", args[1], doc.Vertices, doc.Edges, rep.Format, humanize.IBytes(uint64(rep.Bytes)))
			return err
		},
	}
	rf.add(c, "from-")
	fl := c.Flags()
	fl.StringVar(&format, "format", "", "`FORMAT` of the output (default by its name)")
	fl.StringVar(&weights, "weights", "", "`FILE` that takes the weights of a Graph500 tuple file")
	fl.StringVar(&merge, "merge-duplicates", "", "merge parallel edges; the weight is the `first`, min, max or sum")
	fl.BoolVar(&dropLoops, "drop-loops", false, "leave self-loops out")
	fl.BoolVar(&dropWeights, "drop-weights", false, "leave weights out")
	fl.BoolVar(&asJSON, "json", false, "print JSON")
	fl.IntVar(&threads, "threads", 0, "most threads (default all cores)")
	fl.Var(&memory, "memory-limit", "most memory to take, such as 4GiB (default 80% of what is available)")
	return c
}
