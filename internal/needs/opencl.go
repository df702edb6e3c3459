package needs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// OpenCL opens an OpenCL driver by open, whose error is absent where there is none,
// and returns the number of the device to test: that of TOTEMGO_TEST_DEVICE, or 0. It
// gives PoCL a folder for its cache, without which that finds no device. The name of
// what is missing is opencl, any driver, where TOTEMGO_REQUIRE has that, else pocl.
func OpenCL[D any](t testing.TB, open func() (D, error), absent error) (driver D, device int) {
	t.Helper()
	if os.Getenv("POCL_CACHE_DIR") == "" {
		if dir, err := os.UserCacheDir(); err == nil {
			dir = filepath.Join(dir, "totemgo", "pocl")
			if os.MkdirAll(dir, 0o755) == nil {
				os.Setenv("POCL_CACHE_DIR", dir)
			}
		}
	}
	driver, err := open()
	if errors.Is(err, absent) {
		name := "pocl"
		if slices.Contains(strings.Split(os.Getenv("TOTEMGO_REQUIRE"), ","), "opencl") {
			name = "opencl"
		}
		Missing(t, name, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	if s := os.Getenv("TOTEMGO_TEST_DEVICE"); s != "" {
		if device, err = strconv.Atoi(s); err != nil {
			t.Fatalf("TOTEMGO_TEST_DEVICE: %v", err)
		}
	}
	return driver, device
}
