package record

import "cmp"

// Directions of levels, as they stand in JSON: TopDown and BottomUp of searches, the others of programs.
const (
	TopDown  = "top-down"
	BottomUp = "bottom-up"
	Push     = "push"   // an edge operator along the arcs of its sources
	Pull     = "pull"   // an edge operator back along the arcs of its targets
	Vertex   = "vertex" // a vertex operator
	Local    = "local"  // a local operator
)

// Setup is how a run divides the graph among processors and searches it.
type Setup struct {
	Placement string `json:"placement,omitempty"` // "hubs-on-cpu", …
	// Each processor's part of the adjacency entries: "0.92,0.08". Given as shares, they make the same
	// placement, except that processors of one kind are then cut by degree, not dealt. Absent for one
	// processor.
	Share      string      `json:"share,omitempty"`
	Director   string      `json:"director,omitempty"`   // "auto", …
	Processors []Processor `json:"processors,omitempty"` // in the order given
	LeftOut    []LeftOut   `json:"left_out,omitempty"`   // processors that auto chose and the run goes on without
	Isolated   *int64      `json:"isolated,omitempty"`   // vertices without edges; no processor owns them
}

// LeftOut is a processor that auto chose and that fails, or with which searches take longer.
type LeftOut struct {
	Name   string `json:"name"`   // "opencl:0"
	Reason string `json:"reason"` // in words
}

// Processor is one processor of a run and its part of the graph.
type Processor struct {
	Name        string  `json:"name"`              // as named by the user: "cpu:1", "opencl:0"
	Kind        string  `json:"kind"`              // "cpu", "opencl" or "cuda"
	Device      string  `json:"device,omitempty"`  // model name of the device
	Threads     int     `json:"threads,omitempty"` // of a CPU
	Vertices    int64   `json:"vertices"`          // vertices it owns
	Edges       int64   `json:"edges"`             // adjacency entries it holds
	Bytes       int64   `json:"bytes"`             // memory of its partition
	VertexShare float64 `json:"vertex_share"`      // its part of the vertices that have edges, 0 to 1
	EdgeShare   float64 `json:"edge_share"`        // its part of all adjacency entries, 0 to 1
	CutShare    float64 `json:"cut_share"`         // the part of its entries that lead to another partition, 0 to 1
	// Memory of the partition, on the device and for it in host memory, once the graph is loaded; absent
	// for a CPU
	Arrays []Array `json:"arrays,omitempty"`
	// Launches of each kernel, by name, since the graph was loaded; warm-up and counting searches
	// included; absent for a CPU
	Launches map[string]int64 `json:"launches,omitempty"`
	// Commands of a search on a device, absent for a CPU and before the first search
	Commands *Commands `json:"commands,omitempty"`
}

// Commands is what one search asks of a device: the mean over all since the graph was loaded.
type Commands struct {
	Launches      float64 `json:"launches"`       // kernels
	Fills         float64 `json:"fills"`          // of device memory
	Uploads       float64 `json:"uploads"`        // copies to the device
	Downloads     float64 `json:"downloads"`      // copies to the host
	Waits         float64 `json:"waits"`          // of the host for a queue or an event
	FillBytes     float64 `json:"fill_bytes"`     // of fills
	UploadBytes   float64 `json:"upload_bytes"`   // of uploads
	DownloadBytes float64 `json:"download_bytes"` // of downloads
	// Time of each kernel in a search that waits for each, from launch to end: an empty kernel that is waited for is
	// part of each launch. Absent without such a search
	Kernels []KernelProfile `json:"kernels,omitempty"`
}

// KernelProfile is one kernel of a search on a device.
type KernelProfile struct {
	Kernel   string  `json:"kernel"`   // "superstep"
	Launches float64 `json:"launches"` // in a search
	TimeS    float64 `json:"time_s"`   // in a search
	// Bytes that its kind of accesses touches at least in a search, by the counts of the levels: see docs/gpu.md;
	// absent if unknown
	LeastBytes *float64 `json:"least_bytes,omitempty"`
}

// Where an array lies.
const (
	OnDevice = "device"
	OnHost   = "host"
)

// HostCopy is the name of the copy that the host keeps of a device's subgraph.
const HostCopy = "host_copy"

// Array is one array of a processor on a device.
type Array struct {
	// Graph: "offsets", "neighbours", "first_neighbours" ("out_offsets", "in_offsets", … if directed).
	// Search: "seen", "frontier", "next", "parents", "vertex_ids", "finders", "lists", "inbox",
	// "outbox", "counters", "staging". "host_copy": the host's copy of the subgraph, smaller once
	// released.
	Name string `json:"name"`
	// "device" or "host"; an array in both has two records
	Location string `json:"location"`
	Bytes    int64  `json:"bytes"` // size of the array
}

