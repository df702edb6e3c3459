package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/record"
)

const diameterHelp = `diameter reads a graph file ("-" is standard input) and finds the largest distance of two
vertices of its largest connected component, in arcs, exactly. Of an undirected graph bounds spare
it most searches; a directed graph is searched along arcs from all vertices of its largest weak
component, and pairs without a path do not count.

  totemgo diameter power.graph
  totemgo diameter wiki-Vote.txt --undirected --json`

// diameterJob finds the diameter.
type diameterJob struct{ ends roots }

func (j *diameterJob) flags(*cobra.Command)        {}
func (j *diameterJob) check(*algorithmFlags) error { return nil }

func (j *diameterJob) read(_ context.Context, src graph.Source) error {
	j.ends.labels = src.VertexLabels()
	return nil
}

func (j *diameterJob) run(ctx context.Context, eng *engine.Engine) (*result, error) {
	r, err := eng.Diameter(ctx)
	if err != nil {
		return nil, err
	}
	doc := record.Diameter{Diameter: r.Diameter, From: r.From, To: r.To, ComponentVertices: r.Vertices, Searches: r.Roots}
	if eng.NumVertices() == 0 {
		return nil, errors.New("the graph has no vertices")
	}
	from, to := j.ends.spell(r.From), j.ends.spell(r.To)
	if j.ends.labels.Names() != nil {
		doc.FromName, doc.ToName = from, to
	}
	return &result{
		summary: fmt.Sprintf("diameter %d\nfrom %s\nto %s\nvertices %d of %d\nsearches %d\n", r.Diameter, from, to, r.Vertices, eng.NumVertices(), r.Roots),
		doc:     func(run record.Run) any { doc.Run = run; return doc },
	}, nil
}
