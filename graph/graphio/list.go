package graphio

import (
	"errors"
	"fmt"
	"math"

	"github.com/totemgo/totemgo/graph"
)

// A file may declare freeVertices whatever it holds, and more if it has a record for every verticesPerRecord of them:
// each vertex costs memory.
const (
	freeVertices      = 1 << 22
	verticesPerRecord = 16
)

// sparse tells whether n vertices are out of proportion to a number of records.
func sparse(n uint64, records int64) bool {
	return n > freeVertices && n/verticesPerRecord > uint64(records)
}

// sane refuses counts that no graph has. It goes before the records, so that dense ids have 32 bits.
func (d *declared) sane(in *input) error {
	found := fmt.Sprintf("%d vertices declared", d.vertices)
	if d.vertices <= graph.MaxVertices && d.records <= math.MaxInt64/16 {
		return nil
	} else if d.vertices <= graph.MaxVertices {
		found = fmt.Sprintf("%d %s declared for %d vertices", d.records, d.many, d.vertices)
	}
	return fault(d.line, 0, ErrTooLarge, found+" before "+in.countLines(), fmt.Sprintf("at most %d vertices, and no more than a file can hold", uint64(graph.MaxVertices)))
}

// countLines says how many lines follow, up to a million.
func (in *input) countLines() string {
	const most = 1e6
	n := int64(0)
	for l := in.peekLine(); l != nil; l = in.peekLine() {
		if n++; n > most {
			return "over a million lines"
		}
		in.skip(l)
	}
	return plural(n, "line")
}

// expectDeclared expects what a header declares, unless fewer records may be there: counting them says so. Blocks are joined,
// so that each of their records is there twice.
func (in *input) expectDeclared(d *declared, directed bool) error {
	const least, ratio = 3, 1100 // bytes of a record, and what deflate makes of a byte
	n, most := int64(d.records), in.size/least+1
	if in.m == nil {
		most *= ratio
	}
	if in.o.Lenient || in.size >= 0 && n > most {
		return nil
	}
	bytes := 8 * n
	if n > blockSize/least {
		bytes *= 2
	}
	if d.format == "Totem" && !directed { // each edge may stand there twice
		n /= 2
	}
	return in.expect(int64(d.vertices), n, bytes, directed)
}

// expect refuses a graph before its records are read, where they take more than there is, or as Options.Expect does.
func (in *input) expect(vertices, records, bytes int64, directed bool) error {
	if in.o.Expect != nil {
		if err := in.o.Expect(vertices, records, in.o.Direction == Directed || directed && in.o.Direction == AsStated); err != nil {
			return err
		}
	}
	defer in.held.Add(-bytes)
	return in.hold(bytes)
}

// declaredList reads the records of a format that declares them, and checks their number and that of the vertices.
func (in *input) declaredList(f *File, l *layout) (*graph.EdgeList, error) {
	d := l.declared
	if err := d.sane(in); err != nil {
		return nil, err
	}
	if err := in.expectDeclared(d, l.directed); err != nil {
		return nil, err
	}
	blocks, err := in.scan(l)
	if err != nil {
		return nil, err
	}
	if err := d.count(in, f, blocks); err != nil {
		return nil, err
	}
	list, err := in.list(f, l, blocks)
	if err != nil || !l.folds {
		return list, err
	}
	if n := list.NumEdges(); foldMirrored(list) && d.format != "Totem" {
		f.Report.warnf("%s taken for %s, each at both ends", spell(n, d.one+" is", d.many+" are"), plural(list.NumEdges(), "edge"))
	}
	return list, nil
}

