package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/internal/atomicfile"
)

// checkOutput refuses a graph file whose format nothing tells, and a document that
// would stand in the middle of it.
func checkOutput(path, format, weights string, asJSON bool) error {
	if asJSON && weights == "-" {
		return usagef("the weights go to standard output, where --json would go too")
	}
	if path == "-" && asJSON {
		return usagef("the graph goes to standard output, where --json would go too")
	}
	if format != "" {
		return nil
	}
	if _, ok := graphio.DetectName(path); !ok {
		return usagef("%s: the name tells no format; give it with --format: %s", path, strings.Join(formatNames(true), ", "))
	}
	return nil
}

// writeFile writes path by package atomicfile, so that an error or an interrupt leaves
// what was there before; "-" is standard output. Errors name path.
func (e *env) writeFile(ctx context.Context, path string, write func(w *bufio.Writer) error) error {
	if path == "-" {
		return buffered(ctx, e.stdout, write)
	}
	err := atomicfile.Write(path, func(w io.Writer) error { return buffered(ctx, w, write) })
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", path, p.Err)
	}
	return err
}

// buffered writes through a buffer, until the context ends.
func buffered(ctx context.Context, to io.Writer, write func(w *bufio.Writer) error) error {
	w := bufio.NewWriterSize(untilDone{ctx, to}, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
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
	to  io.Writer
	err error
}

func (w *remembered) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.to.Write(p)
	if err != nil {
		w.err = err
	}
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
	ctx  context.Context
	from io.Reader
	back chan read
	buf  []byte // what the goroutine reads into
	rest []byte // of buf, not handed out yet
	err  error
}

type read struct {
	n   int
	err error
}

func (r *patient) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		if err := r.ctx.Err(); err != nil {
			return 0, err
		}
		if r.back == nil {
			r.back, r.buf = make(chan read, 1), make([]byte, 1<<18)
		}
		go func() {
			n, err := r.from.Read(r.buf)
			r.back <- read{n, err}
		}()
		select {
		case <-r.ctx.Done():
			r.err = r.ctx.Err() // the goroutine owns buf until its read ends
			return 0, r.err
		case got := <-r.back:
			r.rest, r.err = r.buf[:got.n], got.err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	if len(r.rest) == 0 {
		return n, r.err
	}
	return n, nil
}
