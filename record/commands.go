package record

// BFS is the document of "totemgo bfs": one search.
type BFS struct {
	Head
	Setup
	Root     uint64   `json:"root"`                // vertex id; of a graph of names the place of its name
	RootName string   `json:"root_name,omitempty"` // name of the root, if ids are names
	Roots    []uint64 `json:"roots,omitempty"`     // vertex ids, if there are several; Root is the first
	Reached  int64    `json:"reached"`             // vertices, including the root
	Depth    int64    `json:"depth"`               // largest level
	TimeS    *float64 `json:"time_s,omitempty"`    // of the search, as in Search
	// Part of TimeS before the first superstep: clearing the last search's state and visiting the root, on all
	// processors
	ResetS *float64 `json:"reset_s,omitempty"`
	// Part of TimeS after the last superstep: collecting parents from their finders, as vertex ids
	AggregateS *float64 `json:"aggregate_s,omitempty"`
	CopyS      *float64 `json:"copy_s,omitempty"`  // as in Search; absent unless the run is on devices alone
	Kernels    string   `json:"kernels,omitempty"` // as in Bench; absent without a CPU processor
	Levels     []Level  `json:"levels"`            // one per superstep; none of a search with --depth or several roots
	Top        []Row    `json:"top,omitempty"`     // rows of the lowest levels, fields named as the columns of -o; absent unless requested
	// True if edges examined come from an extra, untimed search
	CountedOutsideClock bool `json:"counted_outside_clock,omitempty"`
}

// SetRun sets what the documents of all algorithms have.
func (b *BFS) SetRun(r Run) { b.Head, b.Setup, b.Top = r.Head, r.Setup, r.Top }

// Info is the document of "totemgo info": the content of a graph file.
type Info struct {
	Head
	File     string `json:"file,omitempty"`   // as given
	Format   string `json:"format,omitempty"` // as in docs/formats.md
	Vertices int64  `json:"vertices"`         // of the graph
	// Records: an undirected edge listed at both ends counts once; self-loops and duplicates count
	Edges    int64 `json:"edges"`
	Arcs     int64 `json:"arcs"`     // adjacency entries of the built graph
	Directed bool  `json:"directed"` // of the graph
	// True if the file says whether it is directed, and no flag overrides it
	DirectionStated bool `json:"direction_stated"`
	Weighted        bool `json:"weighted"` // of the graph
	// "int32", "int64", "float32" or "float64"; absent without weights
	WeightKind string `json:"weight_kind,omitempty"`
	SelfLoops  int64  `json:"self_loops"` // records that are self-loops
	Duplicates int64  `json:"duplicates"` // records that repeat an earlier one
	Isolated   int64  `json:"isolated"`   // vertices without edges
	// Connected components; weakly connected ones of a directed graph
	Components       int64           `json:"components"`
	LargestComponent int64           `json:"largest_component"`    // vertices of the largest component
	MaxDegree        int64           `json:"max_degree"`           // largest degree
	DegreeHistogram  []DegreeBin     `json:"degree_histogram"`     // bins, by rising degree
	Statistics       *InfoStatistics `json:"statistics,omitempty"` // what takes longer to count; absent unless requested
	Rule             *Rule           `json:"rule,omitempty"`       // choice of the default placement; absent if one is named
	Placements       []Placement     `json:"placements"`           // for each placement, the parts of the processors
}

// InfoStatistics are figures of a graph that take longer to count than its records.
type InfoStatistics struct {
	Triangles         int64   `json:"triangles"`          // three vertices, all joined by edges
	Transitivity      float64 `json:"transitivity"`       // 3 × triangles ÷ pairs of edges with a common vertex
	AverageClustering float64 `json:"average_clustering"` // mean of the local clustering coefficients of all vertices
	// Bounds of the largest distance within the largest component; absent for a directed graph
	Diameter *InfoDiameter `json:"diameter,omitempty"`
}

// InfoDiameter is bounds of a diameter.
type InfoDiameter struct {
	AtLeast int64 `json:"at_least"` // arcs, of a path that was found
	AtMost  int64 `json:"at_most"`  // arcs
}

