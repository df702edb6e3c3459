package record

// Schemas of the documents. A number rises when a field changes its meaning or
// goes away; new fields keep it.
const (
	SchemaGraph500    = "totemgo.graph500/1"
	SchemaBFS         = "totemgo.bfs/1"
	SchemaSSSP        = "totemgo.sssp/1"
	SchemaCC          = "totemgo.cc/1"
	SchemaPageRank    = "totemgo.pagerank/1"
	SchemaBetweenness = "totemgo.bc/1"
	SchemaCloseness   = "totemgo.closeness/1"
	SchemaDiameter    = "totemgo.diameter/1"
	SchemaReach       = "totemgo.reach/1"
	SchemaPath        = "totemgo.path/1"
	SchemaTriangles   = "totemgo.triangles/1"
	SchemaKCore       = "totemgo.kcore/1"
	SchemaCDLP        = "totemgo.cdlp/1"
	SchemaAllPairs    = "totemgo.apsp/1"
	SchemaBench       = "totemgo.bench/1"
	SchemaBenchPath   = "totemgo.bench-path/1"
	SchemaBenchAPSP   = "totemgo.bench-apsp/1"
	SchemaInfo        = "totemgo.info/1"
	SchemaCapacity    = "totemgo.capacity/1"
	SchemaPartition   = "totemgo.partition/1"
	SchemaValidate    = "totemgo.validate/1"
	SchemaGenerate    = "totemgo.generate/1"
	SchemaConvert     = "totemgo.convert/1"
	SchemaVersion     = "totemgo.version/1"
)

// Head is the common part of most documents. The command fills it in.
type Head struct {
	Schema       string   `json:"schema"`                   // the document's schema
	Command      string   `json:"command,omitempty"`        // the command line, as typed
	Version      string   `json:"version,omitempty"`        // of totemgo
	Machine      *Machine `json:"machine,omitempty"`        // where the command ran
	PeakRSSBytes int64    `json:"peak_rss_bytes,omitempty"` // largest resident memory of the process so far
}

// SetHead sets the head of a document.
func (h *Head) SetHead(x Head) { *h = x }

// Machine is the computer and its operating system.
type Machine struct {
	CPU   string `json:"cpu,omitempty"` // model name
	Cores int    `json:"cores"`         // logical processors that the process may use
	// Installed memory, or the smallest limit of its control groups (version 1 or 2); absent if unknown
	MemoryBytes int64    `json:"memory_bytes,omitempty"`
	Features    []string `json:"features,omitempty"` // instruction sets that kernels can use
	OS          string   `json:"os"`                 // system and architecture: "linux/amd64"
}

// Version is the document of "totemgo version".
type Version struct {
	Head
	Go string `json:"go"` // Go release that built the command
}
