package record

// Bench is the document of "bench bfs".
type Bench struct {
	Head
	Graph      string      `json:"graph,omitempty"` // as given: "kron:20", a file
	Time       BenchTime   `json:"time"`
	TEPS       *BenchTEPS  `json:"TEPS,omitempty"` // nil where no search traversed an edge
	Threads    int         `json:"threads"`
	Kernels    string      `json:"kernels"`          // that ran: "avx2", or the set of each, "probe=avx2,settle=…"
	Tuning     string      `json:"tuning,omitempty"` // where it was given
	Director   string      `json:"director"`
	Placement  string      `json:"placement,omitempty"`
	Share      string      `json:"share,omitempty"` // as in Graph500
	Processors []Processor `json:"processors,omitempty"`
	Isolated   *int64      `json:"isolated,omitempty"`
	Levels     []Level     `json:"levels,omitempty"`
	// CountedOutsideClock is as in Graph500.
	CountedOutsideClock bool      `json:"counted_outside_clock,omitempty"`
	Searches            []Search  `json:"searches,omitempty"`
	Roofline            *Roofline `json:"roofline,omitempty"`
	// Directors compares the directors, where that was asked for.
	Directors []BenchDirector `json:"directors,omitempty"`
	// KernelSets compares the sets of kernels, "auto" first, where that was asked for.
	KernelSets []BenchKernelSet `json:"kernel_sets,omitempty"`
}

// BenchTime is the time of one search, over all searches, in seconds.
type BenchTime struct {
	MeanS   float64 `json:"mean_s"`
	MedianS float64 `json:"median_s"`
	MinS    float64 `json:"min_s"`
	MaxS    float64 `json:"max_s"`
	// SearchMeanS is the part spent in ranks, MapMeanS that of mapping parents to
	// the graph's own ids.
	SearchMeanS *float64 `json:"search_mean_s,omitempty"`
	MapMeanS    *float64 `json:"map_mean_s,omitempty"`
}

// BenchTEPS is the rate of traversed edges. The reciprocal of the harmonic mean is
// the arithmetic mean of time per edge.
type BenchTEPS struct {
	HarmonicMean float64 `json:"harmonic_mean"`
}

// Roofline compares the time with what the machine allows: Fraction =
// (BytesStreamed/SequentialRate + RandomAccesses/RandomRate) / time.
type Roofline struct {
	Fraction       float64 `json:"fraction"`
	BytesStreamed  float64 `json:"bytes_streamed"`  // mean of a search
	RandomAccesses float64 `json:"random_accesses"` // mean of a search
	SequentialRate float64 `json:"sequential_rate"` // bytes a second
	RandomRate     float64 `json:"random_rate"`     // accesses a second, at this working set
}

// BenchDirector is how fast one director's searches were, beside the best directions
// that were found for each root, the director "oracle".
type BenchDirector struct {
	Director string  `json:"director"`
	MeanS    float64 `json:"mean_s"`
	// OverOracle is over the roots: a search's time over the oracle's.
	OverOracle BenchRatio `json:"over_oracle"`
	// SameRoots is the number of roots for which the directions are the oracle's.
	SameRoots int              `json:"same_roots"`
	Searches  []DirectedSearch `json:"searches"`
}

// BenchRatio is a ratio over the roots.
type BenchRatio struct {
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	Max    float64 `json:"max"`
}

// DirectedSearch is the search of one root with its directions: "T" for a top-down and
// "B" for a bottom-up level, the first 16.
type DirectedSearch struct {
	Root       uint64  `json:"root"`
	TimeS      float64 `json:"time_s"`
	Directions string  `json:"directions"`
}

// BenchKernelSet is how fast searches with one set of kernels were, beside those with
// "auto" on the same graph, from the same roots, in rounds in turn.
type BenchKernelSet struct {
	Kernels string  `json:"kernels"` // as --kernels takes it: "auto", "avx2"
	Runs    string  `json:"runs"`    // as Bench.Kernels
	Rounds  int     `json:"rounds"`
	MeanS   float64 `json:"mean_s"`   // of a search, over all rounds
	MedianS float64 `json:"median_s"` // over the rounds: a round's mean
	// RatioMedian, RatioQ1 and RatioQ3 are the median and the quartiles, over the rounds,
	// of a round's mean over that of "auto".
	RatioMedian float64 `json:"ratio_median"`
	RatioQ1     float64 `json:"ratio_q1"`
	RatioQ3     float64 `json:"ratio_q3"`
	// Faster tells that the set beats "auto" beyond the spread: RatioQ3 is below 1.
	Faster bool `json:"faster"`
	// RoundMeansS has the mean time of a search in each round.
	RoundMeansS []float64 `json:"round_means_s"`
}
