// Command labelpropagation prints a community of every vertex of a graph. In each
// round a vertex takes the most frequent label of its neighbours, in and out, the smallest of
// several (Raghavan, Albert, Kumara 2007; the rounds are those of LDBC Graphalytics).
//
//	labelpropagation GRAPH ROUNDS
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strconv"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/program"
)

var propagation = &program.Program{
	Name:   "label propagation",
	Arrays: []program.Array{{Name: "label", Type: program.U32, Init: program.ID}},
	Edges:  []program.EdgeOp{{Name: "vote", From: 0, To: 0, Arcs: program.Both, Rows: vote{}, WholeRows: true}},
}

type vote struct{} // a program.Rows[uint32]

func (vote) Pull(_ uint32, row, _, from []uint32, _ []uint64, _ uint32) (uint32, bool) {
	labels := make([]uint32, len(row))
	for k, u := range row {
		labels[k] = from[u]
	}
	slices.Sort(labels)
	best, most := uint32(0), 0
	for i, label := range labels {
		if i >= most && labels[i-most] == label { // most + 1 times, as labels rise
			best, most = label, most+1
		}
	}
	return best, most > 0
}

func (vote) Combine(to *uint32, v uint32) bool { changed := *to != v; *to = v; return changed }

func (vote) Push(_, from uint32, _, _, out []uint32) {
	for k := range out {
		out[k] = from
	}
}

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run writes the labels of every vertex and of its community, a line each.
func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 2 {
		return errors.New("usage: labelpropagation GRAPH ROUNDS")
	}
	rounds, err := strconv.Atoi(args[1])
	if err != nil {
		return fmt.Errorf("ROUNDS: %w", err)
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
	r, err := e.Run(ctx, propagation, func(m program.Machine) (err error) {
		for i := 0; i < rounds && err == nil; i++ {
			_, err = m.EdgeMap(0, program.Step{Way: program.Pull, From: program.All})
		}
		return err
	})
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	for v, label := range engine.ArrayOf[uint32](r, 0) {
		fmt.Fprintf(w, "%d\t%d\n", r.Label(uint32(v)), r.Label(label))
	}
	return w.Flush()
}
