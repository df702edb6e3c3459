package record

// Graph500 is the document of "totemgo graph500": one run of the benchmark.
type Graph500 struct {
	Head
	Setup
	Scale      int `json:"scale"`      // binary logarithm of the number of vertices
	EdgeFactor int `json:"edgefactor"` // tuples per vertex
	// Searches run; fewer than requested if the graph has fewer roots
	NBFS             int         `json:"nbfs"`
	VertexBits       int         `json:"vertex_bits"`               // bits of a vertex id in the tuple list: 32 or 48
	Roots            []uint64    `json:"roots"`                     // ids, in the order searched
	GenerationTime   *float64    `json:"generation_time,omitempty"` // s; absent if the tuples were not generated
	ConstructionTime float64     `json:"construction_time"`         // s, kernel 1
	BFS              *Statistics `json:"bfs,omitempty"`             // kernel 2; absent if it was not run
	SSSP             *Statistics `json:"sssp,omitempty"`            // kernel 3; absent if it was not run
	Validation       Validation  `json:"validation"`                // of the trees of kernel 2
	// Of the trees of shortest paths; absent without kernel 3
	SSSPValidation *Validation `json:"sssp_validation,omitempty"`
	Kernels        string      `json:"kernels,omitempty"` // as in Bench; absent without a CPU processor
	// One for each level number and direction; means over the searches that ran it
	Levels []Level `json:"levels,omitempty"`
	// True if edges examined come from an extra, untimed search per root
	CountedOutsideClock bool     `json:"counted_outside_clock,omitempty"`
	Searches            []Search `json:"searches"`                // of kernel 2, in the order of Roots
	SSSPSearches        []Search `json:"sssp_searches,omitempty"` // of kernel 3, in the order of Roots; absent if it was not run
	Green               *Green   `json:"green,omitempty"`         // absent without a power session
	Compare             *Compare `json:"compare,omitempty"`       // absent unless two configurations were compared
}

// Validation counts the trees that were checked.
type Validation struct {
	Passed int   `json:"passed"` // trees that break no rule
	Failed int   `json:"failed"` // trees that break at least one
	Rules  Rules `json:"rules"`  // trees by rule
}

// Rules counts, for each of the benchmark's five rules, the trees that break it. A
// tree may break several. Of kernel 3, rules 2 and 3 are about distances.
type Rules struct {
	Tree int `json:"tree"` // rule 1: a tree rooted at the root, without a cycle
	// Rule 2: tree edges join levels that differ by one, which only stated levels can break, or distances
	// that differ by the weight of an edge
	TreeLevels int `json:"tree_levels"`
	// Rule 3: input edges within the tree join levels that differ by at most one, or distances that differ by
	// at most the weight
	EdgeLevels int `json:"edge_levels"`
	Component  int `json:"component"`  // rule 4: the tree spans the root's component
	TreeEdges  int `json:"tree_edges"` // rule 5: every tree edge is an input edge
}

// Statistics is the benchmark's block of one kernel, in the benchmark's spelling. Quartiles
// are those of the reference code. Standard deviations divide by n−1.
type Statistics struct {
	MinTime           float64  `json:"min_time"`              // s per search
	FirstQuartileTime float64  `json:"firstquartile_time"`    // s
	MedianTime        float64  `json:"median_time"`           // s
	ThirdQuartileTime float64  `json:"thirdquartile_time"`    // s
	MaxTime           float64  `json:"max_time"`              // s
	MeanTime          float64  `json:"mean_time"`             // s
	StddevTime        *float64 `json:"stddev_time,omitempty"` // s; absent for one search

	// Records in the reached component; duplicates count, self-loops do not
	MinNEdge           float64  `json:"min_nedge"`
	FirstQuartileNEdge float64  `json:"firstquartile_nedge"`    // records
	MedianNEdge        float64  `json:"median_nedge"`           // records
	ThirdQuartileNEdge float64  `json:"thirdquartile_nedge"`    // records
	MaxNEdge           float64  `json:"max_nedge"`              // records
	MeanNEdge          float64  `json:"mean_nedge"`             // records
	StddevNEdge        *float64 `json:"stddev_nedge,omitempty"` // records; absent for one search

	// Traversed edges per second, from the order statistics of seconds per edge; absent if a tree failed
	// validation
	MinTEPS           *float64 `json:"min_TEPS,omitempty"`
	FirstQuartileTEPS *float64 `json:"firstquartile_TEPS,omitempty"` // edges/s; absent if a tree failed validation
	MedianTEPS        *float64 `json:"median_TEPS,omitempty"`        // edges/s; absent if a tree failed validation
	ThirdQuartileTEPS *float64 `json:"thirdquartile_TEPS,omitempty"` // edges/s; absent if a tree failed validation
	MaxTEPS           *float64 `json:"max_TEPS,omitempty"`           // edges/s; absent if a tree failed validation
	HarmonicMeanTEPS  *float64 `json:"harmonic_mean_TEPS,omitempty"` // edges/s; absent if a tree failed validation
	// Edges/s, standard error of the harmonic mean; absent for one search or if a tree failed validation
	HarmonicStddevTEPS *float64 `json:"harmonic_stddev_TEPS,omitempty"`

	MinValidate           float64  `json:"min_validate"`              // s per tree
	FirstQuartileValidate float64  `json:"firstquartile_validate"`    // s
	MedianValidate        float64  `json:"median_validate"`           // s
	ThirdQuartileValidate float64  `json:"thirdquartile_validate"`    // s
	MaxValidate           float64  `json:"max_validate"`              // s
	MeanValidate          float64  `json:"mean_validate"`             // s
	StddevValidate        *float64 `json:"stddev_validate,omitempty"` // s; absent for one search

	// Mean of the searches' copy_s; absent unless the run is on devices alone
	CopyS *float64 `json:"copy_s,omitempty"`
}
