package power

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// openStream opens one specification and starts a session that samples it.
func openStream(t *testing.T, spec string) *Session {
	t.Helper()
	sp, err := ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	meters, _, err := Open([]Spec{sp}, OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Start(context.Background(), Options{Meters: meters, Rate: 100})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// await waits until the only meter of a session has n samples, or is lost.
func await(t *testing.T, s *Session, n int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		have, lost := len(s.series[0].points), s.series[0].seen.Lost
		s.mu.Unlock()
		if have >= n || lost {
			return
		}
	}
	t.Fatalf("no %d samples within 10 s: %+v", n, s.Result().Meters[0].Seen)
}

func TestLineFollowsAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "live.csv")
	if err := os.WriteFile(file, []byte("# meter 7\nvolts,power,note\n230,99,old\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := openStream(t, "line:"+file+",column=power,unit=kW,covers=whole-system")
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range 5 {
		// Written in two parts: a line counts once it is whole.
		fmt.Fprintf(f, "230,0.")
		time.Sleep(10 * time.Millisecond)
		fmt.Fprintf(f, "%d,new\n", i+1)
		if i == 2 {
			fmt.Fprintf(f, "230,oops,bad\n230\n")
		}
	}
	await(t, s, 5)
	r := s.Result()
	m := r.Meters[0]
	if len(m.Samples) != 5 || *m.Samples[0].PowerW != 100 || *m.Samples[4].PowerW != 500 || m.Seen.Malformed != 2 || m.Coverage != "whole-system" {
		t.Errorf("%+v, %+v", m.Samples, m.Seen)
	}
	// The log is rotated by copying and cutting it.
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * tailWait)
	fmt.Fprintf(f, "230,0.75,after\n")
	await(t, s, 6)
	if m := s.Result().Meters[0]; *m.Samples[5].PowerW != 750 {
		t.Errorf("%+v", m.Samples)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A file that is followed may end within a line, whose rest is no line, and may have units below its
// header.
func TestLineFollowsFromWithinALine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "live.csv")
	if err := os.WriteFile(file, []byte("power\n(mW)\n90000\n12"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := openStream(t, "line:"+file)
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fmt.Fprintf(f, "0000\n121000\n")
	await(t, s, 1)
	m := s.Result().Meters[0]
	if len(m.Samples) != 1 || *m.Samples[0].PowerW != 121 || m.Seen.Malformed != 0 {
		t.Errorf("%+v, %+v", m.Samples, m.Seen)
	}
}

func TestLineRefusesAWrongColumn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "live.csv")
	if err := os.WriteFile(file, []byte("volts,amps\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, spec := range []string{"line:" + file, "line:" + file + ",column=watts", "line:" + filepath.Dir(file), "line:" + file + ".none"} {
		sp, err := ParseSpec(spec)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Open([]Spec{sp}, OpenOptions{}); err == nil || !strings.Contains(err.Error(), filepath.Base(filepath.Dir(file))) {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

func TestLineFollowsACommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	s := openStream(t, `line:exec=for i in 1 2 3; do echo "noise"; echo "P=1$i.5 W"; done; sleep 60 & sleep 60,pattern=P=([0-9.]+)`)
	await(t, s, 3)
	begun := time.Now()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if d := time.Since(begun); d > 5*time.Second {
		t.Errorf("closing took %v", d)
	}
	m := s.Result().Meters[0]
	if len(m.Samples) != 3 || *m.Samples[2].PowerW != 13.5 || m.Seen.Lost {
		t.Errorf("%+v, %+v", m.Samples, m.Seen)
	}
}

func TestLineCommandThatFails(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	s := openStream(t, `line:exec=echo 5; echo no such meter >&2; exit 3,column=1`)
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if s.Result().Meters[0].Seen.Lost {
			break
		}
	}
	seen := s.Result().Meters[0].Seen
	if !seen.Lost || seen.Samples != 1 {
		t.Fatalf("%+v", seen)
	}
	mustContain(t, seen.Reason, "exit status 3", "no such meter")
}

// feed plays lines into a stream, each once the one before has arrived.
func feed(t *testing.T, f lineFormat, begin time.Time, lines ...string) *streamMeter {
	t.Helper()
	r, w := io.Pipe()
	m := &streamMeter{info: Info{Name: "x", Method: Power, Stream: true}, src: r, split: bufio.ScanLines, decode: newDecoder(f).line}
	if err := m.Begin(begin); err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		if _, err := io.WriteString(w, l+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	<-m.done
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func TestStampsOfALiveSource(t *testing.T) {
	begin := time.Now()
	abs := func(d time.Duration) string { return begin.Add(d).UTC().Format(time.RFC3339Nano) }
	// The source's clock jumps ahead, and back.
	m := feed(t, lineFormat{}, begin, "time,watts", abs(0)+",1", abs(100*time.Millisecond)+",2",
		abs(time.Hour)+",3", abs(time.Hour+time.Millisecond)+",4", abs(time.Second)+",5")
	q, err := m.Read(0)
	if err != nil || len(q) != 5 {
		t.Fatalf("%+v, %v", q, err)
	}
	if q[0].At.Abs() > time.Millisecond || (q[1].At-100*time.Millisecond).Abs() > time.Millisecond {
		t.Errorf("stamps are not believed: %+v", q)
	}
	for _, r := range q[2:] {
		if r.At < 0 || r.At > 10*time.Second {
			t.Errorf("a step of the clock came through: %+v", q)
		}
	}
	if m.Faults().ClockSteps != 2 {
		t.Errorf("%+v", m.Faults())
	}
	if _, err := m.Read(0); !errIs(err, ErrEnded) {
		t.Errorf("at the end: %v", err)
	}
	// A clock far off: times are aligned to the first arrival, their distances kept.
	m = feed(t, lineFormat{}, begin, "time,watts", "2001-01-01T00:00:00Z,1", "2001-01-01T00:00:00.5Z,2")
	if q, _ = m.Read(0); len(q) != 2 || q[1].At-q[0].At != 500*time.Millisecond || q[0].At < 0 || len(m.Faults().Notes) != 1 {
		t.Errorf("%+v, %+v", q, m.Faults())
	}
	// Seconds since some start.
	m = feed(t, lineFormat{}, begin, "t_s watts", "1000.25 1", "1000.75 2")
	if q, _ = m.Read(0); len(q) != 2 || q[1].At-q[0].At != 500*time.Millisecond || len(m.Faults().Notes) != 0 {
		t.Errorf("%+v, %+v", q, m.Faults())
	}
}

func TestWattsUpPackets(t *testing.T) {
	in := "garbage;#h,-,18,W,V;#d,-,3,965,1204,792;\r\n#d,-,18,12#d,-,2,_,5;#d,-,2,1000,5;#d,-,9,1;#d,-,2,7"
	sc := bufio.NewScanner(strings.NewReader(in))
	sc.Split(splitPackets)
	var got []float64
	bad := 0
	for sc.Scan() {
		w, _, skip, err := decodeWattsUp(sc.Text())
		switch {
		case skip:
		case err != nil:
			bad++
		default:
			got = append(got, w)
		}
	}
	if len(got) != 2 || got[0] != 96.5 || got[1] != 100 || bad != 3 {
		t.Errorf("%v, %d bad", got, bad)
	}
}

func FuzzWattsUp(f *testing.F) {
	f.Add("#d,-,18,965,1204,792;")
	f.Add("##;;#d,,;#d,-,1,;")
	f.Fuzz(func(t *testing.T, s string) {
		sc := bufio.NewScanner(strings.NewReader(s))
		sc.Split(splitPackets)
		for sc.Scan() {
			_, _, _, _ = decodeWattsUp(sc.Text())
		}
	})
}
