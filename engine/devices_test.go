package engine

import (
	"fmt"
	"testing"
)

func TestChoose(t *testing.T) {
	const gib = 1 << 30
	pocl := DeviceInfo{Name: "opencl:0", Kind: "opencl", Memory: 64 * gib, HostCPU: true}
	small := DeviceInfo{Name: "opencl:1", Kind: "opencl", Memory: gib}
	large := DeviceInfo{Name: "opencl:2", Kind: "opencl", Memory: 80 * gib}
	shared := DeviceInfo{Name: "opencl:3", Kind: "opencl", Memory: 80 * gib, Unified: true}
	for _, c := range []struct {
		devices []DeviceInfo
		edges   int64
		want    string
	}{
		{nil, 1 << 20, "[cpu]"},
		{[]DeviceInfo{pocl}, 1 << 20, "[cpu]"},
		{[]DeviceInfo{pocl, small}, 1 << 20, "[opencl:1]"},
		{[]DeviceInfo{pocl, small}, 1 << 30, "[cpu opencl:1]"},
		{[]DeviceInfo{small, large}, 1 << 30, "[opencl:2]"},
		{[]DeviceInfo{small, large}, 1 << 36, "[cpu opencl:1 opencl:2]"},
		{[]DeviceInfo{shared}, 1 << 20, "[cpu opencl:3]"},
	} {
		if got := fmt.Sprint(choose(c.devices, 1<<16, c.edges, false)); got != c.want {
			t.Errorf("%d edges on %d devices: %s, want %s", c.edges, len(c.devices), got, c.want)
		}
	}
}
