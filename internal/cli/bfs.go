package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/record"
)

const bfsHelp = `bfs reads a graph file ("-" is standard input) and searches it from a root, an id
of the file. It prints how many vertices were reached and the largest level; -o writes
the tree: a line per reached vertex with its id, parent and level. With --depth, or from
several roots, it searches on one thread, in time proportional to what it reaches.

  totemgo bfs wiki-Vote.txt --root 30
  totemgo bfs wiki-Vote.txt --root 30 --undirected -o parents.tsv
  totemgo bfs web.tgr --root 1 --processors cpu:1,cpu:1 --stats
  totemgo bfs web.tgr --root 1 --json --count
  totemgo bfs web.tgr --root 1,7 --depth 2 -o near.tsv`

// bfsJob is a breadth-first search.
type bfsJob struct {
	roots
	count, stats bool
	depth        int64
}

func (j *bfsJob) flags(c *cobra.Command) {
	j.many = true
	j.roots.flags(c)
	c.Flags().Int64Var(&j.depth, "depth", 0, "largest `LEVEL` to reach (default all)")
	c.Flags().BoolVar(&j.count, "count", false, "with --json or --stats, search once more, not timed, and count the edges that each level examined")
}

func (j *bfsJob) check(f *algorithmFlags) error {
	if err := j.roots.check(f); err != nil {
		return err
	}
	if j.count && !f.json && !f.stats {
		return usagef("--count adds to what --json and --stats print: give one of them")
	}
	switch {
	case j.depth < 0 || j.depth == 0 && f.engine.set.Changed("depth"):
		return usagef("--depth %d: want 1 or more", j.depth)
	case j.near() && f.stats:
		return usagef("--stats prints supersteps, which a search with --depth or several roots has not")
	}
	j.stats = f.stats
	return nil
}

// near reports whether the search is bounded.
func (j *bfsJob) near() bool { return j.depth > 0 || len(j.list()) > 1 }

// runNear runs a bounded search.
func (j *bfsJob) runNear(ctx context.Context, eng *engine.Engine) (*result, error) {
	start := time.Now()
	r, err := eng.Near(ctx, engine.BFSOptions{Roots: j.ids, MaxDepth: j.depth})
	if err != nil {
		return nil, err
	}
	out, seconds, roots := &result{took: time.Since(start)}, 0.0, strings.Join(j.spelled, ",")
	doc := record.BFS{Root: j.ids[0], RootName: j.name(), Reached: int64(len(r.Vertices)), Depth: r.Depth, TimeS: &seconds, Levels: []record.Level{}}
	if seconds = out.took.Seconds(); len(j.ids) > 1 {
		doc.Roots = j.ids
	}
	out.head = fmt.Sprintf("# root %s\n", roots)
	out.summary = fmt.Sprintf("root %s\nreached %d of %d vertices\ndepth %d\n", roots, doc.Reached, eng.NumVertices(), r.Depth)
	out.doc = func(run record.Run) any {
		doc.Head, doc.Setup, doc.Top = run.Head, run.Setup, run.Top
		return doc
	}
	out.columns = []column{ids("vertex", func(i uint32) uint64 { return r.Vertices[i] }), ids("parent", func(i uint32) uint64 { return r.Parents[i] }), numbers("level", r.Levels)}
	out.rows = every(len(r.Vertices), nil)
	out.top, out.compare = out.table, cmp.Compare[uint32]
	return out, nil
}

func (j *bfsJob) run(ctx context.Context, eng *engine.Engine) (*result, error) {
	if j.near() {
		return j.runNear(ctx, eng)
	}
	r, err := eng.BFS(ctx, j.ids[0])
	if err != nil {
		return nil, err
	}
	took, reset, aggregate := r.Time.Seconds(), r.ResetTime.Seconds(), r.AggregateTime.Seconds()
	doc := record.BFS{
		Root: r.Root, RootName: j.name(), Reached: r.NumReached, Depth: r.Depth,
		TimeS: &took, ResetS: &reset, AggregateS: &aggregate, CopyS: r.Record().CopyS,
		Kernels: eng.Kernels(), Levels: r.Statistics.All(), CountedOutsideClock: j.count,
	}
	if j.count {
		again := eng.NewResult()
		defer again.Free()
		if err := eng.CountBFS(ctx, j.ids[0], again); err != nil {
			return nil, err
		}
		mergeCounts(doc.Levels, again.Statistics.All())
	}
	out := &result{
		lone: r.NumReached == 1, head: fmt.Sprintf("# root %s\n", j.spelled[0]), took: r.Time, stats: r.Statistics,
		summary: fmt.Sprintf("root %s\nreached %d of %d vertices\ndepth %d\n", j.spelled[0], r.NumReached, eng.NumVertices(), r.Depth),
		doc: func(run record.Run) any {
			doc.Head, doc.Setup, doc.Top = run.Head, run.Setup, run.Top
			return doc
		},
	}
	if j.stats {
		out.times = fmt.Sprintf("  reset %s\n  supersteps %s\n  aggregate %s\n", seconds(reset), seconds(r.SearchTime.Seconds()), seconds(aggregate))
	}
	if doc.CopyS != nil {
		out.times += fmt.Sprintf("copy to the host %s\n", seconds(*doc.CopyS))
	}
	level := func(v uint32) uint64 { return uint64(r.Levels()[v]) }
	out.columns = []column{ids("vertex", r.Label), ids("parent", func(v uint32) uint64 { return r.Label(r.Parents[v]) }), whole("level", level)}
	out.rows = every(len(r.Parents), func(v uint32) bool { return r.Parents[v] != graph.None })
	out.top, out.compare = out.table, func(a, b uint32) int { return cmp.Compare(level(a), level(b)) }
	return out, nil
}

// mergeCounts puts what a second search counted beside the times of the clocked one: a
// director goes by counts of the search, so both take the same directions.
func mergeCounts(clocked, counted []record.Level) {
	for i := range min(len(clocked), len(counted)) {
		if clocked[i].Direction != counted[i].Direction {
			continue
		}
		clocked[i].EdgesExamined, clocked[i].LongestTurns = counted[i].EdgesExamined, counted[i].LongestTurns
	}
}
