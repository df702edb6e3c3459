package graphio

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/totemgo/totemgo/graph"
)

// blockSize is the size of the pieces that are parsed at once.
const blockSize = 1 << 20

// headSize is how much of a file is looked at to tell its format.
const headSize = 64 << 10

// archiveHead is how much of a file is looked at to tell an archive: bzip2 compresses up to 900,000 bytes at once.
const archiveHead = 1 << 20

// input is an opened file, decompressed: a window of bytes that have not been
// consumed, which is the whole file where it is mapped and grows from src elsewhere.
type input struct {
	ctx   context.Context
	path  string
	o     *Options
	size  int64 // bytes on disk, −1 if unknown
	file  *os.File
	m     *mapping  // where the content is mapped
	src   io.Reader // where it is not: the decompressed stream
	close []func() error

	compression string
	member      string // of the archive, or ""
	members     int    // of the archive
	skew        bool   // the mirror image of an edge has the opposite weight
	win         []byte
	eof         bool
	failed      error // of the file or the stream
	lines       int64 // consumed by line

	held atomic.Int64 // bytes held on account of MemoryLimit
	read reporter     // of bytes of the file consumed
}

// counter counts the bytes of the file as they are read, reports progress and
// notices cancellation.
type counter struct {
	in *input
	r  io.Reader
}

func (c *counter) Read(p []byte) (int, error) {
	if err := c.in.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	c.in.progress(int64(n))
	return n, err
}

// progress counts n bytes as read.
func (in *input) progress(n int64) { in.read.add(n, max(in.size, 0)) }

// openInput opens path, "-" for Options.Stdin, takes compression off, and opens the graph of an archive.
func openInput(ctx context.Context, path string, o *Options) (_ *input, err error) {
	in := &input{ctx: ctx, path: path, o: o, size: -1, read: reporter{tell: o.Progress, unit: "bytes"}}
	defer func() {
		if err != nil {
			_ = in.shut()
			err = in.wrap(err)
		}
	}()
	var raw io.Reader
	if path == "-" {
		if o.Stdin == nil {
			return nil, fmt.Errorf("graphio: %w: path \"-\" without Options.Stdin", ErrOptions)
		}
		in.path = "standard input"
		raw = o.Stdin
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		in.file = f
		in.close = append(in.close, f.Close)
		st, err := f.Stat()
		if err != nil {
			return nil, err
		}
		if st.IsDir() {
			return nil, bad(ErrFormat, "a directory", "a graph file")
		}
		if st.Mode().IsRegular() {
			in.size = st.Size()
		}
		raw = f
	}
	return in, in.run(func() error { return in.start(raw) })
}

// start settles where the content comes from: the graph in an archive, the mapping, or the stream.
func (in *input) start(file io.Reader) error {
	raw := bufio.NewReaderSize(&counter{in, file}, archiveHead)
	head, err := raw.Peek(archiveHead)
	if err != nil && err != io.EOF {
		return err
	}
	if ext := strings.ToLower(filepath.Ext(in.path)); len(head) == 0 && slices.Contains(append(compressionSuffixes(), ".zip", ".tar", ".tgz"), ext) {
		return bad(ErrTruncated, "an empty file under a name of packed data", "at least a header", "get it again")
	}
	in.compression = compressionOf(head)
	kind, err := in.archiveKind(head)
	if err != nil {
		return err
	}
	in.src = raw
	if kind != "" {
		other, err := in.unpack(kind, raw)
		if err != nil || other == nil {
			return err
		}
		in.src = other
	}
	if in.o.Member != "" {
		return bad(ErrOptions, "no archive", "a tar or zip file with "+quote(in.o.Member))
	}
	if in.compression == "" && in.size > 0 {
		if in.m = mapFile(in.file, in.size); in.m != nil {
			in.win, in.eof = in.m.data, true
			in.read.done.Store(0)
			return nil
		}
	}
	in.src, err = in.decompress(in.src)
	return err
}

// run runs what reads the input, and returns why the file could not be read before what read makes of that.
func (in *input) run(read func() error) error {
	err := Guard(in.path, read)
	return cmp.Or(in.failed, err)
}

// wrap gives an error the file's name; ends of the context and wrong options have none.
func (in *input) wrap(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if e := (*Error)(nil); !errors.As(err, &e) && (errors.Is(err, ErrOptions) || errors.Is(err, ErrUnknownFormat)) {
		return err
	}
	return wrap(err, in.path)
}

// shut closes what was opened, the mapping too if the input still owns it.
func (in *input) shut() error {
	var errs []error
	for i := len(in.close) - 1; i >= 0; i-- {
		errs = append(errs, in.close[i]())
	}
	in.close = nil
	if in.m != nil {
		errs = append(errs, in.m.close())
		in.m = nil
	}
	return errors.Join(errs...)
}

// hold accounts for n bytes about to be allocated, unless the context is done.
func (in *input) hold(n int64) error {
	return in.wrap(cmp.Or(in.ctx.Err(), in.limit(in.held.Add(n)), room(n)))
}

