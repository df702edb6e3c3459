package engine

import "errors"

// Opening an engine.
var (
	// ErrOptions is returned by New where options contradict each other, are out of
	// range or name something unknown. The message lists every fault.
	ErrOptions = errors.New("engine: invalid options")
	// ErrMemory is returned by New, before it allocates, where the graph needs more
	// memory than the limit; the message has both figures.
	ErrMemory = errors.New("engine: not enough memory")
	// ErrCapacity is returned by New where the memory of devices, or what may be taken of
	// it, does not hold what is theirs of the graph. The message has the figures and,
	// where a CPU would take the rest, the processors to ask for.
	ErrCapacity = errors.New("engine: not enough device memory")
	// ErrNoDevice is returned by New where a processor names a device that this
	// build or machine does not have.
	ErrNoDevice = errors.New("engine: no such device")
	// ErrNotInPlace is returned by OpenDevices and New where DeviceGraph leaves the graph
	// in the host's memory and a device does not read that in place; the message has
	// the bytes that fit in its own.
	ErrNotInPlace = errors.New("engine: the device cannot read the graph in place")
)

// Running.
var (
	// ErrClosed is returned by calls on an engine that is closed.
	ErrClosed = errors.New("engine: closed")
	// ErrResult is returned by BFSInto for a result made by another engine.
	ErrResult = errors.New("engine: result belongs to another engine")
)
