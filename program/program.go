package program

import (
	"context"
	"iter"
	"math/bits"
)

// Type is the type of the values of an array.
type Type uint8

// The types of values.
const (
	U32 Type = iota
	I32
	U64
	I64
	F32
	F64
)

// Float reports a floating-point type.
func (t Type) Float() bool { return t >= F32 }

// Size is the number of bytes of a value.
func (t Type) Size() int { return [...]int{4, 4, 8, 8, 4, 8}[t] }

func (t Type) String() string { return [...]string{"U32", "I32", "U64", "I64", "F32", "F64"}[t] }

// Init is the value of every entry of an array when a run begins.
type Init uint8

// Initial values.
const (
	Zero Init = iota
	Top       // the largest value, +Inf for floats: the identity of Min
	Rank      // the vertex's own rank; U32 only
	ID        // its vertex id; U32 only
	None      // no vertex: 2^32 − 1; U32 only
)

// Array is one value a vertex, kept by the vertex's owner.
type Array struct {
	Name string
	Type Type
	Init Init
	// Ranks says that values are ranks of vertices: results hold vertex ids.
	Ranks bool
	// Scratch leaves the array out of results.
	Scratch bool
}

// Arcs names the arcs of an operator. All three are the same on an undirected graph.
type Arcs uint8

// Arcs of an operator.
const (
	Forward  Arcs = iota // from u to v for an arc u → v
	Backward             // from v to u
	Both                 // both ways
)

// Map is the value that an arc u → v of weight w carries.
type Map uint8

// Values of arcs. The weight of an arc is 1 where the engine keeps no weights; else it is a value
// of the operator's type, and processors refuse weights that the type does not hold exactly.
const (
	Source   Map = iota // the rank of u
	Copy                // From[u]
	Plus                // From[u] + w; the sum of integers is at most the largest value
	One                 // 1
	Tight               // the rank of u where From[u] + w == From[v], else nothing; Pull only
	TightLow            // as Tight, and From[u] < From[v]
)

// Combine merges the values that reach one vertex v into To[v].
type Combine uint8

// Combinations.
const (
	// Claim keeps one of the values, by a choice of the processor's.
	Claim Combine = iota
	// Min keeps the smaller of the value and To[v]. v joins the frontier where To[v] fell.
	Min
	// Or sets the value's bits in To[v]. v joins the frontier where bits were new.
	Or
	// Sum adds the value to To[v]. v joins the frontier. Floats: Pull only. A Sum of Copy may go
	// from an array of F32 into one of F64.
	Sum
)

// EdgeOp is an operator over arcs.
type EdgeOp struct {
	Name string
	// From and To are numbers of arrays, −1 for none. Map reads From, Combine writes To.
	From, To int
	Arcs     Arcs
	Map      Map
	Combine  Combine
	// Once restricts targets to unvisited vertices, and makes those that are reached visited.
	// Seed makes a vertex visited. Claim only. With To −1 the parents of the tree stay in the
	// processors, as breadth-first search needs it.
	Once bool
	// Known is 1 + the number of an array of bits that a vertex no longer wants; 0 for none. Or
	// only: bits of Known[v] are neither set nor a reason to join.
	Known int
	// Rows is a user's operator, a Rows[T] where T is the type of To (and of From, if any). Map
	// and Combine are not read then.
	Rows any
	// WholeRows says that Rows.Pull needs all arcs of a vertex in one call. A layout that
	// splits rows refuses the operator.
	WholeRows bool
	// Device is the source of Rows for devices: see the package's doc. "" keeps a user's operator on CPUs.
	Device string
}

// Rows is a user's edge operator. One thread at a time works on a target, so no method needs
// an atomic; several threads call the methods at once for different rows.
type Rows[T Value] interface {
	// Push sets out[k] to the value that u sends along arc k of its row. w has a weight an
	// arc, nil for an unweighted graph. from is the zero value where the operator has no From.
	Push(u uint32, from T, row []uint32, w []T, out []T)
	// Combine merges v into *to and reports whether the target joins the next frontier. It also
	// merges two values on their way to another partition, in any order.
	Combine(to *T, v T) bool
	// Pull returns what v gets from the sources row[k] that are in set, and false for nothing.
	// from has the sources' values by rank; set has bit u%64 of word u/64, nil if all sources
	// count. Combine merges the value into To[v], which is to before. to is the zero value where
	// another partition owns v.
	Pull(v uint32, row []uint32, w []T, from []T, set []uint64, to T) (value T, ok bool)
}

