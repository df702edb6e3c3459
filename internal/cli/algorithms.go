package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/record"
)

// algorithms is the table of algorithms. Each is a command that reads a graph, runs a job on it and
// prints, ranks and writes its result.
var algorithms = []algorithm{
	{
		use: "bfs FILE --root ID[,ID…]", short: "Search a graph breadth-first from a root", long: bfsHelp, also: "breadth-first",
		schema: record.SchemaBFS,
		rows:   "the tree, a row a reached vertex (vertex, parent, level),", top: "lowest levels",
		search: true, prepare: bfs,
	},
	{
		use: "sssp FILE --root ID", short: "Find shortest paths from a root", long: ssspHelp, also: "dijkstra bellman-ford",
		schema: record.SchemaSSSP,
		rows:   "a row a reached vertex (vertex, distance, with --parents its parent)", top: "nearest vertices",
		prepare: sssp,
	},
	{
		use: "reach FILE --root ID[,ID…]", short: "Find the vertices that roots reach", long: reachHelp, schema: record.SchemaReach,
		rows: "a row a reached vertex (vertex)", prepare: reach,
	},
	{
		use: "path FILE A B", short: "Find a path between two vertices", long: pathHelp, also: "shortest-path", schema: record.SchemaPath,
		rows: "a row a vertex of the path (vertex, distance)", prepare: findPath,
	},
	{
		use: "cc FILE", short: "Find connected components", long: ccHelp, also: "components wcc scc connected", schema: record.SchemaCC,
		rows: "a row a vertex (vertex, component)", top: "largest components", prepare: components,
	},
	{
		use: "pagerank FILE", short: "Rank vertices by PageRank", long: pagerankHelp, also: "pr", schema: record.SchemaPageRank,
		rows: "a row a vertex (vertex, score)", top: "highest scores", prepare: pagerank,
	},
	{
		use: "triangles FILE", short: "Count triangles and clustering coefficients", long: trianglesHelp, also: "tc clustering lcc",
		schema: record.SchemaTriangles,
		rows:   "a row a vertex (vertex, triangles, clustering)", top: "vertices in most triangles", prepare: triangles,
	},
	{
		use: "kcore FILE", short: "Find core numbers", long: kcoreHelp, also: "cores coreness", schema: record.SchemaKCore,
		rows: "a row a vertex (vertex, core)", top: "highest core numbers", cpuOnly: true, prepare: kcore,
	},
	{
		use: "cdlp FILE", short: "Find communities by label propagation", long: cdlpHelp, also: "lpa communities community",
		schema: record.SchemaCDLP,
		rows:   "a row a vertex (vertex, label)", top: "largest communities", cpuOnly: true, prepare: communities,
	},
	{
		use: "bc FILE", short: "Find betweenness", long: bcHelp, also: "betweenness", schema: record.SchemaBetweenness,
		rows: "a row a vertex (vertex, score)", top: "highest scores", prepare: betweenness,
	},
	{
		use: "closeness FILE", short: "Find how near each vertex is to all others", long: closenessHelp, also: "harmonic",
		schema: record.SchemaCloseness,
		rows:   "a row a vertex (vertex, closeness, harmonic,\neccentricity, reached_by)", top: "nearest vertices", prepare: closeness,
	},
	{
		use: "diameter FILE", short: "Find the largest distance", long: diameterHelp, also: "eccentricity",
		schema: record.SchemaDiameter, prepare: diameter,
	},
}

// algorithm is a row of the table.
type algorithm struct {
	use, short, long string
	also             string // its names in other programs
	schema           string // of the document
	rows, top        string // what a row of the result holds, and which come first; "" without rows, or without ranks
	search           bool   // runs as a search: with a director, on devices by itself
	cpuOnly          bool   // runs on CPUs alone
	prepare          func(j *job) solver
}

// solver runs an algorithm.
type solver func(ctx context.Context, eng *engine.Engine) (*result, error)

// job is one command line of an algorithm. A row's prepare adds flags to it, and sets what checks and reads them.
type job struct {
	*env
	*cobra.Command
	engine engineFlags
	read   readFlags
	output string
	stats  bool
	top    int

	operands []string                                          // arguments after FILE
	check    func() error                                      // returns what the command line alone shows, or nil
	look     func(ctx context.Context, src graph.Source) error // reads vertices and files that flags name, and looks at the graph, or nil
}

