package graphio

import (
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
	write  func(w *writer) error
	traits traits
}

// traits are what is known of all files of a format.
type traits uint8

const (
	statesDirection traits = 1 << iota // of the graph
	statesBoth                         // directions of an undirected edge
	binaryData
)

func (f *format) is(t traits) bool { return f.traits&t != 0 }

// formats is the table of all formats.
func formats() []format {
	return []format{
		{info("edgelist", "plain edge list, as SNAP publishes them", ".txt", ".el", ".wel", ".tsv", ".csv", ".edgelist"), readEdgeList, writeEdgeList, 0},
		{info("ncol", "names or numbers, and perhaps a weight, as LGL reads them", ".ncol"), readNCOL, nil, statesDirection},
		{info("matrixmarket", "MatrixMarket coordinate file or array", ".mtx"), readMatrixMarket, writeMatrixMarket, statesDirection | statesBoth},
		{info("metis", "METIS graph", ".graph", ".metis"), readMETIS, writeMETIS, statesDirection | statesBoth},
		{info("dimacs9", "DIMACS shortest path challenge", ".gr"), readDIMACS9, writeDIMACS9, statesDirection},
		{info("dimacs", "DIMACS graphs and flow networks (p edge, p col, p max)", ".col", ".clq", ".max"), readDIMACSOthers, nil, statesDirection},
		{info("adjacency", "adjacency graph of Ligra and GBBS", ".adj"), readAdjacency, nil, 0},
		{info("graphml", "GraphML", ".graphml"), readGraphML, nil, statesDirection | statesBoth},
		{info("gap", "GAP serialized graph", ".sg"), readGAP, writeGAP, statesDirection | statesBoth | binaryData},
		{info("gap-weighted", "GAP serialized graph with int32 weights", ".wsg"), readGAPWeighted, writeGAPWeighted, statesDirection | statesBoth | binaryData},
		{info("graph500", "Graph500 tuple file", ".edges", ".packed", ".g500"), readGraph500, writeGraph500, statesDirection | binaryData},
		{info("totem", "Totem text", ".totem"), readTotem, writeTotem, statesBoth},
		{info("graphalytics", "LDBC Graphalytics vertex and edge files", ".e", ".v"), readGraphalytics, writeGraphalytics, 0},
		{info("konect", "KONECT network (out.NAME)"), readKONECT, writeKONECT, statesDirection},
		{info("npy", "dense matrix of weights, as NumPy saves it", ".npy"), readNPY, nil, statesDirection | binaryData},
		{info("native", "the engine's own, mapped", ".tgr"), readTGR, writeTGR, statesDirection | statesBoth | binaryData},
	}
}

func info(name, description string, extensions ...string) FormatInfo {
	return FormatInfo{Name: name, Description: description, Extensions: extensions}
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
	path, _, _ = strings.Cut(path, "?") // x?download=1
	base := filepath.Base(path)
	if i := strings.LastIndexByte(base, '.'); i > 0 && len(base)-i < 5 && isNumber([]byte(base[i+1:])) && knownEnding(base[:i]) {
		base = base[:i] // x.graph.1, as wget names a second download
	}
	for _, s := range compressionSuffixes() {
		if len(base) > len(s) && strings.EqualFold(base[len(base)-len(s):], s) {
			return base[:len(base)-len(s)]
		}
	}
	return base
}

// knownEnding tells whether a name ends like a format or a compression.
func knownEnding(base string) bool {
	ext := strings.ToLower(filepath.Ext(base))
	return slices.Contains(compressionSuffixes(), ext) || slices.ContainsFunc(formats(), func(f format) bool { return slices.Contains(f.Extensions, ext) })
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
	// Behind the endings: out.txt is more likely an output than a network named txt.
	if strings.HasPrefix(stem(path), "out.") {
		return "konect", true
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
	head := in.peek(headSize)
	if name := detectContent(head); name != "" {
		return formatByName(name), nil
	}
	text := isText(head)
	name, named := DetectName(in.name())
	if e := refuseUnread(head, in.name(), text); e != nil {
		return nil, e
	}
	if text && (!named || name == "edgelist" || name == "graph500") && looksLikeMETIS(head, in.eof && len(in.win) == len(head)) {
		if !named {
			return formatByName("metis"), nil
		}
		return nil, bad(ErrFormat, "a file that METIS fits as well (line 1 is n m, n lines of neighbours follow) under the name of an edge list", "one of the two").
			advise("say which it is: %s metis or %s edgelist", CureFormat, CureFormat)
	}
	if named && !(text && name == "graph500" && len(head) > 0) {
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
	if twice := compressionOf(head); twice != "" {
		return nil, bad(ErrUnsupported, in.compression+" data that is compressed twice, with "+twice+" within", "data compressed once", "decompress it")
	}
	return nil, bad(unknownContent{}, "binary data under a name that tells no format", "",
		"name the format: a tuple file under this name is read with format graph500; known are "+formatNames(false))
}

func isNumber(word []byte) bool {
	_, k := parseDigits(word, 0)
	return k == len(word) && k > 0
}
