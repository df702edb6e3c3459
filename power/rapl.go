package power

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/totemgo/totemgo/record"
)

// raplUpdate is how often the hardware renews a RAPL counter: about 1 ms (Intel
// Software Developer's Manual, volume 3, "RAPL interfaces").
const raplUpdate = time.Millisecond

// raplTwinSlack is how far apart two counters of one package's dies may stand and
// still be the same counter read twice, in microjoules.
const raplTwinSlack = 1_000_000

// raplCure lets everybody read the counters, which Linux 5.10 and later keep for
// root (CVE-2020-8694).
const raplCure = "run 'sudo chmod a+r /sys/class/powercap/*/energy_uj', or run as root"

// A zone's directory is CONTROL:N or CONTROL:N:M, as in intel-rapl:0:1.
var zoneName = regexp.MustCompile(`^([^:]*rapl[^:]*)((?::[0-9]+)+)$`)

// raplZone is one zone of the tree.
type raplZone struct {
	dir     string // in the tree
	id      string // intel-rapl:0:1
	control string // intel-rapl
	parent  string // intel-rapl:0, or ""
	name    string // package-0, core, dram, psys
	wrap    uint64 // microjoules; 0: not stated
	energy  uint64
	err     error // of reading energy_uj
}

func (z *raplZone) file() string { return z.dir + "/energy_uj" }

// raplZones finds all zones below the powercap class, whether the tree is flat
// (class/powercap, links) or nested (devices/virtual/powercap), each once.
func raplZones(t *Sysfs) []*raplZone {
	for _, root := range []string{"class/powercap", "devices/virtual/powercap", "."} {
		seen := map[string]*raplZone{}
		walkZones(t, root, 0, seen)
		if len(seen) == 0 {
			continue
		}
		zones := make([]*raplZone, 0, len(seen))
		for _, z := range seen {
			zones = append(zones, z)
		}
		sort.Slice(zones, func(i, j int) bool { return zones[i].id < zones[j].id })
		return zones
	}
	return nil
}

func walkZones(t *Sysfs, dir string, depth int, seen map[string]*raplZone) {
	if depth > 3 {
		return
	}
	for _, n := range t.list(dir) {
		sub := path.Join(dir, n)
		m := zoneName.FindStringSubmatch(n)
		if m == nil {
			if strings.Contains(n, "rapl") && depth == 0 {
				walkZones(t, sub, depth+1, seen) // a control type's own directory
			}
			continue
		}
		if seen[n] == nil {
			name, err := t.readFile(sub + "/name")
			if err == nil && name != "" {
				z := &raplZone{dir: sub, id: n, control: m[1], name: name}
				if i := strings.LastIndexByte(n, ':'); strings.Count(n, ":") > 1 {
					z.parent = n[:i]
				}
				z.wrap, _ = t.readUint(sub + "/max_energy_range_uj")
				z.energy, z.err = t.readUint(z.file())
				seen[n] = z
			}
		}
		walkZones(t, sub, depth+1, seen)
	}
}

// raplMeters lists the RAPL zones of the tree: those to use, and those that cannot
// be read or show the same hardware again.
func raplMeters(t *Sysfs) (meters []Meter, missing []Unavailable) {
	zones := raplZones(t)
	if len(zones) == 0 {
		return nil, []Unavailable{{
			Name:   "rapl",
			Reason: "no RAPL zones in " + t.show("class/powercap"),
			Cure:   "RAPL needs an Intel or AMD CPU, Linux, 'sudo modprobe intel_rapl_msr', and no virtual machine in between",
		}}
	}
	byID := map[string]*raplZone{}
	for _, z := range zones {
		byID[z.id] = z
	}
	amd := strings.Contains(modalias(t), "ven0002")

	// Two zones with one label are two views of one counter; a readable one wins,
	// then the one of the main control type, then the first.
	labels := raplLabels(zones, byID)
	label := func(z *raplZone) string { return labels[z] }
	order := append([]*raplZone(nil), zones...)
	sort.SliceStable(order, func(i, j int) bool {
		a, b := order[i], order[j]
		if (a.err == nil) != (b.err == nil) {
			return a.err == nil
		}
		return len(a.control) < len(b.control)
	})
	kept := map[string]*raplZone{} // by label
	twin := map[*raplZone]*raplZone{}
	for _, z := range order {
		l := label(z)
		if k := kept[l]; k != nil {
			twin[z] = k
			continue
		}
		if k := sameDie(z, label, kept, byID, amd); k != nil {
			twin[z] = k
			continue
		}
		kept[l] = z
	}

	for _, z := range zones {
		info := raplInfo(t, z, byID[z.parent], labels)
		k, dup := twin[z]
		switch {
		case dup:
			info.Name = "rapl:" + z.id
			missing = append(missing, Unavailable{Name: info.Name, Info: &info, DuplicateOf: "rapl:" + label(k),
				Reason: "shows the same hardware as " + k.id + "; counted once"})
		case z.err != nil:
			missing = append(missing, denied(info, t.show(z.file()), z.err, raplCure))
		default:
			meters = append(meters, &fileMeter{passive{info}, t, z.file()})
		}
	}
	return meters, missing
}

