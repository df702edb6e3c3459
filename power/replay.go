package power

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// maxLate is how late a line of a finished log may come and be sorted in; later ones come
// from a clock that jumped.
const maxLate = 24 * time.Hour

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
		return nil, &Unavailable{Name: s.name(), Reason: err.Error(), Err: err}
	}
	defer r.Close()
	f.assumed = time.UTC // only differences matter, and UTC has no summer time
	m := &replayMeter{passive: passive{Info{
		Name: s.name(), Kind: "replay", Domain: "system", Source: s.File,
		Coverage: s.Covers, Method: Power, Stream: true, Replayed: true,
	}}}
	if err := m.read(r, f); err != nil {
		return nil, fmt.Errorf("power: %s: %s: %w", s.name(), s.File, err)
	}
	if size, _ := r.Seek(0, io.SeekCurrent); !endsLine(r, size) {
		m.faults.Notes = append(m.faults.Notes, "the last line has no end: if it was cut short, its power may be wrong")
	}
	return m, nil
}

func (m *replayMeter) read(r io.Reader, f lineFormat) error {
	d := newDecoder(f)
	var first, latest, last stamp // the earliest of all lines; of those read, the latest and the last
	err := scan(r, bufio.ScanLines, d.line, func(n int, w float64, at stamp, err error) error {
		valued := err == nil || err == errMissing
		switch {
		case err != nil && (!d.header || errors.Is(err, ErrChoice)): // nothing that follows can be read
			return fmt.Errorf("line %d: %w", n, err)
		case (valued || err == errOther) && !at.has:
			return fmt.Errorf("line %d: %w: a log to replay needs times; name their column with time=NAME", n, ErrFormat)
		case first.has && at.has && at.absolute != first.absolute:
			err, valued = fmt.Errorf("%w: time changes between date and seconds", ErrFormat), false
		case last.has && valued && last.at-at.at > maxLate:
			err, valued = fmt.Errorf("%w: its time lies %v before that of the line before", ErrFormat, last.at-at.at), false
		}
		if !valued && err != errOther {
			m.faults.malformed(n, err)
			return nil
		}
		if !first.has || at.at < first.at {
			first = at
		}
		if err == errOther {
			return nil
		}
		if latest.has && at.at < latest.at {
			m.faults.OutOfOrder++
		} else {
			latest = at
		}
		last = at
		m.log = append(m.log, Reading{At: at.at, Watts: w, Missing: err != nil})
		return nil
	})
	if err != nil {
		return err
	}
	known := m.settle(first.at)
	for i := 1; i < len(m.log); i++ {
		if step := m.log[i].At - m.log[i-1].At; step > maxLate {
			return fmt.Errorf("%w: between two lines lie %v: cut the log there", ErrFormat, step)
		}
	}
	if known < 2 || m.faults.Malformed > known {
		err = fmt.Errorf("%w: %d readings, %d malformed lines: want two readings, and no more malformed lines than readings",
			ErrFormat, known, m.faults.Malformed)
		switch {
		case len(m.log) > known && m.faults.Malformed <= known:
			err = fmt.Errorf("%w; %d lines have no value", err, len(m.log)-known)
		case len(m.faults.Notes) > 0:
			err = fmt.Errorf("%w; %s", err, m.faults.Notes[0])
		case f.where[0] != "":
			err = fmt.Errorf("%w; column %q has %s", err, f.where[0], d.values())
		}
	}
	return err
}

// settle sorts the log from its first time on, merges the readings of one time, and counts
// the times with a value.
func (m *replayMeter) settle(first time.Duration) (known int) {
	slices.SortStableFunc(m.log, func(a, b Reading) int { return cmp.Compare(a.At, b.At) })
	log := m.log[:0]
	differ, same := 0, 0 // times with several values; values of the last time
	for _, r := range m.log {
		r.At -= first
		last := &Reading{At: -1}
		if len(log) > 0 {
			last = &log[len(log)-1]
		}
		switch {
		case r.At != last.At:
			log, same = append(log, r), 1
		case last.Missing:
			*last = r
		case r.Missing:
		case same == 1 && r.Watts == last.Watts:
			m.faults.Repeats++
		default: // their mean
			if same++; same == 2 {
				differ++
			}
			last.Watts += (r.Watts - last.Watts) / float64(same)
		}
	}
	m.log = log
	if differ > 0 {
		m.faults.Notes = append(m.faults.Notes, fmt.Sprintf("times with several values: %d; their means are taken", differ))
	}
	for _, r := range log {
		if !r.Missing {
			known++
		}
	}
	return known
}

// Read returns the records up to now and the one after, which lets the power now be
// interpolated. After the last time it returns ErrEnded.
func (m *replayMeter) Read(now time.Duration) (r []Reading, err error) {
	from := m.next
	for m.next < len(m.log) && (m.next == 0 || m.log[m.next-1].At <= now) {
		m.next++
	}
	if last := m.log[len(m.log)-1].At; now > last {
		err = fmt.Errorf("the log of %s is over: %w", last, ErrEnded)
	}
	return m.log[from:m.next], err
}

// Faults states what could not be read in the log.
func (m *replayMeter) Faults() Faults { return m.faults }