// count compares the number of records with the declared one, and the number of vertices with both.
func (d *declared) count(in *input, f *File, blocks []*records) error {
	found := uint64(0)
	for _, b := range blocks {
		if k := uint64(b.count); found <= d.records && found+k > d.records && !in.o.Lenient {
			return fault(b.line(int(d.records-found)), 0, ErrFormat, "one "+d.one+" more than declared",
				fmt.Sprintf("%s, as line %d says", spell(int64(d.records), d.one, d.many), d.line))
		}
		found += uint64(b.count)
	}
	if found != d.records {
		if !in.o.Lenient {
			return bad(ErrTruncated, spell(int64(found), d.one, d.many), fmt.Sprintf("%d, as line %d says", d.records, d.line))
		}
		f.Report.toleratef("%d %s declared on line %d, %d found", d.records, d.many, d.line, found)
	}
	return d.proportion(in, f, int64(found))
}

// proportion refuses to take memory for vertices that hardly any of the records can name.
func (d *declared) proportion(in *input, f *File, records int64) error {
	if !sparse(d.vertices, records) {
		return nil
	}
	if !in.o.Lenient {
		return fault(d.line, 0, ErrTooLarge, fmt.Sprintf("%d vertices declared for %s", d.vertices, plural(records, "record")),
			fmt.Sprintf("at most %d, or %d a record", freeVertices, verticesPerRecord)).advise("%s reads it", CureLenient)
	}
	f.Report.toleratef("%d vertices declared on line %d for %s", d.vertices, d.line, plural(records, "record"))
	return nil
}

// list makes one edge list of the blocks and gives their memory up. The vertices are the declared ones, else the ids
// that occur.
func (in *input) list(f *File, l *layout, blocks []*records) (list *graph.EdgeList, err error) {
	list = &graph.EdgeList{Directed: l.directed}
	n := int64(0)
	bufs := make([]*weightBuf, len(blocks))
	for i, b := range blocks {
		bufs[i] = &b.weights
		n += int64(b.count)
		f.Report.IgnoredColumns += b.ignored
		f.Report.Tolerated += b.tolerated
	}
	if l.weight > 0 {
		if err := in.hold(n * 8); err != nil {
			return nil, err
		}
		list.Weights = joinWeights(bufs, l.kind)
		for _, w := range bufs {
			*w = weightBuf{}
		}
	}
	switch {
	case l.declared != nil:
		list.Vertices, list.Labels = int(l.declared.vertices), graph.IdentityLabels(int(l.declared.vertices), l.declared.base)
	case l.names:
		if list.Labels, err = in.nameList(blocks); err != nil {
			return nil, err
		}
		list.Vertices = list.Labels.Len()
	case in.o.Vertices != 0 && !l.listed:
		if list.Vertices, err = in.keptIDs(blocks, n); err != nil {
			return nil, err
		}
	default:
		if err := in.hold(n * 8); err != nil {
			return nil, err
		}
		pairs := make([][]graph.Pair64, len(blocks))
		for i, b := range blocks {
			pairs[i], b.pairs = b.pairs, nil
		}
		if list.Edges, list.Labels, err = in.compact(pairs); err != nil {
			return nil, err
		}
		list.Vertices = list.Labels.Len()
		return list, nil
	}
	list.Edges, err = in.joinEdges(blocks, n)
	return list, err
}

// listOf is list with vertices besides those that occur. They go before the records as self-loops, so that all get ids in one
// go.
func (in *input) listOf(f *File, l *layout, ids []uint64, blocks []*records) (*graph.EdgeList, error) {
	if err := in.hold(int64(len(ids)) * 16); err != nil {
		return nil, err
	}
	selves := make([]graph.Pair64, len(ids))
	for i, id := range ids {
		selves[i] = graph.Pair64{U: id, V: id}
	}
	l.listed = true
	list, err := in.list(f, l, append([]*records{{pairs: selves}}, blocks...))
	if err == nil {
		list.Edges = list.Edges[len(ids):]
	}
	return list, err
}

