//go:build !unix

package graphio_test

// cpuSeconds is unknown on this system.
func cpuSeconds() float64 { return 0 }
