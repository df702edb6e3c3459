package cli

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/record"
)

// TestBench: what "bench bfs" states fits together.
func TestBench(t *testing.T) {
	d := document[record.Bench](t, command(t, "bench", "bfs", "--graph", "kron:10", "--roots", "8", "--rounds", "2", "--threads", "2", "--json"))
	if d.Schema != record.SchemaBench || d.Graph != "kron:10" || d.Threads < 1 || d.Director != "auto" || len(d.Searches) != 8 || len(d.Processors) != 1 {
		t.Errorf("%+v", d)
	}
	sum, perEdge := 0.0, 0.0
	for _, s := range d.Searches {
		if s.Reached < 2 || s.NEdge < 1 || s.TimeS <= 0 {
			t.Errorf("%+v", s)
		}
		sum += s.TimeS / 8
		perEdge += s.TimeS / float64(s.NEdge) / 8
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	near("mean", d.Time.MeanS, sum)
	near("parts", *d.Time.SearchMeanS+*d.Time.MapMeanS, sum)
	near("TEPS", d.TEPS.HarmonicMean, 1/perEdge)
	r := d.Roofline
	near("fraction", r.Fraction, (r.BytesStreamed/r.SequentialRate+r.BitmapReads/r.BitmapRate+(r.RandomAccesses-r.BitmapReads)/r.RandomRate)/sum)
	searches := 0
	for _, l := range d.Levels {
		if l.Level == 0 {
			searches += l.Searches
		}
		if l.EdgesExamined == nil {
			t.Errorf("level %d: no edges examined", l.Level)
		}
	}
	if searches != 8 || !d.CountedOutsideClock {
		t.Errorf("%d searches of level 0", searches)
	}
}

// TestBenchLines: --gobench prints a line a round, as Go benchmarks do.
func TestBenchLines(t *testing.T) {
	out := command(t, "bench", "bfs", "--graph", "grid:9x8", "--roots", "3", "--rounds", "4", "--gobench", "--processors", "cpu:1").must(t).stdout
	line := regexp.MustCompile(`^BenchmarkBFS/graph=grid:9x8/placement=original/processors=cpu:1/director=auto\t3\t\d+ ns/op$`)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	for _, l := range lines {
		if !line.MatchString(l) {
			t.Errorf("%q", l)
		}
	}
	if len(lines) != 4 {
		t.Errorf("%d lines", len(lines))
	}
}

// TestBenchTune: what --tune prints, --tuning takes.
func TestBenchTune(t *testing.T) {
	out := command(t, "bench", "bfs", "--graph", "kron:8", "--roots", "2", "--tune").must(t).stdout
	m := regexp.MustCompile(`--tuning (\S+?):?\s`).FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("%q", out)
	}
	if _, err := cpu.ParseTuning(m[1]); err != nil {
		t.Error(err)
	}
	d := document[record.Bench](t, command(t, "bench", "bfs", "--graph", "kron:8", "--roots", "2", "--tuning", m[1], "--json"))
	if d.Tuning != m[1] {
		t.Errorf("tuning %q, given %q", d.Tuning, m[1])
	}
}

// TestBenchDirectors: each director's searches stand beside those of the oracle, whose
// directions are one letter a level.
func TestBenchDirectors(t *testing.T) {
	const roots = 3
	d := document[record.Bench](t, command(t, "bench", "bfs", "--graph", "kron:9", "--roots", "3", "--directors", "--json"))
	if len(d.Directors) != len(bsp.Directors()) {
		t.Fatalf("%d directors", len(d.Directors))
	}
	best := d.Directors[len(d.Directors)-1]
	for _, x := range d.Directors {
		mean, same := 0.0, 0
		for i, s := range x.Searches {
			mean += s.TimeS / roots
			levels := int(d.Searches[i].Depth) + 1
			if s.Root != d.Searches[i].Root || s.TimeS <= 0 || len(s.Directions) < levels-1 || len(s.Directions) > levels+1 || strings.Trim(s.Directions, "TB") != "" {
				t.Errorf("%s: %+v, a search of %d levels", x.Director, s, levels)
			}
			if x.Director == "top-down" && strings.Contains(s.Directions, "B") {
				t.Errorf("top-down went %s", s.Directions)
			}
			if s.Directions == best.Searches[i].Directions {
				same++
			}
		}
		if len(x.Searches) != roots || math.Abs(x.MeanS-mean) > 1e-9*mean || same != x.SameRoots || !(x.OverOracle.Median > 0) || x.OverOracle.Max < x.OverOracle.Median {
			t.Errorf("%+v", x)
		}
	}
	if best.Director != "oracle" || best.SameRoots != roots || best.OverOracle.Max != 1 {
		t.Errorf("%+v", best)
	}
	for _, args := range []string{"--director totem", "--tune", "--gobench"} {
		all := append([]string{"bench", "bfs", "--graph", "kron:6", "--directors"}, strings.Fields(args)...)
		if r := command(t, all...); r.status != exitUsage || !strings.Contains(r.stderr, "--directors") {
			t.Errorf("%q: status %d, %q", args, r.status, r.stderr)
		}
	}
}
