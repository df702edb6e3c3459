package bsp_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/record"
)

// plain is a run that neither runs several supersteps a call nor counts as a CPU's: its searches
// take every superstep on all processors.
type plain struct{ kernels.Claims }

// together leaves runs as they are, or lets every superstep run on all of them at once,
// however small.
func together(asTheyAre bool) func(run) kernels.Run {
	if asTheyAre {
		return nil
	}
	return func(r run) kernels.Run { return plain{r} }
}

// watched is a CPU's run whose calls are counted.
type watched struct {
	*counting
	of        run
	many, ran int              // calls of StepMany, and supersteps in them that were not undone
	undone    int              // calls of Undo
	before    func(number int) // before a call, if not nil
}

func watch(r run) *watched { return &watched{counting: &counting{Claims: r}, of: r} }

func (w *watched) MultiStepLimits() kernels.MultiStepLimits { return w.of.MultiStepLimits() }

func (w *watched) StepMany(ctx context.Context, levels int) (string, []kernels.Counts, error) {
	if w.many++; w.before != nil {
		w.before(w.many)
	}
	name, list, err := w.of.StepMany(ctx, levels)
	w.ran += len(list)
	return name, list, err
}

func (w *watched) Undo(n int) error {
	w.undone++
	w.ran -= n
	return w.of.Undo(n)
}

// fixed is a run that undoes nothing, as a device's.
type fixed struct {
	kernels.Claims
	of *watched
}

func (f fixed) MultiStepLimits() kernels.MultiStepLimits { return f.of.MultiStepLimits() }

func (f fixed) StepMany(ctx context.Context, levels int) (string, []kernels.Counts, error) {
	return f.of.StepMany(ctx, levels)
}

// told is the levels without times and kernels.
func told(s *bsp.Statistics) (list []string) {
	for _, l := range append([]record.Level{{Level: s.Count, Frontier: float64(s.RestLevels)}}, s.All()...) {
		text := fmt.Sprintf("level %d %s: frontier %v", l.Level, l.Direction, l.Frontier)
		if l.EdgesExamined != nil {
			text += fmt.Sprintf(", examined %v", *l.EdgesExamined)
		}
		if l.FrontierArcs != nil {
			text += fmt.Sprintf(", arcs %v", *l.FrontierArcs)
		}
		for _, p := range l.Processors {
			text += fmt.Sprintf(", sent %v, received %v", p.BytesSent, p.BytesReceived)
		}
		list = append(list, text)
	}
	return list
}

// chains joins paths of n vertices at their ends; count 1 is one path. The paths of several
// run beside each other, and meet at both ends.
func chains(n, count uint32) *graph.EdgeList {
	l := &graph.EdgeList{Vertices: int(n * count)}
	for c := range count {
		for v := uint32(1); v < n; v++ {
			l.Edges = append(l.Edges, graph.Edge{U: c*n + v - 1, V: c*n + v})
		}
		if c > 0 {
			l.Edges = append(l.Edges, graph.Edge{U: 0, V: c * n}, graph.Edge{U: n - 1, V: c*n + n - 1})
		}
	}
	return l
}

// TestMultiStep: searches of deep graphs whose cuts fall in their paths give the levels,
// counts and bytes of searches that take each superstep on all processors, and trees.
func TestMultiStep(t *testing.T) {
	n := uint32(2100) // two in a row are past MaxLevels
	if raceEnabled {
		n = 300
	}
	rng := rand.New(rand.NewPCG(3, 4))
	wide := &graph.EdgeList{Vertices: 900, Edges: nil} // a ladder of 30 rows of 30
	for v := uint32(0); v < 900; v++ {
		if v%30 != 29 {
			wide.Edges = append(wide.Edges, graph.Edge{U: v, V: v + 1})
		}
		if v+30 < 900 {
			wide.Edges = append(wide.Edges, graph.Edge{U: v, V: v + 30})
		}
	}
	deals := map[string]func(v, n, parts int) int{
		"runs":    func(v, n, parts int) int { return v * parts / n },
		"blocks":  func(v, _, parts int) int { return v / 64 % parts },
		"by turn": func(v, _, parts int) int { return v % parts },
		"random":  func(_, _, parts int) int { return rng.IntN(parts) },
	}
	for _, g := range []struct {
		name  string
		list  *graph.EdgeList
		roots []uint32
	}{
		{"chain", chains(2*n, 1), []uint32{0, n, 3 * n / 4}}, {"two chains", chains(n/3, 2), []uint32{0, n / 9}}, {"grid", wide, []uint32{0, 465}},
	} {
		for parts := 1; parts <= 4; parts++ {
			if raceEnabled && parts%2 == 0 {
				continue
			}
			for name, deal := range deals {
				owners := make([]uint8, g.list.Vertices)
				for v := range owners {
					owners[v] = uint8(deal(v, len(owners), parts))
				}
				p := place(t, g.list, parts, owners)
				one := load(t, p, together(false))
				var seen []*watched
				many := load(t, p, func(r run) kernels.Run {
					seen = append(seen, watch(r))
					if len(seen) == parts && parts%2 == 0 {
						return fixed{seen[parts-1], seen[parts-1]}
					}
					return seen[len(seen)-1]
				})
				directors := []bsp.Director{script("D"), script("DDDDDUDDDUUDDDDDDDDDDDDDDDDDDDDDDDDDDDDDUD")}
				for _, name := range bsp.Directors() {
					if d, err := bsp.NewDirector(name, bsp.Rates{ClaimNS: 2, VisitNS: 2, ProbeNS: 1, WordNS: 1, StepNS: 900}); err == nil && name != "bottom-up" {
						directors = append(directors, d)
					}
				}
				for turn, root := range g.roots {
					for k, d := range directors {
						if k > 0 && (k+turn+parts)%3 != 0 {
							continue // each with some of the roots and partitions
						}
						where := fmt.Sprintf("%s, %d partitions dealt in %s, root %d, director %s", g.name, parts, name, root, d.Name())
						want, got := &bsp.Statistics{}, &bsp.Statistics{}
						find := func(l *bsp.BFS, s *bsp.Statistics) []uint32 {
							parents := slices.Repeat([]uint32{graph.None}, len(p.RankOf))
							if _, err := l.Search(t.Context(), bsp.Search{Root: p.RankOf[root], Parents: parents, Director: d, Statistics: s, Examined: true}); err != nil {
								t.Fatalf("%s: %v", where, err)
							}
							return parents
						}
						find(one, want)
						parents := find(many, got)
						if k == 0 {
							if err := ref.CheckTree(g.list, root, parents); err != nil {
								t.Fatalf("%s: %v", where, err)
							}
						}
						a, b := told(want), told(got)
						for i := range min(len(a), len(b)) {
							if a[i] != b[i] {
								t.Fatalf("%s: %s, want %s", where, b[i], a[i])
							}
						}
						if len(a) != len(b) {
							t.Fatalf("%s: %d levels, want %d", where, len(b), len(a))
						}
					}
				}
				ran := 0
				for _, w := range seen {
					ran += w.ran
				}
				if ran < int(n)/2 && (name == "runs" || parts == 1) && g.name == "chain" {
					t.Errorf("%s, %d partitions dealt in %s: %d supersteps of several a call", g.name, parts, name, ran)
				}
				one.Close()
				many.Close()
			}
		}
	}
}

