package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/program"
)

// Footprint is the memory in bytes that an algorithm takes for a graph, beside the graph as read.
type Footprint struct {
	// Placing is the peak of New. Then there are the placed graph with what processors made of it, the state of one run,
	// and its result.
	Placing, Placed, State, Result int64
	// Idle is the state of the search that New makes, beside that of a run of another program on CPUs. It is freed where
	// the memory limit has no room.
	Idle int64
	// Varies says that the state depends on the form of the graph and the roots: State is an estimate then.
	Varies bool
	// Devices are what it takes of the memory of each device, in the order of the processors.
	Devices []DeviceFootprint
}

// DeviceFootprint is the memory of a device in bytes: all of it, and what the placed graph with the search that New makes, and the
// state of one run, take of it.
type DeviceFootprint struct {
	Processor             string
	Memory, Placed, State int64
}

// Peak is the most host memory at once.
func (f Footprint) Peak() int64 { return max(f.Placing, f.Placed+f.State+f.Result+f.Idle) }

// demand is what an algorithm takes beside its program, which may be nil, and the program's result.
type demand struct {
	program       *program.Program
	state, result int64
	varies        bool // the state's lists depend on the graph and the roots
}

// demands are those of the algorithms, named as the commands are, with their default options: the same programs and bytes
// that their runs open and check against the memory limit.
var demands = map[string]func(e *Engine) demand{
	"bfs":  func(e *Engine) demand { return demand{program: bsp.Tree, result: 4 * int64(e.n)} },
	"sssp": func(e *Engine) demand { return e.pathsDemand() },
	"cc":   func(e *Engine) demand { return demand{program: (&components{e: e}).program(), result: 4 * int64(e.n)} },
	"pagerank": func(e *Engine) demand {
		k := &ranking{ahead: !e.place.Directed}
		return demand{program: k.pull(), state: 4 * e.place.Isolated}
	},
	"reach":     func(e *Engine) demand { return demand{program: reach, state: 12 * int64(e.place.Ranks), varies: true} }, // lists of a frontier
	"closeness": closenessDemand,
	"diameter":  diameterDemand,
	"triangles": func(e *Engine) demand {
		d := e.trianglesDemand(e.opts.Threads)
		d.varies = true
		return d
	},
	"kcore": func(e *Engine) demand { return demand{program: kcore, state: 4 * int64(e.place.Ranks), varies: true} },
	"cdlp": func(e *Engine) demand {
		p, bytes := e.propagation(e.opts.Threads)
		return demand{program: p, state: bytes}
	},
	"path": func(e *Engine) demand { return demand{state: int64(e.place.Ranks), varies: true} }, // and 8 bytes a vertex reached
	"bc":   betweennessDemand,
}

func closenessDemand(e *Engine) demand {
	searcher := e.manySearcher()
	if searcher == nil {
		return demand{program: many[0]}
	}
	// The roots as well; the result takes the place of searches.
	bytes := 4*int64(e.place.Ranks) + searcher.ManyBytes(&kernels.ManyRoots{Ranks: uint32(e.place.Ranks), Threads: e.opts.Threads})
	result := 24 * int64(e.n)
	return demand{state: max(0, bytes-result), result: result, varies: true}
}

// shallow is the number of levels that searches of a graph with hubs are taken not to exceed.
const shallow = 12

// betweennessDemand is the memory of the roots, and of the program in a graph with hubs and not small, or else of searches by one
// thread each, beside the scores of the program.
func betweennessDemand(e *Engine) demand {
	d := demand{program: betweenness, state: pathRootBytes * int64(e.place.Ranks), varies: true}
	arcs := int64(e.place.MeanDegree * float64(e.place.Ranks))
	if e.manySearcher() == nil || e.hubs() && arcs > shallow*serialLevel {
		d.state += 12 * (arcs + int64(e.place.Ranks)) / (pushCost + 1) // lists of a push
	} else {
		d.state += max(0, serialBytes(int(e.place.Ranks), e.opts.Threads)+8*int64(e.n)-e.runBytes(betweenness))
	}
	return d
}

// diameterDemand is the memory of searches from one vertex at a time, which end it in a graph with hubs, or else of many at once.
func diameterDemand(e *Engine) demand {
	d := closenessDemand(e)
	if d.state += d.result; !e.place.Directed && e.hubs() {
		d.state = 0
	}
	// Candidates, a tree and its levels as well.
	return demand{program: d.program, state: d.state + int64(e.place.Ranks)*(memberBytes+4) + 8*int64(e.n), varies: true}
}

