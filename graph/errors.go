package graph

import (
	"errors"
	"fmt"
)

// ErrNoVertex is returned where a label names no vertex of the graph.
var ErrNoVertex = errors.New("graph: no such vertex")

// Errors of weights.
var (
	// ErrWeightKind is returned where weights of another kind are asked for than the
	// graph has.
	ErrWeightKind = errors.New("graph: weights are of another kind")
	// ErrWeightLoss is returned where a conversion of weights would change a value.
	ErrWeightLoss = errors.New("graph: conversion of weights loses information")
)

// Errors of building and of Compact.
var (
	// ErrTooManyVertices is returned where a graph has more than MaxVertices vertices.
	ErrTooManyVertices = errors.New("graph: more than 4294967294 vertices")
	// ErrMemory is returned, as a *MemoryError, where something would need more memory
	// than the limit allows. Nothing has been allocated then.
	ErrMemory = errors.New("graph: needs more memory than allowed")
	// ErrOption is returned where build options contradict each other or the graph, and for
	// a nil context.
	ErrOption = errors.New("graph: bad option")

	errNilContext = fmt.Errorf("%w: the context is nil", ErrOption)

	// ErrTooManyArcs is returned where a vertex has 2^32 arcs or more.
	ErrTooManyArcs = fmt.Errorf("%w: too many arcs at one vertex", ErrOption)
	// ErrWeightSum is returned by Build where MergeSum leaves the range of an integer
	// kind of weights.
	ErrWeightSum = fmt.Errorf("%w: the sum of merged weights leaves the range of their kind", ErrOption)
)

// ErrInvalid marks a structure that breaks the rules of its type: offsets that fall,
// ids out of range, an undirected graph that lacks an arc's other direction. It is
// returned by Validate, NewCSR and Build, as an *InvalidError.
var ErrInvalid = errors.New("graph: invalid structure")

// ErrConsumed is returned where a graph is read after its records were freed: by Consume of an
// EdgeList, Release of a CSR, or an engine that was allowed to consume it.
var ErrConsumed = fmt.Errorf("%w: its records were freed; was it consumed?", ErrInvalid)

// ErrUnreadable is returned by what reads a source on several goroutines, where its
// memory cannot be read any more: another program has cut the file short that it is
// mapped from.
var ErrUnreadable = errors.New("graph: the graph became unreadable while it was read; was its file cut short?")

// MemoryError states the bytes needed and the limit. It wraps ErrMemory.
type MemoryError struct {
	What        string // what would be built
	Need, Limit int64  // bytes
}

// Error names what would be built, and both figures.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("graph: %s needs %d bytes, more than the limit of %d bytes", e.What, e.Need, e.Limit)
}

// Unwrap returns ErrMemory.
func (e *MemoryError) Unwrap() error { return ErrMemory }

// InvalidError states the rule that a structure breaks, and where. It wraps ErrInvalid.
type InvalidError struct {
	Rule   string // what should hold
	Detail string // what was found instead, with vertex and position
}

// Error states the rule and what was found.
func (e *InvalidError) Error() string { return "graph: " + e.Rule + ": " + e.Detail }

// Unwrap returns ErrInvalid.
func (e *InvalidError) Unwrap() error { return ErrInvalid }

func invalid(rule, format string, args ...any) error {
	return &InvalidError{Rule: rule, Detail: fmt.Sprintf(format, args...)}
}
