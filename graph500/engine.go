package graph500

import (
	"context"
	"errors"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/record"
)

// WithEngine returns a Build that runs the searches on an engine with these options.
// The tuples are kept: they are what trees are validated against. If they have weights, the
// engine keeps these for kernel 3.
func WithEngine(o engine.Options) Build {
	o.Consume = false
	return func(ctx context.Context, tuples graph.Source) (Engine, error) {
		o := o
		o.Weights = tuples.WeightKind() != graph.Unweighted
		e, err := engine.New(ctx, tuples, o)
		if err != nil {
			return nil, err
		}
		if o.Weights { // what kernel 3 learns from the graph belongs to kernel 1
			if err := e.Weigh(ctx); err != nil {
				return nil, errors.Join(err, e.Close())
			}
		}
		return &onEngine{e: e, r: e.NewResult().Collect()}, nil
	}
}

// onEngine runs the benchmark's searches on an engine; dense ids and the tuples' ids
// are the same.
type onEngine struct {
	e *engine.Engine
	r *engine.BFSResult
}

func (x *onEngine) Search(ctx context.Context, root uint32) (Found, error) {
	if err := x.e.BFSInto(ctx, uint64(root), x.r); err != nil {
		return Found{}, err
	}
	return Found{Parents: x.r.Parents, Copy: x.r.CopyTime, Levels: x.r.Statistics.All()}, nil
}

// SearchPaths implements PathEngine. The result's arrays are made inside the clock.
func (x *onEngine) SearchPaths(ctx context.Context, root uint32) (Found, error) {
	r, err := x.e.SSSP(ctx, uint64(root), engine.SSSPOptions{Parents: true})
	if err != nil {
		return Found{}, err
	}
	return Found{Parents: r.Parents, Distances: engine.DistancesOf[float32](r)}, nil
}

// Count implements Counter.
func (x *onEngine) Count(ctx context.Context, root uint32) ([]record.Level, error) {
	if err := x.e.CountBFS(ctx, uint64(root), x.r); err != nil {
		return nil, err
	}
	return x.r.Statistics.All(), nil
}

func (x *onEngine) Report() Report { return Report{x.e.Setup(), x.e.Kernels()} }

func (x *onEngine) Close() error {
	x.r.Free()
	return x.e.Close()
}
