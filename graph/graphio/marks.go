package graphio

import (
	"bytes"
	"context"
	"encoding/binary"
	"regexp"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// marks are what files of a format begin with.
var marks = []struct {
	format string
	mark   *regexp.Regexp
}{
	{"native", regexp.MustCompile(`^\x89TGR\r\n\x1a\n`)},
	{"npy", regexp.MustCompile(`^\x93NUMPY`)},
	{"graphml", regexp.MustCompile(`(?is)^\s*(<\?.*?\?>\s*|<!--.*?-->\s*|<!doctype[^>]*>\s*)*<(\w+:)?graphml\b`)},
	{"matrixmarket", regexp.MustCompile(`(?i)^\s*%%?matrixmarket(\s|$)`)},
	{"totem", regexp.MustCompile(`(?i)^\s*#[ \t]*nodes:[ \t]+\d+([ \t].*)?(\r\n|\r|\n)[ \t]*#?[ \t]*edges`)},
	{"konect", regexp.MustCompile(`(?i)^\s*%[ \t]+(` + strings.Join(konectFormats(), "|") + `)[ \t]+(` + strings.Join(konectWeights(), "|") + `)(\s|$)`)},
	{"dimacs9", regexp.MustCompile(`(?i)^(\s*c([ \t].*)?[\r\n])*\s*p[ \t]+sp([ \t]+\S+){2}[ \t]*([\r\n]|$)`)},
	{"dimacs", regexp.MustCompile(`(?i)^(\s*c([ \t].*)?[\r\n])*\s*p[ \t]+[a-z]+([ \t]+\d+){2}[ \t]*([\r\n]|$)`)},
	{"adjacency", regexp.MustCompile(`(?i)^\s*(weighted)?adjacencygraph(\s|$)`)},
}

// detectContent tells the formats that begin with a mark.
func detectContent(head []byte) string {
	text := latin(head)
	for _, m := range marks {
		if m.mark.MatchString(text) {
			return m.format
		}
	}
	return ""
}

// latin spells bytes as characters, which expressions can state, without a byte order mark.
func latin(head []byte) string {
	head = bytes.TrimPrefix(head, []byte{0xef, 0xbb, 0xbf})
	text := make([]rune, len(head))
	for i, c := range head {
		text[i] = rune(c)
	}
	return string(text)
}

// unread is a format that is known by a mark or by its name, and not read.
type unread struct {
	name  string
	mark  string // regular expression over the beginning of a file, "" if there is none
	exts  string // endings of names, between blanks
	words string // what to do
}

// unreadFormats lists what people have besides the formats that are read.
func unreadFormats() []unread {
	const export = "export it as GraphML or as an edge list"
	return []unread{
		{"GML", `(?i)^(\s*#.*\n)*\s*(creator\b.*\s*|version\b.*\s*|comment\b.*\s*)*graph\s*\[`, " .gml ", export},
		{"Pajek", `(?i)^(\s*[%/].*\n)*\s*\*(vertices|network|arcs|edges)\b`, " .net .paj ", export},
		{"LGL", ``, " .lgl ", "export it as NCOL"},
		{"Trivial Graph Format", ``, " .tgf ", export},
		{"DOT (Graphviz)", `(?is)^\s*(#[^\n]*\n\s*|//[^\n]*\s*|/\*.*?\*/\s*)*(strict\s+)?(di)?graph\b[^\n{]*\{`, " .dot .gv ", export},
		{"GEXF", `(?is)^\s*(<\?.*?\?>\s*|<!--.*?-->\s*)*<gexf\b`, " .gexf ", export},
		{"XML or HTML", `(?i)^\s*<(\?xml|!doctype|html)`, " .html .htm .xml ", "a page of a download, perhaps: get the file itself"},
		{"N-Triples or Turtle", `^\s*(@prefix\s|<[a-z]+:[^>\s]*>\s+<)`, " .nt .ttl .rdf ", "write the subjects and objects as an edge list of names"},
		{"UCINET DL", `(?i)^\s*dl\s+n[rm]?\s*=`, " .dl ", export},
		{"GDF", `^nodedef\s*>`, " .gdf ", export},
		{"LEDA", `^LEDA\.GRAPH`, " .lgr ", export},
		{"graph6, sparse6 or digraph6", `^>>(graph6|sparse6|digraph6)<<`, " .g6 .s6 .d6 ", export},
		{"Rutherford-Boeing or Harwell-Boeing", `^[^\n]*\n[ \d]+\r?\n\s*[rcpiqRCPIQ][sunhrzSUNHRZ][aeAE]\s+\d+\s+\d+`, " .rb .rua .rsa .hb ", "get it as MatrixMarket"},
		{"JSON", `^\s*(\{|\[\s*[\[{"])`, " .json .jsonl ", export},
		{"MATLAB", `^MATLAB 5\.0 MAT-file`, " .mat ", "write it as MatrixMarket (mmwrite)"},
		{"HDF5 (MATLAB 7.3 and others)", `^\x89HDF\r\n`, " .h5 .hdf5 ", "write it as MatrixMarket or as an edge list"},
		{"NumPy archive", ``, " .npz ", "save the matrix with numpy.save, or as MatrixMarket (scipy.io.mmwrite)"},
		{"Parquet", `^PAR1`, " .parquet ", "write it as CSV"},
		{"Arrow or Feather", `^(ARROW1|FEA1)`, " .arrow .feather ", "write it as CSV"},
		{"Avro", `^Obj\x01`, " .avro ", "write it as CSV"},
		{"ORC", `^ORC`, " .orc ", "write it as CSV"},
		{"SQLite", `^SQLite format 3`, " .sqlite .db ", "write it as CSV"},
		{"a Python pickle", `^\x80[\x02-\x05]`, " .pkl .pickle ", "write it as an edge list"},
		{"a pointer of Git LFS", `^version https://git-lfs\.github\.com/`, "", "get the file itself (git lfs pull)"},
		{"PDF", `^%PDF-`, " .pdf ", "get the graph itself"},
		{"an Office document", ``, " .xlsx .xls .ods ", "write it as CSV"},
		{"Graphalytics properties", `(?m)^graph\.[^=\n]+\.(directed|vertex-file|edge-file)\s*=`, "", "give NAME.e or NAME.v, which stand beside it"},
		{"PBBS or Ligra (an edge array or hypergraph)", `(?i)^\s*(weighted)?(adjacencyhypergraph|edgearray)\b`, "", export},
		{"WebGraph", `^#(BVGraph|ImmutableGraph)|(?m)^graphclass\s*=`, " .properties ", "write it as an edge list (ArcListASCIIGraph)"},
		{"7-Zip", `^7z\xbc\xaf\x27\x1c`, " .7z ", "unpack it"},
		{"RAR", `^Rar!`, " .rar ", "unpack it"},
		{"LZ4", `^\x04\x22\x4d\x18`, " .lz4 ", "unpack it"},
		{"compress", `^\x1f[\x9d\xa0]`, " .z ", "unpack it"},
		{"LZMA", `^\x5d\x00\x00[\x00-\xff]{2}\xff{8}`, " .lzma ", "unpack it, or compress it with xz"},
		{"lzip", `^LZIP`, " .lz ", "unpack it"},
		{"snappy", `^\xff\x06\x00\x00sNaPpY`, " .sz ", "unpack it"},
	}
}

// refuseUnread names a format that is not read, told by the beginning of a file, else by the name.
func refuseUnread(head []byte, path string, text bool) *Error {
	what, words := "", ""
	beginning := latin(head[:min(len(head), 4096)])
	ext := extension(path)
	numeric := beginning != "" && beginning[0]-'0' <= 9 // what most edge lists begin with, and no mark
	for _, u := range unreadFormats() {
		marked := u.mark != "" && !numeric && regexp.MustCompile(u.mark).MatchString(beginning)
		if marked || what == "" && ext != "" && strings.Contains(u.exts, " "+ext+" ") {
			what, words = u.name, u.words
		}
		if marked {
			break
		}
	}
	if what == "" && !text && looksLikeGalois(head) {
		what, words = "Galois .gr", "write it as an edge list (graph-convert)"
	}
	if what == "" && !text && ext == ".graph" {
		what, words = "WebGraph", "write it as an edge list (ArcListASCIIGraph)"
	}
	if what == "" {
		return nil
	}
	return bad(unknownContent{}, "a file of format "+what, "a format that is read: "+formatNames(false)).
		advise(words+", or say what it is (%s)", CureFormat)
}

// looksLikeGalois tells the header of Galois: version 1 or 2, bytes of a weight, vertices, edges.
func looksLikeGalois(head []byte) bool {
	var h [4]uint64
	if _, err := binary.Decode(head, binary.LittleEndian, h[:]); err != nil {
		return false
	}
	return (h[0] == 1 || h[0] == 2) && (h[1] == 0 || h[1] == 4 || h[1] == 8) && h[2] > 0 && h[2] < 1<<40 && h[3] < 1<<48
}

// looksLikeMETIS tells by the first lines whether the file is METIS: n m [fmt [ncon]], then n lines of neighbours that name
// each edge at both ends. all says that head is the whole file; else lines of one length are evidence for an edge list.
func looksLikeMETIS(head []byte, all bool) bool {
	if !all {
		head = head[:lastLineEnd(head)]
	}
	in := &input{ctx: context.Background(), o: &Options{}, win: head, eof: true}
	h, words, err := readMETISHeader(in)
	if err != nil {
		return false
	}
	h.keepUpper = true
	lines := metisBlock{}
	if h.parse(in, block{data: in.win, first: in.lines}, &lines) != nil || lines.rows < 2 || lines.entries == 0 {
		return false
	}
	lower, upper := map[graph.Edge]bool{}, map[graph.Edge]bool{}
	for _, e := range lines.edges {
		lower[e] = true
	}
	mirrored := 0
	for _, e := range lines.upper {
		if edge := (graph.Edge{U: e.u, V: e.v}); !lower[edge] {
			return false
		} else if !upper[edge] {
			mirrored++
			upper[edge] = true
		}
	}
	for e := range lower {
		if !upper[e] && (all || int64(e.V)+1 < lines.rows) {
			return false
		}
	}
	if all {
		return uint64(lines.rows)+1 >= h.declared.vertices && uint64(len(lower)+mirrored) == 2*h.declared.records
	}
	varied := false // some line is not as long as the first
	for line := range bytes.Lines(in.win) {
		w := bytes.Fields(line)
		varied = varied || len(w) != words && (len(w) == 0 || w[0][0] != '%')
	}
	return mirrored > 0 && (varied || mirrored == len(lower))
}
