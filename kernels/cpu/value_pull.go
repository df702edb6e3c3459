package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/totemgo/totemgo/program"
)

const (
	// pullWords is how many words of 64 targets a thread takes at a time.
	pullWords = 4
	// piece is how many arcs of a row are tested against the set at once.
	piece = 256
)

// tightRow is a row of a target whose value is to.
type tightRow struct {
	side    int
	row     []uint32
	weights any
	lo, hi  uint64
	set     []uint64
	target  uint32 // its index, at the side of the targets
	dst     int
}

// tight implements column: it returns the rank of a source with a tight arc.
func (c *values[T]) tight(low bool, k *tightRow) (uint32, bool) {
	at, top, to := c.at[k.side], program.Largest[T](), c.at[k.dst][k.target]
	w, _ := k.weights.([]T)
	if w != nil {
		w = w[k.lo:k.hi]
	}
	for j, u := range k.row {
		if k.set != nil && k.set[u/64]>>(u%64)&1 == 0 {
			continue
		}
		x := T(1)
		if w != nil {
			x = w[j]
		}
		if v := at[u]; plus(v, x, top) == to && (!low || v < to) {
			return c.r.rank(k.side, u), true
		}
	}
	return 0, false
}

// puller is a pull of one segment.
type puller[T program.Value] struct {
	c        *values[T]
	l        *plan
	g        *segment
	p        pass
	set      []uint64 // at the side of the sources, nil for all
	from     []T
	w        []T
	weights  any
	to       []T // To by index of the targets' side, nil where it is not known
	known    []T
	dst      []T
	direct   bool
	second   bool // an earlier pass has written partial values
	user     program.Rows[T]
	both     *segment // WholeRows: the other rows of the same targets
	bothW    []T
	tightBy  column
	top      T
	tightLow bool
}

// pull implements column.
func (c *values[T]) pull(l *plan, s program.Step) (string, error) {
	r := c.r
	name := "dense"
	if s.From != program.All {
		name = "set"
	}
	if l.reads {
		r.columns[l.From].mirror()
	}
	passes := l.passes[program.Pull]
	whole := l.WholeRows && l.Rows != nil && len(passes) == 2
	for n, p := range passes {
		if s.From != program.All {
			set := r.setOf(s.From)
			for i := range r.own {
				o := &r.own[i]
				o.wordsOf(set, r.active[p.src][o.at[p.src]/64:][:o.size/64])
			}
		}
		if whole && n == 1 {
			break
		}
		for k := range r.rows[p.rows] {
			g := &r.rows[p.rows][k]
			q := &puller[T]{c: c, l: l, g: g, p: p, dst: c.dest(l, s, p.dst), direct: l.direct(r, s), second: n > 0, top: program.Largest[T]()}
			if s.From != program.All {
				q.set = r.active[p.src]
			}
			if l.weights[p.rows] != nil {
				q.weights = l.weights[p.rows][k]
				q.w, _ = q.weights.([]T)
			}
			if g.place >= 0 && l.To >= 0 {
				q.to = c.at[0][r.own[g.place].at[0]:]
			}
			switch {
			case l.Rows != nil:
				q.user = l.Rows.(program.Rows[T])
				if l.reads {
					q.from = r.columns[l.From].(*values[T]).at[p.src]
				}
				if whole {
					q.both = &r.rows[passes[1].rows][k]
					if w := l.weights[passes[1].rows]; w != nil {
						q.bothW, _ = w[k].([]T)
					}
				}
			case l.Map >= program.Tight:
				q.tightBy, q.tightLow = r.columns[l.From], l.Map == program.TightLow
			case l.reads:
				q.from = r.columns[l.From].(*values[T]).at[p.src]
			}
			if l.Known > 0 && g.place >= 0 {
				q.known = r.columns[l.Known-1].(*values[T]).at[0][r.own[g.place].at[0]:]
			}
			if err := q.run(s); err != nil {
				return "", err
			}
		}
	}
	return name + "/" + l.kernel(), nil
}

// kernel names the loop of a pull.
func (l *plan) kernel() string {
	if l.Rows != nil {
		return "rows"
	}
	return [...]string{"claim", "min", "or", "sum"}[l.Combine]
}

