package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/internal/atomicfile"
	"github.com/totemgo/totemgo/record"
)

// jsonFlag adds --json, which show goes by.
func (e *env) jsonFlag(c *cobra.Command) { c.Flags().BoolVar(&e.json, "json", false, "print JSON") }

// headed is a document with a head.
type headed interface{ SetHead(record.Head) }

// show prints a document as JSON, with the head filled in, or as text.
func (e *env) show(schema string, doc headed, text func()) error {
	doc.SetHead(e.head(schema))
	if e.json {
		return writeJSON(e.stdout, doc)
	}
	text()
	return nil
}

// writeJSON writes a document, indented, with a newline at the end.
func writeJSON(w io.Writer, doc any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(doc)
}

// print prints text for a person on standard output.
func (e *env) print(format string, args ...any) {
	fmt.Fprint(e.stdout, singular(fmt.Sprintf(format, args...)))
}

// note prints a line for a person on standard error.
func (e *env) note(format string, args ...any) {
	if !e.quiet {
		e.bar.erase()
		fmt.Fprintf(e.stderr, "totemgo: %s\n", singular(fmt.Sprintf(format, args...)))
	}
}

// printTable prints a row for each of a list, aligned to the right, below the names of the columns.
// Tabs end cells. Errors are the writer's to remember.
func printTable[T any](w io.Writer, head string, list []T, row func(x T) string) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, head)
	for _, x := range list {
		fmt.Fprintln(t, row(x))
	}
	_ = t.Flush() // w remembers it
}

// isTerminal tells whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := beneath(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// saveFlags are the flags of commands that write a graph file.
type saveFlags struct {
	o         graphio.SaveOptions
	merge     string
	dropLoops bool
}

// merges are the values of --merge-duplicates.
var merges = map[string]graph.Duplicates{
	"": graph.KeepDuplicates, "first": graph.MergeFirst, "min": graph.MergeMin, "max": graph.MergeMax, "sum": graph.MergeSum,
}

func (f *saveFlags) add(e *env, c *cobra.Command, weights string) {
	fl := c.Flags()
	fl.StringVar(&f.o.Format, "format", "", "`FORMAT` of the output: "+strings.Join(formatNames(true), ", ")+"\n(default by its name)")
	completes(c, "format", formatNames(true)...)
	fl.StringVar(&f.o.WeightsPath, "weights", "", weights)
	fl.BoolVar(&f.dropLoops, "drop-loops", false, "leave self-loops out")
	fl.StringVar(&f.merge, "merge-duplicates", "", "merge parallel edges; the weight is the `first`, min, max or sum")
	oneOf(c, "merge-duplicates", "first", "min", "max", "sum")
	e.jsonFlag(c)
	e.threadsFlag(c)
	e.memoryFlag(c)
}

// check refuses a graph file whose format nothing tells, a document that would stand in the middle of it, and, of
// weights that are made, a file of their own where the format has none.
func (f *saveFlags) check(e *env, path string, made bool) error {
	f.o.Threads, f.o.MemoryLimit, f.o.Stdout = e.threads, int64(e.memory), e.stdout
	format, weights := formatOf(path, f.o.Format), f.o.WeightsPath
	switch {
	case e.json && weights == "-":
		return usagef("the weights go to standard output, where --json would go too")
	case e.json && path == "-":
		return usagef("the graph goes to standard output, where --json would go too")
	case format == "":
		return usagef("%s: the name tells no format; give it with --format: %s", path, strings.Join(formatNames(true), ", "))
	case made && format != "graph500" && weights != "" && weights != "yes":
		return usagef("--weights %s: only a Graph500 tuple file has its weights in a file of its own; say --weights yes", weights)
	case made && format != "graph500":
		f.o.WeightsPath = ""
	}
	return graphio.CheckSave(path, f.o)
}

// changes tells whether the graph is built anew.
func (f *saveFlags) changes() bool { return f.dropLoops || f.merge != "" }

// need is what rows of the graph take beside its list of edges, which takes list bytes, if it has rows before it is written.
func (f *saveFlags) need(path string, vertices, records, list int64, directed bool, kind graph.WeightKind) int64 {
	if f.changes() || graphio.NeedsRows(path, f.o) {
		list += min(graph.BuildBytes(int(vertices), records, directed, kind), math.MaxInt64-list)
	}
	return list
}

// simplify returns the graph without self-loops or with parallel edges merged, where that is asked for.
func (f *saveFlags) simplify(ctx context.Context, src graph.Source) (graph.Source, error) {
	if !f.changes() {
		return src, nil
	}
	o := graph.BuildOptions{Threads: f.o.Threads, Duplicates: merges[f.merge], MemoryLimit: f.o.MemoryLimit}
	if f.dropLoops {
		o.Loops = graph.DropLoops
	}
	return graph.Build(ctx, src, o)
}

// save writes a graph file, and notes what its format cannot hold.
func (e *env) save(ctx context.Context, path string, src graph.Source, o graphio.SaveOptions) (graphio.SaveReport, error) {
	o.Progress = e.progress("writing " + path).ofFile
	rep, err := graphio.Save(ctx, path, src, o)
	if err == nil {
		for _, n := range slices.Concat(rep.Losses, rep.Notes) {
			e.note("%s: %s", path, n)
		}
	}
	return rep, err
}

// writeFile writes path by package atomicfile, so that an error or an interrupt leaves what was there before, compressed as
// its name tells; "-" is standard output. Errors name path.
func (e *env) writeFile(ctx context.Context, path string, write func(w *bufio.Writer) error) error {
	through := func(to io.Writer) error { // until the context ends
		z, err := graphio.Compress(untilDone{ctx, to}, path)
		if err != nil {
			return err
		}
		w := bufio.NewWriterSize(z, 1<<20)
		if err := write(w); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		return z.Close()
	}
	if path == "-" {
		return through(e.stdout)
	}
	return atomicfile.Write(path, through)
}

// untilDone is a writer that fails once its context has ended.
type untilDone struct {
	ctx context.Context
	to  io.Writer
}

func (w untilDone) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.to.Write(p)
}

// remembered is a writer that keeps its first error, so that lines can be printed
// without looking at each: execute looks at the end.
type remembered struct {
	to     io.Writer
	err    error
	before func() // each write, or nil
}

func (w *remembered) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if w.before != nil {
		w.before()
	}
	n, err := w.to.Write(p)
	w.err = err
	return n, err
}

// beneath is the writer itself where w only remembers its errors.
func beneath(w io.Writer) io.Writer {
	if r, ok := w.(*remembered); ok {
		return r.to
	}
	return w
}

// patient is a reader that returns when its context ends, although nothing came: a
// read of a pipe or a terminal cannot be called off.
type patient struct {
	ctx   context.Context
	from  io.Reader
	begin sync.Once
	pipe  *io.PipeReader
}

func (r *patient) Read(p []byte) (int, error) {
	r.begin.Do(func() {
		var w *io.PipeWriter
		r.pipe, w = io.Pipe()
		go func() {
			_, err := io.CopyBuffer(w, struct{ io.Reader }{r.from}, make([]byte, 1<<18))
			_ = w.CloseWithError(err)
		}()
		context.AfterFunc(r.ctx, func() { _ = r.pipe.CloseWithError(r.ctx.Err()) })
	})
	return r.pipe.Read(p)
}
