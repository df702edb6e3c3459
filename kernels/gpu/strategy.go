package gpu

// Borders between the top-down strategies.
const (
	// threadDegree is the largest degree for one lane a vertex: beyond it the other lanes
	// of the warp wait.
	threadDegree = 16
	// warpSkew bounds largest ÷ mean degree for virtual warps: beyond it they wait for the
	// longest row.
	warpSkew = 32
	// groupFrontier is the most vertices for a work-group each.
	groupFrontier = 64
	// groupDegree is the least mean degree for a work-group each.
	groupDegree = 256
)

// frontierShape is the input of pick: numbers of vertices and out-arcs, largest out-degree.
type frontierShape struct{ vertices, arcs, largest int64 }

// pick chooses the top-down strategy of a frontier.
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