// Rule is the choice of the default placement.
type Rule struct {
	Placement string `json:"placement"`  // "hubs-on-cpu", or "original" for a graph without hubs
	MaxDegree int64  `json:"max_degree"` // largest degree, without self-loops and duplicates
	// Over vertices that have edges, without self-loops and duplicates
	MeanDegree float64 `json:"mean_degree"`
	// A graph has hubs if its largest degree is at least Ratio times the mean
	Ratio float64 `json:"ratio"`
	Why   string  `json:"why"` // the choice in words
}

// DegreeBin counts vertices by degree.
type DegreeBin struct {
	From     int64 `json:"from"`     // smallest degree of the bin
	To       int64 `json:"to"`       // largest degree of the bin
	Vertices int64 `json:"vertices"` // vertices with such a degree
}

// Placement is one division of a graph among processors.
type Placement struct {
	Placement  string      `json:"placement"`        // "hubs-on-cpu", …
	Share      string      `json:"share,omitempty"`  // as in Setup
	Processors []Processor `json:"processors"`       // in the order given
	Ranges     []RankRange `json:"ranges,omitempty"` // in the order of ranks
	Bytes      int64       `json:"bytes"`            // memory of all partitions
}

// RankRange is a run of ranks with one owner.
type RankRange struct {
	First    uint32 `json:"first"`    // first rank, a multiple of 64
	Vertices uint32 `json:"vertices"` // vertices of the range
	Owner    int    `json:"owner"`    // index into processors
	Edges    int64  `json:"edges"`    // adjacency entries
	// Of its first vertex; absent if the range is not ordered by degree
	MaxDegree *int64 `json:"max_degree,omitempty"`
	// Of its last vertex; absent if the range is not ordered by degree
	MinDegree *int64 `json:"min_degree,omitempty"`
}

// Partition is the document of "totemgo partition": a placement without a search.
type Partition struct {
	Head
	Placement
	Vertices int64 `json:"vertices"` // of the graph
	Isolated int64 `json:"isolated"` // vertices without edges; no processor owns them
}

// Validate is the document of "totemgo validate": a tree checked against a graph.
type Validate struct {
	Head
	Root       uint64      `json:"root"`                 // vertex id; of a graph of names the place of its name
	RootName   string      `json:"root_name,omitempty"`  // name of the root, if ids are names
	Valid      bool        `json:"valid"`                // the tree breaks no rule
	Reached    int64       `json:"reached"`              // vertices whose chain of parents ends at the root
	Depth      int64       `json:"depth"`                // largest level
	Violations []Violation `json:"violations,omitempty"` // one per broken rule, in rule order; absent for a valid tree
}

// Violation names a broken rule and one place where the tree breaks it.
type Violation struct {
	Rule       int        `json:"rule"`                  // 1 to 5
	Name       string     `json:"name"`                  // name of the rule, as in Rules
	Vertex     uint64     `json:"vertex"`                // id of the vertex at fault
	VertexName string     `json:"vertex_name,omitempty"` // its name, if ids are names
	Edge       *[2]uint64 `json:"edge,omitempty"`        // ids of both ends of the edge at fault
	Reason     string     `json:"reason"`                // in words
}

// Generate is the document of "totemgo generate", dry runs included.
type Generate struct {
	Head
	Graph    string   `json:"graph"`             // "kron", "rmat", …
	Vertices int64    `json:"vertices"`          // of the graph
	Edges    int64    `json:"edges"`             // records
	Weighted bool     `json:"weighted"`          // of the graph
	DryRun   bool     `json:"dry_run,omitempty"` // nothing was generated
	TimeS    *float64 `json:"time_s,omitempty"`  // of generating and writing
	Outputs  []Output `json:"outputs,omitempty"` // files written
}

// Convert is the document of "totemgo convert".
type Convert struct {
	Head
	Input     string   `json:"input"`               // file read
	Vertices  int64    `json:"vertices"`            // of the graph
	Edges     int64    `json:"edges"`               // records
	Tolerated int64    `json:"tolerated,omitempty"` // faults of the input that were accepted; absent if 0
	Outputs   []Output `json:"outputs"`             // files written
	Losses    []string `json:"losses,omitempty"`    // sentences: what the output format cannot hold
	Notes     []string `json:"notes,omitempty"`     // sentences: what was added, such as weights of 1
}

// Output is a file that a command writes.
type Output struct {
	File   string `json:"file"`   // name
	Format string `json:"format"` // as in docs/formats.md
	Bytes  int64  `json:"bytes"`  // size
}
