package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/record"
)

// report holds the engine's statements that searches change. Searches write it in their turn,
// callers read it at any time.
type report struct {
	director   atomic.Value // a string, as kernels
	kernels    atomic.Value
	mu         sync.Mutex // of processors
	processors []record.Processor
	leftOut    []record.LeftOut // set by New alone
}

// leave records a processor that a run goes on without, once.
func (r *report) leave(p Processor, err error) {
	if !slices.ContainsFunc(r.leftOut, func(l record.LeftOut) bool { return l.Name == p.String() }) {
		r.leftOut = append(r.leftOut, record.LeftOut{Name: p.String(), Reason: err.Error()})
	}
}

// notes returns an Options.LeftOut that records what it is called with, and calls the given one.
func (r *report) notes(next func(Processor, error)) func(Processor, error) {
	return func(p Processor, err error) {
		r.leave(p, err)
		if next != nil {
			next(p, err)
		}
	}
}

// rule records the director of the next search; nil is the options'.
func (e *Engine) rule(d bsp.Director) {
	name := ""
	if d != nil {
		name = d.Name()
	} else if e.opts.NewDirector == nil {
		name = string(e.opts.Director)
	}
	e.report.director.Store(name)
}

// kernelsOf records the kernels of the first CPU processor.
func (r *report) kernelsOf(procs []kernels.Processor) {
	for _, p := range procs {
		if c, is := p.(*cpu.Processor); is {
			r.kernels.Store(c.KernelSet())
			return
		}
	}
}

// launched records the kernel launches of devices so far.
func (r *report) launched(procs []kernels.Processor) {
	for i, p := range procs {
		if g, is := p.(*gpu.Processor); is {
			n, c := g.Launches(), commands(g.Commands())
			r.mu.Lock()
			r.processors[i].Launches, r.processors[i].Commands = n, c
			r.mu.Unlock()
		}
	}
}

// commands returns the means over searches, nil without one.
func commands(c gpu.Commands) *record.Commands {
	if c.Searches == 0 {
		return nil
	}
	n := float64(c.Searches)
	r := &record.Commands{
		Launches: float64(c.Launches) / n, Fills: float64(c.Fills) / n, Uploads: float64(c.Uploads) / n, Downloads: float64(c.Reads) / n,
		Waits: float64(c.Waits) / n, FillBytes: float64(c.FillBytes) / n, UploadBytes: float64(c.UploadBytes) / n, DownloadBytes: float64(c.ReadBytes) / n,
	}
	for _, name := range slices.Sorted(maps.Keys(c.Kernels)) {
		k := c.Kernels[name]
		r.Kernels = append(r.Kernels, record.KernelProfile{
			Kernel: name, Launches: float64(k.Launches) / float64(c.Profiled), TimeS: k.Time.Seconds() / float64(c.Profiled),
		})
	}
	return r
}

// ProfileDevices makes searches wait for each kernel of a device and clock it, until it is off: see
// gpu.Processor.Profile. Errors are ctx's or ErrClosed.
func (e *Engine) ProfileDevices(ctx context.Context, on bool) error {
	return e.alone(ctx, func(*turn) error {
		for _, p := range e.procs {
			if g, is := p.(*gpu.Processor); is {
				g.Profile(on)
			}
		}
		return nil
	})
}

// NumVertices is the number of vertices of the graph.
func (e *Engine) NumVertices() int { return e.n }

// Labels translates between dense ids and the file's.
func (e *Engine) Labels() *graph.Labels { return e.labels }

// Director is the name of the director. With Options.NewDirector it is "" before the first
// search.
func (e *Engine) Director() string {
	name, _ := e.report.director.Load().(string)
	return name
}

// Rates are the costs by which bsp.DirectorAuto chooses, given or measured.
func (e *Engine) Rates() bsp.Rates { return e.opts.Rates }

// Kernels names the kernels of the first CPU processor: one of cpu.Kernels, or the set of
// each as in "probe=avx2,settle=generic,…"; "" without a CPU processor.
func (e *Engine) Kernels() string {
	name, _ := e.report.kernels.Load().(string)
	return name
}

// Placement is the policy of the placement and the reason for it.
func (e *Engine) Placement() (policy partition.Policy, why string) {
	p := cmp.Or(e.place, &partition.Placement{})
	return p.Policy, p.Reason
}

// Share is the fraction of the adjacency entries of each processor, such as "0.92,0.08", with
// sum 1. Options.Shares with these fractions gives the same cut, and the same placement
// unless two processors of a kind were dealt vertices (see partition.HubsOnCPU). It is "" for
// one processor and for a graph without entries.
func (e *Engine) Share() string {
	return Share(e.report.processors)
}

// Share is Engine.Share for what Describe returns.
func Share(list []record.Processor) string {
	if len(list) < 2 {
		return ""
	}
	entries := make([]int64, len(list))
	for i := range list { // no copy: Launches change beside it
		entries[i] = list[i].Edges
	}
	return partition.FormatShares(entries)
}

// Isolated is the number of vertices without edges to other vertices. No processor owns them.
func (e *Engine) Isolated() int64 { return cmp.Or(e.place, &partition.Placement{}).Isolated }

// Processors describes each processor's partition, and the launches of devices up to the end
// of the last search. It waits for no search.
func (e *Engine) Processors() []record.Processor {
	r := &e.report
	r.mu.Lock()
	defer r.mu.Unlock()
	list := slices.Clone(r.processors)
	for i := range list {
		list[i].Arrays, list[i].Launches = slices.Clone(list[i].Arrays), maps.Clone(list[i].Launches)
	}
	return list
}

// describe returns each processor's partition, without launches.
func (e *Engine) describe() []record.Processor {
	list := Describe(e.place, e.opts.Processors)
	for i, p := range e.opts.Processors {
		if info, ok := e.devices.Info(p); ok {
			list[i].Device = info.Model
		}
		if g, is := e.procs[i].(*gpu.Processor); is {
			list[i].Arrays = e.arrays(i, g)
		}
	}
	return list
}

// arrays lists the arrays of processor i, which is g, and the host's copy of its subgraphs.
func (e *Engine) arrays(i int, g *gpu.Processor) (list []record.Array) {
	for _, a := range g.Arrays() {
		where := record.OnDevice
		if a.Host {
			where = record.OnHost
		}
		list = append(list, record.Array{Name: a.Name, Location: where, Bytes: a.Bytes})
	}
	kept := record.Array{Name: record.HostCopy, Location: record.OnHost}
	for r, rg := range e.place.Ranges {
		if rg.Owner == i {
			kept.Bytes += e.place.Subgraphs[r].Bytes()
		}
	}
	return append(list, kept)
}

// Describe returns the partition of each processor in a placement, none for a nil placement.
// Processors beyond procs have no name.
func Describe(p *partition.Placement, procs []Processor) []record.Processor {
	if p == nil {
		return nil
	}
	var vertices, entries int64
	for _, f := range p.Processors {
		vertices += f.Vertices
		entries += f.Entries
	}
	part := func(a, b int64) float64 { return float64(a) / float64(max(1, b)) } // a ≤ b
	var list []record.Processor
	for i, f := range p.Processors {
		d := record.Processor{
			Vertices: f.Vertices, Edges: f.Entries, Bytes: f.Bytes,
			VertexShare: part(f.Vertices, vertices), EdgeShare: part(f.Entries, entries), CutShare: part(f.Cut, f.Entries),
		}
		if i < len(procs) {
			d.Name, d.Kind, d.Threads = procs[i].String(), procs[i].Kind.String(), procs[i].Threads
		}
		list = append(list, d)
	}
	return list
}
