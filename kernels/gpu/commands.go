package gpu

import (
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// Bounds of the size of the staging of uploads, in bytes.
const (
	uploadsSmallest = 128 << 10
	uploadsLargest  = 8 << 20
)

// The methods below enqueue commands. The first error is kept in p.err: after it they do
// nothing, until done ends the method of kernels.Processor. Methods that wait return it.

// done ends a method: it sets err to the first error of its commands, unless it is set, and
// wraps it with the method's name.
func (p *Processor) done(op string, err *error) {
	if *err == nil {
		*err = p.err
	}
	p.err = nil
	if *err != nil {
		*err = &Error{Op: op, Device: p.name, Err: *err}
	}
}

// args are the arguments of a kernel, in the order of its parameters in package src. Extend
// a list once: buf and u32 append in place.
type args []device.Arg

// mostArgs is the most parameters of a kernel, those of superstep.
const mostArgs = 32

// buf begins a list of arguments.
func buf(buffers ...device.Buffer) args { return make(args, 0, mostArgs).buf(buffers...) }

func (a args) buf(buffers ...device.Buffer) args {
	for _, b := range buffers {
		a = append(a, device.Buf(b))
	}
	return a
}

func (a args) u32(values ...uint32) args {
	for _, x := range values {
		a = append(a, device.U32(x))
	}
	return a
}

func (a args) u64(x uint64) args { return append(a, device.Arg{Scalar: x, Width: 8}) }

// launch enqueues a kernel of searches for n items: see start.
func (p *Processor) launch(name string, n int64, a args) { p.start(p.searches, name, n, a) }

// start enqueues a kernel of a module for n items, one lane each up to the most groups of a launch;
// kernels loop over the rest.
func (p *Processor) start(m *module, name string, n int64, a args) {
	p.startGroups(m, name, (n+int64(p.program.group)-1)/int64(p.program.group), a)
}

func (p *Processor) startGroups(m *module, name string, groups int64, a args) {
	k := m.kernels[name]
	if k == nil && p.err == nil {
		if k, p.err = m.built.Kernel(name); p.err == nil {
			m.kernels[name] = k
			p.freed = append(p.freed, k)
		}
	}
	if p.err != nil {
		return
	}
	p.launches[name]++
	p.err = p.stream.Launch(k, device.Launch{Groups: int(max(1, min(groups, int64(p.groups)))), GroupSize: p.program.group, Args: a})
}

// fill sets n bytes of b from at to copies of word.
func (p *Processor) fill(b device.Buffer, at, n int64, word uint32) {
	if p.err == nil {
		p.err = p.stream.Fill(b, at, n, word)
	}
}

// read copies n bytes of src from srcAt to dst at dstAt.
func (p *Processor) read(dst device.Staging, dstAt int64, src device.Buffer, srcAt, n int64) {
	if p.err == nil {
		p.err = p.stream.Read(dst, dstAt, src, srcAt, n)
	}
}

// write copies n words to dst from word at on, through staging; set(i, words) sets words
// i … i+len(words)−1 of them. It waits for the stream where all staging is in use.
func (p *Processor) write(dst device.Buffer, at, n int64, set func(i int64, words []uint32)) {
	if p.stream == nil {
		return // LoadSize
	}
	size := int64(len(p.staged))
	for i := int64(0); i < n && p.err == nil; {
		if free := size - p.stagedUsed; (free == 0 || free < n-i && n-i <= size) && p.finish() != nil {
			return
		}
		words := p.staged[p.stagedUsed:min(size, p.stagedUsed+n-i)]
		set(i, words)
		p.err = p.stream.Write(dst, 4*(at+i), p.uploads, 4*p.stagedUsed, 4*int64(len(words)))
		p.stagedUsed += int64(len(words))
		i += int64(len(words))
	}
}

// upload copies words to dst from word at on.
func (p *Processor) upload(dst device.Buffer, at int64, words []uint32) {
	p.write(dst, at, int64(len(words)), from(words, 0))
}

// from is the set of write that copies words from index at on.
func from(words []uint32, at int64) func(int64, []uint32) {
	return func(i int64, to []uint32) { copy(to, words[at+i:]) }
}

// download reads n words of src from word at on, through the first half of the staging of uploads, and
// hands them to take in parts.
func (p *Processor) download(src device.Buffer, at, n int64, take func(words []uint32)) error {
	for end := at + n; at < end; {
		words := p.staged[:min(int64(len(p.staged)/2), end-at)]
		p.read(p.uploads, 0, src, 4*at, 4*int64(len(words)))
		if err := p.finish(); err != nil {
			return err
		}
		take(words)
		at += int64(len(words))
	}
	return p.err
}

// finish waits for all commands.
func (p *Processor) finish() error {
	if p.err == nil {
		p.err = p.stream.Finish()
	}
	if p.err == nil {
		p.stagedUsed = 0
	}
	return p.err
}

// record returns an event that completes with all commands so far.
func (p *Processor) record() (e device.Event) {
	if p.err == nil {
		e, p.err = p.stream.Record()
	}
	return e
}

// await waits for an event and frees it; a nil event is complete.
func (p *Processor) await(e *device.Event) error {
	if *e == nil {
		return p.err
	}
	if p.err == nil {
		p.err = (*e).Wait()
	}
	if err := (*e).Free(); p.err == nil {
		p.err = err
	}
	*e = nil
	if p.meter.idle() {
		p.stagedUsed = 0
	}
	return p.err
}

// drain waits for all commands of a run that failed.
func (p *Processor) drain() error {
	if p.stream == nil || p.meter.idle() {
		return nil
	}
	p.stagedUsed = 0
	return p.stream.Finish()
}
