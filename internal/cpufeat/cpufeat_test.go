package cpufeat

import (
	"reflect"
	"runtime"
	"slices"
	"testing"
)

func TestGet(t *testing.T) {
	f := Get()
	t.Logf("%+v", f)
	if f.AVX512 && !f.AVX2 {
		t.Error("AVX512 without AVX2")
	}
	for _, c := range []struct {
		has  bool
		name string
	}{{f.AVX2, "AVX2"}, {f.AVX2, "BMI2"}, {f.AVX512, "AVX512F"}, {f.AVX512, "AVX512VL"}} {
		if c.has && !slices.Contains(f.Names, c.name) {
			t.Errorf("%s is used but not named in %v", c.name, f.Names)
		}
	}
	if runtime.GOARCH != "amd64" && f.AVX2 {
		t.Errorf("AVX2 on %s", runtime.GOARCH)
	}
	if f.Threads < 1 || f.Cores < 0 || f.L1 < 0 || f.L2 < 0 || f.L3 < 0 {
		t.Errorf("impossible counts: %+v", f)
	}
	if !slices.IsSorted(f.Names) {
		t.Errorf("names are not sorted: %v", f.Names)
	}
}

func TestOverride(t *testing.T) {
	real := Get()
	less := real
	less.AVX512 = false
	less.Name = "less"
	undo := Override(less)
	if !reflect.DeepEqual(Get(), less) {
		t.Error("Override has no effect")
	}
	undoInner := Override(Features{})
	if !reflect.DeepEqual(Get(), Features{}) {
		t.Error("a second Override has no effect")
	}
	undoInner()
	if !reflect.DeepEqual(Get(), less) {
		t.Error("undo does not restore the first Override")
	}
	undo()
	if !reflect.DeepEqual(Get(), real) {
		t.Error("undo does not restore the processor's features")
	}
}
