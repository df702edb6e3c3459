package gpu

import (
	"fmt"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// Dry is the program of a device that need not be open: its processors count bytes, by LoadSize, and run nothing.
func Dry(info device.Info) *Program { return &Program{dev: sized{info: info}, group: groupFor(info)} }

// LoadSize is Load of a part whose arrays need not exist (partition.Sized), of a graph of so many vertices, without the device:
// Arrays and RunBytes count what Load and Open allocate. With hubs, whose rows are many pieces, there are as many pieces as if
// all entries were theirs.
func (p *Processor) LoadSize(part *kernels.Part, vertices int64, hubs bool) (err error) {
	defer p.done("LoadSize", &err)
	p.dev = sized{info: p.dev.Info()}
	if err = p.measure(part, 2*((vertices+31)/32)+2); err != nil {
		return err
	}
	if pieces := int64(0); hubs {
		for i := range p.chunks {
			if c := &p.chunks[i]; c.sub.Out != nil {
				pieces += entriesOf(c.sub, c.sub.Out, c.lo, c.lo+c.n) / pieceArcs
			}
		}
		p.ownPieces = max(p.ownPieces, pieces)
	}
	if err = p.allocate(); err != nil {
		return err
	}
	for i := range p.chunks {
		if err = p.loadChunk(&p.chunks[i]); err != nil {
			return err
		}
	}
	return nil
}

// sized is a device that allocates nothing.
type sized struct {
	device.Device
	info device.Info
}

func (d sized) Info() device.Info { return d.info }

func (d sized) Close() error { return nil }

func (d sized) NewBuffer(bytes int64) (device.Buffer, error) {
	if bytes > d.info.LargestAllocation {
		return nil, &device.Error{Op: "NewBuffer", Device: d.info.Name, Err: device.ErrMemory,
			Detail: fmt.Sprintf("%d bytes, the largest allocation is %d", bytes, d.info.LargestAllocation)}
	}
	return memory(bytes), nil
}

func (d sized) NewHostBuffer(bytes int64, _ func([]byte)) (device.Buffer, error) {
	return d.NewBuffer(bytes)
}

func (d sized) NewStaging(bytes int64) (device.Staging, error) { return memory(bytes), nil }

// memory is a number of bytes.
type memory int64

func (m memory) Size() int64 { return int64(m) }

func (memory) Bytes() []byte { return nil }

func (memory) Free() error { return nil }
