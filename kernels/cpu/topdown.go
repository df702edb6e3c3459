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
	bucketed                   // arcs are sorted by target, and claimed bucket by bucket
	bucketedScatter            // arcs are sorted by target, written untested, and settled in a pass
	directScatter              // arcs are written untested and unsorted, and settled in a pass
)

var wayNames = [...]string{"serial", "own-ranks", "bucketed", "bucketed-scatter", "direct-scatter"}

// choose says how to expand the frontier's list. An untested step passes over all ranks
// in the end, and is for many arcs.
func (p *search) choose() way {
	if p.front.arcs < 0 {
		p.front.arcs, _ = p.arcsOfList(math.MaxInt64)
	}
	untested := 8*p.front.arcs > p.tuning.Scatter*int64(p.part.Ranks)
	switch {
	case p.front.arcs <= p.tuning.Serial:
		return serial
	case untested && (p.threads == 1 || p.set.spread != nil):
		return directScatter
	case p.threads == 1 && p.part.Ranks <= aloneRanks:
		return serial
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

// pushSerial expands the frontier's list on one thread.
func (p *search) pushSerial() {
	w := &p.workers[0]
	w.found = w.found[:0]
	for batch := range slices.Chunk(p.front.list, takeVertices) {
		p.prefetch(w, batch)
		p.claimRows(w, batch)
	}
	p.divide(w)
	p.collect(1)
}

// claimRows visits the unvisited vertices of the rows of a list of own ranks.
func (p *search) claimRows(w *worker, list []uint32) {
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

// pushBucketed sorts the frontier's arcs, those that lead to unvisited vertices or all, into
// buckets by the ranks they lead to; then each bucket is claimed by one thread: what it
// reads and writes stays in its cache, and no word is shared.
func (p *search) pushBucketed() {
	for i := range p.workers {
		p.workers[i].found = p.workers[i].found[:0]
	}
	// Fewer buckets for few arcs.
	p.shift = bucketShift
	for int64(p.part.Ranks>>p.shift) > max(2*int64(p.threads), p.front.arcs>>9) {
		p.shift++
	}
	p.eachRow(func(w *worker, batch []uint32) {
		for _, u := range batch {
			p.sort(w, p.shortRow(w, u), u)
		}
	}, p.sort)
	if p.way == bucketedScatter {
		p.settleAll()
		return
	}
	if p.rangeOf != nil {
		p.team.Run(func(id int) { p.divide(&p.workers[id]) })
	}
	p.collect(p.threads)
}

// eachRow gives the frontier's list to all threads, takeVertices at a time: f reads the rows by
// shortRow, whose long ones go to piece in pieces afterwards. It claims the buckets as they fill.
func (p *search) eachRow(f func(w *worker, batch []uint32), piece func(w *worker, row []uint32, u uint32)) {
	list := p.front.list
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
				f(w, batch)
			}
		})
		p.claimBuckets()
	}
	for i := range p.workers {
		for _, u := range p.workers[i].hubs {
			row := p.row(u)
			p.team.For(len(row), hubArcs/4, func(id, a, b int) { piece(&p.workers[id], row[a:b], u) })
			if p.workers[0].sorted > bucketArcs {
				p.claimBuckets()
			}
		}
		p.workers[i].hubs = p.workers[i].hubs[:0]
	}
	p.claimBuckets()
}

// shortRow is the out-row of an own rank. A long one is kept for eachRow, and nil returned.
func (p *search) shortRow(w *worker, u uint32) []uint32 {
	row := p.row(u)
	if len(row) >= hubArcs {
		w.hubs = append(w.hubs, u)
		return nil
	}
	return row
}

// prefetch asks for the out-rows of a few own ranks, at most takeVertices.
func (p *search) prefetch(w *worker, ranks []uint32) {
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
func (p *search) sort(w *worker, row []uint32, u uint32) {
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
func (p *search) claimBuckets() {
	sorted := 0
	for i := range p.workers {
		sorted += p.workers[i].sorted
		p.workers[i].sorted = 0
	}
	if sorted == 0 {
		return
	}
	p.team.For(int(p.part.Ranks>>p.shift)+1, 1, func(id, b, _ int) {
		for i := range p.workers {
			bucket := &p.workers[i].buckets[b]
			if p.way == bucketedScatter {
				scatterArcs(p.scatter, *bucket)
			} else {
				p.claimArcs(&p.workers[id], *bucket, 0, p.part.Ranks)
			}
			*bucket = (*bucket)[:0]
		}
	})
}

// scatterArcs writes the source of each arc at its target's place in scatter.
func scatterArcs(scatter []uint32, arcs []arc) {
	for _, a := range arcs {
		scatter[a.to] = a.id
	}
}

// pushOwnRanks expands the frontier's list without atomics: each thread owns a run of ranks,
// expands the frontier vertices there and keeps the arcs that leave its run for their
// owners, who claim them once all threads have expanded. On a mesh few do.
func (p *search) pushOwnRanks() {
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
				p.claimArcs(w, p.workers[i].sent, cuts[id], cuts[id+1])
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
func (p *search) cutFrontier() []uint32 {
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
func (p *search) claimOwned(w *worker, batch []uint32, from, to uint32) {
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

// claimArcs visits the unvisited vertices of the run from … to−1 that arcs lead to.
func (p *search) claimArcs(w *worker, arcs []arc, from, to uint32) {
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
func (p *search) pushDirectScatter() {
	spread := p.set.spread
	if spread == nil { // one thread
		spread = spreadGeneric
	}
	p.eachRow(func(w *worker, batch []uint32) {
		// The targets of a row are asked for a few rows before they are written.
		var ahead [spreadAhead][]uint32
		for i := range len(batch) + spreadAhead {
			row, next := ahead[i%spreadAhead], []uint32(nil)
			if i < len(batch) {
				next = p.shortRow(w, batch[i])
				w.examined += int64(len(next))
			}
			ahead[i%spreadAhead] = next
			u := uint32(0)
			if len(row) > 0 {
				u = p.vertex(batch[i-spreadAhead])
			}
			spread(row, u, p.scatter, next)
		}
	}, func(w *worker, row []uint32, u uint32) {
		w.examined += int64(len(row))
		spread(row, p.vertex(u), p.scatter, nil)
	})
	p.settleAll()
}

// settleAll makes vertices found of what was written to scatter. It leaves in next the bits
// of all that it found: of foreign ranges too, which is not this partition's frontier.
func (p *search) settleAll() {
	p.team.For(p.words, blockWords/4, func(id, lo, hi int) {
		next := p.next.bits[lo:hi]
		p.set.settle(p.scatter[lo*64:hi*64], p.seen[lo:hi], next, p.parent[lo*64:hi*64])
		w := &p.workers[id]
		for i, word := range next {
			if p.owns(uint32(lo + i)) {
				w.next += int64(bits.OnesCount64(word))
			}
		}
	})
	p.next.form, p.claimedOut = asBits, p.rangeOf != nil
}

// owns tells whether the 64 ranks of a word are own.
func (p *Processor) owns(word uint32) bool {
	return p.rangeOf == nil || p.isOwn[p.rangeOf[word]]
}

// divide sorts a thread's claims into its lists by range. Where every rank is own
// it does nothing.
func (p *search) divide(w *worker) {
	if p.rangeOf == nil {
		return
	}
	for _, v := range w.found {
		r := p.rangeOf[v/64]
		w.lists[r] = append(w.lists[r], v)
	}
}

// collect appends the claims of owned vertices by the first n threads to nextList.
func (p *search) collect(n int) {
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
