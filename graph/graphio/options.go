package graphio

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/workers"
)

// Direction overrides what a file says about its records.
type Direction uint8

// The directions. A file that states its direction is believed under AsStated; a
// file that cannot is directed.
const (
	AsStated Direction = iota
	Directed
	Undirected
)

// String names the direction.
func (d Direction) String() string {
	if d > Undirected {
		return fmt.Sprintf("Direction(%d)", uint8(d))
	}
	return [...]string{"as stated", "directed", "undirected"}[d]
}

// FirstLine is what the first line of a plain edge list is, comments aside.
type FirstLine uint8

// The first lines: told by the records, an edge, the names of columns, or the numbers of vertices and edges.
const (
	FirstByContent FirstLine = iota
	FirstEdge
	FirstNames
	FirstSizes
)

// Progress is the state of a read or a write.
type Progress struct {
	// Done is what is done, Total what there is to do, 0 if unknown.
	Done, Total int64
	// Unit is "bytes" (of the file as it lies on disk, compressed if it is) or
	// "records".
	Unit string
}

// reporter counts what is done and tells a callback, at most twenty times a second and never by two goroutines at once.
type reporter struct {
	tell func(Progress) // or nil
	unit string
	done atomic.Int64
	mu   sync.Mutex
	last time.Time
}

func (r *reporter) add(n, total int64) {
	done := r.done.Add(n)
	if r.tell == nil || !r.mu.TryLock() {
		return
	}
	defer r.mu.Unlock()
	if now := time.Now(); now.Sub(r.last) > 50*time.Millisecond {
		r.last = now
		r.tell(Progress{done, total, r.unit})
	}
}

// finish tells that all is done.
func (r *reporter) finish(total int64) {
	if r.tell != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.tell(Progress{total, total, r.unit})
	}
}

// Options say how a file is read. The zero value reads what content and name tell.
type Options struct {
	// Format is a name of Formats; empty detects by content, then by name.
	Format string
	// Direction overrides the file's. An undirected file read as Directed yields both
	// arcs of each edge, a self-loop once; a directed one read as Undirected yields
	// each record as an edge.
	Direction Direction
	// WeightColumn is the column of a plain edge list that holds the weight, counted
	// from 1, at least 3. 0 takes what the format says (.wel and Graphalytics have
	// weights in column 3, others none); −1 leaves weights out in every format.
	WeightColumn int
	// Columns are the columns of a plain edge list that hold the ends and, if there are three, the weight; a fourth, the
	// time, must be there and is left out. They are names of the list's header in any case, or numbers from 1. Empty takes
	// a header's source and target, from and to, src and dst, or u and v (docs/formats.md lists all), else columns 1 and 2.
	Columns []string
	// FirstLine says what the first line of a plain edge list is, where nothing else tells.
	FirstLine FirstLine
	// Names reads the ids of a plain edge list as names, also if they look like numbers. Without it, ids are names if
	// those of the first record are no numbers.
	Names bool
	// Vertices is the number of vertices of a plain edge list or a Graph500 tuple file, whose ids are then 0 … Vertices−1,
	// also those that do not occur. 0 takes the ids that occur, −1 all up to the largest.
	Vertices int64
	// Tuple is the size in bytes of a Graph500 tuple: 12 (0 means 12) or 16.
	Tuple int
	// WeightsPath is the file of weights that belongs to a Graph500 tuple file,
	// 4 bytes a tuple, or empty.
	WeightsPath string
	// Member names the graph's file in a tar or zip archive, by its path or the end of it. Empty takes the one that is
	// found (docs/formats.md).
	Member string
	// Lenient accepts what is safe and counts it in Report.Tolerated: declared counts
	// that do not match, vertices out of proportion to the records, self-loops in METIS,
	// surplus columns in plain edge lists, a MatrixMarket banner with one percent sign,
	// missing empty METIS lines at the end.
	Lenient bool
	// Threads is the number of goroutines that parse; 0 means GOMAXPROCS.
	Threads int
	// MemoryLimit bounds the bytes that reading may hold at once; 0 is no limit. What
	// is needed is computed before it is allocated.
	MemoryLimit int64
	// Expect, if set, is called before the records are read, where a header or the size of the file tells how many there
	// are at least; 0 vertices are unknown. Its error ends the read.
	Expect func(vertices, records int64, directed bool) error
	// Progress, if set, is called now and then, never by two goroutines at once.
	Progress func(Progress)
	// Stdin is read where the path is "-".
	Stdin io.Reader

	block int // bytes that are parsed at once; 0 means blockSize
}

func (o *Options) threads() int { return workers.Count(o.Threads) }