// Level is one superstep or one call of a program's operator, or the mean of several supersteps of the same number and
// direction.
type Level struct {
	Level int `json:"level"` // from 0; 0 of a search is the step that expands the root
	// Of a search "top-down" or "bottom-up"; of a program "push" or "pull" (the way of an edge operator), "vertex"
	// or "local" (the kind of another operator)
	Direction string `json:"direction"`
	Operator  string `json:"operator,omitempty"` // name of the program's operator; absent in a search
	// Searches that ran the level in this direction; absent in a run of one search
	Searches int     `json:"searches,omitempty"`
	Frontier float64 `json:"frontier"` // vertices that the step starts from
	// Out-arcs of these vertices; absent if the director needs no count or may have got a bound instead ("auto": a
	// processor's count of at most a 64th of all ranks, or a large one); of a mean if absent in one of its levels
	FrontierArcs  *float64 `json:"frontier_arcs,omitempty"`
	EdgesExamined *float64 `json:"edges_examined,omitempty"` // adjacency entries read; absent if not counted
	// Most entries of one row that one lane of a device read, one after the other, in any search; absent if not
	// counted, and without a device
	LongestTurns *float64         `json:"longest_turns,omitempty"`
	TimeS        float64          `json:"time_s"`     // wall time
	Processors   []ProcessorLevel `json:"processors"` // in the order of the run's processors
}

// ProcessorLevel is one processor's part of a level. ComputeS, PushS, PullS and IdleS are
// disjoint and add up to the level's time. Levels that ran in one call share its time
// evenly; their frontiers and edges are their own.
type ProcessorLevel struct {
	ComputeS float64 `json:"compute_s"` // running kernels
	// Sending and merging claims, including waits for their transfers
	PushS float64 `json:"push_s"`
	// Exchanging frontier slices, including waits for their transfers
	PullS         float64 `json:"pull_s"`
	IdleS         float64 `json:"idle_s"`         // waiting for other processors
	BytesSent     float64 `json:"bytes_sent"`     // messages to other processors
	BytesReceived float64 `json:"bytes_received"` // messages from other processors
	// Name of the kernel: "direct-scatter/avx512", "words/avx2", "thread", "blocks" (of vertex operators); absent
	// if the processor had no work at this level, and for local operators
	Kernel string `json:"kernel,omitempty"`
}

// Add adds the frontier, its arcs, the edges examined, the times and the bytes of one search's
// level: the sums of levels are a level. A kernel is the first that is named. FrontierArcs becomes
// absent if it is in m: a sum begins with a pointer to 0.
func (l *Level) Add(m Level) {
	l.TimeS += m.TimeS
	l.Frontier += m.Frontier
	if m.FrontierArcs == nil {
		l.FrontierArcs = nil
	} else if l.FrontierArcs != nil {
		*l.FrontierArcs += *m.FrontierArcs
	}
	if m.EdgesExamined != nil {
		l.EdgesExamined = cmp.Or(l.EdgesExamined, new(float64))
		*l.EdgesExamined += *m.EdgesExamined
	}
	if m.LongestTurns != nil {
		l.LongestTurns = cmp.Or(l.LongestTurns, new(float64))
		*l.LongestTurns = max(*l.LongestTurns, *m.LongestTurns)
	}
	for i, p := range m.Processors {
		if i == len(l.Processors) {
			l.Processors = append(l.Processors, ProcessorLevel{})
		}
		l.Processors[i].Add(p)
	}
}

// Add adds the times and bytes of q. The kernel is the first that is named.
func (p *ProcessorLevel) Add(q ProcessorLevel) {
	sums := p.Sums()
	for i, x := range q.Sums() {
		*sums[i] += *x
	}
	p.Kernel = cmp.Or(p.Kernel, q.Kernel)
}

// Sums returns pointers to the times and bytes.
func (p *ProcessorLevel) Sums() [6]*float64 {
	return [...]*float64{&p.ComputeS, &p.PushS, &p.PullS, &p.IdleS, &p.BytesSent, &p.BytesReceived}
}

// Search is one BFS, or one search of kernel 3 of Graph500.
type Search struct {
	Root uint64 `json:"root"` // vertex id
	// From before the root is visited until the parents, and of kernel 3 the distances, are in memory as vertex ids: in
	// host memory, or, on devices alone, those of a BFS in device memory in rank order
	TimeS float64 `json:"time_s"`
	// Copying the parents from device memory to host memory, by vertex id; not part of time_s; absent
	// unless the run is on devices alone
	CopyS *float64 `json:"copy_s,omitempty"`
	// Records in the reached component without self-loops, as reference code 3.0 counts
	NEdge     int64 `json:"nedge"`
	NEdgeSpec int64 `json:"nedge_spec"` // the same with self-loops, as the specification counts
	Reached   int64 `json:"reached"`    // vertices, including the root
	Depth     int64 `json:"depth"`      // largest level in the tree
}
