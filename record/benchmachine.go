package record

// SchemaBenchMachine is the schema of BenchMachine.
const SchemaBenchMachine = "totemgo.bench-machine/1"

// BenchMachine is the document of "bench machine": the ceilings that bound a search.
type BenchMachine struct {
	Head
	Ceilings []Ceiling `json:"ceilings"`
	// Rates are the costs of a search's steps that follow from the largest working
	// set, over all threads.
	Rates Rates `json:"rates"`
	// Speeds are those of the processors that were asked for, from which default shares
	// follow.
	Speeds []Speed `json:"speeds,omitempty"`
	// Kernels has the inner loops that the CPU's searches run here.
	Kernels []KernelTime `json:"kernels"`
}

// KernelTime is one kernel with what was measured of it on a Kronecker graph.
type KernelTime struct {
	Kernel string `json:"kernel"` // "probe", "settle", "scan", "spread", "fetch", "mapBack"
	Set    string `json:"set"`    // that runs: "avx2"
	// NS is by set the median time in nanoseconds an item, a vertex or an entry of a row;
	// absent where one set runs here, or one thread has no use for the kernel.
	NS map[string]float64 `json:"ns,omitempty"`
}

// Speed is how fast a processor alone searches.
type Speed struct {
	Processor string  `json:"processor"` // "cpu", "opencl:0"
	Threads   int     `json:"threads,omitempty"`
	EdgesPerS float64 `json:"edges_per_s"` // harmonic mean over searches
}

// Ceiling is what the machine allows at one working set on so many threads, all
// together.
type Ceiling struct {
	WorkingSetBytes     int64   `json:"working_set_bytes"`
	Threads             int     `json:"threads"`
	SequentialBytesPerS float64 `json:"sequential_bytes_per_s"`
	RandomReadsPerS     float64 `json:"random_reads_per_s"`    // independent, many in flight
	DependentReadsPerS  float64 `json:"dependent_reads_per_s"` // one after the other
}

// Rates are costs in nanoseconds: see bsp.Rates.
type Rates struct {
	ClaimNS float64 `json:"claim_ns"` // an arc of a top-down step
	VisitNS float64 `json:"visit_ns"` // an unvisited vertex of a bottom-up step
	ProbeNS float64 `json:"probe_ns"` // a further neighbour of a bottom-up step
	WordNS  float64 `json:"word_ns"`  // a word of a pass over bitmaps
	StepNS  float64 `json:"step_ns"`  // a bottom-up step, however small
}
