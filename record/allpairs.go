package record

// AllPairs is the document of "totemgo apsp".
type AllPairs struct {
	Head
	Vertices    int64   `json:"vertices"`            // of the graph
	Arcs        int64   `json:"arcs"`                // an undirected edge has two
	Type        string  `json:"type"`                // of distances: int32, float32 or float64
	Algebra     string  `json:"algebra"`             // shortest or widest
	Method      string  `json:"method"`              // that was used
	Reason      string  `json:"reason"`              // why
	Kernels     string  `json:"kernels,omitempty"`   // tile kernels
	Threads     int     `json:"threads"`             // of the processor
	MatrixBytes int64   `json:"matrix_bytes"`        // memory of matrices
	PredictedS  float64 `json:"predicted_s"`         // time that was predicted; 0 if it was not
	TimeS       float64 `json:"time_s"`              // time of the computation
	Pairs       int64   `json:"pairs"`               // ordered pairs of different vertices with a path
	Connected   bool    `json:"connected"`           // all pairs have one
	Diameter    float64 `json:"diameter"`            // largest distance of a pair; 0 without pairs
	Radius      float64 `json:"radius"`              // smallest eccentricity of a vertex that reaches another
	Average     float64 `json:"average"`             // mean distance
	Histogram   []int64 `json:"histogram,omitempty"` // pairs by distance from 0, of whole distances below 2^20
}

// BenchAllPairs is the document of "totemgo bench apsp".
type BenchAllPairs struct {
	Head
	N      int                   `json:"n"`      // vertices
	Rounds int                   `json:"rounds"` // in turn
	Runs   []BenchAllPairsMethod `json:"runs"`   // by method and kernels
}

// BenchAllPairsMethod is a method with kernels.
type BenchAllPairsMethod struct {
	Method    string  `json:"method"`     // dense method
	Kernels   string  `json:"kernels"`    // tile kernels
	Type      string  `json:"type"`       // of distances
	Processor string  `json:"processor"`  // that ran it
	TimeS     float64 `json:"time_s"`     // median
	GopS      float64 `json:"gop_s"`      // 2n³ additions and minima over the time, in 10⁹ a second; of squaring for each product
	RateGopS  float64 `json:"rate_gop_s"` // additions and minima in registers alone, on as many threads at once
	Fraction  float64 `json:"fraction"`   // GopS ÷ RateGopS
}
