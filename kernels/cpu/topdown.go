package cpu

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
)

const (
	// hubArcs is the row length from which on a row is cut into chunks of arcs.
	hubArcs = 1 << 14
	// takeVertices is how many frontier vertices a thread takes at a time.
	takeVertices = 64
	// bucketShift: so many bits of a rank do not tell its bucket of arcs. The parents of
	// a bucket stay in the second-level cache.
	bucketShift = 15
	// bucketArcs is how many arcs a thread sorts before the buckets are claimed: it
	// bounds their memory.
	bucketArcs = 1 << 19
	// spreadAhead is how many rows before they are written their targets are asked for.
	spreadAhead = 3
	// aloneRanks is the size of rank space up to which buckets do not pay on one thread.
	aloneRanks = 1 << 24
)

// way is how a top-down step pushes.
type way uint8

const (
	serial          way = iota // one thread claims vertex by vertex
	ownRanks                   // threads own runs of ranks, and send each other arcs
	rangeSplit                 // threads own runs of ranks, and take of each row what leads there
	rangeScatter               // the same; arcs are written untested, and settled in a pass
	bucketed                   // arcs are sorted by target, and claimed bucket by bucket
	bucketedScatter            // arcs are sorted by target, written untested, and settled in a pass
	directScatter              // arcs are written untested and unsorted, and settled in a pass
)

func (w way) String() string {
	return [...]string{"serial", "own-ranks", "range-split", "range-scatter", "bucketed", "bucketed-scatter", "direct-scatter"}[w]
}

// choose says how to expand the frontier's list. An untested step passes over all ranks
// in the end, and is for many arcs.
func (p *Processor) choose() way {
	if p.scatters() {
		return rangeScatter
	}
	if p.splits() {
		return rangeSplit
	}
	if p.fewArcs() {
		return serial
	}
	if p.front.arcs < 0 {
		p.front.arcs, _ = p.arcsOfList(math.MaxInt64)
	}
	untested := 8*p.front.arcs > p.tuning.Blind*int64(p.part.Ranks)
	switch {
	case p.threads == 1 && p.part.Ranks <= aloneRanks:
		return serial
	case untested && p.set.spread != nil:
		return directScatter
	case untested:
		return bucketedScatter
	case p.threads > 1 && p.front.arcs <= p.tuning.Share:
		return ownRanks
	}
	return bucketed
}

// row is the out-row of an own rank.
func (p *Processor) row(u uint32) []uint32 {
	s := p.subOf(u)
	lo, hi := s.Out.Row(u - s.First)
	return s.Out.Neighbours[lo:hi]
}

// vertex is the id of an own rank. Where ranks are ids it reads no memory: on a mesh a
// frontier's vertices lie on as many pages.
func (p *Processor) vertex(rank uint32) uint32 {
	if p.identity {
		return rank
	}
	return p.part.VertexOf[rank]
}

// scatters tells whether the frontier has so many arcs, in such long rows, that
// writing all of them is cheaper than testing each.
func (p *Processor) scatters() bool {
	if p.threads > 1 && !p.part.RowsSorted {
		return false
	}
	if p.front.arcs < 0 {
		p.front.arcs, _ = p.arcsOfList(math.MaxInt64)
	}
	segments := int64(1)
	if p.part.RowsSorted {
		segments += int64(p.part.Ranks) / p.tuning.Segment
	}
	return 8*p.front.arcs > p.tuning.Scatter*int64(p.part.Ranks) && p.front.arcs > p.tuning.ScatterRow*segments*int64(len(p.front.list))
}

// cursor is the vertex id of a frontier vertex and the rest of its row.
type cursor struct {
	row []uint32
	id  uint32
}

// pushRangeScatter expands the frontier's list without a test or an atomic: every arc
// writes its source at its target's place in scatter, and what stands there at last
// is the parent of a vertex not seen. Threads share rank space, not the frontier:
// each takes a run of ranks, and of each row, which rises, the part that leads there.
func (p *Processor) pushRangeScatter() {
	cuts := p.cutRanks()
	p.team.Run(func(id int) { p.scatterRun(&p.workers[id], cuts[id], cuts[id+1]) })
	p.untested()
}

