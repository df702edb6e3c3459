package power

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// tailWait is how long to wait at the end of a file or an idle FIFO before looking
// for more.
const tailWait = 20 * time.Millisecond

// Limits of how far a source's clock may stand from the arrival of its lines.
const (
	streamSkew  = 2 * time.Second // at the first line
	streamAhead = time.Second     // later: a reading from the future is a clock step
)

// streamMeter follows a source that sends readings at its own pace, in a goroutine
// from Begin to Close.
type streamMeter struct {
	info   Info
	source func() (io.ReadCloser, error) // opens; called by Begin if src is nil
	src    io.ReadCloser
	split  bufio.SplitFunc
	decode decode

	start time.Time
	done  chan struct{}

	mu     sync.Mutex
	queue  []Reading
	end    error // ErrEnded and why, or nil
	faults Faults

	anchored bool
	offset   time.Duration // session time of a stamp, less the stamp
	last     time.Duration // the last stamp
}

// Info describes the stream.
func (m *streamMeter) Info() Info { return m.info }

// Begin starts to follow the source.
func (m *streamMeter) Begin(start time.Time) error {
	m.start = start
	if m.src == nil {
		var err error
		if m.src, err = m.source(); err != nil {
			return err
		}
	}
	m.done = make(chan struct{})
	go m.follow()
	return nil
}