// pathsDemand is the memory of SSSP with weights of 32 bits: distances of 64 bits as well.
func (e *Engine) pathsDemand() demand {
	t := program.TypeOf[int32]()
	if e.kind == graph.Float32 {
		t = program.TypeOf[float32]()
	}
	return demand{program: shortestPaths[t][0], result: 8 * int64(e.n), varies: true}
}

// Footprints names the algorithms of FootprintOf.
func Footprints() []string { return slices.Sorted(maps.Keys(demands)) }

// FootprintOf returns the memory that an algorithm, named as the command is, takes for a graph of that size, and within the
// limits of o and the memory of devices. Errors wrap ErrMemory or ErrCapacity where the graph is too large,
// kernels.ErrUnsupported where the processors cannot run it, ErrArgument for an unknown algorithm or an impossible size,
// ErrOptions, or are those of DescribeDevices, which describes the devices unless o.Devices does. It allocates nothing.
// Vertices are taken to have equal degrees: with hubs other parts of the graph go to each of several processors, in sum the
// same. Devices have the speeds that Place takes.
func FootprintOf(algorithm string, size GraphSize, o Options) (f Footprint, err error) {
	need := demands[algorithm]
	if need == nil {
		return f, fmt.Errorf("%w: no algorithm %q", ErrArgument, algorithm)
	}
	if err := o.ensureDefaults(); err != nil {
		return f, err
	}
	if o.Devices == nil {
		if o.Devices, err = DescribeDevices(o); err != nil {
			return f, err
		}
	}
	e, err := sized(size, &o)
	defer func() {
		for _, k := range e.procs {
			err = errors.Join(err, k.Close())
		}
	}()
	if err != nil {
		return f, err
	}
	d := need(e)
	f = e.footprint(d)
	place := size.partition(&o)
	f.Placing = partition.NeedFor(place)
	if o.MemoryLimit > 0 && f.Peak() > o.MemoryLimit {
		f.Idle = 0
	}
	f.Devices, err = e.deviceFootprints(algorithm, d.program)
	place.Edges = max(place.Edges, place.Records) // New doesn't know the duplicates
	if need := max(f.Peak(), partition.NeedFor(place)); err == nil && o.MemoryLimit > 0 && need > o.MemoryLimit {
		err = fmt.Errorf("%w: %s needs %d bytes, the limit is %d", ErrMemory, algorithm, need, o.MemoryLimit)
	}
	return f, err
}

// footprint is what the engine and a run take.
func (e *Engine) footprint(d demand) Footprint {
	f := Footprint{Placed: e.held(), State: d.state, Result: d.result, Varies: d.varies}
	if d.program != nil {
		f.State, f.Result = d.state+e.runBytes(d.program), d.result+e.resultBytes(d.program)
	}
	if d.program != bsp.Tree {
		f.Idle = e.runBytes(bsp.Tree)
	}
	return f
}

// Memory is the most host memory in bytes that the engine, a run of an algorithm of Footprints and its result take, 0 for another.
func (e *Engine) Memory(algorithm string) int64 {
	need := demands[algorithm]
	if need == nil || e.enter(context.Background()) != nil {
		return 0
	}
	defer e.mapping.RUnlock()
	return e.footprint(need(e)).Peak()
}

// deviceFootprints are the Devices of a Footprint of a program, which may be nil.
func (e *Engine) deviceFootprints(algorithm string, p *program.Program) (list []DeviceFootprint, err error) {
	for i, k := range e.procs {
		g, is := k.(*gpu.Processor)
		if !is {
			continue
		}
		name := e.opts.Processors[i].String()
		at := slices.IndexFunc(list, func(d DeviceFootprint) bool { return d.Processor == name })
		if at < 0 {
			info, _ := e.devices.Info(e.opts.Processors[i])
			at, list = len(list), append(list, DeviceFootprint{Processor: name, Memory: info.Memory})
		}
		d := &list[at]
		d.Placed += e.onDevice(g, false)
		if p != nil {
			d.State += g.RunBytes(p)
			err = cmp.Or(err, g.Runs(p))
		}
	}
	for _, d := range list {
		if need := d.Placed + d.State; need > d.Memory && err == nil {
			err = fmt.Errorf("%w: %s needs %d bytes of %s, which has %d", ErrCapacity, algorithm, need, d.Processor, d.Memory)
		}
	}
	return list, err
}

