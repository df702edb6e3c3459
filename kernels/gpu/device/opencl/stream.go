//go:build !nogpu && (linux || darwin || windows) && (amd64 || arm64)

package opencl

import (
	"unsafe"

	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// stream is an in-order command queue. cell holds values passed by address.
type stream struct {
	*dev
	queue uintptr
	cell  *cells
}

type cells struct {
	arg           uint64
	global, local uintptr
	event         uintptr
}

func (d *dev) newQueue(op string) (uintptr, error) {
	if err := d.ready(); err != nil {
		return 0, err
	}
	var status int32
	queue := d.make(createCommandQueue, d.context, d.id, 0, uintptr(unsafe.Pointer(&status)))
	return queue, d.fault(op, int(status))
}

func (d *dev) NewStream() (device.Stream, error) {
	queue, err := d.newQueue("NewStream")
	if err != nil {
		return nil, err
	}
	return &stream{dev: d, queue: queue, cell: &cells{}}, nil
}

func (s *stream) Launch(k device.Kernel, l device.Launch) error {
	if err := s.ready(); err != nil {
		return err
	}
	kern := k.(*kernel)
	for i, a := range l.Args {
		size := uintptr(a.Width)
		if s.cell.arg = a.Scalar; a.Width == 0 {
			s.cell.arg, size = uint64(a.Buffer.(*buffer).mem), unsafe.Sizeof(uintptr(0))
		}
		if code := s.call(setKernelArg, kern.handle, uintptr(i), size, uintptr(unsafe.Pointer(&s.cell.arg))); code != 0 {
			return s.fault("Launch "+kern.name, code)
		}
	}
	s.cell.global, s.cell.local = uintptr(l.Groups*l.GroupSize), uintptr(l.GroupSize)
	return s.fault("Launch "+kern.name, s.call(enqueueNDRangeKernel, s.queue, kern.handle, 1, 0,
		uintptr(unsafe.Pointer(&s.cell.global)), uintptr(unsafe.Pointer(&s.cell.local)), 0, 0, 0))
}

func (s *stream) Write(dst device.Buffer, dstAt int64, src device.Staging, srcAt, n int64) error {
	if err := s.ready(); err != nil || n == 0 {
		return err
	}
	return s.fault("Write", s.call(enqueueWriteBuffer, s.queue, dst.(*buffer).mem, 0, uintptr(dstAt), uintptr(n),
		src.(*staging).at(srcAt), 0, 0, 0))
}

func (s *stream) Read(dst device.Staging, dstAt int64, src device.Buffer, srcAt, n int64) error {
	if err := s.ready(); err != nil || n == 0 {
		return err
	}
	return s.fault("Read", s.call(enqueueReadBuffer, s.queue, src.(*buffer).mem, 0, uintptr(srcAt), uintptr(n),
		dst.(*staging).at(dstAt), 0, 0, 0))
}

func (s *stream) Fill(dst device.Buffer, at, n int64, word uint32) error {
	if err := s.ready(); err != nil || n == 0 {
		return err
	}
	s.cell.arg = uint64(word)
	return s.fault("Fill", s.call(enqueueFillBuffer, s.queue, dst.(*buffer).mem,
		uintptr(unsafe.Pointer(&s.cell.arg)), 4, uintptr(at), uintptr(n), 0, 0, 0))
}

func (s *stream) Record() (device.Event, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	code := s.call(enqueueMarkerWithWaitList, s.queue, 0, 0, uintptr(unsafe.Pointer(&s.cell.event)))
	if code == 0 {
		code = s.call(flush, s.queue)
	}
	if code != 0 {
		return nil, s.fault("Record", code)
	}
	return &event{s.dev, s.cell.event}, nil
}

func (s *stream) Wait(e device.Event) error {
	if err := s.ready(); err != nil {
		return err
	}
	s.cell.event = e.(*event).handle
	return s.fault("Wait", s.call(enqueueBarrierWithWaitList, s.queue, 1, uintptr(unsafe.Pointer(&s.cell.event)), 0))
}

func (s *stream) Finish() error {
	if err := s.ready(); err != nil {
		return err
	}
	return s.fault("Finish", s.call(finish, s.queue))
}

func (s *stream) Free() error {
	return s.fault("free a stream", s.call(releaseCommandQueue, s.queue))
}

type event struct {
	*dev
	handle uintptr
}

func (e *event) Wait() error {
	if err := e.ready(); err != nil {
		return err
	}
	return e.fault("wait for an event", e.call(waitForEvents, 1, uintptr(unsafe.Pointer(&e.handle))))
}

func (e *event) Free() error { return e.fault("free an event", e.call(releaseEvent, e.handle)) }