// keptIDs is the number of vertices where ids are kept: Options.Vertices, or up to the largest id.
func (in *input) keptIDs(blocks []*records, n int64) (int, error) {
	high, at := uint64(0), int64(0)
	for _, b := range blocks {
		for k, p := range b.pairs {
			if m := max(p.U, p.V); m > high {
				high, at = m, b.line(k)
			}
		}
	}
	vertices, all := uint64(in.o.Vertices), in.o.Vertices < 0
	if all {
		vertices = high + uint64(min(n, 1)) // none without records
	}
	switch {
	case all && high >= graph.MaxVertices:
		return 0, fault(at, 0, ErrTooLarge, fmt.Sprintf("id %d", high), fmt.Sprintf("at most %d vertices, if ids are kept", uint64(graph.MaxVertices)))
	case n > 0 && high >= vertices:
		return 0, fault(at, 0, ErrFormat, fmt.Sprintf("id %d", high), fmt.Sprintf("0..%d, as the option says", vertices-1))
	case all && sparse(vertices, n) && !in.o.Lenient:
		return 0, fault(at, 0, ErrTooLarge, fmt.Sprintf("id %d in a list of %s", high, plural(n, "record")),
			fmt.Sprintf("ids below %d, or %d vertices a record", freeVertices, verticesPerRecord)).
			advise("%s or the number of vertices reads it", CureLenient)
	}
	return int(vertices), nil
}

// joinEdges makes one slice of the n edges of all blocks.
func (in *input) joinEdges(blocks []*records, n int64) ([]graph.Edge, error) {
	if len(blocks) == 1 && blocks[0].edges != nil {
		return blocks[0].edges, nil
	}
	if err := in.hold(n * 8); err != nil {
		return nil, err
	}
	edges := make([]graph.Edge, 0, n)
	for _, b := range blocks {
		edges = append(edges, b.edges...)
		for _, p := range b.pairs {
			edges = append(edges, graph.Edge{U: uint32(p.U), V: uint32(p.V)})
		}
		b.edges, b.pairs = nil, nil
	}
	return edges, nil
}

// compact maps the ids that occur to dense ids, in rising order, and gives the blocks' memory up. The records are held
// already.
func (in *input) compact(blocks [][]graph.Pair64) ([]graph.Edge, *graph.Labels, error) {
	o := graph.CompactOptions{Threads: in.o.threads()}
	if in.o.MemoryLimit > 0 {
		o.MemoryLimit = max(1, in.o.MemoryLimit-in.held.Load())
	}
	edges, labels, err := graph.Compact(in.ctx, blocks, o)
	if m := (*graph.MemoryError)(nil); errors.As(err, &m) {
		return nil, nil, in.hold(m.Need)
	}
	if errors.Is(err, graph.ErrTooManyVertices) {
		return nil, nil, bad(ErrTooLarge, err.Error(), fmt.Sprintf("at most %d vertices", uint64(graph.MaxVertices)))
	}
	return edges, labels, err
}

// edgeSum is a sum of hashes of edges and their weights.
type edgeSum [2]uint64

func (s *edgeSum) add(u, v, w uint64) {
	s[0] += mix(0, u, v, w)
	s[1] += mix(mixKey, u, v, w)
}

// mirror sums the edges met from their lower and from their upper end: the sums agree where every edge stands at both
// ends with one weight.
type mirror struct{ low, high edgeSum }

func (m *mirror) add(u, v, w uint64) {
	s := &m.low
	if u > v {
		u, v, s = v, u, &m.high
	}
	if u != v {
		s.add(u, v, w)
	}
}

// mixKey is the key of the second round of mix.
const mixKey = 0x5851f42d4c957f2d

// mix hashes an edge and its weight; two rounds with different keys make 128 bits.
func mix(key, u, v, w uint64) uint64 {
	x := (u<<32 | v) ^ key
	x ^= x >> 32
	x *= 0x9fb21c651e98df25
	x ^= x>>29 ^ w*0x9e3779b97f4a7c15
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 32
	x *= 0x94d049bb133111eb
	return x ^ x>>29
}
