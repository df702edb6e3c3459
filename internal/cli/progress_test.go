package cli

import (
	"testing"
	"time"
)

// TestProgressLine: the rate of the first line is that since the start.
func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		title       string
		done, total int64
		unit        string
		since, all  time.Duration
		want        string
	}{
		{"reading g.el", 50 << 20, 200 << 20, "bytes", time.Second, 0, "reading g.el: 50 MiB of 200 MiB (25%), 50 MiB/s, 3s left"},
		{"searching", 1, 64, "searches", 10 * time.Second, 0, "searching: 1 of 64 searches (1%), 6 searches/min, 10m30s left"},
		{"placing", 3_000_000, 0, "records", 500 * time.Millisecond, 0, "placing: 3 M records, 6 M records/s"},
		{"repeating", 5, 60, "seconds", 5 * time.Second, 0, "repeating: 5 of 60 seconds (8%)"},
		{"predicted 6s, 63MiB", 10, 100, "roots", time.Second, 6 * time.Second, "predicted 6s, 63MiB: 10 of 100 roots (10%), 10 roots/s, 5s left"},
		{"predicted 6s, 63MiB", 99, 100, "roots", 7 * time.Second, 6 * time.Second, "predicted 6s, 63MiB: 99 of 100 roots (99%), 14.1 roots/s, 0s left"},
		{"", 0, 10, "edges", time.Second, 0, "0 of 10 edges (0%)"},
	} {
		if got := progressLine(c.title, c.done, c.total, c.unit, c.since, c.all); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := []rune(progressLine("reading "+string(make([]byte, 300)), 1, 2, "edges", time.Second, 0)); len(got) != barWidth {
		t.Errorf("%d columns", len(got))
	}
}
