package engine

import "time"

// batchFinished is called after a batch of n roots that took one of so many threads a time.
type batchFinished func(n, threads int, took time.Duration)

// prediction is of the time of batches of roots: T₁·⌈N/G⌉ with the mean of examples for T₁, and N ÷ G as threads get about
// as many each. The first batch of each thread takes longer: it is an example until there is a later one.
type prediction struct {
	start        time.Time
	progress     func(done, of int64, left time.Duration) // may be nil
	alone        int64                                    // roots that need no search
	of, done     int64                                    // the others
	threads      int
	batches      int
	roots        int64 // of examples
	busy         time.Duration
	before, work time.Duration // before the first batch, and in all by all threads
	early        time.Duration // the prediction after 2% of the roots, earlyBatches of each thread and earlyTime, or at the end
}

const (
	earlyBatches = 4                     // with two, short ones, which are over first, stand for the others
	earlyTime    = 50 * time.Millisecond // threads may share a core until the system has spread them
)

// finished is a batchFinished.
func (p *prediction) finished(n, threads int, took time.Duration) {
	now := time.Since(p.start)
	if all := p.add(int64(n), threads, took, now); p.progress != nil {
		p.progress(p.alone+p.done, p.alone+p.of, all-now)
	}
}

// add counts a batch that ended now, and returns the time that all will have taken, which is now after the last one.
func (p *prediction) add(n int64, threads int, took, now time.Duration) time.Duration {
	if p.threads != threads { // allocations came before, or searches of another kind
		p.threads, p.batches, p.roots, p.before, p.work, p.busy = threads, 0, 0, now-took, 0, 0
	}
	if p.batches == threads {
		p.roots, p.busy = 0, 0
	}
	p.batches++
	p.done, p.roots = p.done+n, p.roots+n
	p.work, p.busy = p.work+took, p.busy+took
	all := now
	if left := p.of - p.done; left > 0 {
		each := float64(p.busy) / float64(p.roots)
		all = max(now+1, p.before+time.Duration((float64(p.work)+each*float64(left))/float64(threads)))
	}
	if p.early == 0 && (50*p.done >= p.of && p.batches >= earlyBatches*threads && now-p.before >= earlyTime || p.done == p.of) {
		p.early = all
	}
	return all
}
