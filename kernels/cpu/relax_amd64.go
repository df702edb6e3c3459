//go:build amd64 && !noasm

package cpu

//go:noescape
func prefetchLinesAsm(at []uintptr)
