package power

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/totemgo/totemgo/record"
)

// raplUpdate is how often the hardware renews a RAPL counter: about 1 ms (Intel
// Software Developer's Manual, volume 3, "RAPL interfaces").
const raplUpdate = time.Millisecond

// raplCure lets everybody read the counters, which Linux 5.10 and later keep for
// root (CVE-2020-8694).
const raplCure = "run 'sudo chmod a+r /sys/class/powercap/*/energy_uj', or run as root"

// danglingCure makes the files of a container's powercap class visible in it.
const danglingCure = "in a container, mount /sys/devices/virtual/powercap too ('docker run -v /sys/devices/virtual/powercap:/sys/devices/virtual/powercap:ro')"

// A zone's directory is CONTROL:N or CONTROL:N:M, as in intel-rapl:0:1, that of a control type CONTROL.
var zoneName = regexp.MustCompile(`^([^:]*rapl[^:]*)(:[0-9]+)*$`)

// raplZone is one zone of the tree.
type raplZone struct {
	dir     string // in the tree
	id      string // intel-rapl:0:1
	control string // intel-rapl
	parent  *raplZone
	name    string // package-0, core, dram, psys
	label   string // a package's name, that of a part behind its package's: package-0/core
	wrap    uint64 // microjoules; 0: not stated
	err     error  // of reading energy_uj, or name
	link    string // where it leads, if that is not there
	off     bool   // enabled is 0
}

func (z *raplZone) file() string { return z.dir + "/energy_uj" }

// numbered is false for a control type.
func (z *raplZone) numbered() bool { return strings.Contains(z.id, ":") }

// rank is lower for the zone to prefer.
func (z *raplZone) rank() int {
	if z.err != nil {
		return math.MaxInt32
	}
	return len(z.control)
}

// raplZones finds all zones below the powercap class, whether the tree is flat
// (class/powercap, links) or nested (devices/virtual/powercap), each once, and labels them. Where
// one control type has a name twice, the second is NAME.2.
func raplZones(t *Sysfs) []*raplZone {
	for _, root := range []string{"class/powercap", "devices/virtual/powercap", "."} {
		seen := map[string]*raplZone{}
		walkZones(t, root, 0, seen)
		if len(seen) == 0 {
			continue
		}
		zones := slices.Collect(maps.Values(seen))
		if slices.ContainsFunc(zones, (*raplZone).numbered) { // a control type alone matters where there is no zone
			zones = slices.DeleteFunc(zones, func(z *raplZone) bool { return !z.numbered() })
		}
		slices.SortFunc(zones, func(a, b *raplZone) int { return strings.Compare(a.id, b.id) })
		times := map[string]int{}
		for _, z := range zones { // a parent stands before its parts
			z.label = cmp.Or(z.name, z.id)
			if i := strings.LastIndexByte(z.id, ':'); strings.Count(z.id, ":") > 1 {
				z.parent = seen[z.id[:i]]
			}
			if z.parent != nil {
				z.label = z.parent.label + "/" + z.name
			}
			key := z.control + " " + z.label
			if times[key]++; times[key] > 1 {
				z.label += "." + strconv.Itoa(times[key])
			}
		}
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
		if m := zoneName.FindStringSubmatch(n); m != nil {
			if z := (&raplZone{dir: sub, id: n, control: m[1]}); seen[n] == nil && z.read(t) {
				seen[n] = z
			}
			walkZones(t, sub, depth+1, seen)
		}
	}
}

// read reads a zone's files; false: it is no zone.
func (z *raplZone) read(t *Sysfs) bool {
	z.name, z.err = t.readFile(z.dir + "/name")
	if z.err != nil {
		z.link = t.dangling(z.dir)
		return z.link != "" || !errors.Is(z.err, fs.ErrNotExist)
	}
	z.wrap, _ = t.readUint(z.dir + "/max_energy_range_uj")
	enabled, err := t.readUint(z.dir + "/enabled")
	z.off = err == nil && enabled == 0
	_, z.err = t.readUint(z.file())
	return z.name != ""
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
	cpu, _ := t.readFile("devices/system/cpu/modalias")
	amd := strings.Contains(cpu, "ven0002")

	// Two zones with one label are two views of one counter; a readable one wins,
	// then the one of the main control type, then the first.
	key := func(z *raplZone) string {
		if amd { // a die's zone shows the whole package
			return dieless(z.label)
		}
		return z.label
	}
	best := map[string]*raplZone{}
	for _, z := range zones {
		if k := best[key(z)]; k == nil || z.rank() < k.rank() {
			best[key(z)] = z
		}
	}

	for _, z := range zones {
		info := z.info(t)
		k := best[key(z)]
		switch {
		case k != z:
			info.Name = "rapl:" + z.id
			missing = append(missing, Unavailable{Name: info.Name, Info: &info, DuplicateOf: "rapl:" + k.label,
				Reason: "shows the same hardware as " + k.id + "; counted once"})
		case z.link != "":
			missing = append(missing, Unavailable{Name: info.Name, Info: &info, Err: z.err,
				Reason: fmt.Sprintf("%s links to %s, which is not there", t.show(z.dir), z.link), Cure: danglingCure})
		case z.err != nil:
			missing = append(missing, denied(info, z.err, raplCure))
		default:
			meters = append(meters, t.meter(info, z.file()))
		}
	}
	return meters, missing
}

// dieless is a label without the die: "package-0-die-1/dram" and "package-0.2/dram" are
// "package-0/dram".
func dieless(label string) string {
	head, tail, _ := strings.Cut(label, "/")
	head, _, _ = strings.Cut(head, "-die-")
	head, _, _ = strings.Cut(head, ".")
	return head + "/" + tail
}

// info describes the zone as a meter.
func (z *raplZone) info(t *Sysfs) Info {
	i := Info{
		Name: "rapl:" + z.label, Kind: "rapl", Device: z.id, Source: t.show(z.file()),
		Coverage: record.CoverageComponent, Method: Counter, Unit: 1e-6, Wrap: z.wrap, Update: raplUpdate, Disabled: z.off,
	}
	switch {
	case strings.HasPrefix(z.name, "package") || z.name == "" && z.parent == nil:
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
	i.Group = dieless(z.label)
	// Memory is fed beside the package: its energy is not in the package's.
	if z.parent != nil && z.name != "dram" {
		i.PartOf = "rapl:" + z.parent.label
	}
	return i
}

// denied makes the statement about a file that could not be read; the cure is given
// where permission is what lacks.
func denied(info Info, err error, cure string) Unavailable {
	u := Unavailable{Name: info.Name, Info: &info, Reason: err.Error(), Err: err}
	if errors.Is(err, fs.ErrPermission) {
		u.Cure = cure
	}
	return u
}
