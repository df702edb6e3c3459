package partition

import "errors"

var (
	// ErrOptions is returned by New where the options contradict each other or
	// name something unknown.
	ErrOptions = errors.New("partition: invalid options")
	// ErrMemory is returned by New, before anything is allocated, where the
	// placement would need more memory than the limit; the message has both figures.
	ErrMemory = errors.New("partition: not enough memory")
	// ErrTooLarge is returned by New where rank space or a count passes 32 bits.
	ErrTooLarge = errors.New("partition: graph too large")
	// ErrCapacity is returned by New where the processors' memory budgets together
	// do not hold the graph.
	ErrCapacity = errors.New("partition: processors do not hold the graph")
	// ErrRankSpace comes with ErrCapacity where what a search keeps of the whole rank
	// space is over a processor's budget already, however small its part.
	ErrRankSpace = errors.New("rank space alone is too large")
	// ErrNoRows is returned by Placement.Rows after a Release, and for a direction that
	// Options.NoOut or NoIn left out.
	ErrNoRows = errors.New("partition: rows are not in host memory")
	// ErrInvalid is returned by New where the source's records name vertices that
	// do not exist, or its offsets fall; by package engine also where there are not as
	// many labels as vertices.
	ErrInvalid = errors.New("partition: invalid graph")
)
