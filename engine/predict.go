package engine

import "time"

// batchFinished is called after a batch of n roots that took one of so many threads a time.
type batchFinished func(n, threads int, took time.Duration)

// prediction is of the time of batches of roots: T₁·⌈N/G⌉ with the mean of examples for T₁, and N ÷ G as threads get about
// as many each. The first batch of each thread, begun before one has ended, and those of the first 25 ms take longer: they are
// examples until a later one has ended.
type prediction struct {
	start       time.Time
	progress    func(done, of int64, left time.Duration) // may be nil
	alone       int64                                    // roots that need no search
	of, done    int64                                    // the others
	threads     int
	batches     int
	roots       int64 // of examples
	busy        time.Duration
	late        bool          // examples are later ones
	before, end time.Duration // when the first batch began and ended
	work        time.Duration // of all threads
	early       time.Duration // the prediction after 2% of the roots, earlyBatches of each thread and earlyTime, or at the end
}

// Of fewer batches the short ones, which are over first, would stand for all. For the first 10 to 30 ms the system may run
// threads on one core.
const earlyBatches, earlyTime = 4, 50 * time.Millisecond

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
		p.threads, p.batches, p.before, p.end, p.work, p.late = threads, 0, now-took, now, 0, false
	}
	late := now-took >= p.end && now-p.before >= earlyTime/2
	if p.batches == 0 || late && !p.late {
		p.late, p.roots, p.busy = late, 0, 0
	}
	if late == p.late {
		p.roots, p.busy = p.roots+n, p.busy+took
	}
	p.batches, p.done, p.work = p.batches+1, p.done+n, p.work+took
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
