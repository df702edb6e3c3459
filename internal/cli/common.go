package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/record"
)

// newEngine places a graph that this command has read and does not need afterwards
// but for its labels.
func (e *env) newEngine(ctx context.Context, path string, src graph.Source, ef *engineFlags) (*engine.Engine, error) {
	ef.resolve(ctx, int64(src.NumVertices()), src.NumEdges(), src.IsDirected())
	o, err := ef.options(src.VertexLabels())
	if err != nil {
		return nil, err
	}
	need := engine.Need(src, o)
	if list, is := src.(*graph.EdgeList); is && o.Consume {
		need -= list.NumEdges() * int64(8+list.WeightKind().Size()) // freed before the subgraphs are built, which take the most
	}
	if err := hugemem.Check(need); err != nil {
		return nil, fmt.Errorf("%s: placing %d vertices and %d edges: %w", path, src.NumVertices(), src.NumEdges(), err)
	}
	o.Progress = e.progress("placing").of("records")
	eng, err := engine.New(ctx, src, o)
	return eng, inFile(path, err)
}

// checkMemory refuses a generated graph that would not fit together with an engine for
// each of the flags, before anything is allocated.
func checkMemory(what string, size gen.Size, engines ...*engineFlags) error {
	limit := engines[0].o.MemoryLimit
	need, weight := size.EdgeBytes+size.WeightBytes, graph.Unweighted
	if size.WeightBytes > 0 {
		weight = graph.Float32
	}
	for _, x := range engines {
		more := engine.NeedFor(size.Vertices, size.Edges, false, strings.Count(x.processors, ",")+1, weight)
		need += min(more, math.MaxInt64-need)
	}
	return fits(fmt.Sprintf("%s with %d vertices and %d edges", what, size.Vertices, size.Edges), need, limit)
}

// fits refuses what needs more memory than the limit or than the process has left, before it is made or read.
func fits(what string, need, limit int64) error {
	if limit > 0 && need > limit {
		return fmt.Errorf("%w: %s needs %d bytes (%s), the limit is %d", engine.ErrMemory, what, need, sizeString(need), limit)
	}
	if err := hugemem.Check(need); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// inFile names the file whose graph breaks its own rules or is cut short: a native file
// is looked at no earlier than when it is placed.
func inFile(path string, err error) error {
	if errors.Is(err, partition.ErrInvalid) || errors.Is(err, graph.ErrInvalid) || errors.Is(err, graph.ErrUnreadable) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return err
}

// seconds formats a time in a unit that fits.
func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	switch {
	case d >= 10*time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= 10*time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(10 * time.Nanosecond).String()
}

// printLevels prints a table of levels, times in milliseconds.
func (e *env) printLevels(levels []record.Level) {
	const head = "level\tdirection\tfrontier\tout-arcs\tedges examined\ttime ms\tcompute ms\tpush ms\tpull ms\tidle ms\tbytes sent\t"
	printTable(e.stdout, head, levels, func(l record.Level) string {
		var p record.ProcessorLevel
		for _, q := range l.Processors {
			p.Add(q)
		}
		way := strings.TrimSpace(l.Direction + " " + l.Operator)
		return fmt.Sprintf("%d\t%s\t%.0f\t%s\t%s\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.0f\t", l.Level, way, l.Frontier, count(l.FrontierArcs), count(l.EdgesExamined),
			1e3*l.TimeS, 1e3*p.ComputeS, 1e3*p.PushS, 1e3*p.PullS, 1e3*p.IdleS, p.BytesSent)
	})
}

// count formats a count that may be unknown.
func count(n *float64) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f", *n)
}

// printProcessors prints a table of what each processor got, the shares as --share
// takes them, and where the arrays of devices lie.
func (e *env) printProcessors(list []record.Processor) {
	printTable(e.stdout, "  processor\tvertices\tshare\tadjacency\tshare\tcut\tmemory\t", list, func(p record.Processor) string {
		return fmt.Sprintf("  %s\t%d\t%.1f%%\t%d\t%.1f%%\t%.1f%%\t%s\t", p.Name, p.Vertices, 100*p.VertexShare,
			p.Edges, 100*p.EdgeShare, 100*p.CutShare, sizeString(p.Bytes))
	})
	if share := engine.Share(list); share != "" {
		e.print("  --share %s\n", share)
	}
	for _, p := range list {
		for _, where := range []string{record.OnDevice, record.OnHost} {
			text, sum := "", int64(0)
			for _, a := range p.Arrays {
				if a.Location == where {
					text += fmt.Sprintf(", %s %s", a.Name, sizeString(a.Bytes))
					sum += a.Bytes
				}
			}
			if text != "" {
				e.print("  %s, in the %s's memory: %s: %s\n", p.Name, where, sizeString(sum), text[2:])
			}
		}
	}
}

// printStats prints the tables of a run: its processors, with the kernels of the CPU among
// them, if there is one, and its levels.
func (e *env) printStats(processors []record.Processor, kernels string, levels []record.Level) {
	e.printProcessors(processors)
	if kernels != "" {
		e.print("  --kernels %s\n", kernels)
	}
	e.printCommands(processors)
	if len(levels) > 0 { // by supersteps
		e.printLevels(levels)
	}
}

func sizeString(n int64) string { return humanize.IBytes(uint64(n)) }
