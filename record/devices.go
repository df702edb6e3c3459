package record

// SchemaDevices is the schema of Devices.
const SchemaDevices = "totemgo.devices/1"

// Devices is the document of "devices": what --processors can name beside the CPU,
// which stands in Head.Machine.
type Devices struct {
	Head
	Devices []Device `json:"devices"`
	// Note says why there is no device.
	Note string `json:"note,omitempty"`
}

// Device is one compute device, as its driver describes it.
type Device struct {
	Name                   string `json:"name"` // "opencl:0"
	Kind                   string `json:"kind"` // "opencl" or "cuda"
	Model                  string `json:"model"`
	Vendor                 string `json:"vendor,omitempty"`
	Platform               string `json:"platform,omitempty"`
	Version                string `json:"version,omitempty"`
	Driver                 string `json:"driver,omitempty"`
	MemoryBytes            int64  `json:"memory_bytes"`
	LargestAllocationBytes int64  `json:"largest_allocation_bytes"`
	ComputeUnits           int    `json:"compute_units"`
	HostCPU                bool   `json:"host_cpu"` // the device is the host's own CPU
	InPlace                bool   `json:"in_place"` // it reads the host's memory in place
}
