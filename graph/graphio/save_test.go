package graphio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
)

// sample is a graph to write.
type sample struct {
	name string
	list *graph.EdgeList
}

// samples are graphs of every sort: directions, kinds of weights, labels, self-loops,
// duplicates, isolated vertices, sizes around the blocks of the writers.
func samples(t testing.TB) []sample {
	var out []sample
	random := func(n, m int, directed bool, simple bool) *graph.EdgeList {
		r := rand.New(rand.NewPCG(uint64(n), uint64(m)))
		l := &graph.EdgeList{Vertices: n, Directed: directed}
		seen := map[graph.Edge]bool{}
		for len(l.Edges) < m {
			e := graph.Edge{U: uint32(r.IntN(n)), V: uint32(r.IntN(n))}
			if simple {
				if e.U > e.V {
					e.U, e.V = e.V, e.U
				}
				if e.U == e.V || seen[e] {
					continue
				}
				seen[e] = true
			}
			l.Edges = append(l.Edges, e)
		}
		return l
	}
	weigh := func(l *graph.EdgeList, k graph.WeightKind) *graph.EdgeList {
		l.Weights = graph.MakeWeights(k, len(l.Edges))
		for i := range l.Edges {
			switch k {
			case graph.Int32:
				s, _ := graph.WeightsAs[int32](l.Weights)
				s[i] = int32(i*7919) + 1
			case graph.Int64:
				s, _ := graph.WeightsAs[int64](l.Weights)
				s[i] = math.MaxInt64 - int64(i)
			case graph.Float32:
				s, _ := graph.WeightsAs[float32](l.Weights)
				s[i] = float32(i) / 10
			case graph.Float64:
				s, _ := graph.WeightsAs[float64](l.Weights)
				s[i] = float64(i) / 3
			}
		}
		return l
	}
	sparse, err := graph.SortedLabels([]uint64{2, 5, 6, 1 << 33, 1 << 40, math.MaxUint64})
	if err != nil {
		t.Fatal(err)
	}
	labelled := random(6, 12, true, false)
	labelled.Labels = sparse
	based := random(50, 100, false, true)
	based.Labels = graph.IdentityLabels(50, 1)
	add := func(name string, l *graph.EdgeList) { out = append(out, sample{name, l}) }
	add("empty", &graph.EdgeList{})
	add("empty-directed", &graph.EdgeList{Directed: true})
	add("isolated", &graph.EdgeList{Vertices: 3})
	add("undirected-simple", random(60, 200, false, true))
	add("undirected-multi", random(60, 400, false, false))
	add("directed", random(60, 400, true, false))
	add("directed-large", random(2000, 33000, true, false))
	add("undirected-large", random(2000, 33000, false, true))
	add("int32", weigh(random(60, 300, false, true), graph.Int32))
	add("int32-directed", weigh(random(60, 300, true, false), graph.Int32))
	add("int64-directed", weigh(random(20, 30, true, false), graph.Int64))
	add("float32", weigh(random(20, 30, false, true), graph.Float32))
	add("float64-directed", weigh(random(20, 30, true, false), graph.Float64))
	add("labels-sparse", labelled)
	add("labels-from-1", based)
	return out
}

// fileFor names a file of the format.
func fileFor(format string, weighted bool) []string {
	switch format {
	case "edgelist":
		if weighted {
			return []string{"g.wel", "g.csv", "g.txt", "g.tsv"}
		}
		return []string{"g.el", "g.csv", "g.txt.gz", "g.tsv.zst"}
	case "konect":
		return []string{"out.g"}
	}
	for _, f := range graphio.Formats() {
		if f.Name == format {
			return []string{"g" + f.Extensions[0], "g" + f.Extensions[0] + ".xz"}
		}
	}
	return nil
}

// dense lists the records by dense id, with weights, sorted.
func dense(src graph.Source, base uint64) []string {
	list := *collect(src)
	list.Labels = graph.IdentityLabels(list.Vertices, base)
	return records(&list)
}

func collect(src graph.Source) *graph.EdgeList {
	l := &graph.EdgeList{Vertices: src.NumVertices(), Directed: src.IsDirected(), Labels: src.VertexLabels()}
	if k := src.WeightKind(); k != graph.Unweighted {
		l.Weights = graph.MakeWeights(k, int(src.NumEdges()))
	}
	for i := range src.Blocks(4) {
		w := src.BlockWeights(4, i)
		for k, e := range src.Block(4, i, nil) {
			if w.Kind() != graph.Unweighted {
				l.Weights.Copy(len(l.Edges), w, k)
			}
			l.Edges = append(l.Edges, e)
		}
	}
	return l
}

