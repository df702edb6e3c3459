package cli

import (
	"path/filepath"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/record"
)

func TestBenchPath(t *testing.T) {
	for _, g := range []string{"kron:8", "uniform:6", "chain:100", file(t, "g.el", "0 1\n1 2\n4 3\n")} {
		d := document[record.BenchPath](t, command(t, "bench", "path", "--graph", g, "--pairs", "50", "--json"))
		if d.Schema != record.SchemaBenchPath || d.Pairs != 50 || d.Connected < 1 || d.Path.MedianS <= 0 || d.Path.P99S < d.Path.MedianS || d.Plain.P99S <= 0 {
			t.Errorf("%s: %+v", g, d)
		}
	}
	for _, args := range [][]string{{"--graph", "kron:6", "--pairs", "0"}, {"--pairs", "2"}} {
		if r := command(t, append([]string{"bench", "path"}, args...)...); r.status != 2 {
			t.Errorf("%q: status %d, %q", args, r.status, r.stderr)
		}
	}
}

// BenchmarkPath times Engine.Path and a plain bidirectional search over graph.CSR, the same pairs.
func BenchmarkPath(b *testing.B) {
	for _, name := range []string{"facebook_combined.txt", "soc-Epinions1.txt.gz", "web-NotreDame.txt.gz"} {
		f, err := graphio.Open(b.Context(), needs.Data(b, name), graphio.Options{})
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		g, err := graph.Build(b.Context(), f.Source, graph.BuildOptions{})
		if err != nil {
			b.Fatal(err)
		}
		p, err := newPlainPaths(b.Context(), g)
		if err != nil {
			b.Fatal(err)
		}
		pairs := p.draw(1000)
		eng, err := engine.New(b.Context(), g, engine.Options{})
		if err != nil {
			b.Fatal(err)
		}
		defer eng.Close()
		at := "graph=" + filepath.Base(name)
		b.Run(at+"/search=path", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				pair := pairs[i%len(pairs)]
				if _, err := eng.Path(b.Context(), g.VertexLabels().Label(pair[0]), g.VertexLabels().Label(pair[1])); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(at+"/search=plain", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				pair := pairs[i%len(pairs)]
				p.path(pair[0], pair[1])
			}
		})
	}
}
