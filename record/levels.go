package record

// Direction names, as they stand in JSON.
const (
	TopDown  = "top-down"
	BottomUp = "bottom-up"
)

// Processor is one processor of a run and what the placement gave it.
type Processor struct {
	Name    string `json:"name"`             // as the user names it: "cpu:1", "opencl:0"
	Kind    string `json:"kind"`             // "cpu", "opencl" or "cuda"
	Device  string `json:"device,omitempty"` // the device's own name
	Threads int    `json:"threads,omitempty"`
	// Vertices counts its vertices, Edges the adjacency entries it holds.
	Vertices int64 `json:"vertices"`
	Edges    int64 `json:"edges"`
	Bytes    int64 `json:"bytes"`
	// VertexShare is its part of the vertices that have edges, EdgeShare of all
	// adjacency entries, CutShare the part of its own entries that lead to another
	// partition. Each lies in [0, 1], and is 0 where there is nothing to share.
	VertexShare float64 `json:"vertex_share"`
	EdgeShare   float64 `json:"edge_share"`
	CutShare    float64 `json:"cut_share"`
	// Arrays lists, for a device, where each array lies.
	Arrays []Array `json:"arrays,omitempty"`
	// Launches counts, for a device, how often each of its kernels was launched since
	// the graph was loaded, by name.
	Launches map[string]int64 `json:"launches,omitempty"`
}

// Where an array lies.
const (
	OnDevice = "device"
	OnHost   = "host"
)

// HostCopy is the name of the copy that the host keeps of a device's subgraph.
const HostCopy = "host_copy"

// Array is memory of a processor on a device.
type Array struct {
	Name     string `json:"name"`     // "neighbours", …
	Location string `json:"location"` // OnDevice or OnHost
	Bytes    int64  `json:"bytes"`
}

// Level is one superstep, or the mean of several of the same number and direction.
type Level struct {
	Level     int    `json:"level"`     // 0 is the step that expands the root
	Direction string `json:"direction"` // TopDown or BottomUp
	// Searches is the number of searches that took this level in this direction;
	// 0 where the record is of one search.
	Searches int `json:"searches,omitempty"`
	// Frontier is the number of vertices that the step starts from.
	Frontier float64 `json:"frontier"`
	// EdgesExamined is the number of adjacency entries read, where it was counted.
	EdgesExamined *float64         `json:"edges_examined,omitempty"`
	TimeS         float64          `json:"time_s"`
	Processors    []ProcessorLevel `json:"processors"`
}

// ProcessorLevel is one processor's part of a level. ComputeS, PushS, PullS and
// IdleS are disjoint and add up to the level's time.
type ProcessorLevel struct {
	ComputeS      float64 `json:"compute_s"`
	PushS         float64 `json:"push_s"`
	PullS         float64 `json:"pull_s"`
	IdleS         float64 `json:"idle_s"`
	BytesSent     float64 `json:"bytes_sent"`
	BytesReceived float64 `json:"bytes_received"`
	Kernel        string  `json:"kernel,omitempty"`
}

// Add adds the frontier, the edges examined, the times and the bytes of one search's
// level: the sums of levels are a level. A kernel is the first that is named.
func (l *Level) Add(m Level) {
	l.TimeS += m.TimeS
	l.Frontier += m.Frontier
	if m.EdgesExamined != nil {
		if l.EdgesExamined == nil {
			l.EdgesExamined = new(float64)
		}
		*l.EdgesExamined += *m.EdgesExamined
	}
	for i, p := range m.Processors {
		if i == len(l.Processors) {
			l.Processors = append(l.Processors, ProcessorLevel{})
		}
		q := &l.Processors[i]
		q.ComputeS += p.ComputeS
		q.PushS += p.PushS
		q.PullS += p.PullS
		q.IdleS += p.IdleS
		q.BytesSent += p.BytesSent
		q.BytesReceived += p.BytesReceived
		if q.Kernel == "" {
			q.Kernel = p.Kernel
		}
	}
}

// Search is one BFS.
type Search struct {
	Root  uint64   `json:"root"` // the file's id
	TimeS float64  `json:"time_s"`
	CopyS *float64 `json:"copy_s,omitempty"` // copy to the host, runs on devices alone
	// NEdge is the number of records in the reached component without self-loops,
	// NEdgeSpec with them.
	NEdge     int64 `json:"nedge"`
	NEdgeSpec int64 `json:"nedge_spec"`
	Reached   int64 `json:"reached"` // vertices, the root included
	Depth     int64 `json:"depth"`   // the largest level
}
