package record

// BFS is the document of "bfs": one search.
type BFS struct {
	Head
	Root    uint64   `json:"root"`    // the file's id
	Reached int64    `json:"reached"` // vertices, the root included
	Depth   int64    `json:"depth"`   // the largest level
	TimeS   *float64 `json:"time_s,omitempty"`
	CopyS   *float64 `json:"copy_s,omitempty"` // copy to the host, runs on devices alone
	// Placement to Isolated are as in Graph500.
	Placement  string      `json:"placement,omitempty"`
	Share      string      `json:"share,omitempty"`
	Director   string      `json:"director,omitempty"`
	Kernels    string      `json:"kernels,omitempty"` // as in Bench
	Processors []Processor `json:"processors,omitempty"`
	Isolated   *int64      `json:"isolated,omitempty"`
	Levels     []Level     `json:"levels"`
	// CountedOutsideClock tells that edges examined come from one more, untimed search;
	// without it they were not counted.
	CountedOutsideClock bool `json:"counted_outside_clock,omitempty"`
}

// Info is the document of "info": what a graph file holds.
type Info struct {
	Head
	File     string `json:"file,omitempty"`
	Format   string `json:"format,omitempty"`
	Vertices int64  `json:"vertices"`
	// Edges counts the records as the file states them: an undirected edge listed at
	// both ends once, self-loops and duplicates included.
	Edges      int64  `json:"edges"`
	Arcs       int64  `json:"arcs"` // adjacency entries of the built graph
	Directed   bool   `json:"directed"`
	Weighted   bool   `json:"weighted"`
	WeightKind string `json:"weight_kind,omitempty"` // "int32", "int64", "float32", "float64"
	SelfLoops  int64  `json:"self_loops"`
	Duplicates int64  `json:"duplicates"` // records that repeat an earlier one
	Isolated   int64  `json:"isolated"`   // vertices without edges
	// Components counts the connected components, of a directed graph the weakly
	// connected ones; LargestComponent is the number of vertices of the largest.
	Components       int64       `json:"components"`
	LargestComponent int64       `json:"largest_component"`
	MaxDegree        int64       `json:"max_degree"`
	DegreeHistogram  []DegreeBin `json:"degree_histogram"`
	// Rule is how the placement is chosen where none is named; absent where one is.
	Rule *Rule `json:"rule,omitempty"`
	// Placements says what each placement would put where.
	Placements []Placement `json:"placements"`
}

// Rule is how a placement was chosen: hubs-on-cpu for a graph with hubs, whose largest
// degree is at least Ratio times the mean, else original.
type Rule struct {
	Placement string `json:"placement"`
	// MaxDegree and MeanDegree are over the vertices that have edges, without self-loops
	// and duplicates.
	MaxDegree  int64   `json:"max_degree"`
	MeanDegree float64 `json:"mean_degree"`
	Ratio      float64 `json:"ratio"`
	Why        string  `json:"why"` // in words
}

// DegreeBin counts the vertices of degree From … To.
type DegreeBin struct {
	From     int64 `json:"from"`
	To       int64 `json:"to"`
	Vertices int64 `json:"vertices"`
}

// Placement is one division of a graph among processors.
type Placement struct {
	Placement  string      `json:"placement"`       // "hubs-on-cpu", …
	Share      string      `json:"share,omitempty"` // as in Graph500
	Processors []Processor `json:"processors"`
	Ranges     []RankRange `json:"ranges,omitempty"`
	// Bytes is the sum over the processors.
	Bytes int64 `json:"bytes"`
}

// RankRange is a run of ranks with one owner.
type RankRange struct {
	First    uint32 `json:"first"`    // the first rank, a multiple of 64
	Vertices uint32 `json:"vertices"` // ranks that are vertices
	Owner    int    `json:"owner"`    // index into processors
	Edges    int64  `json:"edges"`    // adjacency entries
	// MaxDegree and MinDegree are the degrees of the first and the last vertex where
	// the range is ordered by degree.
	MaxDegree *int64 `json:"max_degree,omitempty"`
	MinDegree *int64 `json:"min_degree,omitempty"`
}

// Partition is the document of "partition": a placement that was not run.
type Partition struct {
	Head
	Placement
	Vertices int64 `json:"vertices"`
	Isolated int64 `json:"isolated"` // vertices without edges; they belong to nobody
}

// Validate is the document of "validate": a tree checked against a graph.
type Validate struct {
	Head
	Root    uint64 `json:"root"`
	Valid   bool   `json:"valid"`
	Reached int64  `json:"reached"`
	Depth   int64  `json:"depth"`
	// Violations holds one record per rule that is broken, in rule order.
	Violations []Violation `json:"violations,omitempty"`
}

// Violation names a rule that a tree breaks, and where.
type Violation struct {
	Rule   int        `json:"rule"`           // 1 … 5
	Name   string     `json:"name"`           // the rule's name, as in Rules
	Vertex uint64     `json:"vertex"`         // the file's id
	Edge   *[2]uint64 `json:"edge,omitempty"` // the file's ids of both ends
	Reason string     `json:"reason"`         // in words
}

// Generate is the document of "generate", with --dry-run as well.
type Generate struct {
	Head
	Graph    string   `json:"graph"` // "kron", "rmat", …
	Vertices int64    `json:"vertices"`
	Edges    int64    `json:"edges"`
	Weighted bool     `json:"weighted"`
	DryRun   bool     `json:"dry_run,omitempty"`
	TimeS    *float64 `json:"time_s,omitempty"`
	Outputs  []Output `json:"outputs,omitempty"`
}

// Convert is the document of "convert".
type Convert struct {
	Head
	Input    string `json:"input"`
	Vertices int64  `json:"vertices"`
	Edges    int64  `json:"edges"`
	// Tolerated is the number of faults of the input that --lenient let pass.
	Tolerated int64    `json:"tolerated,omitempty"`
	Outputs   []Output `json:"outputs"`
	// Losses names what the output's format cannot hold, Notes what was added.
	Losses []string `json:"losses,omitempty"`
	Notes  []string `json:"notes,omitempty"`
}

// Output is a file that a command writes.
type Output struct {
	File   string `json:"file"`
	Format string `json:"format"`
	Bytes  int64  `json:"bytes"`
}
