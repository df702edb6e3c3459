package record

// Green is a Green Graph500 session: searches repeated without validation while power is
// measured.
type Green struct {
	Efficiency
	Evidence
	// Seconds with known energy; their mean power stands for the rest of the session
	CoveredS float64      `json:"covered_s"`
	Apart    []GreenMeter `json:"apart,omitempty"` // other meters that were read
	// Of the run before the repeated searches; replayed meters have none
	Phases []GreenPhase `json:"phases,omitempty"`
}

// Efficiency is the rate and the energy of repeated searches. The three quotients are exact
// to 1e-9.
type Efficiency struct {
	HarmonicMeanTEPS float64      `json:"harmonic_mean_TEPS"` // edges/s
	Searches         int64        `json:"searches"`           // searches run
	DurationS        float64      `json:"duration_s"`         // of the session, or of the configuration's own rounds
	EnergyJ          float64      `json:"energy_j"`           // over DurationS, of the meters in Meters
	AveragePowerW    float64      `json:"average_power_w"`    // EnergyJ / DurationS
	JoulesPerSearch  float64      `json:"joules_per_search"`  // EnergyJ / Searches
	MTEPSPerWatt     float64      `json:"mteps_per_watt"`     // HarmonicMeanTEPS / 10^6 / AveragePowerW
	Meters           []GreenMeter `json:"meters"`             // meters that count in EnergyJ
}

// Evidence is how the energy of a session is known.
type Evidence struct {
	// "whole-system" (required by the Green Graph500 rules), "component" or "model"
	Coverage  string       `json:"coverage"`
	Estimated bool         `json:"estimated"`       // a figure comes from a model
	Replayed  bool         `json:"replayed"`        // a figure comes from a recorded log
	Sampler   PowerSampler `json:"sampler"`         // the sampler's rate and cost
	Notes     []string     `json:"notes,omitempty"` // sentences on how to read the figures
}

// GreenMeter is one meter's part of a Green session.
type GreenMeter struct {
	Name     string     `json:"name"`           // as in PowerMeter
	Covers   string     `json:"covers"`         // "package", "dram", "gpu", "system", …
	Coverage string     `json:"coverage"`       // "whole-system", "component" or "model"
	EnergyJ  float64    `json:"energy_j"`       // over the session, or the configuration's rounds
	Seen     *PowerSeen `json:"seen,omitempty"` // the meter's record over the session; absent in a CompareSide
}

// GreenPhase is the energy of a stage of the run before the repeated searches.
type GreenPhase struct {
	// "generating", "constructing", "searching" or "finding paths" (searches of kernel 2 or 3 and their validation)
	Name      string  `json:"name"`
	DurationS float64 `json:"duration_s"` // of the phase
	// Of the meters that count; absent if one of them has no reading for the phase
	EnergyJ *float64          `json:"energy_j,omitempty"`
	Meters  []GreenPhaseMeter `json:"meters"` // all meters that were read, counted or not
}

// GreenPhaseMeter is one meter's part of a phase.
type GreenPhaseMeter struct {
	Name    string  `json:"name"`     // as in PowerMeter
	EnergyJ float64 `json:"energy_j"` // over the phase
}

// Compare holds the ratios of two configurations that ran in turn, in one session.
type Compare struct {
	Evidence
	TimeRatio      Ratio         `json:"time_ratio"`     // second configuration / first
	EnergyRatio    Ratio         `json:"energy_ratio"`   // second configuration / first
	EDPRatio       Ratio         `json:"edp_ratio"`      // of energy × time, second configuration / first
	Rounds         int           `json:"rounds"`         // rounds run; each runs both configurations
	DurationS      float64       `json:"duration_s"`     // of all rounds
	Configurations []CompareSide `json:"configurations"` // the two, in the order given
}

// CompareSide is one of two configurations over all its rounds. In each round both
// search from the same roots.
type CompareSide struct {
	Efficiency
	Processors []Processor `json:"processors,omitempty"` // of the configuration
}

// Ratio is a ratio and its spread over the rounds.
type Ratio struct {
	Median float64 `json:"median"` // over the rounds
	P10    float64 `json:"p10"`    // tenth percentile
	P90    float64 `json:"p90"`    // ninetieth percentile
}
