package fake

import (
	"math/bits"
	"slices"
)

const none = 1<<32 - 1

// Twins returns the kernels of kernels/gpu/src as serial Go, by name. Each takes the
// arguments of its kernel in their order; what they do stands there.
func Twins() map[string]Kernel {
	return map[string]Kernel{
		"topdown_thread": topDown,
		"topdown_warp":   topDown,
		"topdown_group":  topDown,
		"edge_degrees":   edgeDegrees,
		"edge_totals":    edgeTotals,
		"topdown_edge":   topDownEdge,
		"topdown_thin":   topDownThin,
		"bottomup_probe": bottomUpProbe,
		"bottomup_scan":  bottomUpScan,
		"bottomup_word":  bottomUpWord,
		"frontier_list":  frontierList,
		"message_list":   messageList,
		"gather_bits":    gatherBits,
		"gather_list":    gatherList,
		"merge_bits":     mergeBits,
		"merge_list":     mergeList,
		"foreign_list":   foreignList,
		"answer":         answer,
		"adopt":          adopt,
		"to_vertices":    toVertices,
	}
}

func has(words []uint32, v uint32) bool { return words[v/32]>>(v%32)&1 != 0 }

func set(words []uint32, v uint32) { words[v/32] |= 1 << (v % 32) }

func claim(seen, next, parent []uint32, u, v uint32) {
	if !has(seen, v) {
		set(seen, v)
		set(next, v)
		parent[v] = u
	}
}

// setBits returns the ranks of the bits of a word.
func setBits(word, first uint32) (list []uint32) {
	for ; word != 0; word &= word - 1 {
		list = append(list, first+uint32(bits.TrailingZeros32(word)))
	}
	return list
}

func topDown(c Call) {
	row, col, list, at, n, first := c.Words(0), c.Words(1), c.Words(2), c.U32(3), c.U32(4), c.U32(5)
	for _, u := range list[at : at+n] {
		for _, v := range col[row[u-first]:row[u-first+1]] {
			claim(c.Words(6), c.Words(7), c.Words(8), u, v)
		}
	}
}

func edgeDegrees(c Call) {
	row, list, at, n, first := c.Words(0), c.Words(1), c.U32(2), c.U32(3), c.U32(4)
	sums, totals, group := c.Words(5), c.Words(6), uint32(c.GroupSize())
	for block := uint32(0); block*group < n; block++ {
		sum := uint32(0)
		for i := block * group; i < (block+1)*group; i++ {
			if i < n {
				sum += row[list[at+i]-first+1] - row[list[at+i]-first]
			}
			sums[i] = sum
		}
		totals[block] = sum
	}
}

func edgeTotals(c Call) {
	sum := uint32(0)
	for i := range c.Words(0)[:c.U32(1)] {
		c.Words(0)[i], sum = sum, sum+c.Words(0)[i]
	}
}

func topDownEdge(c Call) {
	row, col, list, at, n, first := c.Words(0), c.Words(1), c.Words(2), c.U32(3), c.U32(4), c.U32(5)
	sums, totals, blocks, group := c.Words(9), c.Words(10), c.U32(11), uint32(c.GroupSize())
	for e := uint32(0); e < c.U32(12); e++ {
		block := uint32(0)
		for block+1 < blocks && totals[block+1] <= e {
			block++
		}
		rest, i := e-totals[block], block*group
		for i+1 < min(n, (block+1)*group) && sums[i] <= rest {
			i++
		}
		if i > block*group {
			rest -= sums[i-1]
		}
		u := list[at+i]
		claim(c.Words(6), c.Words(7), c.Words(8), u, col[row[u-first]+rest])
	}
}

// thinArcs is THIN, with which the kernels are built.
const thinArcs = 4

func topDownThin(c Call) {
	row, col, in, list, first := c.Words(0), c.Words(1), c.Words(2), c.Words(3)[c.U32(4):], c.U32(6)
	seen, front, parent, counters := c.Words(7), c.Words(8), c.Words(9), c.Words(11)
	frontier, group := slices.Clone(list[:c.U32(5)]), uint32(c.GroupSize())
	for _, v := range frontier {
		front[v/32] &^= 1 << (v % 32)
	}
	level := uint32(0)
	for more := true; more; {
		var found []uint32
		shape := counters[1+4*level:][:4]
		clear(shape)
		for _, u := range frontier {
			for _, v := range col[row[u-first]:row[u-first+1]] {
				if has(seen, v) {
					continue
				}
				set(seen, v)
				parent[v] = u
				found = append(found, v)
				degree := row[v-first+1] - row[v-first]
				shape[0]++
				shape[1] += degree
				shape[2] += in[v-first+1] - in[v-first]
				shape[3] = max(shape[3], degree)
			}
		}
		frontier = found
		level++
		more = level < c.U32(10) && shape[0] > 0 && shape[0] <= group && max(shape[1], shape[2]) <= thinArcs*group
	}
	copy(list, frontier)
	for _, v := range frontier {
		set(front, v)
	}
	counters[0] = level
}

func bottomUpProbe(c Call) {
	one, front, seen, next, parent := c.Words(0), c.Words(1), c.Words(2), c.Words(3), c.Words(4)
	first, rows, list, at, length, hub := c.U32(5), c.U32(6), c.Words(7), c.U32(8), &c.Words(9)[c.U32(10)], c.U32(11)
	_ = front[hub]
	probed := uint32(0)
	for i := uint32(0); i < rows; i++ {
		v, u := first+i, one[i]
		switch {
		case has(seen, v) || u == none:
		case has(front, u):
			probed++
			claim(seen, next, parent, u, v)
		default:
			probed++
			list[at+*length] = v
			*length++
		}
	}
	if c.U32(14) != 0 {
		c.Words(12)[c.U32(13)] += probed
	}
}

