//go:build amd64 && !noasm

package cpu

func prefetchLines(at []uintptr) { prefetchLinesAsm(at) }

//go:noescape
func prefetchLinesAsm(at []uintptr)
