package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/record"
)

// algorithms is the table of algorithms. Each is a command that reads a graph, runs a job on it and
// prints, ranks and writes its result.
var algorithms = []algorithm{
	{
		use: "bfs FILE --root ID[,ID…]", short: "Search a graph breadth-first from a root", long: bfsHelp, schema: record.SchemaBFS,
		rows: "the tree, a row a reached vertex (vertex, parent, level),", top: "lowest levels",
		search: true, job: func() job { return &bfsJob{} },
	},
	{
		use: "sssp FILE --root ID", short: "Find shortest paths from a root", long: ssspHelp, schema: record.SchemaSSSP,
		rows: "a row a reached vertex (vertex, distance, with --parents its parent)", top: "nearest vertices",
		job: func() job { return &ssspJob{} },
	},
	{
		use: "reach FILE --root ID[,ID…]", short: "Find the vertices that roots reach", long: reachHelp, schema: record.SchemaReach,
		rows: "a row a reached vertex (vertex)", job: func() job { return &reachJob{} },
	},
	{
		use: "path FILE A B", short: "Find a path between two vertices", long: pathHelp, schema: record.SchemaPath, operands: []string{"A", "B"},
		rows: "a row a vertex of the path (vertex, distance)", job: func() job { return &pathJob{} },
	},
	{
		use: "cc FILE", short: "Find connected components", long: ccHelp, schema: record.SchemaCC,
		rows: "a row a vertex (vertex, component)", top: "largest components", job: func() job { return &ccJob{} },
	},
	{
		use: "pagerank FILE", short: "Rank vertices by PageRank", long: pagerankHelp, schema: record.SchemaPageRank,
		rows: "a row a vertex (vertex, score)", top: "highest scores", job: func() job { return &pagerankJob{} },
	},
	{
		use: "triangles FILE", short: "Count triangles and clustering coefficients", long: trianglesHelp, schema: record.SchemaTriangles,
		rows: "a row a vertex (vertex, triangles, clustering)", top: "vertices in most triangles", job: func() job { return &trianglesJob{} },
	},
	{
		use: "kcore FILE", short: "Find core numbers", long: kcoreHelp, schema: record.SchemaKCore,
		rows: "a row a vertex (vertex, core)", top: "highest core numbers", job: func() job { return &kcoreJob{} },
	},
	{
		use: "cdlp FILE", short: "Find communities by label propagation", long: cdlpHelp, schema: record.SchemaCDLP,
		rows: "a row a vertex (vertex, label)", top: "largest communities", job: func() job { return &cdlpJob{} },
	},
	{
		use: "bc FILE", short: "Find betweenness", long: bcHelp, schema: record.SchemaBetweenness,
		rows: "a row a vertex (vertex, score)", top: "highest scores", job: func() job { return &bcJob{} },
	},
	{
		use: "closeness FILE", short: "Find how near each vertex is to all others", long: closenessHelp, schema: record.SchemaCloseness,
		rows: "a row a vertex (vertex, closeness, harmonic,\neccentricity, reached_by)", top: "nearest vertices", job: func() job { return &closenessJob{} },
	},
	{
		use: "diameter FILE", short: "Find the largest distance", long: diameterHelp, schema: record.SchemaDiameter, job: func() job { return &diameterJob{} },
	},
}

// algorithm is a row of the table.
type algorithm struct {
	use, short, long string
	schema           string   // of the document
	rows, top        string   // what a row of the result holds, and which come first; "" without rows, or without ranks
	operands         []string // arguments after FILE, which the job's operands takes
	search           bool     // runs as a search: on devices too, with a director
	job              func() job
}

// job is one run of an algorithm. Its methods are called in this order.
type job interface {
	flags(c *cobra.Command)
	check(f *algorithmFlags) error                    // returns what the command line alone shows, and sets engine options
	read(ctx context.Context, src graph.Source) error // reads the vertices and files that flags name, and looks at the graph
	run(ctx context.Context, eng *engine.Engine) (*result, error)
}