// limit refuses to hold n bytes in all.
func (in *input) limit(n int64) error { return limitMemory("at least ", n, in.o.MemoryLimit) }

// fail ends the input: a failure of the file or the stream goes before what a reader makes of the missing rest.
func (in *input) fail(err error) { in.failed, in.eof = cmp.Or(in.failed, err), true }

// fill reads more of the stream into the window, up to n bytes unless it ends.
func (in *input) fill(n int) {
	for !in.eof && len(in.win) < n {
		if cap(in.win) < n {
			size := max(n, 2*cap(in.win))
			if err := cmp.Or(in.limit(in.held.Load()+int64(n)), room(int64(size))); err != nil {
				in.fail(err)
				return
			}
			in.win = append(make([]byte, 0, size), in.win...)
		}
		k, err := in.src.Read(in.win[len(in.win):cap(in.win)])
		in.win = in.win[:len(in.win)+k]
		if err == io.EOF {
			in.eof = true
		} else if err != nil {
			in.fail(in.streamError(err))
		}
	}
}

// peek returns up to n unread bytes.
func (in *input) peek(n int) []byte {
	in.fill(n)
	return in.win[:min(n, len(in.win))]
}

// line is a line that has not been consumed. Its text is valid until the window changes.
type line struct {
	text []byte // without its end
	size int    // bytes with it
	at   int64  // its number in the file
}

func (l *line) words() []string { return strings.Fields(string(l.text)) }

func (l *line) fault(class error, found, want string) *Error {
	return fault(l.at, 0, class, found, want)
}

// wholes reads the numbers that a header line declares; want says of what each is.
func (l *line) wholes(words []string, want ...string) ([]uint64, error) {
	out := make([]uint64, len(want))
	for i, w := range want {
		var err error
		if out[i], err = strconv.ParseUint(words[i], 10, 64); err != nil {
			return nil, l.fault(ErrFormat, quote(words[i]), "a whole number "+w)
		}
	}
	return out, nil
}

// promised adds to the fault of a number beyond 64 bits how many lines follow.
func (in *input) promised(counts []uint64, err error) ([]uint64, error) {
	if e := (*Error)(nil); errors.As(err, &e) && strings.Trim(e.Found, `"0123456789`) == "" {
		e.Found += " before " + in.countLines()
	}
	return counts, err
}

// peekLine returns the next line, nil at the end of the input.
func (in *input) peekLine() *line {
	for n := 0; ; {
		i := restOfLine(in.win, n)
		if in.eof || i < len(in.win) && (in.win[i] == '\n' || i+1 < len(in.win)) {
			if len(in.win) == 0 {
				return nil
			}
			return &line{in.win[:i], nextLine(in.win, i), in.lines + 1}
		}
		n = i
		in.fill(len(in.win) + blockSize)
	}
}

// banner consumes the first line, an empty one at the end of the input.
func (in *input) banner() *line {
	l := in.peekLine()
	if l == nil {
		return &line{at: 1}
	}
	in.skip(l)
	return l
}

// comments passes the blank lines and comments that follow, which it consumes.
func (in *input) comments(marks string) iter.Seq[*line] {
	return func(yield func(*line) bool) {
		for l := in.peekLine(); l != nil; l = in.peekLine() {
			if i := skipBlanks(l.text, 0); i < len(l.text) && strings.IndexByte(marks, l.text[i]) < 0 {
				return
			}
			if in.skip(l); !yield(l) {
				return
			}
		}
	}
}

// peekRecord is peekLine past blank lines and comments, which it consumes.
func (in *input) peekRecord(comments string) *line {
	for range in.comments(comments) {
	}
	return in.peekLine()
}

// header returns the next line that is no comment, and consumes it.
func (in *input) header(comments, want string) (*line, error) {
	l := in.peekRecord(comments)
	if l == nil {
		return nil, bad(ErrTruncated, "the end of the file", want)
	}
	in.skip(l)
	return l, nil
}

// counted are the words of a comment, if they are numbers.
func (l *line) counted() []string {
	words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(string(l.text)), "%"))
	if strings.Trim(strings.Join(words, ""), "0123456789") != "" {
		return nil
	}
	return words
}

// skip consumes a line that was looked at.
func (in *input) skip(l *line) {
	in.win = in.win[l.size:]
	in.lines++
}

// lastLineEnd is the length of the longest prefix of b that ends with a complete
// line: after LF, or after a CR that is known to be followed by something else.
func lastLineEnd(b []byte) int {
	for i := len(b); i > 0; i-- {
		if b[i-1] == '\n' || b[i-1] == '\r' && i < len(b) && b[i] != '\n' {
			return i
		}
	}
	return 0
}

// block consumes about blockSize bytes that end with a line, in buf where they do not lie in the mapping; none at the
// end of the input.
func (in *input) block(buf []byte) ([]byte, error) {
	for n := cmp.Or(in.o.block, blockSize); ; n *= 2 {
		in.fill(n)
		k := len(in.win)
		if in.m != nil {
			k = min(n, k)
		}
		if n < len(in.win) || !in.eof {
			k = lastLineEnd(in.win[:k])
		}
		if k > 0 || len(in.win) == 0 {
			return in.take(k, buf)
		}
	}
}

