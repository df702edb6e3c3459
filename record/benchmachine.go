package record

// SchemaBenchMachine is the schema of BenchMachine.
const SchemaBenchMachine = "totemgo.bench-machine/1"

// BenchMachine is the document of "totemgo bench machine": the limits of the machine.
type BenchMachine struct {
	Head
	Ceilings []Ceiling    `json:"ceilings"`         // one for each working set and number of threads
	Rates    Rates        `json:"rates"`            // costs at the largest working set
	Speeds   []Speed      `json:"speeds,omitempty"` // of the processors that were measured
	Kernels  []KernelTime `json:"kernels"`          // kernels of a CPU search
	MinPlus  []MinPlus    `json:"min_plus"`         // what bounds all pairs by dense tiles
}

// MinPlus is the rate of a loop of additions and minima in registers alone.
type MinPlus struct {
	Type    string  `json:"type"`    // of distances
	Kernels string  `json:"kernels"` // tile kernels whose instructions it has
	Threads int     `json:"threads"` // at once
	GopS    float64 `json:"gop_s"`   // additions and minima, in 10⁹ a second
}

// KernelTime is one kernel of a CPU search, measured on a Kronecker graph of scale 17.
type KernelTime struct {
	Kernel string `json:"kernel"` // "probe", "settle", "scan", "spread", "fetch" or "mapBack"
	Set    string `json:"set"`    // set that "auto" chooses: "avx2"
	// Time per item by set: a vertex, an entry of a row for scan and spread, a row for fetch. Absent if
	// only one set runs here, and for spread on one thread
	NS map[string]float64 `json:"ns,omitempty"`
}

// Speed is the rate at which a processor alone searches; default shares follow from it.
type Speed struct {
	Processor string  `json:"processor"`         // "cpu", "opencl:0"
	Threads   int     `json:"threads,omitempty"` // of a CPU
	EdgesPerS float64 `json:"edges_per_s"`       // harmonic mean over searches of a Graph500 graph
}

// Ceiling is the memory throughput of all threads together at one working set.
type Ceiling struct {
	WorkingSetBytes     int64   `json:"working_set_bytes"`      // memory that is read
	Threads             int     `json:"threads"`                // threads that read, together
	SequentialBytesPerS float64 `json:"sequential_bytes_per_s"` // bytes read in order
	RandomReadsPerS     float64 `json:"random_reads_per_s"`     // independent 4-byte reads, many in flight
	DependentReadsPerS  float64 `json:"dependent_reads_per_s"`  // 4-byte reads, each at an address that the one before returns
}

// Rates are the costs, over all threads, from which the director "auto" predicts a superstep.
type Rates struct {
	ClaimNS float64 `json:"claim_ns"` // an arc of a top-down step
	// An unvisited vertex of a bottom-up step, with its first neighbour
	VisitNS float64 `json:"visit_ns"`
	ProbeNS float64 `json:"probe_ns"` // a further neighbour of a bottom-up step
	WordNS  float64 `json:"word_ns"`  // a word of 64 ranks in a pass over bitmaps
	StepNS  float64 `json:"step_ns"`  // fixed cost of a bottom-up step
}
