//go:build cuda

package src

import _ "embed"

//go:embed kernels.ptx
var kernelsPTX []byte

func embeddedPTX() []byte { return kernelsPTX }
