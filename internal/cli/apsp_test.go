package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/internal/atomicfile"
	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/record"
)

const loopOfThree = "0 1 4\n1 2 -1\n2 0 2\n3 3 1\n" // and a vertex apart

// TestAllPairsFiles: every method writes the same matrix, rows list the same pairs, and both are right.
func TestAllPairsFiles(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "g.wel")
	if err := os.WriteFile(in, []byte(loopOfThree), 0o600); err != nil {
		t.Fatal(err)
	}
	var first []byte
	for _, method := range []string{"blocked", "naive", "squaring", "searches", "auto"} {
		out := filepath.Join(dir, method+".npy")
		if r := command(t, "apsp", in, "--directed", "--method", method, "-o", out); r.status != 0 {
			t.Fatal(r)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = data
		}
		if !bytes.Equal(data, first) {
			t.Errorf("%s writes another file", method)
		}
	}
	const none = 1<<31 - 1
	want := []int32{0, 4, 3, none, 1, 0, -1, none, 2, 6, 0, none, none, none, none, 0}
	head := "{'descr': '<i4', 'fortran_order': False, 'shape': (4, 4), }"
	if !bytes.HasPrefix(first, []byte("\x93NUMPY\x01\x00")) || !strings.HasPrefix(string(first[10:]), head) || len(first)%64 != 0 ||
		int(binary.LittleEndian.Uint16(first[8:]))+10 != len(first)-4*len(want) || first[len(first)-4*len(want)-1] != '\n' {
		t.Fatalf("head %q", first)
	}
	for i, d := range want {
		if got := int32(binary.LittleEndian.Uint32(first[len(first)-4*len(want)+4*i:])); got != d {
			t.Errorf("entry %d is %d, want %d", i, got, d)
		}
	}
	// From a matrix, and compressed.
	out := filepath.Join(dir, "z.npy")
	if r := command(t, "apsp", in, "--directed", "-o", out+".gz", "--predecessors", filepath.Join(dir, "p.npy")); r.status != 0 {
		t.Fatal(r)
	}
	zipped, err := os.Open(out + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	defer zipped.Close()
	z, err := gzip.NewReader(zipped)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(z); err != nil || !bytes.Equal(data, first) {
		t.Errorf("compressed: %d bytes, %v", len(data), err)
	}
	// Predecessors, as rows by ids and as a matrix by row numbers, made with the matrix and without.
	p := command(t, "apsp", in, "--directed", "--predecessors", "-")
	if want := "# from\tto\tpredecessor\n0\t1\t0\n0\t2\t1\n1\t0\t2\n1\t2\t1\n2\t0\t2\n2\t1\t0\n"; p.stdout != want {
		t.Errorf("predecessors:\n%s", p.stdout)
	}
	if r := command(t, "apsp", in, "--directed", "-o", out, "--predecessors", filepath.Join(dir, "q.npy")); r.status != 0 {
		t.Fatal(r)
	}
	made, _ := os.ReadFile(filepath.Join(dir, "p.npy"))
	direct, _ := os.ReadFile(filepath.Join(dir, "q.npy"))
	distances, _ := os.ReadFile(out)
	if !bytes.Equal(made, direct) || !bytes.Equal(distances, first) || len(made) != len(first) {
		t.Errorf("mapped files differ: %d and %d bytes", len(made), len(direct))
	}
	for i, x := range []int32{-1, 0, 1, -1, 2, -1, 1, -1, 2, 0, -1, -1, -1, -1, -1, -1} {
		if got := int32(binary.LittleEndian.Uint32(made[len(made)-64+4*i:])); got != x {
			t.Errorf("predecessor %d is %d, want %d", i, got, x)
		}
	}
	if list, _ := filepath.Glob(filepath.Join(dir, ".*.part")); len(list) > 0 {
		t.Errorf("%v are left", list)
	}
	r := command(t, "apsp", in, "--directed", "-o", "-")
	if want := "# from\tto\tdistance\n0\t1\t4\n0\t2\t3\n1\t0\t1\n1\t2\t-1\n2\t0\t2\n2\t1\t6\n"; r.stdout != want {
		t.Errorf("rows:\n%s", r.stdout)
	}
	r = command(t, "apsp", in, "--directed", "--widest", "-o", "-")
	if want := "# from\tto\tdistance\n0\t1\t4\n0\t2\t-1\n1\t0\t-1\n1\t2\t-1\n2\t0\t2\n2\t1\t2\n"; r.stdout != want {
		t.Errorf("widest paths:\n%s", r.stdout)
	}
}

