package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/program"
)

const (
	// pullWords is how many words of 64 targets a thread takes at a time.
	pullWords = 4
	// piece is how many arcs of a row are tested against the set at once.
	piece = 256
)

// loop is a step of an operator over the rows of one segment. T is the type of To.
type loop[T program.Value] struct {
	c            *values[T]
	l            *plan
	p            pass
	adj          *graph.Adjacency
	own          *place
	first, at    uint32    // rank and index of row 0
	dst          []T       // by index of the targets' side
	from         []T       // of a pull: From by index of the sources' side
	narrow       []float32 // From of a Sum that widens, instead of from
	w            []T       // nil where weights are 1
	weights      any       // w, for Tight of From's type
	known        []T       // by index of side 0, nil where they are not read
	set, visited []uint64
	news         *news
	user         program.Rows[T]
	other        *graph.Adjacency // WholeRows with Both: the other rows
	otherW       []T
	top          T
	direct       bool // dst has the values of own vertices
	serial       bool // one thread runs
	alone        bool // no range is foreign
	rows         uint32
}

// loop prepares a step over segment n of a pass.
func (c *values[T]) loop(l *plan, s program.Step, p pass, n int) *loop[T] {
	r := c.r
	g := r.rows[p.rows][n]
	k := &loop[T]{c: c, l: l, p: p, adj: g.adj, own: g.own, first: g.first, at: g.at, rows: g.rows, dst: c.dest(l, s, p.dst), news: &r.reached[p.dst],
		top: program.Largest[T](), direct: r.direct(l, s),
		alone: !r.split && r.words == len(r.reached[0].bits)}
	k.user, _ = l.Rows.(program.Rows[T])
	if w := l.weights[p.rows]; w != nil {
		k.weights = w[n]
		k.w, _ = w[n].([]T)
	}
	if l.Once {
		k.visited = r.visited[p.dst]
	}
	if l.Known > 0 {
		k.known = r.columns[l.Known-1].(*values[T]).at[0]
	}
	if s.From != program.All {
		k.set = r.active[p.src]
	}
	if l.From >= 0 {
		switch from := r.columns[l.From].(type) {
		case *values[T]:
			k.from = from.at[p.src]
		case *values[float32]:
			if r.prog.Widens(l.EdgeOp) {
				k.narrow = from.at[p.src]
			}
		}
	}
	return k
}

// tightRow is a row of a target for Tight.
type tightRow struct {
	row     []uint32
	lo, hi  uint64
	weights any
	set     []uint64
	target  uint32 // an index, of the targets' side
	p       pass
}

// tight implements column.
func (c *values[T]) tight(low bool, k *tightRow) (uint32, bool) {
	at, top, to, one := c.at[k.p.src], program.Largest[T](), c.at[k.p.dst][k.target], T(1)
	w, _ := k.weights.([]T)
	for j, u := range k.row {
		if k.set != nil && k.set[u/64]>>(u%64)&1 == 0 {
			continue
		}
		if w != nil {
			one = w[k.lo+uint64(j)]
		}
		if v := at[u]; plus(v, one, top) == to && (!low || v < to) {
			return c.r.rank(k.p.src, u), true
		}
	}
	return 0, false
}

// pull implements column.
func (c *values[T]) pull(l *plan, s program.Step) (string, error) {
	r := c.r
	name := "dense/"
	passes := l.passes[program.Pull]
	whole := l.Rows != nil && l.WholeRows && len(passes) == 2
	if from, is := column(nil), l.From >= 0; is {
		from = r.columns[l.From]
		from.mirror()
	}
	for _, p := range passes {
		for i := range r.own {
			if o := &r.own[i]; s.From != program.All {
				name = "set/"
				o.words(r.setOf(s.From), r.active[p.src][o.at[p.src]/64:][:o.size/64])
			}
		}
		for n := range r.rows[p.rows] {
			k := c.loop(l, s, p, n)
			if whole {
				k.other = r.rows[passes[1].rows][n].adj
				if w := l.weights[passes[1].rows]; w != nil {
					k.otherW, _ = w[n].([]T)
				}
			}
			if err := k.pull(s); err != nil {
				return name, err
			}
		}
		if whole {
			break
		}
	}
	if l.Rows != nil {
		return name + "rows", nil
	}
	return name + [...]string{"claim", "min", "or", "sum"}[l.Combine], nil
}

