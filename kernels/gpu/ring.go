package gpu

import "github.com/totemgo/totemgo/kernels/gpu/device"

// Bounds of the ring's size, in bytes.
const (
	ringSmallest = 64 << 10
	ringLargest  = 8 << 20
)

// ring uploads words through staging memory, which it reuses once the stream has finished.
type ring struct {
	stream  device.Stream
	staging device.Staging
	words   []uint32
	used    int
}

// finished frees all staging; call it when all copies are complete.
func (r *ring) finished() { r.used = 0 }

// room returns 1 to n free words; it waits for the stream if there are none.
func (r *ring) room(n int64) ([]uint32, error) {
	if r.used == len(r.words) || (r.used > 0 && int64(len(r.words)-r.used) < n && n <= int64(len(r.words))) {
		if err := r.stream.Finish(); err != nil {
			return nil, err
		}
		r.used = 0
	}
	return r.words[r.used:min(int64(len(r.words)), int64(r.used)+n)], nil
}

// send enqueues the copy of the first n words that room returned to dst, from word at.
func (r *ring) send(dst device.Buffer, at int64, n int) error {
	err := r.stream.Write(dst, 4*at, r.staging, 4*int64(r.used), 4*int64(n))
	r.used += n
	return err
}

// copy uploads words to dst from word at.
func (r *ring) copy(dst device.Buffer, at int64, words []uint32) error {
	for len(words) > 0 {
		to, err := r.room(int64(len(words)))
		if err != nil {
			return err
		}
		n := copy(to, words)
		if err := r.send(dst, at, n); err != nil {
			return err
		}
		at, words = at+int64(n), words[n:]
	}
	return nil
}

// write uploads n words to dst; fill(at, words) sets words at … at+len(words)−1.
func (r *ring) write(dst device.Buffer, n int64, fill func(at int64, words []uint32)) error {
	for at := int64(0); at < n; {
		to, err := r.room(n - at)
		if err != nil {
			return err
		}
		fill(at, to)
		if err := r.send(dst, at, len(to)); err != nil {
			return err
		}
		at += int64(len(to))
	}
	return nil
}
