package allpairs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// ErrOptions is returned for options out of range.
var ErrOptions = errors.New("allpairs: bad options")

// Method computes the distances.
type Method uint8

// The methods.
const (
	Auto     Method = iota // the one that is predicted to be faster
	Blocked                // Floyd-Warshall by blocks
	Naive                  // Floyd-Warshall by vertices
	Squaring               // repeated squaring of the matrix
	Searches               // a search from every vertex: breadth-first, Dijkstra's or Johnson's
)

var methodNames = []string{"auto", "blocked", "naive", "squaring", "searches"}

func (m Method) String() string {
	if int(m) < len(methodNames) {
		return methodNames[m]
	}
	return fmt.Sprintf("Method(%d)", uint8(m))
}

// Methods lists the names of methods.
func Methods() []string { return slices.Clone(methodNames) }

// ParseMethod returns the method of a name, or ErrOptions.
func ParseMethod(name string) (Method, error) {
	if i := slices.Index(methodNames, name); i >= 0 {
		return Method(i), nil
	}
	return Auto, fmt.Errorf("%w: method %q is none of %v", ErrOptions, name, methodNames)
}

// Options control a solution. The zero value is the default.
type Options struct {
	Method  Method
	Algebra Algebra
	// Predecessors asks for the vertex before the last of a shortest path of each pair, too.
	Predecessors bool
	// Threads is the number of goroutines; 0 means GOMAXPROCS.
	Threads int
	// Kernels names the tile kernels, such as "avx2"; "" means the best of this processor.
	Kernels string
	// MemoryLimit bounds the memory of matrices, in bytes; 0 means the available memory.
	MemoryLimit int64
	// Device, if set, runs the dense methods, and holds the matrix. Searches run on CPUs.
	Device device.Device
	// Start, if set, is called with the plan before work begins.
	Start func(*Plan)
	// Progress, if set, is called as work is done, from one goroutine at a time.
	Progress func(done, of int64)

	narrow bool // of float32 for Rows of float64
}

// Plan is how Solve or Rows computes, and what it needs.
type Plan struct {
	Method Method
	// Reason says why the method was taken.
	Reason string
	// Kernels is the name of the tile kernels, or of the device; "" for Searches.
	Kernels string
	// Bytes is the memory of matrices, Time the predicted time without predecessors.
	Bytes int64
	Time  time.Duration
}

// kernelsOf returns the kernels of a name, or ErrOptions.
func kernelsOf[T Value](name string) (kernels[T], error) {
	list := sets[T]()
	for _, k := range list {
		if name == "" || k.name == name {
			return k, nil
		}
	}
	return list[0], fmt.Errorf("%w: this processor has no kernels %q for tiles", ErrOptions, name)
}

// prepare chooses a method for a graph and predicts its memory and time. rows says that distances are looked
// at by rows: Searches needs no matrix then. Errors wrap ErrOptions or graph.ErrMemory, or say that the
// weights do not fit T. The deviceSolver is nil unless the method runs on a device.
func prepare[T Value](ctx context.Context, g *graph.CSR, o Options, rows bool) (p *Plan, s *deviceSolver[T], err error) {
	k, err := kernelsOf[T](o.Kernels)
	if err != nil {
		return nil, nil, err
	}
	n, threads := g.NumVertices(), workers.Count(o.Threads)
	if o.Method > Searches || o.Algebra > Widest || o.Threads < 0 || o.Predecessors && n > math.MaxInt32 {
		return nil, nil, fmt.Errorf("%w: %v, algebra %d, %d threads, %d vertices", ErrOptions, o.Method, o.Algebra, o.Threads, n)
	}
	sparse := &Plan{Method: Searches, Reason: "as asked for"}
	if !rows {
		sparse.Bytes = denseBytes[T](n, Searches, o.Predecessors)
	}
	if o.Method == Searches {
		if o.Device != nil {
			sparse.Reason += "; searches run on CPUs"
		}
		if err = o.checkMemory(n, sparse.Bytes); err == nil {
			sparse.Time, err = searchTime[T](ctx, g, o, threads, math.MaxInt64)
		}
		return sparse, nil, err
	}
	p = &Plan{Method: cmp.Or(o.Method, Blocked), Reason: "as asked for", Kernels: k.name, Time: math.MaxInt64}
	if o.narrow {
		p.Kernels += ", float32"
	}
	p.Bytes = denseBytes[T](n, p.Method, o.Predecessors && !rows)
	if o.Device != nil {
		p.Bytes = denseBytes[T](n, Blocked, o.Predecessors && !rows)
	}
	if err = o.checkMemory(n, p.Bytes); err == nil && o.Device == nil {
		p.Time = predict(k, n, threads, p.Method, o.Algebra)
	} else if err == nil {
		if s, err = newDeviceSolver[T](o.Device, n, p.Method, o.Algebra); err == nil {
			p.Kernels = o.Device.Info().Name
			p.Time, err = s.predict(ctx, p.Method)
		}
	}
	if o.Method == Auto && (err == nil || errors.Is(err, graph.ErrMemory) && o.checkMemory(n, sparse.Bytes) == nil) {
		full := err
		sparse.Time, err = searchTime[T](ctx, g, o, threads, p.Time)
		p.Reason = fmt.Sprintf("dense tiles would take %.3g s, a search from every vertex %.3g s", p.Time.Seconds(), sparse.Time.Seconds())
		if full != nil {
			p.Reason = full.Error()
		}
		if sparse.Time < p.Time || full != nil {
			p, sparse.Reason = sparse, p.Reason
		}
	}
	if s != nil && (err != nil || p.Method == Searches) {
		err, s = errors.Join(err, s.close()), nil
	}
	return p, s, err
}

