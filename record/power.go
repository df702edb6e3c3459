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

// PowerMeters is what the machine has in meters, and what it lacks.
type PowerMeters struct {
	Schema  string `json:"schema"`
	Command string `json:"command,omitempty"`
	Version string `json:"version,omitempty"`
	// Meters lists every meter found, those that cannot be read or are seen twice
	// included: Available tells.
	Meters []PowerMeter `json:"meters"`
	// Missing says per kind without any meter why there is none.
	Missing []PowerMissing `json:"missing,omitempty"`
}

// PowerMissing says why a meter or a kind of meters is not there.
type PowerMissing struct {
	Name   string `json:"name"`           // "rapl", "nvml", or one meter's name
	Reason string `json:"reason"`         // one line
	Cure   string `json:"cure,omitempty"` // one line, often a command
}

// PowerMeter is one meter: what it is, and in a session what it saw.
type PowerMeter struct {
	Name   string `json:"name"`             // "rapl:package-0"
	Kind   string `json:"kind"`             // "rapl", "nvml", "hwmon", "wattsup", "line", "replay", "model"
	Domain string `json:"domain"`           // "package", "cores", "uncore", "dram", "platform", "gpu", "cpu", "board", "system"
	Device string `json:"device,omitempty"` // the device's own name
	Source string `json:"source,omitempty"` // file, port or command it reads
	// Coverage is one of the Coverage names.
	Coverage string `json:"coverage"`
	// Method is how energy comes about: "energy counter", "integrated power" or "model".
	Method string `json:"method"`
	// ResolutionJ is the unit of a counter, ResolutionW that of a power reading;
	// WrapJ is the energy after which a counter starts again; UpdateIntervalS is
	// how often the source renews its value.
	ResolutionJ     *float64 `json:"resolution_j,omitempty"`
	ResolutionW     *float64 `json:"resolution_w,omitempty"`
	WrapJ           *float64 `json:"wrap_j,omitempty"`
	UpdateIntervalS *float64 `json:"update_interval_s,omitempty"`
	// Available tells whether it can be read; if not, Reason and Cure say more.
	Available bool   `json:"available"`
	Reason    string `json:"reason,omitempty"`
	Cure      string `json:"cure,omitempty"`
	// PartOf names the meter that already counts this one's energy, DuplicateOf
	// the one that reads the same hardware.
	PartOf      string `json:"part_of,omitempty"`
	DuplicateOf string `json:"duplicate_of,omitempty"`
	// InTotal tells whether the totals of the session contain it.
	InTotal   bool `json:"in_total"`
	Estimated bool `json:"estimated,omitempty"`
	Replayed  bool `json:"replayed,omitempty"`

	// Seen is what happened in a session; absent in a list of meters.
	Seen *PowerSeen `json:"seen,omitempty"`
	// Samples are the readings, if kept.
	Samples []PowerSample `json:"samples,omitempty"`
}

