package cuda

import (
	"unsafe"

	"github.com/totemgo/totemgo/kernels/gpu/device"
	"gorgonia.org/cu"
)

// stream is a CUDA stream. A launch copies eight bytes from the address of each
// argument, whatever its width: each has a cell of that size.
type stream struct {
	*dev
	stream cu.Stream
	cells  []uint64
	args   []unsafe.Pointer
}

func (d *dev) NewStream() (device.Stream, error) {
	s := &stream{dev: d}
	return obtain[device.Stream](d, "NewStream", s, func() (err error) {
		s.stream, err = cu.MakeStream(cu.NonBlocking)
		return err
	})
}

func (s *stream) Launch(k device.Kernel, l device.Launch) error {
	kern := k.(*kernel)
	if cap(s.cells) < len(l.Args) {
		s.cells = make([]uint64, len(l.Args))
		s.args = make([]unsafe.Pointer, len(l.Args))
	}
	cells, args := s.cells[:len(l.Args)], s.args[:len(l.Args)]
	for i, a := range l.Args {
		if cells[i] = a.Scalar; a.Width == 0 {
			cells[i] = uint64(a.Buffer.(*buffer).mem)
		}
		args[i] = unsafe.Pointer(&cells[i])
	}
	return s.do("Launch "+kern.name, func() error {
		return kern.function.Launch(l.Groups, 1, 1, l.GroupSize, 1, 1, 0, s.stream, args)
	})
}

func (s *stream) Write(dst device.Buffer, dstAt int64, src device.Staging, srcAt, n int64) error {
	if n == 0 {
		return s.ready()
	}
	to, from := dst.(*buffer), src.(*staging)
	return s.do("Write", func() error {
		return cu.MemcpyHtoDAsync(to.mem+cu.DevicePtr(dstAt), from.at(srcAt), n, s.stream)
	})
}

func (s *stream) Read(dst device.Staging, dstAt int64, src device.Buffer, srcAt, n int64) error {
	if n == 0 {
		return s.ready()
	}
	to, from := dst.(*staging), src.(*buffer)
	return s.do("Read", func() error {
		return cu.MemcpyDtoHAsync(to.at(dstAt), from.mem+cu.DevicePtr(srcAt), n, s.stream)
	})
}

func (s *stream) Fill(dst device.Buffer, at, n int64, word uint32) error {
	if n == 0 {
		return s.ready()
	}
	to := dst.(*buffer)
	return s.do("Fill", func() error {
		return cu.MemsetD32Async(to.mem+cu.DevicePtr(at), uint(word), n/4, s.stream)
	})
}

func (s *stream) Record() (device.Event, error) {
	e := &event{dev: s.dev}
	return obtain[device.Event](s.dev, "Record", e, func() (err error) {
		if e.event, err = cu.MakeEvent(cu.DisableTiming | cu.BlockingSyncEvent); err != nil {
			return err
		}
		if err = e.event.Record(s.stream); err != nil {
			_ = cu.DestroyEvent(&e.event)
		}
		return err
	})
}

func (s *stream) Flush() error { return s.ready() } // nothing is held back

func (s *stream) Finish() error { return s.here("Finish", s.stream.Synchronize) }

func (s *stream) Free() error {
	return s.release("free a stream", s.stream.Destroy)
}

// event is a CUDA event that carries no time.
type event struct {
	*dev
	event cu.Event
}

func (e *event) Wait() error { return e.here("wait for an event", e.event.Synchronize) }

func (e *event) Free() error {
	return e.release("free an event", func() error { return cu.DestroyEvent(&e.event) })
}
