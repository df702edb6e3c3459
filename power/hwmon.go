package power

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/totemgo/totemgo/record"
)

var hwmonFile = regexp.MustCompile(`^(?:power|energy)([0-9]{1,9})_(?:average|input)$`)

// gpuChips are the hwmon names of graphics drivers; one sensor of each covers the card.
var gpuChips = map[string]bool{"amdgpu": true, "radeon": true, "i915": true, "xe": true, "nouveau": true}

// hwmonParts are chips some of whose sensors contain others: the start of the parts' labels, and the
// label of a whole.
var hwmonParts = map[string][2]string{"amd_energy": {"Ecore", "Esocket0"}, "corsairpsu": {"power +", "power total"}}

// hwmonMeters lists the power and energy sensors of class/hwmon, of one chip name
// and label if these are given. A sensor of a GPU counts in totals; any other is
// shown apart, for only its owner knows what it covers, unless it was asked for.
func hwmonMeters(t *Sysfs, chip, label, covers string) (meters []Meter, missing []Unavailable) {
	const root = "class/hwmon"
	seen, names := map[string]int{}, map[string]bool{}
	for _, h := range t.list(root) {
		dir := root + "/" + h
		name, err := t.readFile(dir + "/name")
		if err != nil || chip != "" && chip != name {
			continue
		}
		seen[name]++
		device := name
		if seen[name] > 1 {
			device = name + "." + strconv.Itoa(seen[name])
		}
		cards := 0 // sensors of this chip
		for _, file := range hwmonFiles(t, dir) {
			sensor, _, _ := strings.Cut(file, "_") // such as power1
			l, _ := t.readFile(dir + "/" + sensor + "_label")
			l = cmp.Or(l, sensor)
			if label != "" && label != l {
				continue
			}
			full := "hwmon:" + device + "/" + l
			if names[full] {
				full += "." + hwmonFile.FindStringSubmatch(file)[1]
			}
			names[full] = true
			info := Info{
				Name: full, Kind: "hwmon", Domain: "board", Device: name,
				Source: t.show(dir + "/" + file), Coverage: cmp.Or(covers, record.CoverageComponent), Method: Power, Unit: 1e-6,
			}
			if strings.HasPrefix(file, "energy") {
				info.Method = Counter
			} else if ms, err := t.readUint(dir + "/" + sensor + "_average_interval"); err == nil && ms <= math.MaxInt32 {
				info.Update = time.Duration(ms) * time.Millisecond
			}
			if gpuChips[name] {
				info.Domain = "gpu"
			}
			if p, ok := hwmonParts[name]; ok && strings.HasPrefix(l, p[0]) {
				info.PartOf = "hwmon:" + device + "/" + p[1]
			}
			info.Apart = !gpuChips[name] && chip == "" || gpuChips[name] && cards > 0
			cards++
			m := t.meter(info, dir+"/"+file)
			if _, err := m.read(); err != nil {
				missing = append(missing, denied(info, err, "run 'sudo chmod a+r "+info.Source+"', or run as root"))
				continue
			}
			meters = append(meters, m)
		}
	}
	if len(meters)+len(missing) == 0 {
		why := "no power or energy sensors"
		if chip != "" {
			why = fmt.Sprintf("no power or energy sensor of chip %q", chip)
		}
		if label != "" {
			why += fmt.Sprintf(" with label %q", label)
		}
		missing = append(missing, Unavailable{Name: "hwmon", Reason: why + " in " + t.show(root),
			Cure: "load the board's or card's sensor driver ('sudo sensors-detect' from lm-sensors finds it)"})
	}
	return meters, missing
}

// hwmonFiles lists one file a channel: a counter before average power before momentary
// power where the channel of one number has them. One that can be read goes before all
// that cannot: some drivers show a file that has nothing to tell.
func hwmonFiles(t *Sysfs, dir string) (files []string) {
	channels := map[int][]string{}
	for _, f := range t.list(dir) {
		if m := hwmonFile.FindStringSubmatch(f); m != nil {
			n, _ := strconv.Atoi(m[1])
			channels[n] = append(channels[n], f)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(channels)) {
		// By name energyN_input stands before powerN_average before powerN_input.
		files = append(files, channels[n][max(0, slices.IndexFunc(channels[n], func(f string) bool {
			_, err := t.readUint(dir + "/" + f)
			return err == nil
		}))])
	}
	return files
}
