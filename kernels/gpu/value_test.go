package gpu_test

import (
	"testing"

	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/kerneltest"
)

// TestValues runs programs with values.
func TestValues(t *testing.T) {
	program := build(t, openCL(t), gpu.BuildOptions{GroupSize: 64})
	kerneltest.Options{Skip: []string{"searches/", "rule=many", "rule=f", "rule=seen", "rule=r", "rule=c", "rule=p"}, Short: true}.Run(t, factory(program, gpu.Options{}))
}
