package partition

import (
	"math/bits"
	"slices"

	"github.com/totemgo/totemgo/graph"
)

// sorter is one worker's memory for sorting rows.
type sorter struct {
	spare []uint32
	pairs []keyAt
}

type keyAt struct {
	key uint32
	at  uint32
}

// radixFrom is the row length from which on a radix sort beats slices.Sort.
const radixFrom = 192

// sort sorts distinct keys below top.
func (s *sorter) sort(row []uint32, top uint32) {
	n := len(row)
	if n <= 20 {
		for i := 1; i < n; i++ {
			x, j := row[i], i
			for j > 0 && row[j-1] > x {
				row[j] = row[j-1]
				j--
			}
			row[j] = x
		}
		return
	}
	if n < radixFrom {
		slices.Sort(row)
		return
	}
	s.spare = grow(s.spare, n)
	a, b := row, s.spare
	width := bits.Len32(top)
	passes := (width + 7) / 8
	if n > 1<<13 {
		passes = (width + 10) / 11
	}
	per := uint((width + passes - 1) / passes)
	mask := uint32(1)<<per - 1
	for shift := uint(0); shift < uint(width); shift += per {
		var count [1<<11 + 1]uint32
		for _, x := range a {
			count[(x>>shift)&mask+1]++
		}
		for i := uint32(0); i < mask; i++ {
			count[i+1] += count[i]
		}
		for _, x := range a {
			d := x >> shift & mask
			b[count[d]] = x
			count[d]++
		}
		a, b = b, a
	}
	if &a[0] != &row[0] {
		copy(row, a)
	}
}

// sortWeighted sorts keys and brings their weights, from src at from, into dst at to.
func (s *sorter) sortWeighted(row []uint32, src graph.Weights, from int, dst graph.Weights, to int) {
	if cap(s.pairs) < len(row) {
		s.pairs = make([]keyAt, len(row)+len(row)/4)
	}
	pairs := s.pairs[:len(row)]
	for i, k := range row {
		pairs[i] = keyAt{k, uint32(i)}
	}
	slices.SortFunc(pairs, func(a, b keyAt) int {
		if a.key < b.key {
			return -1
		}
		return 1
	})
	for i, p := range pairs {
		row[i] = p.key
		dst.Copy(to+i, src, from+int(p.at))
	}
}