func (m *streamMeter) follow() {
	defer close(m.done)
	err := scan(m.src, m.split, m.decode, func(n int, w float64, at stamp, err error) error {
		arrived := time.Since(m.start)
		m.mu.Lock()
		defer m.mu.Unlock()
		switch {
		case err == nil || err == errMissing:
			m.queue = append(m.queue, Reading{At: m.place(at, arrived), Watts: w, Missing: err != nil})
		case errors.Is(err, ErrChoice): // nothing that follows can be read
			m.queue = nil
			return err
		case err != errOther:
			m.faults.malformed(n, err)
		}
		return nil
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end = ErrEnded
	if err != nil {
		m.end = fmt.Errorf("%w: %w", ErrEnded, err)
	}
}

// place is the session's time of a line. Lines without stamps have the time of their
// arrival. A stamp of the wall clock is believed unless it lies far off at the first
// line; from then on late arrival is delay, while a stamp from the future or before
// the last one is a step of the source's clock, after which arrival counts anew.
func (m *streamMeter) place(at stamp, arrived time.Duration) time.Duration {
	if !at.has {
		return arrived
	}
	if !m.anchored {
		m.anchored = true
		m.offset = arrived - at.at
		if at.absolute {
			if off := -time.Duration(m.start.UnixNano()); (off - m.offset).Abs() <= streamSkew {
				m.offset = off
			} else {
				m.faults.Notes = append(m.faults.Notes, fmt.Sprintf(
					"the source's clock stands %v off ours; its times are aligned to the arrival of its first line", (off-m.offset).Round(time.Millisecond)))
			}
		}
	} else if at.at < m.last || at.at+m.offset > arrived+streamAhead {
		m.faults.ClockSteps++
		m.offset = arrived - at.at
	}
	m.last = at.at
	return at.at + m.offset
}

// Read returns what came in since the last call.
func (m *streamMeter) Read(time.Duration) ([]Reading, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	q := m.queue
	m.queue = nil
	if len(q) == 0 {
		return nil, m.end
	}
	return q, nil
}

// Faults states the lines that were dropped and the source's clock steps.
func (m *streamMeter) Faults() Faults {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.faults
	f.Notes = slices.Clone(f.Notes)
	return f
}

// Close stops following and waits for the goroutine.
func (m *streamMeter) Close() error {
	if m.src == nil {
		return nil
	}
	err := m.src.Close()
	if m.done != nil {
		<-m.done
	}
	m.src = nil
	return err
}

// tail reads a file that grows, or a FIFO whose writers come and go: its end is
// where to wait. A file that was cut short is read from its start again.
type tail struct {
	*os.File
	regular bool
	at      int64 // read so far, of a regular file
}

// Read waits for bytes; io.EOF follows Close alone.
func (t *tail) Read(b []byte) (int, error) {
	for ; ; time.Sleep(tailWait) {
		n, err := t.File.Read(b)
		if n > 0 {
			t.at += int64(n)
			return n, nil
		}
		if errors.Is(err, os.ErrClosed) {
			return 0, io.EOF
		}
		if err != nil && err != io.EOF {
			return 0, err
		}
		if t.regular {
			if st, err := t.Stat(); err == nil && st.Size() < t.at {
				if t.at, err = t.Seek(0, io.SeekStart); err != nil {
					return 0, err
				}
			}
		}
	}
}

// newLine follows a file, FIFO or device by name, or the output of a command.
func newLine(s Spec, f lineFormat) (Meter, error) {
	d := newDecoder(f)
	m := &streamMeter{
		info: Info{Name: s.name(), Kind: "line", Domain: "system", Source: s.File + s.Exec, // one of them
			Coverage: s.Covers, Method: Power, Stream: true},
		source: func() (io.ReadCloser, error) { return startCommand(s.Exec) },
		split:  bufio.ScanLines, decode: d.line,
	}
	if s.Exec != "" {
		return m, nil
	}
	var err error
	if m.src, err = openSource(s.File, s.Baud, d); err != nil {
		return nil, &Unavailable{Name: m.info.Name, Reason: err.Error(), Err: err}
	}
	return m, nil
}

// openSource opens what is at path: a device as a serial port, anything else to be
// followed; a regular file from its end on, its header read for the decoder.
func openSource(path string, baud int, d *decoder) (io.ReadCloser, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if st.IsDir() {
		return nil, fmt.Errorf("%s: %w: a directory", path, ErrFormat)
	}
	if st.Mode()&os.ModeCharDevice != 0 {
		return openSerial(path, baud)
	}
	f, err := openWaiting(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return &tail{File: f}, nil
	}
	at := int64(0)
	if err = readHeader(f, d); err == nil {
		at, err = f.Seek(0, io.SeekEnd)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	d.partial = !endsLine(f, at)
	return &tail{f, true, at}, nil
}

// endsLine tells whether a line ends at that byte of f, if it can be read.
func endsLine(f io.ReaderAt, at int64) bool {
	last := make([]byte, 1)
	n, _ := f.ReadAt(last, at-1) // at 0 there is none
	return n == 0 || last[0] == '\n'
}

// readHeader shows the decoder the first lines of a file, up to the one behind its header, which may
// hold units.
func readHeader(f *os.File, d *decoder) error {
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, maxLine)
	for more := true; more && sc.Scan(); {
		more = !d.header
		if _, _, _, err := d.line(sc.Text()); err != nil && (!d.header || errors.Is(err, ErrChoice)) {
			return err
		}
	}
	return sc.Err()
}

// wattsUpStart asks the meter to send a record each second; wattsUpStop ends that.
const (
	wattsUpStart = "#L,W,3,E,0,1;"
	wattsUpStop  = "#L,R,0;"
	wattsUpBaud  = 115200
)

// newWattsUp opens a Watts Up? PRO on a serial port.
func newWattsUp(s Spec) (Meter, error) {
	info := Info{Name: s.name(), Kind: "wattsup", Domain: "system", Device: "Watts Up? PRO", Source: s.File,
		Coverage: s.Covers, Method: Power, Unit: 0.1, Update: time.Second, Stream: true}
	port, err := openSerial(s.File, cmp.Or(s.Baud, wattsUpBaud))
	if err == nil {
		if _, werr := io.WriteString(port, wattsUpStart); werr != nil {
			err = errors.Join(werr, port.Close())
		}
	}
	if err != nil {
		u := denied(info, err, "join the port's group ('sudo usermod -aG dialout $USER') and log in again")
		return nil, &u
	}
	return &streamMeter{info: info, src: &wattsUpPort{port}, split: splitPackets, decode: decodeWattsUp}, nil
}

// wattsUpPort tells the meter to stop sending before it closes the port.
type wattsUpPort struct{ io.ReadWriteCloser }

// Close stops the records and closes the port.
func (p *wattsUpPort) Close() error {
	_, _ = io.WriteString(p.ReadWriteCloser, wattsUpStop) // a meter that is gone needs no stop
	return p.ReadWriteCloser.Close()
}

// splitPackets finds the packets of the serial protocol: from # to ;. All bytes
// between packets are ignored.
func splitPackets(data []byte, atEOF bool) (advance int, token []byte, err error) {
	i := bytes.IndexByte(data, '#')
	if i < 0 {
		return len(data), nil, nil
	}
	end := bytes.IndexAny(data[i+1:], "#;") + i + 1
	switch {
	case end > i && data[end] == ';':
		return end + 1, data[i : end+1], nil
	case end > i: // a new start: the packet before it was cut short
		return end, data[i:end], nil
	case atEOF:
		return len(data), nil, nil
	}
	return i, nil, nil
}

// decodeWattsUp reads a packet such as "#d,-,18,965,1204,792,...;": command,
// sub-command, number of arguments, and of these the first in tenths of a watt.
func decodeWattsUp(s string) (w float64, at stamp, skip bool, err error) {
	body, whole := strings.CutSuffix(s, ";")
	f := strings.Split(strings.TrimPrefix(body, "#"), ",")
	if f[0] != "d" && whole {
		return 0, stamp{}, true, nil // answers to commands, headers
	}
	if !whole || len(f) < 4 || f[2] != strconv.Itoa(len(f)-3) {
		return 0, stamp{}, false, fmt.Errorf("%w: packet %q", ErrFormat, s)
	}
	w, err = parsePower(f[3], 1)
	return w / 10, stamp{}, false, err
}
