package cpu_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/hugetest"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/kernels/kerneltest"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/program"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestConformance runs the kit on one thread, its searches on two and a third of its programs on
// four; under the race detector not on one, and a sixth of the searches and programs.
func TestConformance(t *testing.T) {
	teams, of := []int{1, 2, 4}, 1
	if raceEnabled {
		teams, of = teams[1:], 2
	}
	for _, threads := range teams {
		t.Run(fmt.Sprintf("threads=%d", threads), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(2, threads)))
			o := kerneltest.Options{Short: raceEnabled || threads > 2, Skip: [][]string{2: {"programs/"}, 4: {"searches/", "rule="}}[threads], Of: of}
			o.Run(t, func(*testing.T) kernels.Processor { return cpu.New(threads) })
		})
	}
}

// place puts the vertices of a list on parts processors at random.
func place(t testing.TB, l *graph.EdgeList, parts int) *partition.Placement {
	t.Helper()
	p, err := partition.New(context.Background(), l, partition.Options{
		Policy: partition.Random, Processors: make([]partition.Processor, parts), Seed: 1, Threads: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func load(t testing.TB, p *partition.Placement, i, threads int) *cpu.Search {
	t.Helper()
	k := cpu.New(threads)
	if err := k.Load(context.Background(), p.Part(i)); err != nil {
		t.Fatal(err)
	}
	search := k.Search()
	t.Cleanup(func() { search.Close() })
	return search
}

func kronecker(t testing.TB, scale int) *graph.EdgeList {
	t.Helper()
	l, err := gen.Make(context.Background(), gen.KroneckerOptions{Scale: scale})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// alone runs a search on one processor that has the whole graph.
func alone(t testing.TB, p *partition.Placement, k *cpu.Search, root uint32, need kernels.Need, next func(level int) kernels.Direction) []uint32 {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ok(k.Begin(need))
	ok(k.Seed(p.RankOf[root], -1, 0))
	for level := 0; ; level++ {
		d := next(level)
		name, err := k.Go(d)
		ok(err)
		if up := name == "stragglers" || strings.HasPrefix(name, "words/"); name == "" || up != (d == kernels.BottomUp) {
			t.Errorf("a step %s ran %s", d, name)
		}
		c, err := k.Advance()
		ok(err)
		if c.Next == 0 {
			break
		}
	}
	parents := slices.Repeat([]uint32{graph.None}, len(p.RankOf))
	ok(k.Parents(parents, nil, nil))
	return parents
}

// TestThreads searches graphs that are large enough for every parallel path, a row of
// more than the hubs' length among them, on two to eight threads.
func TestThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	star := &graph.EdgeList{Vertices: 60_000}
	for v := uint32(1); v < 60_000; v++ {
		star.Edges = append(star.Edges, graph.Edge{U: 0, V: v})
		if v%3 == 0 {
			star.Edges = append(star.Edges, graph.Edge{U: v, V: (v * 7) % 60_000})
		}
	}
	scale, teams := 14, []int{2, 3, 8}
	if raceEnabled {
		scale, teams = 12, []int{2, 8}
	}
	kron := kronecker(t, scale)
	directed := &graph.EdgeList{Vertices: kron.Vertices, Directed: true, Edges: kron.Edges}
	names := []string{"star", "kronecker", "kronecker, directed"}
	for i, l := range []*graph.EdgeList{star, kron, directed} {
		p := place(t, l, 1)
		root := l.Edges[3].U
		want, rng := ref.Levels(l, root), rand.New(rand.NewPCG(3, uint64(i)))
		for _, threads := range teams {
			k := load(t, p, 0, threads)
			if k.Threads() != threads {
				t.Fatalf("%d threads, want %d", k.Threads(), threads)
			}
			for round := range 4 {
				parents := alone(t, p, k, root, kernels.NeedNextArcs|kernels.NeedUnvisited|kernels.NeedExamined, func(level int) kernels.Direction {
					switch round {
					case 0, 1:
						return kernels.Direction(round)
					case 2:
						return kernels.Direction(level / 2 % 2)
					}
					return kernels.Direction(rng.IntN(2))
				})
				for v, parent := range parents {
					if (parent == graph.None) != (want[v] == ref.Unreached) || parent != graph.None && uint32(v) != root && want[parent]+1 != want[v] {
						t.Fatalf("%s, %d threads, round %d: vertex %d at level %d has parent %d", names[i], threads, round, v, want[v], parent)
					}
				}
				if round == 0 && i != 1 {
					if err := ref.CheckTree(l, root, parents); err != nil {
						t.Errorf("%s: %v", names[i], err)
					}
				}
			}
			k.Close()
		}
	}
}

// TestForms demands that a list and a bitmap of the same vertices do the same, as
// messages that come in and, by the border 32·c < b, as those that go out.
func TestForms(t *testing.T) {
	l := kronecker(t, 10)
	p := place(t, l, 2)
	own, foreign := p.Ranges[0], p.Ranges[1]
	width := int(own.Padded() - own.First)
	border := (width + 31) / 32 // from here on a bitmap
	rng := rand.New(rand.NewPCG(11, 1))
	bitmap := func(rg graph.Range, ranks []uint32) kernels.Message {
		m := kernels.Message{Count: len(ranks), Bits: make([]uint32, (rg.Padded()-rg.First)/32)}
		for _, v := range ranks {
			m.Bits[(v-rg.First)/32] |= 1 << (v % 32)
		}
		return m
	}
	ranksOf := func(rg graph.Range, m kernels.Message) []uint32 {
		ranks := slices.Clone(m.List)
		for i, w := range m.Bits {
			for b := range uint32(32) {
				if w>>b&1 != 0 {
					ranks = append(ranks, rg.First+uint32(i)*32+b)
				}
			}
		}
		slices.Sort(ranks)
		return ranks
	}
	for _, c := range []int{1, 2, border - 1, border, border + 1, int(own.Vertices)} {
		some := func(rg graph.Range) []uint32 {
			n := min(c, int(rg.Vertices))
			ranks := make([]uint32, 0, n)
			for _, i := range rng.Perm(int(rg.Vertices))[:n] {
				ranks = append(ranks, rg.First+uint32(i))
			}
			return ranks
		}
		ours, theirs := some(own), some(foreign)
		var published, outbox, up [2][]uint32
		var counts [2]kernels.Counts
		for form := range 2 {
			k := load(t, p, 0, 1)
			if err := k.Begin(kernels.NeedNextArcs | kernels.NeedUnvisited); err != nil {
				t.Fatal(err)
			}
			tell := func(rg graph.Range, ranks []uint32) kernels.Message {
				if form == 0 {
					return kernels.Message{Count: len(ranks), List: ranks}
				}
				return bitmap(rg, ranks)
			}
			step := func(d kernels.Direction) {
				t.Helper()
				if _, err := k.Go(d); err != nil {
					t.Fatal(err)
				}
			}
			finish := func() kernels.Counts {
				t.Helper()
				counts, err := k.Advance()
				if err != nil {
					t.Fatal(err)
				}
				return counts
			}
			message := func(f func(int) (kernels.Message, error), r int) []uint32 {
				t.Helper()
				m, err := f(r)
				if err != nil {
					t.Fatal(err)
				}
				rg := p.Ranges[r]
				if isList := m.List != nil; m.Count > 0 && isList != kernels.AsList(m.Count, int(rg.Padded()-rg.First)) {
					t.Errorf("%d of %d vertices travel as a list: %v", m.Count, rg.Padded()-rg.First, isList)
				}
				ranks := ranksOf(rg, m)
				if len(ranks) != m.Count {
					t.Errorf("a message of %d counts %d", len(ranks), m.Count)
				}
				return ranks
			}
			// What is delivered becomes the frontier and is published.
			step(kernels.TopDown)
			if err := k.Merge(0, 1, tell(own, ours)); err != nil {
				t.Fatal(err)
			}
			counts[form] = finish()
			published[form] = message(k.Slice, 0)
			// It pushes to the other partition.
			step(kernels.TopDown)
			outbox[form] = message(k.Fold, 1)
			finish()
			// What is gathered is pulled from.
			if err := k.Take(0, program.Step{Way: program.Pull}, 1, tell(foreign, theirs)); err != nil {
				t.Fatal(err)
			}
			step(kernels.BottomUp)
			finish()
			up[form] = message(k.Slice, 0)
			k.Close()
		}
		slices.Sort(ours)
		if !slices.Equal(published[0], ours) || counts[0].Next != int64(len(ours)) {
			t.Errorf("%d vertices were delivered, %d published, %+v", len(ours), len(published[0]), counts[0])
		}
		if !slices.Equal(published[0], published[1]) || !slices.Equal(outbox[0], outbox[1]) || !slices.Equal(up[0], up[1]) || counts[0] != counts[1] {
			t.Errorf("%d vertices: a list and a bitmap do not do the same", c)
		}
	}
}

// ways are limits that force each way to run a step.
var ways = []string{
	"serial=0,share=0,scatter=1000000,list=0",
	"serial=0,scatter=0,list=0",
	"serial=0,scatter=0,list=1000000",
	"serial=0,share=1000000000,scatter=1000000",
}

// tune makes a processor use a set of kernels and limits.
func tune(t testing.TB, k *cpu.Processor, set, limits string) {
	t.Helper()
	tuning, err := cpu.ParseTuning(limits)
	if err := errors.Join(err, k.Use(set), k.Tune(tuning)); err != nil {
		t.Fatal(err)
	}
}

// TestGuard searches with every array flush against an inaccessible page, with each set
// of kernels and each way to run a step: nothing is read or written beyond an end.
func TestGuard(t *testing.T) {
	hugetest.Guard(t)
	rng := rand.New(rand.NewPCG(4, 1))
	for _, g := range ref.Corpus() {
		if g.List.Vertices > 1300 {
			continue
		}
		p := place(t, g.List, 1) // its arrays are guarded too
		for i := range 2 * len(cpu.Kernels()) * len(ways) {
			threads, set, way := 1+i%2, cpu.Kernels()[i/2%len(cpu.Kernels())], ways[i/2/len(cpu.Kernels())]
			k := cpu.New(threads)
			tune(t, k, set, way)
			if err := k.Load(context.Background(), p.Part(0)); err != nil {
				t.Fatal(err)
			}
			search := k.Search()
			for _, root := range g.Roots() {
				if p.RankOf[root] == graph.None {
					continue
				}
				parents := alone(t, p, search, root, kernels.NeedNextArcs|kernels.NeedUnvisited, func(int) kernels.Direction {
					return kernels.Direction(rng.IntN(2))
				})
				// Isolated vertices have no entry.
				if err := ref.CheckTree(g.List, root, parents); err != nil {
					t.Errorf("%s, root %d, kernels %s, %s: %v", g.Name, root, set, way, err)
				}
			}
			if err := search.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestLoad refuses parts that are not what the contract says, and gives back all
// memory.
func TestLoad(t *testing.T) {
	before := hugemem.Live()
	p, err := partition.New(context.Background(), kronecker(t, 8), partition.Options{Processors: make([]partition.Processor, 2)})
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*kernels.Part){
		"ranks":                func(part *kernels.Part) { part.Ranks++ },
		"too few subgraphs":    func(part *kernels.Part) { part.Subgraphs = part.Subgraphs[:1] },
		"no subgraph":          func(part *kernels.Part) { part.Subgraphs = make([]*graph.Subgraph, 2) },
		"another's subgraph":   func(part *kernels.Part) { part.Subgraphs[0] = p.Subgraphs[1] },
		"a range of more rows": func(part *kernels.Part) { part.Ranges = slices.Clone(part.Ranges); part.Ranges[0].Vertices++ },
	} {
		part := p.Part(0)
		spoil(part)
		k := cpu.New(1)
		if err := k.Load(context.Background(), part); !errors.Is(err, cpu.ErrLoad) {
			t.Errorf("%s: %v", name, err)
		}
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	}
	k := cpu.New(2)
	if err := k.Load(context.Background(), p.Part(0)); err != nil {
		t.Fatal(err)
	}
	bytes := k.Bytes() + k.RunBytes(bsp.Tree)
	const lists = 2 * 16 << 10 // of the threads, which the placement does not count
	if k.Kind() != kernels.CPU || bytes <= k.Bytes() || bytes > p.Processors[0].Bytes+lists+1024 {
		t.Errorf("%s, %d bytes, the placement says %d", k.Kind(), bytes, p.Processors[0].Bytes)
	}
	search := k.Search()
	for range 2 {
		if err := search.Close(); err != nil {
			t.Error(err)
		}
	}
	p.Close()
	if after := hugemem.Live(); after != before {
		t.Errorf("memory: %+v before, %+v after", before, after)
	}
}

// TestWays runs searches of the kit with limits that force each way to run a step.
func TestWays(t *testing.T) {
	of := 1
	if raceEnabled {
		of = 4
	}
	for i, way := range []struct {
		threads         int
		kernels, limits string
	}{
		{2, "generic", ways[0]},
		{2, "generic", ways[1]},
		{2, "auto", ways[1]},
		{2, "generic", ways[2]},
		{2, "auto", ways[2]},
		{2, "generic", ways[3]},
		{1, "generic", ways[1]},
		{1, "auto", ways[2]},
	} {
		if raceEnabled && (way.threads == 1 || way.kernels != "generic") {
			continue // the detector does not see assembly
		}
		t.Run(fmt.Sprintf("threads=%d/kernels=%s/%s", way.threads, way.kernels, way.limits), func(t *testing.T) {
			kerneltest.Options{Short: true, Skip: []string{"programs/", "rule=many"}, Part: i % of, Of: of}.Run(t, func(t *testing.T) kernels.Processor {
				k := cpu.New(way.threads)
				tune(t, k, way.kernels, way.limits)
				return k
			})
		})
	}
}

// TestTuning: what String prints ParseTuning reads, and faults are named.
func TestTuning(t *testing.T) {
	d := cpu.DefaultTuning()
	if got, err := cpu.ParseTuning(d.String()); err != nil || got != d {
		t.Errorf("%v: %v, %v", d, got, err)
	}
	var list []cpu.Tuning
	for limit := range cpu.Limits {
		list = append(list, d.Variations(limit)...)
	}
	if err := (cpu.Tuning{Share: -1}).Validate(); !errors.Is(err, cpu.ErrTuning) {
		t.Errorf("a negative limit: %v", err)
	}
	for _, v := range list {
		if got, err := cpu.ParseTuning(v.String()); err != nil || got != v || v == d {
			t.Errorf("%v: %v, %v", v, got, err)
		}
	}
	for _, s := range []string{"serial", "serial=x", "serial=-1", "width=3", "segment=64", "list=", "list=-1", "list=2000000000000", ","} {
		if _, err := cpu.ParseTuning(s); !errors.Is(err, cpu.ErrTuning) {
			t.Errorf("%q: %v", s, err)
		}
	}
}
