package cli

import (
	"context"
	"fmt"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/record"
)

const trianglesHelp = `triangles reads a graph file ("-" is standard input) and counts its triangles: three vertices,
all joined by edges, whatever their direction; self-loops and parallel edges do not count. It prints
how many there are, the transitivity (3 × triangles ÷ pairs of edges with a common vertex) and the
mean local clustering coefficient; -o writes the triangles and the coefficient of every vertex, and
--top prints those in most triangles. The coefficient of a vertex is the number of arcs between its
d neighbours ÷ d(d − 1), where an undirected edge is two arcs; 0 for d < 2.

  totemgo triangles facebook_combined.txt --undirected
  totemgo triangles wiki-Vote.txt --top 5
  totemgo triangles wiki-Vote.txt -o triangles.csv.gz`

// triangles prepares the count of triangles.
func triangles(*job) solver {
	return func(ctx context.Context, eng *engine.Engine) (*result, error) {
		r, err := eng.Triangles(ctx)
		if err != nil {
			return nil, err
		}
		return &result{
			summary: fmt.Sprintf("triangles %d\ntransitivity %.6g\naverage clustering %.6g of %d vertices\n", r.Count, r.Transitivity(), r.Average(), len(r.Triangles)),
			table:   perVertex(r.Label, len(r.Triangles), numbers("triangles", r.Triangles), numbers("clustering", r.Clustering)),
			compare: byValue(r.Triangles),
			doc:     &record.Triangles{Triangles: r.Count, Wedges: r.Wedges, Transitivity: r.Transitivity(), AverageClustering: r.Average()},
		}, nil
	}
}

const kcoreHelp = `kcore reads a graph file ("-" is standard input) and finds the core number of every vertex: the
largest k such that the vertex belongs to a subgraph in which all degrees are at least k. In a
directed graph out-arcs and in-arcs both count; self-loops and parallel edges do not. It prints the
largest core number and how many vertices have it; -o writes the core number of every vertex, and
--top prints the highest.

  totemgo kcore astro-ph.graph
  totemgo kcore wiki-Vote.txt --undirected --top 5
  totemgo kcore wiki-Vote.txt --json -o cores.csv.gz`

// kcore prepares core numbers.
func kcore(*job) solver {
	return func(ctx context.Context, eng *engine.Engine) (*result, error) {
		r, err := eng.KCore(ctx)
		if err != nil {
			return nil, err
		}
		innermost := int64(0)
		for _, k := range r.Cores {
			if k == r.Degeneracy {
				innermost++
			}
		}
		return &result{
			stats:   r.Statistics,
			summary: fmt.Sprintf("largest core number %d\nvertices with it %d of %d\n", r.Degeneracy, innermost, len(r.Cores)),
			table:   perVertex(r.Label, len(r.Cores), numbers("core", r.Cores)),
			compare: byValue(r.Cores),
			doc:     &record.KCore{Degeneracy: int64(r.Degeneracy), Innermost: innermost},
		}, nil
	}
}

const ccHelp = `cc reads a graph file ("-" is standard input) and finds its connected components: of a
directed graph the weakly connected ones, with --strong the strongly connected ones: two vertices
are in one if paths along arcs lead both ways. A component is named by the smallest id of its
vertices. It prints how many components there are and the size of the largest; -o writes the
component of every vertex, and --top the largest components with their sizes.

  totemgo cc web.txt.gz
  totemgo cc web.txt.gz --top 5
  totemgo cc web.txt.gz --strong --json
  totemgo cc web.txt.gz -o components.csv.gz`

// components prepares the search for connected components.
func components(j *job) solver {
	strong := j.Flags().Bool("strong", false, "find strongly connected components")
	return func(ctx context.Context, eng *engine.Engine) (*result, error) {
		find := eng.Components
		if *strong {
			find = eng.StrongComponents
		}
		r, err := find(ctx)
		if err != nil {
			return nil, err
		}
		out := &result{stats: r.Statistics}
		count, largest := out.group("component", r.Label, r.Labels)
		out.summary = fmt.Sprintf("components %d\nlargest %d of %d vertices\n", count, largest, len(r.Labels))
		out.doc = &record.Components{Strong: r.Strong, Components: count, Largest: largest}
		return out, nil
	}
}

const cdlpHelp = `cdlp reads a graph file ("-" is standard input) and finds communities by label propagation, as LDBC
Graphalytics defines it. The first label of a vertex is its id. In each iteration all vertices at once
take the most frequent label of their neighbours, the smallest of several; in a directed graph
out-arcs and in-arcs both count. It prints how many communities there are and the size of the
largest; -o writes the label of every vertex, and --top the largest communities with their sizes.

  totemgo cdlp facebook_combined.txt --undirected
  totemgo cdlp wiki-Vote.txt --iterations 30 --top 5
  totemgo cdlp wiki-Vote.txt --json -o communities.csv.gz`

// communities prepares label propagation.
func communities(j *job) solver {
	iterations := j.Flags().Int("iterations", 10, "most iterations; they end where no label changes")
	atLeast(j.Command, "1 or more", "iterations")
	return func(ctx context.Context, eng *engine.Engine) (*result, error) {
		r, err := eng.CDLP(ctx, *iterations)
		if err != nil {
			return nil, err
		}
		out := &result{stats: r.Statistics}
		count, largest := out.group("label", r.Label, r.Labels)
		out.summary = fmt.Sprintf("communities %d\nlargest %d of %d vertices\niterations %d\nchanged %d\n", count, largest, len(r.Labels), r.Iterations, r.Changed)
		out.doc = &record.CDLP{Communities: count, Largest: largest, Iterations: r.Iterations, Changed: r.Changed}
		return out, nil
	}
}

// group sets a row a vertex, with its label, and ranks labels by how many vertices have them.
func (r *result) group(name string, id func(label uint32) uint64, labels []uint32) (count, largest int64) {
	size := make([]int64, len(labels)) // by label
	for _, l := range labels {
		if size[l]++; size[l] == 1 {
			count++
		}
		largest = max(largest, size[l])
	}
	r.table = perVertex(id, len(labels), ids(name, func(v uint32) uint64 { return id(labels[v]) }))
	r.top = table{[]column{ids(name, id), numbers("vertices", size)}, every(len(labels), func(v uint32) bool { return size[v] > 0 })}
	r.compare = byValue(size)
	return count, largest
}