// denseBytes is the host's memory of a method that keeps a matrix.
func denseBytes[T Value](n int, method Method, predecessors bool) int64 {
	bytes := hugemem.Taken(Bytes[T](n))
	if method == Squaring {
		bytes *= 2
	}
	if predecessors {
		bytes += hugemem.Taken(4 * int64(n) * int64(n))
	}
	return bytes
}

// Footprint returns the memory in bytes of the host, and of a device that is not nil, that a dense method takes for n vertices,
// blocked for Auto. The error, that of Solve, wraps graph.ErrMemory where they are too many. It allocates nothing.
func Footprint[T Value](n int, o Options, on *device.Info) (host, dev int64, err error) {
	if on == nil {
		host = denseBytes[T](n, o.Method, o.Predecessors)
		return host, 0, o.checkMemory(n, host)
	}
	host = denseBytes[T](n, Blocked, o.Predecessors)
	return host + stagingSize, deviceBytes[T](n, o.Method), cmp.Or(o.checkMemory(n, host), checkDevice[T](*on, n, o.Method))
}

// checkMemory refuses matrices of more bytes than the limit.
func (o *Options) checkMemory(n int, need int64) error {
	limit := o.MemoryLimit
	if limit == 0 {
		limit = hugemem.Available()
	}
	if limit > 0 && need > limit {
		return &graph.MemoryError{What: fmt.Sprintf("a matrix of the distances between %d vertices", n), Need: need, Limit: limit}
	}
	return nil
}

// Kernels names the tile kernels of this processor for T, best first.
func Kernels[T Value]() []string {
	var names []string
	for _, k := range sets[T]() {
		names = append(names, k.name)
	}
	return names
}

// Rate measures for 20 ms how many additions and minima a second the kernels' instructions do in
// registers alone, on all threads at once. Errors wrap ErrOptions.
func Rate[T Value](ctx context.Context, name string, threads int) (_ float64, err error) {
	defer hugemem.Recover(&err)
	k, err := kernelsOf[T](name)
	if err != nil {
		return 0, err
	}
	threads = workers.Count(threads)
	rates := make([]float64, threads)
	var ready sync.WaitGroup
	ready.Add(threads)
	err = workers.Each(ctx, threads, threads, nil, func(_, i int) error {
		ready.Done()
		ready.Wait()
		rates[i] = k.measure(20 * time.Millisecond)
		return nil
	})
	sum := 0.0
	for _, r := range rates {
		sum += 2 * r
	}
	return sum, err
}

// measure returns the additions a second of rate, from a run of at least that long.
func (k *kernels[T]) measure(least time.Duration) float64 {
	for turns := 16; ; turns *= 2 {
		start := time.Now()
		k.rate(turns)
		if took := time.Since(start); took >= least {
			return float64(turns*k.operations) / took.Seconds()
		}
	}
}

const (
	// denseShare is the part of the register-only rate that products of tiles reach.
	denseShare = 0.9
	// stageTime is what starting threads takes, for each of blocked's stages.
	stageTime = 100 * time.Microsecond
	// pairTime is one thread's time to make an entry from the arcs, and to hand it out.
	pairTime = 12 * time.Nanosecond
)

