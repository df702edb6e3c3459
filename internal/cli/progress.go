package cli

import (
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// bar shows progress on a terminal's standard error, and nothing elsewhere.
type bar struct {
	mu    sync.Mutex
	title string
	e     *env
	show  bool
	start time.Time
	b     *progressbar.ProgressBar
}

// barAfter is how long a job runs before its bar appears.
const barAfter = 300 * time.Millisecond

func (e *env) progress(title string) *bar {
	return &bar{title: title, e: e, show: isTerminal(e.stderr) && !e.quiet, start: time.Now()}
}

// set shows done of total; the unit is "bytes" or a plural noun. A total of 0 is
// unknown.
func (b *bar) set(done, total int64, unit string) {
	if !b.show {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.b == nil {
		if time.Since(b.start) < barAfter {
			return
		}
		if total <= 0 {
			total = -1
		}
		opts := []progressbar.Option{
			progressbar.OptionSetWriter(b.e.stderr), progressbar.OptionSetDescription(b.title),
			progressbar.OptionThrottle(100 * time.Millisecond), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetPredictTime(true), progressbar.OptionShowCount(), progressbar.OptionFullWidth(),
		}
		if unit == "bytes" {
			opts = append(opts, progressbar.OptionShowBytes(true))
		} else {
			opts = append(opts, progressbar.OptionShowIts(), progressbar.OptionSetItsString(unit))
		}
		b.b = progressbar.NewOptions64(total, opts...)
	}
	_ = b.b.Set64(done) // a bar that cannot be drawn is no reason to stop
}

// done takes the bar away.
func (b *bar) done() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.b != nil {
		_ = b.b.Clear()
		b.b = nil
	}
	b.show = false
}
