package graph500

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/totemgo/totemgo/record"
)

// Style is a layout of the official output.
type Style string

// The layouts.
const (
	// StyleSpec has the specification's names: bfs_min_time.
	StyleSpec Style = "spec"
	// Style30 is that of version 3.0 of the reference code: "bfs  min_time", and the
	// edge counts once, unprefixed.
	Style30 Style = "3.0"
	// Style214 is that of version 2.1.4: no prefix, and no SSSP.
	Style214 Style = "2.1.4"
)

// ParseStyle returns the style of a name. The error wraps ErrStyle and lists the
// names.
func ParseStyle(name string) (Style, error) {
	switch s := Style(name); s {
	case StyleSpec, Style30, Style214:
		return s, nil
	}
	return "", fmt.Errorf("%w %q; known are %s, %s and %s", ErrStyle, name, StyleSpec, Style30, Style214)
}

// valueColumn is the column that values start in, and bangColumn that of the mark
// with which version 3.0 points at the figure that counts.
const (
	valueColumn = 32
	bangColumn  = 29
)

// officialWriter writes "name: value" lines, values in the columns of the reference
// code.
type officialWriter struct {
	bytes.Buffer
	style Style
}

// line writes a number with the given significant digits, as C's %.*g does; nil
// writes nothing.
func (o *officialWriter) line(name string, digits int, x *float64) {
	if x == nil {
		return
	}
	mark := ""
	if o.style == Style30 && name == "bfs  harmonic_mean_TEPS" || o.style == Style30 && name == "sssp harmonic_mean_TEPS" {
		mark = fmt.Sprintf("%*s", bangColumn-len(name), "!")
	}
	label := name + ":" + mark
	fmt.Fprintf(o, "%-*s%s\n", valueColumn, label, strconv.FormatFloat(*x, 'g', digits, 64))
}

func (o *officialWriter) integer(name string, x int) {
	fmt.Fprintf(o, "%-*s%d\n", valueColumn, name+":", x)
}

// block writes the seven lines of one quantity, in the order of the seven names.
func (o *officialWriter) block(prefix, quantity string, digits int, values ...*float64) {
	names := [...]string{"min_", "firstquartile_", "median_", "thirdquartile_", "max_", "mean_", "stddev_"}
	for i, x := range values {
		name := names[i]
		if quantity == "TEPS" && i >= 5 {
			name = "harmonic_" + name
		}
		o.line(prefix+name+quantity, digits, x)
	}
}

// Significant digits of the reference code: %g and %.11g.
const (
	shortDigits = 6
	edgeDigits  = 11
)

func (o *officialWriter) time(prefix string, s *record.Statistics) {
	o.block(prefix, "time", shortDigits, &s.MinTime, &s.FirstQuartileTime, &s.MedianTime, &s.ThirdQuartileTime, &s.MaxTime,
		&s.MeanTime, s.StddevTime)
}

func (o *officialWriter) nedge(prefix string, s *record.Statistics) {
	o.block(prefix, "nedge", edgeDigits, &s.MinNEdge, &s.FirstQuartileNEdge, &s.MedianNEdge, &s.ThirdQuartileNEdge, &s.MaxNEdge,
		&s.MeanNEdge, s.StddevNEdge)
}

func (o *officialWriter) teps(prefix string, s *record.Statistics) {
	o.block(prefix, "TEPS", shortDigits, s.MinTEPS, s.FirstQuartileTEPS, s.MedianTEPS, s.ThirdQuartileTEPS, s.MaxTEPS,
		s.HarmonicMeanTEPS, s.HarmonicStddevTEPS)
}

func (o *officialWriter) validate(prefix string, s *record.Statistics) {
	o.block(prefix, "validate", shortDigits, &s.MinValidate, &s.FirstQuartileValidate, &s.MedianValidate, &s.ThirdQuartileValidate,
		&s.MaxValidate, &s.MeanValidate, s.StddevValidate)
}

// tagged writes a figure of power. What is estimated or replayed says so on every
// line.
func (o *officialWriter) tagged(name string, x float64, tag string) {
	fmt.Fprintf(o, "%-*s%s%s\n", valueColumn, name+":", strconv.FormatFloat(x, 'g', shortDigits, 64), tag)
}

// text writes a line whose value is no number.
func (o *officialWriter) text(name, value string) {
	fmt.Fprintf(o, "%-*s%s\n", valueColumn, name+":", value)
}

// tag is what stands behind figures of power.
func tag(estimated, replayed bool) string {
	s := ""
	if estimated {
		s += " estimated"
	}
	if replayed {
		s += " replayed"
	}
	return s
}