// untested ends a step that has left in next the bits of all that it found: of foreign
// ranges too, which is not this partition's frontier.
func (p *Processor) untested() {
	if p.front.bounded {
		p.front.arcs, _ = p.arcsOfList(math.MaxInt64)
	}
	p.workers[0].examined = p.front.arcs
	p.next.form, p.claimedOut = asBits, p.rangeOf != nil
	if p.rangeOf == nil {
		return
	}
	for i := range p.workers {
		p.workers[i].next = 0
	}
	for _, o := range p.own {
		for _, w := range p.next.bits[o.sub.First/64 : o.sub.Padded()/64] {
			p.workers[0].next += int64(bits.OnesCount64(w))
		}
	}
}

// cutRanks cuts rank space into a run for each thread such that the longest row of
// the frontier is cut evenly.
func (p *Processor) cutRanks() []uint32 {
	p.cuts = append(p.cuts[:0], 0)
	if p.threads > 1 {
		longest := p.row(p.front.list[0])
		for _, u := range p.front.list {
			if r := p.row(u); len(r) > len(longest) {
				longest = r
			}
		}
		for t := 1; t < p.threads; t++ {
			cut := uint32(0)
			if len(longest) > 0 { // arcs were bounded, not counted: there may be none
				cut = longest[len(longest)*t/p.threads] &^ 63
			}
			p.cuts = append(p.cuts, cut)
		}
	}
	p.cuts = append(p.cuts, p.part.Ranks)
	return p.cuts
}

// scatterRun is one thread's part of pushRangeScatter: the ranks from … to−1.
func (p *Processor) scatterRun(w *worker, from, to uint32) {
	w.cursors = w.cursors[:0]
	for _, u := range p.front.list {
		row := p.row(u)
		if from > 0 {
			k, _ := slices.BinarySearch(row, from)
			row = row[k:]
		}
		if len(row) > 0 {
			w.cursors = append(w.cursors, cursor{row, p.vertex(u)})
		}
	}
	size := uint32(min(p.tuning.Segment, math.MaxUint32))
	if !p.part.RowsSorted {
		size = to // one segment: rows are in no order of ranks
	}
	for from < to {
		end := to
		if to-from > size {
			end = from + size
		}
		segment := p.scatter[from:end]
		for i := range w.cursors {
			c := &w.cursors[i]
			c.row = c.row[scatterRow(segment, from, c.row, c.id):]
		}
		for lo := from / 64; lo < end/64; lo += blockWords {
			hi := min(lo+blockWords, end/64)
			next := p.next.bits[lo:hi]
			p.set.settle(p.scatter[lo*64:hi*64], p.seen[lo:hi], next, p.parent[lo*64:hi*64])
			for _, word := range next {
				w.next += int64(bits.OnesCount64(word))
			}
		}
		from = end
	}
}

// scatterRow writes u at the place of every entry of row up to the first one beyond
// segment, whose first rank is first, and returns how many it wrote.
func scatterRow(segment []uint32, first uint32, row []uint32, u uint32) int {
	for i, v := range row {
		at := v - first
		if uint(at) >= uint(len(segment)) {
			return i
		}
		segment[at] = u
	}
	return len(row)
}

// splits tells whether the frontier's rows are long enough to be cut between threads.
func (p *Processor) splits() bool {
	return p.threads > 1 && p.part.RowsSorted && p.rangeOf == nil && p.front.arcs > p.tuning.Serial &&
		p.front.arcs > p.tuning.Split*int64(p.threads)*int64(len(p.front.list))
}

// pushRangeSplit expands the frontier's list without atomics: as in pushRangeScatter, each
// thread takes of every row the part that leads to its run of ranks. The new frontier
// is left as a list and as bits.
func (p *Processor) pushRangeSplit() {
	cuts := p.cutRanks()
	p.team.Run(func(id int) {
		w := &p.workers[id]
		w.found = w.found[:0]
		from, to := cuts[id], cuts[id+1]
		clear(p.next.bits[from/64 : to/64])
		for _, u := range p.front.list {
			row := p.row(u)
			if from > 0 {
				k, _ := slices.BinarySearch(row, from)
				row = row[k:]
			}
			if to < p.part.Ranks {
				k, _ := slices.BinarySearch(row, to)
				row = row[:k]
			}
			w.examined += int64(len(row))
			w.found = claimBits(row, p.vertex(u), p.seen, p.next.bits, p.parent, w.found)
		}
	})
	p.collect(p.threads)
	p.next.form = asBoth
}

