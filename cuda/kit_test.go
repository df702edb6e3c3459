package cuda_test

import (
	"os"
	"testing"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/kerneltest"
)

// processors returns a factory of processors on device 0.
func processors(t *testing.T, o gpu.Options) func(t *testing.T) kernels.Processor {
	program := must[*gpu.Program](t)(gpu.Build(open(t), gpu.BuildOptions{}))
	t.Cleanup(func() {
		if err := program.Close(); err != nil {
			t.Error(err)
		}
	})
	return func(t *testing.T) kernels.Processor {
		t.Helper()
		p, err := gpu.New(program, o)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// Samples of the conformance kit, on the kernels' own choice of strategies and on each:
// the stand-in is slow. TOTEMGO_CUDA=real, on a GPU, runs all of it.
func TestKit(t *testing.T) {
	if os.Getenv("TOTEMGO_CUDA") == "real" {
		kerneltest.Run(t, processors(t, gpu.Options{}))
		return
	}
	kerneltest.Sample(t, 0, 20, processors(t, gpu.Options{}))
}

func TestKitStrategies(t *testing.T) {
	settings := []gpu.Options{
		{TopDown: gpu.Thread}, {TopDown: gpu.Warp}, {TopDown: gpu.Group}, {TopDown: gpu.Edge}, {BottomUp: gpu.Word},
		{Graph: gpu.OnHost}, {Graph: gpu.Split, Memory: 96 << 10},
	}
	for i, o := range settings {
		t.Run(o.String(), func(t *testing.T) {
			kerneltest.Sample(t, i+1, 20*len(settings), processors(t, o))
		})
	}
}

// Another group size than the PTX's is refused, not run with the wrong one.
func TestOnlyTheGroupOfThePTX(t *testing.T) {
	if _, err := gpu.Build(open(t), gpu.BuildOptions{GroupSize: 64}); err == nil {
		t.Error("a group of 64 lanes is accepted")
	}
}