// runDocument is an algorithm's document, before what all of them have is known.
type runDocument interface {
	headed
	SetRun(record.Run)
}

// result is what a job hands out.
type result struct {
	table                         // a row a vertex, for -o
	head    string                // comments above the rows of TSV; "" states the columns
	top     table                 // rows to rank, if they are not those of the table
	compare func(a, b uint32) int // which of two rows to rank comes first
	summary string                // lines for a person
	took    time.Duration         // if it is not that of the call
	times   string                // lines about parts of the time
	lone    bool                  // a search reached nothing but its root, or not its end
	stats   *bsp.Statistics       // for --stats, or nil
	doc     runDocument           // without what all have
}

// perVertex is a table with a row a vertex: its id, and columns.
func perVertex(label func(v uint32) uint64, n int, columns ...column) table {
	return table{append([]column{ids("vertex", label)}, columns...), every(n, nil)}
}

// byValue compares rows by a column of values, the largest first.
func byValue[T cmp.Ordered](values []T) func(a, b uint32) int {
	return func(a, b uint32) int { return cmp.Compare(values[b], values[a]) }
}

// row is the command of an algorithm.
func (a algorithm) row() commandRow {
	return commandRow{use: a.use, short: a.short, long: a.long, also: a.also, prepare: func(e *env, c *cobra.Command) runner {
		j := &job{env: e, Command: c}
		j.engine.add(e, c, a.search)
		j.read.add(c, "")
		solve := a.prepare(j)
		e.jsonFlag(c)
		fl := c.Flags()
		if usage := &fl.Lookup("processors").Usage; a.cpuOnly {
			*usage = "`LIST` of processors, one partition each: cpu, cpu:THREADS; auto takes the CPU"
		} else if !a.search {
			*usage = "`LIST` of processors, one partition each: cpu, cpu:THREADS, opencl:N, cuda:N; auto takes the CPU"
		}
		fl.BoolVar(&j.stats, "stats", false, "print tables of the processors and levels; with --json, add the levels")
		if a.rows != "" {
			fl.StringVarP(&j.output, "output", "o", "", "write "+a.rows+" to `FILE` (- for standard output);\n"+
				"its name tells the format (.csv, .json, .jsonl, else TSV) and the compression (.gz, .zst, .xz)")
		}
		if a.top != "" {
			fl.IntVar(&j.top, "top", 0, "print the rows of the `K` "+a.top)
			atLeast(c, "1 or more", "top")
		}
		return func(ctx context.Context, args []string) error {
			j.operands = args[1:]
			return j.execute(ctx, a, solve, args[0])
		}
	}}
}

// checkFlags reads the flags, and returns the faults that the command line alone shows.
func (j *job) checkFlags() error {
	if err := j.engine.check(); err != nil {
		return err
	}
	if j.check != nil {
		if err := j.check(); err != nil {
			return err
		}
	}
	if j.output == "-" && (j.json || j.stats || j.top > 0) {
		return usagef("-o - puts the rows on standard output, where --json, --stats and --top would go too")
	}
	return checkRows(j.output)
}

