package record

// SchemaDevices is the schema of Devices.
const SchemaDevices = "totemgo.devices/1"

// Devices is the document of "totemgo devices": the devices that a list of processors can name.
type Devices struct {
	Head
	Devices []Device `json:"devices"`        // in the order of their drivers
	Note    string   `json:"note,omitempty"` // why there is no device, or no GPU
}

// Device is one compute device, as its driver describes it.
type Device struct {
	Name                   string `json:"name"`                     // "opencl:0"
	Kind                   string `json:"kind"`                     // "opencl" or "cuda"
	Model                  string `json:"model"`                    // the device's own name
	Vendor                 string `json:"vendor,omitempty"`         // as the driver reports it
	Platform               string `json:"platform,omitempty"`       // OpenCL platform
	Version                string `json:"version,omitempty"`        // supported version of OpenCL or CUDA
	Driver                 string `json:"driver,omitempty"`         // version of the driver
	MemoryBytes            int64  `json:"memory_bytes"`             // device memory
	LargestAllocationBytes int64  `json:"largest_allocation_bytes"` // bound of one array
	ComputeUnits           int    `json:"compute_units"`            // as the driver counts them
	HostCPU                bool   `json:"host_cpu"`                 // the device is the host's CPU
	// Kernels can read host memory in place; a graph in host memory requires it
	InPlace bool `json:"in_place"`
}
