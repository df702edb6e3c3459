package kernels

import (
	"fmt"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/program"
)

// ExactWeights returns weights as a []T, their own memory where they are of that type. It fails for
// floats as integers, and for a weight that T does not hold exactly.
func ExactWeights[T program.Value](w graph.Weights) ([]T, error) {
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

func exact[T program.Value, W graph.Weight](w []W, err error) ([]T, error) {
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
