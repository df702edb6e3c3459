package power

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"time"
)

// replayMeter plays a recorded log from the session's start at its own pace. The
// first record is the start.
type replayMeter struct {
	passive
	log    []Reading
	next   int
	faults Faults
}

// newReplay reads the whole log that s names.
func newReplay(s Spec, f lineFormat) (Meter, error) {
	r, err := os.Open(s.File)
	if err != nil {
		return nil, &Unavailable{Name: s.name(), Reason: reasonOn(err, s.File), Err: err}
	}
	defer r.Close()
	if f.zone == nil {
		f.zone = time.UTC // only differences matter, and UTC has no summer time
	}
	m := &replayMeter{passive: passive{Info{
		Name: s.name(), Kind: "replay", Domain: "system", Source: s.File,
		Coverage: s.Covers, Method: Power, Stream: true, Replayed: true,
	}}}
	if err := m.read(r, f); err != nil {
		return nil, fmt.Errorf("power: replay %s: %w", s.File, err)
	}
	return m, nil
}

func (m *replayMeter) read(r io.Reader, f lineFormat) error {
	d := newDecoder(f)
	var first stamp
	err := scan(r, bufio.ScanLines, d.line, func(n int, w float64, at stamp, err error) error {
		switch {
		case err != nil && !d.header: // nothing that follows can be read
			return fmt.Errorf("line %d: %w", n, err)
		case err == nil && !at.has:
			return fmt.Errorf("line %d: %w: a log to replay needs times; name their column with time=NAME", n, ErrFormat)
		case err == nil && len(m.log) > 0 && at.absolute != first.absolute:
			err = fmt.Errorf("%w: time changes between date and seconds", ErrFormat)
		}
		if err != nil {
			m.faults.malformed(n, err)
			return nil
		}
		if len(m.log) == 0 {
			first = at
		}
		m.log = append(m.log, Reading{At: at.at - first.at, Watts: w})
		return nil
	})
	if err == nil && len(m.log) < 2 {
		err = fmt.Errorf("%w: %d readings, two at least are needed", ErrFormat, len(m.log))
		if len(m.faults.Notes) > 0 {
			err = fmt.Errorf("%w; %s", err, m.faults.Notes[0])
		}
	}
	return err
}

// Read returns the records up to now and the one after, which lets the power now be
// interpolated. After the last it returns ErrEnded.
func (m *replayMeter) Read(now time.Duration) ([]Reading, error) {
	from := m.next
	for m.next < len(m.log) && (m.next == 0 || m.log[m.next-1].At <= now) {
		m.next++
	}
	if last := m.log[len(m.log)-1].At; from == len(m.log) && now > last {
		return nil, fmt.Errorf("the log of %s is over: %w", last, ErrEnded)
	}
	return m.log[from:m.next], nil
}

// Faults states what could not be read in the log.
func (m *replayMeter) Faults() Faults { return m.faults }
