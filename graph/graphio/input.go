package graphio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// blockSize is the size of the pieces that are parsed at once.
const blockSize = 1 << 20

// headSize is how much of a file is looked at to tell its format.
const headSize = 64 << 10

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
	win         []byte
	eof         bool
	lines       int64 // consumed by line

	held     atomic.Int64 // bytes held on account of MemoryLimit
	read     atomic.Int64 // bytes of the file consumed
	mu       sync.Mutex   // progress
	reported time.Time
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

// progress adds n bytes and tells the caller's callback at most twenty times a second.
func (in *input) progress(n int64) {
	done := in.read.Add(n)
	if in.o.Progress == nil {
		return
	}
	if in.mu.TryLock() {
		if now := time.Now(); now.Sub(in.reported) > 50*time.Millisecond {
			in.reported = now
			in.o.Progress(Progress{Done: done, Total: max(in.size, 0), Unit: "bytes"})
		}
		in.mu.Unlock()
	}
}

// finish reports the end of reading.
func (in *input) finish() {
	if in.o.Progress != nil {
		in.mu.Lock()
		all := max(in.size, in.read.Load()) // lines before the records are not counted
		in.o.Progress(Progress{Done: all, Total: all, Unit: "bytes"})
		in.mu.Unlock()
	}
}

// openInput opens path, "-" for Options.Stdin, and takes compression off.
func openInput(ctx context.Context, path string, o *Options) (_ *input, err error) {
	in := &input{ctx: ctx, path: path, o: o, size: -1}
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
			return nil, &Error{File: path, Found: "a directory", Want: "a graph file", Err: ErrFormat}
		}
		if st.Mode().IsRegular() {
			in.size = st.Size()
		}
		raw = f
	}
	raw = &counter{in, raw}
	magic := make([]byte, 6)
	n, err := io.ReadFull(raw, magic)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	magic = magic[:n]
	in.compression = compressionOf(magic)
	if in.compression == "" && in.size > 0 {
		if m := mapFile(in.file, in.size); m != nil {
			in.m = m
			in.win = m.data
			in.eof = true
			in.read.Store(0)
			return in, nil
		}
	}
	src := io.MultiReader(bytes.NewReader(magic), raw)
	if in.src, err = in.decompress(src); err != nil {
		return nil, err
	}
	return in, nil
}

