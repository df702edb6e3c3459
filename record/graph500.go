package record

// Graph500 is the document of "graph500": one run of the benchmark.
type Graph500 struct {
	Head
	Scale      int `json:"scale"`       // log2 of the number of vertices
	EdgeFactor int `json:"edgefactor"`  // tuples per vertex
	NBFS       int `json:"nbfs"`        // searches made: fewer than asked for if the graph has fewer roots
	VertexBits int `json:"vertex_bits"` // width of a vertex id in the tuple list, 32 or 48
	// Roots are the roots in the order searched.
	Roots []uint64 `json:"roots"`
	// GenerationTime, in seconds, is absent where the tuples were not generated.
	GenerationTime *float64 `json:"generation_time,omitempty"`
	// ConstructionTime is the time of kernel 1 in seconds.
	ConstructionTime float64     `json:"construction_time"`
	BFS              *Statistics `json:"bfs,omitempty"`  // kernel 2
	SSSP             *Statistics `json:"sssp,omitempty"` // kernel 3
	Validation       Validation  `json:"validation"`
	Placement        string      `json:"placement,omitempty"`
	// Share is what each processor got of the adjacency entries, "0.92,0.08", as
	// --share takes it; empty for one processor.
	Share      string      `json:"share,omitempty"`
	Director   string      `json:"director,omitempty"`
	Kernels    string      `json:"kernels,omitempty"` // as in Bench; empty without a CPU
	Processors []Processor `json:"processors,omitempty"`
	// Isolated is the number of vertices without edges.
	Isolated *int64 `json:"isolated,omitempty"`
	// Levels holds one record per level number and direction: means over the
	// searches that took it.
	Levels []Level `json:"levels,omitempty"`
	// CountedOutsideClock tells that edges examined and kernel times come from one
	// more, untimed search per root.
	CountedOutsideClock bool     `json:"counted_outside_clock,omitempty"`
	Searches            []Search `json:"searches"`
	Green               *Green   `json:"green,omitempty"`
	Compare             *Compare `json:"compare,omitempty"`
}

// Validation counts the trees that were checked.
type Validation struct {
	Passed int   `json:"passed"`
	Failed int   `json:"failed"`
	Rules  Rules `json:"rules"`
}

// Rules counts, for each of the benchmark's five rules, the trees that break it. A
// tree may break several.
type Rules struct {
	Tree       int `json:"tree"`        // 1: a tree rooted at the root, without a cycle
	TreeLevels int `json:"tree_levels"` // 2: tree edges join levels that differ by one
	EdgeLevels int `json:"edge_levels"` // 3: input edges join levels that differ by at most one
	Component  int `json:"component"`   // 4: the tree spans the root's component
	TreeEdges  int `json:"tree_edges"`  // 5: every tree edge is an input edge
}

// Statistics is the benchmark's block of one kernel, in the benchmark's spelling.
// Times are in seconds. Standard deviations divide by n−1, so one search has none.
// The TEPS figures are absent in a run with a failed validation.
type Statistics struct {
	MinTime           float64  `json:"min_time"`
	FirstQuartileTime float64  `json:"firstquartile_time"`
	MedianTime        float64  `json:"median_time"`
	ThirdQuartileTime float64  `json:"thirdquartile_time"`
	MaxTime           float64  `json:"max_time"`
	MeanTime          float64  `json:"mean_time"`
	StddevTime        *float64 `json:"stddev_time,omitempty"`

	// Edges of a search: records with an end in the reached component, duplicates
	// counted, self-loops not.
	MinNEdge           float64  `json:"min_nedge"`
	FirstQuartileNEdge float64  `json:"firstquartile_nedge"`
	MedianNEdge        float64  `json:"median_nedge"`
	ThirdQuartileNEdge float64  `json:"thirdquartile_nedge"`
	MaxNEdge           float64  `json:"max_nedge"`
	MeanNEdge          float64  `json:"mean_nedge"`
	StddevNEdge        *float64 `json:"stddev_nedge,omitempty"`

	// Traversed edges per second, from the order statistics of seconds per edge.
	MinTEPS            *float64 `json:"min_TEPS,omitempty"`
	FirstQuartileTEPS  *float64 `json:"firstquartile_TEPS,omitempty"`
	MedianTEPS         *float64 `json:"median_TEPS,omitempty"`
	ThirdQuartileTEPS  *float64 `json:"thirdquartile_TEPS,omitempty"`
	MaxTEPS            *float64 `json:"max_TEPS,omitempty"`
	HarmonicMeanTEPS   *float64 `json:"harmonic_mean_TEPS,omitempty"`
	HarmonicStddevTEPS *float64 `json:"harmonic_stddev_TEPS,omitempty"`

	MinValidate           float64  `json:"min_validate"`
	FirstQuartileValidate float64  `json:"firstquartile_validate"`
	MedianValidate        float64  `json:"median_validate"`
	ThirdQuartileValidate float64  `json:"thirdquartile_validate"`
	MaxValidate           float64  `json:"max_validate"`
	MeanValidate          float64  `json:"mean_validate"`
	StddevValidate        *float64 `json:"stddev_validate,omitempty"`

	// CopyS is the mean time of the copy to the host, in runs on devices alone.
	CopyS *float64 `json:"copy_s,omitempty"`
}
