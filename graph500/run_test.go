package graph500_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/record"
)

// testEngine is a serial search with faults to order.
type testEngine struct {
	tuples   *graph.EdgeList
	searches int
	counted  int
	closed   bool
	spoil    func(search int, parents []uint32) // changes the tree of a search
	fail     func(search int) error
	copies   time.Duration
	closeErr error
}

func (e *testEngine) Search(ctx context.Context, root uint32) (graph500.Found, error) {
	if err := ctx.Err(); err != nil {
		return graph500.Found{}, err
	}
	e.searches++
	if e.fail != nil {
		if err := e.fail(e.searches); err != nil {
			return graph500.Found{}, err
		}
	}
	parents := fastBFS(e.tuples, root)
	if e.spoil != nil {
		e.spoil(e.searches, parents)
	}
	return graph500.Found{Parents: parents, Copy: e.copies, Levels: []record.Level{
		{Level: 0, Direction: record.TopDown, Frontier: 1, TimeS: 1, Processors: []record.ProcessorLevel{{ComputeS: 1, Kernel: "serial"}}},
	}}, nil
}

func (e *testEngine) Count(context.Context, uint32) ([]record.Level, error) {
	e.counted++
	x := 7.
	return []record.Level{{Level: 0, Direction: record.TopDown, EdgesExamined: &x}}, nil
}

func (e *testEngine) Report() graph500.Report {
	isolated := int64(3)
	return graph500.Report{Setup: record.Setup{Placement: "original", Director: record.TopDown, Isolated: &isolated,
		Processors: []record.Processor{{Name: "cpu:1", Kind: "cpu", Threads: 1}}}}
}

func (e *testEngine) Close() error { e.closed = true; return e.closeErr }

func (e *testEngine) build(_ context.Context, tuples graph.Source) (graph500.Engine, error) {
	e.tuples = tuples.(*graph.EdgeList)
	return e, nil
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		scale, roots int
		median       float64
	}{{5, 0, 469}, {10, 64, 16239}} {
		e := &testEngine{}
		var stages []graph500.Stage
		r, err := graph500.Run(context.Background(), graph500.Config{Scale: c.scale, Count: true, Progress: func(s graph500.Stage, done, total int64) {
			if done > total {
				t.Errorf("%s: %d of %d", s, done, total)
			}
			if !slices.Contains(stages, s) {
				stages = append(stages, s)
			}
		}}, e.build)
		if err != nil {
			t.Fatal(err)
		}
		if want := []graph500.Stage{graph500.Generating, graph500.Constructing, graph500.Searching, graph500.Counting}; !slices.Equal(stages, want) {
			t.Errorf("stages %v", stages)
		}
		if r.Schema != record.SchemaGraph500 || r.Scale != c.scale || r.EdgeFactor != 16 || r.VertexBits != 32 || r.GenerationTime == nil || r.ConstructionTime <= 0 {
			t.Errorf("%+v", r)
		}
		if c.roots > 0 && r.NBFS != c.roots {
			t.Errorf("scale %d: %d roots", c.scale, r.NBFS)
		}
		if c.roots == 0 && (r.NBFS == 0 || r.NBFS > 1<<c.scale) {
			t.Errorf("scale %d: %d roots", c.scale, r.NBFS)
		}
		if len(r.Roots) != r.NBFS || len(r.Searches) != r.NBFS || r.Validation != (record.Validation{Passed: r.NBFS}) {
			t.Errorf("%d roots, %d searches, validation %+v", len(r.Roots), len(r.Searches), r.Validation)
		}
		if r.BFS.MedianNEdge != c.median {
			t.Errorf("scale %d: median_nedge %v, want %v", c.scale, r.BFS.MedianNEdge, c.median)
		}
		if r.BFS.HarmonicMeanTEPS == nil || r.BFS.CopyS != nil || r.Searches[0].CopyS != nil {
			t.Errorf("%+v", r.BFS)
		}
		if e.searches != r.NBFS+1 || e.counted != r.NBFS || !e.closed || !r.CountedOutsideClock {
			t.Errorf("%d searches, %d counted, closed %v", e.searches, e.counted, e.closed)
		}
		if len(r.Levels) != 1 || r.Levels[0].Searches != r.NBFS || r.Levels[0].TimeS != 1 || *r.Levels[0].EdgesExamined != 7 || r.Levels[0].Processors[0].Kernel != "serial" {
			t.Errorf("%+v", r.Levels)
		}
		if r.Placement != "original" || r.Director != "top-down" || *r.Isolated != 3 || len(r.Processors) != 1 {
			t.Errorf("%+v", r)
		}
		for _, s := range r.Searches {
			if s.NEdgeSpec < s.NEdge || s.Reached < 2 || s.Depth < 1 || s.TimeS <= 0 {
				t.Errorf("%+v", s)
			}
		}
		if c.scale == 10 {
			if want := []uint64{458, 214, 220, 966}; !slices.Equal(r.Roots[:4], want) {
				t.Errorf("roots %v", r.Roots[:4])
			}
		}
	}
}

