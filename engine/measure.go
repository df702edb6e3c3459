package engine

import (
	"context"
	"fmt"

	"github.com/totemgo/totemgo/kernels/gpu"
)

// Measure measures the device of p, which is open and should be idle. It returns ErrNoDevice for another.
func (d *Devices) Measure(ctx context.Context, p Processor, o gpu.MeasureOptions) (gpu.Measured, DeviceInfo, error) {
	open := d.open[p.String()]
	if open == nil {
		return gpu.Measured{}, DeviceInfo{}, fmt.Errorf("%w: %s is not among the devices that were opened", ErrNoDevice, p)
	}
	m, err := open.program.Measure(ctx, o)
	return m, open.dev.Info(), err
}
