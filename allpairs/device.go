package allpairs

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/src"
)

//go:embed tile.cl
var tileSource string

const (
	deviceGroup = 256 // lanes of a work-group: 4 × 4 entries of a tile each
	waitStages  = 16  // stages enqueued between two waits, unless they take longer than waitAtMost
	waitAtMost  = 50 * time.Millisecond
	stagingSize = 8 << 20 // bytes
	statusSize  = 64
)

// deviceSolver runs a method on a device, which holds the whole matrix. Calls are enqueued in order; err is the
// first error.
type deviceSolver[T Value] struct {
	n, tiles  int
	dev       device.Device
	program   device.Program
	stream    device.Stream
	kernels   map[string]device.Kernel
	d, status device.Buffer
	staging   device.Staging
	groups    int
	free      []func() error
	err       error
}

// deviceBytes is the device's memory of a method.
func deviceBytes[T Value](n int, method Method) int64 {
	if method == Squaring {
		return 2*Bytes[T](n) + statusSize
	}
	return Bytes[T](n) + statusSize
}

// checkDevice refuses a matrix that the device does not hold.
func checkDevice[T Value](info device.Info, n int, method Method) error {
	need := Bytes[T](n)
	what := fmt.Sprintf("a matrix of the distances between %d vertices on %s", n, info.Name)
	if need > info.LargestAllocation {
		return &graph.MemoryError{What: what + " in one allocation", Need: need, Limit: info.LargestAllocation}
	}
	if need = deviceBytes[T](n, method); need > info.Memory {
		return &graph.MemoryError{What: what, Need: need, Limit: info.Memory}
	}
	if info.MaxGroup < deviceGroup {
		return fmt.Errorf("%w: %s takes groups of %d lanes, where the kernels have %d", ErrOptions, info.Name, info.MaxGroup, deviceGroup)
	}
	return nil
}

// newDeviceSolver builds the kernels and allocates the memory for a matrix of n vertices; none for 0.
func newDeviceSolver[T Value](dev device.Device, n int, method Method, by Algebra) (*deviceSolver[T], error) {
	if err := checkDevice[T](dev.Info(), n, method); err != nil {
		return nil, err
	}
	s := &deviceSolver[T]{n: n, tiles: (n + Side - 1) / Side, dev: dev, kernels: map[string]device.Kernel{},
		groups: 64 * max(1, dev.Info().ComputeUnits)}
	dialect, err := src.Dialect()
	if err != nil {
		return nil, err
	}
	options := []string{"-cl-std=CL1.2", fmt.Sprintf("-DWG=%d", deviceGroup),
		"-DT=" + map[any]string{int32(0): "int", float32(0): "float", float64(0): "double"}[any(T(0))]}
	if by == Widest {
		options = append(options, "-DWIDEST")
	}
	s.program, s.err = dev.Build(dialect+tileSource, options)
	if s.err == nil {
		s.free = append(s.free, s.program.Free)
		s.stream, s.err = dev.NewStream()
	}
	if s.err == nil {
		s.free = append(s.free, s.stream.Free)
		s.staging, s.err = dev.NewStaging(stagingSize)
	}
	if s.err == nil {
		s.free = append(s.free, s.staging.Free)
	}
	s.status = s.buffer(statusSize)
	if n > 0 {
		s.d = s.buffer(Bytes[T](n))
	}
	if s.err == nil {
		s.err = s.stream.Fill(s.status, 0, statusSize, ^uint32(0)) // none
	}
	if s.err != nil {
		return nil, errors.Join(s.err, s.close())
	}
	return s, nil
}

func (s *deviceSolver[T]) buffer(bytes int64) (b device.Buffer) {
	if s.err == nil {
		if b, s.err = s.dev.NewBuffer(bytes); s.err == nil {
			s.free = append(s.free, b.Free)
		}
	}
	return b
}

func (s *deviceSolver[T]) close() (err error) {
	if s.stream != nil {
		err = s.stream.Finish()
	}
	for _, k := range s.kernels {
		err = errors.Join(err, k.Free())
	}
	for i := len(s.free) - 1; i >= 0; i-- {
		err = errors.Join(err, s.free[i]())
	}
	return err
}

// launch enqueues a kernel for so many groups.
func (s *deviceSolver[T]) launch(name string, groups int, args ...device.Arg) {
	k := s.kernels[name]
	if k == nil && s.err == nil {
		if k, s.err = s.program.Kernel(name); s.err == nil {
			s.kernels[name] = k
		}
	}
	if s.err == nil {
		s.err = s.stream.Launch(k, device.Launch{Groups: max(1, min(groups, s.groups)), GroupSize: deviceGroup, Args: args})
	}
}

// wait waits for all commands, and returns a negative where a vertex has one.
func (s *deviceSolver[T]) wait(ctx context.Context) error {
	if s.err == nil {
		s.err = s.stream.Read(s.staging, 0, s.status, 0, 4)
	}
	if s.err == nil {
		s.err = s.stream.Finish()
	}
	if s.err != nil {
		return s.err
	}
	if v := *(*uint32)(unsafe.Pointer(&s.staging.Bytes()[0])); v != graph.None {
		return negative(v)
	}
	return ctx.Err()
}