// validate lists the contradictions in o.
func (o *Options) validate() error {
	switch {
	case o.WeightColumn < -1 || o.WeightColumn == 1 || o.WeightColumn == 2:
		return fmt.Errorf("graphio: %w: weight column %d (columns 1 and 2 are the ends; want 3 or more, 0 or -1)", ErrOptions, o.WeightColumn)
	case len(o.Columns) == 1 || len(o.Columns) > 4 || len(o.Columns) > 0 && o.WeightColumn > 0:
		return fmt.Errorf("graphio: %w: columns %q and weight column %d (want two ends, and perhaps a weight and a time)", ErrOptions, o.Columns, o.WeightColumn)
	case o.Tuple != 0 && o.Tuple != 12 && o.Tuple != 16:
		return fmt.Errorf("graphio: %w: tuples of %d bytes (want 12 or 16)", ErrOptions, o.Tuple)
	case o.Vertices < -1 || o.Vertices > graph.MaxVertices:
		return fmt.Errorf("graphio: %w: %d vertices (want 0 to %d, or -1)", ErrOptions, o.Vertices, uint64(graph.MaxVertices))
	case o.FirstLine > FirstSizes:
		return fmt.Errorf("graphio: %w: first line %d", ErrOptions, o.FirstLine)
	case o.Direction > Undirected:
		return fmt.Errorf("graphio: %w: %v", ErrOptions, o.Direction)
	}
	if o.Format != "" && formatByName(o.Format) == nil {
		return fmt.Errorf("graphio: %w: %q; known are %s", ErrUnknownFormat, o.Format, formatNames(false))
	}
	return nil
}

// fit refuses options that belong to another format.
func (o *Options) fit(format string) error {
	switch {
	case o.WeightColumn > 0 && format != "edgelist" && format != "graphalytics":
		return fmt.Errorf("graphio: %w: a weight column belongs to plain edge lists, not to %s", ErrOptions, format)
	case (len(o.Columns) > 0 || o.FirstLine != 0 || o.Names) && format != "edgelist" && format != "ncol":
		return fmt.Errorf("graphio: %w: columns, a first line and names belong to plain edge lists, not to %s", ErrOptions, format)
	case o.Vertices > 0 && format != "edgelist" && format != "graph500":
		return fmt.Errorf("graphio: %w: a number of vertices belongs to edge lists and tuples, not to %s", ErrOptions, format)
	case o.Tuple == 16 && format != "graph500":
		return fmt.Errorf("graphio: %w: 16-byte tuples belong to graph500, not to %s", ErrOptions, format)
	case o.WeightsPath != "" && format != "graph500":
		return fmt.Errorf("graphio: %w: a file of weights belongs to graph500, not to %s", ErrOptions, format)
	}
	return nil
}

// Report says what was read and what was left out.
type Report struct {
	// Format is the name of the format, one of Formats.
	Format string
	// Compression is "gzip", "zstd", "bzip2", "xz" or "", of an archive that is not compressed "tar" or "zip".
	Compression string
	// Member is the file that was read of an archive, or empty.
	Member string
	// Bytes is the size of the file, as it lies on disk.
	Bytes int64
	// Records is the number of records the graph has been made of: its edges.
	Records int64
	// IgnoredColumns is the number of values that stood in columns that are not used.
	IgnoredColumns int64
	// DirectionStated tells whether the file itself says if it is directed.
	DirectionStated bool
	// Tolerated is the number of faults that Options.Lenient let pass.
	Tolerated int64
	// Warnings are sentences for the user, in a fixed order.
	Warnings []string
}

func (r *Report) warnf(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// toleratef warns of a fault that Options.Lenient lets pass.
func (r *Report) toleratef(format string, args ...any) {
	r.Tolerated++
	r.warnf(format, args...)
}

// VertexData is what a file says about vertices beyond edges.
type VertexData struct {
	// PerVertex is the number of weights of a vertex (METIS calls it ncon).
	PerVertex int
	// Weights holds PerVertex weights for each vertex, by dense id, or is empty.
	Weights []int64
	// Sizes holds the communication size of each vertex (METIS fmt 1xx), or is empty.
	Sizes []int64
}

// Select returns the data of the vertices with the dense ids given, in their order.
func (v *VertexData) Select(ids []uint32) *VertexData {
	out := &VertexData{PerVertex: v.PerVertex}
	for _, id := range ids {
		if len(v.Weights) > 0 {
			out.Weights = append(out.Weights, v.Weights[int(id)*v.PerVertex:(int(id)+1)*v.PerVertex]...)
		}
		if len(v.Sizes) > 0 {
			out.Sizes = append(out.Sizes, v.Sizes[id])
		}
	}
	return out
}

// File is an opened graph file.
type File struct {
	// Source is the graph: an *graph.EdgeList, or for the native format a source over
	// the mapped file. It must not be used after Close.
	Source graph.Source
	// Report says how the file was read.
	Report Report
	// Vertex holds vertex weights and sizes where the format has them, else nil.
	Vertex *VertexData

	mapping *mapping
	path    string
	native  []byte     // the whole of a native file
	layout  *tgrLayout // its header
}

// Close unmaps what is mapped. The Source must not be used afterwards. A second Close
// returns nil. The error is the system's.
func (f *File) Close() error {
	f.native = nil
	if f.mapping == nil {
		return nil
	}
	m := f.mapping
	f.mapping = nil
	return m.close()
}