func (o *officialWriter) green(g *record.Green) {
	tag := tag(g.Estimated, g.Replayed)
	o.line("green_harmonic_mean_TEPS", shortDigits, &g.HarmonicMeanTEPS)
	o.integer("green_searches", int(g.Searches))
	o.line("green_duration_s", shortDigits, &g.DurationS)
	o.tagged("green_energy_j", g.EnergyJ, tag)
	o.tagged("green_average_power_w", g.AveragePowerW, tag)
	o.tagged("green_joules_per_search", g.JoulesPerSearch, tag)
	o.tagged("green_mteps_per_watt", g.MTEPSPerWatt, tag)
	o.text("green_coverage", g.Coverage)
	for _, m := range g.Meters {
		o.text("green_meter", fmt.Sprintf("%s (%s, %s) %.6g J%s", m.Name, m.Covers, m.Coverage, m.EnergyJ, tag))
	}
	for _, m := range g.Apart {
		o.text("green_meter_apart", fmt.Sprintf("%s (%s, %s) %.6g J", m.Name, m.Covers, m.Coverage, m.EnergyJ))
	}
	for _, p := range g.Phases {
		if p.EnergyJ != nil {
			o.text("green_phase", fmt.Sprintf("%s %.6g s %.6g J%s", p.Name, p.DurationS, *p.EnergyJ, tag))
		}
	}
	for _, n := range g.Notes {
		o.text("green_note", n)
	}
}

func (o *officialWriter) compare(c *record.Compare) {
	tag := tag(c.Estimated, c.Replayed)
	names := make([]string, len(c.Configurations))
	for i, x := range c.Configurations {
		for k, p := range x.Processors {
			if k > 0 {
				names[i] += ","
			}
			names[i] += p.Name
		}
		o.text(fmt.Sprintf("compare_%d", i+1), fmt.Sprintf("%s: %.6g TEPS, %.6g W, %.6g MTEPS/W%s",
			names[i], x.HarmonicMeanTEPS, x.AveragePowerW, x.MTEPSPerWatt, tag))
	}
	o.integer("compare_rounds", c.Rounds)
	ratio := func(name string, r record.Ratio, tag string) {
		o.text(name, fmt.Sprintf("%.6g (p10 %.6g, p90 %.6g)%s", r.Median, r.P10, r.P90, tag))
	}
	ratio("compare_time_ratio", c.TimeRatio, "")
	ratio("compare_energy_ratio", c.EnergyRatio, tag)
	ratio("compare_edp_ratio", c.EDPRatio, tag)
	o.text("compare_coverage", c.Coverage)
	for _, n := range c.Notes {
		o.text("compare_note", n)
	}
}

// WriteOfficial writes the official fields of a run in the given style, then lines
// of our own: the width of ids, the time of copies to the host where there were
// any, how many trees passed, and the figures of power. What the record lacks has no line: a run with a
// failed validation has no TEPS. The error is w's, or ErrStyle.
func WriteOfficial(w io.Writer, style Style, r *record.Graph500) error {
	if _, err := ParseStyle(string(style)); err != nil {
		return err
	}
	o := &officialWriter{style: style}
	o.integer("SCALE", r.Scale)
	o.integer("edgefactor", r.EdgeFactor)
	o.integer("NBFS", r.NBFS)
	o.line("graph_generation", shortDigits, r.GenerationTime)
	o.line("construction_time", shortDigits, &r.ConstructionTime)

	type kernel struct {
		prefix string
		stats  *record.Statistics
	}
	var kernels []kernel
	switch {
	case style == StyleSpec:
		kernels = []kernel{{"bfs_", r.BFS}, {"sssp_", r.SSSP}}
	case style == Style30:
		kernels = []kernel{{"bfs  ", r.BFS}, {"sssp ", r.SSSP}}
	default:
		kernels = []kernel{{"", r.BFS}}
	}
	each := func(f func(prefix string, s *record.Statistics)) {
		for _, k := range kernels {
			if k.stats != nil {
				f(k.prefix, k.stats)
			}
		}
	}
	if style == StyleSpec {
		each(func(prefix string, s *record.Statistics) {
			o.time(prefix, s)
			o.nedge(prefix, s)
			o.teps(prefix, s)
			o.validate(prefix, s)
		})
	} else {
		each(o.time)
		if r.BFS != nil {
			o.nedge("", r.BFS)
		} else if r.SSSP != nil {
			o.nedge("", r.SSSP)
		}
		each(o.teps)
		each(o.validate)
	}

	o.integer("vertex_bits", r.VertexBits)
	if r.BFS != nil {
		o.line("bfs_copy_s", shortDigits, r.BFS.CopyS)
	}
	fmt.Fprintf(o, "validation: %d of %d passed\n", r.Validation.Passed, r.Validation.Passed+r.Validation.Failed)
	if r.Green != nil {
		o.green(r.Green)
	}
	if r.Compare != nil {
		o.compare(r.Compare)
	}
	if _, err := w.Write(o.Bytes()); err != nil {
		return fmt.Errorf("graph500: writing the official output: %w", err)
	}
	return nil
}
