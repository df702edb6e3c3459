package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/record"
)

const pathHelp = `path reads a graph file ("-" is standard input) and finds a path with the fewest arcs from one
vertex to another, ids of the file; with --weighted one with the smallest sum of weights. It prints
the number of arcs and the vertices; -o writes a line for each vertex with its distance from the
first. --heuristic names lower bounds of the distance to B, one vertex a line; without a line it is 0.

  totemgo path wiki-Vote.txt 30 8274
  totemgo path facebook_combined.txt 0 4038 --undirected --json
  totemgo path roads.gr 1 4000 --weighted --heuristic straight-lines.txt`

// pathJob finds a path between two vertices.
type pathJob struct {
	roots
	weighted  bool
	heuristic string
	bounds    map[uint64]float64
}

func (j *pathJob) flags(c *cobra.Command) {
	j.flag, j.many = "A B", true
	c.Flags().BoolVar(&j.weighted, "weighted", false, "find a path with the smallest sum of weights, not the fewest arcs")
	c.Flags().StringVar(&j.heuristic, "heuristic", "", "with --weighted, `FILE` of lower bounds of the distance to B: lines of vertex and bound")
}

// operands takes the arguments after the file.
func (j *pathJob) operands(args []string) { j.text, j.apart = strings.Join(args, ","), args }

func (j *pathJob) check(f *algorithmFlags) error {
	if j.heuristic != "" && !j.weighted {
		return usagef("--heuristic bounds sums of weights: give --weighted")
	}
	f.engine.o.Weights = j.weighted
	return j.roots.check(f)
}

func (j *pathJob) read(ctx context.Context, src graph.Source) error {
	if err := j.roots.read(ctx, src); err != nil {
		return err
	}
	if j.weighted && src.WeightKind() == graph.Unweighted {
		return errors.New("the graph has no weights: path without --weighted counts arcs")
	}
	if j.heuristic == "" {
		return nil
	}
	labels := src.VertexLabels()
	j.bounds = map[uint64]float64{}
	return readValues(ctx, j.heuristic, labels, false, func(v uint32, x float64) { j.bounds[labels.Label(v)] = x })
}

func (j *pathJob) run(ctx context.Context, eng *engine.Engine) (*result, error) {
	doc := record.Path{From: j.ids[0], To: j.ids[1]}
	distance := whole("distance", func(i uint32) uint64 { return uint64(i) })
	length := ""
	if j.weighted {
		o := engine.ShortestPathOptions{}
		if j.bounds != nil {
			o.Heuristic = func(v uint64) float64 { return j.bounds[v] }
		}
		p, err := eng.ShortestPath(ctx, doc.From, doc.To, o)
		if err != nil {
			return nil, err
		}
		if p != nil {
			doc.Path, doc.Length = p.Vertices, &p.Lengths[len(p.Lengths)-1]
			distance = numbers("distance", p.Lengths)
			length = "length " + strconv.FormatFloat(*doc.Length, 'f', -1, 64) + "\n"
		}
	} else {
		path, err := eng.Path(ctx, doc.From, doc.To)
		if err != nil {
			return nil, err
		}
		doc.Path = path
	}
	path := doc.Path
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
		out.summary = fmt.Sprintf("arcs %d\n%spath", arcs, length)
		for _, v := range path {
			out.summary += " " + j.spell(v)
		}
		out.summary += "\n"
	}
	out.rows = every(len(path), nil)
	out.columns = []column{ids("vertex", func(i uint32) uint64 { return path[i] }), distance}
	out.doc = func(run record.Run) any { doc.Run = run; return doc }
	return out, nil
}
