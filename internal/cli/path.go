package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/record"
)

const pathHelp = `path reads a graph file ("-" is standard input) and finds a path with the fewest arcs from one
vertex to another, ids of the file. It prints the number of arcs and the vertices; -o writes a line
for each vertex with its distance from the first.

  totemgo path wiki-Vote.txt 30 8274
  totemgo path facebook_combined.txt 0 4038 --undirected --json`

// pathJob finds a path between two vertices.
type pathJob struct{ roots }

func (j *pathJob) flags(*cobra.Command) { j.flag, j.many = "A B", true }

// operands takes the arguments after the file.
func (j *pathJob) operands(args []string) { j.text, j.apart = strings.Join(args, ","), args }

func (j *pathJob) run(ctx context.Context, eng *engine.Engine) (*result, error) {
	doc := record.Path{From: j.ids[0], To: j.ids[1]}
	path, err := eng.Path(ctx, doc.From, doc.To)
	if err != nil {
		return nil, err
	}
	doc.Path = path
	if j.names != nil {
		doc.FromName, doc.ToName = j.names[0], j.names[1]
		for _, v := range path {
			doc.PathNames = append(doc.PathNames, j.spell(v))
		}
	}
	out := &result{summary: fmt.Sprintf("no path from %s to %s\n", j.spelled[0], j.spelled[1])}
	if path != nil {
		arcs := int64(len(path)) - 1
		doc.Arcs = &arcs
		out.summary = fmt.Sprintf("arcs %d\npath", arcs)
		for _, v := range path {
			out.summary += " " + j.spell(v)
		}
		out.summary += "\n"
	}
	out.rows = every(len(path), nil)
	out.columns = []column{ids("vertex", func(i uint32) uint64 { return path[i] }), whole("distance", func(i uint32) uint64 { return uint64(i) })}
	out.doc = func(run record.Run) any { doc.Run = run; return doc }
	return out, nil
}
