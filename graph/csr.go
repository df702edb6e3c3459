package graph

// CSR is a built graph: rows of arcs by source vertex, 64-bit offsets, 32-bit ids.
// It is immutable once built and safe for concurrent use. An undirected graph holds
// both arcs of every edge, a self-loop once.
type CSR struct {
	n        int
	directed bool
	edges    int64 // records, as the file counts them
	loops    int64 // records that are self-loops
	offsets  []uint64
	targets  []uint32
	weights  Weights
	labels   *Labels
	release  func()
}

// Release frees the rows; the graph must not be used afterwards.
func (g *CSR) Release() {
	if g.release != nil {
		g.release()
		g.release = nil
	}
}
