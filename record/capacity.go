package record

// Capacity is the document of "totemgo capacity": the memory that algorithms take. Bytes are those of the host, but for devices'.
type Capacity struct {
	Head
	MemoryLimitBytes int64               `json:"memory_limit_bytes,omitempty"` // that an engine may take; absent without a limit
	Processors       string              `json:"processors"`                   // the list, as a command takes it
	Graph            *CapacityGraph      `json:"graph,omitempty"`              // that is asked about; absent where the largest ones are
	GraphReadBytes   int64               `json:"graph_read_bytes,omitempty"`   // of the file as read, beside all others; absent if it is mapped
	Algorithms       []CapacityAlgorithm `json:"algorithms"`                   // one for each algorithm
}

// CapacityGraph is the size of a graph.
type CapacityGraph struct {
	Vertices   int64  `json:"vertices"`              // all
	Isolated   int64  `json:"isolated"`              // vertices without edges
	Edges      int64  `json:"edges"`                 // that differ, without self-loops
	Directed   bool   `json:"directed"`              // else undirected
	WeightKind string `json:"weight_kind,omitempty"` // of sssp, and of the distances of apsp; absent for the others
}

// CapacityAlgorithm is what one algorithm takes for a graph.
type CapacityAlgorithm struct {
	Algorithm    string        `json:"algorithm"`        // the command
	Fits         bool          `json:"fits"`             // within the limit
	Reason       string        `json:"reason,omitempty"` // why it does not; absent if it does
	Graph        CapacityGraph `json:"graph"`            // the largest one that fits, or that is asked about
	PlacingBytes int64         `json:"placing_bytes"`    // peak while the graph is placed
	PlacedBytes  int64         `json:"placed_bytes"`     // of the placed graph, and of what processors made of it
	StateBytes   int64         `json:"state_bytes"`      // of one run
	ResultBytes  int64         `json:"result_bytes"`     // of its result
	// State of a search that stays beside another program's; it is freed where the limit has no room
	IdleBytes int64 `json:"idle_bytes,omitempty"`
	PeakBytes int64 `json:"peak_bytes"` // the most at once
	// The peak with the program itself and the file as read or mapped, which a run states as peak_rss_bytes; absent without a file
	ResidentBytes int64 `json:"resident_bytes,omitempty"`
	// True if the state depends on the form of the graph and the roots: state_bytes is an estimate then
	Varies bool `json:"varies,omitempty"`
	// Of each device among the processors; absent without one
	Devices []CapacityDevice `json:"devices,omitempty"`
}

// CapacityDevice is what an algorithm takes of a device's memory.
type CapacityDevice struct {
	Processor   string `json:"processor"`    // the device
	MemoryBytes int64  `json:"memory_bytes"` // that it has
	PlacedBytes int64  `json:"placed_bytes"` // of its part of the graph, and of the search that stays
	StateBytes  int64  `json:"state_bytes"`  // of one run of another program
	PeakBytes   int64  `json:"peak_bytes"`   // the sum
}
