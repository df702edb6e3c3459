package power

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openPTY makes a pseudo-terminal: the meter's side and the name of the port.
func openPTY(t *testing.T) (meter *os.File, port string) {
	t.Helper()
	m, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { _ = m.Close() })
	conn, err := m.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var n int
	var ierr error
	err = conn.Control(func(fd uintptr) {
		if ierr = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); ierr == nil {
			n, ierr = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	})
	if err != nil || ierr != nil {
		t.Skipf("no pseudo-terminals: %v, %v", err, ierr)
	}
	port = fmt.Sprintf("/dev/pts/%d", n)
	if _, err := os.Stat(port); err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	return m, port
}

// TestWattsUpOverAPTY plays a meter at the other end of a serial line: it waits for
// the command to start, sends records with noise between, and sees the stop.
func TestWattsUpOverAPTY(t *testing.T) {
	meter, port := openPTY(t)
	var mu sync.Mutex
	var heard strings.Builder
	said := func(s string) bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(heard.String(), s)
	}
	started, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		b := make([]byte, 256)
		begun := false
		for {
			n, err := meter.Read(b)
			mu.Lock()
			heard.Write(b[:n])
			mu.Unlock()
			if !begun && said(wattsUpStart) {
				begun = true
				close(started)
			}
			if err != nil {
				return
			}
		}
	}()
	s := openStream(t, "wattsup:"+port+",covers=whole-system")
	select {
	case <-started:
	case <-time.After(10 * time.Second):
		t.Fatal("the meter was not asked to start")
	}
	for i, l := range []string{"#h,-,18,W,V;\r\n", "#d,-,3,1234,2301,54;\r\n", "#d,-,3,12", "40,2301,54;", "#d,-,3,oops,1,1;", "\x00\xff#d,-,3,1250,2301,54;"} {
		if _, err := io.WriteString(meter, l); err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	await(t, s, 3)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	m := s.Result().Meters[0]
	if m.Seen.Samples != 3 || *m.Samples[0].PowerW != 123.4 || *m.Samples[1].PowerW != 124 || m.Seen.Malformed != 1 || m.Coverage != "whole-system" {
		t.Errorf("%+v, %+v", m.Samples, m.Seen)
	}
	for end := time.Now().Add(5 * time.Second); !said(wattsUpStop) && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	if !said(wattsUpStop) {
		t.Errorf("the meter was not told to stop; it heard %q", heard.String())
	}
	_ = meter.Close()
	<-done
}

// TestSerialMeterUnplugged takes the other end away in mid-run.
func TestSerialMeterUnplugged(t *testing.T) {
	meter, port := openPTY(t)
	s := openStream(t, "line:"+port+",column=1,baud=9600")
	if _, err := io.WriteString(meter, "71.5\r\n72.5 W\r\n"); err != nil {
		t.Fatal(err)
	}
	await(t, s, 2)
	if err := meter.Close(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if s.Result().Meters[0].Seen.Lost {
			break
		}
	}
	m := s.Result().Meters[0]
	if !m.Seen.Lost || m.Seen.Reason == "" || len(m.Samples) != 2 || *m.Samples[1].PowerW != 72.5 {
		t.Errorf("%+v, %+v", m.Seen, m.Samples)
	}
}

func TestSerialRates(t *testing.T) {
	_, port := openPTY(t)
	if _, err := openSerial(port, 12345); !errIs(err, ErrUnsupported) {
		t.Errorf("got %v", err)
	}
	for _, baud := range []int{1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600} {
		p, err := openSerial(port, baud)
		if err != nil {
			t.Errorf("%d: %v", baud, err)
			continue
		}
		_ = p.Close()
	}
	if _, _, err := Open([]Spec{{Kind: KindWattsUp, File: "/dev/null"}}, OpenOptions{}); err == nil {
		t.Error("/dev/null is no serial port")
	}
}