// claimBits visits the unvisited vertices of row for u, and sets the bits of next.
func claimBits(row []uint32, u uint32, seen, next []uint64, parent []uint32, found []uint32) []uint32 {
	for _, v := range row {
		word, bit := &seen[v/64], uint64(1)<<(v%64)
		if *word&bit != 0 {
			continue
		}
		*word |= bit
		next[v/64] |= bit
		parent[v] = u
		found = append(found, v)
	}
	return found
}

// pushSerial expands the frontier's list on one thread.
func (p *Processor) pushSerial() {
	w := &p.workers[0]
	w.found = w.found[:0]
	for list := p.front.list; len(list) > 0; {
		n := min(len(list), takeVertices)
		p.prefetch(w, list[:n])
		p.claimRows(w, list[:n])
		list = list[n:]
	}
	p.divide(w)
	p.collect(1)
}

// pushBucketed sorts the frontier's arcs, those that lead to unvisited vertices or all, into
// buckets by the ranks they lead to; then each bucket is claimed by one thread: what it
// reads and writes stays in its cache, and no word is shared.
func (p *Processor) pushBucketed() {
	list := p.front.list
	for i := range p.workers {
		p.workers[i].found = p.workers[i].found[:0]
	}
	// Bits as well, where they cost less than there is to claim.
	if p.way == bucketed && p.rangeOf == nil && p.front.arcs > int64(p.words) {
		p.next.form = asBoth
		p.spread(p.words, parallelWords, func(lo, hi int) { clear(p.next.bits[lo:hi]) })
	}
	// Fewer buckets for few arcs.
	p.shift = bucketShift
	for int64(p.part.Ranks>>p.shift) > max(2*int64(p.threads), p.front.arcs>>9) {
		p.shift++
	}
	var cursor atomic.Int64
	for int(cursor.Load()) < len(list) {
		p.team.Run(func(id int) {
			w := &p.workers[id]
			for w.sorted < bucketArcs {
				at := int(cursor.Add(takeVertices)) - takeVertices
				if at >= len(list) {
					break
				}
				batch := list[at:min(at+takeVertices, len(list))]
				p.prefetch(w, batch)
				for _, u := range batch {
					row := p.row(u)
					if len(row) >= hubArcs {
						w.hubs = append(w.hubs, u)
						continue
					}
					p.sort(w, row, u)
				}
			}
		})
		p.claimBuckets()
	}
	for i := range p.workers {
		for _, u := range p.workers[i].hubs {
			row := p.row(u)
			p.team.For(len(row), hubArcs/4, func(id, a, b int) { p.sort(&p.workers[id], row[a:b], u) })
			if p.workers[0].sorted > bucketArcs {
				p.claimBuckets()
			}
		}
		p.workers[i].hubs = p.workers[i].hubs[:0]
	}
	p.claimBuckets()
	if p.way == bucketedScatter {
		p.settleAll()
		return
	}
	if p.rangeOf != nil {
		p.team.Run(func(id int) { p.divide(&p.workers[id]) })
	}
	p.collect(p.threads)
}

// prefetch asks for the out-rows of a few own ranks, at most takeVertices.
func (p *Processor) prefetch(w *worker, ranks []uint32) {
	if len(ranks) == 0 {
		return
	}
	s := p.subOf(ranks[0])
	if s.Out.Offsets32 == nil {
		return
	}
	rows := w.rest[:0]
	last := uint32(0)
	for _, v := range ranks {
		if i := v - s.First; i < s.Rows {
			rows = append(rows, i)
			last = max(last, i)
		}
	}
	p.set.prefetch(rows, s.Out.Offsets32[:last+1], s.Out.Neighbours)
}

// arc leads from a frontier vertex, given by its id, to a rank.
type arc struct{ to, id uint32 }

// sort puts the arcs of a row that lead to unvisited vertices, or all, into a thread's
// buckets.
func (p *Processor) sort(w *worker, row []uint32, u uint32) {
	id := p.vertex(u)
	w.examined += int64(len(row))
	w.sorted += len(row)
	seen, buckets, shift := p.seen, w.buckets, p.shift&31
	if p.way == bucketedScatter {
		for _, v := range row {
			b := &buckets[v>>shift]
			*b = append(*b, arc{v, id})
		}
		return
	}
	for _, v := range row {
		if seen[v/64]>>(v%64)&1 == 0 {
			b := &buckets[v>>shift]
			*b = append(*b, arc{v, id})
		}
	}
}

