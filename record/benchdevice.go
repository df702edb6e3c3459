package record

// SchemaBenchDevice is the schema of BenchDevice.
const SchemaBenchDevice = "totemgo.bench-device/1"

// BenchDevice is the document of "totemgo bench device": what a device's memory, bus and commands allow, by the host's
// clock.
type BenchDevice struct {
	Head
	Device    *Device          `json:"device,omitempty"`    // as "totemgo devices" describes it; absent, as all measured figures, where predictions alone were asked for
	Accesses  []DeviceAccess   `json:"accesses,omitempty"`  // by the size of the working set
	Transfers []DeviceTransfer `json:"transfers,omitempty"` // by size
	LaunchS   float64          `json:"launch_s,omitempty"`  // a kernel without work, in a queue with many
	FillS     float64          `json:"fill_s,omitempty"`    // a fill of 4 bytes, in a queue with many
	WaitS     float64          `json:"wait_s,omitempty"`    // until the host goes on after an empty kernel, beyond launch_s
	ReadS     float64          `json:"read_s,omitempty"`    // a copy of 4 bytes to the host, in a queue with many
	Steps     *DeviceSteps     `json:"steps,omitempty"`     // of searches on the device alone
	Model     *DeviceModel     `json:"model,omitempty"`     // predicted and measured levels, if requested
}

// DeviceAccess is the throughput of a working set: copied in order, and accessed at random places, many in flight.
type DeviceAccess struct {
	WorkingSetBytes int64   `json:"working_set_bytes"` // memory that is accessed
	CopyBytesPerS   float64 `json:"copy_bytes_per_s"`  // bytes read and written
	ReadsPerS       float64 `json:"reads_per_s"`       // 4-byte reads
	AtomicsPerS     float64 `json:"atomics_per_s"`     // 4-byte atomics with result
}

// DeviceTransfer is the throughput of transfers of one size.
type DeviceTransfer struct {
	TransferBytes     int64   `json:"transfer_bytes"`        // of each
	ToDeviceBytesPerS float64 `json:"to_device_bytes_per_s"` // host to device
	ToHostBytesPerS   float64 `json:"to_host_bytes_per_s"`   // device to host
}

// DeviceSteps is what supersteps on the device alone take, on a graph in cache.
type DeviceSteps struct {
	PushS     float64 `json:"push_s"`      // one without work, its launch included: top-down
	PullS     float64 `json:"pull_s"`      // bottom-up
	ThinS     float64 `json:"thin_s"`      // a level of kernel thin without work, without the launch
	ArcS      float64 `json:"arc_s"`       // a top-down arc to a visited vertex
	FindS     float64 `json:"find_s"`      // a vertex that a top-down superstep finds and lists
	ThinFindS float64 `json:"thin_find_s"` // a vertex that thin finds
	RowS      float64 `json:"row_s"`       // a row of the first bottom-up superstep of a phase
	ScanS     float64 `json:"scan_s"`      // a vertex that a bottom-up superstep scans without a hit
	MeetS     float64 `json:"meet_s"`      // a vertex that a bottom-up superstep finds and does not list
}

// DeviceModel compares the cost model of docs/gpu.md with searches of a graph on the device alone.
type DeviceModel struct {
	Graph  string            `json:"graph"`            // as given
	Levels []DeviceLevel     `json:"levels,omitempty"` // one for each level number and direction; means over the searches that ran it
	Time   *DevicePrediction `json:"time,omitempty"`   // of the levels of a search, one a call, mean
	Search *DevicePrediction `json:"search,omitempty"` // of a whole search, mean
	Cards  []DeviceModelCard `json:"cards"`            // the same searches on cards of assumed constants
}

// DeviceLevel is one level of the model.
type DeviceLevel struct {
	Level     int    `json:"level"`     // from 0
	Direction string `json:"direction"` // "top-down" or "bottom-up"
	Searches  int    `json:"searches"`  // that ran the level in this direction
	DevicePrediction
}

// DevicePrediction is a time and its prediction.
type DevicePrediction struct {
	MeasuredS  float64 `json:"measured_s"`  // least of five rounds
	PredictedS float64 `json:"predicted_s"` // from the device's constants
}

// DeviceModelCard is a prediction for a card of assumed constants.
type DeviceModelCard struct {
	Card          string  `json:"card"`             // "H100"
	CopyBytesPerS float64 `json:"copy_bytes_per_s"` // assumed
	ReadsPerS     float64 `json:"reads_per_s"`      // assumed, in a bitmap by vertex
	AtomicsPerS   float64 `json:"atomics_per_s"`    // assumed, in a bitmap by vertex
	LaunchS       float64 `json:"launch_s"`         // assumed
	WaitS         float64 `json:"wait_s"`           // assumed
	// By the size of the graph
	Sizes []DeviceModelSize `json:"sizes"`
}

// DeviceModelSize is a prediction for a graph of some times the size, all counts of its levels multiplied.
type DeviceModelSize struct {
	Times      int     `json:"times"`          // 1 for the graph as given
	PredictedS float64 `json:"predicted_s"`    // of a search, mean
	TEPS       float64 `json:"TEPS,omitempty"` // edges/s, harmonic mean; absent if no search traverses an edge
}
