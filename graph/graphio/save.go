package graphio

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

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
	report                 SaveReport
	done                   int64
	reports                time.Time
	held                   int64
}

func (o *SaveOptions) threads() int { return workers.Count(o.Threads) }

// Save writes the graph to path, "-" for SaveOptions.Stdout. A name that ends in .gz,
// .zst or .xz compresses. The file appears under its name only once it is complete: it
// is written beside it and renamed, and on an error or once ctx is cancelled nothing is
// left. Devices and pipes are written directly. What the format cannot hold is refused
// with ErrLoss where an option helps, and named in SaveReport.Losses where none is
// needed: isolated vertices of edge lists, ids of formats that number vertices
// themselves.
func Save(ctx context.Context, path string, src graph.Source, o SaveOptions) (SaveReport, error) {
	form, err := saveFormat(path, &o)
	if err != nil {
		return SaveReport{}, err
	}
	if err := ctx.Err(); err != nil {
		return SaveReport{}, err
	}
	w := &writer{ctx: ctx, path: path, o: &o, src: src, kind: src.WeightKind(), report: SaveReport{Format: form.Name, Records: src.NumEdges()}}
	if o.DropWeights {
		w.kind = graph.Unweighted
	}
	var outs []*output
	err = func() error {
		open := func(path string) (*bufio.Writer, error) {
			out, err := newOutput(ctx, path, &o)
			if err != nil {
				return nil, err
			}
			outs = append(outs, out)
			return out.buf, nil
		}
		var err error
		if form.Name == "graphalytics" && path != "-" {
			set := graphalyticsFiles(path)
			path = set.edges
			if w.vertexFile, err = open(set.vertices); err != nil {
				return err
			}
			if w.properties, err = open(set.properties); err != nil {
				return err
			}
		}
		if w.out, err = open(path); err != nil {
			return err
		}
		if o.WeightsPath != "" && w.kind != graph.Unweighted {
			if w.extra, err = open(o.WeightsPath); err != nil {
				return err
			}
		}
		if err := w.vertexData(form.Name); err != nil {
			return err
		}
		if err := Guard(w.path, func() error { return form.write(w) }); err != nil {
			return err
		}
		for _, out := range outs {
			if err := out.finish(); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, out := range outs {
			if out.file != nil {
				if err := out.file.Rename(); err != nil {
					return err
				}
			}
			w.report.Bytes += out.bytes
		}
		return nil
	}()
	if err != nil {
		for _, out := range outs {
			out.abandon()
		}
		if ctxErr := ctx.Err(); ctxErr != nil {
			return SaveReport{}, ctxErr
		}
		return SaveReport{}, w.wrap(err)
	}
	if o.Progress != nil {
		o.Progress(Progress{Done: w.report.Records, Total: w.report.Records, Unit: "records"})
	}
	return w.report, nil
}

// saveFormat settles the format.
func saveFormat(path string, o *SaveOptions) (*format, error) {
	if o.Tuple != 0 && o.Tuple != 12 && o.Tuple != 16 {
		return nil, fmt.Errorf("graphio: %w: tuples of %d bytes (want 12 or 16)", ErrOptions, o.Tuple)
	}
	name := o.Format
	if name == "" {
		var ok bool
		if name, ok = DetectName(path); !ok {
			return nil, &Error{File: path, Found: "a name that tells no format", Hint: Hint{Text: "name the format; those written are " + formatNames(true)}, Err: ErrUnknownFormat}
		}
	}
	form := formatByName(name)
	if form == nil {
		return nil, fmt.Errorf("graphio: %w: %q; those written are %s", ErrUnknownFormat, name, formatNames(true))
	}
	if form.write == nil {
		return nil, &Error{File: path, Found: "format " + name, Hint: Hint{Text: "those written are " + formatNames(true)}, Err: ErrNotWritable}
	}
	if o.WeightsPath != "" && name != "graph500" {
		return nil, fmt.Errorf("graphio: %w: a file of weights belongs to graph500, not to %s", ErrOptions, name)
	}
	if o.WeightsPath != "" && sameOutput(path, o.WeightsPath) {
		return nil, fmt.Errorf("graphio: %w: %s would take the tuples and the weights", ErrOptions, path)
	}
	return form, checkWritable(path)
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

// wrap gives an error the file's name.
func (w *writer) wrap(err error) error {
	var e *Error
	if errors.As(err, &e) {
		if e.File == "" {
			e.File = w.path
		}
		return err
	}
	var p *os.PathError
	if errors.As(err, &p) {
		return &Error{File: w.path, Err: p.Err}
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return &Error{File: w.path, Err: l.Err}
	}
	return &Error{File: w.path, Err: err}
}

// hold accounts for n bytes about to be allocated.
func (w *writer) hold(n int64) error {
	w.held += n
	if limit := w.o.MemoryLimit; limit > 0 && w.held > limit {
		return &Error{Found: fmt.Sprintf("%d bytes of memory needed", w.held), Want: fmt.Sprintf("no more than the limit of %d", limit), Hint: Hint{Text: "raise the memory limit"}, Err: ErrTooLarge}
	}
	return nil
}

// progress counts n records as written.
func (w *writer) progress(n int) {
	w.done += int64(n)
	if w.o.Progress != nil {
		if now := time.Now(); now.Sub(w.reports) > 50*time.Millisecond {
			w.reports = now
			w.o.Progress(Progress{Done: w.done, Total: w.report.Records, Unit: "records"})
		}
	}
}

// blockRecords is the number of records that are formatted at once.
const blockRecords = 1 << 15

// records formats all records in their order, on the option's threads, and writes them.
func (w *writer) records(format func(dst []byte, e graph.Edge, weights graph.Weights, k int) []byte) error {
	return w.recordBlocks(func(dst []byte, edges []graph.Edge, weights graph.Weights) []byte {
		for k, e := range edges {
			dst = format(dst, e, weights, k)
		}
		return dst
	}, w.out)
}

// recordBlocks formats blocks of records, on the option's threads, and writes them to
// out in their order.
func (w *writer) recordBlocks(format func(dst []byte, edges []graph.Edge, weights graph.Weights) []byte, out *bufio.Writer) error {
	blocks := w.src.Blocks(max(1, int(w.src.NumEdges()/blockRecords)))
	n := max(1, int(w.src.NumEdges()/blockRecords))
	threads := w.o.threads()
	texts, bufs, counts := make([][]byte, threads), make([][]graph.Edge, threads), make([]int, threads)
	errs := make([]error, threads)
	for first := 0; first < blocks; first += threads {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		batch := min(threads, blocks-first)
		var wg sync.WaitGroup
		for t := range batch {
			wg.Go(func() {
				errs[t] = Guard(w.path, func() error {
					edges := w.src.Block(n, first+t, bufs[t])
					if cap(edges) > cap(bufs[t]) {
						bufs[t] = nil // it may be the source's own memory: not to be written
					}
					var weights graph.Weights
					if w.kind != graph.Unweighted {
						weights = w.src.BlockWeights(n, first+t)
					}
					counts[t] = len(edges)
					texts[t] = format(texts[t][:0], edges, weights)
					return nil
				})
			})
		}
		wg.Wait()
		for t := range batch {
			if errs[t] != nil {
				return errs[t]
			}
			if _, err := out.Write(texts[t]); err != nil {
				return err
			}
			w.progress(counts[t])
		}
	}
	return nil
}

// output is a file that appears under its name once it is complete.
type output struct {
	name  string           // as it was given
	file  *atomicfile.File // nil for standard output
	comp  io.WriteCloser
	buf   *bufio.Writer
	bytes int64
}

// outputCounter counts what reaches the file and notices cancellation.
type outputCounter struct {
	ctx context.Context
	out *output
	w   io.Writer
}

func (c *outputCounter) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.w.Write(p)
	c.out.bytes += int64(n)
	var failed *os.PathError
	if errors.As(err, &failed) {
		err = &Error{File: c.out.name, Err: failed.Err}
	}
	return n, err
}

func newOutput(ctx context.Context, path string, o *SaveOptions) (*output, error) {
	out := &output{name: path}
	var sink io.Writer
	var err error
	if path == "-" {
		if o.Stdout == nil {
			return nil, fmt.Errorf("graphio: %w: path \"-\" without SaveOptions.Stdout", ErrOptions)
		}
		sink = o.Stdout
	} else {
		if st, err := os.Stat(path); err == nil && st.IsDir() {
			return nil, &Error{File: path, Found: "a directory", Want: "a file to write", Err: ErrOptions}
		}
		if out.file, err = atomicfile.Create(path); err != nil {
			return nil, err
		}
		out.file.NoSync = o.noSync
		sink = out.file
	}
	sink = &outputCounter{ctx, out, sink}
	if out.comp, err = Compress(sink, path); err != nil {
		out.abandon()
		return nil, err
	}
	out.buf = bufio.NewWriterSize(out.comp, 1<<20)
	return out, nil
}

// finish brings everything to the disk.
func (out *output) finish() error {
	if err := out.buf.Flush(); err != nil {
		return err
	}
	if out.comp != nil {
		c := out.comp
		out.comp = nil
		if err := c.Close(); err != nil {
			return err
		}
	}
	if out.file == nil {
		return nil
	}
	return out.file.Close()
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

// appendWeight appends weight k, exactly, so that a reader takes it for the same sort
// of number: a real without a fraction keeps a point.
func appendWeight(dst []byte, weights graph.Weights, k int) []byte {
	switch weights.Kind() {
	case graph.Float32, graph.Float64:
		n := len(dst)
		dst = strconv.AppendFloat(dst, weights.Float64(k), 'g', -1, 64)
		if !bytes.ContainsAny(dst[n:], ".e") {
			dst = append(dst, ".0"...)
		}
		return dst
	}
	return weights.Append(dst, k)
}

// labelLoss names what happens to ids in a format that numbers vertices from base.
func (w *writer) labelLoss(base uint64) {
	labels := w.src.VertexLabels()
	n := uint64(labels.Len())
	if b, ok := labels.Base(); n == 0 || ok && b == base {
		return
	}
	first, last := labels.Label(0), labels.Label(uint32(n-1))
	w.report.lossf("ids: %d vertices with ids between %d and %d become %d..%d", n, first, last, base, base+n-1)
}

// rows builds the rows of the graph, or takes them where the source has them.
func (w *writer) rows() (*graph.CSR, error) {
	if g, ok := w.src.(*graph.CSR); ok {
		return g, nil
	}
	g, err := graph.Build(w.ctx, w.src, graph.BuildOptions{Threads: w.o.threads(), MemoryLimit: w.o.MemoryLimit})
	var m *graph.MemoryError
	if errors.As(err, &m) {
		return nil, &Error{Found: fmt.Sprintf("%d bytes of memory needed", m.Need), Want: fmt.Sprintf("no more than the limit of %d", m.Limit), Hint: Hint{Text: "raise the memory limit"}, Err: ErrTooLarge}
	}
	return g, err
}

// rowBlocks formats runs of rows, on the option's threads, and writes them in their
// order.
func (w *writer) rowBlocks(g *graph.CSR, format func(dst []byte, v uint32) []byte) error {
	offsets := g.Offsets()
	n := g.NumVertices()
	threads := w.o.threads()
	texts := make([][]byte, threads)
	for v := 0; v < n; {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		var wg sync.WaitGroup
		errs := make([]error, threads)
		batch, arcs := 0, 0
		for ; batch < threads && v < n; batch++ {
			from, start := v, offsets[v]
			for v < n && (v == from || v-from < blockRecords && offsets[v]-start < blockRecords) {
				v++
			}
			to, t := v, batch
			arcs += int(offsets[to] - start)
			wg.Go(func() {
				errs[t] = Guard(w.path, func() error {
					texts[t] = texts[t][:0]
					for r := from; r < to; r++ {
						texts[t] = format(texts[t], uint32(r))
					}
					return nil
				})
			})
		}
		wg.Wait()
		for t := range batch {
			if errs[t] != nil {
				return errs[t]
			}
			if _, err := w.out.Write(texts[t]); err != nil {
				return err
			}
		}
		if !g.IsDirected() {
			arcs /= 2
		}
		w.progress(arcs)
	}
	return nil
}

// vertexData checks SaveOptions.Vertex against the graph and the format.
func (w *writer) vertexData(format string) error {
	v, n := w.o.Vertex, w.src.NumVertices()
	if v == nil || len(v.Weights) == 0 && len(v.Sizes) == 0 {
		w.o.Vertex = nil
		return nil
	}
	if len(v.Weights) > 0 && len(v.Weights) != n*v.PerVertex || len(v.Sizes) > 0 && len(v.Sizes) != n {
		return fmt.Errorf("graphio: %w: %d vertex weights and %d sizes for %d vertices", ErrOptions, len(v.Weights), len(v.Sizes), n)
	}
	if format != "metis" && format != "native" {
		w.report.lossf("vertex weights and sizes")
	}
	return nil
}
