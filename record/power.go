package record

// Schemas of the power documents.
const (
	// PowerSessionSchema is the schema of what a power session states.
	PowerSessionSchema = "totemgo.power/1"
	// PowerMetersSchema is the schema of the list of meters.
	PowerMetersSchema = "totemgo.power-meters/1"
)

// Coverage names, as they stand in JSON: what part of the machine a figure covers.
const (
	CoverageWholeSystem = "whole-system" // all that the machine draws, as the Green Graph500 wants it
	CoverageComponent   = "component"    // some parts only
	CoverageModel       = "model"        // nothing was measured
)

// PowerMeters is the document of "totemgo power meters".
type PowerMeters struct {
	Schema  string         `json:"schema"`            // the document's schema
	Command string         `json:"command,omitempty"` // the command line, as typed
	Version string         `json:"version,omitempty"` // of totemgo
	Meters  []PowerMeter   `json:"meters"`            // all meters found, unreadable and duplicate ones included
	Missing []PowerMissing `json:"missing,omitempty"` // kinds without a meter
}

// PowerMissing is the reason why a meter, or a kind of meters, is missing.
type PowerMissing struct {
	Name   string `json:"name"`           // "rapl", "nvml", or a meter's name
	Reason string `json:"reason"`         // one line
	Cure   string `json:"cure,omitempty"` // one line, often a command
}

// PowerMeter is one meter and, in a session, its figures.
type PowerMeter struct {
	Name string `json:"name"` // "rapl:package-0"
	// "rapl", "nvml", "hwmon", "wattsup", "line", "replay" or "model"
	Kind string `json:"kind"`
	// "package", "cores", "uncore", "dram", "platform", "gpu", "cpu", "board" or "system"
	Domain   string `json:"domain"`
	Device   string `json:"device,omitempty"` // the device's own name
	Source   string `json:"source,omitempty"` // file, port or command that it reads
	Coverage string `json:"coverage"`         // "whole-system", "component" or "model"
	// How energy is obtained: "energy counter", "integrated power" or "model"
	Method          string   `json:"method"`
	ResolutionJ     *float64 `json:"resolution_j,omitempty"`      // unit of a counter
	ResolutionW     *float64 `json:"resolution_w,omitempty"`      // unit of a power reading
	WrapJ           *float64 `json:"wrap_j,omitempty"`            // range of a counter
	UpdateIntervalS *float64 `json:"update_interval_s,omitempty"` // period at which the source renews its value
	Available       bool     `json:"available"`                   // it can be read
	Reason          string   `json:"reason,omitempty"`            // why it cannot be read, or may not count
	Cure            string   `json:"cure,omitempty"`              // remedy, often a command
	PartOf          string   `json:"part_of,omitempty"`           // meter that already counts this energy
	DuplicateOf     string   `json:"duplicate_of,omitempty"`      // meter that reads the same hardware
	InTotal         bool     `json:"in_total"`                    // it counts in the session's totals
	Estimated       bool     `json:"estimated,omitempty"`         // figures come from a model
	Replayed        bool     `json:"replayed,omitempty"`          // figures come from a recorded log

	Seen    *PowerSeen    `json:"seen,omitempty"`    // its record over the session; absent in a list of meters
	Samples []PowerSample `json:"samples,omitempty"` // readings, if kept
}

// PowerSeen is a meter's record over a session. No fault is corrected silently.
type PowerSeen struct {
	Samples        int      `json:"samples"`            // readings kept
	EnergyJ        *float64 `json:"energy_j,omitempty"` // over the session
	MeanW          *float64 `json:"mean_w,omitempty"`   // EnergyJ / CoveredS
	PeakW          *float64 `json:"peak_w,omitempty"`   // highest reading, or steepest rise of a counter
	CoveredS       float64  `json:"covered_s"`          // seconds of the session with known energy
	Gaps           int      `json:"gaps"`               // steps longer than 2.5 usual ones, or with a reading that had no value
	MissingSamples int      `json:"missing_samples"`    // readings that should lie in the gaps, or had no value
	LongestGapS    float64  `json:"longest_gap_s"`      // of the longest gap
	GapS           float64  `json:"gap_s"`              // of all gaps
	Wraps          int      `json:"wraps"`              // counter overflows, added back
	// Falls of a counter that are not overflows; such a step has no energy
	Resets     int      `json:"resets"`
	Repeats    int      `json:"repeats"`             // readings that the source had not renewed
	Late       int      `json:"late"`                // readings taken more than half a period late
	OutOfOrder int      `json:"out_of_order"`        // readings older than the one before: dropped, or sorted in if a log is finished
	Malformed  int      `json:"malformed"`           // unreadable lines or values; dropped
	Failures   int      `json:"failures"`            // failed reads
	ClockSteps int      `json:"clock_steps"`         // jumps of the source's clock
	Lost       bool     `json:"lost,omitempty"`      // the meter stopped answering
	LostAtS    *float64 `json:"lost_at_s,omitempty"` // since the session's start; absent unless lost
	Reason     string   `json:"reason,omitempty"`    // why it was lost
	Notes      []string `json:"notes,omitempty"`     // sentences on how to read the figures
}

