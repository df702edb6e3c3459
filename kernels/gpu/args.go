package gpu

import "github.com/totemgo/totemgo/kernels/gpu/device"

// arguments are those of one kernel. Each type below lists the parameters of its kernels
// in package src, in their order; buffers of the search are named as in Processor.
type arguments interface{ args() []device.Arg }

// pushArgs are those of topdown_thread and topdown_group: the frontier is list[at …
// at+vertices−1], ranks of rows whose first has rank first.
type pushArgs struct {
	rows                rows
	list                device.Buffer
	at, vertices, first uint32
	seen, next, parent  device.Buffer
}

func (a pushArgs) args() []device.Arg {
	return []device.Arg{device.Buf(a.rows.offsets), device.Buf(a.rows.neighbours), device.Buf(a.list), device.U32(a.at),
		device.U32(a.vertices), device.U32(a.first), device.Buf(a.seen), device.Buf(a.next), device.Buf(a.parent)}
}

// warpArgs are those of topdown_warp, with virtual warps of so many lanes.
type warpArgs struct {
	pushArgs
	lanes uint32
}

func (a warpArgs) args() []device.Arg { return append(a.pushArgs.args(), device.U32(a.lanes)) }

// edgeArgs are those of topdown_edge; sums and totals are what edge_degrees and
// edge_totals left.
type edgeArgs struct {
	pushArgs
	sums, totals device.Buffer
	blocks, arcs uint32
}

func (a edgeArgs) args() []device.Arg {
	return append(a.pushArgs.args(), device.Buf(a.sums), device.Buf(a.totals), device.U32(a.blocks), device.U32(a.arcs))
}

// degreesArgs are those of edge_degrees: of the push that follows, with blocks and arcs
// unused.
type degreesArgs struct{ edgeArgs }

func (a degreesArgs) args() []device.Arg {
	return []device.Arg{device.Buf(a.rows.offsets), device.Buf(a.list), device.U32(a.at), device.U32(a.vertices),
		device.U32(a.first), device.Buf(a.sums), device.Buf(a.totals)}
}

// totalsArgs are those of edge_totals.
type totalsArgs struct {
	totals device.Buffer
	blocks uint32
}

func (a totalsArgs) args() []device.Arg {
	return []device.Arg{device.Buf(a.totals), device.U32(a.blocks)}
}

// thinArgs are those of topdown_thin; inOffsets give the in-degrees.
type thinArgs struct {
	rows                rows
	inOffsets, list     device.Buffer
	at, vertices, first uint32
	seen, front, parent device.Buffer
	levels              uint32
	counters            device.Buffer
}

func (a thinArgs) args() []device.Arg {
	return []device.Arg{device.Buf(a.rows.offsets), device.Buf(a.rows.neighbours), device.Buf(a.inOffsets), device.Buf(a.list),
		device.U32(a.at), device.U32(a.vertices), device.U32(a.first), device.Buf(a.seen), device.Buf(a.front),
		device.Buf(a.parent), device.U32(a.levels), device.Buf(a.counters)}
}

// countArgs are where a bottom-up kernel adds the entries it reads, if counting is 1.
type countArgs struct {
	counters device.Buffer
	examined uint32 // index in counters
	counting uint32
}

func (a countArgs) args() []device.Arg {
	return []device.Arg{device.Buf(a.counters), device.U32(a.examined), device.U32(a.counting)}
}

// pullArgs are what bottom-up kernels share.
type pullArgs struct {
	rows                      rows
	front, seen, next, parent device.Buffer
	first                     uint32 // rank of the chunk's first row
	count                     countArgs
}

// probeArgs are those of bottomup_probe: the vertices that it leaves go to list[at …],
// their number to lengths[length]. hub is the first word of the window of the frontier
// that is kept in shared memory.
type probeArgs struct {
	pullArgs
	vertices    uint32
	list        device.Buffer
	at          uint32
	lengths     device.Buffer
	length, hub uint32
}

func (a probeArgs) args() []device.Arg {
	return append([]device.Arg{device.Buf(a.rows.first), device.Buf(a.front), device.Buf(a.seen), device.Buf(a.next),
		device.Buf(a.parent), device.U32(a.first), device.U32(a.vertices), device.Buf(a.list), device.U32(a.at),
		device.Buf(a.lengths), device.U32(a.length), device.U32(a.hub)}, a.count.args()...)
}

// scanArgs are those of bottomup_scan: it reads list[at …], lengths[length] vertices, each
// row from entry skip on, and leaves those without a parent in missed[at …], their number
// in lengths[missedLength].
type scanArgs struct {
	pullArgs
	list, missed               device.Buffer
	at                         uint32
	lengths                    device.Buffer
	length, missedLength, skip uint32
}

