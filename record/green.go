package record

// Green is a Green Graph500 session: searches repeated, without validation, while
// power is measured.
type Green struct {
	// HarmonicMeanTEPS is that of the repeated searches.
	HarmonicMeanTEPS float64 `json:"harmonic_mean_TEPS"`
	Searches         int64   `json:"searches"`
	DurationS        float64 `json:"duration_s"`
	EnergyJ          float64 `json:"energy_j"`
	AveragePowerW    float64 `json:"average_power_w"`   // EnergyJ / DurationS
	JoulesPerSearch  float64 `json:"joules_per_search"` // EnergyJ / Searches
	MTEPSPerWatt     float64 `json:"mteps_per_watt"`    // HarmonicMeanTEPS / 10^6 / AveragePowerW
	// Coverage is one of the Coverage names.
	Coverage  string `json:"coverage"`
	Estimated bool   `json:"estimated"` // some figure comes from a model
	Replayed  bool   `json:"replayed"`  // some figure comes from a recorded log
	// CoveredS is for how many of the seconds the meters know the energy; where that
	// is less than DurationS their mean power stands for the rest.
	CoveredS float64 `json:"covered_s"`
	// Meters are those whose energy is in EnergyJ, Apart all others that were read:
	// what they cover is in EnergyJ already, or is no part of it.
	Meters []GreenMeter `json:"meters"`
	Apart  []GreenMeter `json:"apart,omitempty"`
	// Phases are the energies of the run before: the stages from generation to the
	// validated searches. Meters that are replayed have no part in them.
	Phases  []GreenPhase `json:"phases,omitempty"`
	Sampler PowerSampler `json:"sampler"`
	Notes   []string     `json:"notes,omitempty"`
}

// GreenMeter is one meter's part of a Green session.
type GreenMeter struct {
	Name   string `json:"name"`
	Covers string `json:"covers"` // package, dram, gpu, system, …
	// Coverage is one of the Coverage names.
	Coverage string  `json:"coverage"`
	EnergyJ  float64 `json:"energy_j"`
	// Seen is what happened to the meter.
	Seen *PowerSeen `json:"seen,omitempty"`
}

// GreenPhase is the energy of a stage of the run before the repeated searches.
type GreenPhase struct {
	Name      string  `json:"name"` // generating, constructing, searching
	DurationS float64 `json:"duration_s"`
	// EnergyJ is the total of the meters that count, absent where one has nothing.
	EnergyJ *float64          `json:"energy_j,omitempty"`
	Meters  []GreenPhaseMeter `json:"meters"`
}

// GreenPhaseMeter is one meter's part of a phase.
type GreenPhaseMeter struct {
	Name    string  `json:"name"`
	EnergyJ float64 `json:"energy_j"`
}

// Compare is the outcome of alternating two configurations: the figures of the
// second divided by those of the first.
type Compare struct {
	TimeRatio   Ratio `json:"time_ratio"`
	EnergyRatio Ratio `json:"energy_ratio"`
	EDPRatio    Ratio `json:"edp_ratio"` // energy times delay
	Rounds      int   `json:"rounds"`
	Estimated   bool  `json:"estimated"` // energy comes from a model
	Replayed    bool  `json:"replayed"`  // energy comes from a recorded log
	// Coverage is one of the Coverage names.
	Coverage string `json:"coverage"`
	// DurationS is the time of all rounds.
	DurationS float64 `json:"duration_s"`
	// Configurations are the two, in the order given.
	Configurations []CompareSide `json:"configurations"`
	Sampler        PowerSampler  `json:"sampler"`
	Notes          []string      `json:"notes,omitempty"`
}

// CompareSide is one of two configurations over all its rounds. In each round both
// search from the same roots.
type CompareSide struct {
	Processors       []Processor  `json:"processors,omitempty"`
	HarmonicMeanTEPS float64      `json:"harmonic_mean_TEPS"`
	Searches         int64        `json:"searches"`
	DurationS        float64      `json:"duration_s"`
	EnergyJ          float64      `json:"energy_j"`
	AveragePowerW    float64      `json:"average_power_w"`
	JoulesPerSearch  float64      `json:"joules_per_search"`
	MTEPSPerWatt     float64      `json:"mteps_per_watt"`
	Meters           []GreenMeter `json:"meters"` // those whose energy is in EnergyJ
}

// Ratio is a ratio and its spread over the rounds.
type Ratio struct {
	Median float64 `json:"median"`
	P10    float64 `json:"p10"`
	P90    float64 `json:"p90"`
}
