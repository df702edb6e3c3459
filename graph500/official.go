package graph500

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/record"
)

// Style is a layout of the official output.
type Style string

// The layouts.
const (
	// StyleSpec has the specification's names, bfs_min_time, and counts edges as Style30.
	StyleSpec Style = "spec"
	// Style30 is that of version 3.0 of the reference code: "bfs  min_time", and the
	// edge counts, without self-loops, once, unprefixed.
	Style30 Style = "3.0"
	// Style214 is that of version 2.1.4: no prefix, no SSSP, and self-loops count as edges.
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
	label := name + ":"
	if o.style == Style30 && strings.HasSuffix(name, " harmonic_mean_TEPS") {
		label += fmt.Sprintf("%*s", bangColumn-len(name), "!")
	}
	fmt.Fprintf(o, "%-*s%s\n", valueColumn, label, strconv.FormatFloat(*x, 'g', digits, 64))
}

func (o *officialWriter) integer(name string, x int) { o.text(name, strconv.Itoa(x)) }

// Significant digits of the reference code: %g and %.11g.
const (
	shortDigits = 6
	edgeDigits  = 11
)

// block writes the seven lines of one quantity. They have the names that the fields of s have in JSON.
func (o *officialWriter) block(prefix, quantity string, s *record.Statistics) {
	if s == nil {
		return
	}
	digits := shortDigits
	if quantity == "nedge" {
		digits = edgeDigits
	}
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if x := reflect.Indirect(v.Field(i)); x.IsValid() && strings.HasSuffix(name, "_"+quantity) {
			value := x.Float()
			o.line(prefix+name, digits, &value)
		}
	}
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

// green writes a session. What is estimated or replayed says so on every line.
func (o *officialWriter) green(g *record.Green) {
	tag := tag(g.Estimated, g.Replayed)
	o.line("green_harmonic_mean_TEPS", shortDigits, &g.HarmonicMeanTEPS)
	o.integer("green_searches", int(g.Searches))
	o.line("green_duration_s", shortDigits, &g.DurationS)
	o.text("green_energy_j", fmt.Sprintf("%.6g%s", g.EnergyJ, tag))
	o.text("green_average_power_w", fmt.Sprintf("%.6g%s", g.AveragePowerW, tag))
	o.text("green_joules_per_search", fmt.Sprintf("%.6g%s", g.JoulesPerSearch, tag))
	o.text("green_mteps_per_watt", fmt.Sprintf("%.6g%s", g.MTEPSPerWatt, tag))
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
	for i, x := range c.Configurations {
		var names []string
		for _, p := range x.Processors {
			names = append(names, p.Name)
		}
		o.text(fmt.Sprintf("compare_%d", i+1), fmt.Sprintf("%s: %.6g TEPS, %.6g W, %.6g MTEPS/W%s",
			strings.Join(names, ","), x.HarmonicMeanTEPS, x.AveragePowerW, x.MTEPSPerWatt, tag))
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

// withLoops returns the block of kernel 2 with edge counts that include self-loops, as version 2.1.4 counts.
func withLoops(r *record.Graph500) *record.Statistics {
	if r.BFS == nil || len(r.Searches) == 0 {
		return r.BFS
	}
	var times []float64
	var edges []int64
	for _, s := range r.Searches {
		times, edges = append(times, s.TimeS), append(edges, s.NEdgeSpec)
	}
	n := Statistics(times, edges, make([]float64, len(times)), r.BFS.HarmonicMeanTEPS != nil)
	n.MinValidate, n.FirstQuartileValidate, n.MedianValidate = r.BFS.MinValidate, r.BFS.FirstQuartileValidate, r.BFS.MedianValidate
	n.ThirdQuartileValidate, n.MaxValidate = r.BFS.ThirdQuartileValidate, r.BFS.MaxValidate
	n.MeanValidate, n.StddevValidate = r.BFS.MeanValidate, r.BFS.StddevValidate
	return n
}

// refusal is the only line that versions 2.1.4 and 3.0 print of a run with an invalid tree.
const refusal = "No results printed for invalid run.\n"

// WriteOfficial writes the official fields of a run in the given style, then lines
// of our own: the width of ids, the time of copies to the host where there were
// any, how many trees of each kernel passed, and the figures of power. Style214 leaves out
// kernel 3. What the record lacks has no line: a run with a
// failed validation has no TEPS in StyleSpec, and the reference's refusal in place of all
// official fields in the other styles. The error is w's, or ErrStyle.
func WriteOfficial(w io.Writer, style Style, r *record.Graph500) error {
	if _, err := ParseStyle(string(style)); err != nil {
		return err
	}
	o := &officialWriter{style: style}
	paths := r.SSSPValidation
	if failed := r.Validation.Failed > 0 || paths != nil && paths.Failed > 0; failed && style != StyleSpec {
		o.WriteString(refusal)
	} else {
		o.figures(r)
	}
	fmt.Fprintf(o, "validation: %d of %d passed\n", r.Validation.Passed, r.Validation.Passed+r.Validation.Failed)
	if paths != nil && style != Style214 {
		fmt.Fprintf(o, "sssp_validation: %d of %d passed\n", paths.Passed, paths.Passed+paths.Failed)
	}
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

// figures writes the official fields, the width of ids and the time of copies.
func (o *officialWriter) figures(r *record.Graph500) {
	o.integer("SCALE", r.Scale)
	o.integer("edgefactor", r.EdgeFactor)
	o.integer("NBFS", r.NBFS)
	o.line("graph_generation", shortDigits, r.GenerationTime)
	if o.style != StyleSpec {
		o.integer("num_mpi_processes", 1)
	}
	o.line("construction_time", shortDigits, &r.ConstructionTime)
	quantities := [...]string{"time", "nedge", "TEPS", "validate"}
	switch o.style {
	case StyleSpec:
		for _, q := range quantities {
			o.block("bfs_", q, r.BFS)
		}
		for _, q := range quantities {
			o.block("sssp_", q, r.SSSP)
		}
	case Style214:
		bfs := withLoops(r)
		for _, q := range quantities {
			o.block("", q, bfs)
		}
	default:
		o.block("bfs  ", "time", r.BFS)
		o.block("sssp ", "time", r.SSSP)
		o.block("", "nedge", cmp.Or(r.BFS, r.SSSP))
		for _, q := range quantities[2:] {
			o.block("bfs  ", q, r.BFS)
			o.block("sssp ", q, r.SSSP)
		}
	}
	o.integer("vertex_bits", r.VertexBits)
	if r.BFS != nil {
		o.line("bfs_copy_s", shortDigits, r.BFS.CopyS)
	}
}
