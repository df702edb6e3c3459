//go:build !nogpu && (linux || darwin || windows) && (amd64 || arm64)

package opencl

import (
	"sync/atomic"
	"unsafe"

	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// stream is an in-order command queue. cell holds values passed by address.
type stream struct {
	*dev
	queue uintptr
	cell  *cells
	// first: a buffer was used for the first time since the last Finish.
	first atomic.Bool
}

type cells struct {
	arg           uint64
	global, local uintptr
	event         uintptr
}

func (d *dev) newQueue(op string) (uintptr, error) {
	return d.create(op, d.cl.CreateCommandQueue, d.context, d.id, 0)
}

func (d *dev) NewStream() (device.Stream, error) {
	queue, err := d.newQueue("NewStream")
	if err != nil {
		return nil, err
	}
	return &stream{dev: d, queue: queue, cell: &cells{}}, nil
}

// fillPiece is the most bytes of one fill: some drivers fail from 2^31 on.
const fillPiece = 1 << 30

// uses marks buffers as used.
func (s *stream) uses(b *buffer) uintptr {
	if !b.used.Load() && !b.used.Swap(true) {
		s.first.Store(true)
	}
	return b.mem
}

// do calls f, unless the device is lost. Out of resources is a lack of memory where a buffer is used
// for the first time, and else the loss of the device.
//
//go:uintptrescapes
func (s *stream) do(op string, f uintptr, args ...uintptr) error {
	if err := s.ready(); err != nil {
		return err
	}
	code := call(f, args...)
	if code == errOutOfResources && s.first.Load() {
		return s.refuse(op, device.ErrMemory, code, "at the first use of a buffer")
	}
	return s.fault(op, code)
}

func (s *stream) Launch(k device.Kernel, l device.Launch) error {
	if err := s.ready(); err != nil {
		return err
	}
	kern := k.(*kernel)
	for i, a := range l.Args {
		if a.Width == 0 {
			s.uses(a.Buffer.(*buffer))
		}
		if i < len(kern.args) && kern.args[i] == a {
			continue
		}
		size := uintptr(a.Width)
		if s.cell.arg = a.Scalar; a.Width == 0 {
			s.cell.arg, size = uint64(a.Buffer.(*buffer).mem), unsafe.Sizeof(uintptr(0))
		}
		if code := call(s.cl.SetKernelArg, kern.handle, uintptr(i), size, uintptr(unsafe.Pointer(&s.cell.arg))); code != 0 {
			kern.args = nil
			if code == errOutOfResources { // for the copy of the argument
				return s.refuse("Launch "+kern.name, device.ErrMemory, code, "")
			}
			return s.fault("Launch "+kern.name, code)
		}
	}
	kern.args = append(kern.args[:0], l.Args...)
	s.cell.global, s.cell.local = uintptr(l.Groups*l.GroupSize), uintptr(l.GroupSize)
	return s.do("Launch "+kern.name, s.cl.EnqueueNDRangeKernel, s.queue, kern.handle, 1, 0,
		uintptr(unsafe.Pointer(&s.cell.global)), uintptr(unsafe.Pointer(&s.cell.local)), 0, 0, 0)
}

func (s *stream) Write(dst device.Buffer, dstAt int64, src device.Staging, srcAt, n int64) error {
	if n == 0 {
		return s.ready()
	}
	return s.do("Write", s.cl.EnqueueWriteBuffer, s.queue, s.uses(dst.(*buffer)), 0, uintptr(dstAt), uintptr(n),
		src.(*staging).at(srcAt), 0, 0, 0)
}

func (s *stream) Read(dst device.Staging, dstAt int64, src device.Buffer, srcAt, n int64) error {
	if n == 0 {
		return s.ready()
	}
	return s.do("Read", s.cl.EnqueueReadBuffer, s.queue, s.uses(src.(*buffer)), 0, uintptr(srcAt), uintptr(n),
		dst.(*staging).at(dstAt), 0, 0, 0)
}

func (s *stream) Fill(dst device.Buffer, at, n int64, word uint32) error {
	if n == 0 {
		return s.ready()
	}
	s.cell.arg = uint64(word)
	for end := at + n; at < end; at += fillPiece {
		err := s.do("Fill", s.cl.EnqueueFillBuffer, s.queue, s.uses(dst.(*buffer)), uintptr(unsafe.Pointer(&s.cell.arg)), 4,
			uintptr(at), uintptr(min(end-at, fillPiece)), 0, 0, 0)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) Record() (device.Event, error) {
	if err := s.do("Record", s.cl.EnqueueMarkerWithWaitList, s.queue, 0, 0, uintptr(unsafe.Pointer(&s.cell.event))); err != nil {
		return nil, err
	}
	if err := s.Flush(); err != nil {
		call(s.cl.ReleaseEvent, s.cell.event)
		return nil, err
	}
	return &event{s, s.cell.event}, nil
}

func (s *stream) Flush() error { return s.do("Flush", s.cl.Flush, s.queue) }

func (s *stream) Finish() error {
	err := s.do("Finish", s.cl.Finish, s.queue)
	if err == nil {
		s.first.Store(false)
	}
	return err
}

func (s *stream) Free() error { return s.free("free a stream", s.cl.ReleaseCommandQueue, s.queue) }

type event struct {
	*stream
	handle uintptr
}

func (e *event) Wait() error {
	return e.do("wait for an event", e.cl.WaitForEvents, 1, uintptr(unsafe.Pointer(&e.handle)))
}

func (e *event) Free() error { return e.free("free an event", e.cl.ReleaseEvent, e.handle) }
