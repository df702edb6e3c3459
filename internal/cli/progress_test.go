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
		since       time.Duration
		want        string
	}{
		{"reading g.el", 50 << 20, 200 << 20, "bytes", time.Second, "reading g.el: 50 MiB of 200 MiB (25%), 50 MiB/s, 3s left"},
		{"searching", 1, 64, "searches", 10 * time.Second, "searching: 1 of 64 searches (1%), 6 searches/min, 10m30s left"},
		{"placing", 3_000_000, 0, "records", 500 * time.Millisecond, "placing: 3 M records, 6 M records/s"},
		{"repeating", 5, 60, "seconds", 5 * time.Second, "repeating: 5 of 60 seconds (8%)"},
		{"", 0, 10, "edges", time.Second, "0 of 10 edges (0%)"},
	} {
		if got := progressLine(c.title, c.done, c.total, c.unit, c.since); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := []rune(progressLine("reading "+string(make([]byte, 300)), 1, 2, "edges", time.Second)); len(got) != barWidth {
		t.Errorf("%d columns", len(got))
	}
}
