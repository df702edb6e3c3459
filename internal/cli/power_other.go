//go:build !unix

package cli

import "os"

// passedSignals are those that a recording does not die of.
func passedSignals() []os.Signal { return []os.Signal{os.Interrupt} }

// passSignal does nothing: the console sends Ctrl-C to the command itself.
func passSignal(*os.Process, os.Signal) {}

// endingStatus is the exit status that belongs to a signal that ends a process.
func endingStatus(os.Signal) int { return 130 }

// endStatus is the exit status to pass on.
func endStatus(p *os.ProcessState) int { return p.ExitCode() }
