package graph500

import (
	"fmt"
	"strings"

	"github.com/totemgo/totemgo/record"
)

// Rule is one of the benchmark's five rules of a valid BFS tree.
type Rule int

// The five rules, as the specification numbers them.
const (
	// RuleTree (1): the parents form a tree rooted at the root, without a cycle.
	RuleTree Rule = 1 + iota
	// RuleTreeLevels (2): tree edges join levels that differ by one. Levels come
	// from the parents, so only stated levels can break it.
	RuleTreeLevels
	// RuleEdgeLevels (3): input edges within the tree join levels that differ by at
	// most one; an arc leads at most one level down.
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

// String returns the rule's name in JSON: "tree", "tree_levels", "edge_levels",
// "component" or "tree_edges".
func (r Rule) String() string {
	if r < RuleTree || r > RuleTreeEdges {
		return fmt.Sprintf("Rule(%d)", int(r))
	}
	return ruleNames[r]
}

// Violation says where a tree breaks a rule. Of several places it is the first: the
// smallest vertex id, or the first record of the source, whatever the number of
// threads.
type Violation struct {
	Rule Rule
	// Vertex is the vertex at fault, in the file's own id.
	Vertex uint64
	// Edge is the edge at fault, in the file's own ids, if HasEdge.
	Edge    [2]uint64
	HasEdge bool
	// Reason says it in words: "edge 3-0 spans levels 3 and 0".
	Reason string
}

// String returns the reason and the number of the rule.
func (v Violation) String() string { return fmt.Sprintf("%s (rule %d)", v.Reason, int(v.Rule)) }

// Record returns the violation as it stands in JSON.
func (v Violation) Record() record.Violation {
	r := record.Violation{Rule: int(v.Rule), Name: v.Rule.String(), Vertex: v.Vertex, Reason: v.Reason}
	if v.HasEdge {
		e := v.Edge
		r.Edge = &e
	}
	return r
}

// Verdict is the outcome of checking one tree.
type Verdict struct {
	// Reached counts the vertices whose chain of parents ends at the root, the root
	// included; Depth is the largest level among them.
	Reached, Depth int64
	// Violations holds one violation per rule that is broken, in rule order. A valid
	// tree has none.
	Violations []Violation
}

// Err returns nil for a valid tree, else an *InvalidTreeError.
func (v *Verdict) Err() error {
	if len(v.Violations) == 0 {
		return nil
	}
	return &InvalidTreeError{v.Violations}
}

// InvalidTreeError names the rules that a tree breaks. It wraps ErrInvalidTree.
type InvalidTreeError struct {
	// Violations is not empty and stands in rule order.
	Violations []Violation
}

func (e *InvalidTreeError) Error() string {
	s := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		s[i] = fmt.Sprintf("%s (rule %d, vertex %d)", v.Reason, int(v.Rule), v.Vertex)
	}
	return ErrInvalidTree.Error() + ": " + strings.Join(s, "; ")
}

// Unwrap returns ErrInvalidTree.
func (e *InvalidTreeError) Unwrap() error { return ErrInvalidTree }