// TestRoundTrip writes every sample in every format and reads it back: it is the same
// graph, or what the format cannot hold has been named.
func TestRoundTrip(t *testing.T) {
	ctx := context.Background()
	for _, info := range graphio.Formats() {
		if !info.Writable {
			continue
		}
		for _, s := range samples(t) {
			weighted := s.list.WeightKind() != graph.Unweighted
			for i, name := range fileFor(info.Name, weighted) {
				if i > 0 && len(s.list.Edges) > 1000 {
					continue
				}
				if strings.HasSuffix(name, ".xz") && s.name != "int32-directed" && s.name != "undirected-simple" {
					continue // slow to write
				}
				t.Run(fmt.Sprintf("format=%s/graph=%s/file=%s", info.Name, s.name, name), func(t *testing.T) {
					path := filepath.Join(t.TempDir(), name)
					report, err := graphio.Save(ctx, path, s.list, graphio.SaveOptions{Threads: 1 + i}.WithoutSync())
					if errors.Is(err, graphio.ErrLoss) {
						if left, _ := os.ReadDir(filepath.Dir(path)); len(left) > 0 {
							t.Errorf("a refusal left %v", left)
						}
						checkRefusal(t, info.Name, name, s.list, err)
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					if st, err := os.Stat(path); err != nil || info.Name != "graphalytics" && st.Size() != report.Bytes {
						t.Errorf("report says %d bytes, the file has %v", report.Bytes, st)
					}
					f, err := graphio.Open(ctx, path, graphio.Options{Threads: 2})
					if err != nil {
						t.Fatal(err)
					}
					defer f.Close()
					checkRoundTrip(t, report, s.list, f)
				})
			}
		}
	}
}

// checkRefusal demands a reason for what was refused.
func checkRefusal(t *testing.T, format, name string, l *graph.EdgeList, err error) {
	kind := l.WeightKind()
	reason := map[string]bool{
		"edgelist":     strings.HasSuffix(name, ".el") && kind != graph.Unweighted,
		"metis":        true,
		"dimacs9":      kind == graph.Float32 || kind == graph.Float64,
		"gap":          kind != graph.Unweighted,
		"gap-weighted": kind != graph.Unweighted && kind != graph.Int32,
		"graph500":     l.Directed || kind != graph.Unweighted,
	}[format]
	if format == "metis" {
		g, buildErr := graph.Build(context.Background(), l, graph.BuildOptions{})
		if buildErr != nil {
			t.Fatal(buildErr)
		}
		reason = l.Directed || g.SelfLoops() > 0 || g.Duplicates() > 0 || kind == graph.Float32 || kind == graph.Float64
		for what, there := range map[string]bool{"direction": l.Directed, "self-loop": g.SelfLoops() > 0, "duplicate": g.Duplicates() > 0} {
			if there && !strings.Contains(err.Error(), what) {
				t.Errorf("%v does not name %s", err, what)
			}
		}
	}
	if !reason {
		t.Errorf("refused without a reason: %v", err)
	}
}

func checkRoundTrip(t *testing.T, report graphio.SaveReport, l *graph.EdgeList, f *graphio.File) {
	t.Helper()
	losses := strings.Join(report.Losses, "\n")
	src := f.Source
	if src.IsDirected() != l.Directed {
		if !strings.Contains(losses, "direction") {
			t.Fatalf("directed %v, want %v; losses %q", src.IsDirected(), l.Directed, losses)
		}
		return
	}
	sameIDs := slices.Equal(labelsOf(src), labelsOf(l))
	if !sameIDs && !strings.Contains(losses, "ids:") && !strings.Contains(losses, "vert") {
		t.Errorf("ids changed, losses %q", losses)
	}
	if src.NumVertices() != l.Vertices && !strings.Contains(losses, "vert") {
		t.Errorf("%d vertices, want %d; losses %q", src.NumVertices(), l.Vertices, losses)
	}
	if src.NumEdges() != int64(len(l.Edges)) {
		t.Errorf("%d edges, want %d", src.NumEdges(), len(l.Edges))
	}
	added := len(report.Notes) > 0 && l.WeightKind() == graph.Unweighted
	got, want := src, graph.Source(l)
	if added {
		got = unweighted(src)
	}
	a, b := records(got), records(want)
	if !sameIDs {
		if src.NumVertices() == l.Vertices {
			a, b = dense(got, 0), dense(want, 0)
		}
	}
	if !slices.Equal(a, b) {
		t.Errorf("records differ: %.300q, want %.300q", fmt.Sprint(a), fmt.Sprint(b))
	}
}

func unweighted(src graph.Source) graph.Source {
	l := collect(src)
	l.Weights = graph.Weights{}
	return l
}

func labelsOf(src graph.Source) []uint64 {
	labels := src.VertexLabels()
	out := make([]uint64, labels.Len())
	for i := range out {
		out[i] = labels.Label(uint32(i))
	}
	return out
}

// TestGraph500Weights writes and reads tuples with a file of weights, in both sizes.
func TestGraph500Weights(t *testing.T) {
	ctx := context.Background()
	list := &graph.EdgeList{Vertices: 6, Edges: tinyEdges, Weights: graph.WeightsOf([]float32{.5, 0, 1, .25, .1, .2, .3})}
	for _, tuple := range []int{12, 16} {
		dir := t.TempDir()
		path, weights := filepath.Join(dir, "g.edges"), filepath.Join(dir, "g.weights")
		report, err := graphio.Save(ctx, path, list, graphio.SaveOptions{Tuple: tuple, WeightsPath: weights})
		if err != nil {
			t.Fatal(err)
		}
		if want := int64(7 * (tuple + 4)); report.Bytes != want {
			t.Errorf("%d bytes, want %d", report.Bytes, want)
		}
		f, err := graphio.Open(ctx, path, graphio.Options{Tuple: tuple, WeightsPath: weights})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := records(f.Source), records(list); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		f.Close()
		if err := os.Truncate(weights, 8); err != nil {
			t.Fatal(err)
		}
		if _, err := graphio.Open(ctx, path, graphio.Options{Tuple: tuple, WeightsPath: weights}); !errors.Is(err, graphio.ErrFormat) || !strings.Contains(err.Error(), "28") {
			t.Errorf("short weights: %v", err)
		}
	}
}

// TestWideTuples reads 16-byte tuples with ids beyond 32 bits: the vertices are the ids
// that occur.
func TestWideTuples(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.packed")
	data := le(int64(1), int64(2), int64(1<<40), int64(1))
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := graphio.Open(context.Background(), path, graphio.Options{Tuple: 16})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if want := []string{"1 1099511627776", "1 2"}; !slices.Equal(records(f.Source), want) || f.Source.NumVertices() != 3 {
		t.Errorf("%q, %d vertices", records(f.Source), f.Source.NumVertices())
	}
}

// TestVertexData writes and reads METIS vertex weights and sizes, through the native
// format too.
func TestVertexData(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	path := filepath.Join(dir, "v.graph")
	if err := os.WriteFile(path, []byte("3 2 111 2\n7 1 2 2 9\n8 3 4 1 9 3 5\n0 5 6 2 5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, next := range []string{"v.tgr", "w.graph", ""} {
		f, err := graphio.Open(ctx, path, graphio.Options{})
		if err != nil {
			t.Fatal(err)
		}
		v := f.Vertex
		if v == nil || v.PerVertex != 2 || !slices.Equal(v.Weights, []int64{1, 2, 3, 4, 5, 6}) || !slices.Equal(v.Sizes, []int64{7, 8, 0}) {
			t.Fatalf("%s: vertex data %+v", path, v)
		}
		if want := []string{"1 2 9", "2 3 5"}; !slices.Equal(records(f.Source), want) {
			t.Errorf("records %q, want %q", records(f.Source), want)
		}
		if next != "" {
			path = filepath.Join(dir, next)
			if _, err := graphio.Save(ctx, path, f.Source, graphio.SaveOptions{Vertex: f.Vertex}); err != nil {
				t.Fatal(err)
			}
			report, err := graphio.Save(ctx, filepath.Join(dir, "x.mtx"), f.Source, graphio.SaveOptions{Vertex: f.Vertex})
			if err != nil || !strings.Contains(strings.Join(report.Losses, ""), "vertex weights") {
				t.Errorf("losses %q, %v", report.Losses, err)
			}
		}
		f.Close()
	}
}

// left lists the files of a folder.
func left(t *testing.T, dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// TestFullDisk writes to a device that is always full.
func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full")
	}
	for _, f := range graphio.Formats() {
		if !f.Writable || f.Name == "graphalytics" {
			continue
		}
		list := samples(t)[7].list
		if f.Name == "native" || f.Name == "edgelist" { // larger than all buffers
			list = samples(t)[6].list
		}
		_, err := graphio.Save(context.Background(), "/dev/full", list, graphio.SaveOptions{Format: f.Name})
		var e *graphio.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), "space") {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Fatal("the device is gone")
	}
}

