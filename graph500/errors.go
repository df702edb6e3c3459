package graph500

import "errors"

// Errors of validation.
var (
	// ErrInvalidTree is wrapped by the error of a tree that breaks a rule, which Verdict.Err names.
	ErrInvalidTree = errors.New("graph500: not a valid BFS tree")
	// ErrInvalidPaths is the same for a tree of shortest paths.
	ErrInvalidPaths = errors.New("graph500: not a valid tree of shortest paths")
	// ErrTreeShape is returned where a tree cannot belong to the graph: its array of
	// parents, levels or distances has another length than the graph has vertices, its root
	// is no vertex, or it has distances and the graph no float32 weights.
	ErrTreeShape = errors.New("graph500: the tree does not fit the graph")
)

// Errors of a run.
var (
	// ErrValidation is wrapped by Run's error where a search gave a tree that breaks
	// a rule. The result then holds no TEPS.
	ErrValidation = errors.New("graph500: validation failed")
	// ErrNoRoots is returned where no vertex has an edge but self-loops.
	ErrNoRoots = errors.New("graph500: no vertex has an edge to search from")
	// ErrConfig is wrapped where a configuration cannot be run, every fault named, and where a
	// context or a Build is nil.
	ErrConfig = errors.New("graph500: bad configuration")
	// ErrPower is wrapped where the power of a run could not be told. A validated run
	// stands all the same: Run returns its record with the error.
	ErrPower = errors.New("graph500: no power figures")
	// ErrStyle is wrapped where an output style is unknown; the message lists those
	// known.
	ErrStyle = errors.New("graph500: unknown style")
)
