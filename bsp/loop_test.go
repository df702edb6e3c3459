package bsp_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/hugetest"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/program"
	"github.com/totemgo/totemgo/record"
)

// TestMain demands that importing the package starts no goroutine and that none is
// left.
func TestMain(m *testing.M) {
	if err := goleak.Find(); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// place puts every vertex where owners says.
func place(t testing.TB, l *graph.EdgeList, parts int, owners []uint8) *partition.Placement {
	t.Helper()
	p, err := partition.New(context.Background(), l, partition.Options{
		Policy: partition.Assigned, Assignment: owners, Processors: make([]partition.Processor, parts), Threads: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// run is what a CPU opens for bsp.Tree.
type run interface {
	kernels.Claims
	kernels.Undoer
}

// load returns searches on CPU processors, with their runs wrapped if wrap is not nil. A plain
// run counts as a device's.
func load(t testing.TB, p *partition.Placement, wrap func(r run) kernels.Run) *bsp.BFS {
	t.Helper()
	var runs []kernels.Run
	var kinds []kernels.Kind
	for i := range p.Processors {
		k := cpu.New(1)
		if err := k.Load(context.Background(), p.Part(i)); err != nil {
			t.Fatal(err)
		}
		opened, err := k.Open(context.Background(), bsp.Tree)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = errors.Join(opened.Close(), k.Close()) })
		kind := kernels.CPU
		if wrap != nil {
			opened = wrap(opened.(run))
		}
		if _, is := opened.(plain); is {
			kind = kernels.OpenCL
		}
		runs, kinds = append(runs, opened), append(kinds, kind)
	}
	b, err := bsp.NewBFS(bsp.New(bsp.NewLayout(p), bsp.Local(len(runs)), kinds), runs)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// search runs one search from vertex root and returns the parents by vertex id.
func search(l *bsp.BFS, p *partition.Placement, root uint32, d bsp.Director, s *bsp.Statistics) ([]uint32, error) {
	parents := slices.Repeat([]uint32{graph.None}, len(p.RankOf))
	_, err := l.Search(context.Background(), bsp.Search{Root: p.RankOf[root], Parents: parents, Director: d, Statistics: s})
	return parents, err
}

func edges(uv ...uint32) (list []graph.Edge) {
	for i := 0; i < len(uv); i += 2 {
		list = append(list, graph.Edge{U: uv[i], V: uv[i+1]})
	}
	return list
}

func script(letters string) bsp.Script {
	var s bsp.Script
	for _, c := range letters {
		if c == 'U' {
			s = append(s, kernels.BottomUp)
		} else {
			s = append(s, kernels.TopDown)
		}
	}
	return s
}

// scripts are all sequences of five directions.
func scripts() (list []bsp.Script) {
	for bits := range 32 {
		s := make(bsp.Script, 5)
		for i := range s {
			s[i] = kernels.Direction(bits >> i & 1)
		}
		list = append(list, s)
	}
	return list
}

// hard are graphs and owners in which partitions find vertices twice, late or at the
// same time. Searches start at vertex 0. Where the search goes down throughout, parent
// is the only right parent of vertex, or the one that the rule picks.
var hard = []struct {
	name           string
	directed       bool
	edges          []graph.Edge
	owners         []uint8
	vertex, parent uint32
	finder         int // partition that the vertex is asked of, top-down throughout; −1: nobody
}{
	// 0─1─3   partition 0: 0 1 3
	// │   │
	// 2───4   partition 1: 2 4; 3, at level 2, meets 4, which 1 has found at level 2
	{"level 2 meets what its owner found at level 2", false, edges(0, 1, 1, 3, 0, 2, 2, 4, 3, 4),
		[]uint8{0, 0, 1, 0, 1}, 4, 2, -1},
	// 0─1─3─5   partition 0: 0 1 3 5
	// │     │
	// 2─────4   partition 1: 2 4; 5, at level 3, meets 4
	{"level 3 meets what its owner found at level 2", false, edges(0, 1, 1, 3, 3, 5, 0, 2, 2, 4, 5, 4),
		[]uint8{0, 0, 1, 0, 1, 0}, 4, 2, -1},
	// 0─1─3─4   partition 0: 0 1 3 4; partition 1: 2
	//   └─2─┘   1 claims 2 at level 2; 3 and 4 meet it one and two levels later
	{"meets what its partition claimed before", false, edges(0, 1, 1, 2, 1, 3, 3, 2, 3, 4, 4, 2),
		[]uint8{0, 0, 1, 0, 0}, 2, 1, 0},
	// 0→1→2→3→4→2: partition 1 finds 2 by itself, 4 of partition 0 leads back to it
	{"an arc from level 4 back to level 2", true, edges(0, 1, 1, 2, 2, 3, 3, 4, 4, 2, 4, 5),
		[]uint8{0, 1, 1, 0, 0, 1}, 2, 1, -1},
	// The same, found at level 2 by partition 0 for partition 1, which leads back itself.
	{"an arc from level 4 back to level 2, found by another", true, edges(0, 1, 1, 2, 2, 3, 3, 4, 4, 2, 4, 5),
		[]uint8{0, 0, 1, 1, 1, 0}, 2, 1, 0},
	// 1 and 2, of partitions 0 and 1, find 3 of partition 2 at once.
	{"found by two remote partitions", false, edges(0, 1, 0, 2, 1, 3, 2, 3),
		[]uint8{2, 0, 1, 2}, 3, 1, 0},
	// 1 and 2, of partitions 0 and 1, find 3 of partition 1 at once.
	{"found locally and by another", false, edges(0, 1, 0, 2, 1, 3, 2, 3),
		[]uint8{0, 0, 1, 1}, 3, 2, -1},
	// All three partitions find 4.
	{"found by all", false, edges(0, 1, 0, 2, 0, 3, 1, 4, 2, 4, 3, 4, 4, 5),
		[]uint8{1, 0, 1, 2, 1, 0}, 4, 2, -1},
}

// TestAggregate runs the hard cases under all sequences of five directions and all
// renumberings of the partitions.
func TestAggregate(t *testing.T) {
	for _, c := range hard {
		t.Run(c.name, func(t *testing.T) {
			l := &graph.EdgeList{Vertices: len(c.owners), Directed: c.directed, Edges: c.edges}
			for turn, order := range [][]uint8{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}} {
				owners := slices.Clone(c.owners)
				for v, o := range owners {
					owners[v] = order[o]
				}
				p := place(t, l, 3, owners)
				var runs []run
				wrap := together(turn%2 == 0)
				loop := load(t, p, func(r run) kernels.Run {
					if runs = append(runs, r); wrap == nil {
						return r
					}
					return wrap(r)
				})
				for _, s := range append(scripts(), script("D")) {
					parents, err := search(loop, p, 0, s, nil)
					if err != nil {
						t.Fatal(err)
					}
					if err := ref.CheckTree(l, 0, parents); err != nil {
						t.Fatalf("owners %v, directions %v: %v", owners, s, err)
					}
					if turn > 0 || slices.Contains(s, kernels.BottomUp) {
						continue
					}
					if got := parents[c.vertex]; got != c.parent {
						t.Errorf("vertex %d has parent %d, want %d", c.vertex, got, c.parent)
					}
					for q := range runs {
						owner := runs[owners[c.vertex]]
						asked, err := owner.RemoteClaims(q)
						if err != nil {
							t.Fatal(err)
						}
						if slices.Contains(asked, p.RankOf[c.vertex]) != (q == c.finder) {
							t.Errorf("vertex %d is asked of partition %d: finder %d was to be seen", c.vertex, q, c.finder)
						}
					}
				}
				loop.Close()
			}
		})
	}
}

// TestRandom runs random graphs, owners and directions, a top-down tail after a
// bottom-up phase among them.
func TestRandom(t *testing.T) {
	const seed = 7
	rounds := 400
	if raceEnabled {
		rounds = 80
	}
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for round := range rounds {
		n := 2 + rng.IntN(40)
		if rng.IntN(8) == 0 {
			n = 60 + rng.IntN(300)
		}
		l := &graph.EdgeList{Vertices: n, Directed: rng.IntN(2) == 0}
		for range n + rng.IntN(2*n) {
			l.Edges = append(l.Edges, graph.Edge{U: rng.Uint32N(uint32(n)), V: rng.Uint32N(uint32(n))})
		}
		parts := 1 + rng.IntN(4)
		owners := make([]uint8, n)
		for v := range owners {
			owners[v] = uint8(rng.IntN(parts))
		}
		p := place(t, l, parts, owners)
		loop := load(t, p, together(round%2 == 0))
		var stats bsp.Statistics
		for _, d := range []bsp.Script{script("DDUUD"), script("DDUUDDDUUDU"), script("DU"), script("UD"), scripts()[rng.IntN(32)]} {
			root := rng.Uint32N(uint32(n))
			if p.RankOf[root] == graph.None {
				if _, err := search(loop, p, root, d, &stats); !errors.Is(err, bsp.ErrRoot) {
					t.Errorf("a root without edges: %v", err)
				}
				continue
			}
			parents, err := search(loop, p, root, d, &stats)
			if err == nil {
				err = ref.CheckTree(l, root, parents)
			}
			if err != nil {
				t.Fatalf("%+v, owners %v, root %d, directions %v: %v", l, owners, root, d, err)
			}
			sent, received := 0.0, 0.0
			for _, lv := range stats.Levels {
				for _, q := range lv.Processors {
					sent += q.BytesSent
					received += q.BytesReceived
				}
			}
			if sent != received {
				t.Errorf("%v bytes were sent, %v received", sent, received)
			}
		}
		loop.Close()
	}
}

// TestOneAtATime steps the processors of a search in turn by hand, the arrays of all
// others inaccessible meanwhile: a processor reads nothing but its own memory and the
// messages it is given.
func TestOneAtATime(t *testing.T) {
	const seed = 3
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	for i, g := range ref.Corpus() {
		roots := g.Roots()
		if g.List.Vertices > 1300 || len(roots) == 0 || raceEnabled && i%9 != 0 {
			continue
		}
		if _, depth := ref.Reached(ref.Levels(g.List, roots[0])); depth > 40 {
			continue // each level takes some hundred changes of access
		}
		const parts = 3
		owners := make([]uint8, g.List.Vertices)
		for v := range owners {
			owners[v] = uint8(rng.IntN(parts))
		}
		p := place(t, g.List, parts, owners)
		h := newByHand(t, p)
		for i, d := range []bsp.Script{script("D"), script("U"), script("DDUUD"), script("DU")} {
			root := roots[i%len(roots)]
			if p.RankOf[root] == graph.None {
				continue
			}
			if err := ref.CheckTree(g.List, root, h.search(p.RankOf[root], d)); err != nil {
				t.Errorf("%s, root %d, directions %v: %v", g.Name, root, d, err)
			}
		}
		h.close()
	}
}

// byHand drives processors without a loop.
type byHand struct {
	t      *testing.T
	place  *partition.Placement
	procs  []run
	loaded []*cpu.Processor
	sets   []*hugetest.Set // the arrays of each processor
}

func newByHand(t *testing.T, p *partition.Placement) *byHand {
	h := &byHand{t: t, place: p}
	for i := range p.Processors {
		set := hugetest.Guard(t)
		part := p.Part(i)
		for r, s := range part.Subgraphs {
			part.Subgraphs[r] = guarded(s)
		}
		k := cpu.New(1)
		h.ok(k.Load(context.Background(), part))
		opened, err := k.Open(context.Background(), bsp.Tree)
		h.ok(err)
		h.procs, h.loaded = append(h.procs, opened.(run)), append(h.loaded, k)
		set.Stop()
		h.sets = append(h.sets, set)
		if p.Ranks > 128 && h.sets[i].Len() < 5 { // searches have five arrays, subgraphs three or six
			t.Fatalf("processor %d has %d arrays", i, h.sets[i].Len())
		}
	}
	return h
}

// guarded copies a subgraph into pages of its own. They are not freed: the tests'
// graphs are small.
func guarded(s *graph.Subgraph) *graph.Subgraph {
	if s == nil {
		return nil
	}
	array := func(a []uint32) []uint32 {
		b := hugemem.Make[uint32](len(a))
		copy(b.S, a)
		return b.S
	}
	adjacency := func(a *graph.Adjacency) *graph.Adjacency {
		return &graph.Adjacency{
			Offsets32: array(a.Offsets32), Neighbours: array(a.Neighbours), FirstNeighbours: array(a.FirstNeighbours),
		}
	}
	c := &graph.Subgraph{First: s.First, Rows: s.Rows, Out: adjacency(s.Out)}
	if c.In = c.Out; s.In != s.Out {
		c.In = adjacency(s.In)
	}
	return c
}

func (h *byHand) ok(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// with runs f while only the arrays of processor i are accessible.
func (h *byHand) with(i int, f func(p run)) {
	for k, s := range h.sets {
		if k != i {
			h.ok(s.Protect(hugetest.None))
		}
	}
	f(h.procs[i])
	for k, s := range h.sets {
		if k != i {
			h.ok(s.Protect(hugetest.ReadWrite))
		}
	}
}

// carry copies a message: its memory is its sender's.
func carry(m kernels.Message) kernels.Message {
	return kernels.Message{Count: m.Count, List: slices.Clone(m.List), Bits: slices.Clone(m.Bits)}
}

func (h *byHand) search(root uint32, d bsp.Script) []uint32 {
	var err error
	for i := range h.procs {
		h.with(i, func(p run) {
			h.ok(p.Begin(0))
			if h.place.Ranges[h.place.RangeOf(root)].Owner == i {
				h.ok(p.Seed(root, -1, 0))
			}
		})
	}
	for level, next := 0, int64(1); next > 0; level++ {
		next = 0
		dir := d.Next(&bsp.Observation{Level: level})
		messages := make([][]kernels.Message, len(h.procs)) // by sender, range
		for i := range h.procs {
			messages[i] = make([]kernels.Message, len(h.place.Ranges))
		}
		if dir == kernels.BottomUp {
			for r, rg := range h.place.Ranges {
				h.with(rg.Owner, func(p run) {
					m, err := p.Expand(0, program.Step{Way: program.Pull}, r)
					h.ok(err)
					messages[rg.Owner][r] = carry(m)
				})
			}
		}
		for i := range h.procs {
			h.with(i, func(p run) {
				for r, rg := range h.place.Ranges {
					if dir == kernels.BottomUp && rg.Owner != i {
						h.ok(p.Take(0, program.Step{Way: program.Pull}, r, messages[rg.Owner][r]))
					}
				}
				_, err = p.Step(context.Background(), 0, program.Step{Way: program.Way(dir)})
				h.ok(err)
				for r, rg := range h.place.Ranges {
					if dir == kernels.TopDown && rg.Owner != i {
						m, err := p.Fold(r)
						h.ok(err)
						messages[i][r] = carry(m)
					}
				}
			})
		}
		for i := range h.procs {
			h.with(i, func(p run) {
				for s := range h.procs {
					for r, rg := range h.place.Ranges {
						if dir == kernels.TopDown && rg.Owner == i && s != i {
							h.ok(p.Merge(r, s, messages[s][r]))
						}
					}
				}
				c, err := p.Advance()
				h.ok(err)
				next += c.Next
			})
		}
	}
	parents := slices.Repeat([]uint32{graph.None}, len(h.place.RankOf))
	for i := range h.procs {
		foreign, answers := make([][]uint32, len(h.procs)), make([][]uint32, len(h.procs))
		h.with(i, func(p run) {
			for q := range h.procs {
				if q != i {
					foreign[q], err = p.RemoteClaims(q)
					h.ok(err)
				}
			}
		})
		for q := range h.procs {
			if q != i {
				h.with(q, func(p run) {
					answers[q], err = p.LookupParents(foreign[q])
					h.ok(err)
				})
			}
		}
		h.with(i, func(p run) { h.ok(p.Parents(parents, foreign, answers)) })
	}
	return parents
}

func (h *byHand) close() {
	for i, p := range h.procs {
		h.ok(errors.Join(p.Close(), h.loaded[i].Close()))
	}
}

var errBroken = errors.New("broken")

// broken fails at one call of one method.
type broken struct {
	kernels.Claims
	method string
	at     int // the call that fails, counted from 1; 0 for none
	calls  int
}

func (b *broken) fails(method string) error {
	if method != b.method || b.at == 0 {
		return nil
	}
	if b.calls++; b.calls == b.at {
		return errBroken
	}
	return nil
}

func (b *broken) Begin(n kernels.Need) error {
	return errors.Join(b.fails("Begin"), b.Claims.Begin(n))
}

func (b *broken) Seed(rank uint32, array int, v program.Bits) error {
	return errors.Join(b.fails("Seed"), b.Claims.Seed(rank, array, v))
}

func (b *broken) Expand(op int, s program.Step, r int) (kernels.Message, error) {
	if err := b.fails("Expand"); err != nil {
		return kernels.Message{}, err
	}
	return b.Claims.Expand(op, s, r)
}

func (b *broken) Take(op int, s program.Step, r int, m kernels.Message) error {
	if err := b.fails("Take"); err != nil {
		return err
	}
	return b.Claims.Take(op, s, r, m)
}

func (b *broken) Step(ctx context.Context, op int, s program.Step) (string, error) {
	if err := b.fails("Step"); err != nil {
		return "", err
	}
	return b.Claims.Step(ctx, op, s)
}

func (b *broken) Fold(r int) (kernels.Message, error) {
	if err := b.fails("Fold"); err != nil {
		return kernels.Message{}, err
	}
	return b.Claims.Fold(r)
}

func (b *broken) Merge(r, from int, m kernels.Message) error {
	if err := b.fails("Merge"); err != nil {
		return err
	}
	return b.Claims.Merge(r, from, m)
}

func (b *broken) Advance() (kernels.Counts, error) {
	if err := b.fails("Advance"); err != nil {
		return kernels.Counts{}, err
	}
	return b.Claims.Advance()
}

func (b *broken) RemoteClaims(q int) ([]uint32, error) {
	if err := b.fails("RemoteClaims"); err != nil {
		return nil, err
	}
	return b.Claims.RemoteClaims(q)
}

func (b *broken) LookupParents(ranks []uint32) ([]uint32, error) {
	if err := b.fails("LookupParents"); err != nil {
		return nil, err
	}
	return b.Claims.LookupParents(ranks)
}

func (b *broken) Parents(out []uint32, foreign, answers [][]uint32) error {
	if err := b.fails("Parents"); err != nil {
		return err
	}
	return b.Claims.Parents(out, foreign, answers)
}

// TestFailure lets each processor fail at the first, second, … call of each method,
// until a search makes fewer calls: the search returns the error, and the next one is
// right.
func TestFailure(t *testing.T) {
	var l *graph.EdgeList
	for _, g := range ref.Corpus() {
		if g.Name == "layers" {
			l = g.List
		}
	}
	owners := make([]uint8, l.Vertices)
	for v := range owners {
		owners[v] = uint8(v % 3)
	}
	for parts := 1; parts <= 3; parts++ {
		if parts == 2 {
			continue
		}
		for v := range owners {
			owners[v] = uint8(v % parts)
		}
		p := place(t, l, parts, owners)
		var wrapped []*broken
		loop := load(t, p, func(r run) kernels.Run {
			wrapped = append(wrapped, &broken{Claims: r})
			return wrapped[len(wrapped)-1]
		})
		directions := script("DDUUDUD")
		good := func() {
			t.Helper()
			parents, err := search(loop, p, 0, directions, nil)
			if err == nil {
				err = ref.CheckTree(l, 0, parents)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		failures := 0
		for _, method := range []string{"Begin", "Seed", "Expand", "Take", "Step", "Fold", "Merge", "Advance", "RemoteClaims", "LookupParents", "Parents"} {
			seen := 0
			for i, b := range wrapped {
				for n := 1; ; n++ {
					b.method, b.at, b.calls = method, n, 0
					var s bsp.Statistics
					_, err := search(loop, p, 0, directions, &s)
					if b.calls < n {
						if err != nil {
							t.Fatalf("%s of processor %d never failed, and the search: %v", method, i, err)
						}
						break
					}
					seen++
					if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), fmt.Sprintf("processor %d", i)) {
						t.Fatalf("call %d of %s of processor %d failed, and the search: %v", n, method, i, err)
					}
					b.at = 0
					good()
				}
				b.at = 0
			}
			if seen == 0 && (parts > 1 || strings.Contains("Begin Seed Step Advance Parents", method)) {
				t.Errorf("%d partitions: %s was never called", parts, method)
			}
			failures += seen
		}
		t.Logf("%d partitions: %d failures", parts, failures)
		// All at once.
		for _, b := range wrapped {
			b.method, b.at, b.calls = "Step", 2, 0
		}
		if _, err := search(loop, p, 0, directions, nil); !errors.Is(err, errBroken) {
			t.Errorf("all fail: %v", err)
		}
		for _, b := range wrapped {
			b.at = 0
		}
		good()
		// An ended context comes first.
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		wrapped[0].method, wrapped[0].at, wrapped[0].calls = "Step", 1, 0
		if _, err := loop.Search(ctx, bsp.Search{Root: p.RankOf[0], Parents: make([]uint32, l.Vertices), Director: directions}); !errors.Is(err, context.Canceled) {
			t.Errorf("a failure under an ended context: %v", err)
		}
		wrapped[0].at = 0
		good()
		loop.Close()
		loop.Close()
	}
}

// TestRoots asks for ranks that are no vertex.
func TestRoots(t *testing.T) {
	l := &graph.EdgeList{Vertices: 3, Edges: edges(0, 1)}
	p := place(t, l, 2, []uint8{0, 1, 1})
	loop := load(t, p, nil)
	defer loop.Close()
	for _, rank := range []uint32{1, 63, 65, 128, graph.None} {
		_, err := loop.Search(context.Background(), bsp.Search{Root: rank, Parents: make([]uint32, 3), Director: script("D")})
		if !errors.Is(err, bsp.ErrRoot) || !strings.Contains(err.Error(), fmt.Sprint(rank)) {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	if _, err := search(loop, p, 1, script("D"), nil); err != nil {
		t.Error(err)
	}
}

// TestStatistics looks at the levels of a search whose course is known.
func TestStatistics(t *testing.T) {
	// A star of 64 leaves around 0, its leaves owned by partition 1, and a tail.
	l := &graph.EdgeList{Vertices: 67}
	owners := make([]uint8, l.Vertices)
	for v := uint32(1); v <= 64; v++ {
		l.Edges = append(l.Edges, graph.Edge{U: 0, V: v})
		owners[v] = 1
	}
	l.Edges = append(l.Edges, edges(1, 65, 65, 66)...)
	p := place(t, l, 2, owners)
	loop := load(t, p, nil)
	defer loop.Close()
	var s bsp.Statistics
	for range 2 {
		if _, err := search(loop, p, 0, script("DUDDD"), &s); err != nil {
			t.Fatal(err)
		}
		if len(s.Levels) != 4 || s.Count != 4 || s.RestLevels != 0 {
			t.Fatalf("%d levels, %d supersteps, %d more", len(s.Levels), s.Count, s.RestLevels)
		}
		for i, want := range []struct {
			direction string
			frontier  float64
			sent      [2]float64
		}{
			{record.TopDown, 1, [2]float64{8, 0}},   // 64 leaves as bits
			{record.BottomUp, 64, [2]float64{0, 8}}, // the leaves again
			{record.TopDown, 1, [2]float64{0, 0}},   // 65 finds 66; 1 was pulled
			{record.TopDown, 1, [2]float64{0, 0}},
		} {
			got := s.Levels[i]
			if got.Level != i || got.Direction != want.direction || got.Frontier != want.frontier {
				t.Errorf("level %d: %+v", i, got)
			}
			for k, q := range got.Processors {
				if q.BytesSent != want.sent[k] || q.BytesReceived != want.sent[1-k] {
					t.Errorf("level %d, processor %d: sent %v, received %v, want %v", i, k, q.BytesSent, q.BytesReceived, want.sent)
				}
			}
		}
	}
}

// TestFrontierArcs compares the frontiers' arcs with the rows of the vertices of each level: all are stated if
// the director needs them, none if it needs no count, those beyond doubt if it needs few.
func TestFrontierArcs(t *testing.T) {
	for _, directed := range []bool{false, true} {
		l := &graph.EdgeList{Vertices: 6000, Directed: directed, Edges: ref.Uniform(5, 6000, 30000)}
		for parts := 1; parts <= 3; parts++ {
			owners := make([]uint8, l.Vertices)
			for v := range owners {
				owners[v] = uint8(v % parts)
			}
			p := place(t, l, parts, owners)
			loop := load(t, p, nil)
			for _, name := range bsp.Directors() {
				d, err := bsp.NewDirector(name, bsp.Rates{ClaimNS: 2, VisitNS: 2, ProbeNS: 1, WordNS: 1, StepNS: 900})
				if err != nil {
					t.Fatal(err)
				}
				var s bsp.Statistics
				for range 2 { // the statistics are used again
					parents, err := search(loop, p, 7, d, &s)
					if err != nil {
						t.Fatal(err)
					}
					want := make([]float64, len(s.Levels))
					for v := range parents {
						level, u := 0, uint32(v)
						for ; u != graph.None && u != 7; u = parents[u] {
							level++
						}
						if u == 7 {
							want[level] += outDegree(p, p.RankOf[v])
						}
					}
					known := 0
					for i, got := range s.Levels {
						if got.FrontierArcs == nil {
							continue
						}
						if known++; *got.FrontierArcs != want[i] {
							t.Errorf("%s, %d partitions: level %d has %v arcs, want %v", name, parts, i, *got.FrontierArcs, want[i])
						}
					}
					all, some := d.Need()&kernels.NeedNextArcs != 0, d.Need()&kernels.NeedFewArcs != 0
					if (known > 0) != (all || some) || all && known < len(want) || some && known == len(want) {
						t.Errorf("%s, %d partitions: arcs of %d of %d levels", name, parts, known, len(want))
					}
				}
			}
			loop.Close()
		}
	}
}

func outDegree(p *partition.Placement, rank uint32) float64 {
	for r, rg := range p.Ranges {
		if rank >= rg.First && rank-rg.First < rg.Vertices {
			return float64(p.Subgraphs[r].Out.Degree(rank - rg.First))
		}
	}
	return 0
}

// slow is a run whose calls take at least some time.
type slow struct{ kernels.Claims }

const slowBegin, slowStep, slowParents = 2 * time.Millisecond, 5 * time.Millisecond, 12 * time.Millisecond

func (r slow) Begin(need kernels.Need) error {
	time.Sleep(slowBegin)
	return r.Claims.Begin(need)
}

func (r slow) Step(ctx context.Context, op int, s program.Step) (string, error) {
	time.Sleep(slowStep)
	return r.Claims.Step(ctx, op, s)
}

func (r slow) Parents(out []uint32, claims, found [][]uint32) error {
	time.Sleep(slowParents)
	return r.Claims.Parents(out, claims, found)
}

// TestOutcomeTimes: the times of a search have the calls that they are of, and do not overlap.
func TestOutcomeTimes(t *testing.T) {
	list := chains(4, 1)
	for parts := 1; parts <= 2; parts++ {
		p := place(t, list, parts, []uint8{0, 0, uint8(parts - 1), uint8(parts - 1)})
		loop := load(t, p, func(r run) kernels.Run { return slow{r} })
		started := time.Now()
		out, err := loop.Search(t.Context(), bsp.Search{Root: p.RankOf[0], Parents: make([]uint32, 4), Director: script("U")})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(started); out.Reset < slowBegin || out.Time < 4*slowStep || out.Aggregate < slowParents || out.Copy != 0 ||
			out.Reset+out.Time+out.Aggregate > took {
			t.Errorf("%d partitions: %+v of %v", parts, out, took)
		}
		loop.Close()
	}
}