// PowerSeen counts what happened to a meter in a session.
type PowerSeen struct {
	Samples  int      `json:"samples"`            // readings kept
	EnergyJ  *float64 `json:"energy_j,omitempty"` // over the whole session
	MeanW    *float64 `json:"mean_w,omitempty"`   // EnergyJ over CoveredS
	PeakW    *float64 `json:"peak_w,omitempty"`
	CoveredS float64  `json:"covered_s"` // of the session
	// Gaps counts steps far longer than the usual one, MissingSamples the readings
	// that should stand in them; GapS is their length together.
	Gaps           int     `json:"gaps"`
	MissingSamples int     `json:"missing_samples"`
	LongestGapS    float64 `json:"longest_gap_s"`
	GapS           float64 `json:"gap_s"`
	Wraps          int     `json:"wraps"`        // a counter passed its end, added back
	Resets         int     `json:"resets"`       // a counter fell without a wrap: that step has no energy
	Repeats        int     `json:"repeats"`      // readings the source had not renewed
	Late           int     `json:"late"`         // readings taken over half a period too late
	OutOfOrder     int     `json:"out_of_order"` // readings older than the one before, dropped
	Malformed      int     `json:"malformed"`    // lines or values that could not be read, dropped
	Failures       int     `json:"failures"`     // reads that failed
	ClockSteps     int     `json:"clock_steps"`  // jumps of the source's clock
	// Lost tells that the meter went away in mid-run, at LostAtS, and why.
	Lost    bool     `json:"lost,omitempty"`
	LostAtS *float64 `json:"lost_at_s,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

// PowerSample is one reading. One of EnergyJ and PowerW is there.
type PowerSample struct {
	TimeS   float64  `json:"t_s"`                // since the session's start
	EnergyJ *float64 `json:"energy_j,omitempty"` // since the meter's first reading
	PowerW  *float64 `json:"power_w,omitempty"`
}

// PowerMark is a phase of a session and its energy.
type PowerMark struct {
	Name      string  `json:"name"`
	StartS    float64 `json:"start_s"`
	EndS      float64 `json:"end_s"`
	DurationS float64 `json:"duration_s"`
	Open      bool    `json:"open,omitempty"` // not ended when this was written
	// The totals over the meters that count (InTotal). They are absent where a
	// meter that counts has nothing for the phase.
	EnergyJ    *float64 `json:"energy_j,omitempty"`
	MeanW      *float64 `json:"mean_w,omitempty"`
	PeakW      *float64 `json:"peak_w,omitempty"`
	NetEnergyJ *float64 `json:"net_energy_j,omitempty"` // EnergyJ less the baseline, where asked
	CoveredS   float64  `json:"covered_s"`
	Coverage   string   `json:"coverage,omitempty"`
	Estimated  bool     `json:"estimated"`
	Replayed   bool     `json:"replayed"`
	// Meters holds every meter's share, also those outside the totals.
	Meters []PowerMarkMeter `json:"meters"`
}

// PowerMarkMeter is one meter's part of a mark.
type PowerMarkMeter struct {
	Name          string   `json:"name"`
	EnergyJ       *float64 `json:"energy_j,omitempty"`
	MeanW         *float64 `json:"mean_w,omitempty"`
	PeakW         *float64 `json:"peak_w,omitempty"`
	CoveredS      float64  `json:"covered_s"`                // seconds with known energy
	GapS          float64  `json:"gap_s,omitempty"`          // of these, bridged over gaps
	ExtrapolatedS float64  `json:"extrapolated_s,omitempty"` // of these, beyond the first or last reading
	InTotal       bool     `json:"in_total"`
}

// PowerSampler is what the sampler did and cost.
type PowerSampler struct {
	RateHz     float64 `json:"rate_hz"`
	Ticks      int     `json:"ticks"`
	LateTicks  int     `json:"late_ticks"`
	CostS      float64 `json:"cost_s"`       // time spent inside reads
	CostShare  float64 `json:"cost_share"`   // of one core
	WorstTickS float64 `json:"worst_tick_s"` // longest single round of reads
}

// PowerSession is a whole session.
type PowerSession struct {
	Schema  string `json:"schema"`
	Command string `json:"command,omitempty"`
	Version string `json:"version,omitempty"`
	// Argv is the command that was run under the session, ExitStatus what it
	// returned; ExitStatus is absent while it runs.
	Argv       []string `json:"argv,omitempty"`
	ExitStatus *int     `json:"exit_status,omitempty"`

	Start     string         `json:"start"` // RFC 3339, the session's zero
	DurationS float64        `json:"duration_s"`
	Complete  bool           `json:"complete"` // false in the copies written while it runs
	Coverage  string         `json:"coverage,omitempty"`
	Estimated bool           `json:"estimated"`
	Replayed  bool           `json:"replayed"`
	Sampler   PowerSampler   `json:"sampler"`
	Meters    []PowerMeter   `json:"meters"`
	Missing   []PowerMissing `json:"missing,omitempty"`
	Marks     []PowerMark    `json:"marks"`
	// BaselineW is the mean power measured before, if it was.
	BaselineW  *float64 `json:"baseline_w,omitempty"`
	ClockSteps int      `json:"clock_steps"` // jumps of the machine's wall clock
	Notes      []string `json:"notes,omitempty"`
}