// partition is the size for a placement.
func (g GraphSize) partition(o *Options) partition.Size {
	s := partition.Size{Parts: len(o.Processors), Vertices: g.Vertices, Isolated: g.Isolated, Edges: g.Edges, Records: g.Records,
		Directed: g.Directed, Sorted: len(o.Processors) == 1 && g.Hubs && (o.Placement == partition.Auto || o.Placement == partition.HubsOnCPU)}
	if o.Weights {
		s.Weights = g.Weights
	}
	return s
}

// sized is an engine without arrays of a graph of that size: it serves to count bytes.
func sized(size GraphSize, o *Options) (*Engine, error) {
	if size.Vertices < 0 || size.Isolated < 0 || size.Isolated > size.Vertices || size.Edges < 0 || size.Edges > math.MaxInt64/256 {
		return &Engine{}, fmt.Errorf("%w: a graph of %+v", ErrArgument, size)
	}
	if size.Vertices+64*int64(len(o.Processors)) > int64(graph.MaxVertices) {
		return &Engine{}, fmt.Errorf("%w: %d vertices, at most %d are possible", partition.ErrTooLarge, size.Vertices, uint32(graph.MaxVertices))
	}
	e := &Engine{opts: *o, n: int(size.Vertices), devices: o.Devices, kind: size.Weights}
	if err := o.Devices.check(o); err != nil {
		return e, err
	}
	var err error
	if e.place, err = partition.Sized(size.partition(o), o.placement(o.Devices)); err != nil {
		return e, o.Devices.roomFor(o, err)
	}
	e.place.MeanDegree = 2 * float64(size.Edges) / float64(max(1, size.Vertices-size.Isolated))
	if e.place.MaxDegree = uint32(e.place.MeanDegree); size.Hubs {
		e.place.MaxDegree = uint32(math.Ceil(partition.HubRatio * e.place.MeanDegree))
	}
	for i, p := range o.Processors {
		k, err := o.Devices.processor(p, o)
		if err != nil {
			return e, err
		}
		e.procs = append(e.procs, k)
		switch k := k.(type) {
		case *cpu.Processor:
			err = k.LoadSize(e.place.Part(i))
		case *gpu.Processor:
			err = k.LoadSize(e.place.Part(i), size.Vertices, size.Hubs)
		}
		if err != nil {
			return e, o.Devices.roomFor(o, err)
		}
		if o.ReleaseHost && p.Kind != CPU {
			e.place.Release(i)
		}
	}
	return e, nil
}

// hubs reports that the largest degree is far above the mean.
func (e *Engine) hubs() bool {
	return float64(e.place.MaxDegree) >= partition.HubRatio*e.place.MeanDegree
}

// held is the host memory of the placed graph and of what processors made of it, in bytes.
func (e *Engine) held() int64 {
	bytes := e.place.Bytes()
	for i, k := range e.procs {
		if g, is := k.(*gpu.Processor); is {
			bytes += e.onDevice(g, true)
			if e.sharesMemory(i) {
				bytes += e.onDevice(g, false)
			}
			continue
		}
		bytes += k.Bytes()
		for r, s := range e.place.Subgraphs {
			if e.place.Ranges[r].Owner == i {
				bytes -= s.Bytes()
			}
		}
	}
	return bytes
}

// onDevice is the memory of a device's part in bytes, or that of the host for it.
func (e *Engine) onDevice(g *gpu.Processor, host bool) (bytes int64) {
	for _, a := range g.Arrays() {
		if a.Host == host {
			bytes += a.Bytes
		}
	}
	return bytes
}

// sharesMemory reports a device whose memory is the host's.
func (e *Engine) sharesMemory(i int) bool {
	info, ok := e.devices.Info(e.opts.Processors[i])
	return ok && (info.Unified || info.HostCPU)
}

// runBytes is the host memory of the state of a program's run.
func (e *Engine) runBytes(p *program.Program) (bytes int64) {
	for i, k := range e.procs {
		if k.Kind() == kernels.CPU || e.sharesMemory(i) {
			bytes += k.RunBytes(p)
		}
	}
	return bytes
}

// resultBytes is the memory of a program's result.
func (e *Engine) resultBytes(p *program.Program) (bytes int64) {
	for _, a := range p.Arrays {
		if !a.Scratch {
			bytes += int64(e.n) * int64(a.Type.Size())
		}
	}
	return bytes
}
