package program_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/program"
)

type rows[T program.Value] struct{}

func (rows[T]) Push(_ uint32, from T, _ []uint32, _ []T, out []T) {}
func (rows[T]) Combine(to *T, v T) bool                           { return false }
func (rows[T]) Pull(_ uint32, _ []uint32, _ []T, _ []T, _ []uint64, to T) (T, bool) {
	return to, false
}

// arrays are one of each type, by Type, then an array of ranks.
func arrays() []program.Array {
	list := make([]program.Array, 6, 7)
	for t := range list {
		list[t] = program.Array{Name: "a", Type: program.Type(t)}
	}
	return append(list, program.Array{Name: "parent", Type: program.U32, Init: program.None, Ranks: true})
}

const parents = 6

func TestValidate(t *testing.T) {
	good := []program.EdgeOp{
		{Name: "visit", From: -1, To: -1, Map: program.Source, Combine: program.Claim, Once: true},
		{Name: "relax", From: 4, To: 4, Map: program.Plus, Combine: program.Min},
		{Name: "tight", From: 5, To: parents, Map: program.Tight, Combine: program.Claim},
		{Name: "sum", From: 5, To: 5, Map: program.Copy, Combine: program.Sum},
		{Name: "count", From: -1, To: 1, Map: program.One, Combine: program.Sum},
		{Name: "or", From: 2, To: 2, Map: program.Copy, Combine: program.Or, Known: 3},
		{Name: "user", From: 3, To: 3, Rows: rows[int64]{}},
		{Name: "widening sum", From: 4, To: 5, Map: program.Copy, Combine: program.Sum},
	}
	p := program.Program{Name: "p", Arrays: arrays(), Edges: good,
		Vertices: []program.VertexOp{{Name: "v", Block: func(*program.Block) {}}}}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	bad := map[string]program.EdgeOp{
		"no such array":             {From: 7, To: 0, Map: program.Copy, Combine: program.Min},
		"known of another type":     {From: 2, To: 2, Map: program.Copy, Combine: program.Or, Known: 1},
		"claim of a copy":           {From: 0, To: 0, Map: program.Copy, Combine: program.Claim},
		"minimum of sources":        {From: -1, To: 0, Map: program.Source, Combine: program.Min},
		"claim without ranks":       {From: -1, To: 0, Map: program.Source, Combine: program.Claim},
		"once without claim":        {From: 0, To: 0, Map: program.Copy, Combine: program.Min, Once: true},
		"types differ":              {From: 0, To: 1, Map: program.Copy, Combine: program.Min},
		"minimum that widens":       {From: 4, To: 5, Map: program.Copy, Combine: program.Min},
		"sum that narrows":          {From: 5, To: 4, Map: program.Copy, Combine: program.Sum},
		"or of floats":              {From: 4, To: 4, Map: program.Copy, Combine: program.Or},
		"nowhere to go":             {From: 0, To: -1, Map: program.Copy, Combine: program.Min},
		"rows of another type":      {From: 3, To: 3, Rows: rows[int32]{}},
		"rows that are none":        {From: 3, To: 3, Rows: 7},
		"rows from another type":    {From: 2, To: 3, Rows: rows[int64]{}},
		"a claim that goes nowhere": {From: -1, To: -1, Map: program.Source, Combine: program.Claim},
	}
	for name, e := range bad {
		p := program.Program{Arrays: arrays(), Edges: []program.EdgeOp{e}}
		if err := p.Validate(); !errors.Is(err, program.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, a := range []program.Array{{Type: program.F32, Init: program.ID}, {Type: program.U64, Ranks: true}, {Type: 9}} {
		p := program.Program{Arrays: []program.Array{a}}
		if err := p.Validate(); !errors.Is(err, program.ErrInvalid) {
			t.Errorf("%v: %v", a, err)
		}
	}
	p = program.Program{Vertices: []program.VertexOp{{}}}
	if err := p.Validate(); !errors.Is(err, program.ErrInvalid) {
		t.Error(err)
	}
}

func TestCheckStep(t *testing.T) {
	p := program.Program{Arrays: arrays(), Edges: []program.EdgeOp{
		{From: 4, To: 4, Map: program.Plus, Combine: program.Min},
		{From: 5, To: 5, Map: program.Copy, Combine: program.Sum},
		{From: 5, To: parents, Map: program.Tight, Combine: program.Claim},
		{From: -1, To: 1, Map: program.One, Combine: program.Sum},
	}}
	for _, c := range []struct {
		op int
		s  program.Step
		ok bool
	}{
		{0, program.Step{Way: program.Push, Below: 1}, true},
		{0, program.Step{Way: program.Pull, Below: 1}, false},
		{0, program.Step{Way: program.Push, Over: 1}, false},
		{1, program.Step{Way: program.Pull, From: 1, Over: 2}, true},
		{1, program.Step{Way: program.Pull, From: 1, Over: 1}, false},
		{1, program.Step{Way: program.Push, From: 1}, false},
		{2, program.Step{Way: program.Pull, From: program.All}, true},
		{2, program.Step{Way: program.Push}, false},
		{3, program.Step{Way: program.Push}, true},
		{3, program.Step{Way: program.Push, Below: 1}, false},
		{4, program.Step{}, false},
		{0, program.Step{From: -2}, false},
	} {
		if err := p.CheckStep(c.op, c.s); (err == nil) != c.ok || err != nil && !errors.Is(err, program.ErrInvalid) {
			t.Errorf("operator %d, %+v: %v", c.op, c.s, err)
		}
	}
}

func TestPack(t *testing.T) {
	if v := program.Unpack[int32](program.Pack(int32(-5))); v != -5 {
		t.Error(v)
	}
	if v := program.Unpack[float32](program.Pack(float32(0.1))); v != 0.1 {
		t.Error(v)
	}
	if v := program.Unpack[int64](program.Pack(int64(math.MinInt64))); v != math.MinInt64 {
		t.Error(v)
	}
	if program.TypeOf[float64]() != program.F64 || program.TypeOf[uint32]() != program.U32 {
		t.Error("TypeOf")
	}
	if program.Less(program.I32, program.Pack(int32(1)), program.Pack(int32(-1))) || !program.Less(program.F64, program.Pack(1e300), program.TopOf(program.F64)) {
		t.Error("Less")
	}
}

func TestBlock(t *testing.T) {
	b := program.Block{Lo: 64, Hi: 64 + 100, Set: []uint64{1 | 1<<63, 1 << 35}, Arrays: []any{make([]int32, 100)}}
	var got []int
	for i := range b.Each() {
		got = append(got, i)
		b.Drop(i)
		program.Of[int32](&b, 0)[i]++
	}
	if !slices.Equal(got, []int{0, 63, 99}) || b.Set[0] != 0 || b.Set[1] != 0 {
		t.Error(got, b.Set)
	}
}