// TestAllPairsSummary: with and without a matrix; power.graph has diameter 46 (Watts and Strogatz 1998).
func TestAllPairsSummary(t *testing.T) {
	in := needs.Data(t, "power.graph")
	for _, args := range [][]string{{"--summary"}, {"--summary", "--method", "blocked", "--type", "float32"}} {
		var d record.AllPairs
		r := command(t, append([]string{"apsp", in, "--json"}, args...)...)
		if err := json.Unmarshal([]byte(r.stdout), &d); err != nil || r.status != 0 {
			t.Fatal(err, r)
		}
		if d.Diameter != 46 || d.Pairs != 4941*4940 || !d.Connected || d.Schema != record.SchemaAllPairs || d.TimeS <= 0 {
			t.Errorf("%v: %+v", args, d)
		}
	}
}

// TestAllPairsRefused: wrong flags end with 2, what a graph cannot have with 1 and the reason.
func TestAllPairsRefused(t *testing.T) {
	in := filepath.Join(t.TempDir(), "g.wel")
	if err := os.WriteFile(in, []byte("5 7 -3\n7 5 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   string
		status int
		text   string
	}{
		{"--method fast", 2, "squaring"},
		{"--type int", 2, "float64"},
		{"--summary -o x.npy", 2, "--summary"},
		{"-o - --json", 2, "--json"},
		{"-o x.npy --predecessors x.npy", 2, "both write"},
		{"--summary --predecessors x.npy", 2, "--predecessors"},
		{"--processors cpu,cpu", 2, "--processors"},
		{"--processors cpu:x", 2, "cpu:x"},
		{"--kernels sse", 2, "sse"},
		{"--directed", 1, "5 → 7 → 5"},
		{"--directed --method blocked", 1, "5 → 7 → 5"},
		{"--directed --method squaring", 1, "5 → 7 → 5"},
		{"--directed --method blocked --memory-limit 1K", 1, "matrix"},
	} {
		r := command(t, append([]string{"apsp", in}, strings.Fields(c.args)...)...)
		if r.status != c.status || !strings.Contains(r.stderr, c.text) {
			t.Errorf("%s: %+v", c.args, r)
		}
	}
}

// TestAllPairsNames: a negative cycle is told by the file's names.
func TestAllPairsNames(t *testing.T) {
	in := filepath.Join(t.TempDir(), "g.graphml")
	text := `<graphml><key id="w" for="edge" attr.name="weight" attr.type="int"/><graph edgedefault="directed"><node id="anna"/><node id="bert"/>` +
		`<edge source="anna" target="bert"><data key="w">-3</data></edge><edge source="bert" target="anna"><data key="w">2</data></edge></graph></graphml>`
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"blocked", "searches"} {
		if r := command(t, "apsp", in, "--method", method); r.status != 1 || !strings.Contains(r.stderr, "anna → bert → anna") {
			t.Errorf("%s: %+v", method, r)
		}
	}
}

// TestBenchAllPairs: the figures fit together.
func TestBenchAllPairs(t *testing.T) {
	var d record.BenchAllPairs
	r := command(t, "bench", "apsp", "--n", "130", "--rounds", "2", "--methods", "blocked,squaring", "--json")
	if err := json.Unmarshal([]byte(r.stdout), &d); err != nil || r.status != 0 {
		t.Fatal(err, r)
	}
	if len(d.Runs) < 6 || d.N != 130 {
		t.Fatalf("%+v", d)
	}
	for _, x := range d.Runs {
		products := 1.0
		if x.Method == "squaring" {
			products = 8 // paths of 129 arcs
		}
		if q := x.GopS * 1e9 * x.TimeS / (2 * 130 * 130 * 130 * products); q < 0.999 || q > 1.001 || x.RateGopS <= 0 || x.Fraction != x.GopS/x.RateGopS {
			t.Errorf("%+v", x)
		}
	}
}

// TestAllPairsRoom demands a note, before the work, on text that may exceed the disk, and none on text that fits.
func TestAllPairsRoom(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "d.tsv.gz")
	free, err := atomicfile.Room(out)
	if err != nil {
		t.Skip(err)
	}
	for n, want := range map[int64]bool{3: false, int64(math.Sqrt(float64(free)/2)) * 11 / 10: true} {
		if n > 1<<24 {
			t.Skipf("%d bytes free: a graph of %d vertices would be needed", free, n)
		}
		in := filepath.Join(dir, "g.tgr")
		command(t, "generate", "chain", "--vertices", fmt.Sprint(n), "-o", in).must(t)
		r := command(t, "apsp", in, "-o", out, "--memory-limit", "4GiB")
		if note := fmt.Sprintf("d.tsv.gz: the values of %d vertices may take more than", n); strings.Contains(r.stderr, note) != want {
			t.Errorf("%d vertices: %d %q", n, r.status, r.stderr)
		}
	}
}
