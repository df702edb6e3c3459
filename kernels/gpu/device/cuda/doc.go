// Package cuda drives NVIDIA devices through the CUDA driver interface without cgo: Open loads
// libcuda.so.1 (nvcuda.dll on Windows), which NVIDIA's display driver installs. With the build
// tag nogpu, and on platforms other than Linux and Windows on amd64 and arm64, Open returns
// device.ErrNoDriver.
//
// A device has the primary context of its card. Each call makes that context current on the
// thread of the caller, so that no call waits for another thread. Waits poll for up to 50 µs and
// then block without use of a core.
//
// The search kernels are loaded as the PTX of package src. Other sources are compiled by NVRTC
// (libnvrtc), which is loaded at the first such Build.
package cuda
