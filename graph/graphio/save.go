package graphio

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/atomicfile"
	"github.com/totemgo/totemgo/internal/workers"
)

// SaveOptions say how a graph is written. The zero value takes the format from the
// name.
type SaveOptions struct {
	// Format is a name of Formats; empty takes it from the name of the file.
	Format string
	// Tuple is the size in bytes of a Graph500 tuple: 12 (0 means 12) or 16.
	Tuple int
	// WeightsPath is the file that takes the weights of a Graph500 tuple file. Empty
	// refuses a weighted graph there.
	WeightsPath string
	// Vertex holds vertex weights and sizes for the formats that have them (METIS and
	// the native one); others leave them out and say so.
	Vertex *VertexData
	// DropWeights leaves weights out.
	DropWeights bool
	// Threads is the number of goroutines that format; 0 means GOMAXPROCS.
	Threads int
	// MemoryLimit bounds the bytes that formats which need rows (METIS, GAP, the native
	// one) may hold at once; 0 is no limit.
	MemoryLimit int64
	// Progress, if set, is called now and then, never by two goroutines at once.
	Progress func(Progress)
	// Stdout is written where the path is "-".
	Stdout io.Writer

	noSync bool // leaves out waiting for the disk
}

// SaveReport says what was written.
type SaveReport struct {
	// Format is the name of the format, one of Formats.
	Format string
	// Bytes is the size of the file or files, compressed if they are.
	Bytes int64
	// Records is the number of the graph's edges.
	Records int64
	// Losses names what the format could not hold and a reader will not get back.
	Losses []string
	// Notes names what was added: weights of 1 where the format demands some.
	Notes []string
}

func (r *SaveReport) lossf(format string, args ...any) {
	r.Losses = append(r.Losses, fmt.Sprintf(format, args...))
}

// writer is a file being written.
type writer struct {
	ctx   context.Context
	path  string
	o     *SaveOptions
	src   graph.Source
	kind  graph.WeightKind // of the weights to write
	out   *bufio.Writer
	extra *bufio.Writer // of SaveOptions.WeightsPath
	// The files beside a Graphalytics edge file.
	vertexFile, properties *bufio.Writer
	outs                   []*output // all of them
	report                 SaveReport
	done                   reporter // of records
	held                   int64
	// How lists are written: weight 1 for each edge of an unweighted graph, both arcs of an edge, the higher end first.
	unit, both, lower bool
}

func (o *SaveOptions) threads() int { return workers.Count(o.Threads) }

// Save writes the graph to path, "-" for SaveOptions.Stdout. A name that ends in .gz, .zst or .xz compresses. The file
// appears under its name only once it is complete: it is written beside it and renamed, and on an error or once ctx is
// cancelled nothing is left. Devices and pipes are written directly. What the format cannot hold is refused with ErrLoss
// where an option helps, and named in SaveReport.Losses where none is needed: isolated vertices of edge lists, ids of
// formats that number vertices themselves.
func Save(ctx context.Context, path string, src graph.Source, o SaveOptions) (SaveReport, error) {
	form, err := saveFormat(path, &o)
	if err != nil {
		return SaveReport{}, err
	}
	if err := ctx.Err(); err != nil {
		return SaveReport{}, err
	}
	w := &writer{ctx: ctx, path: path, o: &o, src: src, kind: src.WeightKind(), done: reporter{tell: o.Progress, unit: "records"},
		report: SaveReport{Format: form.Name, Records: src.NumEdges()}}
	if o.DropWeights {
		w.kind = graph.Unweighted
	}
	if err := w.save(form); err != nil {
		for _, out := range w.outs {
			out.abandon()
		}
		if ctxErr := ctx.Err(); ctxErr != nil {
			return SaveReport{}, ctxErr
		}
		return SaveReport{}, wrap(err, w.path)
	}
	w.done.finish(w.report.Records)
	return w.report, nil
}

// save opens the files, writes them, and renames them once all are on the disk.
func (w *writer) save(form *format) (err error) {
	path := w.path
	if form.Name == "graphalytics" && path != "-" {
		set := graphalyticsFiles(path)
		path = set.edges
		w.vertexFile, err = w.open(set.vertices, err)
		w.properties, err = w.open(set.properties, err)
	}
	w.out, err = w.open(path, err)
	if w.o.WeightsPath != "" && w.kind != graph.Unweighted {
		w.extra, err = w.open(w.o.WeightsPath, err)
	}
	if err == nil {
		err = w.vertexData(form.Name)
	}
	if err == nil {
		err = Guard(w.path, func() error { return form.write(w) })
	}
	for _, out := range w.outs {
		if err == nil {
			err = out.finish()
		}
	}
	if err == nil {
		err = w.ctx.Err()
	}
	for _, out := range w.outs {
		if err == nil && out.file != nil {
			err = out.file.Rename()
		}
		w.report.Bytes += out.bytes
	}
	return err
}

