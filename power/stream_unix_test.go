//go:build unix

package power

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestLineFollowsAFIFO(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "meter")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	s := openStream(t, "line:"+fifo+",column=1")
	// Two writers, one after the other: the end of the first is not the end.
	for i := range 2 {
		w, err := os.OpenFile(fifo, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(w, "%d\n%d\n", 10+i, 20+i)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		await(t, s, 2*i+2)
	}
	begun := time.Now()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if d := time.Since(begun); d > 5*time.Second {
		t.Errorf("closing took %v", d)
	}
	if m := s.Result().Meters[0]; len(m.Samples) < 3 || m.Seen.Lost {
		t.Errorf("%+v", m)
	}
}
