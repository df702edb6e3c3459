package cpu_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/kernels/kerneltest"
)

// TestPrograms runs the kit's programs beside its model, on one thread and on several.
func TestPrograms(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, threads := range []int{1, 4} {
		if raceEnabled && threads == 1 {
			continue
		}
		t.Run(fmt.Sprintf("threads=%d", threads), func(t *testing.T) {
			kerneltest.Options{Short: raceEnabled || threads > 1}.Programs(t, func(*testing.T) kernels.Processor { return cpu.New(threads) })
		})
	}
}
