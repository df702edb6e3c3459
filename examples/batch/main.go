// Command batch searches a graph from a list of roots.
//
//	batch GRAPH < ROOTS
//
// It reads a root per line and writes a line per root: the root, the number of vertices
// it reaches, the largest distance and the time in milliseconds. All searches share one
// result, whose memory is touched before the first: a search then allocates next to nothing
// and takes no page faults.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph/graphio"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: batch GRAPH < ROOTS")
		os.Exit(2)
	}
	if err := run(ctx, os.Args[1], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "batch:", err)
		os.Exit(1)
	}
}

// run searches the graph at path from every root of in.
func run(ctx context.Context, path string, in io.Reader, out io.Writer) error {
	f, err := graphio.Open(ctx, path, graphio.Options{})
	if err != nil {
		return err
	}
	e, err := engine.New(ctx, f.Source, engine.Options{})
	if err := errors.Join(err, f.Close()); err != nil { // the engine has its own copy
		return err
	}
	defer e.Close()

	r := e.NewResult()
	defer r.Free()
	w := bufio.NewWriter(out)
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		root, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return errors.Join(fmt.Errorf("line %d: %q is not a vertex", n, text), w.Flush())
		}
		if err := e.BFSInto(ctx, root, r); err != nil {
			return errors.Join(fmt.Errorf("line %d: %w", n, err), w.Flush())
		}
		if _, err := fmt.Fprintf(w, "%d\t%d\t%d\t%.3f\n", root, r.NumReached, r.Depth, r.Time.Seconds()*1000); err != nil {
			return err
		}
	}
	return errors.Join(lines.Err(), w.Flush())
}
