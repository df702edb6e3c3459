// Command components prints the weak component of every vertex: the smallest id that edges join it
// to. It is an algorithm to copy: Engine.Components computes the same by union-find, faster.
//
//	components GRAPH
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph/graphio"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run writes the ids of every vertex and of its component, a line each.
func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: components GRAPH")
	}
	f, err := graphio.Open(ctx, args[0], graphio.Options{})
	if err != nil {
		return err
	}
	e, err := engine.New(ctx, f.Source, engine.Options{})
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	defer e.Close()
	r, labels, err := components(ctx, e)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	for v, label := range labels {
		fmt.Fprintf(w, "%d\t%d\n", r.Label(uint32(v)), r.Label(label))
	}
	return w.Flush()
}
