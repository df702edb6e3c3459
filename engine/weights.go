package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"
	"sync/atomic"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/program"
)

var (
	// ErrWeights is wrapped by a WeightError.
	ErrWeights = errors.New("engine: shortest paths need other weights")
	// ErrNegativeCycle is wrapped by a NegativeCycleError.
	ErrNegativeCycle = errors.New("engine: the root reaches a cycle of negative weight")
)

// WeightReason is why SSSP refuses weights.
type WeightReason uint8

// Reasons of a WeightError.
const (
	// WeightsMissing: the graph has no weights, or the engine was made without Options.Weights.
	// SSSPOptions.UnitWeights needs none.
	WeightsMissing WeightReason = iota
	// WeightNegative: SSSPOptions.BellmanFord is not set.
	WeightNegative
	// WeightNotFinite: the weight is NaN or infinite.
	WeightNotFinite
	// DistanceTooLarge: the distance of To has no value in the result's type.
	DistanceTooLarge
)

func (r WeightReason) String() string {
	return [...]string{"the engine keeps none", "the weight is negative", "the weight is not finite", "the distance is out of range"}[r]
}

// WeightError names an arc that SSSP cannot use, as ids of the file. All are 0 for WeightsMissing,
// Weight is 0 for DistanceTooLarge.
type WeightError struct {
	From, To uint64
	Weight   float64
	Reason   WeightReason
}

func (e *WeightError) Error() string {
	switch e.Reason {
	case WeightsMissing:
		return fmt.Sprintf("%v: %v", ErrWeights, e.Reason)
	case DistanceTooLarge:
		return fmt.Sprintf("%v: arc from %d to %d: %v", ErrWeights, e.From, e.To, e.Reason)
	}
	return fmt.Sprintf("%v: arc from %d to %d, weight %v: %v", ErrWeights, e.From, e.To, e.Weight, e.Reason)
}

// Unwrap returns ErrWeights.
func (e *WeightError) Unwrap() error { return ErrWeights }

// NegativeCycleError is a cycle of negative weight that the root reaches.
type NegativeCycleError struct {
	// Cycle has the cycle's vertices as ids of the file, in the order of its arcs, the smallest
	// first. A self-loop is one vertex.
	Cycle []uint64
}

func (e *NegativeCycleError) Error() string {
	const most = 16
	var text strings.Builder
	for i, v := range e.Cycle {
		if i == most {
			fmt.Fprintf(&text, "… (%d vertices) → ", len(e.Cycle))
			break
		}
		fmt.Fprintf(&text, "%d → ", v)
	}
	return fmt.Sprintf("%v: %s%d", ErrNegativeCycle, text.String(), e.Cycle[0])
}

// Unwrap returns ErrNegativeCycle.
func (e *NegativeCycleError) Unwrap() error { return ErrNegativeCycle }

// weighed describes the weights of a placed graph.
type weighed struct {
	largest, mean float64
	notFinite     *WeightError // nil if all are finite
	negative      *WeightError // nil if none is
	wide          atomic.Bool  // int32 does not hold the distances from some root
}

// Weigh reads all weights for SSSP, which otherwise does so in its first call. Its error is
// WeightsMissing, a *WeightError, or one of Run.
func (e *Engine) Weigh(ctx context.Context) (err error) {
	defer refused(&err)
	if err := e.enter(ctx); err != nil {
		return err
	}
	defer e.mapping.RUnlock()
	_, err = e.weigh(ctx)
	return err
}

