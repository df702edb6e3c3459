//go:build !race

package gpu_test

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// poisoned is a device whose new memory, on both sides, holds a pattern. What reads
// memory that nobody wrote gets it, and with several patterns cannot always be right.
type poisoned struct {
	device.Device
	word uint32
}

func (p poisoned) NewBuffer(bytes int64) (device.Buffer, error) {
	b, err := p.Device.NewBuffer((bytes + 3) &^ 3)
	if err != nil {
		return nil, err
	}
	s, err := p.NewStream()
	if err == nil {
		err = s.Fill(b, 0, b.Size()&^3, p.word)
		if err == nil {
			err = s.Finish()
		}
		if ferr := s.Free(); err == nil {
			err = ferr
		}
	}
	if err != nil {
		_ = b.Free() // the first error counts
		return nil, err
	}
	return b, nil
}

func (p poisoned) NewStaging(bytes int64) (device.Staging, error) {
	s, err := p.Device.NewStaging(bytes)
	if err == nil {
		for i := range s.Bytes() {
			s.Bytes()[i] = byte(p.word)
		}
	}
	return s, err
}

// poisons are the patterns: no bits, all bits, some.
var poisons = []uint32{0, 0xffffffff, 0xa5a5a5a5}

// TestUninitialised runs the kit on memory that holds a pattern at first: no result
// depends on memory that was not written.
func TestUninitialised(t *testing.T) {
	dev := openCL(t)
	for i, word := range poisons {
		t.Run(fmt.Sprintf("pattern=%08x", word), func(t *testing.T) {
			p := poisoned{dev, word}
			checkPoison(t, p)
			program := build(t, p, gpu.BuildOptions{GroupSize: 64})
			sampleSearches(t, i, 30, factory(program, gpu.Options{}))
		})
	}
}

// checkPoison reads a new buffer back: the pattern is there.
func checkPoison(t *testing.T, p poisoned) {
	t.Helper()
	b, err := p.NewBuffer(1 << 10)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	host, err := p.Device.NewStaging(1 << 10)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Free()
	s, err := p.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	if err := s.Read(host, 0, b, 0, 1<<10); err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	for i, w := range unsafe.Slice((*uint32)(unsafe.Pointer(&host.Bytes()[0])), 1<<8) {
		if w != p.word {
			t.Fatalf("word %d of a new buffer is %08x, want %08x", i, w, p.word)
		}
	}
}

// TestValuesUninitialised is TestUninitialised of programs.
func TestValuesUninitialised(t *testing.T) {
	dev := openCL(t)
	for i, word := range poisons {
		t.Run(fmt.Sprintf("pattern=%08x", word), func(t *testing.T) {
			samplePrograms(t, i, len(poisons), factory(build(t, poisoned{dev, word}, gpu.BuildOptions{GroupSize: 64}), gpu.Options{}))
		})
	}
}
