package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/record"
)

const partitionHelp = `partition places a graph file as bfs would and prints what each processor gets:
vertices, adjacency entries, how many of them lead elsewhere, and memory.

  totemgo partition web.tgr --processors cpu:1,cpu:1 --share 0.9,0.1
  totemgo partition web.tgr --processors cpu:1,opencl:0 --device-memory 1GiB`

// showPartition prepares "totemgo partition".
func showPartition(e *env, c *cobra.Command) runner {
	var (
		ef engineFlags
		rf readFlags
	)
	ef.add(e, c, false)
	rf.add(c, "")
	e.jsonFlag(c)
	return func(ctx context.Context, args []string) error {
		if err := ef.check(); err != nil {
			return err
		}
		file, err := rf.open(ctx, e, args[0], ef.o.Threads, ef.o.MemoryLimit)
		if err != nil {
			return err
		}
		defer file.Close()
		ef.resolve(ctx, int64(file.Source.NumVertices()), file.Source.NumEdges(), file.Source.IsDirected())
		o, err := ef.options(file.Source.VertexLabels())
		if err != nil {
			return err
		}
		p, err := engine.Place(ctx, file.Source, o)
		if err != nil {
			return inFile(args[0], err)
		}
		defer p.Close()
		doc := record.Partition{Placement: placementRecord(p, o.Processors, true), Vertices: int64(file.Source.NumVertices()), Isolated: p.Isolated}
		return e.show(record.SchemaPartition, &doc, func() {
			e.print("%s: %d vertices, %d without edges\n", doc.Placement.Placement, doc.Vertices, doc.Isolated)
			if p.Reason != "" {
				fmt.Fprintln(e.stdout, p.Reason)
			}
			e.printProcessors(doc.Processors)
			for i, r := range doc.Ranges {
				e.print("  range %d: %d vertices from rank %d on, %d adjacency entries, %s\n", i, r.Vertices, r.First, r.Edges, doc.Processors[r.Owner].Name)
			}
		})
	}
}

// placementRecord states a placement.
func placementRecord(p *partition.Placement, procs []engine.Processor, ranges bool) record.Placement {
	r := record.Placement{Placement: string(p.Policy), Processors: engine.Describe(p, procs)}
	for _, q := range r.Processors {
		r.Bytes += q.Bytes
	}
	r.Share = engine.Share(r.Processors)
	if !ranges {
		return r
	}
	for i, rg := range p.Ranges {
		s := p.Subgraphs[i]
		entries := int64(0)
		for k, a := range []*graph.Adjacency{s.Out, s.In} {
			if a != nil && (k == 0 || s.In != s.Out) {
				entries += a.Arcs()
			}
		}
		r.Ranges = append(r.Ranges, record.RankRange{First: rg.First, Vertices: rg.Vertices, Owner: rg.Owner, Edges: entries})
	}
	return r
}