// run pulls for the segment's targets of the step.
func (q *puller[T]) run(s program.Step) error {
	r, g := q.c.r, q.g
	words := int((g.rows + 63) / 64)
	over := r.over
	if g.place >= 0 && s.Over > 0 {
		o := &r.own[g.place]
		over = r.over[o.pos/64:][:words]
		o.wordsOf(r.setOf(s.Over), over)
	}
	if g.place >= 0 && s.Over == program.Default || s.Over == program.All || g.place < 0 {
		over = nil
	}
	reached, visited := r.reached[q.p.dst][g.at/64:], r.visited[q.p.dst][g.at/64:]
	err := r.each(words, pullWords, func(t, lo, hi int) {
		var res [64]T
		f := &r.found[t]
		for k := lo; k < hi; k++ {
			want := valid(k, g.rows)
			if over != nil {
				want &= over[k]
			}
			if q.l.Once {
				want &^= visited[k]
			}
			if q.l.Rows == nil && q.l.Combine == program.Claim {
				want &^= reached[k]
			}
			if want == 0 {
				continue
			}
			got := q.word(f, &q.c.by[t], uint32(64*k), want, &res)
			if got == 0 {
				continue
			}
			if q.l.Once {
				visited[k] |= got
			}
			reached[k] |= q.store(uint32(64*k), got, reached[k], &res)
		}
	})
	r.markMany(q.p.dst)
	return err
}

// word computes the values of the rows base … base+63 that want has. It returns those that got one.
func (q *puller[T]) word(f *found, m *scratch[T], base uint32, want uint64, res *[64]T) (got uint64) {
	adj := q.g.adj
	dense := q.set == nil && q.user == nil && q.l.Map == program.Copy && q.l.Combine == program.Sum
	for ; want != 0; want &= want - 1 {
		i := bits.TrailingZeros64(want)
		lo, hi := adj.Row(base + uint32(i))
		row := adj.Neighbours[lo:hi]
		f.examined += int64(len(row))
		if dense {
			if len(row) > 0 {
				res[i] = sumOf(row, q.from)
				got |= 1 << i
			}
			continue
		}
		x, ok := q.row(f, m, base+uint32(i), row, lo, hi)
		if ok {
			res[i] = x
			got |= 1 << i
		}
	}
	return got
}

func sumOf[T program.Value](row []uint32, from []T) (sum T) {
	for _, u := range row {
		sum += from[u]
	}
	return sum
}

// row computes the value of row i.
func (q *puller[T]) row(f *found, m *scratch[T], i uint32, row []uint32, lo, hi uint64) (x T, ok bool) {
	switch {
	case q.user != nil:
		return q.userRow(f, m, i, row, lo, hi)
	case q.tightBy != nil:
		if len(row) == 0 {
			return 0, false
		}
		v, ok := q.tightBy.tight(q.tightLow, &tightRow{q.p.src, row, q.weights, lo, hi, q.set, q.g.at + i, q.p.dst})
		return T(v), ok
	case q.l.Map == program.Source:
		for k, u := range row {
			if q.set == nil || q.set[u/64]>>(u%64)&1 != 0 {
				f.examined -= int64(len(row) - k - 1)
				return T(q.c.r.rank(q.p.src, u)), true
			}
		}
		return 0, false
	}
	var w []T
	if q.w != nil {
		w = q.w[lo:hi]
	}
	want := ^uint64(0)
	if q.l.Combine == program.Or && q.known != nil {
		if want = ^pattern(q.known[i]); unwanted[T](want) {
			f.examined -= int64(len(row))
			return 0, false
		}
	}
	if q.l.Combine == program.Min {
		x = q.top
	}
	for len(row) > 0 {
		in, inW := row, w
		if q.set != nil {
			n := min(len(row), piece)
			in, inW = q.filter(f, m, row[:n], w)
			if row = row[n:]; w != nil {
				w = w[n:]
			}
		} else {
			row = nil
		}
		if len(in) == 0 {
			continue
		}
		ok = true
		switch {
		case q.l.Map == program.One && q.l.Combine == program.Min:
			x = min(x, 1)
		case q.l.Map == program.One:
			x += T(len(in))
		case q.l.Map == program.Copy && q.l.Combine == program.Min:
			for _, u := range in {
				if v := q.from[u]; v < x {
					x = v
				}
			}
		case q.l.Map == program.Copy && q.l.Combine == program.Sum:
			for _, u := range in {
				x += q.from[u]
			}
		case q.l.Map == program.Copy:
			acc := pattern(x)
			for _, u := range in {
				if acc |= pattern(q.from[u]); unwanted[T](want &^ acc) {
					row = nil
					break
				}
			}
			x = unpattern[T](acc)
		case q.l.Combine == program.Min && inW == nil:
			for _, u := range in {
				x = min(x, plus(q.from[u], 1, q.top))
			}
		case q.l.Combine == program.Min:
			for j, u := range in {
				x = min(x, plus(q.from[u], inW[j], q.top))
			}
		default:
			for j, u := range in {
				one := T(1)
				if inW != nil {
					one = inW[j]
				}
				x += plus(q.from[u], one, q.top)
			}
		}
	}
	switch {
	case q.l.Combine == program.Min:
		ok = ok && (q.to == nil || x < q.to[i])
	case q.l.Combine == program.Or:
		ok = pattern(x) != 0
	}
	return x, ok
}