// result is what a job hands out.
type result struct {
	table                            // a row a vertex, for -o
	head    string                   // comments above the rows of TSV; "" states the columns
	top     table                    // rows to rank
	compare func(a, b uint32) int    // which of two rows of top comes first
	summary string                   // lines for a person
	took    time.Duration            // if it is not that of the call
	times   string                   // lines about parts of the time
	lone    bool                     // a search reached its root alone
	stats   *bsp.Statistics          // for --stats, or nil
	doc     func(run record.Run) any // the document
}

// algorithmFlags are the flags that all algorithms share.
type algorithmFlags struct {
	engine      engineFlags
	read        readFlags
	output      string
	json, stats bool
	top         int
}

// check returns the faults of the flags of output.
func (f *algorithmFlags) check() error {
	if f.engine.set.Changed("top") && f.top < 1 {
		return usagef("--top %d: want 1 or more", f.top)
	}
	if f.output == "-" && (f.json || f.stats || f.top > 0) {
		return usagef("-o - puts the rows on standard output, where --json, --stats and --top would go too")
	}
	z, err := graphio.Compress(io.Discard, f.output)
	if err != nil {
		return usageError{err}
	}
	return z.Close()
}

func newAlgorithm(e *env, a algorithm) *cobra.Command {
	f, j := &algorithmFlags{}, a.job()
	c := &cobra.Command{
		Use: a.use, Short: a.short, Long: a.long, Args: takes(append([]string{"FILE"}, a.operands...)...),
		RunE: func(c *cobra.Command, args []string) error {
			if o, is := j.(interface{ operands(args []string) }); is {
				o.operands(args[1:])
			}
			if s, is := j.(interface{ shows(b *bar) }); is {
				s.shows(e.progress(c.Name()))
			}
			return e.runAlgorithm(c.Context(), a, j, f, args[0])
		},
	}
	f.engine.add(e, c, a.search)
	f.read.add(c, "")
	fl := c.Flags()
	j.flags(c)
	if !a.search {
		fl.Lookup("processors").Usage = "`LIST` of processors, one partition each: cpu, cpu:THREADS; auto takes the CPU"
	}
	fl.BoolVar(&f.json, "json", false, "print JSON")
	fl.BoolVar(&f.stats, "stats", false, "print tables of the processors and levels; with --json, add the levels")
	if a.rows != "" {
		fl.StringVarP(&f.output, "output", "o", "", "write "+a.rows+" to `FILE` (- for standard output);\n"+
			"its name tells the format (.csv, .json, .jsonl, else TSV) and the compression (.gz, .zst, .xz)")
	}
	if a.top != "" {
		fl.IntVar(&f.top, "top", 0, "print the rows of the `K` "+a.top)
	}
	return c
}

