package power

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/totemgo/totemgo/record"
)

// WriteFile writes a file whole: what write produces goes to a temporary file beside
// it, which then takes its name. A reader sees the old file or the new one. A link
// stays a link, and a device or pipe is written as it is.
func WriteFile(path string, write func(io.Writer) error) error {
	err := replace(path, write)
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		err = p.Err // the temporary file's name tells nobody anything
	case errors.As(err, &l):
		err = l.Err
	}
	if err != nil {
		return fmt.Errorf("power: write %s: %w", path, err)
	}
	return nil
}

func replace(path string, write func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := fs.FileMode(0o666) // less the umask, as for any new file
	if st, err := os.Stat(path); err == nil {
		if !st.Mode().IsRegular() {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			return errors.Join(write(f), f.Close())
		}
		mode = st.Mode().Perm()
	}
	temporary := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x.part", filepath.Base(path), rand.Uint32()))
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Close())
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return nil
}

// WriteSession writes a session's results and samples as JSON, whole.
func WriteSession(path string, s *record.PowerSession) error {
	return WriteFile(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode(s)
	})
}

// ReadSession reads what WriteSession wrote. A file that is something else is refused
// with ErrFormat.
func ReadSession(path string) (*record.PowerSession, error) {
	b, err := os.ReadFile(path)
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
// first reading or power.
func WriteSamples(w io.Writer, s *record.PowerSession) error {
	start, err := time.Parse(time.RFC3339Nano, s.Start)
	if err != nil {
		return fmt.Errorf("power: session start: %w: %w", ErrFormat, err)
	}
	c := csv.NewWriter(w)
	row := []string{"time", "t_s", "meter", "energy_j", "power_w"}
	if err := c.Write(row); err != nil {
		return err
	}
	num := func(x *float64) string {
		if x == nil {
			return ""
		}
		return strconv.FormatFloat(*x, 'g', -1, 64)
	}
	for _, m := range s.Meters {
		for _, x := range m.Samples {
			row[0] = start.Add(time.Duration(x.TimeS * 1e9)).Format(time.RFC3339Nano)
			row[1] = strconv.FormatFloat(x.TimeS, 'f', 9, 64)
			row[2], row[3], row[4] = m.Name, num(x.EnergyJ), num(x.PowerW)
			if err := c.Write(row); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}
