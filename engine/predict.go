package engine

import "time"

// batchFinished is called after a batch of n roots that took one of so many threads a time.
type batchFinished func(n, threads int, took time.Duration)

// prediction is of the time of batches of roots: T₁·⌈N/G⌉ with the mean of those done for T₁, and N ÷ G as threads get
// about as many each. The first batch of each thread takes longer: it counts as an example until there is a later one.
type prediction struct {
	of, done    int64 // roots
	later       int64 // those of later batches
	batches     int
	first, busy time.Duration // of first batches, and of later ones
	before      time.Duration
	early       time.Duration // the prediction after 2% of the roots and two batches of each thread
}

// add counts a batch that ended now, and returns the time that all will have taken, which is now after the last one.
func (p *prediction) add(n int64, threads int, took, now time.Duration) time.Duration {
	if p.done == 0 {
		p.before = now - took // allocations
	}
	p.done += n
	mean := 0.0
	if p.batches++; p.batches <= threads {
		p.first += took
		mean = float64(p.first) / float64(p.done)
	} else {
		p.later += n
		p.busy += took
		mean = float64(p.busy) / float64(p.later)
	}
	all := now
	if left := p.of - p.done; left > 0 {
		all = max(now+1, p.before+time.Duration((float64(p.first+p.busy)+mean*float64(left))/float64(threads)))
	}
	if p.early == 0 && 50*p.done >= p.of && (p.batches >= 2*threads || p.done == p.of) {
		p.early = all
	}
	return all
}