// open opens a file to write, unless there was an error before.
func (w *writer) open(path string, before error) (*bufio.Writer, error) {
	if before != nil {
		return nil, before
	}
	out, err := newOutput(w.ctx, path, w.o)
	if err != nil {
		return nil, err
	}
	w.outs = append(w.outs, out)
	return out.buf, nil
}

// CheckSave tells, before anything is computed, whether Save could write a file of that name with these options at all:
// its errors are those that Save would find without looking at the graph.
func CheckSave(path string, o SaveOptions) error {
	_, err := saveFormat(path, &o)
	return err
}

// NeedsRows tells whether Save builds the rows of a graph that has none, which takes graph.BuildBytes, for such a file.
func NeedsRows(path string, o SaveOptions) bool {
	form, err := saveFormat(path, &o)
	return err == nil && slices.Contains([]string{"metis", "gap", "gap-weighted", "totem", "native"}, form.Name)
}

// saveFormat settles the format.
func saveFormat(path string, o *SaveOptions) (*format, error) {
	refuse := func(class error, found, hint string) (*format, error) {
		return nil, wrap(bad(class, found, "", hint), path)
	}
	if o.Tuple != 0 && o.Tuple != 12 && o.Tuple != 16 {
		return nil, fmt.Errorf("graphio: %w: tuples of %d bytes (want 12 or 16)", ErrOptions, o.Tuple)
	}
	name, ok := o.Format, true
	if name == "" {
		if name, ok = DetectName(path); !ok {
			return refuse(ErrUnknownFormat, "a name that tells no format", "name the format; those written are "+formatNames(true))
		}
	}
	switch form := formatByName(name); {
	case form == nil:
		return nil, fmt.Errorf("graphio: %w: %q; those written are %s", ErrUnknownFormat, name, formatNames(true))
	case form.write == nil:
		return refuse(ErrNotWritable, "format "+name, "those written are "+formatNames(true))
	case o.WeightsPath != "" && name != "graph500":
		return nil, fmt.Errorf("graphio: %w: a file of weights belongs to graph500, not to %s", ErrOptions, name)
	case o.WeightsPath != "" && sameOutput(path, o.WeightsPath):
		return nil, fmt.Errorf("graphio: %w: %s would take the tuples and the weights", ErrOptions, path)
	default:
		return form, checkWritable(path)
	}
}

// sameOutput tells whether two paths lead to one file, so that one would replace the
// other. Devices take both.
func sameOutput(a, b string) bool {
	for _, p := range []*string{&a, &b} {
		if st, err := os.Stat(*p); err == nil && !st.Mode().IsRegular() {
			return false
		}
		if target, err := filepath.EvalSymlinks(*p); err == nil {
			*p = target
		}
		if abs, err := filepath.Abs(*p); err == nil {
			*p = abs
		}
	}
	return a == b
}

// output is a file that appears under its name once it is complete.
type output struct {
	ctx   context.Context
	name  string           // as it was given
	sink  io.Writer        // the file or standard output
	file  *atomicfile.File // nil for standard output
	comp  io.WriteCloser
	buf   *bufio.Writer
	bytes int64
}

// Write counts what reaches the file and notices cancellation.
func (out *output) Write(p []byte) (int, error) {
	if err := out.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := out.sink.Write(p)
	out.bytes += int64(n)
	if failed := (*os.PathError)(nil); errors.As(err, &failed) {
		err = &Error{File: out.name, Err: failed.Err}
	}
	return n, err
}

func newOutput(ctx context.Context, path string, o *SaveOptions) (*output, error) {
	out := &output{ctx: ctx, name: path, sink: o.Stdout}
	var err error
	if path == "-" {
		if o.Stdout == nil {
			return nil, fmt.Errorf("graphio: %w: path \"-\" without SaveOptions.Stdout", ErrOptions)
		}
	} else {
		if st, err := os.Stat(path); err == nil && st.IsDir() {
			return nil, &Error{File: path, Found: "a directory", Want: "a file to write", Err: ErrOptions}
		}
		if out.file, err = atomicfile.Create(path); err != nil {
			return nil, err
		}
		out.file.NoSync = o.noSync
		out.sink = out.file
	}
	if out.comp, err = Compress(out, path); err != nil {
		out.abandon()
		return nil, err
	}
	out.buf = bufio.NewWriterSize(out.comp, 1<<20)
	return out, nil
}

// finish brings everything to the disk.
func (out *output) finish() error {
	err := out.buf.Flush()
	if err == nil {
		err = out.comp.Close()
	}
	if err == nil && out.file != nil {
		err = out.file.Close()
	}
	return err
}

// abandon leaves nothing behind.
func (out *output) abandon() {
	if out.comp != nil {
		_ = out.comp.Close() // ends the compressor's goroutines; its output is thrown away
	}
	if out.file != nil {
		_ = out.file.Remove() // the error that led here is the one to report
	}
}
