package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

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

const benchCheckHelp = `bench check prints what scripts/gpu-check.sh found: searches by graph and processors, hybrid
lists beside their processors alone, the bandwidth of each kernel, validated runs with their
energy, and what failed. The file may end anywhere, as that of a run that was killed.

  totemgo bench check gpu-check.json`

// benchCheck prepares "totemgo bench check".
func benchCheck(e *env, c *cobra.Command) runner {
	return func(_ context.Context, args []string) error {
		f, err := os.Open(args[0])
		if err != nil {
			return err
		}
		defer f.Close()
		list, cut, err := readGPUCheck(f)
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		e.printGPUCheck(list, cut)
		return nil
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

func (e *env) printGPUCheck(list []gpuCheck, cut bool) {
	w, head, last := e.stdout, list[0], list[len(list)-1]
	if head.Devices != nil {
		m := head.Devices.Machine
		fmt.Fprintf(w, "%s, %d cores, %s\n", m.CPU, m.Cores, sizeString(m.MemoryBytes))
		for _, d := range head.Devices.Devices {
			fmt.Fprintf(w, "%s: %s, %d compute units, %s, driver %s\n", d.Name, d.Model, d.ComputeUnits, sizeString(d.MemoryBytes), d.Driver)
		}
	}
	passed := 0
	for _, c := range list[1:] {
		if c.Passed != nil && *c.Passed && !c.End {
			passed++
		}
	}
	end := "; the run did not end"
	if last.End {
		end = ", in " + seconds(last.TimeS)
	}
	fmt.Fprintf(w, "%s: %d checks passed%s\n", head.Processors, passed, end)
	if cut {
		fmt.Fprintln(w, "the last check was not written whole")
	}
	searches := documents[record.Bench](list, record.SchemaBench)
	printSome(w, "\nsearches of\ttook\tGTEPS\tsupersteps\tlaunches a level\twaits a level\tleft out\t", searches, searchRow)
	printSome(w, "\nhybrid\tshare\tGTEPS\tbest alone\tGTEPS\thybrid ÷ alone\t", hybrids(searches), func(h hybrid) string {
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%.3f\t%.2f\t", h.Name, h.doc.Share, gteps(h.doc), h.best, h.rate/1e9, h.doc.TEPS.HarmonicMean/h.rate)
	})
	devices := slices.DeleteFunc(documents[record.BenchDevice](list, record.SchemaBenchDevice), func(c checked[record.BenchDevice]) bool {
		return len(c.doc.Accesses) == 0 || len(c.doc.Transfers) == 0
	})
	printSome(w, "\ndevice\tcopy GB/s\treads M/s\tatomics M/s\tto device GB/s\tto host GB/s\tlaunch\tfill\twait\t", devices, deviceRow)
	printBandwidth(w, searches)
	printSome(w, "\nvalidated\ttrees\tGTEPS\tW\tJ a search\tof\t", documents[record.Graph500](list, record.SchemaGraph500), validatedRow)
	for _, d := range documents[record.BenchAllPairs](list, record.SchemaBenchAPSP) {
		e.printAllPairs(d.doc)
	}
	for _, c := range list[1:] {
		switch {
		case c.End:
		case c.Skipped != "":
			fmt.Fprintf(w, "skipped: %s: %s\n", c.Name, c.Skipped)
		case c.Passed != nil && !*c.Passed:
			fmt.Fprintf(w, "FAILED: %s: %s\n    %s\n", c.Name, c.Command, strings.ReplaceAll(strings.TrimSpace(c.Message), "\n", "\n    "))
		}
	}
}

// printSome prints a table unless it has no rows.
func printSome[T any](w io.Writer, head string, list []T, row func(x T) string) {
	if len(list) > 0 {
		printTable(w, head, list, row)
	}
}

// searchRow is the row of a check that timed searches, with a device's commands a superstep.
func searchRow(s checked[record.Bench]) string {
	levels := 0.0
	for _, l := range s.doc.Levels {
		levels += float64(max(1, l.Searches)) / float64(max(1, len(s.doc.Searches)))
	}
	var c record.Commands
	for _, p := range s.doc.Processors {
		if p.Commands != nil && p.Commands.Waits > c.Waits {
			c = *p.Commands
		}
	}
	commands, leftOut := "\t", ""
	if c.Waits > 0 && levels > 0 {
		commands = fmt.Sprintf("%.1f\t%.1f", c.Launches/levels, c.Waits/levels)
	}
	for _, l := range s.doc.LeftOut {
		leftOut += l.Name + " "
	}
	return fmt.Sprintf("%s\t%s\t%s\t%.1f\t%s\t%s\t", s.Name, seconds(s.doc.Time.MeanS), gteps(s.doc), levels, commands, leftOut)
}

func gteps(d record.Bench) string {
	if d.TEPS == nil {
		return ""
	}
	return fmt.Sprintf("%.3f", d.TEPS.HarmonicMean/1e9)
}

// hybrid is a check of several processors, beside the best of them alone.
type hybrid struct {
	checked[record.Bench]
	best string
	rate float64 // its TEPS
}

// hybrids returns the checks of several processors, one of which was checked alone on the same graph.
func hybrids(searches []checked[record.Bench]) (list []hybrid) {
	for _, s := range searches {
		h := hybrid{checked: s}
		for _, o := range searches {
			part := len(o.doc.Processors) == 1 && slices.ContainsFunc(s.doc.Processors, func(p record.Processor) bool {
				return p.Name == o.doc.Processors[0].Name || p.Kind == "cpu" && o.doc.Processors[0].Kind == "cpu"
			})
			if part && o.doc.Graph == s.doc.Graph && o.doc.TEPS != nil && o.doc.TEPS.HarmonicMean > h.rate {
				h.best, h.rate = o.doc.Processors[0].Name, o.doc.TEPS.HarmonicMean
			}
		}
		if len(s.doc.Processors) > 1 && s.doc.TEPS != nil && h.best != "" {
			list = append(list, h)
		}
	}
	return list
}

// deviceRow is what a device's memory and commands allow, at the largest working set.
func deviceRow(c checked[record.BenchDevice]) string {
	d := c.doc
	a, x := d.Accesses[len(d.Accesses)-1], d.Transfers[len(d.Transfers)-1]
	return fmt.Sprintf("%s\t%.2f\t%.0f\t%.0f\t%.2f\t%.2f\t%s\t%s\t%s\t", d.Device.Name, a.CopyBytesPerS/1e9, a.ReadsPerS/1e6, a.AtomicsPerS/1e6,
		x.ToDeviceBytesPerS/1e9, x.ToHostBytesPerS/1e9, seconds(d.LaunchS), seconds(d.FillS), seconds(d.WaitS))
}

// printBandwidth prints the kernels of the last clocked searches of each device alone: of its largest graph.
func printBandwidth(w io.Writer, searches []checked[record.Bench]) {
	for i, s := range searches {
		clocked := func(o checked[record.Bench]) bool {
			p := o.doc.Processors
			return len(p) == 1 && p[0].Commands != nil && len(p[0].Commands.Kernels) > 0 && p[0].Name == s.doc.Processors[0].Name
		}
		if len(s.doc.Processors) == 1 && clocked(s) && !slices.ContainsFunc(searches[i+1:], clocked) {
			printKernels(w, "\n"+s.Name+", ", s.doc.Processors[0].Commands.Kernels)
		}
	}
}

// validatedRow is the row of a run of Graph500, with its energy where it was measured.
func validatedRow(r checked[record.Graph500]) string {
	rate, energy := "", "\t\t"
	if r.doc.BFS != nil && r.doc.BFS.HarmonicMeanTEPS != nil {
		rate = fmt.Sprintf("%.3f", *r.doc.BFS.HarmonicMeanTEPS/1e9)
	}
	if g := r.doc.Green; g != nil {
		var meters []string
		for _, m := range g.Meters {
			meters = append(meters, m.Name)
		}
		energy = fmt.Sprintf("%.1f\t%.4g\t%s", g.AveragePowerW, g.JoulesPerSearch, strings.Join(meters, ", "))
	}
	return fmt.Sprintf("%s\t%d of %d\t%s\t%s\t", r.Name, r.doc.Validation.Passed, r.doc.NBFS, rate, energy)
}
