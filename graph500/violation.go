package graph500

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/record"
)

// The benchmark's five rules of a valid tree, as the specification numbers them. In a tree of
// shortest paths they are about distances in place of levels, whose sums are rounded to float32.
const (
	// RuleTree (1): the parents form a tree rooted at the root, without a cycle.
	RuleTree = 1 + iota
	// RuleTreeLevels (2): tree edges join levels that differ by one. Levels come
	// from the parents, so only stated levels can break it. Of shortest paths: the distance of
	// a vertex is that of its parent plus the weight of an edge between them, that of the root
	// is 0, and vertices outside the tree have none.
	RuleTreeLevels
	// RuleEdgeLevels (3): input edges within the tree join levels that differ by at
	// most one; an arc leads at most one level down. Of shortest paths: the distance of one end
	// plus the weight is never below that of the other end.
	RuleEdgeLevels
	// RuleComponent (4): the tree spans the root's whole component: no input edge has
	// one end in the tree only, and no arc leads out of it.
	RuleComponent
	// RuleTreeEdges (5): every tree edge is an input edge.
	RuleTreeEdges
)

// ruleNames are the names of record.Rules.
var ruleNames = [...]string{
	RuleTree: "tree", RuleTreeLevels: "tree_levels", RuleEdgeLevels: "edge_levels",
	RuleComponent: "component", RuleTreeEdges: "tree_edges",
}

// Verdict is the outcome of checking one tree.
type Verdict struct {
	// Reached counts the vertices whose chain of parents ends at the root, the root
	// included; Depth is the largest level among them.
	Reached, Depth int64
	// Violations holds one violation per rule that is broken, in rule order. A valid
	// tree has none. Of several places it is the first: the smallest vertex id, or the
	// first record of the source, whatever the number of threads. Ids are the file's own.
	Violations []record.Violation

	paths bool // of shortest paths
}

// Err returns nil for a valid tree, else an error that wraps ErrInvalidTree, or with distances
// ErrInvalidPaths, and names the rules that the tree breaks.
func (v *Verdict) Err() error {
	if len(v.Violations) == 0 {
		return nil
	}
	s := make([]string, len(v.Violations))
	for i, x := range v.Violations {
		s[i] = fmt.Sprintf("%s (rule %d, vertex %s)", x.Reason, x.Rule, cmp.Or(x.VertexName, strconv.FormatUint(x.Vertex, 10)))
	}
	err := ErrInvalidTree
	if v.paths {
		err = ErrInvalidPaths
	}
	return fmt.Errorf("%w: %s", err, strings.Join(s, "; "))
}
