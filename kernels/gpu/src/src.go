// Package src is the source of the device kernels, in one C dialect for OpenCL and CUDA;
// compat.h alone defines address spaces, ids, atomics and barriers for each compiler. A file
// holds one kernel, or kernels that run together.
package src

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.h *.cl
var files embed.FS

// Names returns the source files in the order in which they are compiled.
func Names() []string {
	return []string{
		"compat.h", "bits.cl", "slots.cl",
		"search.cl", "step.cl", "thin.cl",
		"frontier.cl", "exchange.cl", "aggregate.cl", "measure.cl",
	}
}

// Dialect returns compat.h, for kernels of other packages.
func Dialect() (string, error) {
	data, err := files.ReadFile("compat.h")
	return "#line 1 \"compat.h\"\n" + string(data), err
}

// Text returns all files as one source. It is compiled with these defined: WG, lanes of a group,
// a power of two of at least 32; FEW, PIECE and NEAR, entries of a row (see step.cl); HUBWORDS,
// words of the frontier kept in shared memory; THIN, arcs a lane of the frontiers of thin;
// TURNS_MOST, entries of a row that a lane of it reads; SLOTS of the ring of counters; and RACECHECK under a race checker.
func Text() (string, error) {
	return join(Names(), "")
}

// Value returns the kernels of programs other than searches: part is "set", "edge", "vertex" or
// "local". fragment comes before the file of that part, and is called as the file says. FP64 and INT64
// are defined where the device has doubles and 64-bit atomics, TYPE and what value_*.cl say.
func Value(part, fragment string) (string, error) {
	names := []string{"compat.h", "bits.cl", "value_bits.cl"}
	switch part {
	case "set", "edge":
		names = append(names, "value.cl")
	case "local":
		names = append(names, "value_forest.cl")
	}
	return join(append(names, "value_"+part+".cl"), fragment)
}

// join returns files as one source, with a fragment before the last.
func join(names []string, fragment string) (string, error) {
	var text strings.Builder
	for i, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			return "", fmt.Errorf("kernel source: %w", err)
		}
		if fragment != "" && i == len(names)-1 {
			fmt.Fprintf(&text, "#line 1 \"operator\"\n%s\n", fragment)
		}
		fmt.Fprintf(&text, "#line 1 \"%s\"\n%s", name, data)
	}
	return text.String(), nil
}
