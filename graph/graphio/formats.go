package graphio

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// FormatInfo describes a format.
type FormatInfo struct {
	// Name is what Options.Format and SaveOptions.Format take.
	Name string
	// Extensions are the endings of names that stand for the format.
	Extensions []string
	// Readable and Writable tell what can be done.
	Readable, Writable bool
	// Description is one line.
	Description string
}

// format is a format with its reader and writer.
type format struct {
	FormatInfo
	read func(in *input, f *File) (graph.Source, error)
	// write is nil where the format is read only.
	write func(w *writer) error
}

// formats is the table of all formats.
func formats() []format {
	return []format{
		{FormatInfo{"edgelist", []string{".txt", ".el", ".wel", ".tsv", ".csv", ".edgelist"}, true, true, "plain edge list, as SNAP publishes them"}, readEdgeList, writeEdgeList},
		{FormatInfo{"matrixmarket", []string{".mtx"}, true, false, "MatrixMarket coordinate file"}, readMatrixMarket, writeMatrixMarket},
		{FormatInfo{"metis", []string{".graph", ".metis"}, true, false, "METIS graph"}, readMETIS, writeMETIS},
		{FormatInfo{"graph500", []string{".edges", ".packed", ".g500"}, true, true, "Graph500 tuple file"}, readGraph500, writeGraph500},
		{FormatInfo{"gap", []string{".sg"}, true, true, "GAP serialized graph"}, readGAP, writeGAP},
		{FormatInfo{"gap-weighted", []string{".wsg"}, true, true, "GAP serialized graph with int32 weights"}, readGAPWeighted, writeGAPWeighted},
	}
}

// Formats lists the formats in the order of the documentation.
func Formats() []FormatInfo {
	var out []FormatInfo
	for _, f := range formats() {
		f.Readable, f.Writable = f.read != nil, f.write != nil
		out = append(out, f.FormatInfo)
	}
	return out
}

func formatByName(name string) *format {
	for _, f := range formats() {
		if f.Name == name {
			return &f
		}
	}
	return nil
}

// formatNames lists the names of all formats, or of those that can be written.
func formatNames(writable bool) string {
	var names []string
	for _, f := range formats() {
		if !writable || f.write != nil {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ", ")
}

// stem is the base name of path without the endings of compression.
func stem(path string) string {
	base := filepath.Base(path)
	for _, s := range compressionSuffixes() {
		if len(base) > len(s) && strings.EqualFold(base[len(base)-len(s):], s) {
			return base[:len(base)-len(s)]
		}
	}
	return base
}

// extension is the ending of path in lower case, without that of compression.
func extension(path string) string { return strings.ToLower(filepath.Ext(stem(path))) }

// DetectName tells the format by the name of a file, endings of compression left
// aside. ok is false where the name tells nothing.
func DetectName(path string) (format string, ok bool) {
	ext := extension(path)
	for _, f := range formats() {
		if slices.Contains(f.Extensions, ext) {
			return f.Name, true
		}
	}
	return "", false
}

// isText tells whether the beginning of a file is text.
func isText(head []byte) bool {
	for _, c := range head {
		if c < ' ' && !blank(c) && !eol(c) || c == 0x7f {
			return false
		}
	}
	return true
}

// detect tells the format by content, then by name.
func detect(in *input) (*format, error) {
	head, err := in.peek(headSize)
	if err != nil {
		return nil, err
	}
	if name := detectContent(head); name != "" {
		return formatByName(name), nil
	}
	text := isText(head)
	if name, ok := DetectName(in.path); ok && !(text && name == "graph500" && len(head) > 0) {
		return formatByName(name), nil
	}
	if text {
		return formatByName("edgelist"), nil
	}
	if in.m != nil {
		if name := looksLikeGAP(head, in.size); name != "" {
			return formatByName(name), nil
		}
	}
	return nil, &Error{File: in.path, Found: "binary data under a name that tells no format", Hint: "name the format: a tuple file under this name is read with format graph500; known are " + formatNames(false), Err: ErrUnknownFormat}
}

// detectContent tells the formats that begin with a mark.
func detectContent(head []byte) string {
	line := head[:restOfLine(head, 0)]
	lower := bytes.ToLower(line)
	switch {
	case bytes.HasPrefix(lower, []byte("%%matrixmarket")), bytes.HasPrefix(lower, []byte("%matrixmarket")):
		return "matrixmarket"
	}
	return ""
}
