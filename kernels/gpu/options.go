package gpu

import "fmt"

// Options of a processor. The zero value is the default.
type Options struct {
	// TopDown is the load balancing of top-down steps; Auto picks by the degrees of
	// each frontier.
	TopDown Strategy
	// BottomUp is Auto or List (first neighbours, then a list of the unsettled), or
	// Word (Totem's: one lane 32 vertices).
	BottomUp Strategy
	// Graph is where the adjacency lies.
	Graph Where
	// Memory bounds, for Split, what lies on the device, in bytes; 0 is no bound.
	Memory int64
}

// String lists the strategies, and where the graph lies unless that is the device.
func (o Options) String() string {
	text := fmt.Sprintf("top-down=%v,bottom-up=%v", o.TopDown, o.BottomUp)
	if o.Graph != OnDevice {
		text += fmt.Sprintf(",graph=%v", o.Graph)
	}
	return text
}

// Validate reports a value that is none, or does not belong where it stands.
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

// Where says where a device's adjacency lies. OnHost and Split need a device that
// reads the host's memory in place (device.Info.InPlace).
type Where uint8

// The places.
const (
	OnDevice Where = iota // in the device's memory
	OnHost                // in the host's, read in place
	Split                 // rows in the device's memory while they fit, the others in the host's
)

var whereNames = [...]string{"device", "host", "split"}

func (w Where) String() string {
	if int(w) < len(whereNames) {
		return whereNames[w]
	}
	return fmt.Sprintf("Where(%d)", uint8(w))
}

// ParseWhere returns the place of a name as String gives it.
func ParseWhere(name string) (Where, error) {
	for i, n := range whereNames {
		if n == name {
			return Where(i), nil
		}
	}
	return OnDevice, fmt.Errorf("%w: %q is none of %v, where a graph can lie", ErrOptions, name, whereNames)
}

// Strategy is a way to share the work of a step among the lanes of a device.
type Strategy uint8

// The strategies; each is a kernel file of package src.
const (
	Auto   Strategy = iota
	Thread          // top-down: one lane a frontier vertex
	Warp            // top-down: one virtual warp a frontier vertex
	Group           // top-down: one work-group a frontier vertex
	Edge            // top-down: one lane an arc of the frontier
	List            // bottom-up: first neighbours, then virtual warps on a list
	Word            // bottom-up: one lane a word of 32 vertices
)

var strategyNames = [...]string{"auto", "thread", "warp", "group", "edge", "list", "word"}

func (s Strategy) String() string {
	if int(s) < len(strategyNames) {
		return strategyNames[s]
	}
	return fmt.Sprintf("Strategy(%d)", uint8(s))
}

// ParseStrategy returns the strategy of a name as String gives it.
func ParseStrategy(name string) (Strategy, error) {
	for i, n := range strategyNames {
		if n == name {
			return Strategy(i), nil
		}
	}
	return Auto, fmt.Errorf("%w: strategy %q is none of %v", ErrOptions, name, strategyNames)
}