func bottomUpScan(c Call) {
	row, col, front, seen, next, parent := c.Words(0), c.Words(1), c.Words(2), c.Words(3), c.Words(4), c.Words(5)
	first, list, rest, at, lengths := c.U32(6), c.Words(7), c.Words(8), c.U32(9), c.Words(10)
	left, skip := &lengths[c.U32(12)], c.U32(13)
	reads := uint32(0)
	for _, v := range list[at : at+lengths[c.U32(11)]] {
		if has(seen, v) {
			continue
		}
		arcs := col[row[v-first]:row[v-first+1]]
		k := slices.IndexFunc(arcs[skip:], func(u uint32) bool { return has(front, u) })
		if k < 0 {
			reads += uint32(len(arcs)) - skip
			rest[at+*left] = v
			*left++
			continue
		}
		reads += uint32(k) + 1
		claim(seen, next, parent, arcs[int(skip)+k], v)
	}
	if c.U32(16) != 0 {
		c.Words(14)[c.U32(15)] += reads
	}
}

func bottomUpWord(c Call) {
	row, col, front, seen, next, parent := c.Words(0), c.Words(1), c.Words(2), c.Words(3), c.Words(4), c.Words(5)
	reads := uint32(0)
	for i, first := uint32(0), c.U32(6); i < c.U32(7); i++ {
		if has(seen, first+i) {
			continue
		}
		for _, u := range col[row[i]:row[i+1]] {
			reads++
			if has(front, u) {
				claim(seen, next, parent, u, first+i)
				break
			}
		}
	}
	if c.U32(10) != 0 {
		c.Words(8)[c.U32(9)] += reads
	}
}

func frontierList(c Call) {
	words, first, rows, out, in := c.Words(0), c.U32(1), c.U32(2), c.Words(3), c.Words(4)
	list, at, counts := c.Words(5), c.U32(6), c.Words(7)[c.U32(8):]
	for i := uint32(0); i < rows; i++ {
		if has(words, first+i) {
			list[at+counts[0]] = first + i
			counts[0]++
			counts[1] += out[i+1] - out[i]
			counts[2] += in[i+1] - in[i]
			counts[3] = max(counts[3], out[i+1]-out[i])
		}
	}
}

func messageList(c Call) {
	words, word, n, limit, list, count := c.Words(0), c.U32(1), c.U32(2), c.U32(3), c.Words(4), &c.Words(5)[c.U32(6)]
	for i := word; i < word+n; i++ {
		for _, v := range setBits(words[i], 32*i) {
			if *count < limit {
				list[word+*count] = v
			}
			*count++
		}
	}
}

func gatherBits(c Call) {
	for i, word := range c.Words(0)[c.U32(1) : c.U32(1)+c.U32(3)] {
		c.Words(4)[c.U32(2)+uint32(i)] = word
		c.Words(5)[c.U32(2)+uint32(i)] |= word
	}
}

func gatherList(c Call) {
	for _, v := range c.Words(0)[c.U32(1) : c.U32(1)+c.U32(2)] {
		set(c.Words(3), v)
		set(c.Words(4), v)
	}
}

// merge visits v if it is new, found by sender.
func merge(seen, next []uint32, finder []byte, shift, sender, v uint32) {
	if !has(seen, v) {
		set(seen, v)
		set(next, v)
		finder[shift+v] = byte(sender)
	}
}

func mergeBits(c Call) {
	in, at, word, n := c.Words(0), c.U32(1), c.U32(2), c.U32(3)
	for i := uint32(0); i < n; i++ {
		for _, v := range setBits(in[at+i], 32*(word+i)) {
			merge(c.Words(4), c.Words(5), c.Bytes(6), c.U32(7), c.U32(8), v)
		}
	}
}

func mergeList(c Call) {
	for _, v := range c.Words(0)[c.U32(1) : c.U32(1)+c.U32(2)] {
		merge(c.Words(3), c.Words(4), c.Bytes(5), c.U32(6), c.U32(7), v)
	}
}

func foreignList(c Call) {
	seen, finder, shift, first, rows, q := c.Words(0), c.Bytes(1), c.U32(2), c.U32(3), c.U32(4), c.U32(5)
	list, count := c.Words(6), &c.Words(7)[c.U32(8)]
	for v := first; v < first+rows; v++ {
		if has(seen, v) && uint32(finder[shift+v]) == q {
			list[*count] = v
			*count++
		}
	}
}

func answer(c Call) {
	for i, v := range c.Words(0)[:c.U32(1)] {
		c.Words(0)[i] = c.Words(2)[v]
	}
}

func adopt(c Call) {
	n := c.U32(1)
	for i := uint32(0); i < n; i++ {
		c.Words(2)[c.Words(0)[i]] = c.Words(0)[n+i]
	}
}

func toVertices(c Call) {
	first := c.U32(3)
	for i := uint32(0); i < c.U32(4); i++ {
		c.Words(5)[c.U32(6)+i] = none
		if has(c.Words(1), first+i) {
			c.Words(5)[c.U32(6)+i] = c.Words(2)[c.Words(0)[first+i]]
		}
	}
}