// pull pulls for the targets of the step.
func (k *loop[T]) pull(s program.Step) error {
	r := k.c.r
	rows := k.rows
	words := int((rows + 63) / 64)
	var over []uint64
	grain := pullWords
	if k.own != nil && s.Over > 0 {
		over = r.over[k.own.pos/64:][:words]
		set := r.setOf(s.Over)
		k.own.words(set, over)
		grain = set.grain(words, pullWords)
	}
	reached := k.news.bits[k.at/64:]
	k.news.by[0].many = true
	sums := k.set == nil && k.user == nil && (k.l.Map == program.Copy || k.l.Map == program.One) && k.l.Combine == program.Sum && k.direct
	users := k.user != nil && k.other == nil && k.direct && k.own != nil
	return r.each(words, grain, func(t, lo, hi int) {
		for j := lo; j < hi; j++ {
			want := valid(j, rows)
			if over != nil {
				want &= over[j]
			}
			if k.visited != nil {
				want &^= k.visited[int(k.at/64)+j]
			}
			if k.user == nil && k.l.Combine == program.Claim {
				want &^= reached[j]
			}
			if sums || users {
				of := k.sums
				if users {
					of = k.users
				}
				joined, n := of(uint32(64*j), want)
				reached[j] |= joined
				r.memory[t].examined += n
				continue
			}
			got, joined := k.word(t, uint32(64*j), want, reached[j])
			if reached[j] |= joined; k.visited != nil {
				k.visited[int(k.at/64)+j] |= got
			}
		}
	})
}

// sums adds the sums of rows base … base+63 that want has, or their lengths, to the targets: the loop
// of PageRank.
func (k *loop[T]) sums(base uint32, want uint64) (joined uint64, examined int64) {
	dst, from, all := k.dst[k.at+base:], k.from, k.adj.Neighbours
	for ; want != 0; want &= want - 1 {
		i := bits.TrailingZeros64(want)
		lo, hi := k.adj.Row(base + uint32(i))
		if lo == hi {
			continue
		}
		switch {
		case k.narrow != nil:
			dst[i] += wideSumOf[T](all[lo:hi], k.narrow)
		case from != nil:
			dst[i] += sumOf(all[lo:hi], from)
		default:
			dst[i] += T(hi - lo)
		}
		joined |= 1 << i
		examined += int64(hi - lo)
	}
	return joined, examined
}

func sumOf[T program.Value](row []uint32, from []T) (sum T) {
	for _, u := range row {
		sum += from[u]
	}
	return sum
}

// wideSumOf is sumOf of float32 in float64, T.
func wideSumOf[T program.Value](row []uint32, from []float32) (sum T) {
	for _, u := range row {
		sum += T(from[u])
	}
	return sum
}

// users pulls a user's values of rows base … base+63 that want has, and combines them.
func (k *loop[T]) users(base uint32, want uint64) (joined uint64, examined int64) {
	dst, all, user, from, set := k.dst[k.at+base:], k.adj.Neighbours, k.user, k.from, k.set
	var w []T
	for ; want != 0; want &= want - 1 {
		i := bits.TrailingZeros64(want)
		lo, hi := k.adj.Row(base + uint32(i))
		if lo == hi {
			continue
		}
		if k.w != nil {
			w = k.w[lo:hi]
		}
		if x, ok := user.Pull(k.first+base+uint32(i), all[lo:hi], w, from, set, dst[i]); ok && user.Combine(&dst[i], x) {
			joined |= 1 << i
		}
		examined += int64(hi - lo)
	}
	return joined, examined
}

// word combines the values of the rows base … base+63 that want has into the targets, and returns
// those that got one and those that joined. before has those that joined in an earlier pass.
func (k *loop[T]) word(t int, base uint32, want, before uint64) (got, joined uint64) {
	dst := k.dst[k.at+base:]
	examined := int64(0)
	for ; want != 0; want &= want - 1 {
		i := bits.TrailingZeros64(want)
		lo, hi := k.adj.Row(base + uint32(i))
		row := k.adj.Neighbours[lo:hi]
		examined += int64(len(row))
		x, ok := k.row(t, base+uint32(i), row, lo, hi)
		if !ok {
			continue
		}
		got |= 1 << i
		var known T
		if k.known != nil && k.own != nil {
			known = k.known[k.own.at[0]+base+uint32(i)]
		}
		if !k.direct && before>>i&1 == 0 {
			dst[i] = x
		} else if !combine(k.l, k.user, &dst[i], x, known) {
			continue
		}
		joined |= 1 << i
	}
	k.c.r.memory[t].examined += examined
	return got, joined
}

