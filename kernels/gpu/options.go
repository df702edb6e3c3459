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
}

// String lists the strategies.
func (o Options) String() string {
	return fmt.Sprintf("top-down=%v,bottom-up=%v", o.TopDown, o.BottomUp)
}

// Validate reports a strategy that does not belong where it stands.
func (o Options) Validate() error {
	if o.TopDown > Edge {
		return fmt.Errorf("%w: %v is no strategy of top-down steps", ErrOptions, o.TopDown)
	}
	if o.BottomUp != Auto && o.BottomUp < List {
		return fmt.Errorf("%w: %v is no strategy of bottom-up steps", ErrOptions, o.BottomUp)
	}
	return nil
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
