package power

import (
	"errors"
	"fmt"
)

// Errors of specifications and opening.
var (
	// ErrSpec is returned by ParseSpec for a specification that is malformed: an
	// unknown kind, an unknown or missing option, a value out of range.
	ErrSpec = errors.New("bad power specification")
	// ErrNoMeter is returned by Open when a kind that was asked for by name has no
	// meter that can be read. For "auto" it is never returned.
	ErrNoMeter = errors.New("no meter")
	// ErrUnsupported is wrapped where this platform cannot offer a meter at all.
	ErrUnsupported = errors.New("not supported on this platform")
	// ErrChoice is wrapped where a log could be read in several ways, and an option has to
	// choose: the zone of its times, one of its devices.
	ErrChoice = errors.New("undecided")
	// ErrFormat is wrapped where a file (a log, a snapshot, a session) is malformed.
	ErrFormat = errors.New("malformed")
)

// Errors of a running session.
var (
	// ErrRate is returned by Start for a rate outside 1 Hz to 1 kHz.
	ErrRate = errors.New("sampling rate out of range")
	// ErrEnded is returned by a meter's Read when its source has come to an end
	// and no further reading can follow.
	ErrEnded = errors.New("source ended")
	// ErrUnknownEnergy is returned where a figure needs an energy that no meter knows.
	ErrUnknownEnergy = errors.New("energy unknown")
)

// Unavailable says why a meter, or a kind of meters, is not used and what cures it.
type Unavailable struct {
	Name        string // of the meter or the kind
	Info        *Info  // what it would be, nil if unknown
	DuplicateOf string // the meter that reads the same hardware, or ""
	Reason      string // one line
	Cure        string // one line, or ""
	Err         error  // the cause, or nil
}

// Error joins name, reason and cure in one line.
func (u *Unavailable) Error() string {
	s := fmt.Sprintf("%s: unavailable: %s", u.Name, u.Reason)
	if u.Cure != "" {
		s += "; " + u.Cure
	}
	return s
}

// Unwrap returns the cause.
func (u *Unavailable) Unwrap() error { return u.Err }
