package engine

import (
	"fmt"
	"math"
)

// Speeds of processors relative to one CPU thread, for default shares where no others
// are given. A device that is the host's own CPU counts its compute units as threads.
// The figures for GPUs are ratios of memory bandwidth, which bounds BFS, to that of one
// thread: an integrated GPU shares the host's memory; a discrete one counts by what its
// driver says, or as the slowest of today's where it says nothing.
const (
	threadBandwidth = 25e9 // bytes a second
	speedIntegrated = 3
	speedDiscrete   = 24
)

// tableSpeed is the speed of a processor by its kind, relative to one CPU thread.
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

// speed is a processor's from Speeds, 0 where none is given: a CPU's grows with its
// threads.
func (o *Options) speed(p Processor) (float64, error) {
	for _, s := range o.Speeds {
		same := s.Processor == p.String()
		if p.Kind == CPU {
			same = s.Processor == p.Kind.String()
		}
		if !same {
			continue
		}
		if !(s.EdgesPerS > 0) || math.IsInf(s.EdgesPerS, 0) || s.Threads < 0 {
			return 0, fmt.Errorf("%w: the speed of %s is %v edges a second on %d threads", ErrOptions, s.Processor, s.EdgesPerS, s.Threads)
		}
		if p.Kind == CPU {
			return s.EdgesPerS / float64(max(1, s.Threads)) * float64(max(1, p.Threads)), nil
		}
		return s.EdgesPerS, nil
	}
	return 0, nil
}

// rate is a processor's speed relative to the others': a given one, else that of the
// table, in the unit of those that are given.
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