// copyMatrix copies the matrix to the device, or back, in parts.
func (s *deviceSolver[T]) copyMatrix(ctx context.Context, m *Matrix[T], back bool) error {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m.data))), len(m.data)*int(unsafe.Sizeof(T(0))))
	for at := 0; at < len(bytes); at += stagingSize {
		part := bytes[at:min(len(bytes), at+stagingSize)]
		if err := ctx.Err(); err != nil {
			return err
		}
		copied := s.staging.Bytes()[:len(part)]
		if back {
			s.err = s.stream.Read(s.staging, 0, s.d, int64(at), int64(len(part)))
		} else {
			copy(copied, part)
			s.err = s.stream.Write(s.d, int64(at), s.staging, 0, int64(len(part)))
		}
		if s.err == nil {
			s.err = s.stream.Finish()
		}
		if s.err != nil {
			return s.err
		}
		if back {
			copy(part, copied)
		}
	}
	return nil
}

// predict measures the kernels on a part of the matrix that takes some milliseconds, and predicts the time of a method.
func (s *deviceSolver[T]) predict(ctx context.Context, method Method) (time.Duration, error) {
	if s.n == 0 {
		return 0, nil
	}
	s.err = s.stream.Fill(s.d, 0, s.d.Size(), 0)
	clock := func(name string, groups int, args ...device.Arg) float64 {
		s.launch(name, groups, args...) // the first one builds
		if s.wait(ctx) != nil {
			return 0
		}
		start := time.Now()
		s.launch(name, groups, args...)
		_ = s.wait(ctx) // its error stays
		return float64(time.Since(start))
	}
	d, none, zero, total := device.Buf(s.d), device.U32(graph.None), device.U32(0), 0.0
	for side := min(s.tiles, 4); s.err == nil; side = min(s.tiles, 2*side) {
		tiles, cells := device.U32(uint32(side)), float64(s.tiles)*float64(s.tiles)/float64(side*side)
		var took float64
		if method == Naive {
			took = clock("vertex_step", side*side, d, tiles, zero, device.Buf(s.status))
			total = took * cells * float64(s.n)
		} else {
			took = clock("product", side*side, d, d, tiles, none, zero, zero, tiles)
			total = took * cells * float64(s.tiles) / float64(side)
		}
		if side == s.tiles || took > 2e6 {
			break
		}
	}
	switch method {
	case Blocked:
		total += float64(s.tiles) * clock("closure", 1, d, device.U32(uint32(s.tiles)), zero, device.Buf(s.status))
	case Squaring:
		products := 1.0
		for arcs := 2; arcs < s.n-1; arcs *= 2 {
			products++
		}
		total *= products
	}
	return time.Duration(total), cmp.Or(s.err, ctx.Err())
}

// run computes the distances by a dense method, from the matrix and into it.
func (s *deviceSolver[T]) run(ctx context.Context, m *Matrix[T], method Method, progress func(done, of int64)) error {
	if err := s.copyMatrix(ctx, m, false); err != nil {
		return err
	}
	tiles := device.U32(uint32(s.tiles))
	d, none := device.Buf(s.d), device.U32(graph.None)
	var stage func(i int)
	stages, every := s.tiles, waitStages
	switch method {
	case Naive:
		stages, every = s.n, waitStages*Side
		stage = func(v int) {
			s.launch("vertex_step", s.tiles*s.tiles, d, tiles, device.U32(uint32(v)), device.Buf(s.status))
		}
	case Squaring:
		other := s.buffer(s.d.Size())
		for stages = 0; 1<<stages < s.n-1; stages++ {
		}
		every = 1
		stage = func(int) {
			s.launch("product", s.tiles*s.tiles, device.Buf(s.d), device.Buf(other), tiles, none, device.U32(0), device.U32(0), tiles)
			s.d, other = other, s.d
			s.launch("diagonal", 1, device.Buf(s.d), tiles, device.U32(uint32(s.n)), device.Buf(s.status))
		}
		s.launch("diagonal", 1, d, tiles, device.U32(uint32(s.n)), device.Buf(s.status))
	default:
		stage = func(b int) {
			block, next := device.U32(uint32(b)), device.U32(uint32(b+1))
			s.launch("closure", 1, d, tiles, block, device.Buf(s.status))
			if s.tiles > 1 {
				s.launch("product", 2*(s.tiles-1), d, d, tiles, block, device.U32(1), block, next)
				s.launch("product", (s.tiles-1)*(s.tiles-1), d, d, tiles, block, device.U32(0), block, next)
			}
		}
	}
	since, last := time.Now(), 0
	for i := range stages {
		stage(i)
		if i+1-last >= every || i+1 == stages {
			if err := s.wait(ctx); err != nil {
				return err
			}
			if progress != nil {
				progress(int64(i+1), int64(stages))
			}
			if time.Since(since) > waitAtMost {
				every = max(1, every/2)
			}
			since, last = time.Now(), i+1
		}
	}
	if err := s.wait(ctx); err != nil {
		return err
	}
	if err := s.copyMatrix(ctx, m, true); err != nil || method != Squaring {
		return err
	}
	return m.backAndForth()
}

// DeviceRate measures for about 50 ms how many additions and minima a second a device's kernel does in registers
// alone. Errors are ctx's or the device's.
func DeviceRate[T Value](ctx context.Context, dev device.Device) (rate float64, err error) {
	s, err := newDeviceSolver[T](dev, 0, Blocked, Shortest)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	out := s.buffer(int64(s.groups) * deviceGroup * int64(unsafe.Sizeof(T(0))))
	for turns := 16; ; turns *= 4 {
		start := time.Now()
		s.launch("register_rate", s.groups, device.Buf(out), device.U32(uint32(turns)))
		if err := s.wait(ctx); err != nil {
			return 0, err
		}
		if took := time.Since(start); took > 50*time.Millisecond {
			return 2 * 16 * float64(turns) * float64(s.groups) * deviceGroup / took.Seconds(), nil
		}
	}
}
