package power

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"time"
)

// maxLine bounds a line of a log or of a live source, in bytes.
const maxLine = 1 << 20

// replayMeter plays a recorded log from the session's start at its own pace. The
// first record is the start.
type replayMeter struct {
	info   Info
	log    []Reading
	next   int
	faults Faults
}

// newReplay reads the whole log that s names.
func newReplay(s Spec, f lineFormat) (Meter, error) {
	file := s.File
	r, err := os.Open(file)
	if err != nil {
		return nil, &UnavailableError{Name: s.name(), Reason: reasonOn(err, file), Err: err}
	}
	defer r.Close()
	if f.zone == nil {
		f.zone = time.UTC // only differences matter, and UTC has no summer time
	}
	m := &replayMeter{info: Info{
		Name: s.name(), Kind: "replay", Domain: "system", Source: file,
		Coverage: s.Covers, Method: Power, Stream: true, Replayed: true,
	}}
	if err := m.read(r, f); err != nil {
		return nil, fmt.Errorf("power: replay %s: %w", file, err)
	}
	return m, nil
}

func (m *replayMeter) read(r io.Reader, f lineFormat) error {
	d := newDecoder(f)
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, maxLine)
	var first stamp
	for n := 1; sc.Scan(); n++ {
		headed := d.header
		w, at, skip, err := d.line(sc.Text())
		if skip {
			continue
		}
		if err == nil && !at.has {
			return fmt.Errorf("line %d: %w: a log to replay needs times; name their column with time=NAME", n, ErrFormat)
		}
		if err == nil && len(m.log) > 0 && at.absolute != first.absolute {
			err = fmt.Errorf("%w: time changes between date and seconds", ErrFormat)
		}
		if err != nil {
			if !headed { // no header: nothing that follows can be read
				return fmt.Errorf("line %d: %w", n, err)
			}
			m.faults.Malformed++
			if len(m.faults.Notes) == 0 {
				m.faults.Notes = []string{fmt.Sprintf("line %d: %v", n, err)}
			}
			continue
		}
		if len(m.log) == 0 {
			first = at
		}
		m.log = append(m.log, Reading{At: at.at - first.at, Watts: w})
	}
	if err := sc.Err(); err != nil {
		return err
	}
	if len(m.log) < 2 {
		first := ""
		if len(m.faults.Notes) > 0 {
			first = "; " + m.faults.Notes[0]
		}
		return fmt.Errorf("%w: %d readings, two at least are needed%s", ErrFormat, len(m.log), first)
	}
	return nil
}

// Info describes the log.
func (m *replayMeter) Info() Info { return m.info }

// Begin does nothing: the log begins with the session.
func (m *replayMeter) Begin(time.Time) error { return nil }

// Read returns the records up to now and the one after, which lets the power now be
// interpolated. After the last it returns ErrEnded.
func (m *replayMeter) Read(now time.Duration) ([]Reading, error) {
	from := m.next
	for m.next < len(m.log) && (m.next == 0 || m.log[m.next-1].At <= now) {
		m.next++
	}
	if from == m.next && m.next == len(m.log) && now > m.log[m.next-1].At {
		return nil, fmt.Errorf("the log of %s is over: %w", m.log[len(m.log)-1].At, ErrEnded)
	}
	return m.log[from:m.next], nil
}

// Faults states what could not be read in the log.
func (m *replayMeter) Faults() Faults { return m.faults }

// Close does nothing: the file is closed already.
func (m *replayMeter) Close() error { return nil }