func TestRunCopiesApart(t *testing.T) {
	e := &testEngine{copies: time.Nanosecond}
	r, err := graph500.Run(context.Background(), graph500.Config{Scale: 5, Searches: 2}, e.build)
	if err != nil {
		t.Fatal(err)
	}
	if r.NBFS != 2 || r.BFS.CopyS == nil || *r.BFS.CopyS != 1e-9 || *r.Searches[1].CopyS != 1e-9 {
		t.Errorf("%+v", r.BFS)
	}
	if e.counted != 0 || r.CountedOutsideClock {
		t.Error("counted without being asked")
	}
}

// TestRunWithABrokenTree: one invalid tree takes all TEPS away.
func TestRunWithABrokenTree(t *testing.T) {
	e := &testEngine{spoil: func(search int, parents []uint32) {
		if search != 4 { // the third timed one
			return
		}
		for v := range parents {
			if parents[v] != uint32(v) && parents[v] != none {
				parents[v] = none // leaves an edge with one end, or a chain without a root
				return
			}
		}
	}}
	r, err := graph500.Run(context.Background(), graph500.Config{Scale: 6, Searches: 8}, e.build)
	if !errors.Is(err, graph500.ErrValidation) || !errors.Is(err, graph500.ErrInvalidTree) {
		t.Fatalf("error %v", err)
	}
	if !strings.Contains(err.Error(), fmt.Sprintf("1 of 8 trees; the first, from root %d:", r.Roots[2])) {
		t.Errorf("error %v", err)
	}
	if r.Validation.Passed != 7 || r.Validation.Failed != 1 || r.Validation.Rules.Component != 1 || r.Validation.Rules.TreeEdges != 0 {
		t.Errorf("%+v", r.Validation)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "TEPS") || !strings.Contains(string(data), "median_time") {
		t.Errorf("%s", data)
	}
	for _, style := range []graph500.Style{graph500.StyleSpec, graph500.Style30, graph500.Style214} {
		var text strings.Builder
		if err := graph500.WriteOfficial(&text, style, r); err != nil {
			t.Fatal(err)
		}
		if s := text.String(); strings.Contains(s, "TEPS") || !strings.Contains(s, "validation: 7 of 8 passed\n") {
			t.Errorf("%s:\n%s", style, s)
		}
	}
	if !e.closed {
		t.Error("the engine was not closed")
	}
}

