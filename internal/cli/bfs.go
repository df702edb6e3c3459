package cli

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/record"
)

func newBFS(e *env) *cobra.Command {
	var (
		ef     engineFlags
		rf     readFlags
		root   string
		output string
		asJSON bool
		stats  bool
		count  bool
	)
	c := &cobra.Command{
		Use:   "bfs FILE --root ID",
		Short: "Search a graph breadth-first from a root",
		Long: `bfs reads a graph file ("-" is standard input) and searches it from a root, an id
of the file. It prints how many vertices were reached and the largest level; -o writes
the tree: a line per reached vertex with its id, parent and level.

  totemgo bfs wiki-Vote.txt --root 30
  totemgo bfs wiki-Vote.txt --root 30 --undirected -o parents.tsv
  totemgo bfs web.tgr --root 1 --processors cpu:1,cpu:1 --stats
  totemgo bfs web.tgr --root 1 --json --count`,
		Args: takes("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			ctx := c.Context()
			if err := ef.check(); err != nil {
				return err
			}
			if root == "" {
				return usagef("--root is missing: the id of a vertex, as the file has it")
			}
			if !wholeNumber(root) {
				return usagef("--root %q: want the id of a vertex, a whole number", root)
			}
			if count && !asJSON && !stats {
				return usagef("--count adds to what --json and --stats print: give one of them")
			}
			if output == "-" && (asJSON || stats) {
				return usagef("-o - puts the tree on standard output, where --json and --stats would go too")
			}
			file, err := rf.open(ctx, e, args[0], ef.o.Threads, ef.o.MemoryLimit)
			if err != nil {
				return err
			}
			defer file.Close()
			label, err := parseRoot(root, file.Source.VertexLabels())
			if err != nil {
				return err
			}
			if _, err := file.Source.VertexLabels().ID(label); err != nil {
				return rootError{err}
			}
			eng, err := e.newEngine(ctx, args[0], file.Source, &ef)
			if err != nil {
				return err
			}
			defer eng.Close()
			r, err := eng.BFS(ctx, label)
			if err != nil {
				return err
			}
			took, reset, aggregate := r.Time.Seconds(), r.ResetTime.Seconds(), r.AggregateTime.Seconds()
			doc := record.BFS{
				Root: r.Root, Reached: r.NumReached, Depth: r.Depth,
				TimeS: &took, ResetS: &reset, AggregateS: &aggregate, CopyS: r.Record().CopyS,
				Setup: eng.Setup(), Kernels: eng.Kernels(), Levels: r.Statistics.All(),
			}
			if count {
				again := eng.NewResult()
				defer again.Free()
				if err := eng.CountBFS(ctx, label, again); err != nil {
					return err
				}
				mergeCounts(doc.Levels, again.Statistics.All())
				doc.CountedOutsideClock = true
			}
			if output != "" {
				if err := e.writeParents(ctx, output, r); err != nil {
					return err
				}
			}
			if asJSON {
				doc.Head = e.head(record.SchemaBFS)
				return e.printJSON(doc)
			}
			if output == "-" {
				return nil
			}
			fmt.Fprintf(e.stdout, "root %d\nreached %d of %d vertices\ndepth %d\ntime %s\n", r.Root, r.NumReached, eng.NumVertices(), r.Depth, seconds(took))
			if stats {
				fmt.Fprintf(e.stdout, "  reset %s\n  supersteps %s\n  aggregate %s\n", seconds(reset), seconds(r.SearchTime.Seconds()), seconds(aggregate))
			}
			if doc.CopyS != nil {
				fmt.Fprintf(e.stdout, "copy to the host %s\n", seconds(*doc.CopyS))
			}
			if doc.Share != "" && !stats {
				fmt.Fprintf(e.stdout, "shares --share %s\n", doc.Share)
			}
			if stats {
				return e.printStats(doc.Processors, doc.Kernels, doc.Levels)
			}
			return nil
		},
	}
	ef.add(e, c, true)
	rf.add(c, "")
	fl := c.Flags()
	fl.StringVarP(&root, "root", "r", "", "`ID` of the root, as the file has it")
	fl.StringVarP(&output, "output", "o", "", "write the tree to `FILE` (- for standard output)")
	fl.BoolVar(&asJSON, "json", false, "print JSON")
	fl.BoolVar(&stats, "stats", false, "print tables of the processors and levels")
	fl.BoolVar(&count, "count", false, "with --json or --stats, search once more, not timed, and count the edges that each level examined")
	return c
}

// parseRoot reads the id of a root. A number that cannot be an id is refused as the
// vertex that is not there.
func parseRoot(s string, labels *graph.Labels) (uint64, error) {
	v, err := strconv.ParseUint(s, 10, 64)
	if err == nil {
		return v, nil
	}
	n := labels.Len()
	if n == 0 {
		return 0, rootError{fmt.Errorf("%w: %s is not in a graph with 0 vertices", graph.ErrNoVertex, s)}
	}
	return 0, rootError{fmt.Errorf("%w: %s is outside %d..%d", graph.ErrNoVertex, s, labels.Label(0), labels.Label(uint32(n-1)))}
}

// wholeNumber tells whether s is a number with a sign or without.
func wholeNumber(s string) bool {
	s = strings.TrimLeft(s, "+-")
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// rootError says that --root names no vertex, and which there are.
type rootError struct{ err error }

func (e rootError) Error() string {
	return "--root " + strings.TrimPrefix(e.err.Error(), graph.ErrNoVertex.Error()+": ")
}

func (e rootError) Unwrap() error { return e.err }

// mergeCounts puts what a second search counted beside the times of the clocked one: a
// director goes by counts of the search, so both take the same directions.
func mergeCounts(clocked, counted []record.Level) {
	for i := range min(len(clocked), len(counted)) {
		if clocked[i].Direction != counted[i].Direction {
			continue
		}
		clocked[i].EdgesExamined = counted[i].EdgesExamined
	}
}

func (e *env) writeParents(ctx context.Context, path string, r *engine.BFSResult) error {
	return e.writeFile(ctx, path, func(w *bufio.Writer) error {
		levels := r.Levels()
		fmt.Fprintf(w, "# root %d\n", r.Root)
		var line []byte
		for v, p := range r.Parents {
			if p == graph.None {
				continue
			}
			line = strconv.AppendUint(line[:0], r.Label(uint32(v)), 10)
			line = append(line, '\t')
			line = strconv.AppendUint(line, r.Label(p), 10)
			line = append(line, '\t')
			line = strconv.AppendInt(line, int64(levels[v]), 10)
			line = append(line, '\n')
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
}