// PowerSample is one reading: an energy or a power.
type PowerSample struct {
	TimeS   float64  `json:"t_s"`                // since the session's start
	EnergyJ *float64 `json:"energy_j,omitempty"` // since the meter's first reading; absent if PowerW is there
	PowerW  *float64 `json:"power_w,omitempty"`  // at this time; absent if EnergyJ is there
}

// PowerMark is a phase of a session and its energy.
type PowerMark struct {
	Name      string  `json:"name"`           // of the phase
	StartS    float64 `json:"start_s"`        // since the session's start
	EndS      float64 `json:"end_s"`          // since the session's start
	DurationS float64 `json:"duration_s"`     // EndS − StartS
	Open      bool    `json:"open,omitempty"` // the phase had not ended
	// Of the meters that count; absent if one of them has no energy for the phase
	EnergyJ    *float64         `json:"energy_j,omitempty"`
	MeanW      *float64         `json:"mean_w,omitempty"`       // over the covered seconds
	PeakW      *float64         `json:"peak_w,omitempty"`       // highest reading
	NetEnergyJ *float64         `json:"net_energy_j,omitempty"` // EnergyJ less the baseline, if requested
	CoveredS   float64          `json:"covered_s"`              // seconds with known energy
	Coverage   string           `json:"coverage,omitempty"`     // "whole-system", "component" or "model"
	Partial    string           `json:"partial,omitempty"`      // known meters of those that should count: "2 of 3 packages"; absent if all
	Estimated  bool             `json:"estimated"`              // a figure comes from a model
	Replayed   bool             `json:"replayed"`               // a figure comes from a recorded log
	Meters     []PowerMarkMeter `json:"meters"`                 // all meters, counted or not
}

// PowerMarkMeter is one meter's part of a phase.
type PowerMarkMeter struct {
	Name          string   `json:"name"`                     // as in PowerMeter
	EnergyJ       *float64 `json:"energy_j,omitempty"`       // over the phase
	MeanW         *float64 `json:"mean_w,omitempty"`         // over the covered seconds
	PeakW         *float64 `json:"peak_w,omitempty"`         // highest reading
	CoveredS      float64  `json:"covered_s"`                // seconds with known energy
	GapS          float64  `json:"gap_s,omitempty"`          // covered seconds that lie in gaps
	ExtrapolatedS float64  `json:"extrapolated_s,omitempty"` // covered seconds before the first or after the last reading
	InTotal       bool     `json:"in_total"`                 // it counts in the totals
}

// PowerSampler is the rate and the cost of the sampler.
type PowerSampler struct {
	RateHz     float64 `json:"rate_hz"`      // rounds of reads per second
	Ticks      int     `json:"ticks"`        // rounds run
	LateTicks  int     `json:"late_ticks"`   // rounds more than half a period late
	CostS      float64 `json:"cost_s"`       // time spent inside reads
	CostShare  float64 `json:"cost_share"`   // the same as a share of one core
	WorstTickS float64 `json:"worst_tick_s"` // longest round
}

// PowerSession is the document of "totemgo power record".
type PowerSession struct {
	Schema     string   `json:"schema"`                // the document's schema
	Command    string   `json:"command,omitempty"`     // the command line, as typed
	Version    string   `json:"version,omitempty"`     // of totemgo
	Argv       []string `json:"argv,omitempty"`        // command run under the session
	ExitStatus *int     `json:"exit_status,omitempty"` // status of that command; absent while it runs

	Start      string         `json:"start"`                // time of the session's zero, RFC 3339
	DurationS  float64        `json:"duration_s"`           // of the session
	Complete   bool           `json:"complete"`             // false in copies written while the session runs
	Coverage   string         `json:"coverage,omitempty"`   // "whole-system", "component" or "model"
	Partial    string         `json:"partial,omitempty"`    // known meters of those that should count: "2 of 3 packages"; absent if all
	Estimated  bool           `json:"estimated"`            // a figure comes from a model
	Replayed   bool           `json:"replayed"`             // a figure comes from a recorded log
	Sampler    PowerSampler   `json:"sampler"`              // the sampler's rate and cost
	Meters     []PowerMeter   `json:"meters"`               // all meters read
	Missing    []PowerMissing `json:"missing,omitempty"`    // kinds without a meter
	Marks      []PowerMark    `json:"marks"`                // phases of the session
	BaselineW  *float64       `json:"baseline_w,omitempty"` // mean power at rest, measured before
	ClockSteps int            `json:"clock_steps"`          // jumps of the machine's wall clock
	Notes      []string       `json:"notes,omitempty"`      // sentences on how to read the figures
}
