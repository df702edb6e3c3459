package cli

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/totemgo/totemgo/graph/graphio"
)

// bar shows progress on a terminal's standard error, one line, and nothing elsewhere.
type bar struct {
	mu          sync.Mutex
	title       string
	e           *env
	show        bool
	start, last time.Time
	all         time.Duration // predicted, or 0
	width       int           // of the line that is shown
}

// A bar appears after barAfter, and changes each barEvery; its line has at most barWidth columns.
const (
	barAfter = 300 * time.Millisecond
	barEvery = 100 * time.Millisecond
	barWidth = 79
)

// progress begins a bar in place of the one before it.
func (e *env) progress(title string) *bar {
	e.bar.erase()
	e.bar = &bar{title: title, e: e, show: isTerminal(e.stderr) && !e.quiet, start: time.Now()}
	return e.bar
}

// of returns what shows how many of a unit are done: "bytes" or a plural noun.
func (b *bar) of(unit string) func(done, total int64) {
	return func(done, total int64) { b.set(done, total, unit) }
}

// ofFile shows how far a file is read or written.
func (b *bar) ofFile(p graphio.Progress) { b.set(p.Done, p.Total, p.Unit) }

// set shows done of total units; a total of 0 is unknown.
func (b *bar) set(done, total int64, unit string) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.show && now.Sub(b.start) >= barAfter && now.Sub(b.last) >= barEvery {
		b.last = now
		b.draw(progressLine(b.title, done, total, unit, now.Sub(b.start), b.all))
	}
}

// predict shows the time and the memory in bytes that the whole will have taken, of which so much time is left, as the title.
func (b *bar) predict(left time.Duration, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = time.Since(b.start) + left
	b.title = fmt.Sprintf("predicted %v, %s", b.all.Round(100*time.Millisecond), strings.ReplaceAll(humanize.IBytes(uint64(bytes)), " ", ""))
}

// progressLine says what is done since the start, the mean rate since then, and the time that the rest takes: of all that is
// predicted, or else at that rate.
func progressLine(title string, done, total int64, unit string, since, all time.Duration) string {
	amount := func(x float64, unit string) string {
		if unit == "bytes" {
			return humanize.IBytes(uint64(x))
		}
		return strings.ReplaceAll(humanize.SIWithDigits(x, 1, "")+" "+unit, "  ", " ")
	}
	text := amount(float64(done), unit)
	if total > 0 {
		text = fmt.Sprintf("%s of %s (%d%%)", strings.TrimSuffix(text, " "+unit), amount(float64(total), unit), min(100, int64(100*float64(done)/float64(total))))
	}
	if rate := float64(done) / since.Seconds(); done > 0 && unit != "seconds" {
		if rate >= 1 {
			text += fmt.Sprintf(", %s/s", amount(rate, unit))
		} else {
			text += fmt.Sprintf(", %s/min", amount(60*rate, unit))
		}
		if total > done {
			all = cmp.Or(all, since+time.Duration(float64(total-done)/rate*float64(time.Second)))
			text += fmt.Sprintf(", %v left", max(0, all-since).Round(time.Second))
		}
	}
	if room := barWidth - len(text) - 2; title != "" && room > 0 {
		if r := []rune(title); len(r) > room {
			title = "…" + string(r[len(r)-room+1:])
		}
		text = title + ": " + text
	}
	return text
}

// draw replaces the line.
func (b *bar) draw(line string) {
	n := len([]rune(line))
	fmt.Fprintf(b.e.stderr, "\r%s%s", line, strings.Repeat(" ", max(0, b.width-n)))
	b.width = n
}

// erase takes the line away, until set shows another one.
func (b *bar) erase() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.width > 0 {
		b.draw("")
		fmt.Fprint(b.e.stderr, "\r")
	}
}
