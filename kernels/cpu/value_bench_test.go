package cpu_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/program"
)

// sumRows is the Sum of a user: it adds the values of the sources.
type sumRows struct{}

func (sumRows) Push(_ uint32, from float64, _ []uint32, _, out []float64) {
	for k := range out {
		out[k] = from
	}
}
func (sumRows) Combine(to *float64, v float64) bool { *to += v; return true }
func (sumRows) Pull(_ uint32, row []uint32, _, from []float64, _ []uint64, _ float64) (sum float64, ok bool) {
	for _, u := range row {
		sum += from[u]
	}
	return sum, true
}

func sumByHand(to, from []float64, offsets, neighbours []uint32) {
	for i := range offsets[1:] {
		s := 0.0
		for _, u := range neighbours[offsets[i]:offsets[i+1]] {
			s += from[u]
		}
		to[i] += s
	}
}

// BenchmarkValues runs supersteps over all arcs of a Kronecker graph of scale 16.
//
//	go test ./kernels/cpu -run '^$' -bench Values -count 6
func BenchmarkValues(b *testing.B) {
	ctx := context.Background()
	edges, err := gen.Make(ctx, gen.KroneckerOptions{Scale: 16})
	must(b, err)
	place, err := partition.New(ctx, edges, partition.Options{Processors: []partition.Processor{{Name: "cpu"}}})
	must(b, err)
	defer place.Close()
	part := place.Part(0)
	rows := part.Subgraphs[0]
	report := func(b *testing.B, arcs int64) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(arcs), "ns/arc")
	}
	b.Run("loop=hand/type=float64", func(b *testing.B) {
		from, to := make([]float64, part.Ranks), make([]float64, part.Ranks)
		for b.Loop() {
			sumByHand(to, from, rows.In.Offsets32, rows.In.Neighbours)
		}
		report(b, rows.In.Arcs())
	})
	arrays := func(t program.Type, init program.Init) []program.Array {
		return []program.Array{{Name: "from", Type: t, Init: init}, {Name: "to", Type: t, Init: init}}
	}
	sum := []program.EdgeOp{{Name: "sum", From: 0, To: 1, Map: program.Copy, Combine: program.Sum}}
	all := program.Step{Way: program.Pull, From: program.All}
	for _, threads := range []int{1, 2} {
		for _, c := range []struct {
			name string
			p    *program.Program
			s    program.Step
		}{
			{"pull-sum/type=float32", &program.Program{Arrays: arrays(program.F32, 0), Edges: sum}, all},
			{"pull-sum/type=float64", &program.Program{Arrays: arrays(program.F64, 0), Edges: sum}, all},
			{"pull-rows/type=float64", &program.Program{Arrays: arrays(program.F64, 0), Edges: []program.EdgeOp{{Name: "sum", From: 0, To: 1, Rows: sumRows{}}}}, all},
			{"push-rows/type=float64", &program.Program{Arrays: arrays(program.F64, 0), Edges: []program.EdgeOp{{Name: "sum", From: 0, To: 1, Rows: sumRows{}}}},
				program.Step{From: program.All}},
			{"push-min/type=uint32", &program.Program{Arrays: arrays(program.U32, program.ID),
				Edges: []program.EdgeOp{{Name: "min", From: 0, To: 0, Map: program.Copy, Combine: program.Min}}}, program.Step{From: program.All}},
			{"pull-min/type=uint32", &program.Program{Arrays: arrays(program.U32, program.ID),
				Edges: []program.EdgeOp{{Name: "min", From: 0, To: 0, Map: program.Copy, Combine: program.Min}}}, all},
			{"push-sum/type=int32", &program.Program{Arrays: arrays(program.I32, program.Zero),
				Edges: []program.EdgeOp{{Name: "one", From: -1, To: 0, Map: program.One, Combine: program.Sum}}}, program.Step{From: program.All}},
		} {
			b.Run(fmt.Sprintf("loop=%s/processors=cpu:%d", c.name, threads), func(b *testing.B) {
				run := openRun(b, part, threads, c.p)
				for b.Loop() {
					_, err := run.Step(ctx, 0, c.s)
					must(b, err)
					_, err = run.Advance()
					must(b, err)
				}
				report(b, rows.In.Arcs())
			})
		}
		b.Run(fmt.Sprintf("loop=sssp/type=float32/processors=cpu:%d", threads), func(b *testing.B) {
			run := openRun(b, part, threads, ssspProgram[float32](0))
			for b.Loop() {
				must(b, run.Begin(0))
				must(b, run.Seed(0, 0, 0))
				_, err := run.Step(ctx, 0, program.Step{Below: program.Pack(float32(math.Inf(1)))})
				must(b, err)
				_, err = run.Advance()
				must(b, err)
			}
			report(b, rows.In.Arcs())
		})
	}
}

func openRun(b *testing.B, part *graph.Part, threads int, p *program.Program) kernels.Run {
	c := cpu.New(threads)
	must(b, c.Load(context.Background(), part))
	b.Cleanup(func() { _ = c.Close() })
	run, err := c.Open(context.Background(), p)
	must(b, err)
	b.Cleanup(func() { _ = run.Close() })
	return run
}
