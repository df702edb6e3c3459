package cpu_test

import (
	"fmt"
	"testing"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/kernels/kerneltest"
)

func TestProcessor(t *testing.T) {
	for _, threads := range []int{1, 2} {
		t.Run(fmt.Sprintf("threads=%d", threads), func(t *testing.T) {
			kerneltest.Run(t, func(*testing.T) kernels.Processor { return cpu.New(threads) })
		})
	}
}
