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
	// Meters says what each meter has for the session, also those that are not in
	// EnergyJ.
	Meters []PowerMarkMeter `json:"meters"`
}

// Compare is the outcome of alternating two configurations: the figures of the
// second divided by those of the first.
type Compare struct {
	TimeRatio   Ratio `json:"time_ratio"`
	EnergyRatio Ratio `json:"energy_ratio"`
	EDPRatio    Ratio `json:"edp_ratio"` // energy times delay
	Rounds      int   `json:"rounds"`
	Estimated   bool  `json:"estimated"` // energy comes from a model
}

// Ratio is a ratio and its spread over the rounds.
type Ratio struct {
	Median float64 `json:"median"`
	P10    float64 `json:"p10"`
	P90    float64 `json:"p90"`
}
