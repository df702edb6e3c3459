package gpu

import (
	"fmt"
	"slices"
)

// Options of a processor. The zero value is the default.
type Options struct {
	// TopDown is the load balancing of top-down steps; Auto chooses by the degrees of each
	// frontier.
	TopDown Strategy
	// BottomUp is Auto or List (first neighbours, then a list of unvisited vertices), or
	// Word (Totem's: one lane per 32 vertices).
	BottomUp Strategy
	// Graph is the memory that holds the adjacency.
	Graph GraphPlacement
	// Memory bounds, for Split, the bytes in device memory; 0 is no bound.
	Memory int64
	// Threads is the most threads of the host that store results; 0 is GOMAXPROCS.
	Threads int
}

// String lists the strategies, and the graph's placement unless OnDevice.
func (o Options) String() string {
	text := fmt.Sprintf("top-down=%v,bottom-up=%v", o.TopDown, o.BottomUp)
	if o.Graph != OnDevice {
		text += fmt.Sprintf(",graph=%v", o.Graph)
	}
	return text
}

// Validate returns ErrOptions for a value out of range or of the other direction.
func (o Options) Validate() error {
	if o.TopDown > Edge {
		return fmt.Errorf("%w: %v is no strategy of top-down steps", ErrOptions, o.TopDown)
	}
	if o.BottomUp != Auto && o.BottomUp < List {
		return fmt.Errorf("%w: %v is no strategy of bottom-up steps", ErrOptions, o.BottomUp)
	}
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

// Strategy assigns the work of a step to lanes.
type Strategy uint8

// The strategies; each is a kernel file of package src.
const (
	Auto   Strategy = iota
	Thread          // top-down: a lane per frontier vertex
	Warp            // top-down: a virtual warp per frontier vertex
	Group           // top-down: a work-group per frontier vertex
	Edge            // top-down: a lane per arc of the frontier
	List            // bottom-up: first neighbours, then virtual warps on a list
	Word            // bottom-up: a lane per word of 32 vertices
)

var strategyNames = [...]string{"auto", "thread", "warp", "group", "edge", "list", "word"}

func (s Strategy) String() string {
	if int(s) < len(strategyNames) {
		return strategyNames[s]
	}
	return fmt.Sprintf("Strategy(%d)", uint8(s))
}

// MarshalText implements encoding.TextMarshaler.
func (s Strategy) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText sets s to the strategy of a name as String gives it, or returns ErrOptions.
func (s *Strategy) UnmarshalText(name []byte) (err error) {
	*s, err = ParseStrategy(string(name))
	return err
}

// ParseStrategy returns the strategy of a name as String gives it, or ErrOptions.
func ParseStrategy(name string) (Strategy, error) {
	if i := slices.Index(strategyNames[:], name); i >= 0 {
		return Strategy(i), nil
	}
	return Auto, fmt.Errorf("%w: strategy %q is none of %v", ErrOptions, name, strategyNames)
}
