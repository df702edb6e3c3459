package graph500

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/record"
)

// Defaults of a run.
const (
	DefaultEdgeFactor = gen.DefaultEdgeFactor
	DefaultSearches   = gen.DefaultRoots
)

// MaxScale is the largest scale of a run: ids have 32 bits.
const MaxScale = gen.MaxScale

// manyTrees is the number of trees from which on the validator's records are arranged.
const manyTrees = 5

// vertexBits is the width of an id in the tuple list of a run without SSSP.
const vertexBits = 32

// Engine searches one graph, from one goroutine. The clock is Run's: what Search
// does is timed, from before the root is visited to the parents in memory.
type Engine interface {
	// Search runs one search from root and returns its tree in ids of the graph that
	// the engine was built from. The memory of its output is the engine's own,
	// allocated and touched before the first timed search.
	Search(ctx context.Context, root uint32) (Found, error)
	// Report says what the engine is made of.
	Report() Report
	// Close frees everything.
	Close() error
}

// PathEngine is an Engine that runs kernel 3 too.
type PathEngine interface {
	Engine
	// SearchPaths finds shortest paths from root and returns their tree, with Distances. All it
	// does is timed.
	SearchPaths(ctx context.Context, root uint32) (Found, error)
}

// Counter is an Engine that can run a search that counts the edges it examines, and
// is not timed.
type Counter interface {
	// Count runs one search from root and returns its levels with EdgesExamined.
	Count(ctx context.Context, root uint32) ([]record.Level, error)
}

// Found is the result of one search. It is valid until the engine's next search.
type Found struct {
	// Parents holds the parent of every vertex, graph.None where it was not reached.
	Parents []uint32
	// Distances holds the length of the shortest path to every vertex, +Inf where it was not
	// reached; nil in kernel 2.
	Distances []float32
	// Copy is the part of the call that copied the parents to the host, in runs on
	// devices alone; it is not part of the search's time. Else it is 0.
	Copy time.Duration
	// Levels may be nil. Those of kernel 3 are not kept.
	Levels []record.Level
}

// Report describes an engine. Isolated is nil where it is not known.
type Report struct {
	record.Setup
	Kernels string
}

// Build is kernel 1: it makes an engine from the tuple list, which it must not
// change or release, and all of it is timed. The list is a *graph.EdgeList, without weights;
// with Config.SSSP it has float32 weights. What the rules leave outside the clock
// (opening devices, building programs, launching each kernel once on dummy data)
// must be done before Run.
type Build func(ctx context.Context, tuples graph.Source) (Engine, error)

// Stage is a part of a run.
type Stage string

// The stages of a run, in their order. FindingPaths happens only with kernel 3, Counting only
// on request, Preparing (the second of two configurations) and Repeating only with power.
const (
	Generating   Stage = "generating"
	Constructing Stage = "constructing"
	Searching    Stage = "searching"
	FindingPaths Stage = "finding paths"
	Counting     Stage = "counting"
	Preparing    Stage = "preparing"
	Repeating    Stage = "repeating"
)

// Config describes a run.
type Config struct {
	// Scale is the binary logarithm of the number of vertices, 1 to MaxScale.
	Scale int
	// EdgeFactor is the number of tuples per vertex; 0 means DefaultEdgeFactor.
	EdgeFactor int
	// Searches is the number of roots; 0 means DefaultSearches.
	Searches int
	// Seed1 and Seed2 choose the graph and the roots; both 0 means the benchmark's
	// own, 2 and 3.
	Seed1, Seed2 uint64
	// Threads generate, count and validate; 0 means GOMAXPROCS. They are not the
	// engine's.
	Threads int
	// SSSP asks for kernel 3 after kernel 2, from the same roots. The engine must be a PathEngine.
	SSSP bool
	// Count asks for one more, untimed search per root that counts the edges
	// examined, if the engine is a Counter.
	Count bool
	// Power, if set, asks for a power session after the run, if its trees are valid. Its searches
	// are kernel 2's.
	Power *PowerConfig
	// Progress, if set, receives the progress of a stage in records or searches, of
	// Repeating in seconds. It is called outside the kernels' clocks only, and from one goroutine at a time.
	Progress func(stage Stage, done, total int64)
}

func (c Config) withDefaults() Config {
	if c.EdgeFactor == 0 {
		c.EdgeFactor = DefaultEdgeFactor
	}
	if c.Searches == 0 {
		c.Searches = DefaultSearches
	}
	if c.Progress == nil {
		c.Progress = func(Stage, int64, int64) {}
	}
	return c
}

