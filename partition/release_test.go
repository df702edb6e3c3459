package partition_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/partition"
)

// TestRelease: the rows of one processor are free, its degrees and the other's rows
// are still there, and nothing is left after Close.
func TestRelease(t *testing.T) {
	list, err := gen.Make(t.Context(), gen.KroneckerOptions{Scale: 9, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	list.Directed = true
	before := hugemem.Live()
	p, err := partition.New(t.Context(), list, partition.Options{Shares: []float64{0.5, 0.5},
		Processors: []partition.Processor{{Name: "cpu"}, {Name: "opencl:0", Device: true}}})
	if err != nil {
		t.Fatal(err)
	}
	type side struct{ arcs, degree, bytes int64 }
	look := func(i int) (s side) {
		for _, sub := range p.Part(i).Subgraphs {
			if sub == nil {
				continue
			}
			s.arcs += sub.Out.Arcs() + sub.In.Arcs()
			s.degree += int64(sub.Out.Degree(0) + sub.In.Degree(sub.Rows-1))
			s.bytes += sub.Bytes()
		}
		return s
	}
	for _, in := range []bool{false, true} {
		if _, err := p.Rows(in); err != nil {
			t.Error(err)
		}
	}
	cpu, device := look(0), look(1)
	full := hugemem.Live().Bytes
	p.Release(1)
	if now := look(0); now != cpu {
		t.Errorf("the CPU's rows were %+v and are %+v", cpu, now)
	}
	for _, in := range []bool{false, true} {
		if _, err := p.Rows(in); !errors.Is(err, partition.ErrNoRows) {
			t.Errorf("rows after Release: %v", err)
		}
	}
	rows := p.Processors[1].Vertices
	if now := look(1); now.arcs != device.arcs || now.degree != device.degree || now.bytes != 8*(rows+1) {
		t.Errorf("the device's rows were %+v and are %+v, with %d vertices", device, now, rows)
	}
	freed := 4*device.arcs + 8*rows // neighbours, and a first one for each row of either side
	if got := full - hugemem.Live().Bytes; got != freed {
		t.Errorf("%d bytes are free, want %d", got, freed)
	}
	p.Release(1)
	p.Close()
	p.Close()
	if hugemem.Live() != before {
		t.Errorf("left: %+v, before %+v", hugemem.Live(), before)
	}
}

// TestInPlaceBudget: adjacency in the host's memory does not count against a device's
// budget, what a search takes does.
func TestInPlaceBudget(t *testing.T) {
	list, err := gen.Make(t.Context(), gen.KroneckerOptions{Scale: 10, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	place := func(budget int64, inPlace bool) (*partition.Placement, error) {
		return partition.New(t.Context(), list, partition.Options{InPlace: inPlace,
			Processors: []partition.Processor{{Name: "opencl:0", Device: true, Budget: budget}}})
	}
	p, err := place(0, false)
	if err != nil {
		t.Fatal(err)
	}
	rows, ranks, all := p.Processors[0].Vertices, int64(p.Ranks), p.Processors[0].Bytes
	p.Close()
	most := ranks + 128 // the ranks that are reckoned with before the ranges are laid
	search := partition.PartBytes(partition.PartSize{Rows: rows, Ranks: most, Offset: 4}) + partition.DeviceBytes(most, int64(list.Vertices))
	if search >= all/2 {
		t.Fatalf("a search takes %d bytes of %d: the test shows nothing", search, all)
	}
	for _, c := range []struct {
		budget  int64
		inPlace bool
		fits    bool
	}{{2 * all, false, true}, {search, false, false}, {search, true, true}, {search / 2, true, false}} {
		p, err := place(c.budget, c.inPlace)
		if c.fits != (err == nil) || err != nil && !errors.Is(err, partition.ErrCapacity) {
			t.Errorf("%+v: %v", c, err)
		}
		if err == nil {
			p.Close()
		}
	}
}

// TestTwoEndedBudget: beside the top of the degree order a device of little memory gets
// the lowest degrees, as many as fit, and the CPU all between.
func TestTwoEndedBudget(t *testing.T) {
	list, err := gen.Make(t.Context(), gen.KroneckerOptions{Scale: 11, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	procs := []partition.Processor{{Name: "cpu"}, {Name: "opencl:0", Device: true, Rate: 24, Budget: 110 << 10}}
	p, err := partition.New(t.Context(), list, partition.Options{Policy: partition.HubsOnCPU, TwoEnded: 0.1, Processors: procs})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	degrees := func(r int) (most, least uint64) {
		s := p.Subgraphs[r]
		return s.Out.Degree(0), s.Out.Degree(s.Rows - 1)
	}
	if len(p.Ranges) != 3 || p.Ranges[0].Owner != 1 || p.Ranges[1].Owner != 0 || p.Ranges[2].Owner != 1 {
		t.Fatalf("%+v", p.Ranges)
	}
	_, top := degrees(0)
	between, above := degrees(1)
	if low, _ := degrees(2); between > top || low > above {
		t.Errorf("degrees fall to %d, then from %d to %d, then from %d", top, between, above, low)
	}
	if b := p.Processors[1].Bytes; b > procs[1].Budget || b < procs[1].Budget*9/10 {
		t.Errorf("the device has %d bytes of %d", b, procs[1].Budget)
	}
}

// TestOriginalCutsFileOrder: under original a device's capacity cuts the order of ids, and
// the first range is the CPU's, however they are listed.
func TestOriginalCutsFileOrder(t *testing.T) {
	list, err := gen.Make(t.Context(), gen.GridOptions{Rows: 50, Columns: 50, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	cpu, device := partition.Processor{Name: "cpu"}, partition.Processor{Name: "opencl:0", Device: true, Rate: 24, Budget: 60 << 10}
	for _, procs := range [][]partition.Processor{{cpu, device}, {device, cpu}} {
		p, err := partition.New(t.Context(), list, partition.Options{Processors: procs})
		if err != nil {
			t.Fatal(err)
		}
		if p.Policy != partition.Original || len(p.Ranges) != 2 || procs[p.Ranges[0].Owner].Device || p.Ranges[1].Vertices == 0 {
			t.Fatalf("%s: %+v", p.Policy, p.Ranges)
		}
		next := uint32(0)
		for _, r := range p.Ranges {
			for _, v := range p.VertexOf[r.First : r.First+r.Vertices] {
				if v < next {
					t.Fatalf("vertex %d comes after %d", v, next)
				}
				next = v
			}
		}
		on := p.Ranges[1].Owner
		if b := p.Processors[on].Bytes; b > procs[on].Budget || b < procs[on].Budget*9/10 {
			t.Errorf("the device has %d bytes of %d", b, procs[on].Budget)
		}
		p.Close()
	}
}

// TestFormatShares: what is written passes CheckShares, and a share above 0 stays so.
func TestFormatShares(t *testing.T) {
	for _, c := range []struct {
		entries []int64
		want    string
	}{
		{[]int64{7}, "1"},
		{[]int64{9, 1}, "0.9,0.1"},
		{[]int64{100, 900}, "0.1,0.9"},
		{[]int64{1, 1, 1}, "0.3333,0.3334,0.3333"},
		{[]int64{2, 1}, "0.6667,0.3333"},
		{[]int64{1, 999_999_999}, "0.000000001,0.999999999"},
		{[]int64{0, 5}, "0,1"},
		{[]int64{0, 0}, ""},
	} {
		got := partition.FormatShares(c.entries)
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.entries, got, c.want)
		}
		if got != "" {
			if err := partition.CheckShares(sharesOf(t, got), len(c.entries)); err != nil {
				t.Errorf("%v: %v", c.entries, err)
			}
		}
	}
}

// sharesOf reads what FormatShares writes.
func sharesOf(t *testing.T, text string) (list []float64) {
	t.Helper()
	for _, s := range strings.Split(text, ",") {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, x)
	}
	return list
}

// TestSharesAgain: the shares of a placement, given as FormatShares writes them, make the
// same placement, a two-ended one and one cut short by a budget included.
func TestSharesAgain(t *testing.T) {
	for _, scale := range []int{4, 7, 11} {
		l := kronecker(t, scale)
		for _, o := range []partition.Options{
			{Processors: procs("cd")},
			{Processors: procs("dc")},
			{Processors: procs("cd"), Policy: partition.HubsOnGPU},
			{Processors: procs("ccdd"), Policy: partition.Random, Seed: 3},
			{Processors: procs("dcdc"), Policy: partition.Original},
			{Processors: procs("cdcd"), Policy: partition.HubsOnCPU, Shares: []float64{0.41, 0.13, 0.27, 0.19}},
			{Processors: procs("cd"), TwoEnded: 0.3},
			{Processors: procs("cdd"), TwoEnded: 0.1, Shares: []float64{0.3, 0.5, 0.2}},
		} {
			for _, bounded := range []bool{false, true} {
				o := o
				first := build(t, l, o)
				if bounded {
					// A device has room for half of what it got, whichever it is.
					o.Processors = slices.Clone(o.Processors)
					for i, p := range o.Processors {
						if p.Device {
							empty := partition.PartBytes(partition.PartSize{Ranks: int64(l.Vertices) + 64*8, Structures: 1, Offset: 4}) + partition.DeviceBytes(int64(l.Vertices), int64(l.Vertices))
							o.Processors[i].Budget = empty + first.Processors[i].Bytes/2
							break
						}
					}
					first = build(t, l, o)
				}
				var entries []int64
				for _, f := range first.Processors {
					entries = append(entries, f.Entries)
				}
				again := o
				again.Shares = sharesOf(t, partition.FormatShares(entries))
				if p := build(t, l, again); !slices.Equal(p.Ranges, first.Ranges) || !slices.Equal(p.VertexOf, first.VertexOf) {
					t.Errorf("scale %d, %+v: ranges %+v, with shares %v %+v", scale, o, first.Ranges, again.Shares, p.Ranges)
				}
			}
		}
	}
}
