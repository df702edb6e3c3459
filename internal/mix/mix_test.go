package mix

import (
	"math"
	"testing"
)

// The first numbers of SplitMix64 from state 1234567.
func TestMix(t *testing.T) {
	state := uint64(1234567)
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431} {
		state += Golden
		if got := Mix(state); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
}

func TestBelow(t *testing.T) {
	for _, c := range []struct{ x, n, want uint64 }{
		{0, 10, 0}, {math.MaxUint64, 10, 9}, {1 << 63, 10, 5}, {77, 0, 77}, {math.MaxUint64, 1, 0},
	} {
		if got := Below(c.x, c.n); got != c.want {
			t.Errorf("%d below %d: %d, want %d", c.x, c.n, got, c.want)
		}
	}
}
