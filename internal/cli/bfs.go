package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

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

// bfs prepares a breadth-first search.
func bfs(j *job) solver {
	root := j.addRoot(true)
	depth := j.Flags().Int64("depth", 0, "largest `LEVEL` to reach (default all)")
	again := j.Flags().Bool("count", false, "with --json or --stats, search once more, not timed, and count the edges that each level examined")
	atLeast(j.Command, "1 or more", "depth")
	near := func() bool { return *depth > 0 || len(root.list) > 1 }
	j.check = func() error {
		switch {
		case *again && !j.json && !j.stats:
			return usagef("--count adds to what --json and --stats print: give one of them")
		case root.check() != nil:
			return root.check()
		case near() && (j.stats || *again):
			return usagef("--stats and --count tell of supersteps, which a search with --depth or several roots has not")
		}
		return nil
	}
	return func(ctx context.Context, eng *engine.Engine) (*result, error) {
		out := &result{}
		doc := &record.BFS{Root: root.ids[0], RootName: root.name(), Levels: []record.Level{}}
		var err error
		if near() {
			err = searchNear(ctx, eng, engine.BFSOptions{Roots: root.ids, MaxDepth: *depth}, out, doc)
		} else {
			err = searchAll(ctx, eng, *again, j.stats, out, doc)
		}
		if err != nil {
			return nil, err
		}
		from := strings.Join(root.spelled, ",")
		out.head = fmt.Sprintf("# root %s\n", from)
		out.summary = fmt.Sprintf("root %s\nreached %d of %d vertices\ndepth %d\n", from, doc.Reached, eng.NumVertices(), doc.Depth)
		took := out.took.Seconds()
		doc.TimeS, out.doc = &took, doc
		return out, nil
	}
}

// searchNear runs a bounded search.
func searchNear(ctx context.Context, eng *engine.Engine, o engine.BFSOptions, out *result, doc *record.BFS) error {
	start := time.Now()
	r, err := eng.Near(ctx, o)
	if err != nil {
		return err
	}
	out.took, out.lone = time.Since(start), len(r.Vertices) == 1
	if doc.Reached, doc.Depth = int64(len(r.Vertices)), r.Depth; len(o.Roots) > 1 {
		doc.Roots = o.Roots
	}
	out.columns = []column{ids("vertex", func(i uint32) uint64 { return r.Vertices[i] }), ids("parent", func(i uint32) uint64 { return r.Parents[i] }), numbers("level", r.Levels)}
	out.rows, out.compare = every(len(r.Vertices), nil), cmp.Compare[uint32]
	return nil
}

// searchAll runs a search, and, if counts are asked for, another one that counts.
func searchAll(ctx context.Context, eng *engine.Engine, count, parts bool, out *result, doc *record.BFS) error {
	r, err := eng.BFS(ctx, doc.Root)
	if err != nil {
		return err
	}
	reset, aggregate := r.ResetTime.Seconds(), r.AggregateTime.Seconds()
	doc.Reached, doc.Depth, doc.ResetS, doc.AggregateS, doc.CopyS = r.NumReached, r.Depth, &reset, &aggregate, r.Record().CopyS
	doc.Kernels, doc.Levels, doc.CountedOutsideClock = eng.Kernels(), r.Statistics.All(), count
	if count {
		again := eng.NewResult()
		defer again.Free()
		if err := eng.CountBFS(ctx, doc.Root, again); err != nil {
			return err
		}
		mergeCounts(doc.Levels, again.Statistics.All())
	}
	out.lone, out.took, out.stats = r.NumReached == 1, r.Time, r.Statistics
	if parts {
		out.times = fmt.Sprintf("  reset %s\n  supersteps %s\n  aggregate %s\n", seconds(reset), seconds(r.SearchTime.Seconds()), seconds(aggregate))
	}
	if doc.CopyS != nil {
		out.times += fmt.Sprintf("copy to the host %s\n", seconds(*doc.CopyS))
	}
	level := func(v uint32) uint64 { return uint64(r.Levels()[v]) }
	out.columns = []column{ids("vertex", r.Label), ids("parent", func(v uint32) uint64 { return r.Label(r.Parents[v]) }), whole("level", level)}
	out.rows = every(len(r.Parents), func(v uint32) bool { return r.Parents[v] != graph.None })
	out.compare = func(a, b uint32) int { return cmp.Compare(level(a), level(b)) }
	return nil
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

const reachHelp = `reach reads a graph file ("-" is standard input) and finds the vertices that can be reached
from one root or from any of several, along arcs. It prints how many there are and the largest
distance to the nearest root; -o writes their ids.

  totemgo reach wiki-Vote.txt --root 30
  totemgo reach wiki-Vote.txt --root 30,7,8274 -o reached.tsv`

// reach prepares a search for what roots reach.
func reach(j *job) solver {
	root := j.addRoot(true)
	return func(ctx context.Context, eng *engine.Engine) (*result, error) {
		r, err := eng.Reach(ctx, root.ids...)
		if err != nil {
			return nil, err
		}
		return &result{
			stats:   r.Statistics,
			lone:    r.NumReached == 1,
			summary: fmt.Sprintf("roots %s\nreached %d of %d vertices\ndepth %d\n", strings.Join(root.spelled, ","), r.NumReached, eng.NumVertices(), r.Depth),
			table:   table{[]column{ids("vertex", r.Label)}, every(eng.NumVertices(), r.Has)},
			doc:     &record.Reach{Roots: r.Roots, RootNames: root.names, Reached: r.NumReached, Depth: r.Depth},
		}, nil
	}
}