// runAlgorithm runs the job of one command line.
func (e *env) runAlgorithm(ctx context.Context, a algorithm, j job, f *algorithmFlags, path string) error {
	if err := f.engine.check(); err != nil {
		return err
	}
	if err := j.check(f); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	f.read.expect = func(vertices, records int64, directed bool) error {
		if vertices == 0 { // unknown: few take more than many
			return nil
		}
		// At least what newEngine asks for: the up to six arrays of a part are rounded up, less if there are several.
		need := max(0, engine.NeedFor(vertices, records, directed, 1, graph.Unweighted)-6*hugemem.HugePage)
		return fits(fmt.Sprintf("placing %d vertices and %d edges", vertices, records), need, f.engine.o.MemoryLimit)
	}
	file, err := f.read.open(ctx, e, path, f.engine.o.Threads, f.engine.o.MemoryLimit)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := j.read(ctx, file.Source); err != nil {
		return err
	}
	f.engine.o.Consume = true // jobs have taken what they need
	if f.engine.o.RunStatistics = f.stats; !a.search {
		f.engine.o.Director = bsp.DirectorBeamer // the one that measures nothing
		if f.engine.processors == autoProcessors {
			f.engine.processors = engine.CPU.String() // check has put it into the options
		}
	}
	eng, err := e.newEngine(ctx, path, file.Source, &f.engine)
	if err != nil {
		return err
	}
	defer eng.Close()
	start := time.Now()
	r, err := j.run(ctx, eng)
	if err != nil {
		return err
	}
	if r.took == 0 {
		r.took = time.Since(start)
	}
	if r.lone && file.Source.IsDirected() && eng.NumVertices() > 1 {
		e.note("no arc leads from the root to another vertex; --undirected reads arcs as edges, which lead both ways")
	}
	names := file.Source.VertexLabels().Names()
	r.table.named(names)
	r.top.named(names)
	if f.output != "" {
		if r.head == "" {
			r.head = r.header()
		}
		if err := e.writeTable(ctx, f.output, r.head, &r.table); err != nil || f.output == "-" {
			return err
		}
	}
	var top []uint32
	if f.top > 0 {
		top = r.top.best(f.top, r.compare)
	}
	doc := record.Run{Setup: eng.Setup(), Vertices: int64(eng.NumVertices()), TimeS: r.took.Seconds(), Top: r.top.record(top)}
	if r.stats != nil {
		doc.Levels = r.stats.All()
	}
	if !a.search {
		doc.Director = ""
	}
	if f.json {
		doc.Head = e.head(a.schema)
		return e.printJSON(r.doc(doc))
	}
	if f.top > 0 {
		for _, row := range top {
			fmt.Fprintf(e.stdout, "%s\n", r.top.appendRow(nil, row, '\t', nil))
		}
	} else {
		e.print("%stime %s\n%s", r.summary, seconds(doc.TimeS), r.times)
		if doc.Share != "" && !f.stats {
			e.print("shares --share %s\n", doc.Share)
		}
	}
	if !f.stats {
		return nil
	}
	kernels := ""
	switch {
	case r.stats == nil: // not by supersteps
		return e.printProcessors(doc.Processors)
	case a.search:
		kernels = eng.Kernels()
	}
	return e.printStats(doc.Processors, kernels, doc.Levels)
}

// roots are the vertices of --root, or of arguments.
type roots struct {
	flag    string // or arguments, in messages
	text    string
	apart   []string // text in parts, if commas do not separate them
	many    bool
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

func (r *roots) flags(c *cobra.Command) {
	r.flag = "--root"
	usage := "`ID` of the root, as the file has it"
	if r.many {
		usage = "`ID[,ID…]`: the roots, as the file has them"
	}
	c.Flags().StringVarP(&r.text, "root", "r", "", usage)
}

// list splits --root where it takes several.
func (r *roots) list() []string {
	if r.apart != nil {
		return r.apart
	}
	if r.many {
		return strings.Split(r.text, ",")
	}
	return []string{r.text}
}

func (r *roots) check(*algorithmFlags) error {
	if r.text == "" {
		return usagef("--root is missing: the id of a vertex, as the file has it")
	}
	if slices.Contains(r.list(), "") {
		return usagef("%s %q: want the id of a vertex, a whole number or a name, between commas", r.flag, r.text)
	}
	return nil
}

func (r *roots) read(_ context.Context, src graph.Source) error {
	labels := src.VertexLabels()
	r.labels = labels
	if _, err := labels.Find(r.text); err == nil && r.apart == nil {
		r.apart = []string{r.text} // a name may have commas
	}
	for _, s := range r.list() {
		v, err := labels.Find(s)
		if digits := strings.TrimLeft(s, "+-"); labels.Names() == nil && (digits == "" || strings.Trim(digits, "0123456789") != "") {
			return usagef("%s %q: want the id of a vertex, a whole number", r.flag, r.text)
		}
		if err != nil {
			return fmt.Errorf("%s %s", r.flag, strings.TrimPrefix(err.Error(), graph.ErrNoVertex.Error()+": "))
		}
		r.ids = append(r.ids, labels.Label(v))
		r.spelled = append(r.spelled, r.spell(labels.Label(v)))
	}
	if labels.Names() != nil {
		r.names = r.spelled
	}
	return nil
}