// TestMultiStepWakesNobody: while the frontier is one partition's alone, the others step not
// once, and a call is tried no more often than it pays.
func TestMultiStepWakesNobody(t *testing.T) {
	const n = 40000
	for name, c := range map[string]struct {
		deal  func(v int) uint8
		steps int // of each partition, at most
		many  int // calls of StepMany
	}{
		"halves":  {func(v int) uint8 { return uint8(v / (n / 2)) }, 20, n / 256},
		"by turn": {func(v int) uint8 { return uint8(v % 2) }, n + 1, n/16 + 20},
	} {
		owners := make([]uint8, n)
		for v := range owners {
			owners[v] = c.deal(v)
		}
		list := chains(n, 1)
		p := place(t, list, 2, owners)
		var seen []*watched
		loop := load(t, p, func(r run) kernels.Run {
			seen = append(seen, watch(r))
			return seen[len(seen)-1]
		})
		if _, err := search(loop, p, 0, script("D"), nil); err != nil {
			t.Fatal(err)
		}
		for i, w := range seen {
			if w.steps[kernels.TopDown] > c.steps || w.many > c.many {
				t.Errorf("%s: partition %d stepped %v times, and %d times several levels", name, i, w.steps, w.many)
			}
		}
		loop.Close()
	}
}

// TestMultiStepApart: two partitions with a part of a narrow frontier each run many supersteps without exchange, and
// step together about the border only, whether both can undo or one; the device's half is never undone.
func TestMultiStepApart(t *testing.T) {
	const n = 40000
	owners := make([]uint8, n)
	for v := range owners {
		owners[v] = uint8(v / (n / 2))
	}
	list := chains(n, 1)
	p := place(t, list, 2, owners)
	for _, device := range []int{-1, 0, 1} {
		var seen []*watched
		loop := load(t, p, func(r run) kernels.Run {
			w := watch(r)
			if seen = append(seen, w); len(seen)-1 == device {
				return fixed{w, w}
			}
			return w
		})
		for _, root := range []uint32{n / 3, n/2 - 1, n / 2, 4 * n / 5} {
			for _, w := range seen {
				w.steps, w.many, w.ran, w.undone = [2]int{}, 0, 0, 0
			}
			parents, err := search(loop, p, root, script("D"), nil)
			if err == nil {
				err = ref.CheckTree(list, root, parents)
			}
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range seen {
				if w.steps[kernels.TopDown] > 40 || w.many > 120 || w.undone > 12 || i == device && w.undone > 0 {
					t.Errorf("device %d, root %d: partition %d stepped %v times, %d times several levels, and undid %d calls",
						device, root, i, w.steps, w.many, w.undone)
				}
			}
		}
		loop.Close()
	}
}

// TestMultiStepCancelled: a search whose context ends in a call of several supersteps ends
// with that call, and the next search is right.
func TestMultiStepCancelled(t *testing.T) {
	const n = 20000
	list := chains(n, 1)
	for parts := 1; parts <= 2; parts++ {
		owners := make([]uint8, n)
		for v := range owners {
			owners[v] = uint8(v * parts / n)
		}
		p := place(t, list, parts, owners)
		ctx, cancel := context.WithCancel(t.Context())
		var seen []*watched
		loop := load(t, p, func(r run) kernels.Run {
			seen = append(seen, watch(r))
			return seen[len(seen)-1]
		})
		seen[0].before = func(number int) {
			if number == 3 {
				cancel()
			}
		}
		s := &bsp.Statistics{}
		if _, err := loop.Search(ctx, bsp.Search{Root: p.RankOf[0], Director: script("D"), Statistics: s}); !errors.Is(err, context.Canceled) {
			t.Errorf("%d partitions: error %v", parts, err)
		}
		if seen[0].many > 3 || s.Count > 3*4096 {
			t.Errorf("%d partitions: %d calls and %d levels", parts, seen[0].many, s.Count)
		}
		parents, err := search(loop, p, n/2, script("D"), nil)
		if err == nil {
			err = ref.CheckTree(list, n/2, parents)
		}
		if err != nil {
			t.Error(err)
		}
		loop.Close()
	}
}
