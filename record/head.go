package record

// Schemas of the documents. A number rises when a field changes its meaning or
// goes away; new fields keep it.
const (
	SchemaGraph500  = "totemgo.graph500/1"
	SchemaBFS       = "totemgo.bfs/1"
	SchemaBench     = "totemgo.bench/1"
	SchemaInfo      = "totemgo.info/1"
	SchemaPartition = "totemgo.partition/1"
	SchemaValidate  = "totemgo.validate/1"
	SchemaGenerate  = "totemgo.generate/1"
	SchemaConvert   = "totemgo.convert/1"
	SchemaVersion   = "totemgo.version/1"
)

// Head is the common part of every document. The command fills it in.
type Head struct {
	Schema  string `json:"schema"`            // one of the constants above
	Command string `json:"command,omitempty"` // the command line, as typed
	Version string `json:"version,omitempty"` // of totemgo
	// Machine is where the command ran.
	Machine *Machine `json:"machine,omitempty"`
	// PeakRSSBytes is the largest resident memory of the process so far, as the
	// operating system counts it.
	PeakRSSBytes int64 `json:"peak_rss_bytes,omitempty"`
}

// Machine is the computer and its operating system.
type Machine struct {
	CPU         string   `json:"cpu,omitempty"`          // the maker's name of the model
	Cores       int      `json:"cores"`                  // logical processors the process may use
	MemoryBytes int64    `json:"memory_bytes,omitempty"` // installed, or the control group's limit if smaller
	Features    []string `json:"features,omitempty"`     // instruction sets that kernels can use
	OS          string   `json:"os"`                     // system/architecture, "linux/amd64"
}

// Version is the document of "version".
type Version struct {
	Head
	Go string `json:"go"` // the Go release that built the command
}
