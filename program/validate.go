package program

import (
	"errors"
	"fmt"
)

// ErrInvalid is wrapped by the errors of Validate and CheckStep.
var ErrInvalid = errors.New("program: invalid program")

// Validate returns the first fault of p that no processor could run. It wraps ErrInvalid.
func (p *Program) Validate() error {
	for i, a := range p.Arrays {
		switch {
		case a.Type > F64 || a.Init > None:
			return p.fault("array", i, a.Name, "no such type or initial value")
		case (a.Init >= Rank || a.Ranks) && a.Type != U32:
			return p.fault("array", i, a.Name, "ranks and ids are U32, not %v", a.Type)
		}
	}
	for i := range p.Edges {
		if reason := p.edgeFault(&p.Edges[i]); reason != "" {
			return p.fault("edge operator", i, p.Edges[i].Name, "%s", reason)
		}
	}
	for i, o := range p.Vertices {
		if o.Block == nil {
			return p.fault("vertex operator", i, o.Name, "Block is nil")
		}
	}
	for i, o := range p.Locals {
		if o.Run == nil {
			return p.fault("local operator", i, o.Name, "Run is nil")
		}
	}
	return nil
}

func (p *Program) fault(kind string, i int, name, reason string, args ...any) error {
	return fmt.Errorf("%w %q: %s %d (%s): %s", ErrInvalid, p.Name, kind, i, name, fmt.Sprintf(reason, args...))
}

// edgeFault returns what is wrong with an edge operator, "" if nothing.
func (p *Program) edgeFault(e *EdgeOp) string {
	if e.From < -1 || e.To < -1 || e.Known < 0 || max(e.From, e.To, e.Known-1) >= len(p.Arrays) {
		return "no such array"
	}
	if e.Arcs > Both || e.Map > TightLow || e.Combine > Sum {
		return "no such arcs, map or combination"
	}
	same := e.From >= 0 && e.To >= 0 && p.Arrays[e.From].Type == p.Arrays[e.To].Type
	if e.Rows != nil {
		switch {
		case e.To < 0:
			return "Rows needs To"
		case !areRows[p.Arrays[e.To].Type](e.Rows):
			return fmt.Sprintf("Rows is no program.Rows of To's type, %v", p.Arrays[e.To].Type)
		case e.From >= 0 && !same:
			return "From and To of Rows have different types"
		case e.Once || e.Known > 0:
			return "Rows has neither Once nor Known"
		}
		return ""
	}
	tight := e.Map == Tight || e.Map == TightLow
	switch {
	case (e.Combine == Claim) != (e.Map == Source || tight):
		return "Claim goes with Source, Tight and TightLow, and they with Claim"
	case e.Once && (e.Combine != Claim || tight):
		return "Once goes with Source and Claim"
	case e.Combine != Claim && e.To < 0:
		return "there is no To"
	case e.Combine == Claim && !e.Once && e.To < 0:
		return "a Claim without Once needs To"
	case e.Combine == Claim && e.To >= 0 && (p.Arrays[e.To].Type != U32 || !p.Arrays[e.To].Ranks):
		return "a Claim writes ranks: To is an array of U32 with Ranks"
	case (e.Map == Source || e.Map == One) && e.From >= 0:
		return "Source and One read no From"
	case (e.Map == Copy || e.Map == Plus) && !same && !p.Widens(e):
		return "From and To are arrays of one type for Copy and Plus, or of F32 and F64 for a Sum of Copy"
	case tight && e.From < 0:
		return "Tight needs From"
	case e.Known > 0 && (e.Combine != Or || p.Arrays[e.Known-1].Type != p.Arrays[e.To].Type):
		return "Known goes with Or, and is of To's type"
	case e.Combine == Or && p.Arrays[e.To].Type.Float():
		return "Or is not for floats"
	case e.Combine == Or && (e.Map == Plus || e.Map == One):
		return "Or goes with Copy"
	}
	return ""
}

// Widens reports a Sum of Copy from an array of F32 into one of F64.
func (p *Program) Widens(e *EdgeOp) bool {
	return e.Rows == nil && e.Map == Copy && e.Combine == Sum && e.From >= 0 && e.To >= 0 && p.Arrays[e.From].Type == F32 && p.Arrays[e.To].Type == F64
}

// areRows reports, by type, whether an operator is a Rows of it.
var areRows = [...]func(r any) bool{are[Rows[uint32]], are[Rows[int32]], are[Rows[uint64]], are[Rows[int64]], are[Rows[float32]], are[Rows[float64]]}

func are[R any](r any) bool {
	_, is := r.(R)
	return is
}

// CheckStep returns why EdgeMap cannot run step s of edge operator op; nil if it can. It wraps
// ErrInvalid.
func (p *Program) CheckStep(op int, s Step) error {
	if op < 0 || op >= len(p.Edges) {
		return fmt.Errorf("%w %q: there is no edge operator %d", ErrInvalid, p.Name, op)
	}
	e := &p.Edges[op]
	named := s.From > 0 && s.Over > 0 && s.From != s.Over
	reason := ""
	switch {
	case s.Way > Pull || s.From < All || s.Over < All || max(s.From, s.Over) > MaxSets:
		reason = "no such way or set"
	case s.Way == Push && s.Over != Default:
		reason = "Over is for Pull"
	case s.Way == Push && e.Rows == nil && (e.Map == Tight || e.Map == TightLow):
		reason = "Tight is for Pull"
	case s.Way == Push && e.Rows == nil && e.Combine == Sum && p.Arrays[e.To].Type.Float():
		reason = "sums of floats have no order by Push"
	case e.Rows == nil && e.Combine == Sum && e.From == e.To && !(s.Way == Pull && named):
		reason = "a Sum of an array into itself needs Pull between two different stored sets"
	case s.Below != 0 && (s.Way != Push || s.From != Default || e.Rows != nil || e.Combine != Min || e.From != e.To):
		reason = "Below is for a Push from the frontier with Min of an array into itself"
	}
	if reason == "" {
		return nil
	}
	return p.fault("step of edge operator", op, e.Name, "%s", reason)
}