// TestFailedRename makes the last step of writing fail: the old state remains.
func TestFailedRename(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "g.el")
	o := graphio.SaveOptions{Progress: func(graphio.Progress) { _ = os.Mkdir(path, 0o700) }}
	if _, err := graphio.Save(context.Background(), path, samples(t)[6].list, o); err == nil {
		t.Error("written over a directory")
	}
	if got := left(t, dir); !slices.Equal(got, []string{"g.el"}) {
		t.Errorf("left: %q", got)
	}
	if _, err := graphio.Save(context.Background(), path, samples(t)[6].list, o); !errors.Is(err, graphio.ErrOptions) {
		t.Errorf("directory: %v", err)
	}
	if _, err := graphio.Save(context.Background(), filepath.Join(dir, "none", "g.el"), samples(t)[6].list, graphio.SaveOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
}

// TestSaveCancel cancels while a file is written: nothing is left, and what was there
// is untouched.
func TestSaveCancel(t *testing.T) {
	for _, f := range graphio.Formats() {
		if !f.Writable {
			continue
		}
		dir := t.TempDir()
		path := filepath.Join(dir, fileFor(f.Name, false)[0])
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		s := samples(t)[7].list
		if f.Name == "native" {
			cancel()
		}
		_, err := graphio.Save(ctx, path, s, graphio.SaveOptions{Progress: func(graphio.Progress) { cancel() }})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", f.Name, err)
		}
		if got := left(t, dir); len(got) != 1 {
			t.Errorf("%s: left %q", f.Name, got)
		}
		if old, _ := os.ReadFile(path); string(old) != "old" {
			t.Errorf("%s: the old file is gone", f.Name)
		}
	}
}

