package cuda_test

import (
	"testing"

	"github.com/totemgo/totemgo/cuda"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device/cuda/cudatest"
)

// These run on a GPU, or on the stand-in of package cudatest: make cuda-check.

func TestDriver(t *testing.T) { cudatest.Run(t, &cuda.Driver{}, 20) }

// Another group size than the PTX's is refused: this driver has no compiler.
func TestOnlyTheGroupOfThePTX(t *testing.T) {
	dev, err := (&cuda.Driver{}).Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gpu.Build(dev, gpu.BuildOptions{GroupSize: 64}); err == nil {
		t.Error("a group of 64 lanes is accepted")
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
