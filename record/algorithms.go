package record

import (
	"bytes"
	"encoding/json"
)

// Run is the common part of the documents of algorithms, but for BFS: one run on one graph.
type Run struct {
	Head
	Setup
	Vertices int64   `json:"vertices"`         // of the graph
	TimeS    float64 `json:"time_s"`           // of the algorithm: not of reading, placing and writing
	Levels   []Level `json:"levels,omitempty"` // one per call of an operator; absent unless requested
	Top      []Row   `json:"top,omitempty"`    // the first rows by rank, best first, fields named as the columns of -o; absent unless requested
}

// SetRun sets what the documents of all algorithms have.
func (r *Run) SetRun(x Run) { *r = x }

// Row is a row of a table: a number (json.Number) or the name of a vertex (string) by the name of its column.
type Row map[string]any

// UnmarshalJSON implements json.Unmarshaler: numbers keep all digits.
func (r *Row) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode((*map[string]any)(r))
}

// SSSP is the document of "totemgo sssp".
type SSSP struct {
	Run
	Root            uint64   `json:"root"`                // vertex id; of a graph of names the place of its name
	RootName        string   `json:"root_name,omitempty"` // name of the root, if ids are names
	Reached         int64    `json:"reached"`             // vertices, including the root
	LargestDistance float64  `json:"largest_distance"`    // of a reached vertex
	DistanceKind    string   `json:"distance_kind"`       // "int64", "float32" or "float64", by the weights
	Delta           *float64 `json:"delta,omitempty"`     // width of the buckets of distances; absent if there were none
}

// Components is the document of "totemgo cc".
type Components struct {
	Run
	Strong     bool  `json:"strong"`     // strongly connected components; else weakly connected ones
	Components int64 `json:"components"` // their number; a vertex without edges is one
	Largest    int64 `json:"largest"`    // vertices of the largest component
}

// PageRank is the document of "totemgo pagerank".
type PageRank struct {
	Run
	Method     string  `json:"method"`     // "pull" or "delta"
	Dangling   string  `json:"dangling"`   // "spread" or "drop": the score of vertices without out-arcs
	Damping    float64 `json:"damping"`    // probability to follow an arc
	Tolerance  float64 `json:"tolerance"`  // change at which the iteration ends; 0 runs all iterations
	Iterations int     `json:"iterations"` // iterations run
	Change     float64 `json:"change"`     // of scores in the last iteration, summed up (L1)
	Converged  bool    `json:"converged"`  // Change is below Tolerance
}

// Reach is the document of "totemgo reach".
type Reach struct {
	Run
	Roots     []uint64 `json:"roots"`                // vertex ids; of a graph of names the places of their names
	RootNames []string `json:"root_names,omitempty"` // names of the roots, if ids are names
	Reached   int64    `json:"reached"`              // vertices, including the roots
	Depth     int64    `json:"depth"`                // largest distance of one of them to its nearest root
}

// Triangles is the document of "totemgo triangles".
type Triangles struct {
	Run
	Triangles         int64   `json:"triangles"`          // three vertices, all joined by edges
	Wedges            int64   `json:"wedges"`             // pairs of edges with a common vertex
	Transitivity      float64 `json:"transitivity"`       // 3 × triangles ÷ wedges; 0 without wedges
	AverageClustering float64 `json:"average_clustering"` // mean of the local clustering coefficients of all vertices
}

// KCore is the document of "totemgo kcore".
type KCore struct {
	Run
	Degeneracy int64 `json:"degeneracy"` // largest core number
	Innermost  int64 `json:"innermost"`  // vertices that have it
}

// CDLP is the document of "totemgo cdlp".
type CDLP struct {
	Run
	Communities int64 `json:"communities"` // distinct labels
	Largest     int64 `json:"largest"`     // vertices of the largest community
	Iterations  int   `json:"iterations"`  // iterations run
	Changed     int64 `json:"changed"`     // labels that the last iteration changed
}

// Path is the document of "totemgo path".
type Path struct {
	Run
	From      uint64   `json:"from"`                 // vertex id
	To        uint64   `json:"to"`                   // vertex id
	Arcs      *int64   `json:"arcs,omitempty"`       // of the path; absent without one
	Length    *float64 `json:"length,omitempty"`     // sum of its weights; absent unless requested
	Path      []uint64 `json:"path,omitempty"`       // its vertices, both ends included; absent without one
	FromName  string   `json:"from_name,omitempty"`  // name of From, if ids are names
	ToName    string   `json:"to_name,omitempty"`    // name of To, if ids are names
	PathNames []string `json:"path_names,omitempty"` // names of the vertices of Path, if ids are names
}

// Betweenness is the document of "totemgo bc".
type Betweenness struct {
	Run
	Searches   int64   `json:"searches"`          // roots searched from: others have a closed form
	Samples    int64   `json:"samples,omitempty"` // sources asked for; absent for all
	Normalized bool    `json:"normalized"`        // divided by the number of pairs of other vertices
	Ordered    bool    `json:"ordered"`           // pairs of an undirected graph count twice
	Sum        float64 `json:"sum"`               // of all scores
	Largest    float64 `json:"largest"`           // score
	PredictedS float64 `json:"predicted_s"`       // time of the searches, as predicted once 2% of them, four batches a thread and 50 ms were done
	// Most memory of the host that was predicted, that of the graph as read left out
	PredictedBytes int64 `json:"predicted_bytes"`
}

// Closeness is the document of "totemgo closeness".
type Closeness struct {
	Run
	Roots           int64   `json:"roots"`            // vertices whose distances to others were summed up
	Outward         bool    `json:"outward"`          // distances from a vertex to the roots; else those to it
	PerComponent    bool    `json:"per_component"`    // closeness among the vertices that reach a vertex
	Pairs           int64   `json:"pairs"`            // of a root and another vertex that it reaches
	Average         float64 `json:"average"`          // mean distance of the pairs
	LargestDistance int64   `json:"largest_distance"` // of a pair
	Hops            []int64 `json:"hops"`             // pairs by distance; at 0 each root with itself
	PredictedS      float64 `json:"predicted_s"`      // time, as predicted once 2% of the roots, four batches a thread and 50 ms were done
	// Most memory of the host that was predicted, that of the graph as read left out
	PredictedBytes int64 `json:"predicted_bytes"`
}

// Diameter is the document of "totemgo diameter".
type Diameter struct {
	Run
	Diameter          int64  `json:"diameter"`            // largest distance in the largest weak component
	From              uint64 `json:"from"`                // vertex id: one end of a path of that length
	To                uint64 `json:"to"`                  // vertex id: the other end
	ComponentVertices int64  `json:"component_vertices"`  // vertices of that component
	Searches          int64  `json:"searches"`            // roots that distances were measured from
	FromName          string `json:"from_name,omitempty"` // name of From, if ids are names
	ToName            string `json:"to_name,omitempty"`   // name of To, if ids are names
	// Most memory of the host that was predicted, that of the graph as read left out
	PredictedBytes int64 `json:"predicted_bytes"`
}
