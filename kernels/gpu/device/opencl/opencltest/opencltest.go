// Package opencltest puts a library of its own between a test and the OpenCL loader: it counts
// the calls, fails or delays one of them, and changes what devices report. Another library has a
// broken driver. Both are C, compiled where the test runs; a test that lacks cc or a driver skips.
package opencltest

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl"
)

// Options say what an Interposer changes. The zero value only counts.
type Options struct {
	Fault Fault
	// Delayed is the name of a call that waits for Delay first.
	Delayed string
	Delay   time.Duration
	// ComputeUnits and LargestAllocation (bytes) replace those of all devices; 0 keeps them.
	ComputeUnits, LargestAllocation int64
	// DiscreteGPU makes all devices GPUs that share no memory with the host.
	DiscreteGPU bool
}

// Fault fails a call instead of making it.
type Fault struct {
	// Call is the name of the function; "" is no fault.
	Call string
	// Nth is the first call that fails, from 1, counted since Set or Reset; 0 is 1.
	Nth int
	// Code is its status. With 0 a function that creates something returns NULL and no error.
	Code int
	// Scope is what else fails.
	Scope Scope
}

// Scope is what else fails after the first failed call.
type Scope int

// Scopes of a fault: the one call; all later calls of that name; all later calls, except those
// that release something.
const (
	Once Scope = iota
	Always
	Lost
)

// Interposer is a library between the process, or a child process, and the OpenCL loader.
type Interposer struct {
	// Path is the library, for TOTEMGO_OPENCL.
	Path string

	t     testing.TB
	state string
}

// Places in the file that the library maps; interposer.c has the same.
const (
	nameSize  = 40
	callSize  = nameSize + 8
	calls     = 64
	callsAt   = 2*nameSize + 8*8
	stateSize = callsAt + calls*callSize
)

//go:embed testdata/interposer.c
var interposer []byte

//go:embed testdata/broken.c
var broken []byte

// loader is the library behind the interposer.
const loader = "libOpenCL.so.1"

// Interpose makes the interposer of the system's loader, and names it in TOTEMGO_OPENCL until the
// test ends.
func Interpose(t testing.TB, o Options) *Interposer {
	t.Helper()
	needs.OpenCL(t, func() (*opencl.Driver, error) { return opencl.Open(opencl.Options{Loader: loader}) }, device.ErrNoDriver)
	dir := t.TempDir()
	i := &Interposer{t: t, Path: filepath.Join(dir, "libinterposer.so"), state: filepath.Join(dir, "state")}
	if err := os.WriteFile(i.state, make([]byte, stateSize), 0o600); err != nil {
		t.Fatal(err)
	}
	i.Set(o)
	compile(t, interposer, i.Path, "STATE", i.state, "REAL", loader)
	t.Setenv(opencl.LoaderVariable, i.Path)
	return i
}

// Broken compiles a broken driver and returns the path of the library. Its modes:
//   - in the first call "hang", "crash", "exit", "print" (rubbish to standard output);
//   - while it is listed "no platform", "platform list fails", "no device", "device list fails",
//     "endianness fails";
//   - "control codes" in the texts of its device, "small groups" of at most 16 lanes;
//   - on its open device "no context", "no queue", "no buffer", "no build", and "maps nothing":
//     mapping returns NULL and no error. In all other modes mapping fails with -6.
func Broken(t testing.TB, mode string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "libbroken.so")
	compile(t, broken, path, "MODE", mode)
	return path
}

// compile makes a shared library of C source, with macros for strings.
func compile(t testing.TB, source []byte, path string, macros ...string) {
	t.Helper()
	args := []string{"-O1", "-w", "-shared", "-fPIC", "-x", "c", "-o", path, "-"}
	for i := 0; i < len(macros); i += 2 {
		args = append(args, fmt.Sprintf("-D%s=%q", macros[i], macros[i+1]))
	}
	c := exec.Command(needs.Tool(t, "cc", "cc"), append(args, "-ldl")...)
	c.Stdin = bytes.NewReader(source)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", c.Args, err, out)
	}
}

// Set changes what the interposer does, and sets the counts to 0.
func (i *Interposer) Set(o Options) {
	i.t.Helper()
	b := make([]byte, 0, callsAt)
	name := func(s string) { b = append(b, append([]byte(s), make([]byte, nameSize-len(s))...)...) }
	number := func(list ...int64) {
		for _, x := range list {
			b = binary.LittleEndian.AppendUint64(b, uint64(x))
		}
	}
	discrete := int64(0)
	if o.DiscreteGPU {
		discrete = 1
	}
	name(o.Fault.Call)
	number(max(1, int64(o.Fault.Nth)), int64(o.Fault.Code), int64(o.Fault.Scope), 0)
	name(o.Delayed)
	number(o.Delay.Microseconds(), o.ComputeUnits, discrete, o.LargestAllocation)
	i.write(0, b)
	i.Reset()
}

// Reset sets the counts to 0.
func (i *Interposer) Reset() {
	i.t.Helper()
	for c := range int64(calls) {
		i.write(callsAt+c*callSize+nameSize, make([]byte, 8))
	}
}

func (i *Interposer) write(at int64, b []byte) {
	i.t.Helper()
	f, err := os.OpenFile(i.state, os.O_WRONLY, 0)
	if err != nil {
		i.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(b, at); err != nil {
		i.t.Fatal(err)
	}
}

// Counts returns the number of calls by name, such as clEnqueueNDRangeKernel, since Set or Reset,
// of all processes together. Names without a call are missing.
func (i *Interposer) Counts() map[string]int {
	i.t.Helper()
	state, err := os.ReadFile(i.state)
	if err != nil {
		i.t.Fatal(err)
	}
	counts := map[string]int{}
	for c := range calls {
		entry := state[callsAt+c*callSize:][:callSize]
		if n := binary.LittleEndian.Uint64(entry[nameSize:]); n > 0 {
			counts[string(bytes.TrimRight(entry[:nameSize], "\x00"))] = int(n)
		}
	}
	return counts
}
