package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

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

// findPath prepares the search for a path between two vertices.
func findPath(j *job) solver {
	ends := &roots{flag: "vertex", many: true}
	weighted := j.Flags().Bool("weighted", false, "find a path with the smallest sum of weights, not the fewest arcs")
	heuristic := j.Flags().String("heuristic", "", "with --weighted, `FILE` of lower bounds of the distance to B: lines of vertex and bound")
	annotate(j.Command, needsOf, []string{"weighted"}, "heuristic")
	var o engine.ShortestPathOptions
	j.check = func() error {
		ends.given = j.operands
		j.engine.o.Weights = *weighted
		return ends.check()
	}
	j.look = func(ctx context.Context, src graph.Source) error {
		if err := ends.read(ctx, src); err != nil {
			return err
		}
		if *weighted && src.WeightKind() == graph.Unweighted {
			return errors.New("the graph has no weights: path without --weighted counts arcs")
		}
		if *heuristic == "" {
			return nil
		}
		labels, bounds := src.VertexLabels(), map[uint64]float64{}
		o.Heuristic = func(v uint64) float64 { return bounds[v] }
		return readValues(ctx, *heuristic, labels, false, func(v uint32, x float64) { bounds[labels.Label(v)] = x })
	}
	return func(ctx context.Context, eng *engine.Engine) (*result, error) {
		doc := &record.Path{From: ends.ids[0], To: ends.ids[1]}
		distance := whole("distance", func(i uint32) uint64 { return uint64(i) })
		length := ""
		if *weighted {
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
		var names []string
		for _, v := range doc.Path {
			names = append(names, ends.spell(v))
		}
		if ends.names != nil {
			doc.FromName, doc.ToName, doc.PathNames = ends.names[0], ends.names[1], names
		}
		summary := fmt.Sprintf("no path from %s to %s\n", ends.spelled[0], ends.spelled[1])
		if arcs := int64(len(doc.Path)) - 1; doc.Path != nil {
			doc.Arcs = &arcs
			summary = fmt.Sprintf("arcs %d\n%spath %s\n", arcs, length, strings.Join(names, " "))
		}
		return &result{
			lone:    doc.Path == nil,
			summary: summary,
			table:   table{[]column{ids("vertex", func(i uint32) uint64 { return doc.Path[i] }), distance}, every(len(doc.Path), nil)},
			doc:     doc,
		}, nil
	}
}
