package graph

// Rows reads the arcs of one direction by rank. They must not be changed.
type Rows []Segment

// Segment is the rows of the ranks from First on.
type Segment struct {
	First, Vertices uint32
	*Adjacency
}

// Has reports whether a rank has a row there.
func (g *Segment) Has(rank uint32) bool { return rank-g.First < g.Vertices }

// Arcs is the number of arcs of all rows.
func (r Rows) Arcs() (n int64) {
	for i := range r {
		n += r[i].Adjacency.Arcs()
	}
	return n
}

// Segment returns the segment with the row of a rank, an empty one for padding.
func (r Rows) Segment(rank uint32) *Segment {
	for i := range r {
		if r[i].Has(rank) {
			return &r[i]
		}
	}
	return &Segment{}
}

// Of returns the ranks of a rank's neighbours, none for padding.
func (r Rows) Of(rank uint32) []uint32 {
	g := r.Segment(rank)
	if !g.Has(rank) {
		return nil
	}
	lo, hi := g.Row(rank - g.First)
	return g.Neighbours[lo:hi:hi]
}
