package cpu

import (
	"fmt"
	"sync"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// column is the values of one array, a *values[T].
type column interface {
	begin()
	seed(i uint32, value program.Bits)
	read(out any) error
	// weights returns those of a as a []T, nil where they are 1.
	weights(a *graph.Adjacency) (any, error)
	// block is the values of own vertices lo … hi−1 of a range.
	block(o *place, lo, hi uint32) any
	// local is the values by rank.
	local(array int, back bool)

	// What an operator reads from the column, as From.

	// gather returns the values of the ranks of a message of own range r.
	gather(o *place, m kernels.Message) any
	take(side int, at uint32, r int, m kernels.Message) error
	below(o *place, i uint32, bound program.Bits) bool
	mirror() // copies own values to the other side
	tight(low bool, c *tightRow) (uint32, bool)

	// What an operator writes to it, as To.

	push(l *plan, s program.Step) (string, error)
	pull(l *plan, s program.Step) (string, error)
	settle(l *plan, s program.Step) error // own news of the step becomes values
	fold(l *plan, r int) (kernels.Message, error)
	merge(l *plan, s program.Step, o *place, from int, m kernels.Message) error
	advance(l *plan, s program.Step) // restores what the step wrote for others
	least() program.Bits
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
	held  [3]uint8
	boxes [2][][]T // messages, by turn and range
	snap  []T      // of sources of a push
	by    []scratch[T]
}

// scratch is one thread's memory.
type scratch[T program.Value] struct {
	weights []T
	out     []T
	buckets [][]sent[T]
	_       [64]byte
}

// sent is a value on its way to the target with an index.
type sent[T program.Value] struct {
	to uint32
	v  T
}

func newColumn(r *valueRun, a program.Array, back, partial bool) column {
	switch a.Type {
	case program.U32:
		return newValues[uint32](r, a, back, partial)
	case program.I32:
		return newValues[int32](r, a, back, partial)
	case program.U64:
		return newValues[uint64](r, a, back, partial)
	case program.I64:
		return newValues[int64](r, a, back, partial)
	case program.F32:
		return newValues[float32](r, a, back, partial)
	}
	return newValues[float64](r, a, back, partial)
}

func newValues[T program.Value](r *valueRun, a program.Array, back, partial bool) *values[T] {
	c := &values[T]{r: r, array: a, by: make([]scratch[T], r.p.threads)}
	for d, s := range r.spaces {
		if d == 0 || back {
			c.at[d] = runAlloc[T](r, int(s.Size))
		}
		if partial {
			c.part[d] = runAlloc[T](r, int(s.Size))
		}
	}
	for turn := range c.boxes {
		c.boxes[turn] = make([][]T, len(r.part.Ranges))
	}
	return c
}

func (c *values[T]) begin() {
	c.held = [3]uint8{}
	part := c.r.part
	for d := range c.r.spaces {
		at := c.at[d]
		c.r.p.spread(len(at), 64*parallelWords, func(lo, hi int) {
			switch c.array.Init {
			case program.Zero:
				clear(at[lo:hi])
			case program.Top:
				setAll(at[lo:hi], program.Largest[T]())
			case program.None:
				setAll(at[lo:hi], T(program.Largest[uint32]()))
			default:
				for i := lo; i < hi; i++ {
					v := c.r.rank(d, uint32(i))
					if c.array.Init == program.ID && v < part.Ranks {
						v = part.VertexOf[v]
					}
					at[i] = T(v)
				}
			}
		})
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
		c.r.p.spread(len(at), 1<<12, func(lo, hi int) {
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

func (c *values[T]) local(array int, back bool) {
	whole, is := any(c.at[0]).([]uint32)
	if !is || c.r.wholes[array] == nil {
		return
	}
	to := c.r.wholes[array]
	if !back && c.array.Init >= program.Rank {
		for v := range to {
			switch to[v] = uint32(v); c.array.Init {
			case program.ID:
				to[v] = c.r.part.VertexOf[v]
			case program.None:
				to[v] = graph.None
			}
		}
	} else if !back {
		setAll(to, map[bool]uint32{true: graph.None}[c.array.Init == program.Top])
	}
	for _, o := range c.r.own {
		own, ranks := whole[o.at[0]:][:o.rows], to[o.first:][:o.rows]
		if back {
			own, ranks = ranks, own
		}
		copy(ranks, own)
	}
}

func (c *values[T]) mirror() {
	for _, o := range c.r.own {
		if c.r.last() > 0 && c.at[1] != nil {
			copy(c.at[1][o.at[1]:][:o.rows], c.at[0][o.at[0]:])
		}
	}
}

func (c *values[T]) below(o *place, i uint32, bound program.Bits) bool {
	return c.at[0][o.at[0]+i] < program.Unpack[T](bound)
}

// least is the smallest value of the frontier.
func (c *values[T]) least() program.Bits {
	r := c.r
	low := program.Largest[T]()
	for i := range r.own {
		o := &r.own[i]
		at := c.at[0][o.at[0]:]
		switch {
		case !r.front.many:
			for _, pos := range r.front.list {
				if i := pos - o.pos; i < o.rows {
					low = min(low, at[i])
				}
			}
		default:
			var mu sync.Mutex
			words := r.front.bits[o.pos/64:][:o.size/64]
			r.p.spread(len(words), parallelWords/8, func(lo, hi int) {
				least := program.Largest[T]()
				eachBit(words[lo:hi], uint32(64*lo), func(i uint32) { least = min(least, at[i]) })
				mu.Lock()
				low = min(low, least)
				mu.Unlock()
			})
		}
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
	mu sync.Mutex
	of map[weightKey]any
}

func (c *values[T]) weights(a *graph.Adjacency) (any, error) {
	if a.Weights.Kind() == graph.Unweighted || c.r.dry {
		return nil, nil
	}
	cache, key := &c.r.p.weights, weightKey{a, program.TypeOf[T]()}
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if w := cache.of[key]; w != nil {
		return w, nil
	}
	w, err := convert[T](a.Weights)
	if err == nil {
		if cache.of == nil {
			cache.of = map[weightKey]any{}
		}
		cache.of[key] = w
	}
	return w, err
}

// convert returns weights as a []T, their own memory where they are of that type.
func convert[T program.Value](w graph.Weights) (any, error) {
	switch w.Kind() {
	case graph.Int32:
		return exact[T](graph.WeightsAs[int32](w))
	case graph.Int64:
		return exact[T](graph.WeightsAs[int64](w))
	case graph.Float32:
		return exact[T](graph.WeightsAs[float32](w))
	}
	return exact[T](graph.WeightsAs[float64](w))
}

// exact converts weights of type W. It fails for floats as integers, and for one that would change.
func exact[T program.Value, W graph.Weight](w []W, err error) (any, error) {
	if same, is := any(w).([]T); is || err != nil {
		return same, err
	}
	if program.TypeOf[T]() < program.F32 && W(1)/2 != 0 {
		return nil, fmt.Errorf("%T weights are no %v", W(0), program.TypeOf[T]())
	}
	out := make([]T, len(w))
	for i, x := range w {
		out[i] = T(x)
		if W(out[i]) != x || (out[i] < 0) != (x < 0) {
			return nil, fmt.Errorf("weight %v has no exact %v", x, program.TypeOf[T]())
		}
	}
	return out, nil
}
