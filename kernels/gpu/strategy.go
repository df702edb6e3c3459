package gpu

// Borders between the top-down strategies.
const (
	// threadDegree is the largest degree of a frontier that one lane a vertex serves:
	// more would keep the other lanes of its warp waiting.
	threadDegree = 16
	// warpSkew is how far the largest degree may exceed the mean before virtual warps
	// wait for their longest row.
	warpSkew = 32
	// groupFrontier is the number of vertices up to which a work-group each pays.
	groupFrontier = 64
	// groupDegree is the mean degree from which it does.
	groupDegree = 256
)

// frontierShape is what the choice of a strategy reads.
type frontierShape struct{ vertices, arcs, largest int64 }

// pick chooses the top-down strategy for a frontier.
func (f frontierShape) pick() Strategy {
	switch mean := f.arcs / max(1, f.vertices); {
	case f.largest <= threadDegree:
		return Thread
	case f.vertices <= groupFrontier && mean >= groupDegree:
		return Group
	case f.largest <= warpSkew*max(1, mean):
		return Warp
	default:
		return Edge
	}
}

// lanes is the size of a virtual warp for a frontier: the mean degree rounded up to a
// power of two, 4 to 32.
func (f frontierShape) lanes() uint32 {
	mean := f.arcs / max(1, f.vertices)
	lanes := uint32(4)
	for int64(lanes) < mean && lanes < 32 {
		lanes *= 2
	}
	return lanes
}
