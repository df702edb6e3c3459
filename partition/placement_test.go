package partition_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/partition"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// procs makes processors of a word: c for a CPU, d for a device.
func procs(word string) []partition.Processor {
	var list []partition.Processor
	for i, c := range word {
		list = append(list, partition.Processor{Name: fmt.Sprintf("%c%d", c, i), Device: c == 'd'})
	}
	return list
}

func kronecker(t testing.TB, scale int) *graph.EdgeList {
	t.Helper()
	l, err := gen.Make(context.Background(), gen.KroneckerOptions{Scale: scale, EdgeFactor: 8})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// weigh gives a list weights with many ties.
func weigh(l *graph.EdgeList, kind graph.WeightKind, rng *rand.Rand) {
	n := len(l.Edges)
	i32, i64, f32, f64 := make([]int32, n), make([]int64, n), make([]float32, n), make([]float64, n)
	for i := range n {
		x := rng.IntN(9) - 2
		i32[i], i64[i], f32[i], f64[i] = int32(x), int64(x)<<40, float32(x)/4, float64(x)/8
	}
	switch kind {
	case graph.Int32:
		l.Weights = graph.WeightsOf(i32)
	case graph.Int64:
		l.Weights = graph.WeightsOf(i64)
	case graph.Float32:
		l.Weights = graph.WeightsOf(f32)
	case graph.Float64:
		l.Weights = graph.WeightsOf(f64)
	}
}

// TestPlacement checks every policy on the corpus.
func TestPlacement(t *testing.T) {
	const seed = 5
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for i, g := range ref.Corpus() {
		if raceEnabled && i%5 != 0 {
			continue
		}
		for k, policy := range append(partition.Policies(), partition.Auto) {
			l := *g.List
			kind := graph.WeightKind(rng.IntN(5))
			weigh(&l, kind, rng)
			word := []string{"c", "cd", "ccc", "cdd", "dcdc"}[(k+len(l.Edges))%5]
			build(t, &l, partition.Options{
				Policy: policy, Processors: procs(word), Seed: 9, Weighted: rng.IntN(2) == 0,
				NoIn: rng.IntN(4) == 0, NoOut: rng.IntN(4) == 0, Threads: 1 + k%2,
			})
		}
		owners := make([]uint8, g.List.Vertices)
		for v := range owners {
			owners[v] = uint8(rng.IntN(3))
		}
		p := build(t, g.List, partition.Options{Policy: partition.Assigned, Assignment: owners, Processors: procs("cdc")})
		for v, rank := range p.RankOf {
			if rank != graph.None && p.Ranges[p.RangeOf(rank)].Owner != int(owners[v]) {
				t.Errorf("%s: vertex %d is not where it was assigned", g.Name, v)
			}
		}
	}
}

// degrees returns the degrees of a processor's vertices, in the order of ranks.
func degrees(l *graph.EdgeList, p *partition.Placement, proc int) (list []int) {
	m := newModel(l)
	for _, r := range p.Ranges {
		if r.Owner == proc {
			for _, v := range p.VertexOf[r.First : r.First+r.Vertices] {
				list = append(list, m.degree[v])
			}
		}
	}
	return list
}

// TestOrder looks at who gets the hubs.
func TestOrder(t *testing.T) {
	l := kronecker(t, 11)
	shares := []float64{0.3, 0.2, 0.4, 0.1}
	for _, c := range []struct {
		policy partition.Policy
		word   string
		shares []float64
		order  []int // processors by falling degree
	}{
		{partition.HubsOnCPU, "cccc", shares, []int{0, 1, 2, 3}},
		{partition.HubsOnCPU, "dcdc", shares, []int{1, 3, 0, 2}},
		{partition.HubsOnCPU, "dddd", shares, []int{0, 1, 2, 3}},
		{partition.HubsOnCPU, "dc", nil, []int{1, 0}},
		{partition.HubsOnGPU, "cccc", shares, []int{3, 2, 1, 0}},
		{partition.HubsOnGPU, "cdcd", shares, []int{1, 3, 0, 2}},
		{partition.HubsOnGPU, "cd", nil, []int{1, 0}},
	} {
		p := build(t, l, partition.Options{Policy: c.policy, Processors: procs(c.word), Shares: c.shares})
		if p.Ranges[0].Owner != c.order[0] {
			t.Errorf("%s on %s: the first range belongs to %d", c.policy, c.word, p.Ranges[0].Owner)
		}
		for k := 1; k < len(c.order); k++ {
			before, after := degrees(l, p, c.order[k-1]), degrees(l, p, c.order[k])
			if len(before) == 0 || len(after) == 0 || slices.Max(after) > slices.Min(before) {
				t.Errorf("%s on %s: processor %d has a higher degree than %d", c.policy, c.word, c.order[k], c.order[k-1])
			}
		}
	}

	// Processors of one kind are dealt by falling degree.
	m := newModel(l)
	for _, c := range []struct {
		policy partition.Policy
		word   string
		turn   []int
	}{
		{partition.HubsOnCPU, "ccc", []int{0, 1, 2}},
		{partition.HubsOnGPU, "ccc", []int{2, 1, 0}},
		{partition.HubsOnCPU, "dd", []int{0, 1}},
	} {
		p := build(t, l, partition.Options{Policy: c.policy, Processors: procs(c.word)})
		var all []uint32
		for v, d := range m.degree {
			if d > 0 {
				all = append(all, uint32(v))
			}
		}
		slices.SortStableFunc(all, func(a, b uint32) int { return m.degree[b] - m.degree[a] })
		for i, v := range all {
			if got := p.Ranges[p.RangeOf(p.RankOf[v])].Owner; got != c.turn[i%len(c.turn)] {
				t.Fatalf("%s on %s: vertex %d of falling degree went to %d", c.policy, c.word, i, got)
			}
		}
	}
	p := build(t, l, partition.Options{Policy: partition.HubsOnCPU, Processors: procs("dcdc")})
	if a, b := len(degrees(l, p, 1)), len(degrees(l, p, 3)); a-b > 1 || b > a {
		t.Errorf("two CPUs were dealt %d and %d vertices", a, b)
	}
	if a, b := len(degrees(l, p, 0)), len(degrees(l, p, 2)); a-b > 1 || b > a {
		t.Errorf("two devices were dealt %d and %d vertices", a, b)
	}

	// Original keeps the order of ids over all ranges.
	p = build(t, l, partition.Options{Policy: partition.Original, Processors: procs("ccc")})
	last := -1
	for _, v := range p.VertexOf {
		if v != graph.None {
			if int(v) < last {
				t.Fatalf("vertex %d follows %d", v, last)
			}
			last = int(v)
		}
	}
}

// TestShares demands that each share is met within 1% or one vertex.
func TestShares(t *testing.T) {
	const seed = 8
	t.Logf("seed %d", seed)
	rounds := 12
	if raceEnabled {
		rounds = 3
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, scale := range []int{5, 11} {
		for _, directed := range []bool{false, true} {
			l := kronecker(t, scale)
			l.Directed = directed
			m := newModel(l)
			for range rounds {
				word := []string{"cc", "cd", "ccdd", "cdcdc"}[rng.IntN(4)]
				shares := make([]float64, len(word))
				left := 1.0
				for i := range shares[1:] {
					shares[i] = left * rng.Float64()
					if rng.IntN(6) == 0 {
						shares[i] = 0
					}
					left -= shares[i]
				}
				shares[len(word)-1] = left
				o := partition.Options{Policy: partition.Policies()[rng.IntN(4)], Processors: procs(word), Shares: shares, Seed: rng.Uint64()}
				o.NoIn = directed && rng.IntN(2) == 0
				p := build(t, l, o)
				total := int64(0)
				for _, f := range p.Processors {
					total += f.Entries
				}
				for i, f := range p.Processors {
					off := math.Abs(float64(f.Entries) - shares[i]*float64(total))
					// A cut lies between two vertices; a share below one vertex gets one
					// all the same.
					one, forced := 0, 0
					for k, r := range p.Ranges {
						if r.Owner == i {
							one = widest(m, p, k)
						}
						if r.Vertices == 1 {
							forced += m.degree[p.VertexOf[r.First]]
						}
					}
					one += forced
					if off > 0.01*float64(total) && off > float64(one) {
						t.Errorf("%s on %s, shares %v: processor %d got %v of the entries, off by %v of %d, one vertex is %d; %v", o.Policy, word, shares, i, p.Shares[i], off, total, one, p.Shares)
					}
					if shares[i] == 0 && f.Vertices > 0 {
						t.Errorf("%+v: processor %d has no share and %d vertices", o, i, f.Vertices)
					}
					if shares[i] > 0 && f.Vertices == 0 {
						t.Errorf("%+v: processor %d has a share and no vertex", o, i)
					}
				}
			}
		}
	}
}

// TestNamedGetsWork: every processor gets a vertex where there are enough, also where the
// share of its kind is less than the first of the hubs, and the first get one where not.
func TestNamedGetsWork(t *testing.T) {
	for _, vertices := range []int{2, 3, 4, 5, 60} {
		star := &graph.EdgeList{Vertices: vertices}
		for v := 1; v < vertices; v++ {
			star.Edges = append(star.Edges, graph.Edge{U: 0, V: uint32(v)})
		}
		for _, policy := range append(partition.Policies(), partition.Auto) {
			for _, word := range []string{"cdc", "dcd", "cdcd", "ccdd", "ccc", "dcddc"} {
				for _, quick := range []bool{false, true} { // which kind is a hundred times as quick
					list := procs(word)
					for i := range list {
						if list[i].Device == quick {
							list[i].Rate = 100
						}
					}
					p := build(t, star, partition.Options{Policy: policy, Processors: list})
					with := 0
					for _, f := range p.Processors {
						with += min(1, int(f.Vertices))
					}
					if want := min(vertices, len(word)); with != want {
						t.Errorf("%q on %s, %d vertices: %d processors have work, want %d: %+v", policy, word, vertices, with, want, p.Processors)
					}
				}
			}
		}
	}
}

// widest is the largest degree of the range's own and its neighbours' vertices.
func widest(m *model, p *partition.Placement, k int) (top int) {
	for j := max(0, k-1); j < min(len(p.Ranges), k+2); j++ {
		r := p.Ranges[j]
		for _, v := range p.VertexOf[r.First : r.First+r.Vertices] {
			top = max(top, m.degree[v])
		}
	}
	return top
}

// TestRandom: the placement repeats for its seed and differs for another.
func TestRandom(t *testing.T) {
	l := kronecker(t, 9)
	place := func(seed uint64) []uint32 {
		return build(t, l, partition.Options{Policy: partition.Random, Processors: procs("ccd"), Seed: seed}).RankOf
	}
	if !slices.Equal(place(4), place(4)) {
		t.Error("one seed gives two placements")
	}
	if slices.Equal(place(4), place(5)) {
		t.Error("two seeds give one placement")
	}
}

// TestThreads: the placement does not depend on the number of threads.
func TestThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	for _, directed := range []bool{false, true} {
		l := kronecker(t, 11)
		l.Directed = directed
		weigh(l, graph.Float32, rand.New(rand.NewPCG(1, 1)))
		for _, policy := range partition.Policies() {
			var first *partition.Placement
			for _, threads := range []int{1, 2, 7} {
				p, err := partition.New(context.Background(), l, partition.Options{Policy: policy, Processors: procs("cd"), Threads: threads, Weighted: true})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(p.Close)
				if first == nil {
					first = p
					continue
				}
				for _, pair := range [][2]any{{first.RankOf, p.RankOf}, {first.VertexOf, p.VertexOf}, {first.Ranges, p.Ranges},
					{first.Subgraphs, p.Subgraphs}, {first.Processors, p.Processors}} {
					if !reflect.DeepEqual(pair[0], pair[1]) {
						t.Errorf("%s: %d threads give another %T", policy, threads, pair[0])
					}
				}
			}
		}
	}
}

// TestAuto chooses by the graph and says why.
func TestAuto(t *testing.T) {
	for _, g := range ref.Corpus() {
		p := build(t, g.List, partition.Options{Processors: procs("cd")})
		m := newModel(g.List)
		sum := 0
		for _, d := range m.degree {
			sum += d
		}
		want := partition.HubsOnCPU
		if p.MaxDegree == 0 || int(p.MaxDegree)*m.live < partition.HubRatio*sum {
			want = partition.Original
		}
		if p.Policy != want || p.Reason == "" {
			t.Errorf("%s: %s, because %s", g.Name, p.Policy, p.Reason)
		}
	}
}

// TestTwoEndedNeedsDevice: a two-ended share without a device is refused.
func TestTwoEndedNeedsDevice(t *testing.T) {
	_, err := partition.New(t.Context(), kronecker(t, 5), partition.Options{Policy: partition.HubsOnCPU, Processors: procs("cc"), TwoEnded: 0.1})
	if !errors.Is(err, partition.ErrOptions) || !strings.Contains(err.Error(), "two-ended") {
		t.Errorf("%v", err)
	}
}

// TestTwoEnded gives the first device the top of the degree order and the bottom.
func TestTwoEnded(t *testing.T) {
	l := kronecker(t, 11)
	for _, shares := range [][]float64{nil, {0.3, 0.4, 0.3}} {
		p := build(t, l, partition.Options{Policy: partition.HubsOnCPU, Processors: procs("cdd"), TwoEnded: 0.1, Shares: shares})
		top := p.Ranges[0]
		if top.Owner != 1 || p.Ranges[1].Owner != 0 || len(p.Ranges) != 4 {
			t.Fatalf("ranges %+v", p.Ranges)
		}
		m := newModel(l)
		arcs, all, least := 0, 0, math.MaxInt
		for rank, v := range p.VertexOf {
			if v == graph.None {
				continue
			}
			all += m.degree[v]
			if uint32(rank) < top.Padded() {
				arcs += m.degree[v]
				least = min(least, m.degree[v])
			} else if m.degree[v] > least {
				t.Fatalf("a vertex of degree %d is below the top, which ends at %d", m.degree[v], least)
			}
		}
		if off := math.Abs(float64(arcs) - 0.1*float64(all)); off > 0.01*float64(all) && off > float64(m.degree[p.VertexOf[top.First]]) {
			t.Errorf("the top holds %d of %d arcs", arcs, all)
		}
	}
}

// TestBudget bounds the memory of processors: what does not fit goes to others, and
// what fits nowhere is refused.
func TestBudget(t *testing.T) {
	const seed = 2
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	l := kronecker(t, 10)
	whole := build(t, l, partition.Options{}).Processors[0].Bytes
	ranks := int64(l.Vertices) + 6*64
	empty := partition.PartBytes(partition.PartSize{Ranks: ranks, Structures: 1, Offset: 4}) + partition.HostBytes(0, ranks) // rank space alone
	refused, bounded, rounds := 0, 0, 120
	if raceEnabled {
		rounds = 25
	}
	for range rounds {
		word := []string{"c", "cc", "cd", "cdd", "ccdd", "dd"}[rng.IntN(6)]
		o := partition.Options{Policy: append(partition.Policies(), partition.Auto)[rng.IntN(5)], Processors: procs(word), Seed: 3}
		if o.Policy == partition.HubsOnCPU && strings.Contains(word, "d") && rng.IntN(3) == 0 {
			o.TwoEnded = rng.Float64() / 2
		}
		room := int64(0) // beside rank space
		for i := range o.Processors {
			if rng.IntN(3) > 0 {
				o.Processors[i].Budget = empty + rng.Int64N(whole)
				room += o.Processors[i].Budget - empty
			} else {
				room += whole
			}
		}
		p, err := partition.New(context.Background(), l, o)
		if errors.Is(err, partition.ErrCapacity) {
			refused++
			if room > whole+whole/10 {
				t.Errorf("%+v: refused, though there is room for %d bytes and %d are needed: %v", o, room, whole, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		bounded++
		if err := checkPlacement(l, o, p); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
		p.Close()
	}
	if refused == 0 || bounded == 0 {
		t.Errorf("%d placements were refused, %d made", refused, bounded)
	}
	_, err := partition.New(context.Background(), l, partition.Options{
		Policy: partition.Assigned, Assignment: make([]uint8, l.Vertices), Processors: []partition.Processor{{Name: "cpu:0", Budget: whole / 2}},
	})
	if !errors.Is(err, partition.ErrCapacity) || !strings.Contains(err.Error(), "cpu:0") || !strings.Contains(err.Error(), fmt.Sprint(whole/2)) {
		t.Errorf("an assignment over budget: %v", err)
	}
}

// TestMemory measures what building holds, at each report of progress, and compares
// it with Need; and it demands that a limit below Need is refused before anything is
// allocated.
func TestMemory(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("collects garbage often, and the race detector has memory of its own")
	}
	for _, directed := range []bool{false, true} {
		for _, kind := range []graph.WeightKind{graph.Unweighted, graph.Float64} {
			for _, g := range []string{"kronecker", "chain"} {
				l, err := gen.Make(context.Background(), gen.KroneckerOptions{Scale: 14})
				if err != nil {
					t.Fatal(err)
				}
				if g == "chain" {
					l = &graph.EdgeList{Vertices: 1 << 17}
					for v := uint32(1); v < 1<<17; v++ {
						l.Edges = append(l.Edges, graph.Edge{U: v - 1, V: v})
					}
				}
				l.Directed = directed
				weigh(l, kind, rand.New(rand.NewPCG(1, 1)))
				o := partition.Options{Policy: partition.HubsOnCPU, Processors: procs("cc"), Threads: 1, Weighted: kind != graph.Unweighted}
				held := func() int64 {
					runtime.GC()
					var s runtime.MemStats
					runtime.ReadMemStats(&s)
					return int64(s.HeapAlloc) + hugemem.Live().Mapped
				}
				before, peak, calls := held(), int64(0), 0
				o.Progress = func(int64, int64) {
					if calls++; calls%5 == 0 && calls < 100 || calls%30 == 0 {
						peak = max(peak, held()-before)
					}
				}
				o.Consumed = func() { peak = max(peak, held()-before) }
				p, err := partition.New(context.Background(), l, o)
				if err != nil {
					t.Fatal(err)
				}
				peak = max(peak, held()-before)
				p.Close()
				need := partition.Need(l, o)
				t.Logf("%s, directed %v, %v: %d bytes held at most, %d announced: %.1f a record", g, directed, kind, peak, need,
					float64(peak)/float64(len(l.Edges)))
				if peak > need {
					t.Errorf("%s, directed %v, %v: %d bytes are held, %d announced", g, directed, kind, peak, need)
				}
				limit := 28.0
				if kind != graph.Unweighted {
					limit = 30 + 4*8 // a bucket's weights are sorted as well
				}
				if per := float64(peak) / float64(len(l.Edges)); g == "kronecker" && per > limit {
					t.Errorf("directed %v, %v: %.1f bytes a record", directed, kind, per)
				}

				live := hugemem.Live()
				o.MemoryLimit = need - 1
				o.Progress = func(int64, int64) { t.Error("building began") }
				_, err = partition.New(context.Background(), l, o)
				if !errors.Is(err, partition.ErrMemory) || !strings.Contains(err.Error(), fmt.Sprint(need)) || !strings.Contains(err.Error(), fmt.Sprint(need-1)) {
					t.Errorf("a limit below the need: %v", err)
				}
				if hugemem.Live() != live {
					t.Error("memory was allocated")
				}
				runtime.KeepAlive(l)
			}
		}
	}
}

// TestRefused gives options and records that make no sense.
func TestRefused(t *testing.T) {
	l := &graph.EdgeList{Vertices: 3, Edges: []graph.Edge{{U: 0, V: 1}}}
	nan := math.NaN()
	for _, c := range []struct {
		o     partition.Options
		is    error
		words []string
	}{
		{partition.Options{Policy: "mirror"}, partition.ErrOptions, []string{`"mirror"`, "hubs-on-cpu", "hubs-on-gpu", "random", "original"}},
		{partition.Options{Processors: make([]partition.Processor, 256)}, partition.ErrOptions, []string{"256", "255"}},
		{partition.Options{Processors: procs("cc"), Shares: []float64{0.5, 0.4}}, partition.ErrOptions, []string{"0.9"}},
		{partition.Options{Processors: procs("cc"), Shares: []float64{1.5, -0.5}}, partition.ErrOptions, []string{"1.5"}},
		{partition.Options{Processors: procs("cc"), Shares: []float64{nan, 1}}, partition.ErrOptions, []string{"NaN"}},
		{partition.Options{Processors: procs("cc"), Shares: []float64{1}}, partition.ErrOptions, []string{"1 shares", "2 processors"}},
		{partition.Options{Policy: partition.Assigned, Assignment: []uint8{0, 0}}, partition.ErrOptions, []string{"2 vertices", "3"}},
		{partition.Options{Policy: partition.Assigned, Assignment: []uint8{0, 4, 0}}, partition.ErrOptions, []string{"vertex 1", "4"}},
		{partition.Options{Policy: partition.Assigned, Assignment: []uint8{0, 0, 0}, Shares: []float64{1}}, partition.ErrOptions, []string{"shares"}},
		{partition.Options{Processors: []partition.Processor{{Name: "x", Rate: -1}}}, partition.ErrOptions, []string{"x"}},
		{partition.Options{Processors: []partition.Processor{{Name: "x", Budget: -1}}}, partition.ErrOptions, []string{"x"}},
		{partition.Options{TwoEnded: 1}, partition.ErrOptions, []string{"1"}},
		{partition.Options{Policy: partition.Random, TwoEnded: 0.1}, partition.ErrOptions, []string{"hubs-on-cpu"}},
		// All faults at once.
		{partition.Options{Policy: "mirror", TwoEnded: -1, Shares: []float64{2}}, partition.ErrOptions, []string{"mirror", "-1", "2"}},
	} {
		_, err := partition.New(context.Background(), l, c.o)
		if !errors.Is(err, c.is) {
			t.Errorf("%+v: %v", c.o, err)
			continue
		}
		for _, w := range c.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q does not say %s", err, w)
			}
		}
	}
	for _, e := range []graph.Edge{{U: 0, V: 3}, {U: 3, V: 0}, {U: graph.None, V: 1}} {
		for _, directed := range []bool{false, true} {
			_, err := partition.New(context.Background(), &graph.EdgeList{Vertices: 3, Directed: directed, Edges: []graph.Edge{{U: 0, V: 1}, e}}, partition.Options{})
			if !errors.Is(err, partition.ErrInvalid) || !strings.Contains(err.Error(), fmt.Sprint(max(e.U, e.V))) {
				t.Errorf("record %v: %v", e, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	before := hugemem.Live()
	if _, err := partition.New(ctx, kronecker(t, 8), partition.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
	if hugemem.Live() != before {
		t.Error("memory is left")
	}
}

// TestClose gives everything back, twice.
func TestClose(t *testing.T) {
	before := hugemem.Live()
	l := kronecker(t, 12)
	p, err := partition.New(context.Background(), l, partition.Options{Processors: procs("cd")})
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	p.Close()
	if after := hugemem.Live(); after != before {
		t.Errorf("memory: %+v before, %+v after", before, after)
	}
	if p.RangeOf(math.MaxUint32) != -1 {
		t.Error("a rank beyond all has a range")
	}
}

// TestDuplicates counts records that repeat others.
func TestDuplicates(t *testing.T) {
	for _, g := range ref.Corpus() {
		seen, want := map[graph.Edge]bool{}, int64(0)
		for _, e := range g.List.Edges {
			if !g.List.Directed && e.U > e.V {
				e.U, e.V = e.V, e.U
			}
			if seen[e] {
				want++
			}
			seen[e] = true
		}
		if edges, loops, err := partition.Duplicates(context.Background(), g.List, 2); err != nil || edges+loops != want {
			t.Errorf("%s: %d and %d duplicates, want %d: %v", g.Name, edges, loops, want, err)
		}
	}
}

// FuzzPlacement places any small graph in any way and compares with the slow model.
func FuzzPlacement(f *testing.F) {
	f.Add([]byte{}, uint16(0), uint64(0))
	f.Add([]byte{0, 1, 1, 2, 2, 2, 0, 1}, uint16(3), uint64(0x1234))
	f.Add([]byte("the quick brown fox jumps over the lazy dog, twice"), uint16(200), uint64(0xfedcba9876543210))
	rng := rand.New(rand.NewPCG(6, 1))
	for range 60 {
		data := make([]byte, rng.IntN(600))
		for i := range data {
			data[i] = byte(rng.IntN(256) & rng.IntN(256))
		}
		f.Add(data, uint16(rng.IntN(300)), rng.Uint64())
	}
	f.Fuzz(func(t *testing.T, data []byte, vertices uint16, choice uint64) {
		pick := func(n int) int {
			c := int(choice % uint64(n))
			choice /= uint64(n)
			return c
		}
		l := &graph.EdgeList{Vertices: int(vertices) % 1000, Directed: pick(2) == 1}
		for i := 0; i+1 < len(data) && l.Vertices > 0; i += 2 {
			// Ids beyond a byte come from the place of a record.
			u, v := int(data[i]), int(data[i+1])
			if pick := i / 2 % 7; pick == 3 {
				u += 256 * (i % 4)
			}
			l.Edges = append(l.Edges, graph.Edge{U: uint32(u % l.Vertices), V: uint32(v % l.Vertices)})
		}
		kind := graph.WeightKind(pick(5))
		weigh(l, kind, rand.New(rand.NewPCG(uint64(len(data)), 1)))
		o := partition.Options{
			Policy:     append(partition.Policies(), partition.Auto, partition.Assigned)[pick(6)],
			Processors: procs([]string{"c", "cc", "cd", "dcd", "ddc", "ccccccc"}[pick(6)]),
			Weighted:   pick(2) == 1, NoIn: pick(4) == 0, NoOut: pick(4) == 0, Threads: 1 + pick(2), Seed: choice,
		}
		switch {
		case o.Policy == partition.Assigned:
			o.Assignment = make([]uint8, l.Vertices)
			for v := range o.Assignment {
				o.Assignment[v] = uint8((v * v) % len(o.Processors))
			}
		case pick(2) == 1:
			o.Shares = make([]float64, len(o.Processors))
			left := 64
			for i := range o.Shares[1:] {
				s := pick(left + 1)
				o.Shares[i] = float64(s) / 64
				left -= s
			}
			o.Shares[len(o.Shares)-1] = float64(left) / 64
		default:
			for i := range o.Processors {
				if pick(3) == 0 {
					o.Processors[i].Budget = int64(1 + pick(40000))
				}
			}
		}
		device := slices.ContainsFunc(o.Processors, func(p partition.Processor) bool { return p.Device })
		if o.Policy == partition.HubsOnCPU && device && pick(3) == 0 {
			o.TwoEnded = float64(pick(60)) / 64
		}
		p, err := partition.New(context.Background(), l, o)
		if errors.Is(err, partition.ErrCapacity) {
			return
		}
		if err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		defer p.Close()
		if err := checkPlacement(l, o, p); err != nil {
			t.Fatalf("%+v, %+v: %v", l, o, err)
		}
	})
}
