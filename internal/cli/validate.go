package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/record"
)

func newValidate(e *env) *cobra.Command {
	var (
		rf      readFlags
		threads int
		asJSON  bool
		memory  bytesFlag
	)
	c := &cobra.Command{
		Use:   "validate GRAPH PARENTS",
		Short: "Check a BFS tree against a graph by the rules of Graph500",
		Long: `validate checks a tree, as "bfs -o" writes it, against a graph file by the five rules
of Graph500. It exits with status 1, and names the rule, vertex and edge, where the tree
is not valid. Lines are "vertex parent [level]"; a parent of -1 says unreached; the
first line "# root R" names the root.

  totemgo bfs web.txt.gz --root 0 -o parents.tsv
  totemgo validate web.txt.gz parents.tsv`,
		Args: takes("GRAPH", "PARENTS"),
		RunE: func(c *cobra.Command, args []string) error {
			ctx := c.Context()
			if err := checkThreads(threads); err != nil {
				return err
			}
			file, err := rf.open(ctx, e, args[0], threads, int64(memory))
			if err != nil {
				return err
			}
			defer file.Close()
			if err := file.Verify(ctx); err != nil {
				return err
			}
			tree, err := readParents(ctx, args[1], file.Source.VertexLabels())
			if err != nil {
				return err
			}
			validator := graph500.NewValidator(file.Source, threads)
			defer validator.Close()
			verdict, err := validator.Validate(ctx, *tree)
			if err != nil {
				return err
			}
			root := string(file.Source.VertexLabels().Append(nil, tree.Root))
			doc := record.Validate{
				Root: file.Source.VertexLabels().Label(tree.Root), Valid: len(verdict.Violations) == 0,
				Reached: verdict.Reached, Depth: verdict.Depth, Violations: verdict.Violations,
			}
			if file.Source.VertexLabels().Names() != nil {
				doc.RootName = root
			}
			if asJSON {
				doc.Head = e.head(record.SchemaValidate)
				if err := e.printJSON(doc); err != nil {
					return err
				}
			} else if doc.Valid {
				e.print("valid: root %s, %d vertices reached, depth %d\n", root, doc.Reached, doc.Depth)
			}
			if err := verdict.Err(); err != nil {
				return fmt.Errorf("%s: %w", args[1], err)
			}
			return nil
		},
	}
	rf.add(c, "")
	c.Flags().IntVar(&threads, "threads", 0, "most threads (default all cores)")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().Var(&memory, "memory-limit", "most memory to take, such as 4GiB (default 80% of what is available)")
	return c
}

// readParents reads a tree as bfs -o writes it.
func readParents(ctx context.Context, path string, labels *graph.Labels) (*graph500.Tree, error) {
	n := labels.Len()
	t := &graph500.Tree{Root: graph.None, Parents: make([]uint32, n)}
	for i := range t.Parents {
		t.Parents[i] = graph.None
	}
	levels := make([]uint32, 0)
	columns := 0 // of the first line with a parent
	named := false
	l := &vertexLines{path: path, labels: labels}
	err := l.each(ctx, func(fields []string) (err error) {
		switch {
		case l.line == 1 && strings.EqualFold(strings.Trim(fields[0], `"`), "vertex") && l.labels.Names() == nil:
			return nil // the names of the columns, in CSV
		case strings.HasPrefix(fields[0], "#"):
			if root, is := strings.CutPrefix(strings.Join(fields, " "), "# root "); is && !named {
				t.Root, err = l.id(root)
				named = true
			}
			return err
		case len(fields) != 2 && len(fields) != 3:
			return l.bad(fmt.Sprintf("%d columns", len(fields)), "vertex, parent and, if you like, level")
		}
		v, err := l.id(fields[0])
		if fields[1] == "-1" && (err == nil || errors.Is(err, graph.ErrNoVertex) && l.labels.Names() == nil) {
			return nil // unreached, or a line of a full array for an id that no edge names
		} else if err != nil {
			return err
		}
		if t.Parents[v] != graph.None {
			return l.bad("vertex "+fields[0]+" again", "one line a vertex")
		}
		p, err := l.id(fields[1])
		if err != nil {
			return err
		}
		t.Parents[v] = p
		if columns == 0 {
			columns = len(fields)
		}
		if len(fields) != columns {
			return l.bad(fmt.Sprintf("%d columns", len(fields)), fmt.Sprintf("%d, as on the lines before", columns))
		}
		if !named && p == v && t.Root == graph.None {
			t.Root = v
		}
		if len(fields) == 3 {
			level, err := strconv.ParseUint(fields[2], 10, 32)
			if err != nil {
				return l.bad(fmt.Sprintf("level %q", fields[2]), "a number")
			}
			if len(levels) == 0 {
				levels = make([]uint32, n)
			}
			levels[v] = uint32(level)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t.Root == graph.None {
		return nil, &graphio.Error{File: path, Found: "no root", Want: `a first line "# root R", or a vertex that is its own parent`, Err: graphio.ErrFormat}
	}
	if len(levels) > 0 {
		t.Levels = levels
	}
	return t, nil
}