// predict predicts the time of a dense method, or of blocked for Auto.
func predict[T Value](k kernels[T], n, threads int, method Method, by Algebra) time.Duration {
	tiles := float64((n + Side - 1) / Side)
	if method == Naive { // it reads and writes all tiles in each step
		sample := newMatrix[T](min(n, 16*Side), by)
		defer func() { _ = sample.Free() }()
		clear(sample.data)
		start := time.Now()
		for at := 0; at < len(sample.data); at += tileLen {
			k.product[by](sample.data[at:at+tileLen], sample.data, sample.data, sample.data, 1)
		}
		each := float64(time.Since(start)) / float64(max(1, len(sample.data)/tileLen))
		return time.Duration(each * tiles * tiles * float64(n) / float64(threads))
	}
	products := 1.0
	for arcs := 2; method == Squaring && arcs < n-1; arcs *= 2 {
		products++
	}
	rate := denseShare * k.measure(200*time.Microsecond) * float64(threads)
	stages := tiles / float64(blockTiles(int(tiles)))
	return time.Duration(products*tiles*tiles*tiles*Side*tileLen/rate*1e9 + stages*float64(stageTime) +
		float64(n)*float64(n)*float64(pairTime)/float64(threads))
}

// searchTime predicts the time of searches from all vertices by some of them; it ends early once
// that is above the limit.
func searchTime[T Value](ctx context.Context, g *graph.CSR, o Options, threads int, limit time.Duration) (time.Duration, error) {
	s, err := newSearcher[T](ctx, g, o, 1)
	if err != nil || s.units() == 0 {
		return 0, err
	}
	none := func(Row[T]) error { return nil }
	start := time.Now()
	for done := 1; ; done++ {
		if err := s.unit(0, int(uint64(done)*0x9e3779b97f4a7c15%uint64(s.units())), none); err != nil {
			return 0, err
		}
		took := time.Since(start)
		all := time.Duration(float64(took) / float64(done) * float64(s.units()) / float64(min(threads, s.units())))
		if done == s.units() || done >= 8 && took > 5*time.Millisecond || took > 50*time.Millisecond || all/64 > limit {
			return all, ctx.Err()
		}
	}
}

// Row is the distances from a vertex. Its arrays are valid during the call that has it.
type Row[T Value] struct {
	From      uint32 // dense id
	Distances []T    // by dense id
	// Predecessors has for each vertex the one before it on a shortest path from From, −1 without any; nil unless
	// they were asked for.
	Predecessors []int32
}

// exact32 is the number up to which float32 holds all whole numbers.
const exact32 = 1 << 24

// Rows computes the distances between all pairs of vertices and hands them to take by rows, in any order, from
// as many goroutines as there are threads; worker numbers them from 0. It keeps no matrix where it searches from every
// vertex. Whole weights whose sums float32 holds exactly are added up as such by dense methods of float64. Errors are
// those of Solve and of take.
func Rows[T Value](ctx context.Context, g *graph.CSR, o Options, take func(worker int, r Row[T]) error) (_ *Plan, err error) {
	defer hugemem.Recover(&err)
	if ctx == nil || g == nil {
		return nil, fmt.Errorf("%w: no context or no graph", ErrOptions)
	}
	n := g.NumVertices()
	if wide, is := any(take).(func(int, Row[float64]) error); is && o.Method != Searches && o.Threads >= 0 &&
		(converter[int32]{g, float64(exact32 / max(1, n))}).fits() {
		rows := make([][]float64, workers.Count(o.Threads))
		o.narrow = true
		return Rows(ctx, g, o, func(worker int, r Row[float32]) error {
			row := slices.Grow(rows[worker][:0], n)[:n]
			for v, d := range r.Distances {
				row[v] = float64(d)
			}
			rows[worker] = row
			return wide(worker, Row[float64]{r.From, row, r.Predecessors})
		})
	}
	p, s, err := prepare[T](ctx, g, o, true)
	if err != nil {
		return nil, err
	}
	if o.Start != nil {
		o.Start(p)
	}
	if p.Method == Searches {
		return p, searchAll(ctx, g, o, nil, take)
	}
	m := newMatrix[T](n, o.Algebra)
	defer func() { _ = m.Free() }()
	if err = m.solve(ctx, g, p, o, s); err != nil {
		return nil, err
	}
	if o.Predecessors {
		return p, searchAll(ctx, g, o, m, take)
	}
	return p, m.eachRow(ctx, workers.Count(o.Threads), take)
}

