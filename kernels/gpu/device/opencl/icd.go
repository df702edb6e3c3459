//go:build !nogpu && (linux || darwin || windows) && (amd64 || arm64)

package opencl

import (
	"bufio"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unsafe"
)

// The driver of one vendor needs no loader (cl_khr_icd): it lists its platforms by a function of
// its own, and each platform points to a table of its functions, whose order is fixed.

// dispatchOrder names the functions of the table up to OpenCL 2.0, without "cl"; "-" is a function of
// no interest here.
var dispatchOrder = strings.Fields(`
GetPlatformIDs GetPlatformInfo GetDeviceIDs GetDeviceInfo CreateContext - - ReleaseContext -
CreateCommandQueue - ReleaseCommandQueue - - CreateBuffer - - - ReleaseMemObject - - - - - - -
CreateProgramWithSource CreateProgramWithBinary - ReleaseProgram BuildProgram - GetProgramInfo GetProgramBuildInfo
CreateKernel - - ReleaseKernel SetKernelArg - GetKernelWorkGroupInfo
WaitForEvents GetEventInfo - ReleaseEvent GetEventProfilingInfo Flush Finish
EnqueueReadBuffer EnqueueWriteBuffer EnqueueCopyBuffer - - - - - EnqueueMapBuffer - EnqueueUnmapMemObject
EnqueueNDRangeKernel - - - - - GetExtensionFunctionAddress - - - - - - - - - - - - - - -
SetEventCallback - - - - - - - - - - -
- - - - - - - - - EnqueueFillBuffer - - EnqueueMarkerWithWaitList EnqueueBarrierWithWaitList - -
- - - - - - - - - - - - - -
CreateCommandQueueWithProperties - - SVMAlloc SVMFree`)

// icdPlatforms returns a driver's clIcdGetPlatformIDsKHR, 0 without one.
func icdPlatforms(find func(name string) uintptr) uintptr {
	const name = "clIcdGetPlatformIDsKHR"
	if f := find(name); f != 0 {
		return f
	}
	f := find("clGetExtensionFunctionAddress")
	if f == 0 {
		return 0
	}
	text := append([]byte(name), 0)
	return address(f, uintptr(unsafe.Pointer(&text[0])))
}

// dispatched returns the functions in the table of a platform.
func dispatched(platform uintptr) (l *library, missing string) {
	table := *(*uintptr)(pointer(platform))
	if table == 0 {
		return nil, "a table of functions"
	}
	entry := func(name string) uintptr {
		i := slices.Index(dispatchOrder, strings.TrimPrefix(name, "cl"))
		if i < 0 {
			return 0
		}
		return *(*uintptr)(pointer(table + uintptr(i)*unsafe.Sizeof(table)))
	}
	version := text(entry("clGetPlatformInfo"), platform, platformVersion)
	return bind(func(name string) uintptr {
		if strings.HasPrefix(name, "clSVM") && strings.HasPrefix(version, "OpenCL 1.") {
			return 0 // the table ends before
		}
		return entry(name)
	})
}

// icdVariable names another folder of the loaders' .icd files.
const icdVariable = "OCL_ICD_VENDORS"

// Drivers that packages and container runtimes install, and the folders in which they lie. An
// .icd file or the system's linker may know others.
var (
	vendorLibraries = []string{
		"libnvidia-opencl.so.1", "libamdocl64.so", "libigdrcl.so", "libRusticlOpenCL.so.1", "libMesaOpenCL.so.1", "libpocl.so.2",
	}
	vendorFolders = []string{
		"/usr/local/nvidia/lib64", "/usr/lib/*-linux-gnu", "/usr/lib64", "/usr/lib/*-linux-gnu/intel-opencl", "/usr/lib64/intel-opencl",
		"/usr/lib/*-linux-gnu/nvidia/current", "/opt/rocm/lib", "/usr/lib/wsl/lib",
	}
)

// vendors lists libraries that may be drivers: those of .icd files, and on Linux, unless
// icdVariable restricts the search to its folder, the known ones by name (for the linker's cache) and
// in the usual folders.
func vendors() []string {
	folder, restricted := os.LookupEnv(icdVariable)
	if runtime.GOOS != "linux" {
		return nil
	}
	if !restricted {
		folder = "/etc/OpenCL/vendors"
	}
	list := icdFiles(folder)
	if restricted {
		return list
	}
	list = append(list, vendorLibraries...)
	for _, folder := range vendorFolders {
		for _, name := range vendorLibraries {
			base, _, _ := strings.Cut(name, ".so")
			found, _ := filepath.Glob(filepath.Join(folder, base+".so*")) // the pattern is well-formed
			list = append(list, found...)
		}
	}
	return list
}

// icdFiles lists the first line of each .icd file in a folder.
func icdFiles(folder string) (list []string) {
	files, _ := filepath.Glob(filepath.Join(folder, "*.icd")) // a folder that Glob cannot read has none
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		if line, err := bufio.NewReader(f).ReadString('\n'); err == nil || line != "" {
			list = append(list, strings.TrimSpace(line))
		}
		f.Close()
	}
	return list
}

// absent tells from the text of an error that the library itself is missing, not one that it needs.
func absent(path, text string) bool {
	return strings.HasPrefix(text, path+":") && strings.Contains(text, "No such file")
}