// row computes the value of row i.
func (k *loop[T]) row(t int, i uint32, row []uint32, lo, hi uint64) (x T, ok bool) {
	var w []T
	if k.w != nil {
		w = k.w[lo:hi]
	}
	l := k.l
	switch {
	case k.user != nil:
		return k.userRow(t, i, row, w)
	case l.Map >= program.Tight:
		v, ok := k.c.r.columns[l.From].tight(l.Map == program.TightLow, &tightRow{row, lo, hi, k.weights, k.set, k.at + i, k.p})
		return T(v), ok
	case l.Map == program.Source:
		for n, u := range row {
			if k.set == nil || k.set[u/64]>>(u%64)&1 != 0 {
				k.c.r.memory[t].examined -= int64(len(row) - n - 1)
				return T(k.c.r.rank(k.p.src, u)), true
			}
		}
		return 0, false
	}
	want := ^program.Bits(0)
	if unsafe.Sizeof(x) == 4 {
		want >>= 32
	}
	if l.Combine == program.Min {
		x = k.top
	}
	if k.known != nil && k.own != nil {
		want &^= program.Pack(k.known[k.own.at[0]+i])
	}
	for len(row) > 0 && want != 0 {
		in, inW := row, w
		if k.set == nil {
			row = nil
		} else {
			n := min(len(row), piece)
			in, inW = k.filter(t, row[:n], w)
			if row = row[n:]; w != nil {
				w = w[n:]
			}
		}
		if len(in) == 0 {
			continue
		}
		ok = true
		one := T(1)
		switch {
		case l.Map == program.One && l.Combine == program.Min:
			x = min(x, 1)
		case l.Map == program.One:
			x += T(len(in))
		case l.Map == program.Copy && l.Combine == program.Sum:
			if k.narrow != nil {
				x += wideSumOf[T](in, k.narrow)
				break
			}
			for _, u := range in {
				x += k.from[u]
			}
		case l.Map == program.Copy && l.Combine == program.Min:
			for _, u := range in {
				if v := k.from[u]; v < x {
					x = v
				}
			}
		case l.Map == program.Copy:
			acc, from := program.Pack(x), k.from
			for _, u := range in {
				if acc |= program.Pack(from[u]); want&^acc == 0 {
					row = nil
					break
				}
			}
			x = program.Unpack[T](acc)
		default: // Plus
			for j, u := range in {
				if inW != nil {
					one = inW[j]
				}
				if v := plus(k.from[u], one, k.top); l.Combine == program.Sum {
					x += v
				} else {
					x = min(x, v)
				}
			}
		}
	}
	switch {
	case l.Combine == program.Min:
		ok = ok && (k.own == nil || x < k.c.at[0][k.own.at[0]+i])
	case l.Combine == program.Or:
		ok = program.Pack(x) != 0
	}
	return x, ok
}

// filter returns the part of at most piece arcs whose sources are in the set.
func (k *loop[T]) filter(t int, row []uint32, w []T) ([]uint32, []T) {
	f, m, n := &k.c.r.memory[t], &k.c.by[t], 0
	if cap(f.indices) < piece || w != nil && cap(m.weights) < piece {
		f.indices, m.weights = make([]uint32, piece), make([]T, piece)
	}
	in := f.indices[:piece]
	if w == nil {
		for _, u := range row {
			in[n] = u
			n += int(k.set[u/64] >> (u % 64) & 1)
		}
		return in[:n], nil
	}
	inW := m.weights[:piece]
	for j, u := range row {
		in[n], inW[n] = u, w[j]
		n += int(k.set[u/64] >> (u % 64) & 1)
	}
	return in[:n], inW[:n]
}

// userRow calls a user's Pull.
func (k *loop[T]) userRow(t int, i uint32, row []uint32, w []T) (to T, ok bool) {
	if k.other != nil {
		f, m := &k.c.r.memory[t], &k.c.by[t]
		lo, hi := k.other.Row(i)
		f.indices = append(append(f.indices[:0], row...), k.other.Neighbours[lo:hi]...)
		if row = f.indices; w != nil {
			m.weights = append(append(m.weights[:0], w...), k.otherW[lo:hi]...)
			w = m.weights
		}
	}
	if k.own != nil {
		to = k.c.at[0][k.own.at[0]+i]
	}
	if len(row) == 0 {
		return to, false
	}
	return k.user.Pull(k.first+i, row, w, k.from, k.set, to)
}