// bytesBlock consumes exactly n bytes, fewer only at the end, in buf where they do not lie in the mapping.
func (in *input) bytesBlock(n int, buf []byte) ([]byte, error) {
	in.fill(n)
	return in.take(min(n, len(in.win)), buf)
}

// take consumes n bytes of the window.
func (in *input) take(n int, buf []byte) ([]byte, error) {
	if in.m != nil {
		data := in.win[:n]
		in.win = in.win[n:]
		in.progress(int64(n))
		return data, in.ctx.Err()
	}
	data := append(buf[:0], in.win[:n]...)
	in.win = in.win[:copy(in.win, in.win[n:])]
	return data, cmp.Or(in.failed, in.ctx.Err())
}

// all returns the whole content, read into memory where it is not mapped.
func (in *input) all() ([]byte, error) {
	if in.m != nil {
		in.progress(int64(len(in.win)))
		return in.win, nil
	}
	for n := 1 << 16; !in.eof && in.ctx.Err() == nil; n = 2 * max(len(in.win), 1<<16) {
		in.fill(n)
	}
	return in.win, cmp.Or(in.failed, in.ctx.Err(), in.hold(int64(cap(in.win))))
}

// block is a run of whole lines.
type block struct {
	data  []byte
	first int64           // lines of the file before it
	count int64           // lines in it, a last one without an end included
	rows  int64           // lines before it that are no comments, counted where the format asks
	spare *[]graph.Pair64 // memory that the worker's next block uses again
}

// lines stands before the first line.
func (b *block) lines() *cursor { return &cursor{data: b.data, line: b.first} }

// countLines counts the lines of whole lines; a last line without an end counts.
func countLines(b []byte) int64 {
	n := int64(bytes.Count(b, []byte{'\n'}))
	if bytes.IndexByte(b, '\r') >= 0 {
		for i, c := range b {
			if c == '\r' && (i+1 == len(b) || b[i+1] != '\n') {
				n++
			}
		}
	}
	if k := len(b); k > 0 && b[k-1] != '\n' && b[k-1] != '\r' {
		n++
	}
	return n
}

// countComments counts the lines whose first byte that is no blank is mark.
func countComments(b []byte, mark byte) (n int64) {
	if bytes.IndexByte(b, mark) < 0 { // most blocks have none
		return 0
	}
	for c := (cursor{data: b}); c.next(); {
		if c.begins(string(mark)) {
			n++
		}
	}
	return n
}

// parseBlocks runs parse over blocks of whole lines, on the option's threads, and
// returns what it makes of them in the order of the file. With mark, lines that start
// with it are comments that block.rows leaves out. The error returned is that of the
// first faulty line of the file, for any number of threads.
func parseBlocks[T any](in *input, mark byte, parse func(b block, out *T) error) ([]*T, error) {
	var (
		mu      sync.Mutex
		outs    []*T
		rows    int64
		failed  = math.MaxInt
		failure error
		wg      sync.WaitGroup
	)
	fail := func(i int, err error) {
		mu.Lock()
		if i < failed {
			failed, failure = i, err
		}
		mu.Unlock()
	}
	// next hands out a block; reading and decompressing happen inside, while the other workers parse.
	next := func(buf []byte) (i int, b block, out *T, err error) {
		mu.Lock()
		defer mu.Unlock()
		i = len(outs)
		if failed <= i {
			return i, b, nil, nil
		}
		if b.data, err = in.block(buf); err != nil || len(b.data) == 0 {
			return i, b, nil, err
		}
		b.first, b.count, b.rows = in.lines, countLines(b.data), rows
		in.lines += b.count
		rows += b.count
		if mark != 0 {
			rows -= countComments(b.data, mark)
		}
		out = new(T)
		outs = append(outs, out)
		return i, b, out, nil
	}
	worker := func() {
		var buf []byte
		var spare []graph.Pair64
		for i, more := 0, true; more; {
			err := Guard(in.path, func() error {
				var b block
				var out *T
				var err error
				if i, b, out, err = next(buf); err != nil || out == nil {
					more = false
					return err
				}
				if in.m == nil {
					buf = b.data[:0]
				}
				b.spare = &spare
				return parse(b, out)
			})
			if err != nil {
				fail(i, err)
				return
			}
		}
	}
	for range in.o.threads() {
		wg.Go(worker)
	}
	wg.Wait()
	if failure != nil {
		return nil, in.wrap(failure)
	}
	return outs, nil
}

// unchanged tells whether a mapped file still has the size it had.
func (in *input) unchanged() error {
	if in.m == nil || in.file == nil {
		return nil
	}
	st, err := in.file.Stat()
	if err != nil {
		return err
	}
	if st.Size() < in.size {
		return bad(ErrTruncated, fmt.Sprintf("a file of %d bytes that was %d when it was opened", st.Size(), in.size), "", "it was cut short while it was read")
	}
	return nil
}