// VertexOp is an operator over the vertices of a set.
type VertexOp struct {
	Name string
	// Block works on a run of vertices, one of them in the set at least. Several threads call it
	// for different blocks.
	Block func(b *Block)
	// Device is the operator's source for devices: see the package's doc. "" keeps it on CPUs.
	Device string
}

// Block is a run of at most BlockVertices vertices of one owner: ranks Lo … Hi−1. Entry i of
// its arrays, Of(b, array)[i], belongs to rank Lo+i.
type Block struct {
	Lo, Hi uint32
	// Set has bit i%64 of word i/64 for rank Lo+i: on entry the vertices that VertexMap is over,
	// on return those of the new frontier.
	Set []uint64
	// Sum and Min are the block's share of VertexMap's results. Sums of blocks are added in the
	// order of ranks. They are 0 and +Inf on entry.
	Sum [4]float64
	Min float64
	// Args are VertexMap's.
	Args [4]float64
	// Arrays holds the values: use Of.
	Arrays []any
}

// BlockVertices is the most vertices of a block, a multiple of 64.
const BlockVertices = 1024

// Of returns the values of an array in b. It panics if T is not the array's type.
func Of[T Value](b *Block, array int) []T { return b.Arrays[array].([]T) }

// Each yields i for every vertex Lo+i of the set, rising. The loop may call Drop.
func (b *Block) Each() iter.Seq[int] {
	return func(yield func(int) bool) {
		for k, w := range b.Set {
			for ; w != 0; w &= w - 1 {
				if !yield(64*k + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// Drop removes vertex Lo+i from the set.
func (b *Block) Drop(i int) { b.Set[i/64] &^= 1 << (i % 64) }

// LocalOp is an operator over a whole partition: it sees the partition's own arcs, no
// frontier and no message. Union-find is one.
type LocalOp struct {
	Name string
	Run  func(ctx context.Context, l Local) error
	// Device and DeviceRanks are the operator's source for devices, and Arcs those that Device is
	// for: see the package's doc.
	Device, DeviceRanks string
	Arcs                Arcs
}

// Local is what a LocalOp may use.
type Local interface {
	// Rows calls f for all rows that the partition stores, in blocks, from several threads: rows of
	// out-arcs for Forward, of in-arcs for Backward, which are the same on an undirected graph.
	// Both has out-arcs, then in-arcs. It returns the context's error once that ends.
	Rows(a Arcs, f func(b *RowBlock)) error
	// Vertices calls f for runs of all ranks, from several threads. It ends as Rows does.
	Vertices(f func(lo, hi uint32)) error
	// U32 returns an array of type U32 by rank, of all ranks. Entries of other partitions'
	// vertices start at the array's initial value, except that ID is not known of them.
	U32(array int) []uint32
}

// RowBlock is a run of rows, those of ranks Lo … Hi−1. It is valid until f returns.
type RowBlock struct {
	Lo, Hi uint32
	// First holds the first neighbour of each row, 2^32 − 1 where it is empty.
	First []uint32
	// Neighbours holds ranks. The row of rank Lo+i begins at offset i and ends at offset i+1, in
	// Offsets32 or, where that is nil, in Offsets64.
	Neighbours []uint32
	Offsets32  []uint32
	Offsets64  []uint64
}

// Row is the row of rank u.
func (b *RowBlock) Row(u uint32) []uint32 {
	i := u - b.Lo
	if b.Offsets32 != nil {
		return b.Neighbours[b.Offsets32[i]:b.Offsets32[i+1]]
	}
	return b.Neighbours[b.Offsets64[i]:b.Offsets64[i+1]]
}

// Program declares an algorithm. It must not change while an engine runs it.
type Program struct {
	Name     string
	Arrays   []Array
	Edges    []EdgeOp
	Vertices []VertexOp
	Locals   []LocalOp
}
