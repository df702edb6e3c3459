package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/record"
)

// gpuCheckSchema is the schema of the files of scripts/gpu-check.sh.
const gpuCheckSchema = "totemgo.gpu-check/2"

// gpuCheck is what scripts/gpu-check.sh appends to a file: a head, its checks, an end.
type gpuCheck struct {
	Schema     string          `json:"schema"`     // of the head alone
	Processors string          `json:"processors"` // likewise
	Devices    *record.Devices `json:"devices"`    // likewise
	Name       string          `json:"name"`       // of a check
	Command    string          `json:"command"`
	TimeS      float64         `json:"time_s"`
	Passed     *bool           `json:"passed"` // absent if skipped
	Message    string          `json:"message"`
	Skipped    string          `json:"skipped"`
	Result     json.RawMessage `json:"result"` // a document, or counts of tests
	End        bool            `json:"end"`    // of the whole: Passed, TimeS
}

func newBenchCheck(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Print the tables of a file that scripts/gpu-check.sh wrote",
		Long: `bench check prints what scripts/gpu-check.sh found: searches by graph and processors, hybrid
lists beside their processors alone, the bandwidth of each kernel, validated runs with their
energy, and what failed. The file may end anywhere, as that of a run that was killed.

  totemgo bench check gpu-check.json`,
		Args: takes("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			list, cut, err := readGPUCheck(f)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return e.printGPUCheck(list, cut)
		},
	}
}

// readGPUCheck reads a head and what follows it. cut tells that the last value is not whole.
func readGPUCheck(r io.Reader) (list []gpuCheck, cut bool, err error) {
	d := json.NewDecoder(r)
	for {
		var c gpuCheck
		switch err := d.Decode(&c); {
		case err == nil:
			list = append(list, c)
			continue
		case errors.Is(err, io.ErrUnexpectedEOF):
			cut = true
		case err != io.EOF:
			return nil, false, err
		}
		if len(list) == 0 || list[0].Schema != gpuCheckSchema {
			return nil, false, fmt.Errorf("no file of schema %s", gpuCheckSchema)
		}
		return list, cut, nil
	}
}

// checked is a check that printed a document of a kind.
type checked[T any] struct {
	gpuCheck
	doc T
}

// documents returns the documents of a schema, in the order of their checks.
func documents[T any](list []gpuCheck, schema string) (docs []checked[T]) {
	for _, c := range list {
		var head struct{ Schema string }
		var doc T
		if json.Unmarshal(c.Result, &head) == nil && head.Schema == schema && json.Unmarshal(c.Result, &doc) == nil {
			docs = append(docs, checked[T]{c, doc})
		}
	}
	return docs
}