// weigh reads all weights, once an engine.
func (e *Engine) weigh(ctx context.Context) (*weighed, error) {
	e.weighing.Lock()
	defer e.weighing.Unlock()
	if e.weights != nil {
		return e.weights, nil
	}
	if e.kind == graph.Unweighted {
		return nil, &WeightError{Reason: WeightsMissing}
	}
	if err := e.bothWays(); err != nil {
		return nil, fmt.Errorf("engine: weights: %w", err)
	}
	rows, err := e.place.Rows(false)
	if err != nil {
		return nil, fmt.Errorf("engine: weights: %w", err)
	}
	w, arcs := &weighed{}, 0
	for i := range rows {
		const chunk = 1 << 16
		g := &rows[i]
		n := g.Weights.Len()
		parts := make([]weightSum, (n+chunk-1)/chunk)
		err = workers.Each(ctx, e.opts.Threads, len(parts), graph.ErrUnreadable, func(_, k int) error {
			parts[k] = typedBy[e.kind].sum(g.Weights, k*chunk, min((k+1)*chunk, n))
			return nil
		})
		if err != nil {
			return nil, err
		}
		arcs += n
		for _, p := range parts {
			w.largest, w.mean = max(w.largest, p.largest), w.mean+p.sum
			if w.notFinite == nil && p.notFinite >= 0 {
				w.notFinite = e.arc(g, p.notFinite, WeightNotFinite)
			}
			if w.negative == nil && p.negative >= 0 {
				w.negative = e.arc(g, p.negative, WeightNegative)
			}
		}
	}
	for _, l := range e.place.NegativeLoops {
		if v := e.labels.Label(l.Vertex); w.negative == nil {
			w.negative = &WeightError{From: v, To: v, Weight: l.Weight, Reason: WeightNegative}
		}
	}
	w.mean /= float64(max(1, arcs))
	e.weights = w
	return w, nil
}

// arc names arc number k of a segment.
func (e *Engine) arc(g *graph.Segment, k int, reason WeightReason) *WeightError {
	row := sort.Search(int(g.Vertices), func(i int) bool { _, hi := g.Row(uint32(i)); return hi > uint64(k) })
	return &WeightError{From: e.labelOf(g.First + uint32(row)), To: e.labelOf(g.Neighbours[k]), Weight: g.Weights.Float64(k), Reason: reason}
}

// typed are the functions for weights of one kind.
type typed struct {
	sum      func(w graph.Weights, lo, hi int) weightSum
	shortest func(ctx context.Context, s *pathSearch) (*SSSPResult, error)
	between  func(ctx context.Context, e *Engine, p *point, a, b uint32, o ShortestPathOptions) (*WeightedPath, error)
}

// typedBy has those for weights of each kind.
var typedBy = [...]typed{
	graph.Int32: typedFor[int64, int32](), graph.Int64: typedFor[int64, int64](),
	graph.Float32: typedFor[float32, float32](), graph.Float64: typedFor[float64, float64](),
}

// typedFor returns those for weights of type W, with distances of type T.
func typedFor[T program.Value, W graph.Weight]() typed {
	return typed{sumOf[W], shortest[T, W], weightedPath[T, W]}
}

// weightSum sums up some weights. notFinite and negative are the first ones' numbers, −1 if none is.
type weightSum struct {
	sum, largest        float64
	notFinite, negative int
}

func sumOf[T graph.Weight](w graph.Weights, lo, hi int) weightSum {
	s := weightSum{notFinite: -1, negative: -1}
	all, _ := graph.WeightsAs[T](w)
	for i, x := range all[lo:hi] {
		f := float64(x)
		if !(math.Abs(f) <= math.MaxFloat64) && s.notFinite < 0 {
			s.notFinite = lo + i
		}
		if f < 0 && s.negative < 0 {
			s.negative = lo + i
		}
		s.sum += f
		s.largest = max(s.largest, f)
	}
	return s
}

// delta is the default of SSSPOptions.Delta: mean weight ÷ mean out-degree (Meyer and Sanders: the largest weight ÷ the
// degree, up to a factor), and four times as much below a degree of 8, where steps are small.
func (w *weighed) delta(i program.Info) float64 {
	d := w.mean * float64(i.Vertices) / float64(i.Arcs)
	if i.Arcs < 8*i.Vertices {
		d *= 4
	}
	if d > 0 {
		return d
	}
	return 1
}

// width is Delta as a T, of integers at least 1.
func width[T program.Value](delta float64) T {
	if T(1)/2 == 0 {
		delta = math.Ceil(delta)
	}
	if top := program.Largest[T](); delta >= float64(top) {
		return top
	}
	return T(delta)
}
