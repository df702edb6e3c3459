package gen_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
)

// Sums of the files that the reference code of Graph500 3.0 writes.
var golden = []struct {
	scale          int
	edges, weights string
	first          []graph.Edge
	firstWeights   [2]string
}{
	{5, "5841b1fb22d1674d065428085bbe48ee878e59bbc5ee99929d35f07ccd82716d",
		"a202ef2dd137a2134608e79af241fd83342d048f39b397093a5e6c31886c8b6b",
		[]graph.Edge{{U: 7, V: 29}, {U: 15, V: 23}, {U: 25, V: 8}}, [2]string{"0.70902014", "0.06750982"}},
	{10, "b6890e5051a7a45a3b22e4742f6c7b37dbdffb8608a05565bc237a0962f62b10",
		"199971e6332f459fe9980a9824b2961e9ec6c724118e24549a1c3880d28616b4",
		[]graph.Edge{{U: 299, V: 797}, {U: 684, V: 861}, {U: 185, V: 385}}, [2]string{"0.49017042", "0.52855146"}},
	{14, "3cb46b82538582341f8b2218b1807b0ca1704b784991beffddb80cbb0c4a82a4",
		"24db2e4fe26628a36d18ad9998ad98c4cdc1193e7c797349196be32c52278f5f",
		[]graph.Edge{{U: 14207, V: 9077}, {U: 5452, V: 10379}, {U: 16229, V: 1854}}, [2]string{"0.12939636", "0.69103676"}},
	{16, "8fd23b636aa8b776e820b6f563c43500fb48cb9968daac26e6ce54b899783dd9",
		"a81bf9d9ef5300b830ae7c7b801560cee4f3ec71840717bd28fd67b14756f0a0",
		[]graph.Edge{{U: 53430, V: 37000}, {U: 16463, V: 33235}, {U: 57163, V: 11309}}, [2]string{"0.45429915", "0.91516888"}},
	{18, "79142c059cb496c7b91ab23375d7037b3a493d33e457a8a4d3c9b56f8ff91aca",
		"96b65ca3be3de8b6db301fd6d3960dbde32ca9c6c5387934873e2524dc504391",
		[]graph.Edge{{U: 124678, V: 60600}, {U: 246228, V: 41283}, {U: 119874, V: 131147}}, [2]string{"0.48796859", "0.88433003"}},
}

