package power

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/totemgo/totemgo/internal/atomicfile"
	"github.com/totemgo/totemgo/record"
)

// WriteSession writes a session's results and samples as JSON, whole: an error leaves the file as it was.
func WriteSession(path string, s *record.PowerSession) error {
	return atomicfile.Write(path, func(w io.Writer) error { return EncodeSession(w, s) })
}

// EncodeSession writes a session to w as WriteSession does to a file. The error is w's.
func EncodeSession(w io.Writer, s *record.PowerSession) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(s)
}

// ReadSession reads what WriteSession wrote. A file that is something else is refused
// with ErrFormat.
func ReadSession(path string) (*record.PowerSession, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("power: session: %w", err)
	}
	defer f.Close()
	return DecodeSession(path, f)
}

// DecodeSession reads a session as ReadSession does; errors name path.
func DecodeSession(path string, r io.Reader) (*record.PowerSession, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("power: session: %w", err)
	}
	s := &record.PowerSession{}
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("power: session %s: %w: %w", path, ErrFormat, err)
	}
	if s.Schema != record.PowerSessionSchema {
		return nil, fmt.Errorf("power: session %s: %w: schema %q, expected %q", path, ErrFormat, s.Schema, record.PowerSessionSchema)
	}
	return s, nil
}

// WriteSamples writes all samples of a session as CSV: wall-clock time (the start plus
// the monotonic time), seconds since the start, meter, and energy since the meter's
// first reading or power. The error wraps ErrFormat for a start that is no time, or is w's.
func WriteSamples(w io.Writer, s *record.PowerSession) error {
	start, err := time.Parse(time.RFC3339Nano, s.Start)
	if err != nil {
		return fmt.Errorf("power: session start: %w: %w", ErrFormat, err)
	}
	c := csv.NewWriter(w)
	rows := [][]string{{"time", "t_s", "meter", "energy_j", "power_w"}}
	num := func(x *float64) string {
		if x == nil {
			return ""
		}
		return strconv.FormatFloat(*x, 'g', -1, 64)
	}
	for _, m := range s.Meters {
		for _, x := range m.Samples {
			at := start.Add(time.Duration(x.TimeS * 1e9)).Format(time.RFC3339Nano)
			rows = append(rows, []string{at, strconv.FormatFloat(x.TimeS, 'f', 9, 64), m.Name, num(x.EnergyJ), num(x.PowerW)})
		}
	}
	return c.WriteAll(rows)
}
