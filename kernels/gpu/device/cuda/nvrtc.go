//go:build !nogpu && (linux || windows) && (amd64 || arm64)

package cuda

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// compiler is the loaded NVRTC: the address of each function, whose name is that of the field
// after "nvrtc". All exist from CUDA 11.2 on.
type compiler struct {
	CreateProgram, CompileProgram, DestroyProgram uintptr
	GetProgramLogSize, GetProgramLog              uintptr
	GetPTXSize, GetPTX, GetCUBINSize, GetCUBIN    uintptr
	GetNumSupportedArchs, GetSupportedArchs       uintptr
	GetErrorString                                uintptr
}

// openCompiler loads the NVRTC of the newest CUDA release up to the driver's.
func openCompiler(named string, release int) (*compiler, error) {
	c := &compiler{}
	if err := load(c, "nvrtc", named, CompilerVariable, compilers(release)); err != nil {
		return nil, fmt.Errorf("other kernels than BFS's are compiled by NVIDIA's NVRTC: install libnvrtc of CUDA 11.2 to %d "+
			"(Debian: libnvrtc11.2; NVIDIA's packages: cuda-nvrtc; PyPI: nvidia-cuda-nvrtc), or name its file by %s: %w",
			max(release, 12), CompilerVariable, err)
	}
	return c, nil
}

// target is the architecture to compile for: that of the device, or the newest older one that the
// compiler knows, whose PTX the driver translates.
func (c *compiler) target(arch int) (name string, ptx bool) {
	var n int32
	if call(c.GetNumSupportedArchs, uintptr(unsafe.Pointer(&n))) != 0 || n <= 0 {
		return fmt.Sprintf("compute_%d", arch), true
	}
	known, best := make([]int32, n), int32(0)
	call(c.GetSupportedArchs, uintptr(unsafe.Pointer(&known[0])))
	for _, k := range known {
		if k > best && k <= int32(arch) {
			best = k
		}
	}
	switch best {
	case int32(arch):
		return fmt.Sprintf("sm_%d", arch), false
	case 0:
		best = int32(arch) // the compiler refuses it by name
	}
	return fmt.Sprintf("compute_%d", best), true
}

// compile returns a binary or PTX for an architecture, or nil with a status and the log.
func (c *compiler) compile(source string, options []string, arch int) (image []byte, code int, log string) {
	target, ptx := c.target(arch)
	line := []string{"-arch=" + target, "-fmad=false"} // every processor computes the same
	for _, o := range options {
		if !strings.HasPrefix(o, "-cl-") {
			line = append(line, o)
		}
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	addresses := make([]uintptr, len(line))
	for i, o := range line {
		ended := append([]byte(o), 0)
		pin.Pin(&ended[0])
		addresses[i] = uintptr(unsafe.Pointer(&ended[0]))
	}
	body, name := append([]byte(source), 0), []byte("kernels.cu\x00")
	var p uintptr
	if code = call(c.CreateProgram, uintptr(unsafe.Pointer(&p)), uintptr(unsafe.Pointer(&body[0])),
		uintptr(unsafe.Pointer(&name[0])), 0, 0, 0); code != 0 {
		return nil, code, c.name(code)
	}
	defer call(c.DestroyProgram, uintptr(unsafe.Pointer(&p)))
	if code = call(c.CompileProgram, p, uintptr(len(line)), uintptr(unsafe.Pointer(&addresses[0]))); code != 0 {
		text, _ := c.read(c.GetProgramLogSize, c.GetProgramLog, p)
		return nil, code, strings.TrimSpace(c.name(code) + "\n" + trimmed(text))
	}
	size, get := c.GetCUBINSize, c.GetCUBIN
	if ptx {
		size, get = c.GetPTXSize, c.GetPTX
	}
	if image, code = c.read(size, get, p); code != 0 || len(image) == 0 {
		return nil, code, c.name(code)
	}
	return image, 0, ""
}

// read returns what get writes about a program, of the bytes that size returns.
func (c *compiler) read(size, get, p uintptr) ([]byte, int) {
	var n uintptr
	if code := call(size, p, uintptr(unsafe.Pointer(&n))); code != 0 || n == 0 {
		return nil, code
	}
	data := make([]byte, n)
	return data, call(get, p, uintptr(unsafe.Pointer(&data[0])))
}

// name is the compiler's text of a status.
func (c *compiler) name(code int) string {
	at, _, _ := purego.SyscallN(c.GetErrorString, uintptr(code))
	return text(at)
}