// Validate returns nil or an error that wraps ErrConfig and names every fault.
func (c Config) Validate() error {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf("%w: %s", ErrConfig, fmt.Sprintf(format, args...)))
		}
	}
	c = c.withDefaults()
	check(c.Scale >= 1 && c.Scale <= MaxScale, "scale %d is outside 1..%d", c.Scale, MaxScale)
	check(c.EdgeFactor >= 1 && c.EdgeFactor <= gen.MaxEdgeFactor, "edge factor %d is outside 1..%d", c.EdgeFactor, gen.MaxEdgeFactor)
	check(c.Searches >= 1, "%d searches", c.Searches)
	check(c.Threads >= 0, "%d threads", c.Threads)
	if c.Power != nil {
		check(c.Power.Duration > 0, "searches repeated for %v", c.Power.Duration)
	}
	return errors.Join(faults...)
}

// Run makes one run of the benchmark: generation, construction, roots, one untimed
// warm-up search of each kernel, and a timed search from each root, validated right after it.
// The record lacks what the command knows: its Head but the schema.
//
// Where a tree breaks a rule, Run goes on with the other roots and returns the
// record, without TEPS, together with an error that wraps ErrValidation and
// ErrInvalidTree or ErrInvalidPaths; where the trees are valid but the power session fails, the record
// comes with an error that wraps ErrPower, or with ErrValidation where a tree of
// the second configuration is the fault. Any other error comes without a record:
// ErrConfig, ErrNoRoots, the context's, or what build or a search returned, wrapped.
func Run(ctx context.Context, c Config, build Build) (_ *record.Graph500, err error) {
	if ctx == nil || build == nil {
		return nil, fmt.Errorf("%w: the context or the build is nil", ErrConfig)
	}
	pw := newPowered(c.Power)
	defer func() {
		if cerr := pw.close(); cerr != nil && err == nil {
			err = cerr
		}
	}()
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	if err := pw.begin(ctx); err != nil {
		return nil, err
	}
	out := &record.Graph500{
		Head:       record.Head{Schema: record.SchemaGraph500},
		Scale:      c.Scale,
		EdgeFactor: c.EdgeFactor,
		VertexBits: vertexBits,
	}

	if c.SSSP {
		out.VertexBits = packedBits
	}

	end := pw.phase(Generating)
	start := time.Now()
	tuples, vertices, err := generate(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("graph500: generation: %w", err)
	}
	out.GenerationTime = known(time.Since(start).Seconds())
	end()

	// Kernel 1, from the tuples and their length alone.
	c.Progress(Constructing, 0, tuples.NumEdges())
	end = pw.phase(Constructing)
	start = time.Now()
	if *vertices, err = countVertices(ctx, tuples, c.Threads); err != nil {
		return nil, err
	}
	engine, err := build(ctx, tuples)
	if err != nil {
		return nil, fmt.Errorf("graph500: construction: %w", err)
	}
	if engine == nil {
		return nil, fmt.Errorf("%w: the build returned no engine", ErrConfig)
	}
	out.ConstructionTime = time.Since(start).Seconds()
	end()
	c.Progress(Constructing, tuples.NumEdges(), tuples.NumEdges())

	err = search(ctx, c, pw, engine, tuples, out)
	if err == nil && pw != nil {
		err = pw.measure(ctx, c, engine, tuples, out)
	}
	kept := err == nil || errors.Is(err, ErrValidation) || errors.Is(err, ErrPower)
	if closeErr := engine.Close(); closeErr != nil && kept {
		return nil, fmt.Errorf("graph500: %w", closeErr)
	}
	if !kept {
		return nil, err
	}
	return out, err
}