// claimBuckets visits the vertices that the arcs in all threads' buckets lead to, or
// writes the arcs to scatter, and empties the buckets.
func (p *Processor) claimBuckets() {
	p.team.For(int(p.part.Ranks>>p.shift)+1, 1, func(id, b, _ int) {
		to := &p.workers[id]
		bits := p.next.form == asBoth
		found, seen, next, parent := to.found, p.seen, p.next.bits, p.parent
		for i := range p.workers {
			from := &p.workers[i]
			if p.way == bucketedScatter {
				for _, a := range from.buckets[b] {
					p.scatter[a.to] = a.id
				}
				from.buckets[b] = from.buckets[b][:0]
				continue
			}
			for _, a := range from.buckets[b] {
				word, bit := &seen[a.to/64], uint64(1)<<(a.to%64)
				if *word&bit == 0 {
					*word |= bit
					if bits {
						next[a.to/64] |= bit
					}
					parent[a.to] = a.id
					found = append(found, a.to)
				}
			}
			from.buckets[b] = from.buckets[b][:0]
		}
		to.found = found
	})
	for i := range p.workers {
		p.workers[i].sorted = 0
	}
}

// pushOwnRanks expands the frontier's list without atomics: each thread owns a run of ranks,
// expands the frontier vertices there and keeps the arcs that leave its run for their
// owners, who claim them once all threads have expanded. On a mesh few do.
func (p *Processor) pushOwnRanks() {
	cuts := p.cutFrontier()
	p.team.Run(func(id int) {
		w := &p.workers[id]
		w.found, w.sent = w.found[:0], w.sent[:0]
		from, to := cuts[id], cuts[id+1]
		var batch [takeVertices]uint32
		n := 0
		for _, u := range p.front.list {
			if u-from >= to-from {
				continue
			}
			batch[n] = u
			if n++; n == len(batch) {
				p.claimOwned(w, batch[:], from, to)
				n = 0
			}
		}
		p.claimOwned(w, batch[:n], from, to)
	})
	sent := 0
	for i := range p.workers {
		sent += len(p.workers[i].sent)
	}
	claim := func(id int) {
		w := &p.workers[id]
		for i := range p.workers {
			if i != id {
				p.claimSent(w, p.workers[i].sent, cuts[id], cuts[id+1])
			}
		}
		p.divide(w)
	}
	if sent <= int(p.tuning.Serial) {
		for id := range p.workers {
			claim(id)
		}
	} else {
		p.team.Run(claim)
	}
	p.collect(p.threads)
}

// cutFrontier cuts rank space into a run for each thread that holds about as many of the
// frontier's vertices as another.
func (p *Processor) cutFrontier() []uint32 {
	var sample [32]uint32
	for i := range sample {
		sample[i] = p.front.list[len(p.front.list)*i/len(sample)]
	}
	slices.Sort(sample[:])
	p.cuts = append(p.cuts[:0], 0)
	for t := 1; t < p.threads; t++ {
		p.cuts = append(p.cuts, sample[len(sample)*t/p.threads]&^63)
	}
	p.cuts = append(p.cuts, p.part.Ranks)
	return p.cuts
}

// claimOwned visits the unvisited vertices of the run from … to−1 that a few frontier
// vertices lead to, and appends the other arcs to sent.
func (p *Processor) claimOwned(w *worker, batch []uint32, from, to uint32) {
	p.prefetch(w, batch)
	seen, parent, found := p.seen, p.parent, w.found
	for _, u := range batch {
		row, id := p.row(u), p.vertex(u)
		w.examined += int64(len(row))
		for _, v := range row {
			if v-from >= to-from {
				w.sent = append(w.sent, arc{v, id})
				continue
			}
			word, bit := &seen[v/64], uint64(1)<<(v%64)
			if *word&bit == 0 {
				*word |= bit
				parent[v] = id
				found = append(found, v)
			}
		}
	}
	w.found = found
}

