package cpu

import (
	"slices"
	"sync"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// column is the values of one array, a *values[T].
type column interface {
	begin()
	seed(i uint32, value program.Bits)
	read(out any) error
	// weights returns those of a as a []T, nil where they are 1, and whether one is below 0.
	weights(a *graph.Adjacency) (w any, negative bool, err error)
	// block is the values of own vertices lo … hi−1 of a range.
	block(o *place, lo, hi uint32) any
	// local copies own values to the values by rank of local operators, or back.
	local(to []uint32, back bool)
	// least is the smallest value of the frontier.
	least() program.Bits

	// As an operator's From: gather returns the values of the ranks of a message of an own
	// range, take stores those of a foreign one. tight returns the rank of a source with a
	// tight arc to the target. below compares a value with Step.Below.
	gather(o *place, m kernels.Message) any
	take(side int, at uint32, g graph.Range, m kernels.Message) error
	tight(low bool, k *tightRow) (rank uint32, ok bool)
	below(i uint32, bound program.Bits) bool
	mirror()

	// As its To: settle makes own news of the step values, reset restores what the step wrote
	// for others.
	push(l *plan, s program.Step) (string, error)
	pull(l *plan, s program.Step) (string, error)
	settle(l *plan, s program.Step) error
	fold(l *plan, s program.Step, index, box int) kernels.Message
	merge(l *plan, s program.Step, o *place, from int, m kernels.Message) error
	reset(l *plan, s program.Step)
}

// values implements column. T is the type of the values.
type values[T program.Value] struct {
	r     *valueRun
	array program.Array
	// at has the values by index of a side: at side 0 those of own vertices. Foreign entries are
	// what Take brought, or, where a part stores whole rows, partial values of a push.
	at [2][]T
	// part has the partial values of targets, where a step must not write at.
	part [2][]T
	// held says, of foreign entries of at[0] and of part, that they are the identity of a
	// combination: 1 + its number; 0 for anything.
	held    [3]uint8
	boxes   [2][][]T // values of messages: see valueRun.boxes
	snap    []T      // values of act
	relaxer relaxer[T]
	by      []scratch[T]
}

// scratch is one thread's memory.
type scratch[T program.Value] struct {
	weights, out []T
	buckets      [][]sent[T]
	_            [64]byte
}

// sent is a value on its way to the target with an index.
type sent[T program.Value] struct {
	to uint32
	v  T
}

// newColumns are by program.Type.
var newColumns = [...]func(r *valueRun, a program.Array, back, partial bool) column{
	newColumn[uint32], newColumn[int32], newColumn[uint64], newColumn[int64], newColumn[float32], newColumn[float64]}

func newColumn[T program.Value](r *valueRun, a program.Array, back, partial bool) column {
	return newValues[T](r, a, back, partial)
}

func newValues[T program.Value](r *valueRun, a program.Array, back, partial bool) *values[T] {
	c := &values[T]{r: r, array: a, by: make([]scratch[T], r.threads)}
	for d, s := range r.spaces {
		if d == 0 || back {
			c.at[d] = hugemem.Alloc[T](&r.arrays, int(s.Size))
		}
		if partial {
			c.part[d] = hugemem.Alloc[T](&r.arrays, int(s.Size))
		}
	}
	for k := range c.boxes {
		c.boxes[k] = make([][]T, len(r.part.Ranges))
	}
	return c
}

func (c *values[T]) begin() {
	c.held = [3]uint8{}
	for d := range c.r.spaces {
		at, ranks := c.at[d], c.r.spaces[d].Ranks
		c.r.spread(len(at), 64*parallelWords, func(lo, hi int) { initial(c.array.Init, at, ranks, c.r.part.VertexOf, lo, hi) })
	}
}

// initial sets the entries lo … hi−1 of an array. ranks are those of the entries, nil for their numbers.
func initial[T program.Value](init program.Init, at []T, ranks, vertexOf []uint32, lo, hi int) {
	switch init {
	case program.Zero:
		clear(at[lo:hi])
	case program.Top:
		setAll(at[lo:hi], program.Largest[T]())
	case program.None:
		setAll(at[lo:hi], T(program.Largest[uint32]()))
	default:
		for i := lo; i < hi; i++ {
			v := uint32(i)
			if ranks != nil {
				v = ranks[i]
			}
			if init == program.ID && int64(v) < int64(len(vertexOf)) {
				v = vertexOf[v]
			}
			at[i] = T(v)
		}
	}
}

func setAll[T any](s []T, v T) {
	for i := range s {
		s[i] = v
	}
}

func (c *values[T]) seed(i uint32, value program.Bits) { c.at[0][i] = program.Unpack[T](value) }

func (c *values[T]) read(out any) error {
	to, is := out.([]T)
	if !is || len(to) < len(c.r.part.RankOf) {
		return callError("Read of %q, a []%v by vertex, into %T", c.array.Name, c.array.Type, out)
	}
	ids := c.r.part.VertexOf
	for _, o := range c.r.own {
		at := c.at[0][o.at[0]:][:o.rows]
		c.r.spread(len(at), 1<<12, func(lo, hi int) {
			for i, v := range at[lo:hi] {
				if c.array.Ranks {
					rank := uint32(v)
					if v = T(program.Largest[uint32]()); rank < c.r.part.Ranks {
						v = T(ids[rank])
					}
				}
				to[ids[int(o.first)+lo+i]] = v
			}
		})
	}
	return nil
}

func (c *values[T]) block(o *place, lo, hi uint32) any {
	at := o.at[0]
	return c.at[0][at+lo : at+hi : at+hi]
}

func (c *values[T]) local(to []uint32, back bool) {
	at, is := any(c.at[0]).([]uint32)
	if !is || to == nil {
		return
	}
	if !back {
		initial(c.array.Init, to, nil, c.r.part.VertexOf, 0, len(to))
	}
	for _, o := range c.r.own {
		own, ranks := at[o.at[0]:][:o.rows], to[o.first:][:o.rows]
		if back {
			own, ranks = ranks, own
		}
		copy(ranks, own)
	}
}

// mirror copies own values to the other side.
func (c *values[T]) mirror() {
	for _, o := range c.r.own {
		if c.r.last() > 0 && c.at[1] != nil {
			copy(c.at[1][o.at[1]:][:o.rows], c.at[0][o.at[0]:])
		}
	}
}

func (c *values[T]) below(i uint32, bound program.Bits) bool {
	return c.at[0][i] < program.Unpack[T](bound)
}

func (c *values[T]) least() program.Bits {
	f := &c.r.front
	low := program.Largest[T]()
	var mu sync.Mutex
	for _, o := range c.r.own {
		at := c.at[0][o.at[0]:]
		if f.listed() {
			o.each(f, func(i uint32) { low = min(low, at[i]) })
			continue
		}
		words := f.bits[o.pos/64:][:o.size/64]
		c.r.spread(len(words), parallelWords/8, func(lo, hi int) {
			least := program.Largest[T]()
			eachBit(words[lo:hi], uint32(64*lo), func(i uint32) { least = min(least, at[i]) })
			mu.Lock()
			low = min(low, least)
			mu.Unlock()
		})
	}
	return program.Pack(low)
}

// weightKey names the weights of an adjacency as values of a type.
type weightKey struct {
	a *graph.Adjacency
	t program.Type
}

// weightCache is the converted weights of a processor's part, which its runs share.
type weightCache struct {
	mu   sync.Mutex
	of   map[weightKey]*converted
	idle any // the last closed run's []waiting[T]
}

// converted is the weights of an adjacency as a []T.
type converted struct {
	w, sorted any  // sorted: see sortedArcs
	negative  bool // one is below 0
}

// typeOfWeights is the type of values that weights of a kind are.
var typeOfWeights = map[graph.WeightKind]program.Type{
	graph.Int32: program.I32, graph.Int64: program.I64, graph.Float32: program.F32, graph.Float64: program.F64,
}

func (c *values[T]) weights(a *graph.Adjacency) (any, bool, error) {
	kind := a.Weights.Kind()
	switch {
	case kind == graph.Unweighted:
		return nil, false, nil
	case c.r.arrays.Dry:
		if t := program.TypeOf[T](); typeOfWeights[kind] != t { // a copy
			c.r.arrays.Bytes += a.Arcs() * int64(t.Size())
		}
		return nil, false, nil
	}
	cache, key := &c.r.p.weights, weightKey{a, program.TypeOf[T]()}
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if k := cache.of[key]; k != nil {
		return k.w, k.negative, nil
	}
	w, err := kernels.ExactWeights[T](a.Weights)
	if err != nil {
		return nil, false, err
	}
	if cache.of == nil {
		cache.of = map[weightKey]*converted{}
	}
	k := &converted{w: w, negative: slices.ContainsFunc(w, func(x T) bool { return x < 0 })}
	cache.of[key] = k
	return w, k.negative, nil
}
