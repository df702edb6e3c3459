package partition_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/partition"
)

var update = flag.Bool("update", false, "write testdata/placements.txt anew")

// goldenOptions are ways to place l on the processors of word: shares, budgets,
// two-ended shares and an assignment, drawn by rng.
func goldenOptions(t *testing.T, l *graph.EdgeList, policy partition.Policy, word string, rng *rand.Rand) (all []partition.Options) {
	basic := partition.Options{Policy: policy, Processors: procs(word), Seed: 7, Threads: 1}
	if policy == partition.Assigned {
		basic.Assignment = make([]uint8, l.Vertices)
		for v := range basic.Assignment {
			basic.Assignment[v] = uint8(rng.IntN(len(word)))
		}
	}
	ways := []partition.Options{basic}
	if policy != partition.Assigned {
		shares := basic
		shares.Shares = make([]float64, len(word))
		left := 1.0
		for i := range shares.Shares {
			if shares.Shares[i] = left; i < len(word)-1 {
				shares.Shares[i] = float64(rng.IntN(5)) / 4 * left
			}
			left -= shares.Shares[i]
		}
		rates := basic
		rates.Processors = procs(word)
		for i := range rates.Processors {
			rates.Processors[i].Rate = float64(1 + rng.IntN(4))
		}
		ways = append(ways, shares, rates)
	}
	if (policy == partition.HubsOnCPU || policy == partition.Auto) && strings.Contains(word, "d") {
		for _, o := range ways {
			o.TwoEnded = []float64{0.02, 0.3}[rng.IntN(2)]
			ways = append(ways, o)
		}
	}
	for i := range ways {
		ways[i].InPlace, ways[i].NoIn, ways[i].NoOut = rng.IntN(4) == 0, rng.IntN(4) == 0, rng.IntN(4) == 0
	}
	for _, o := range ways {
		all = append(all, o)
		p, err := partition.New(context.Background(), l, o)
		if err != nil {
			t.Fatal(err)
		}
		bytes := make([]float64, len(word))
		for i, f := range p.Processors {
			bytes[i] = float64(f.Bytes)
		}
		p.Close()
		budget := func(part func(i int) float64) {
			limited := o
			limited.Processors = append([]partition.Processor(nil), o.Processors...)
			for i := range limited.Processors {
				limited.Processors[i].Budget = int64(part(i) * bytes[i])
			}
			all = append(all, limited)
		}
		budget(func(i int) float64 { return map[byte]float64{'d': 0.8}[word[i]] })
		budget(func(i int) float64 { return map[byte]float64{'c': 0.8}[word[i]] })
		budget(func(i int) float64 { return 0.9 + rng.Float64() })
		budget(func(i int) float64 { return 0.7 + 0.6*float64((i+len(all))%2) })
		budget(func(i int) float64 { return float64(rng.IntN(2)) * 0.85 })
	}
	return all
}

// TestGolden compares placements with those recorded in testdata/placements.txt: a hash
// over the options of goldenOptions of owners, ranges, ranks and errors.
func TestGolden(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("thousands of placements")
	}
	const file = "testdata/placements.txt"
	var got bytes.Buffer
	all := append(partition.Policies(), partition.Auto, partition.Assigned)
	dealt := len(ref.Corpus()) // vertices enough that some are dealt in blocks
	for i, g := range append(ref.Corpus(), ref.Named{Name: "kronecker of scale 13", List: kronecker(t, 13)}) {
		if i%4 != 1 && i != dealt {
			continue
		}
		policies, words := all, []string{"c", "d", "cd", "ccc", "ddc", "cddd", "dcdc"}
		if i == dealt {
			policies, words = []partition.Policy{partition.HubsOnCPU}, []string{"ccc", "ddc"}
		}
		for _, policy := range policies {
			rng := rand.New(rand.NewPCG(11, uint64(i)))
			for _, word := range words {
				h := fnv.New64a()
				for _, o := range goldenOptions(t, g.List, policy, word, rng) {
					p, err := partition.New(context.Background(), g.List, o)
					if err != nil {
						fmt.Fprint(h, err)
						continue
					}
					fmt.Fprint(h, p.Policy, p.Ranges, p.Ranks, p.Isolated, p.Shares)
					_ = binary.Write(h, binary.LittleEndian, p.RankOf)
					p.Close()
				}
				fmt.Fprintf(&got, "%016x %s on %s: %s\n", h.Sum64(), policy, word, g.Name)
			}
		}
	}
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	if len(gotLines) != len(wantLines) {
		t.Fatalf("%d lines, want %d", len(gotLines), len(wantLines))
	}
	for i, line := range gotLines {
		if line != wantLines[i] {
			t.Errorf("%s, want %s", line, wantLines[i])
		}
	}
}
