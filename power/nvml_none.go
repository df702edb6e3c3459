//go:build !nogpu && !((linux && (amd64 || arm64)) || (windows && amd64))

package power

import "fmt"

// loadNVML fails: NVIDIA has no driver with NVML for this platform, or it is not tried.
func loadNVML(string) (*nvmlAPI, error) { return nil, fmt.Errorf("NVML: %w", ErrUnsupported) }
