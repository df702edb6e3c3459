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
		"compat.h", "bits.cl",
		"topdown_thread.cl", "topdown_warp.cl", "topdown_group.cl", "topdown_edge.cl", "topdown_thin.cl",
		"bottomup_probe.cl", "bottomup_scan.cl", "bottomup_word.cl",
		"frontier.cl", "exchange.cl", "aggregate.cl", "measure.cl",
	}
}

// Dialect returns compat.h, for kernels of other packages.
func Dialect() (string, error) {
	data, err := files.ReadFile("compat.h")
	return "#line 1 \"compat.h\"\n" + string(data), err
}

// Text returns all files as one source. It is compiled with WG (lanes of a group, a
// power of two of at least 32), VW (lanes of a virtual warp of the bottom-up scan),
// HUBWORDS (words of the frontier kept in shared memory) and THIN (arcs a lane of the
// frontiers of topdown_thin) defined, and with RACECHECK under a race checker.
func Text() (string, error) {
	var text strings.Builder
	for _, name := range Names() {
		data, err := files.ReadFile(name)
		if err != nil {
			return "", fmt.Errorf("kernel source: %w", err)
		}
		fmt.Fprintf(&text, "#line 1 \"%s\"\n%s", name, data)
	}
	return text.String(), nil
}
