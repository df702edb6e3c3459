package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/record"
)

const validateHelp = `validate checks a tree, as "bfs -o" writes it, against a graph file by the five rules
of Graph500. It exits with status 1, and names the rule, vertex and edge, where the tree
is not valid. Lines are "vertex parent [level]"; a parent of -1 says unreached; the
first line "# root R" names the root.

  totemgo bfs web.txt.gz --root 0 -o parents.tsv
  totemgo validate web.txt.gz parents.tsv`

// validate prepares "totemgo validate".
func validate(e *env, c *cobra.Command) runner {
	var rf readFlags
	rf.add(c, "")
	e.jsonFlag(c)
	e.threadsFlag(c)
	e.memoryFlag(c)
	return func(ctx context.Context, args []string) error {
		file, err := rf.open(ctx, e, args[0], e.threads, int64(e.memory))
		if err != nil {
			return err
		}
		defer file.Close()
		if err := file.Verify(ctx); err != nil {
			return err
		}
		labels := file.Source.VertexLabels()
		tree, err := readParents(ctx, args[1], labels)
		if err != nil {
			return err
		}
		validator := graph500.NewValidator(file.Source, e.threads)
		defer validator.Close()
		verdict, err := validator.Validate(ctx, *tree)
		if err != nil {
			return err
		}
		root := string(labels.Append(nil, tree.Root))
		doc := record.Validate{
			Root: labels.Label(tree.Root), Valid: len(verdict.Violations) == 0,
			Reached: verdict.Reached, Depth: verdict.Depth, Violations: verdict.Violations,
		}
		if labels.Names() != nil {
			doc.RootName = root
		}
		err = e.show(record.SchemaValidate, &doc, func() {
			if doc.Valid {
				e.print("valid: root %s, %d vertices reached, depth %d\n", root, doc.Reached, doc.Depth)
			}
		})
		if err != nil {
			return err
		}
		if err := verdict.Err(); err != nil {
			return fmt.Errorf("%s: %w", args[1], err)
		}
		return nil
	}
}

// readParents reads a tree as bfs -o writes it.
func readParents(ctx context.Context, path string, labels *graph.Labels) (*graph500.Tree, error) {
	t := &graph500.Tree{Root: graph.None, Parents: slices.Repeat([]uint32{graph.None}, labels.Len())}
	columns, named := 0, false // columns of the first line with a parent
	l := &vertexLines{path: path, labels: labels}
	l.comment = func(fields []string) (err error) {
		if root, is := strings.CutPrefix(strings.Join(fields, " "), "# root "); is && !named {
			t.Root, err = l.id(root)
			named = true
		}
		return err
	}
	err := l.each(ctx, func(fields []string) error {
		if len(fields) != 2 && len(fields) != 3 {
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
		if columns = cmp.Or(columns, len(fields)); len(fields) != columns {
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
			if t.Levels == nil {
				t.Levels = make([]uint32, labels.Len())
			}
			t.Levels[v] = uint32(level)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t.Root == graph.None {
		return nil, &graphio.Error{File: path, Found: "no root", Want: `a first line "# root R", or a vertex that is its own parent`, Err: graphio.ErrFormat}
	}
	return t, nil
}