// Solve computes the distances between all pairs of vertices. Free the matrix after use. Errors wrap ErrOptions or
// graph.ErrMemory, or are a *WeightError, a *NegativeCycleError, or that of ctx.
func Solve[T Value](ctx context.Context, g *graph.CSR, o Options) (_ *Matrix[T], _ *Plan, err error) {
	defer hugemem.Recover(&err)
	if ctx == nil || g == nil {
		return nil, nil, fmt.Errorf("%w: no context or no graph", ErrOptions)
	}
	p, s, err := prepare[T](ctx, g, o, false)
	if err != nil {
		return nil, nil, err
	}
	if o.Start != nil {
		o.Start(p)
	}
	n := g.NumVertices()
	m := newMatrix[T](n, o.Algebra)
	if o.Predecessors {
		m.before = hugemem.Make[int32](n * n)
	}
	known := m
	if p.Method == Searches {
		known = nil
	} else {
		err = m.solve(ctx, g, p, o, s)
	}
	if err == nil && (known == nil || o.Predecessors) {
		err = searchAll(ctx, g, o, known, func(_ int, r Row[T]) error {
			if known == nil {
				m.set(int(r.From), r.Distances)
			}
			copy(m.Predecessors(int(r.From)), r.Predecessors)
			return nil
		})
	}
	if err != nil {
		_ = m.Free()
		return nil, nil, err
	}
	return m, p, nil
}

// solve runs a dense method, on the device of s unless that is nil. It closes s.
func (m *Matrix[T]) solve(ctx context.Context, g *graph.CSR, p *Plan, o Options, s *deviceSolver[T]) (err error) {
	threads := workers.Count(o.Threads)
	if s != nil {
		defer func() { err = errors.Join(err, s.close()) }()
	}
	if err := m.weigh(ctx, g, threads); err != nil {
		return err
	}
	if s != nil && m.n > 0 {
		err = s.run(ctx, m, p.Method, o.Progress)
	} else {
		k, _ := kernelsOf[T](o.Kernels) // prepare has found them
		s := &solver[T]{Matrix: m, product: k.product[o.Algebra], threads: threads, progress: o.Progress}
		err = map[Method]func(context.Context) error{Blocked: s.blocked, Naive: s.naive, Squaring: s.squaring}[p.Method](ctx)
	}
	if v := negative(0); errors.As(err, &v) {
		if _, named := newArcs[T](ctx, g, o.Algebra, threads); named != nil {
			return named
		}
		return newNegativeCycle(g.VertexLabels(), []uint32{uint32(v)}) // by rounding alone
	}
	if err != nil {
		return err
	}
	return m.finish(ctx, threads)
}

// newSearcher converts the weights for searches on so many threads.
func newSearcher[T Value](ctx context.Context, g *graph.CSR, o Options, threads int) (*searcher[T], error) {
	a, err := newArcs[T](ctx, g, o.Algebra, workers.Count(o.Threads))
	s := &searcher[T]{arcs: a, predecessors: o.Predecessors, all: make([]*search[T], threads)}
	if err == nil {
		if err = hugemem.Check(int64(threads) * int64(g.NumVertices()) * s.vertexBytes()); err != nil {
			err = fmt.Errorf("allpairs: searches on %d threads: %w", threads, err)
		}
	}
	return s, err
}

// searchAll searches from every vertex. With known distances it finds only predecessors, over the arcs
// that these allow, and hands the known distances out.
func searchAll[T Value](ctx context.Context, g *graph.CSR, o Options, known *Matrix[T], take func(worker int, r Row[T]) error) error {
	threads := workers.Count(o.Threads)
	s, err := newSearcher[T](ctx, g, o, threads)
	if err != nil {
		return err
	}
	if known != nil {
		s.known = known
		if err := s.near(ctx, threads); err != nil {
			return err
		}
	}
	var done atomic.Int64
	return workers.Each(ctx, threads, s.units(), graph.ErrUnreadable, func(worker, i int) error {
		return s.unit(worker, i, func(r Row[T]) error {
			if n := done.Add(1); worker == 0 && o.Progress != nil {
				o.Progress(n, int64(g.NumVertices()))
			}
			return take(worker, r)
		})
	})
}
