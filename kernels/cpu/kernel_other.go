//go:build !amd64 || noasm

package cpu

// available lists the sets of this processor, best first.
func available() []kernelSet { return []kernelSet{generic} }
