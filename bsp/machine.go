package bsp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
	"github.com/totemgo/totemgo/record"
)

// Run begins runs of p, one for each processor of this process, and calls body to drive them. It
// returns the first failure, or body's error: ctx's, a processor's with its number, the
// transport's, or errors that wrap ErrBody, ErrRoot or program.ErrInvalid. Levels go to s if it is
// not nil, with the processors of this process. In one process the loop can run again afterwards.
// The bodies of several processes make the same calls. A failure of one after its last call
// shows in the next run of the others.
func (l *Loop) Run(ctx context.Context, p *program.Program, runs []kernels.Run, s *Statistics, body func(program.Machine) error) error {
	l.timed = s != nil
	if s != nil {
		s.start(l.hi - l.lo)
	}
	var err error
	l.run(ctx, p, runs,
		func(i int) { l.try(i, func() error { return l.runOf(i).Begin(kernels.NeedNextArcs) }) },
		func() {
			if !l.failed() {
				if err = guard(ErrBody, func() error { return body(&machine{Loop: l, statistics: s, kept: map[program.Set]program.Frontier{}}) }); err != nil {
					l.failBy(err)
				}
			}
		},
		func(int) {})
	if failed := l.firstFailure(); failed != nil {
		err = failed
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// machine is the program.Machine of a loop's run.
type machine struct {
	*Loop
	statistics *Statistics
	now        program.Frontier                 // the frontier
	kept       map[program.Set]program.Frontier // stored sets
}

var _ program.Machine = (*machine)(nil)

// Info implements program.Machine.
func (m *machine) Info() program.Info { return m.Layout.Info }

// refuse fails the run by a misuse, formatted with the program's name in front.
func (m *machine) refuse(format string, args ...any) error {
	m.failBy(fmt.Errorf("%w %q: %s", program.ErrInvalid, m.program.Name, fmt.Sprintf(format, args...)))
	return m.firstFailure()
}

// set describes a set by its counts of vertices and arcs.
func (m *machine) set(k program.Set) program.Frontier {
	switch k {
	case program.Default:
		return m.now
	case program.All:
		return program.Frontier{Count: m.Vertices, Arcs: m.Arcs}
	}
	return m.kept[k]
}

// perform runs a command over the vertices of a set and records it as a level.
func (m *machine) perform(c command, over program.Set, direction, operator string) (program.Frontier, error) {
	from, started := m.set(over), time.Now()
	m.command = c
	m.issue(started)
	f, err := m.frontier()
	if m.statistics != nil && err == nil {
		r := record.Level{Level: m.statistics.Count, Direction: direction, Operator: operator, Frontier: float64(from.Count)}
		m.statistics.add(r, from.Arcs, time.Since(started), m.participants[m.lo:m.hi])
	}
	return f, err
}

// frontier sums up the reports of all processors.
func (m *machine) frontier() (program.Frontier, error) {
	m.share()
	if err := m.firstFailure(); err != nil {
		return program.Frontier{}, err
	}
	t := program.U32
	if a := m.program.LeastArray(); a >= 0 {
		t = m.program.Arrays[a].Type
	}
	f := program.Frontier{Least: program.TopOf(t)}
	for i := range m.reports {
		r := &m.reports[i]
		f.Count += r.Next
		f.Arcs += r.NextArcs
		if r.Next > 0 && program.Less(t, r.Least, f.Least) {
			f.Least = r.Least
		}
	}
	m.now = f
	return f, nil
}

// Seed implements program.Machine.
func (m *machine) Seed(rank uint32, array int, value program.Bits) (program.Frontier, error) {
	r := m.rangeOf(rank)
	if r < 0 {
		m.failBy(fmt.Errorf("%w: rank %d", ErrRoot, rank))
		return program.Frontier{}, m.firstFailure()
	}
	if array < -1 || array >= len(m.program.Arrays) {
		return program.Frontier{}, m.refuse("there is no array %d", array)
	}
	if i := m.Ranges[r].Owner; i >= m.lo && i < m.hi {
		m.try(i, func() error { return m.runOf(i).Seed(rank, array, value) })
	}
	return m.Use(program.Default)
}

// EdgeMap implements program.Machine.
func (m *machine) EdgeMap(op int, s program.Step) (program.Frontier, error) {
	if err := errors.Join(m.program.CheckStep(op, s), m.ctx.Err()); err != nil {
		m.failBy(err)
		return program.Frontier{}, m.firstFailure()
	}
	m.command = command{kind: publish, op: op, step: program.Step{Way: s.Way, From: program.All}}
	if m.tight() {
		m.issue(time.Now())
	}
	return m.perform(command{kind: edgeMap, op: op, step: s}, s.From, s.Way.String(), m.program.Edges[op].Name)
}

// VertexMap implements program.Machine.
func (m *machine) VertexMap(op int, over program.Set, args ...float64) (program.Frontier, program.Reduced, error) {
	c := command{kind: vertexMap, op: op, over: over}
	total := program.Reduced{Min: math.Inf(1)}
	if op < 0 || op >= len(m.program.Vertices) || over < program.All || over > program.MaxSets || len(args) > len(c.args) {
		return program.Frontier{}, total, m.refuse("no vertex operator %d over set %d with %d arguments", op, over, len(args))
	}
	copy(c.args[:], args)
	f, err := m.perform(c, over, record.Vertex, m.program.Vertices[op].Name)
	if err != nil {
		return f, total, err
	}
	next := make([]int, len(m.reports))
	for _, rg := range m.Ranges {
		if rg.Vertices == 0 {
			continue
		}
		part := m.reports[rg.Owner].Sums[next[rg.Owner]]
		next[rg.Owner]++
		for k := range total.Sum {
			total.Sum[k] += part.Sum[k]
		}
		total.Min = min(total.Min, part.Min)
	}
	return f, total, nil
}

// Local implements program.Machine.
func (m *machine) Local(op int) error {
	if op < 0 || op >= len(m.program.Locals) {
		return m.refuse("there is no local operator %d", op)
	}
	_, err := m.perform(command{kind: localOp, op: op}, program.All, record.Local, m.program.Locals[op].Name)
	return err
}

// Gather implements program.Machine.
func (m *machine) Gather(array int) ([][]uint32, error) {
	if array < 0 || array >= len(m.program.Arrays) || m.program.Arrays[array].Type != program.U32 {
		return nil, m.refuse("there is no array %d of type U32", array)
	}
	if m.hi-m.lo != m.Processors {
		return nil, m.refuse("Gather needs all processors in one process")
	}
	out := make([][]uint32, len(m.runs))
	for i := range m.runs {
		m.try(i, func() (err error) {
			out[i], err = m.runs[i].Whole(array)
			return err
		})
	}
	return out, m.firstFailure()
}

// Keep implements program.Machine.
func (m *machine) Keep(k program.Set) error {
	if k < 1 || k > program.MaxSets {
		return m.refuse("set %d cannot be stored", k)
	}
	for i := m.lo; i < m.hi; i++ {
		m.try(i, func() error { return m.runOf(i).Keep(k) })
	}
	m.kept[k] = m.now
	return m.firstFailure()
}

// Use implements program.Machine.
func (m *machine) Use(k program.Set) (program.Frontier, error) {
	if k < program.All || k > program.MaxSets {
		return program.Frontier{}, m.refuse("there is no set %d", k)
	}
	m.phase += 2
	for i := m.lo; i < m.hi; i++ {
		m.try(i, func() (err error) {
			m.participants[i].report.Counts, err = m.runOf(i).Use(k)
			return err
		})
	}
	return m.frontier()
}
