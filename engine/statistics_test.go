package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/record"
)

// benchRates are of the order that a present-day core measures.
var benchRates = bsp.Rates{ClaimNS: 2, VisitNS: 2.5, ProbeNS: 1.5, WordNS: 0.5, StepNS: 3000}

func kronecker(t *testing.T, scale int) *graph.EdgeList {
	t.Helper()
	l, err := gen.Make(context.Background(), gen.KroneckerOptions{Scale: scale})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestDirectors lets the statistics prove what each director does.
func TestDirectors(t *testing.T) {
	kron := kronecker(t, 14)
	kronDegree := degrees(kron)
	roots, err := gen.Roots(context.Background(), gen.RootOptions{Vertices: int64(kron.Vertices), Count: 4}, func(v uint32) bool {
		return kronDegree[v] > 0
	})
	if err != nil {
		t.Fatal(err)
	}
	chain := path(3000, false)
	for _, c := range []struct {
		list     *graph.EdgeList
		degree   []int
		name     string
		director bsp.DirectorName
		down, up bool
	}{
		{kron, kronDegree, "kronecker", "top-down", true, false},
		{kron, kronDegree, "kronecker", "bottom-up", false, true},
		{kron, kronDegree, "kronecker", "totem", true, true},
		{kron, kronDegree, "kronecker", "beamer", true, true},
		{kron, kronDegree, "kronecker", "ratio", true, true},
		{kron, kronDegree, "kronecker", "auto", true, true},
		{chain, nil, "chain", "auto", true, false},
	} {
		for _, threads := range [][]int{{1}, {1, 1}} {
			e := open(t, c.list, engine.Options{Director: c.director, Processors: cpus(threads...), Rates: benchRates})
			if e.Director() != string(c.director) {
				t.Errorf("director %s, want %s", e.Director(), c.director)
			}
			r := e.NewResult()
			r.Statistics = &bsp.Statistics{}
			for _, root := range roots {
				root %= uint32(c.list.Vertices)
				if err := e.CountBFS(context.Background(), uint64(root), r); err != nil {
					t.Fatal(err)
				}
				seen := map[string]int{}
				for _, l := range r.Statistics.Levels {
					seen[l.Direction]++
					ran := 0
					for _, p := range l.Processors {
						// One that is left out of a superstep runs none.
						up := p.Kernel == "stragglers" || strings.HasPrefix(p.Kernel, "words/")
						if p.Kernel == "" && (p.ComputeS > 0 || p.BytesSent > 0) || p.Kernel != "" && up != (l.Direction == record.BottomUp) {
							t.Errorf("kernel %q in a step %s", p.Kernel, l.Direction)
						}
						if p.Kernel != "" {
							ran++
						}
					}
					if ran == 0 {
						t.Errorf("no kernel in level %d", l.Level)
					}
				}
				if (seen[record.TopDown] > 0) != c.down || (seen[record.BottomUp] > 0) != c.up {
					t.Errorf("%s, %s, %d partitions, root %d: steps %v", c.name, c.director, len(threads), root, seen)
				}
				if c.director == "totem" && seen[record.BottomUp] > 3 {
					t.Errorf("totem went up %d times", seen[record.BottomUp])
				}
				frontiers := 0.0
				examined := 0.0
				for _, l := range r.Statistics.Levels {
					frontiers += l.Frontier
					examined += *l.EdgesExamined
				}
				if frontiers != float64(r.NumReached) {
					t.Errorf("%s: the frontiers hold %v vertices, %d were reached", c.director, frontiers, r.NumReached)
				}
				if c.director == "top-down" {
					want := 0.0
					for v, p := range r.Parents {
						if p != graph.None {
							want += float64(c.degree[v])
						}
					}
					if examined != want {
						t.Errorf("top-down read %v entries, the tree's vertices have %v", examined, want)
					}
				}
			}
			r.Free()
			e.Close()
		}
	}
}

// degrees counts the distinct neighbours of each vertex of an undirected list.
func degrees(l *graph.EdgeList) []int {
	d := make([]int, l.Vertices)
	distinct := make(map[graph.Edge]bool)
	for _, e := range l.Edges {
		if e.U > e.V {
			e.U, e.V = e.V, e.U
		}
		if e.U != e.V && !distinct[e] {
			distinct[e] = true
			d[e.U]++
			d[e.V]++
		}
	}
	return d
}

// TestTimes demands that each processor's times of a level add up to the level's.
func TestTimes(t *testing.T) {
	kron := kronecker(t, 12)
	for _, director := range bsp.Directors() {
		for _, threads := range [][]int{{1}, {2}, {1, 1}, {1, 2, 1}} {
			if raceEnabled && len(threads) == 1 {
				continue
			}
			e := open(t, kron, engine.Options{Director: director, Processors: cpus(threads...), Placement: partition.Random})
			r := e.NewResult()
			r.Statistics = &bsp.Statistics{}
			for root := range uint64(5) {
				if err := e.BFSInto(context.Background(), root, r); err != nil {
					t.Fatal(err)
				}
				for _, l := range r.Statistics.Levels {
					if l.EdgesExamined != nil {
						t.Error("a plain search counted entries")
					}
					if len(l.Processors) != len(threads) {
						t.Fatalf("%d processors in a level of %d", len(l.Processors), len(threads))
					}
					for i, p := range l.Processors {
						if p.ComputeS < 0 || p.PushS < 0 || p.PullS < 0 || p.IdleS < 0 {
							t.Errorf("level %d, processor %d: %+v", l.Level, i, p)
						}
						if l.Direction == record.TopDown && p.PullS != 0 || l.Direction == record.BottomUp && p.PushS != 0 {
							t.Errorf("level %d went %s: %+v", l.Level, l.Direction, p)
						}
						if len(threads) == 1 && (p.PullS != 0 || p.PushS != 0 || p.BytesSent != 0) {
							t.Errorf("one processor exchanged something: %+v", p)
						}
						sum := p.ComputeS + p.PushS + p.PullS + p.IdleS
						if d := math.Abs(sum - l.TimeS); d > max(0.05*l.TimeS, 20e-6) {
							t.Errorf("%s, level %d, processor %d: times add up to %v of %v s: %+v", director, l.Level, i, sum, l.TimeS, p)
						}
					}
				}
			}
			r.Free()
			e.Close()
		}
	}
}

// TestTimeParts demands that the parts of a search's time follow one another: they add up to at most
// the time, and to nearly all of it in the least disturbed of the searches.
func TestTimeParts(t *testing.T) {
	kron := kronecker(t, 12)
	for _, threads := range [][]int{{1}, {1, 1}} {
		e := open(t, kron, engine.Options{Processors: cpus(threads...)})
		r := e.NewResult()
		most := 0.0
		for range 50 {
			if err := e.BFSInto(context.Background(), uint64(kron.Edges[0].U), r); err != nil {
				t.Fatal(err)
			}
			sum := r.ResetTime + r.SearchTime + r.AggregateTime
			if r.ResetTime <= 0 || r.SearchTime <= 0 || r.AggregateTime <= 0 || r.CopyTime != 0 || sum > r.Time {
				t.Errorf("reset %v, search %v, aggregate %v, copy %v of %v", r.ResetTime, r.SearchTime, r.AggregateTime, r.CopyTime, r.Time)
			}
			most = max(most, float64(sum)/float64(r.Time))
		}
		if most < 0.95 {
			t.Errorf("%d processors: the parts add up to %.3f of the time", len(threads), most)
		}
		r.Free()
		e.Close()
	}
}

// TestLongChain searches a path of a million vertices: no recursion, nothing in
// proportion to the graph at a level, and statistics that stay small.
func TestLongChain(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("a million supersteps")
	}
	const n, seconds, limit = 1_000_000, 30, 1 << 30
	before := hugemem.Live().Bytes
	start := time.Now()
	e := open(t, path(n, true), engine.Options{Processors: cpus(2), Rates: benchRates})
	r, err := e.BFS(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if r.Depth != n-1 || r.NumReached != n || r.Levels()[n-1] != n-1 {
		t.Errorf("depth %d, reached %d", r.Depth, r.NumReached)
	}
	took := time.Since(start)
	t.Logf("%v, %v a superstep", took, r.Time/n)
	if took > seconds*time.Second {
		t.Errorf("took %v", took)
	}
	if held := hugemem.Live().Bytes - before; held > limit/2 {
		t.Errorf("%d bytes are held", held)
	}
	s := r.Statistics
	if s.Count != n || len(s.Levels) != bsp.MaxLevels || s.RestLevels != n-bsp.MaxLevels ||
		s.Rest.Frontier != n-bsp.MaxLevels || s.Rest.Level != n-1 || s.Rest.Direction != record.TopDown {
		t.Errorf("statistics: %d supersteps, %d levels, rest %+v of %d", s.Count, len(s.Levels), s.Rest, s.RestLevels)
	}
	for i, l := range s.Levels {
		if l.Level != i || l.Frontier != 1 {
			t.Fatalf("level %d: %+v", i, l)
		}
	}
}

// TestRest sums the later levels of a search by several processors.
func TestRest(t *testing.T) {
	const n = bsp.MaxLevels + 300
	e := open(t, path(n, false), engine.Options{Processors: cpus(1, 1), Placement: partition.Original})
	r := e.NewResult()
	defer r.Free()
	totem, err := bsp.NewDirector(bsp.DirectorTotem, bsp.Rates{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []bsp.Director{nil, totem} { // the statistics are used again
		if err := e.SetDirector(context.Background(), d); err != nil {
			t.Fatal(err)
		}
		if err := e.CountBFS(context.Background(), 0, r); err != nil {
			t.Fatal(err)
		}
		s := r.Statistics
		examined := *s.Rest.EdgesExamined
		if s.RestLevels != 300 || s.Rest.Frontier != 300 || examined != 599 || len(s.Rest.Processors) != 2 {
			t.Errorf("rest %+v of %d, %v entries", s.Rest, s.RestLevels, examined)
		}
		if arcs := s.Rest.FrontierArcs; (arcs != nil) != (d == totem) || arcs != nil && *arcs != 599 {
			t.Errorf("%s: rest %+v, want 599 out-arcs", e.Director(), s.Rest)
		}
		for i, p := range s.Rest.Processors {
			sum := p.ComputeS + p.PushS + p.PullS + p.IdleS
			if math.Abs(sum-s.Rest.TimeS) > 0.05*s.Rest.TimeS+20e-6 {
				t.Errorf("processor %d: times %v of %v s", i, sum, s.Rest.TimeS)
			}
		}
	}
}

// readCase reads a case of failures seen in other projects: its arcs and its expected
// result.
func readCase(t *testing.T, id string, want any) *graph.EdgeList {
	t.Helper()
	text, err := os.ReadFile(needs.Cases(t, id, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Input    struct{ File string }
		Vertices int
		Results  struct{ BFS json.RawMessage }
	}
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(c.Results.BFS, want); err != nil {
		t.Fatal(err)
	}
	text, err = os.ReadFile(needs.Cases(t, id, c.Input.File))
	if err != nil {
		t.Fatal(err)
	}
	l := &graph.EdgeList{Vertices: c.Vertices}
	for line := range bytes.Lines(text) {
		var e graph.Edge
		if _, err := fmt.Sscan(string(line), &e.U, &e.V); err != nil {
			t.Fatalf("%s: %q: %v", id, line, err)
		}
		l.Edges = append(l.Edges, e)
	}
	return l
}

// caseBFS is the expected search of a case.
type caseBFS struct {
	Source         uint64
	Depth          map[string]int32
	AllowedParents map[string][]uint32 `json:"allowed_parents"`
}

func (c *caseBFS) check(t *testing.T, e *engine.Engine) {
	t.Helper()
	r, err := e.BFS(context.Background(), c.Source)
	if err != nil {
		t.Fatal(err)
	}
	levels := r.Levels()
	for name, want := range c.Depth {
		v, err := strconv.Atoi(name)
		if err != nil {
			t.Fatal(err)
		}
		if levels[v] != want {
			t.Errorf("vertex %d: depth %d, want %d", v, levels[v], want)
		}
		if allowed := c.AllowedParents[name]; allowed != nil && !slices.Contains(allowed, r.Parents[v]) {
			t.Errorf("vertex %d: parent %d is none of %v", v, r.Parents[v], allowed)
		}
	}
}

// TestCasePartitions: more partitions than vertices give the same result (K37).
func TestCasePartitions(t *testing.T) {
	var want caseBFS
	l := readCase(t, "c37g", &want)
	for _, policy := range partition.Policies() {
		for parts := 1; parts <= 4; parts++ {
			for _, director := range bsp.Directors() {
				want.check(t, open(t, l, engine.Options{Placement: policy, Processors: cpus(slices.Repeat([]int{1}, parts)...), Director: director}))
			}
		}
	}
}

// TestCaseRepeat: depths repeat and parents stay among the valid ones (K38).
func TestCaseRepeat(t *testing.T) {
	var want caseBFS
	l := readCase(t, "c38g", &want)
	for _, threads := range [][]int{{1}, {2}, {8}, {2, 2}} {
		for _, director := range bsp.Directors() {
			e := open(t, l, engine.Options{Processors: cpus(threads...), Director: director})
			for range 20 {
				want.check(t, e)
			}
			e.Close()
		}
	}
}

// TestRepeat: one thread with a fixed director repeats parents exactly.
func TestRepeat(t *testing.T) {
	o := find(t, "scale-free of scale 11")
	for _, director := range []bsp.DirectorName{"top-down", "bottom-up", "totem", "beamer", "ratio"} {
		var first []uint32
		for range 3 {
			e := open(t, o.list, engine.Options{Processors: cpus(1), Director: director})
			for range 2 {
				r, err := e.BFS(context.Background(), 5)
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = r.Parents
				} else if !slices.Equal(first, r.Parents) {
					t.Errorf("%s: parents differ", director)
				}
			}
			e.Close()
		}
	}
}

// TestOneDirection uses the fixed directors by name: then only the arcs of that
// direction are built.
func TestOneDirection(t *testing.T) {
	for i, g := range ref.Corpus() {
		if !g.List.Directed || raceEnabled && i%4 != 0 {
			continue
		}
		o := newOracle(g)
		for _, director := range []bsp.DirectorName{"top-down", "bottom-up"} {
			for _, threads := range [][]int{{1}, {1, 1, 1}} {
				e := open(t, g.List, engine.Options{Processors: cpus(threads...), Director: director})
				for _, root := range g.Roots() {
					r, err := e.BFS(context.Background(), uint64(root))
					if err != nil {
						t.Fatal(err)
					}
					if err := o.check(root, r); err != nil {
						t.Errorf("%s, %s, %d partitions, root %d: %v", g.Name, director, len(threads), root, err)
					}
				}
				e.Close()
			}
		}
	}
}

// TestDirect: a director given to an engine chooses until nil takes that back, and an
// engine built for one direction refuses it.
func TestDirect(t *testing.T) {
	ctx := context.Background()
	l := kronecker(t, 8)
	e, err := engine.New(ctx, l, engine.Options{Director: "beamer"})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r := e.NewResult().Collect()
	defer r.Free()
	directions := func() (up, down int) {
		root := uint64(l.Edges[0].U)
		if err := e.BFSInto(ctx, root, r); err != nil {
			t.Fatal(err)
		}
		for _, lv := range r.Statistics.Levels {
			if lv.Direction == record.BottomUp {
				up++
			} else {
				down++
			}
		}
		return up, down
	}
	for _, c := range []struct {
		d        bsp.Director
		up, down bool
		name     string
	}{
		{bsp.Script{kernels.BottomUp}, true, false, "script"},
		{bsp.Script{kernels.TopDown}, false, true, "script"},
		{nil, true, true, "beamer"},
	} {
		if err := e.SetDirector(ctx, c.d); err != nil {
			t.Fatal(err)
		}
		if up, down := directions(); (up > 0) != c.up || (down > 0) != c.down || e.Director() != c.name {
			t.Errorf("%s: %d up, %d down", e.Director(), up, down)
		}
	}
	one, err := engine.New(ctx, l, engine.Options{Director: "top-down"})
	if err != nil {
		t.Fatal(err)
	}
	if err := one.SetDirector(ctx, bsp.Script{kernels.BottomUp}); !errors.Is(err, engine.ErrOptions) {
		t.Errorf("an engine without in-arcs: %v", err)
	}
	for name, want := range map[bsp.DirectorName]error{bsp.DirectorTopDown: nil, bsp.DirectorBottomUp: engine.ErrOptions} {
		d, err := bsp.NewDirector(name, bsp.Rates{})
		if err != nil {
			t.Fatal(err)
		}
		if err := one.SetDirector(ctx, d); !errors.Is(err, want) {
			t.Errorf("%s in an engine for top-down: %v", name, err)
		}
	}
	if err := one.SetDirector(ctx, nil); err != nil {
		t.Error(err)
	}
	one.Close()
	if err := one.SetDirector(ctx, nil); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