// unwanted reports that no bit of a value is wanted.
func unwanted[T program.Value](want uint64) bool {
	var v T
	if unsafe.Sizeof(v) == 4 {
		want = uint64(uint32(want))
	}
	return want == 0
}

// unpattern is the value of bits.
func unpattern[T program.Value](b uint64) T { return program.Unpack[T](program.Bits(b)) }

// filter returns the part of at most piece arcs whose sources are in the set.
func (q *puller[T]) filter(f *found, m *scratch[T], row []uint32, w []T) ([]uint32, []T) {
	if cap(f.indices) < piece {
		f.indices = make([]uint32, piece)
	}
	in, n := f.indices[:piece], 0
	if w == nil {
		for _, u := range row {
			in[n] = u
			n += int(q.set[u/64] >> (u % 64) & 1)
		}
		return in[:n], nil
	}
	if cap(m.weights) < piece {
		m.weights = make([]T, piece)
	}
	inW := m.weights[:piece]
	for j, u := range row {
		in[n], inW[n] = u, w[j]
		n += int(q.set[u/64] >> (u % 64) & 1)
	}
	return in[:n], inW[:n]
}

// userRow calls a user's Pull.
func (q *puller[T]) userRow(f *found, m *scratch[T], i uint32, row []uint32, lo, hi uint64) (T, bool) {
	var w []T
	if q.w != nil {
		w = q.w[lo:hi]
	}
	if q.both != nil {
		a, b := q.both.adj.Row(i)
		f.indices = append(append(f.indices[:0], row...), q.both.adj.Neighbours[a:b]...)
		row = f.indices
		if w != nil {
			m.weights = append(append(m.weights[:0], w...), q.bothW[a:b]...)
			w = m.weights
		}
	}
	var to T
	if q.to != nil {
		to = q.to[i]
	}
	if len(row) == 0 {
		return to, false
	}
	return q.user.Pull(q.g.first+i, row, w, q.from, q.set, to)
}

// store combines values into the targets of a word, and returns those that joined. before has
// those that joined in an earlier pass.
func (q *puller[T]) store(base uint32, got, before uint64, res *[64]T) (joined uint64) {
	dst := q.dst[q.g.at+base:]
	combine := q.l.Combine
	set := q.l.Rows == nil && combine == program.Claim || !q.direct && before == 0
	if set {
		for w := got; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w)
			dst[i] = res[i]
		}
		return got
	}
	for w := got; w != 0; w &= w - 1 {
		i := bits.TrailingZeros64(w)
		x, bit := res[i], uint64(1)<<i
		switch {
		case !q.direct && before&bit == 0:
			dst[i] = x
			joined |= bit
		case q.user != nil:
			if q.user.Combine(&dst[i], x) {
				joined |= bit
			}
		case combine == program.Min:
			if x < dst[i] {
				dst[i] = x
				joined |= bit
			}
		case combine == program.Or:
			var known T
			if q.known != nil {
				known = q.known[base+uint32(i)]
			}
			if orInto(&dst[i], x, known) {
				joined |= bit
			}
		default:
			dst[i] += x
			joined |= bit
		}
	}
	return joined
}