func TestRunErrors(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name   string
		config graph500.Config
		engine testEngine
		build  error
		want   error
	}{
		{"scale 0", graph500.Config{}, testEngine{}, nil, graph500.ErrConfig},
		{"scale 40", graph500.Config{Scale: 40}, testEngine{}, nil, graph500.ErrConfig},
		{"searches", graph500.Config{Scale: 5, Searches: -1}, testEngine{}, nil, graph500.ErrConfig},
		{"threads", graph500.Config{Scale: 5, Threads: -1}, testEngine{}, nil, graph500.ErrConfig},
		{"edge factor", graph500.Config{Scale: 5, EdgeFactor: -1}, testEngine{}, nil, graph500.ErrConfig},
		{"build", graph500.Config{Scale: 5}, testEngine{}, boom, boom},
		{"warm-up", graph500.Config{Scale: 5}, testEngine{fail: func(int) error { return boom }}, nil, boom},
		{"search", graph500.Config{Scale: 5}, testEngine{fail: func(n int) error {
			if n == 5 {
				return boom
			}
			return nil
		}}, nil, boom},
		{"close", graph500.Config{Scale: 5}, testEngine{closeErr: boom}, nil, boom},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := graph500.Run(context.Background(), c.config, func(ctx context.Context, l graph.Source) (graph500.Engine, error) {
				if c.build != nil {
					return nil, c.build
				}
				return c.engine.build(ctx, l)
			})
			if r != nil || !errors.Is(err, c.want) {
				t.Errorf("record %v, error %v", r, err)
			}
		})
	}
}

func TestConfigNamesEveryFault(t *testing.T) {
	err := graph500.Config{Scale: 40, Searches: -2, Threads: -3}.Validate()
	for _, s := range []string{"scale 40", "-2 searches", "-3 threads"} {
		if err == nil || !strings.Contains(err.Error(), s) {
			t.Errorf("%v does not name %q", err, s)
		}
	}
}

func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	e := &testEngine{fail: func(n int) error {
		if n == 3 {
			cancel()
		}
		return nil
	}}
	if r, err := graph500.Run(ctx, graph500.Config{Scale: 5}, e.build); r != nil || !errors.Is(err, context.Canceled) || !e.closed {
		t.Errorf("record %v, error %v, closed %v", r, err, e.closed)
	}
}

func TestLevelMeans(t *testing.T) {
	x := func(v float64) *float64 { return &v }
	var m graph500.LevelMeans
	if m.Levels() != nil {
		t.Error("the zero value has levels")
	}
	m.Add([]record.Level{
		{Level: 0, Direction: record.TopDown, Frontier: 1, FrontierArcs: x(4), TimeS: 2, Processors: []record.ProcessorLevel{{ComputeS: 1, BytesSent: 8}, {IdleS: 4}}},
		{Level: 1, Direction: record.TopDown, Frontier: 10, TimeS: 4},
		{Level: 2, Direction: record.BottomUp, Frontier: 5, FrontierArcs: x(6)},
		{Level: 3, Direction: record.BottomUp, Frontier: 5},
	})
	m.Add([]record.Level{
		{Level: 0, Direction: record.TopDown, Frontier: 3, FrontierArcs: x(7), TimeS: 4, Processors: []record.ProcessorLevel{{ComputeS: 2, BytesSent: 0}, {IdleS: 0, Kernel: "k"}}},
		{Level: 1, Direction: record.BottomUp, Frontier: 20, TimeS: 6},
		{Level: 2, Direction: record.BottomUp, Frontier: 5},
		{Level: 3, Direction: record.BottomUp, Frontier: 5, FrontierArcs: x(6)},
	})
	m.AddCounted([]record.Level{{Level: 0, Direction: record.TopDown, EdgesExamined: x(5)}, {Level: 2, Direction: record.TopDown, EdgesExamined: x(5)}})
	got, err := json.Marshal(m.Levels())
	if err != nil {
		t.Fatal(err)
	}
	want, _ := json.Marshal([]record.Level{
		{Level: 0, Direction: record.TopDown, Searches: 2, Frontier: 2, FrontierArcs: x(5.5), TimeS: 3, EdgesExamined: x(5), Processors: []record.ProcessorLevel{{ComputeS: 1.5, BytesSent: 4}, {IdleS: 2, Kernel: "k"}}},
		{Level: 1, Direction: record.TopDown, Searches: 1, Frontier: 10, TimeS: 4},
		{Level: 1, Direction: record.BottomUp, Searches: 1, Frontier: 20, TimeS: 6},
		{Level: 2, Direction: record.BottomUp, Searches: 2, Frontier: 5}, // the arcs of one search are unknown
		{Level: 3, Direction: record.BottomUp, Searches: 2, Frontier: 5},
	})
	if string(got) != string(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
