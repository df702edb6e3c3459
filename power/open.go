package power

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/totemgo/totemgo/record"
)

// OpenOptions say where meters are looked for.
type OpenOptions struct {
	// SysfsRoot is a directory or snapshot as OpenSysfs takes it; "" is /sys.
	SysfsRoot string
	// ProcRoot is the proc file system's directory; "" is /proc.
	ProcRoot string
	// NVMLLibrary is NVML's file; "" is what the driver installs.
	NVMLLibrary string

	nvml func() (*nvmlAPI, error) // instead of the library, for tests
}

func (o OpenOptions) loader() func() (*nvmlAPI, error) {
	if o.nvml != nil {
		return o.nvml
	}
	return func() (*nvmlAPI, error) { return loadNVML(o.NVMLLibrary) }
}

// Open opens the meters that specs ask for. "auto" takes what there is, and what is
// missing is listed in unavailable; any other kind that yields no meter at all makes
// Open fail with ErrNoMeter, every reason told. The caller closes the meters, or
// hands them to a Session. No two meters bear one name.
func Open(specs []Spec, o OpenOptions) (meters []Meter, unavailable []Unavailable, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, closeMeters(meters))
			meters, unavailable = nil, nil
		}
	}()
	tree, err := OpenSysfs(o.SysfsRoot)
	if err != nil {
		return nil, nil, err
	}
	names := map[string]bool{}
	for _, s := range specs {
		found, lack, err := openSpec(s, tree, o)
		if err != nil {
			return meters, nil, err
		}
		for _, m := range found {
			switch n := m.Info().Name; {
			case !names[n]:
				names[n] = true
				meters = append(meters, m)
			case s.File+s.Exec != "" || s.Kind == KindModel:
				return append(meters, m), nil, fmt.Errorf("power: %w: two meters called %q: rename or link the file of one", ErrSpec, n)
			default:
				_ = m.Close() // asked for twice, open already
			}
		}
		unavailable = append(unavailable, lack...)
	}
	return meters, unavailable, nil
}

// noMeter is the error for a kind without any meter: one line with every reason.
func noMeter(kind string, lack []Unavailable) error {
	err, sep := fmt.Errorf("power: %w of kind %s", ErrNoMeter, kind), ":"
	for i := range lack {
		err, sep = fmt.Errorf("%w%s %w", err, sep, &lack[i]), ";"
	}
	return err
}

// openSpec opens the meters of one specification.
func openSpec(s Spec, tree *Sysfs, o OpenOptions) (found []Meter, lack []Unavailable, err error) {
	f, err := s.format()
	if err != nil {
		return nil, nil, fmt.Errorf("power: %w: %w", ErrSpec, err)
	}
	s.Covers = cmp.Or(s.Covers, record.CoverageComponent)
	var m Meter
	switch s.Kind {
	case KindNone:
		return nil, nil, nil
	case KindAuto:
		found, lack = probe(tree, o, true)
		return found, lack, nil
	case KindRAPL:
		found, lack = raplMeters(tree)
	case KindNVML:
		found, lack = nvmlMeters(o.loader())
	case KindHwmon:
		found, lack = hwmonMeters(tree, s.Chip, s.Label, s.Covers)
		if s.Covers == record.CoverageWholeSystem && len(found) > 1 {
			err = fmt.Errorf("power: %w: chip %s has %d sensors: only one can be the whole system, choose it by label=", ErrSpec, s.Chip, len(found))
		}
	case KindModel:
		m, err = newModel(s.Idle, s.Busy, o.ProcRoot)
	case KindReplay:
		m, err = newReplay(s, f)
	case KindLine:
		m, err = newLine(s, f)
	case KindWattsUp:
		m, err = newWattsUp(s)
	default:
		err = fmt.Errorf("power: %w: kind %q", ErrSpec, s.Kind)
	}
	if m != nil {
		found = []Meter{m}
	}
	if err == nil && len(found) == 0 {
		err = noMeter(s.Kind, lack)
	}
	return found, lack, err
}

// probe looks for the meters of the machine; totals leaves out the sensors that
// totals would not contain.
func probe(tree *Sysfs, o OpenOptions, totals bool) (meters []Meter, missing []Unavailable) {
	m, u := raplMeters(tree)
	meters, missing = append(meters, m...), append(missing, u...)
	m, u = nvmlMeters(o.loader())
	meters, missing = append(meters, m...), append(missing, u...)
	m, u = hwmonMeters(tree, "", "", "")
	for _, x := range m {
		if !totals || !x.Info().Apart {
			meters = append(meters, x)
		}
	}
	return meters, append(missing, u...)
}

// List states what meters the machine has, and why what is not there is not: one
// entry for each meter that can be read, cannot be read, or is seen twice, and one
// line for each kind without any. All are closed again. Errors are those of OpenSysfs.
func List(o OpenOptions) (*record.PowerMeters, error) {
	tree, err := OpenSysfs(o.SysfsRoot)
	if err != nil {
		return nil, err
	}
	meters, missing := probe(tree, o, false)
	r := &record.PowerMeters{Schema: record.PowerMetersSchema, Meters: []record.PowerMeter{}}
	infos := make([]Info, len(meters))
	for i, m := range meters {
		infos[i] = m.Info()
	}
	for i, in := range inTotal(infos) {
		d := Describe(infos[i])
		d.InTotal = in
		if k := slices.IndexFunc(infos[:i], func(x Info) bool { return x.Group == infos[i].Group && x.Group != "" }); k >= 0 {
			d.Reason = "may mirror " + infos[k].Name + ": a session compares them"
		}
		r.Meters = append(r.Meters, d)
	}
	for _, u := range missing {
		if u.Info == nil {
			r.Missing = append(r.Missing, record.PowerMissing{Name: u.Name, Reason: u.Reason, Cure: u.Cure})
			continue
		}
		d := Describe(*u.Info)
		d.Available, d.Reason, d.Cure, d.DuplicateOf = false, u.Reason, u.Cure, u.DuplicateOf
		r.Meters = append(r.Meters, d)
	}
	return r, closeMeters(meters)
}
