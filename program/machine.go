package program

// Way is how a step traverses arcs.
type Way uint8

// The two ways.
const (
	// Push goes from the step's sources along their arcs.
	Push Way = iota
	// Pull goes from the possible targets back along their arcs.
	Pull
)

func (w Way) String() string {
	if w == Push {
		return "push"
	}
	return "pull"
}

// Set names a set of vertices of a run: Default, All, or one stored by Keep, from 1 on.
type Set int

// Sets that need no Keep.
const (
	// Default is the frontier as Step.From and in VertexMap; as Step.Over it is every vertex,
	// or every unvisited one of an operator with Once.
	Default Set = 0
	// All is every vertex.
	All Set = -1
)

// MaxSets is the largest number of a set.
const MaxSets = 1 << 20

// Step is one call of EdgeMap.
type Step struct {
	Way  Way
	From Set // the sources
	Over Set // the targets that a Pull looks at
	// Below bounds the sources of a Push with Min whose From is its To; 0 is no bound. Only
	// frontier vertices with To[v] below it take part, the others stay in the frontier. Where
	// one processor stores all arcs of a vertex, vertices that fall below the bound take part
	// at once, in any order, until none is left, and the others may take part too.
	//
	// Rising Below by Δ is delta-stepping, +Inf is Bellman-Ford.
	Below Bits
}

// Frontier describes the frontier, over all partitions. After a step with Below, Count may count a vertex again
// that fell again, and Arcs may be estimated by a mean vertex; Count is 0 where none is left.
type Frontier struct {
	Count int64 // vertices
	Arcs  int64 // their out-arcs
	// Least is the smallest entry of its vertices in the To of the program's first Min, the
	// type's largest value if there are none.
	Least Bits
}

// Reduced is what a VertexMap summed up over all blocks.
type Reduced struct {
	Sum [4]float64
	Min float64
}

// Info describes the graph.
type Info struct {
	// Vertices are those with a rank, Isolated those without arcs, which no operator sees.
	Vertices, Isolated int64
	// Arcs are the out-arcs: an undirected edge has two.
	Arcs     int64
	Directed bool
}

// LeastArray is the array that Frontier.Least is of, −1 if p has no Min.
func (p *Program) LeastArray() int {
	for _, e := range p.Edges {
		if e.Combine == Min && e.Rows == nil {
			return e.To
		}
	}
	return -1
}

// Machine drives a program. After a failure all its methods return that failure, so that a body
// may look at the error of the last of several calls.
type Machine interface {
	// Info describes the graph.
	Info() Info
	// Seed puts a vertex into the frontier and, if array ≥ 0, sets its entry. It makes the
	// vertex visited.
	Seed(rank uint32, array int, value Bits) (Frontier, error)
	// EdgeMap runs edge operator op. The new frontier has the targets that joined, and with
	// Below those that wait.
	EdgeMap(op int, s Step) (Frontier, error)
	// VertexMap runs vertex operator op over the vertices of a set. The new frontier has those
	// that the operator left in the blocks' sets.
	VertexMap(op int, over Set, args ...float64) (Frontier, Reduced, error)
	// Local runs local operator op on every partition.
	Local(op int) error
	// Gather returns each partition's whole array of type U32, by rank, after a Local. The
	// memory is the run's; it may be changed.
	Gather(array int) ([][]uint32, error)
	// Keep stores the frontier as set k ≥ 1.
	Keep(k Set) error
	// Use makes set k the frontier, empty if it was not stored; Default leaves it as it is, All makes it every vertex.
	Use(k Set) (Frontier, error)
}