func (e *env) printGPUCheck(list []gpuCheck, cut bool) error {
	head, last := list[0], list[len(list)-1]
	if head.Devices != nil {
		m := head.Devices.Machine
		fmt.Fprintf(e.stdout, "%s, %d cores, %s\n", m.CPU, m.Cores, sizeString(m.MemoryBytes))
		for _, d := range head.Devices.Devices {
			fmt.Fprintf(e.stdout, "%s: %s, %d compute units, %s, driver %s\n", d.Name, d.Model, d.ComputeUnits, sizeString(d.MemoryBytes), d.Driver)
		}
	}
	passed := 0
	for _, c := range list[1:] {
		if c.Passed != nil && *c.Passed && !c.End {
			passed++
		}
	}
	fmt.Fprintf(e.stdout, "%s: %d checks passed", head.Processors, passed)
	if last.End {
		fmt.Fprintf(e.stdout, ", in %s\n", seconds(last.TimeS))
	} else {
		fmt.Fprintf(e.stdout, "; the run did not end\n")
	}
	if cut {
		fmt.Fprintln(e.stdout, "the last check was not written whole")
	}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	searches := documents[record.Bench](list, record.SchemaBench)
	printSearches(w, searches)
	printHybrid(w, searches)
	printDevices(w, documents[record.BenchDevice](list, record.SchemaBenchDevice))
	printBandwidth(w, searches)
	printValidated(w, documents[record.Graph500](list, record.SchemaGraph500))
	for _, d := range documents[record.BenchAllPairs](list, record.SchemaBenchAPSP) {
		printAllPairs(w, d.doc)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, c := range list[1:] {
		switch {
		case c.End:
		case c.Skipped != "":
			fmt.Fprintf(e.stdout, "skipped: %s: %s\n", c.Name, c.Skipped)
		case c.Passed != nil && !*c.Passed:
			fmt.Fprintf(e.stdout, "FAILED: %s: %s\n    %s\n", c.Name, c.Command, strings.ReplaceAll(strings.TrimSpace(c.Message), "\n", "\n    "))
		}
	}
	return nil
}

// printSearches prints a row for each check that timed searches, with a device's commands a superstep.
func printSearches(w io.Writer, searches []checked[record.Bench]) {
	if len(searches) > 0 {
		fmt.Fprintln(w, "\nsearches of\ttook\tGTEPS\tsupersteps\tlaunches a level\twaits a level\tleft out\t")
	}
	for _, s := range searches {
		levels := 0.0
		for _, l := range s.doc.Levels {
			levels += float64(max(1, l.Searches)) / float64(max(1, len(s.doc.Searches)))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%.1f\t", s.Name, seconds(s.doc.Time.MeanS), gteps(s.doc), levels)
		var c record.Commands
		for _, p := range s.doc.Processors {
			if p.Commands != nil && p.Commands.Waits > c.Waits {
				c = *p.Commands
			}
		}
		if c.Waits > 0 && levels > 0 {
			fmt.Fprintf(w, "%.1f\t%.1f\t", c.Launches/levels, c.Waits/levels)
		} else {
			fmt.Fprint(w, "\t\t")
		}
		for _, l := range s.doc.LeftOut {
			fmt.Fprint(w, l.Name, " ")
		}
		fmt.Fprintln(w, "\t")
	}
}

func gteps(d record.Bench) string {
	if d.TEPS == nil {
		return ""
	}
	return fmt.Sprintf("%.3f", d.TEPS.HarmonicMean/1e9)
}

// printHybrid prints lists of several processors beside the best of the list alone, of the same graph.
func printHybrid(w io.Writer, searches []checked[record.Bench]) {
	title := false
	for _, s := range searches {
		if len(s.doc.Processors) < 2 || s.doc.TEPS == nil {
			continue
		}
		best, rate := "", 0.0
		for _, o := range searches {
			part := len(o.doc.Processors) == 1 && slices.ContainsFunc(s.doc.Processors, func(p record.Processor) bool {
				return p.Name == o.doc.Processors[0].Name || p.Kind == "cpu" && o.doc.Processors[0].Kind == "cpu"
			})
			if part && o.doc.Graph == s.doc.Graph && o.doc.TEPS != nil && o.doc.TEPS.HarmonicMean > rate {
				best, rate = o.doc.Processors[0].Name, o.doc.TEPS.HarmonicMean
			}
		}
		if best == "" {
			continue
		}
		if !title {
			fmt.Fprintln(w, "\nhybrid\tshare\tGTEPS\tbest alone\tGTEPS\thybrid ÷ alone\t")
			title = true
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.3f\t%.2f\t\n", s.Name, s.doc.Share, gteps(s.doc), best, rate/1e9, s.doc.TEPS.HarmonicMean/rate)
	}
}

// printDevices prints what each device's memory and commands allow, at the largest working set.
func printDevices(w io.Writer, devices []checked[record.BenchDevice]) {
	if len(devices) > 0 {
		fmt.Fprintln(w, "\ndevice\tcopy GB/s\treads M/s\tatomics M/s\tto device GB/s\tto host GB/s\tlaunch\tfill\twait\t")
	}
	for _, c := range devices {
		d := c.doc
		if len(d.Accesses) == 0 || len(d.Transfers) == 0 {
			continue
		}
		a, x := d.Accesses[len(d.Accesses)-1], d.Transfers[len(d.Transfers)-1]
		fmt.Fprintf(w, "%s\t%.2f\t%.0f\t%.0f\t%.2f\t%.2f\t%s\t%s\t%s\t\n", d.Device.Name, a.CopyBytesPerS/1e9, a.ReadsPerS/1e6, a.AtomicsPerS/1e6,
			x.ToDeviceBytesPerS/1e9, x.ToHostBytesPerS/1e9, seconds(d.LaunchS), seconds(d.FillS), seconds(d.WaitS))
	}
}

// printBandwidth prints the kernels of the last clocked searches of each device alone: of its largest graph.
func printBandwidth(w io.Writer, searches []checked[record.Bench]) {
	var names []string
	last := map[string]checked[record.Bench]{}
	for _, s := range searches {
		if p := s.doc.Processors; len(p) == 1 && p[0].Commands != nil && len(p[0].Commands.Kernels) > 0 {
			if _, known := last[p[0].Name]; !known {
				names = append(names, p[0].Name)
			}
			last[p[0].Name] = s
		}
	}
	for _, name := range names {
		s := last[name]
		fmt.Fprintf(w, "\n%s, kernel\tlaunches\ttime\tleast bytes\tGB/s\t\n", s.Name)
		printKernels(w, s.doc.Processors[0].Commands.Kernels)
	}
}

// printValidated prints the runs of Graph500, with their energy where it was measured.
func printValidated(w io.Writer, runs []checked[record.Graph500]) {
	if len(runs) > 0 {
		fmt.Fprintln(w, "\nvalidated\ttrees\tGTEPS\tW\tJ a search\tof\t")
	}
	for _, r := range runs {
		fmt.Fprintf(w, "%s\t%d of %d\t", r.Name, r.doc.Validation.Passed, r.doc.NBFS)
		if r.doc.BFS != nil && r.doc.BFS.HarmonicMeanTEPS != nil {
			fmt.Fprintf(w, "%.3f", *r.doc.BFS.HarmonicMeanTEPS/1e9)
		}
		if g := r.doc.Green; g != nil {
			var meters []string
			for _, m := range g.Meters {
				meters = append(meters, m.Name)
			}
			fmt.Fprintf(w, "\t%.1f\t%.4g\t%s\t\n", g.AveragePowerW, g.JoulesPerSearch, strings.Join(meters, ", "))
		} else {
			fmt.Fprintln(w, "\t\t\t\t")
		}
	}
}