// TestNamesNumbered reads back what is written of a graph of names in each format that numbers them.
func TestNamesNumbered(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	named := filepath.Join(dir, "names.csv")
	if err := os.WriteFile(named, []byte("source,target\nbob,al ice\nal ice,#x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := graphio.Open(ctx, named, graphio.Options{Direction: graphio.Undirected})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.mtx", "a.graph", "a.gr", "a.sg", "a.edges", "a.totem", "a.e", "out.a"} {
		path := filepath.Join(dir, name)
		report, err := graphio.Save(ctx, path, f.Source, graphio.SaveOptions{})
		if err != nil || !strings.Contains(strings.Join(report.Losses, ", "), "names: 3 vertices become") {
			t.Fatalf("%s: %v, %q", name, err, report.Losses)
		}
		back, err := graphio.Open(ctx, path, graphio.Options{Direction: graphio.Undirected})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if n, names := back.Source.NumVertices(), back.Source.VertexLabels().Names(); n != 3 || names != nil {
			t.Errorf("%s: %d vertices, names %v", name, n, names != nil)
		}
		back.Close()
	}
}

// TestSaveRefusals names what cannot be written at all.
func TestSaveRefusals(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	list := samples(t)[3].list
	for name, want := range map[string]error{
		"g.xyz": graphio.ErrUnknownFormat, "g.el.bz2": graphio.ErrNotWritable,
	} {
		if _, err := graphio.Save(ctx, filepath.Join(dir, name), list, graphio.SaveOptions{}); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
		if err := graphio.CheckSave(filepath.Join(dir, name), graphio.SaveOptions{}); !errors.Is(err, want) {
			t.Errorf("CheckSave %s: %v", name, err)
		}
	}
	for _, o := range []graphio.SaveOptions{{Tuple: 5}, {WeightsPath: "w"}, {Format: "edgelist"}, {Format: "graphalytics", Stdout: &bytes.Buffer{}}} {
		if _, err := graphio.Save(ctx, "-", list, o); err == nil {
			t.Errorf("%+v written", o)
		}
	}
	if _, err := graphio.Save(ctx, filepath.Join(dir, "g.tgr"), list, graphio.SaveOptions{MemoryLimit: 100}); !errors.Is(err, graphio.ErrTooLarge) {
		t.Errorf("memory limit: %v", err)
	}
	if got := left(t, dir); len(got) > 0 {
		t.Errorf("left: %q", got)
	}
}

// TestStdout writes to a stream.
func TestStdout(t *testing.T) {
	var b bytes.Buffer
	list := &graph.EdgeList{Vertices: 3, Directed: true, Edges: []graph.Edge{{U: 0, V: 1}, {U: 1, V: 2}}}
	if _, err := graphio.Save(context.Background(), "-", list, graphio.SaveOptions{Format: "edgelist", Stdout: &b}); err != nil {
		t.Fatal(err)
	}
	if want := "# Directed graph\n0 1\n1 2\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// TestOpenCancel cancels while a file is read.
func TestOpenCancel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.el")
	if err := os.WriteFile(path, bytes.Repeat([]byte("12345 67890\n"), 1<<18), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o := graphio.Options{Progress: func(graphio.Progress) { cancel() }}
	if _, err := graphio.Open(ctx, path, o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestProgress checks that progress rises to the size of the file.
func TestProgress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.el.gz")
	data := compressGzip(t, bytes.Repeat([]byte("12345 67890\n"), 1<<16))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	last := graphio.Progress{}
	f, err := graphio.Open(context.Background(), path, graphio.Options{Progress: func(p graphio.Progress) {
		if p.Done < last.Done {
			t.Errorf("progress falls from %d to %d", last.Done, p.Done)
		}
		last = p
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if want := int64(len(data)); last.Done != want || last.Total != want || last.Unit != "bytes" {
		t.Errorf("last progress %+v, want %d bytes", last, want)
	}
}

// TestCutWhileMapped cuts files short while they are mapped.
func TestCutWhileMapped(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs mapped files that can be cut")
	}
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "g.el")
	if err := os.WriteFile(path, bytes.Repeat([]byte("12345 67890\n"), 1<<19), 0o600); err != nil {
		t.Fatal(err)
	}
	o := graphio.Options{Progress: func(graphio.Progress) { _ = os.Truncate(path, 100) }}
	if _, err := graphio.Open(ctx, path, o); !errors.Is(err, graphio.ErrTruncated) {
		t.Errorf("edge list: %v", err)
	}
	path = filepath.Join(t.TempDir(), "g.tgr")
	if _, err := graphio.Save(ctx, path, samples(t)[6].list, graphio.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	f, err := graphio.Open(ctx, path, graphio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 4096); err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(ctx); !errors.Is(err, graphio.ErrTruncated) {
		t.Errorf("Verify: %v", err)
	}
	g := f.Source.(*graph.CSR)
	for name, read := range map[string]func() error{
		"Measure":          func() error { _, err := graph.Measure(ctx, g, 2); return err },
		"Components":       func() error { _, _, _, err := graph.Components(ctx, g, 2); return err },
		"Validate":         g.Validate,
		"LargestComponent": func() error { _, err := graph.LargestComponent(ctx, g, 2); return err },
		"Build":            func() error { _, err := graph.Build(ctx, struct{ graph.Source }{g}, graph.BuildOptions{}); return err },
	} {
		// The goroutine that calls looks after itself, all others are looked after.
		if err := graphio.Guard(path, read); !errors.Is(err, graph.ErrUnreadable) && !errors.Is(err, graphio.ErrTruncated) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	for _, name := range []string{"o.tgr", "o.el", "o.totem", "o.gr", "o.wel", "o.e", "o.graph", "o.mtx", "out.o"} {
		_, err := graphio.Save(ctx, filepath.Join(dir, name), g, graphio.SaveOptions{DropWeights: true})
		if !errors.Is(err, graphio.ErrTruncated) && !errors.Is(err, graph.ErrUnreadable) && !errors.Is(err, graphio.ErrLoss) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := left(t, dir); len(got) > 0 {
		t.Errorf("left: %q", got)
	}
	err = graphio.Guard(path, func() error {
		sum := uint32(0)
		for _, v := range g.Targets() {
			sum += v
		}
		return fmt.Errorf("read all: %d", sum)
	})
	if !errors.Is(err, graphio.ErrTruncated) {
		t.Errorf("Guard: %v", err)
	}
}
