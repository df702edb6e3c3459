package memfault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/hugetest"
	"github.com/totemgo/totemgo/internal/memfault"
)

func TestCatch(t *testing.T) {
	guard := hugetest.Guard(t)
	block := hugemem.Make[uint64](1 << 12)
	guard.Stop()
	defer block.Free()
	if err := guard.Protect(hugetest.None); err != nil {
		t.Fatal(err)
	}
	defer guard.Protect(hugetest.ReadWrite)
	made := errors.New("made")
	sum := uint64(0)
	err := memfault.Catch(func() error { sum += block.S[7]; return nil }, func(fault error) error { return fmt.Errorf("%w: %w", made, fault) })
	if !errors.Is(err, made) {
		t.Errorf("a fault: %v", err)
	}
	own := errors.New("own")
	if err := memfault.Catch(func() error { return own }, nil); err != own {
		t.Errorf("an error: %v", err)
	}
	defer func() {
		if r := recover(); r != "other" {
			t.Errorf("another panic: %v", r)
		}
	}()
	_ = memfault.Catch(func() error { panic("other") }, nil)
}