func (a scanArgs) args() []device.Arg {
	return append([]device.Arg{device.Buf(a.rows.offsets), device.Buf(a.rows.neighbours), device.Buf(a.front),
		device.Buf(a.seen), device.Buf(a.next), device.Buf(a.parent), device.U32(a.first), device.Buf(a.list),
		device.Buf(a.missed), device.U32(a.at), device.Buf(a.lengths), device.U32(a.length), device.U32(a.missedLength),
		device.U32(a.skip)}, a.count.args()...)
}

// wordArgs are those of bottomup_word.
type wordArgs struct {
	pullArgs
	vertices uint32
}

func (a wordArgs) args() []device.Arg {
	return append([]device.Arg{device.Buf(a.rows.offsets), device.Buf(a.rows.neighbours), device.Buf(a.front),
		device.Buf(a.seen), device.Buf(a.next), device.Buf(a.parent), device.U32(a.first), device.U32(a.vertices)},
		a.count.args()...)
}

// frontierArgs are those of frontier_list: the set bits of next among the ranks first …
// first+vertices−1 go to list[at …], their number and degrees to counters[count …].
type frontierArgs struct {
	next                  device.Buffer
	first, vertices       uint32
	outOffsets, inOffsets device.Buffer
	list                  device.Buffer
	at                    uint32
	counters              device.Buffer
	count                 uint32
}

func (a frontierArgs) args() []device.Arg {
	return []device.Arg{device.Buf(a.next), device.U32(a.first), device.U32(a.vertices), device.Buf(a.outOffsets),
		device.Buf(a.inOffsets), device.Buf(a.list), device.U32(a.at), device.Buf(a.counters), device.U32(a.count)}
}

// claimsArgs are those of message_list: the set bits of next in words word …
// word+words−1 go to list[word …], as many ranks as words; their number to counters[count].
type claimsArgs struct {
	next        device.Buffer
	word, words uint32
	list        device.Buffer
	counters    device.Buffer
	count       uint32
}

func (a claimsArgs) args() []device.Arg {
	return []device.Arg{device.Buf(a.next), device.U32(a.word), device.U32(a.words), device.U32(a.words), device.Buf(a.list),
		device.Buf(a.counters), device.U32(a.count)}
}

// messageArgs are a message in a buffer: n ranks, or as bits n words of the range that
// begins at word.
type messageArgs struct {
	message device.Buffer
	isList  bool
	word, n uint32
}

func (a messageArgs) args() []device.Arg {
	args := []device.Arg{device.Buf(a.message), device.U32(0)}
	if !a.isList {
		args = append(args, device.U32(a.word))
	}
	return append(args, device.U32(a.n))
}

// gatherArgs are those of gather_list and gather_bits.
type gatherArgs struct {
	messageArgs
	front, seen device.Buffer
}

func (a gatherArgs) args() []device.Arg {
	return append(a.messageArgs.args(), device.Buf(a.front), device.Buf(a.seen))
}

// mergeArgs are those of merge_list and merge_bits; finder[shift+rank] is a rank's byte.
type mergeArgs struct {
	messageArgs
	seen, next, finder device.Buffer
	shift, sender      uint32
}

func (a mergeArgs) args() []device.Arg {
	return append(a.messageArgs.args(), device.Buf(a.seen), device.Buf(a.next), device.Buf(a.finder), device.U32(a.shift),
		device.U32(a.sender))
}

// remoteArgs are those of foreign_list: the visited ranks first … first+vertices−1 whose
// finder is partition q go to list, their number to counters[count].
type remoteArgs struct {
	seen, finder              device.Buffer
	shift, first, vertices, q uint32
	list, counters            device.Buffer
	count                     uint32
}

func (a remoteArgs) args() []device.Arg {
	return []device.Arg{device.Buf(a.seen), device.Buf(a.finder), device.U32(a.shift), device.U32(a.first),
		device.U32(a.vertices), device.U32(a.q), device.Buf(a.list), device.Buf(a.counters), device.U32(a.count)}
}

// parentArgs are those of answer (n ranks, replaced by their parents) and of adopt (n
// ranks and after them their parents).
type parentArgs struct {
	ranks  device.Buffer
	n      uint32
	parent device.Buffer
}

func (a parentArgs) args() []device.Arg {
	return []device.Arg{device.Buf(a.ranks), device.U32(a.n), device.Buf(a.parent)}
}

// verticesArgs are those of to_vertices: the parents of ranks first … first+vertices−1 go
// to result[at …] as vertex ids.
type verticesArgs struct {
	parent, seen, vertexOf device.Buffer
	first, vertices        uint32
	result                 device.Buffer
	at                     uint32
}

func (a verticesArgs) args() []device.Arg {
	return []device.Arg{device.Buf(a.parent), device.Buf(a.seen), device.Buf(a.vertexOf), device.U32(a.first),
		device.U32(a.vertices), device.Buf(a.result), device.U32(a.at)}
}