// execute runs the job.
func (j *job) execute(ctx context.Context, a algorithm, solve solver, path string) error {
	if err := j.checkFlags(); err != nil {
		return err
	}
	o := &j.engine.o
	j.read.o.Expect = func(vertices, records int64, directed bool) error {
		if vertices == 0 { // unknown: few take more than many
			return nil
		}
		// At least what newEngine asks for: vertices without edges take least, and the up to six arrays of a part are rounded
		// up, less if there are several.
		vertices = min(vertices, 2*records)
		need := max(0, engine.NeedFor(vertices, records, directed, 1, graph.Unweighted)-6*hugemem.HugePage)
		return fits(fmt.Sprintf("placing %d vertices and %d edges", vertices, records), need, o.MemoryLimit)
	}
	file, err := j.read.open(ctx, j.env, path, o.Threads, o.MemoryLimit)
	if err != nil {
		return err
	}
	defer file.Close()
	if j.look != nil {
		if err := j.look(ctx, file.Source); err != nil {
			return err
		}
	}
	o.Consume = true // jobs have taken what they need
	if o.RunStatistics = j.stats; !a.search {
		o.Director = bsp.DirectorBeamer // the one that measures nothing
		if j.engine.processors == autoProcessors {
			j.engine.processors = engine.CPU.String() // check has put it into the options
		}
	}
	eng, err := j.newEngine(ctx, path, file.Source, &j.engine)
	if err != nil {
		return err
	}
	defer eng.Close()
	start := time.Now()
	r, err := solve(ctx, eng)
	if err != nil {
		return err
	}
	r.took = cmp.Or(r.took, time.Since(start))
	if r.lone && file.Source.IsDirected() && eng.NumVertices() > 1 {
		j.note("along arcs nothing more is reached; --undirected reads arcs as edges, which lead both ways")
	}
	if r.top.rows == nil {
		r.top = r.table
	}
	names := file.Source.VertexLabels().Names()
	r.table.named(names)
	r.top.named(names)
	if j.output != "" {
		if err := j.writeTable(ctx, j.output, cmp.Or(r.head, r.header()), &r.table); err != nil || j.output == "-" {
			return err
		}
	}
	var top []uint32
	if j.top > 0 {
		top = r.top.best(j.top, r.compare)
	}
	doc := record.Run{Setup: eng.Setup(), Vertices: int64(eng.NumVertices()), TimeS: r.took.Seconds(), Top: r.top.record(top)}
	if r.stats != nil {
		doc.Levels = r.stats.All()
	}
	if !a.search {
		doc.Director = ""
	}
	r.doc.SetRun(doc)
	return j.show(a.schema, r.doc, func() {
		for _, row := range top {
			fmt.Fprintf(j.stdout, "%s\n", r.top.appendRow(nil, row, '\t', nil))
		}
		if j.top == 0 {
			j.print("%stime %s\n%s", r.summary, seconds(doc.TimeS), r.times)
			if doc.Share != "" && !j.stats {
				j.print("shares --share %s\n", doc.Share)
			}
		}
		kernels := ""
		if a.search {
			kernels = eng.Kernels()
		}
		if j.stats {
			j.printStats(doc.Processors, kernels, doc.Levels)
		}
	})
}

// roots are the vertices of --root, or of arguments.
type roots struct {
	flag    string   // or argument, in messages
	given   []string // each time
	many    bool
	list    []string // each by itself, as given
	ids     []uint64
	labels  *graph.Labels
	spelled []string // as results show them
	names   []string // spelled, if ids are names
}

// spell is an id of the graph as results show it.
func (r *roots) spell(label uint64) string {
	if names := r.labels.Names(); names != nil {
		return string(names.At(label))
	}
	return strconv.FormatUint(label, 10)
}

// name is the root's, if ids are names.
func (r *roots) name() string { return strings.Join(r.names, ",") }

// addRoot adds --root to a job, which checks and reads it.
func (j *job) addRoot(many bool) *roots {
	r, usage := &roots{flag: "--root", many: many}, "`ID` of the root, as the file has it"
	if many {
		usage = "`ID[,ID…]`: the roots, as the file has them"
	}
	j.Flags().StringArrayVarP(&r.given, "root", "r", nil, usage)
	j.Flags().Lookup("root").DefValue = ""
	j.check, j.look = r.check, r.read
	return r
}

func (r *roots) check() error {
	text := strings.Join(r.given, ",")
	switch {
	case text == "":
		return usagef("--root is missing: the id of a vertex, as the file has it")
	case !r.many:
		r.list = []string{text}
	case len(r.given) > 1:
		r.list = r.given
	default:
		r.list = strings.Split(text, ",")
	}
	if slices.Contains(r.list, "") {
		return usagef("%s %q: want the id of a vertex, a whole number or a name, between commas", r.flag, text)
	}
	return nil
}

func (r *roots) read(_ context.Context, src graph.Source) error {
	r.labels = src.VertexLabels()
	if _, err := r.labels.Find(r.given[0]); err == nil && len(r.given) == 1 {
		r.list = r.given // a name may have commas
	}
	for _, s := range r.list {
		v, err := r.labels.Find(s)
		if digits := strings.TrimLeft(s, "+-"); r.labels.Names() == nil && (digits == "" || strings.Trim(digits, "0123456789") != "") {
			return usagef("%s %q: want the id of a vertex, a whole number", r.flag, s)
		}
		if err != nil {
			return fmt.Errorf("%s %s", r.flag, strings.TrimPrefix(err.Error(), graph.ErrNoVertex.Error()+": "))
		}
		r.ids = append(r.ids, r.labels.Label(v))
		r.spelled = append(r.spelled, r.spell(r.labels.Label(v)))
	}
	if r.labels.Names() != nil {
		r.names = r.spelled
	}
	return nil
}