// claimSent visits the unvisited vertices of the run from … to−1 that arcs lead to.
func (p *Processor) claimSent(w *worker, arcs []arc, from, to uint32) {
	for _, a := range arcs {
		word, bit := &p.seen[a.to/64], uint64(1)<<(a.to%64)
		if a.to-from < to-from && *word&bit == 0 {
			*word |= bit
			p.parent[a.to] = a.id
			w.found = append(w.found, a.to)
		}
	}
}

// pushDirectScatter writes the source of every arc of the frontier's list at its target's
// place in scatter: untested, unsorted, and several threads at the same places. The
// last entry written is the parent of a vertex not seen.
func (p *Processor) pushDirectScatter() {
	list := p.front.list
	var cursor atomic.Int64
	p.team.Run(func(id int) {
		w := &p.workers[id]
		for {
			at := int(cursor.Add(takeVertices)) - takeVertices
			if at >= len(list) {
				return
			}
			batch := list[at:min(at+takeVertices, len(list))]
			p.prefetch(w, batch)
			// The targets of a row are asked for a few rows before they are written.
			var ahead [spreadAhead][]uint32
			for i := range len(batch) + spreadAhead {
				row := ahead[i%spreadAhead]
				next := []uint32(nil)
				if i < len(batch) {
					if next = p.row(batch[i]); len(next) >= hubArcs {
						w.hubs = append(w.hubs, batch[i])
						next = nil
					}
				}
				ahead[i%spreadAhead] = next
				u := uint32(0)
				if len(row) > 0 {
					u = p.vertex(batch[i-spreadAhead])
				}
				p.set.spread(row, u, p.scatter, next)
			}
		}
	})
	for i := range p.workers {
		for _, u := range p.workers[i].hubs {
			row := p.row(u)
			p.team.For(len(row), hubArcs/4, func(_, a, b int) { p.set.spread(row[a:b], p.vertex(u), p.scatter, nil) })
		}
		p.workers[i].hubs = p.workers[i].hubs[:0]
	}
	p.settleAll()
}

// settleAll makes vertices found of what was written to scatter.
func (p *Processor) settleAll() {
	p.team.For(p.words, blockWords/4, func(id, lo, hi int) {
		next := p.next.bits[lo:hi]
		p.set.settle(p.scatter[lo*64:hi*64], p.seen[lo:hi], next, p.parent[lo*64:hi*64])
		w := &p.workers[id]
		for _, word := range next {
			w.next += int64(bits.OnesCount64(word))
		}
	})
	for i := range p.workers {
		p.workers[i].examined = 0
	}
	p.untested()
}

// fewArcs tells whether the frontier's rows hold no more arcs than one thread takes.
func (p *Processor) fewArcs() bool {
	if p.front.arcs >= 0 {
		return p.front.arcs <= p.tuning.Serial
	}
	sum := int64(0)
	for _, u := range p.front.list {
		if sum += int64(len(p.row(u))); sum > p.tuning.Serial {
			return false
		}
	}
	return true
}

// claimRows visits the unvisited vertices of the rows of a list of own ranks.
func (p *Processor) claimRows(w *worker, list []uint32) {
	seen, parent, found := p.seen, p.parent, w.found
	for _, u := range list {
		row, id := p.row(u), p.vertex(u)
		w.examined += int64(len(row))
		for _, v := range row {
			word, bit := &seen[v/64], uint64(1)<<(v%64)
			if *word&bit != 0 {
				continue
			}
			*word |= bit
			parent[v] = id
			found = append(found, v)
		}
	}
	w.found = found
}

// divide sorts a thread's claims into its lists by range. Where every rank is own
// it does nothing.
func (p *Processor) divide(w *worker) {
	if p.rangeOf == nil {
		return
	}
	for _, v := range w.found {
		r := p.rangeOf[v/64]
		w.lists[r] = append(w.lists[r], v)
	}
}

// collect appends the claims of owned vertices by the first n threads to nextList.
func (p *Processor) collect(n int) {
	p.next.list = p.next.list[:0]
	for i := range n {
		w := &p.workers[i]
		if p.rangeOf == nil {
			p.next.list = append(p.next.list, w.found...)
			continue
		}
		for r, own := range p.isOwn {
			if own {
				p.next.list = append(p.next.list, w.lists[r]...)
			}
		}
	}
}
