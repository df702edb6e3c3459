package engine

import (
	"fmt"
	"math"
)

// Speeds relative to one CPU thread, for default shares. The host's CPU as a device counts
// its compute units. GPUs count by memory bandwidth, which bounds BFS, relative to that of
// one thread: speedIntegrated in the host's memory; a discrete GPU by its driver's figure,
// speedDiscrete without one.
const (
	threadBandwidth = 25e9 // bytes a second
	speedIntegrated = 3
	speedDiscrete   = 24
)

// tableSpeed is the speed of p by its kind, relative to one CPU thread.
func (d *Devices) tableSpeed(p Processor) float64 {
	info, ok := d.info(p)
	switch {
	case p.Kind == CPU:
		return float64(max(1, p.Threads))
	case !ok:
		return speedDiscrete
	case info.HostCPU:
		return float64(max(1, info.ComputeUnits))
	case info.Unified:
		return speedIntegrated
	case info.Bandwidth > 0:
		return float64(info.Bandwidth) / threadBandwidth
	}
	return speedDiscrete
}

// speed is the measured speed of p in edges a second, 0 without one. That of a CPU is
// proportional to its threads.
func (o *Options) speed(p Processor) (float64, error) {
	name := p.String()
	if p.Kind == CPU {
		name = p.Kind.String()
	}
	for _, s := range o.Speeds {
		if s.Processor != name {
			continue
		}
		if !(s.EdgesPerS > 0) || math.IsInf(s.EdgesPerS, 0) || s.Threads < 0 {
			return 0, fmt.Errorf("the speed of %s is %v edges a second on %d threads", s.Processor, s.EdgesPerS, s.Threads)
		}
		if p.Kind == CPU {
			return s.EdgesPerS / float64(max(1, s.Threads)) * float64(max(1, p.Threads)), nil
		}
		return s.EdgesPerS, nil
	}
	return 0, nil
}

// rate is the speed of p relative to the other processors: measured, else tableSpeed, scaled
// to the measured ones.
func (d *Devices) rate(p Processor, o *Options) float64 {
	if speed, err := o.speed(p); err == nil && speed > 0 {
		return speed
	}
	given, table := 0.0, 0.0
	for _, q := range o.Processors {
		if speed, err := o.speed(q); err == nil && speed > 0 {
			given += speed
			table += d.tableSpeed(q)
		}
	}
	if given == 0 {
		return d.tableSpeed(p)
	}
	return d.tableSpeed(p) * given / table
}
