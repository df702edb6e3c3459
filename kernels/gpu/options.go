package gpu

import (
	"fmt"
	"slices"
)

// Options of a processor. The zero value is the default.
type Options struct {
	// Graph is the memory that holds the adjacency.
	Graph GraphPlacement
	// Memory bounds, for Split, the bytes in device memory; 0 is no bound.
	Memory int64
	// Threads is the most threads of the host that store results; 0 is GOMAXPROCS.
	Threads int
}

// String names the graph's placement.
func (o Options) String() string { return fmt.Sprintf("graph=%v", o.Graph) }

// Validate returns ErrOptions for a value out of range.
func (o Options) Validate() error {
	if o.Graph > Split {
		return fmt.Errorf("%w: %v is no place for a graph", ErrOptions, o.Graph)
	}
	if o.Memory < 0 {
		return fmt.Errorf("%w: %d bytes of memory", ErrOptions, o.Memory)
	}
	return nil
}

// GraphPlacement is the memory of a device's adjacency. OnHost and Split need a device that
// reads host memory in place (device.Info.InPlace).
type GraphPlacement uint8

// The placements.
const (
	OnDevice GraphPlacement = iota // device memory
	OnHost                         // host memory, read in place
	Split                          // the last rows in device memory while they fit, the others in host memory
)

var placementNames = [...]string{"device", "host", "split"}

func (w GraphPlacement) String() string {
	if int(w) < len(placementNames) {
		return placementNames[w]
	}
	return fmt.Sprintf("GraphPlacement(%d)", uint8(w))
}

// ParseGraphPlacement returns the placement of a name as String gives it, or ErrOptions.
func ParseGraphPlacement(name string) (GraphPlacement, error) {
	if i := slices.Index(placementNames[:], name); i >= 0 {
		return GraphPlacement(i), nil
	}
	return OnDevice, fmt.Errorf("%w: %q is none of %v, where a graph can lie", ErrOptions, name, placementNames)
}
