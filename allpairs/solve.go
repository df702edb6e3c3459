package allpairs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// Errors of this package, beside graph.MemoryError, *WeightError and *NegativeCycleError.
var (
	// ErrOptions is returned for options out of range.
	ErrOptions = errors.New("allpairs: bad options")
)

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
	// Threads is the number of goroutines; 0 means GOMAXPROCS.
	Threads int
	// Kernels names the tile kernels, such as "avx2"; "" means the best of this processor.
	Kernels string
	// MemoryLimit bounds the memory of matrices, in bytes; 0 means the available memory.
	MemoryLimit int64
	// Device, if set, runs the dense methods, and holds the matrix.
	Device device.Device
	// Progress, if set, is called as work is done, from one goroutine at a time.
	Progress func(done, of int64)

	rows bool // distances are looked at by rows: Searches needs no matrix
}

// Plan is how Solve computes, and what it needs.
type Plan struct {
	Method Method
	// Reason says why the method was taken.
	Reason string
	// Kernels is the name of the tile kernels; "" for Searches.
	Kernels string
	// Bytes is the memory of matrices, Time the predicted time; 0 where it is not predicted.
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

// Prepare chooses a method for a graph, as Solve does, and predicts its memory and time. Errors
// wrap ErrOptions or graph.ErrMemory, or say that the weights do not fit T.
func Prepare[T Value](ctx context.Context, g *graph.CSR, o Options) (*Plan, error) {
	k, err := kernelsOf[T](o.Kernels)
	if err != nil {
		return nil, err
	}
	if o.Method > Searches || o.Algebra > Widest || o.Threads < 0 {
		return nil, fmt.Errorf("%w: %v, algebra %d, %d threads", ErrOptions, o.Method, o.Algebra, o.Threads)
	}
	n, threads := g.NumVertices(), workers.Count(o.Threads)
	p := &Plan{Method: o.Method, Reason: "as asked for", Kernels: k.name, Bytes: Bytes[T](n)}
	dense := denseTime(k, n, threads)
	if o.Device != nil {
		p.Kernels = o.Device.Info().Name
		switch o.Method {
		case Auto:
			p.Method, p.Reason = Blocked, "a device runs dense methods"
		case Searches:
			return nil, fmt.Errorf("%w: searches run on CPUs", ErrOptions)
		}
		if err := checkDevice[T](o.Device, n, p.Method); err != nil {
			return nil, err
		}
		return p, o.checkMemory(n, p.Bytes)
	}
	switch o.Method {
	case Auto:
		sparse, err := searchTime[T](ctx, g, o.Algebra, threads, dense)
		if err != nil {
			return nil, err
		}
		p.Method, p.Time = Blocked, dense
		p.Reason = fmt.Sprintf("dense tiles would take %.3g s, a search from every vertex %.3g s", dense.Seconds(), sparse.Seconds())
		if sparse < dense {
			p.Method, p.Time = Searches, sparse
		} else if o.rows && o.checkMemory(n, p.Bytes) != nil {
			p.Method, p.Time, p.Reason = Searches, sparse, "the matrix does not fit in memory"
		}
	case Blocked:
		p.Time = dense
	case Squaring:
		p.Time = 0
		for arcs := 1; arcs < n-1; arcs *= 2 {
			p.Time += dense
		}
		p.Bytes *= 2
	case Searches:
		if p.Time, err = searchTime[T](ctx, g, o.Algebra, threads, 1<<62); err != nil {
			return nil, err
		}
	}
	if p.Method == Searches {
		p.Kernels = ""
		if o.rows {
			p.Bytes = 0
		}
	}
	return p, o.checkMemory(n, p.Bytes)
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
func Rate[T Value](ctx context.Context, name string, threads int) (float64, error) {
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

// denseShare is the part of the register-only rate that a whole run reaches.
const denseShare = 0.6

// denseTime predicts the time of blocked.
func denseTime[T Value](k kernels[T], n, threads int) time.Duration {
	tiles := float64((n + Side - 1) / Side)
	rate := denseShare * k.measure(200*time.Microsecond) * float64(threads)
	return time.Duration(tiles * tiles * tiles * Side * tileLen / rate * float64(time.Second))
}

// searchTime predicts the time of searches from all vertices by some of them; it ends early once
// that is above the limit.
func searchTime[T Value](ctx context.Context, g *graph.CSR, by Algebra, threads int, limit time.Duration) (time.Duration, error) {
	n := g.NumVertices()
	if n == 0 {
		return 0, nil
	}
	a, err := newArcs[T](ctx, g, by, threads)
	if err != nil {
		return 0, err
	}
	s := &search[T]{arcs: a, row: make([]T, n), done: make([]bool, n)}
	start := time.Now()
	for done := 1; ; done++ {
		s.run(uint32(uint64(done) * 0x9e3779b97f4a7c15 % uint64(n)))
		took := time.Since(start)
		all := time.Duration(float64(took) / float64(done) * float64(n) / float64(min(threads, n)))
		if done == n || done >= 8 && took > 5*time.Millisecond || took > 50*time.Millisecond || all > 64*limit {
			return all, ctx.Err()
		}
	}
}

// Solve computes the distances between all pairs of vertices. Free the matrix after use. Errors are those of
// Prepare, a *NegativeCycleError, or that of ctx.
func Solve[T Value](ctx context.Context, g *graph.CSR, o Options) (*Matrix[T], *Plan, error) {
	p, err := Prepare[T](ctx, g, o)
	if err != nil {
		return nil, nil, err
	}
	m := newMatrix[T](g.NumVertices(), o.Algebra)
	if err := m.solve(ctx, g, p, o); err != nil {
		_ = m.Free()
		return nil, nil, err
	}
	return m, p, nil
}

func (m *Matrix[T]) solve(ctx context.Context, g *graph.CSR, p *Plan, o Options) error {
	threads := workers.Count(o.Threads)
	if p.Method == Searches {
		return eachRow(ctx, g, o, func(_ int, u uint32, row []T) { m.set(int(u), row) })
	}
	if err := m.weigh(ctx, g, threads); err != nil {
		return err
	}
	err := m.dense(ctx, p, o)
	if v := negative(0); errors.As(err, &v) {
		if _, named := newArcs[T](ctx, g, o.Algebra, threads); named != nil {
			return named
		}
		return &NegativeCycleError{[]uint64{g.VertexLabels().Label(uint32(v))}} // by rounding alone
	}
	if err != nil {
		return err
	}
	return m.finish(ctx, threads)
}

// dense runs a dense method on the weighed matrix.
func (m *Matrix[T]) dense(ctx context.Context, p *Plan, o Options) (err error) {
	if o.Device != nil && m.n > 0 {
		s, err := newDeviceSolver(o.Device, m, o.Algebra)
		if err != nil {
			return err
		}
		return errors.Join(s.run(ctx, p.Method, o.Progress), s.close())
	}
	k, err := kernelsOf[T](o.Kernels)
	if err != nil {
		return err
	}
	s := &solver[T]{Matrix: m, kernel: k.algebras[o.Algebra], threads: workers.Count(o.Threads), progress: o.Progress}
	return map[Method]func(context.Context) error{Blocked: s.blocked, Naive: s.naive, Squaring: s.squaring}[p.Method](ctx)
}

// eachRow runs a search from every vertex.
func eachRow[T Value](ctx context.Context, g *graph.CSR, o Options, take func(worker int, u uint32, row []T)) error {
	threads := workers.Count(o.Threads)
	a, err := newArcs[T](ctx, g, o.Algebra, threads)
	if err != nil {
		return err
	}
	var done atomic.Int64
	return a.searches(ctx, threads, func(worker int, u uint32, row []T) {
		take(worker, u, row)
		if n := done.Add(1); worker == 0 && o.Progress != nil {
			o.Progress(n, int64(g.NumVertices()))
		}
	})
}