// wrap gives an error the file's name.
func (in *input) wrap(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var e *Error
	if errors.As(err, &e) {
		if e.File == "" {
			e.File = in.path
		}
		return err
	}
	var p *os.PathError
	if errors.As(err, &p) {
		return &Error{File: in.path, Err: p.Err}
	}
	if errors.Is(err, ErrOptions) || errors.Is(err, ErrUnknownFormat) {
		return err
	}
	return &Error{File: in.path, Err: err}
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

// hold accounts for n bytes about to be allocated.
func (in *input) hold(n int64) error {
	held := in.held.Add(n)
	if limit := in.o.MemoryLimit; limit > 0 && held > limit {
		return &Error{File: in.path, Found: fmt.Sprintf("at least %d bytes of memory needed", held),
			Want: fmt.Sprintf("no more than the limit of %d", limit), Hint: Hint{Text: "raise the memory limit"}, Err: ErrTooLarge}
	}
	return nil
}

// fill reads more of the stream into the window; at least one byte unless the stream
// has ended.
func (in *input) fill(n int) error {
	for !in.eof && len(in.win) < n {
		if cap(in.win) < n {
			if limit := in.o.MemoryLimit; limit > 0 && int64(n)+in.held.Load() > limit {
				return in.hold(int64(n))
			}
			grown := make([]byte, len(in.win), max(n, 2*cap(in.win)))
			copy(grown, in.win)
			in.win = grown
		}
		k, err := in.src.Read(in.win[len(in.win):cap(in.win)])
		in.win = in.win[:len(in.win)+k]
		if err == io.EOF {
			in.eof = true
		} else if err != nil {
			return in.streamError(err)
		}
	}
	return nil
}

// peek returns up to n unread bytes.
func (in *input) peek(n int) ([]byte, error) {
	if err := in.fill(n); err != nil {
		return nil, err
	}
	return in.win[:min(n, len(in.win))], nil
}

// peekLine returns the next line without its end, and the bytes it takes with it; ok
// is false at the end of the input. The slice is valid until the window changes.
func (in *input) peekLine() (text []byte, size int, ok bool, err error) {
	for n := 0; ; {
		if i := lineEnd(in.win[n:]); i >= 0 {
			i += n
			if in.win[i] == '\n' {
				return in.win[:i], i + 1, true, nil
			}
			if i+1 < len(in.win) {
				if in.win[i+1] == '\n' {
					return in.win[:i], i + 2, true, nil
				}
				return in.win[:i], i + 1, true, nil
			}
			if in.eof {
				return in.win[:i], i + 1, true, nil
			}
			n = i
		} else {
			if in.eof {
				return in.win, len(in.win), len(in.win) > 0, nil
			}
			n = len(in.win)
		}
		if err := in.fill(len(in.win) + blockSize); err != nil {
			return nil, 0, false, err
		}
	}
}

// peekRecord is peekLine past blank lines and comments, which it consumes.
func (in *input) peekRecord(comment byte) (text []byte, size int, ok bool, err error) {
	for {
		text, size, ok, err = in.peekLine()
		if err != nil || !ok {
			return nil, 0, false, err
		}
		if i := skipBlanks(text, 0); i < len(text) && text[i] != comment {
			return text, size, true, nil
		}
		in.skip(size)
	}
}

// skip consumes the line that peekLine has shown.
func (in *input) skip(size int) {
	in.win = in.win[size:]
	in.lines++
}

// lineEnd is the index of the first CR or LF, or −1.
func lineEnd(b []byte) int {
	for i, c := range b {
		if c == '\n' || c == '\r' {
			return i
		}
	}
	return -1
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

// block consumes about blockSize bytes that end with a line, in buf where they do not
// lie in the mapping. ok is false at the end of the input.
func (in *input) block(buf []byte) (data []byte, ok bool, err error) {
	if err := in.ctx.Err(); err != nil {
		return nil, false, err
	}
	if in.m != nil {
		if len(in.win) == 0 {
			return nil, false, nil
		}
		for n := in.o.blockBytes(); ; n *= 2 {
			if n >= len(in.win) {
				data, in.win = in.win, nil
				break
			}
			if k := lastLineEnd(in.win[:n]); k > 0 {
				data, in.win = in.win[:k], in.win[k:]
				break
			}
		}
		in.progress(int64(len(data)))
		return data, true, nil
	}
	for n := in.o.blockBytes(); ; n = 2 * len(in.win) {
		if err := in.fill(n); err != nil {
			return nil, false, err
		}
		k := len(in.win)
		if k == 0 {
			return nil, false, nil
		}
		if !in.eof {
			if k = lastLineEnd(in.win); k == 0 {
				continue
			}
		}
		data = append(buf[:0], in.win[:k]...)
		rest := copy(in.win, in.win[k:])
		in.win = in.win[:rest]
		return data, true, nil
	}
}

// bytesBlock consumes exactly n bytes, fewer only at the end, in buf where they do
// not lie in the mapping.
func (in *input) bytesBlock(n int, buf []byte) ([]byte, error) {
	if err := in.ctx.Err(); err != nil {
		return nil, err
	}
	if in.m != nil {
		n = min(n, len(in.win))
		data := in.win[:n]
		in.win = in.win[n:]
		in.progress(int64(n))
		return data, nil
	}
	if err := in.fill(n); err != nil {
		return nil, err
	}
	n = min(n, len(in.win))
	data := append(buf[:0], in.win[:n]...)
	rest := copy(in.win, in.win[n:])
	in.win = in.win[:rest]
	return data, nil
}

// all returns the whole content, read into memory where it is not mapped.
func (in *input) all() ([]byte, error) {
	if in.m != nil {
		in.progress(int64(len(in.win)))
		return in.win, nil
	}
	for n := 1 << 16; !in.eof; n = 2 * max(len(in.win), 1<<16) {
		if err := in.ctx.Err(); err != nil {
			return nil, err
		}
		if err := in.fill(n); err != nil {
			return nil, err
		}
	}
	return in.win, in.hold(int64(cap(in.win)))
}

// block is a run of whole lines.
type block struct {
	data  []byte
	first int64 // lines of the file before it
	lines int64 // lines in it, a last one without an end included
	rows  int64 // lines before it that are no comments, counted where the format asks
}

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
func countComments(b []byte, mark byte) int64 {
	n := int64(0)
	for i := bytes.IndexByte(b, mark); i >= 0; {
		k := i
		for k > 0 && (b[k-1] == ' ' || b[k-1] == '\t') {
			k--
		}
		if k == 0 || b[k-1] == '\n' || b[k-1] == '\r' {
			n++
		}
		next := bytes.IndexByte(b[i+1:], mark)
		if next < 0 {
			break
		}
		i += 1 + next
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
	// take hands out the next block; reading and decompressing happen inside, while
	// the other workers parse.
	take := func(buf []byte) (i int, b block, out *T, err error) {
		mu.Lock()
		defer mu.Unlock()
		i = len(outs)
		if failed <= i {
			return i, block{}, nil, nil
		}
		data, ok, err := in.block(buf)
		if err != nil || !ok {
			return i, block{}, nil, err
		}
		b = block{data: data, first: in.lines, lines: countLines(data), rows: rows}
		in.lines += b.lines
		rows += b.lines
		if mark != 0 {
			rows -= countComments(data, mark)
		}
		out = new(T)
		outs = append(outs, out)
		return i, b, out, nil
	}
	worker := func() {
		defer wg.Done()
		var buf []byte
		for {
			var (
				i   int
				b   block
				out *T
			)
			err := Guard(in.path, func() (err error) { i, b, out, err = take(buf); return err })
			if err == nil && out != nil {
				err = Guard(in.path, func() error { return parse(b, out) })
			}
			if err != nil {
				fail(i, err)
				return
			}
			if out == nil {
				return
			}
			if in.m == nil {
				buf = b.data[:0]
			}
		}
	}
	for range in.o.threads() {
		wg.Add(1)
		go worker()
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
		return &Error{Found: fmt.Sprintf("a file of %d bytes that was %d when it was opened", st.Size(), in.size), Hint: Hint{Text: "it was cut short while it was read"}, Err: ErrTruncated}
	}
	return nil
}