func edgeSum(edges []graph.Edge) string {
	h := sha256.New()
	var buf []byte
	for i, e := range edges {
		buf = binary.LittleEndian.AppendUint32(buf, e.U)
		buf = binary.LittleEndian.AppendUint32(buf, e.V)
		buf = binary.LittleEndian.AppendUint32(buf, 0)
		buf = flush(h, buf, i == len(edges)-1)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func weightSum(weights []float32) string {
	h := sha256.New()
	var buf []byte
	for i, w := range weights {
		buf = flush(h, binary.LittleEndian.AppendUint32(buf, math.Float32bits(w)), i == len(weights)-1)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func flush(h hash.Hash, buf []byte, end bool) []byte {
	if len(buf) > 1<<16 || end {
		h.Write(buf)
		return buf[:0]
	}
	return buf
}

func TestKroneckerGolden(t *testing.T) {
	for _, g := range golden {
		t.Run(fmt.Sprintf("scale=%d", g.scale), func(t *testing.T) {
			list, err := gen.Make(context.Background(), gen.KroneckerOptions{Scale: g.scale, Weights: true})
			if err != nil {
				t.Fatal(err)
			}
			if list.Vertices != 1<<g.scale || len(list.Edges) != 16<<g.scale || list.Directed {
				t.Errorf("%d vertices, %d edges, directed %v", list.Vertices, len(list.Edges), list.Directed)
			}
			if !slices.Equal(list.Edges[:3], g.first) {
				t.Errorf("first edges %v, want %v", list.Edges[:3], g.first)
			}
			weights, err := graph.WeightsAs[float32](list.Weights)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range g.firstWeights {
				if got := fmt.Sprintf("%.8f", weights[i]); got != want {
					t.Errorf("weight %d is %s, want %s", i, got, want)
				}
			}
			if got := edgeSum(list.Edges); got != g.edges {
				t.Errorf("edges %s, want %s", got, g.edges)
			}
			if got := weightSum(weights); got != g.weights {
				t.Errorf("weights %s, want %s", got, g.weights)
			}
			if want, ok := goldenRoots[g.scale]; ok {
				checkRoots(t, list, want.first, want.sum)
			}
		})
	}
}

// goldenRoots are the first roots of the reference code, and the sum of all 64, one a
// line.
var goldenRoots = map[int]struct {
	first []uint32
	sum   string
}{
	10: {[]uint32{458, 214, 220, 966, 395, 9, 848, 777, 344, 236, 900, 440, 806, 712, 116, 163},
		"fbb47e9f62082316640046d50b9512efbd45f76022de363f1fe682b328d61e74"},
	16: {[]uint32{29348, 8064, 61854, 29808, 54316, 22032, 1364, 15128},
		"5580afbec3dba84375700b0e69781377979adf6bf9a15f6f2d3f0f1e53df637e"},
	18: {nil, "31d92acec9974ba6eeb3a7fdc69a0210aa2166d6f4283e60fbba7ebcc25eea91"},
}

func checkRoots(t *testing.T, list *graph.EdgeList, first []uint32, sum string) {
	roots, err := gen.Roots(context.Background(), gen.RootOptions{Vertices: int64(list.Vertices)}, hasEdge(list))
	if err != nil {
		t.Fatal(err)
	}
	if len(roots) != 64 || !slices.Equal(roots[:len(first)], first) {
		t.Errorf("roots %v", roots)
	}
	h := sha256.New()
	for _, r := range roots {
		fmt.Fprintf(h, "%d\n", r)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != sum {
		t.Errorf("roots: sum %s, want %s", got, sum)
	}
}

func hasEdge(list *graph.EdgeList) func(uint32) bool {
	has := make([]bool, list.Vertices)
	for _, e := range list.Edges {
		if e.U != e.V {
			has[e.U], has[e.V] = true, true
		}
	}
	return func(v uint32) bool { return has[v] }
}

func TestRootsFewer(t *testing.T) {
	ctx := context.Background()
	roots, err := gen.Roots(ctx, gen.RootOptions{Vertices: 1000}, func(v uint32) bool { return v%250 == 7 })
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(roots)
	if want := []uint32{7, 257, 507, 757}; !slices.Equal(roots, want) {
		t.Errorf("roots %v, want %v", roots, want)
	}
	for _, n := range []int64{0, 1, 2} {
		roots, err := gen.Roots(ctx, gen.RootOptions{Vertices: n}, func(uint32) bool { return false })
		if err != nil || len(roots) != 0 {
			t.Errorf("%d vertices: %v, %v", n, roots, err)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := gen.Roots(ended, gen.RootOptions{Vertices: 5}, func(uint32) bool { return true }); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
}

func TestKroneckerSize(t *testing.T) {
	size, err := gen.KroneckerOptions{Scale: 26, EdgeFactor: 48, Weights: true}.Size()
	if err != nil {
		t.Fatal(err)
	}
	want := gen.Size{Vertices: 1 << 26, Edges: 3221225472, EdgeBytes: 8 * 3221225472,
		WeightBytes: 4 * 3221225472, FileBytes: 12 * 3221225472}
	if size != want {
		t.Errorf("size %+v, want %+v", size, want)
	}
	for _, o := range []gen.KroneckerOptions{{}, {Scale: 40}, {Scale: -1}, {Scale: 10, EdgeFactor: -1}, {Scale: 10, EdgeFactor: 1<<24 + 1}} {
		_, err := gen.Make(context.Background(), o)
		var re *gen.RangeError
		if !errors.Is(err, gen.ErrOption) || !errors.As(err, &re) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	_, err = gen.Make(context.Background(), gen.KroneckerOptions{Scale: 40})
	if want := "gen: scale 40 is outside 1..31"; err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

// The last edges of a graph that fits nowhere can still be made.
func TestKroneckerFillFarOut(t *testing.T) {
	o := gen.KroneckerOptions{Scale: 31, EdgeFactor: 1 << 24}
	end := int64(1) << 55
	whole := make([]graph.Edge, 40)
	if err := o.Fill(context.Background(), end-40, whole, nil); err != nil {
		t.Fatal(err)
	}
	part := make([]graph.Edge, 7)
	if err := o.Fill(context.Background(), end-7, part, nil); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(whole[33:], part) {
		t.Errorf("%v, want %v", part, whole[33:])
	}
	if err := o.Fill(context.Background(), end-6, part, nil); !errors.Is(err, gen.ErrRange) {
		t.Errorf("beyond the end: %v", err)
	}
}

func BenchmarkKronecker(b *testing.B) {
	// go test ./graph/gen -bench 'Kronecker/scale=20/threads=1' -run -
	for _, scale := range []int{16, 20} {
		for _, threads := range []int{1, 2} {
			b.Run("scale="+strconv.Itoa(scale)+"/threads="+strconv.Itoa(threads), func(b *testing.B) {
				edges := make([]graph.Edge, 1<<20)
				o := gen.KroneckerOptions{Scale: scale, Threads: threads}
				for b.Loop() {
					if err := o.Fill(context.Background(), 0, edges[:16<<16], nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)*(16<<16)/b.Elapsed().Seconds()/1e6, "Medges/s")
			})
		}
	}
}

// TestKroneckerWide: ids of 64 bits are those of Fill where both exist, and those of the reference code at scale 36.
func TestKroneckerWide(t *testing.T) {
	o := gen.KroneckerOptions{Scale: 14}
	narrow, wide := make([]graph.Edge, 100), make([]graph.Pair64, 100)
	if err := errors.Join(o.Fill(t.Context(), 1000, narrow, nil), o.FillWide(t.Context(), 1000, wide, nil)); err != nil {
		t.Fatal(err)
	}
	for i, e := range narrow {
		if want := (graph.Pair64{U: uint64(e.U), V: uint64(e.V)}); wide[i] != want {
			t.Fatalf("edge %d: %v, want %v", i, wide[i], want)
		}
	}
	o.Scale = 36
	for _, c := range []struct {
		from int64
		want []graph.Pair64
	}{
		{0, []graph.Pair64{{U: 62163263662, V: 3140448243}, {U: 33521025155, V: 8816060607}, {U: 56981991280, V: 58590562487}}},
		{1<<40 - 2, []graph.Pair64{{U: 7678371621, V: 50253327246}, {U: 62765026550, V: 43562237547}}},
	} {
		got := make([]graph.Pair64, len(c.want))
		if err := o.FillWide(t.Context(), c.from, got, nil); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("from %d: %v, %v", c.from, got, err)
		}
	}
	if err := o.FillWide(t.Context(), 1<<40-1, make([]graph.Pair64, 2), nil); !errors.Is(err, gen.ErrRange) {
		t.Errorf("beyond the last edge: %v", err)
	}
	if err := o.Fill(t.Context(), 0, narrow, nil); !errors.Is(err, gen.ErrOption) {
		t.Errorf("ids of 32 bits at scale 36: %v", err)
	}
	for _, o := range []gen.KroneckerOptions{{Scale: 43}, {Scale: 42, EdgeFactor: 1 << 24}} {
		if _, err := o.Size(); !errors.Is(err, gen.ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
