package src

import (
	_ "embed"
	"strings"
)

// PTXOptions are the definitions that the embedded PTX was built with, as a compiler
// takes them.
const PTXOptions = "-DWG=256 -DFEW=8 -DPIECE=256 -DNEAR=16 -DHUBWORDS=256 -DTHIN=4 -DTURNS_MOST=16 -DSLOTS=16"

// kernelsPTX is dropped by the linker from programs that do not call PTX.
//
//go:embed kernels.ptx
var kernelsPTX []byte

// PTX returns the kernels of Text built for CUDA devices; nil where the definitions among
// the options are not PTXOptions. Options that define nothing are passed over.
func PTX(options []string) []byte {
	var defines []string
	for _, o := range options {
		if strings.HasPrefix(o, "-D") {
			defines = append(defines, o)
		}
	}
	if strings.Join(defines, " ") != PTXOptions {
		return nil
	}
	return kernelsPTX
}