// search is kernels 2 and 3: roots, warm-up, timed and validated searches, statistics.
func search(ctx context.Context, c Config, pw *powered, engine Engine, tuples graph.Source, out *record.Graph500) error {
	paths, ok := engine.(PathEngine)
	if c.SSSP && !ok {
		return fmt.Errorf("%w: the engine runs no kernel 3", ErrConfig)
	}
	counts, err := CountEdges(ctx, tuples, c.Threads)
	if err != nil {
		return err
	}
	roots, err := gen.Roots(ctx, gen.RootOptions{
		Vertices: 1 << c.Scale, Count: c.Searches, Seed1: c.Seed1, Seed2: c.Seed2,
	}, counts.Connected)
	if err != nil {
		return fmt.Errorf("graph500: roots: %w", err)
	}
	if len(roots) == 0 {
		return ErrNoRoots
	}
	validator := NewValidator(tuples, c.Threads)
	defer validator.Close()
	if len(roots) >= manyTrees {
		if err := validator.Arrange(ctx); err != nil {
			return err
		}
	}

	bfs := kernel{name: "search", find: engine.Search, stage: Searching}
	kernels := []*kernel{&bfs}
	if c.SSSP {
		kernels = append(kernels, &kernel{name: "shortest paths", find: paths.SearchPaths, stage: FindingPaths})
	}
	for i := len(kernels) - 1; i >= 0; i-- { // kernel 2 last, since its searches come first
		if _, err := kernels[i].find(ctx, roots[0]); err != nil {
			return fmt.Errorf("graph500: warm-up %s from %d: %w", kernels[i].name, roots[0], err)
		}
	}
	var broken []error
	for _, k := range kernels {
		end := pw.phase(k.stage)
		if err := k.run(ctx, c, roots, validator, counts); err != nil {
			return err
		}
		end()
		if k.broken != nil {
			broken = append(broken, fmt.Errorf("%w: %d of %d trees; the first, %w", ErrValidation, k.validation.Failed, len(roots), k.broken))
		}
	}
	for _, s := range bfs.searches {
		out.Roots = append(out.Roots, s.Root)
	}
	out.NBFS, out.Searches, out.Validation = len(roots), bfs.searches, bfs.validation
	out.BFS = bfs.statistics(broken == nil)
	if c.SSSP {
		k := kernels[1]
		out.SSSPSearches, out.SSSPValidation = k.searches, &k.validation
		out.SSSP = k.statistics(broken == nil)
	}

	if counter, ok := engine.(Counter); ok && c.Count {
		for i, root := range roots {
			counted, err := counter.Count(ctx, root)
			if err != nil {
				return fmt.Errorf("graph500: counting search from %d: %w", root, err)
			}
			bfs.levels.AddCounted(counted)
			c.Progress(Counting, int64(i)+1, int64(len(roots)))
		}
		out.CountedOutsideClock = true
	}
	report := engine.Report()
	out.Setup, out.Kernels = report.Setup, report.Kernels
	out.Levels = bfs.levels.Levels()
	return errors.Join(broken...)
}

// kernel is kernel 2 or 3, with what its searches gave.
type kernel struct {
	name  string // of a search, in errors
	stage Stage
	find  func(ctx context.Context, root uint32) (Found, error)

	searches        []record.Search
	times, validate []float64
	edges           []int64
	levels          LevelMeans // of kernel 2
	validation      record.Validation
	broken          error // of the first invalid tree
}

// run makes the timed searches, and validates each tree right after its search.
func (k *kernel) run(ctx context.Context, c Config, roots []uint32, validator *Validator, counts *EdgeCounts) error {
	for i, root := range roots {
		start := time.Now()
		found, err := k.find(ctx, root)
		spent := time.Since(start)
		if err != nil {
			return fmt.Errorf("graph500: %s from %d: %w", k.name, root, err)
		}
		start = time.Now()
		verdict, err := validator.Validate(ctx, Tree{Root: root, Parents: found.Parents, Distances: found.Distances})
		if err != nil {
			return fmt.Errorf("graph500: %s from %d: %w", k.name, root, err)
		}
		k.validate = append(k.validate, time.Since(start).Seconds())

		nedge, spec, err := counts.Of(found.Parents)
		if err != nil {
			return err
		}
		s := record.Search{
			Root: uint64(root), TimeS: max(spent-found.Copy, 1).Seconds(),
			NEdge: nedge, NEdgeSpec: spec, Reached: verdict.Reached, Depth: verdict.Depth,
		}
		if found.Copy > 0 {
			s.CopyS = known(found.Copy.Seconds())
		}
		k.times, k.edges = append(k.times, s.TimeS), append(k.edges, nedge)
		k.searches = append(k.searches, s)
		if k.stage == Searching {
			k.levels.Add(found.Levels)
		}

		if err := verdict.Err(); err == nil {
			k.validation.Passed++
		} else {
			k.validation.Failed++
			countRules(&k.validation.Rules, verdict)
			if k.broken == nil {
				k.broken = fmt.Errorf("from root %d: %w", root, err)
			}
		}
		c.Progress(k.stage, int64(i)+1, int64(len(roots)))
	}
	return nil
}

// statistics returns the kernel's block, with TEPS if the trees of all kernels are valid.
func (k *kernel) statistics(valid bool) *record.Statistics {
	out := Statistics(k.times, k.edges, k.validate, valid)
	copies := 0.
	for _, s := range k.searches {
		if s.CopyS != nil {
			copies += *s.CopyS
		}
	}
	if copies > 0 {
		out.CopyS = known(copies / float64(len(k.searches)))
	}
	return out
}

// countRules counts the rules that one tree breaks.
func countRules(r *record.Rules, verdict *Verdict) {
	counts := [...]*int{RuleTree: &r.Tree, RuleTreeLevels: &r.TreeLevels, RuleEdgeLevels: &r.EdgeLevels,
		RuleComponent: &r.Component, RuleTreeEdges: &r.TreeEdges}
	for _, v := range verdict.Violations {
		*counts[v.Rule]++
	}
}