// raplLabels names the zones: a package by its name, a part by its package's and its
// own. Where one control type has a name twice, the second is NAME.2.
func raplLabels(zones []*raplZone, byID map[string]*raplZone) map[*raplZone]string {
	labels := make(map[*raplZone]string, len(zones))
	times := map[string]int{}
	for _, z := range zones { // by rising id: a parent stands before its parts
		l := z.name
		if p := byID[z.parent]; p != nil {
			l = labels[p] + "/" + z.name
		}
		key := z.control + " " + l
		if times[key]++; times[key] > 1 {
			l += "." + strconv.Itoa(times[key])
		}
		labels[z] = l
	}
	return labels
}

// sameDie finds the zone of another die of the same package, or of the same name,
// that reads the same counter: on AMD each die's zone shows the whole package;
// elsewhere dies have counters of their own, unless both stand at the same value.
func sameDie(z *raplZone, label func(*raplZone) string, kept map[string]*raplZone, byID map[string]*raplZone, amd bool) *raplZone {
	pkg, die, tail := splitDie(label(z))
	for l, k := range kept {
		kp, kd, kt := splitDie(l)
		if kp != pkg || kd == die || kt != tail || (k.err == nil) != (z.err == nil) {
			continue
		}
		// A sub-zone follows its package.
		a, b := z, k
		if z.parent != "" && byID[z.parent] != nil && byID[k.parent] != nil {
			a, b = byID[z.parent], byID[k.parent]
		}
		near := a.err == nil && b.err == nil && a.wrap == b.wrap &&
			a.energy > 2*raplTwinSlack && max(a.energy, b.energy)-min(a.energy, b.energy) <= raplTwinSlack
		if amd || near {
			return k
		}
	}
	return nil
}

// splitDie takes a label apart: "package-0-die-1/dram" is package-0, die 1, dram;
// "package-0.2" is package-0, die 2.
func splitDie(label string) (pkg, die, tail string) {
	head, tail, _ := strings.Cut(label, "/")
	if pkg, die, ok := strings.Cut(head, "-die-"); ok {
		return pkg, die, tail
	}
	pkg, die, _ = strings.Cut(head, ".")
	return pkg, die, tail
}

func modalias(t *Sysfs) string {
	s, _ := t.readFile("devices/system/cpu/modalias")
	return s
}

func raplInfo(t *Sysfs, z, parent *raplZone, labels map[*raplZone]string) Info {
	i := Info{
		Name: "rapl:" + labels[z], Kind: "rapl", Device: z.id, Source: t.show(z.file()),
		Coverage: record.CoverageComponent, Method: Counter, Unit: 1e-6, Wrap: z.wrap, Update: raplUpdate,
	}
	switch {
	case strings.HasPrefix(z.name, "package"):
		i.Domain = "package"
	case z.name == "core":
		i.Domain = "cores"
	case strings.HasPrefix(z.name, "psys"):
		// The platform as its maker wired it: it contains the packages, and is not
		// the whole system as a wall meter sees it.
		i.Domain, i.Apart = "platform", true
	default:
		i.Domain = z.name // uncore, dram
	}
	// Memory is fed beside the package: its energy is not in the package's.
	if parent != nil && z.name != "dram" {
		i.PartOf = "rapl:" + labels[parent]
	}
	return i
}

// denied makes the statement about a file that could not be read; the cure is given
// where permission is what lacks.
func denied(info Info, file string, err error, cure string) Unavailable {
	u := Unavailable{Name: info.Name, Info: &info, Reason: reasonOn(err, file), Err: err}
	if errors.Is(err, fs.ErrPermission) {
		u.Cure = cure
	}
	return u
}

// fileMeter polls one sysfs file: a counter, or a power in steps of the unit.
type fileMeter struct {
	passive
	tree *Sysfs
	file string
}

// Read reads the file now.
func (m *fileMeter) Read(now time.Duration) ([]Reading, error) {
	v, err := m.tree.readUint(m.file)
	if err != nil {
		return nil, err
	}
	r := Reading{At: now, Count: v}
	if m.info.Method == Power {
		r = Reading{At: now, Watts: float64(v) * m.info.Unit}
	}
	return []Reading{r}, nil
}
