package record

// Bench is the document of "totemgo bench bfs".
type Bench struct {
	Head
	Setup
	Graph   string     `json:"graph,omitempty"` // as given: "kron:20", a file
	Time    BenchTime  `json:"time"`            // of a search
	TEPS    *BenchTEPS `json:"TEPS,omitempty"`  // absent if no search traversed an edge
	Threads int        `json:"threads"`         // of the CPU processors
	// Kernels that ran: "generic", "avx2", "avx512", or the set of each: "probe=avx2,settle=…". Of several
	// CPU processors those of the first.
	Kernels             string           `json:"kernels"`
	Tuning              string           `json:"tuning,omitempty"`                // limits between the ways to run a step; absent for the defaults
	Levels              []Level          `json:"levels,omitempty"`                // as in Graph500
	CountedOutsideClock bool             `json:"counted_outside_clock,omitempty"` // as in Graph500
	Searches            []Search         `json:"searches,omitempty"`              // of each root
	Roofline            *Roofline        `json:"roofline,omitempty"`              // time against the machine's limits
	Directors           []BenchDirector  `json:"directors,omitempty"`             // comparison of directors, if requested
	KernelSets          []BenchKernelSet `json:"kernel_sets,omitempty"`           // comparison of sets, if requested; "auto" first
}

// BenchTime is the time of one search.
type BenchTime struct {
	MeanS       float64  `json:"mean_s"`                  // over all searches
	MedianS     float64  `json:"median_s"`                // over all searches
	MinS        float64  `json:"min_s"`                   // shortest search
	MaxS        float64  `json:"max_s"`                   // longest search
	SearchMeanS *float64 `json:"search_mean_s,omitempty"` // mean time of the supersteps
	MapMeanS    *float64 `json:"map_mean_s,omitempty"`    // mean time of mapping parents to vertex ids
}

// BenchTEPS is the rate of traversed edges.
type BenchTEPS struct {
	// Edges/s; its reciprocal is the arithmetic mean of time per edge
	HarmonicMean float64 `json:"harmonic_mean"`
}

// Roofline compares the time of a search with the limits of the machine.
type Roofline struct {
	// (BytesStreamed / SequentialRate + BitmapReads / BitmapRate + (RandomAccesses − BitmapReads) / RandomRate) / time
	Fraction       float64 `json:"fraction"`
	BytesStreamed  float64 `json:"bytes_streamed"`  // bytes read in order, mean of a search
	RandomAccesses float64 `json:"random_accesses"` // random reads, mean of a search
	BitmapReads    float64 `json:"bitmap_reads"`    // those of them that read a bitmap by vertex
	SequentialRate float64 `json:"sequential_rate"` // bytes/s
	RandomRate     float64 `json:"random_rate"`     // reads/s, in an array by vertex
	BitmapRate     float64 `json:"bitmap_rate"`     // reads/s, in a bitmap by vertex
}

// BenchDirector compares one director with the best directions found for each root.
type BenchDirector struct {
	Director   string           `json:"director"`    // name; "oracle" has the best directions found for each root
	MeanS      float64          `json:"mean_s"`      // of a search
	OverOracle BenchRatio       `json:"over_oracle"` // a search's time / the oracle's
	SameRoots  int              `json:"same_roots"`  // roots with the oracle's directions
	Searches   []DirectedSearch `json:"searches"`    // one per root
}

// BenchRatio is a ratio over the roots.
type BenchRatio struct {
	Median float64 `json:"median"` // over the roots
	P90    float64 `json:"p90"`    // ninetieth percentile
	Max    float64 `json:"max"`    // largest
}

// DirectedSearch is the search of one root.
type DirectedSearch struct {
	Root       uint64  `json:"root"`       // vertex id
	TimeS      float64 `json:"time_s"`     // of the search
	Directions string  `json:"directions"` // "T" per top-down and "B" per bottom-up level, the first 16
}

// BenchKernelSet compares one set of kernels with "auto", on the same graph and from the same
// roots, in rounds in turn.
type BenchKernelSet struct {
	Kernels string  `json:"kernels"`  // as requested: "auto", "avx2"
	Runs    string  `json:"runs"`     // kernels that ran, as in Bench
	Rounds  int     `json:"rounds"`   // in each round every set searches from all roots
	MeanS   float64 `json:"mean_s"`   // of a search, over all rounds
	MedianS float64 `json:"median_s"` // median over the rounds of a round's mean
	// Median over the rounds of the mean of a round / that of "auto"; above 1 is slower
	RatioMedian float64   `json:"ratio_median"`
	RatioQ1     float64   `json:"ratio_q1"`      // first quartile of the ratios, as in Statistics
	RatioQ3     float64   `json:"ratio_q3"`      // third quartile of the ratios
	Faster      bool      `json:"faster"`        // RatioQ3 is below 1
	RoundMeansS []float64 `json:"round_means_s"` // mean of a search in each round, in order
}

// BenchPath is the document of "totemgo bench path".
type BenchPath struct {
	Head
	Setup
	Graph     string         `json:"graph"`     // as given
	Vertices  int64          `json:"vertices"`  // of the graph
	Edges     int64          `json:"edges"`     // records of the graph
	Pairs     int            `json:"pairs"`     // timed
	Connected int            `json:"connected"` // pairs with a path
	MeanArcs  float64        `json:"mean_arcs"` // of their shortest paths
	Path      BenchQuantiles `json:"path"`      // Engine.Path
	Plain     BenchQuantiles `json:"plain"`     // a plain bidirectional search over a CSR, which keeps its arrays too
}

// BenchQuantiles are quantiles of times.
type BenchQuantiles struct {
	MedianS float64 `json:"median_s"` // of all
	P99S    float64 `json:"p99_s"`    // 99th percentile
	MaxS    float64 `json:"max_s"`    // longest
}
