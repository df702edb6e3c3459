package graphio

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// KONECT networks, after J. Kunegis, Handbook of Network Analysis (KONECT), section "File formats": a file out.NAME whose
// first line is "% FORMAT WEIGHTS", with FORMAT sym, asym or bip; perhaps a second line "% records left right"; then a
// record a line: source, target, perhaps weight, perhaps time. Ids count from 1; in a bipartite network (always
// undirected) both sides count from 1 on their own, and the right side is read as following the left.

// konectWords splits the first line.
func konectWords(text string) (format, kind string, ok bool) {
	words := strings.Fields(text)
	if len(words) > 0 && words[0] != "%" && strings.HasPrefix(words[0], "%") {
		words = append([]string{"%", words[0][1:]}, words[1:]...)
	}
	if len(words) < 3 || words[0] != "%" {
		return "", "", false
	}
	return strings.ToLower(words[1]), strings.ToLower(words[2]), true
}

func konectFormats() []string { return []string{"sym", "asym", "bip"} }

func konectWeights() []string {
	return []string{"unweighted", "positive", "posweighted", "signed", "multisigned", "weighted", "multiweighted", "multiposweighted", "dynamic"}
}

// readKONECT reads a KONECT network.
func readKONECT(in *input, f *File) (graph.Source, error) {
	h := in.banner()
	format, kind, ok := konectWords(string(h.text))
	switch {
	case !ok:
		return nil, h.fault(ErrFormat, quote(h.text), "% sym, asym or bip, and the kind of weights")
	case !slices.Contains(konectFormats(), format):
		return nil, h.fault(ErrFormat, quote(format), "sym, asym or bip")
	case !slices.Contains(konectWeights(), kind):
		return nil, h.fault(ErrFormat, quote(kind), "one of "+strings.Join(konectWeights(), ", "))
	case kind == "dynamic":
		return nil, h.fault(ErrUnsupported, "a dynamic network, whose records add and remove edges", "any other kind")
	}
	sizes, err := konectSizes(in)
	if err != nil {
		return nil, err
	}
	l := &layout{directed: format == "asym", comments: "%#", ends: [2]string{"vertex", "vertex"},
		columns: 2, want: "2: source and target", open: true}
	if kind != "unweighted" {
		l.columns, l.weight, l.optional, l.want = 3, 3, true, "3: source, target and weight"
	}
	if len(sizes) == 3 {
		d := declare("KONECT", 2, 1, max(sizes[1], sizes[2]), sizes[0], "record", "records")
		if d.says = ", as line 2 says"; format == "bip" {
			d.vertices, d.ids, d.shift = min(sizes[1], 1<<62)+min(sizes[2], 1<<62), [2]uint64{sizes[1], sizes[2]}, sizes[1]
		}
		l.declared = d
		if err := d.sane(in); err != nil {
			return nil, err
		}
	}
	blocks, err := in.scan(l)
	if err != nil {
		return nil, err
	}
	n, given, sum, largest := int64(0), int64(0), 0.0, [2]uint64{}
	for _, b := range blocks {
		n += int64(b.count)
		given += b.given
		for i := range b.weights.len() {
			sum += b.weights.at(i)
		}
		for i, p := range b.pairs {
			if p.U == 0 || p.V == 0 {
				return nil, fault(b.line(i), 0, ErrFormat, "vertex 0", "ids from 1 on", "KONECT counts from 1")
			}
			largest[0], largest[1] = max(largest[0], p.U), max(largest[1], p.V)
		}
	}
	// A network whose weights count multiple edges may declare their sum.
	if len(sizes) > 0 && uint64(n) != sizes[0] && sum != float64(sizes[0]) {
		if !in.o.Lenient {
			return nil, bad(short(uint64(n), sizes[0]), plural(n, "record"), fmt.Sprintf("%d, as line 2 says", sizes[0])).
				advise("%s reads it", CureLenient)
		}
		f.Report.toleratef("%d records declared on line 2, %d found", sizes[0], n)
	}
	if kind == "positive" && given == 0 {
		l.weight = 0 // multiple edges may stand on a line each, without a weight
	}
	left := largest[0]
	if l.declared != nil {
		left = l.declared.shift
		if err := l.declared.proportion(in, f, n); err != nil {
			return nil, err
		}
	}
	if format == "bip" {
		if left > math.MaxUint64-largest[1] {
			return nil, bad(ErrTooLarge, fmt.Sprintf("ids up to %d and %d", left, largest[1]), "sides that fit in 64 bits one after the other")
		}
		for _, b := range blocks {
			for i := range b.pairs {
				b.pairs[i].V += left
			}
		}
		f.Report.warnf("bipartite: the right side has the ids %d + its own", left)
	}
	return in.list(f, l, blocks)
}

// konectSizes reads "records left right" or "records", which stand on line 2, and consumes the comments; none where the
// comment is another.
func konectSizes(in *input) (sizes []uint64, err error) {
	for l := range in.comments("%") {
		if words := l.counted(); l.at == 2 && (len(words) == 1 || len(words) == 3) {
			sizes, err = in.promised(l.wholes(words, []string{"of records", "of vertices", "of vertices"}[:len(words)]...))
		}
	}
	if e := (*Error)(nil); errors.As(err, &e) {
		e.Err = ErrTooLarge
	}
	return sizes, err
}

// writeKONECT writes a KONECT network.
func writeKONECT(w *writer) error {
	format, kind := "asym", "unweighted"
	if !w.src.IsDirected() {
		format = "sym"
	}
	if w.kind != graph.Unweighted {
		kind = "weighted"
	}
	w.labelLoss(1)
	n := w.src.NumVertices()
	return w.list(fmt.Sprintf("%% %s %s\n%% %d %d %d\n", format, kind, w.src.NumEdges(), n, n), w.from(1), '\t', "")
}
