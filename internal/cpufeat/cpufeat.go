// Package cpufeat detects the processor's instruction sets, cores and caches. It is the only
// package that does; kernels choose their implementation by it, and tests force each choice
// with Override.
package cpufeat

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/klauspost/cpuid/v2"
)

// Features describes the processor.
type Features struct {
	// AVX2 tells whether AVX2, BMI1, BMI2, LZCNT and POPCNT are there and the
	// system saves their registers.
	AVX2 bool
	// AVX512 tells whether, besides AVX2, the AVX-512 subsets F, BW, CD, DQ and VL
	// are there and the system saves their registers.
	AVX512 bool
	// Name is the processor's own name for itself; "" if it has none.
	Name string
	// Cores is the number of physical cores, as far as this process may use them:
	// at most Threads; 0 if unknown.
	Cores int
	// Threads is the number of hardware threads that this process may use.
	Threads int
	// L1, L2 and L3 are the sizes in bytes of the data caches that a core sees,
	// 0 where unknown.
	L1, L2, L3 int
	// Names lists the instruction set's optional parts, in the vendor-neutral
	// capitals of package cpuid, sorted. It must not be changed.
	Names []string
}

var override atomic.Pointer[Features]

// Get returns what the processor can do, or what Override says it can.
func Get() Features {
	if f := override.Load(); f != nil {
		return *f
	}
	return detect()
}

// Override makes Get return f, and returns a function that undoes this. It is
// for tests, which may only take features away: a kernel that is chosen for
// instructions the processor lacks ends the process.
func Override(f Features) (undo func()) {
	old := override.Swap(&f)
	return func() { override.Store(old) }
}

var detect = sync.OnceValue(func() Features {
	c := &cpuid.CPU
	f := Features{
		AVX2:    c.Supports(cpuid.AVX2, cpuid.BMI1, cpuid.BMI2, cpuid.LZCNT, cpuid.POPCNT),
		Name:    strings.Join(strings.Fields(c.BrandName), " "),
		Cores:   min(c.PhysicalCores, runtime.NumCPU()),
		Threads: runtime.NumCPU(),
		L1:      max(0, c.Cache.L1D),
		L2:      max(0, c.Cache.L2),
		L3:      max(0, c.Cache.L3),
		Names:   c.FeatureSet(),
	}
	f.AVX512 = f.AVX2 && c.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512CD, cpuid.AVX512DQ, cpuid.AVX512VL)
	slices.Sort(f.Names)
	return f
})
