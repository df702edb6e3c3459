package kerneltest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

func TestReference(t *testing.T) {
	Run(t, func(*testing.T) kernels.Processor { return NewReference() })
}

// recorder stands in for a *testing.T and keeps the first failure.
type recorder struct{ failure string }

func (*recorder) Helper() {}

func (*recorder) Logf(string, ...any) {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failure = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// verdict returns the first failure of the kit on the processors of newProcessor, and
// the test that found it.
func verdict(newProcessor func() kernels.Processor) (test, failure string) {
	for _, c := range cases(false) {
		r := &recorder{}
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.run(r, newProcessor)
		}()
		<-done
		if r.failure != "" {
			return c.name, r.failure
		}
	}
	return "", ""
}

// broken is a reference with a fault: each function, if set, takes the place of a
// method.
type broken struct {
	*reference
	load    func(p *reference, part *kernels.Part)
	reset   func(p *reference)
	setRoot func(p *reference, rank uint32)
	gather  func(p *reference, r int, m kernels.Message)
	before  func(p *reference, d kernels.Direction) kernels.Direction
	after   func(p *reference, d kernels.Direction)
	outbox  func(p *reference, r int, m kernels.Message) kernels.Message
	publish func(p *reference, r int, m kernels.Message) kernels.Message
	deliver func(p *reference, r, from int, m kernels.Message)
	finish  func(p *reference, c *kernels.Counts)
	foreign func(p *reference, q int, list []uint32) []uint32
	answer  func(p *reference, ranks, list []uint32) []uint32
	parents func(p *reference, out []uint32, foreign, answers [][]uint32)
}

func (b *broken) Load(ctx context.Context, part *kernels.Part) error {
	err := b.reference.Load(ctx, part)
	if b.load != nil {
		b.load(b.reference, part)
	}
	return err
}

func (b *broken) Open(context.Context, *program.Program) (kernels.Run, error) { return b, nil }

func (b *broken) Begin(need kernels.Need) error {
	if b.reset != nil {
		b.reset(b.reference)
		return nil
	}
	return b.reference.Begin(need)
}

func (b *broken) Seed(rank uint32, _ int, _ program.Bits) error {
	if b.setRoot != nil {
		b.setRoot(b.reference, rank)
		return nil
	}
	return b.reference.Seed(rank, -1, 0)
}

func (b *broken) Take(_ int, s program.Step, r int, m kernels.Message) error {
	if b.gather != nil {
		b.gather(b.reference, r, m)
		return nil
	}
	return b.reference.Take(0, s, r, m)
}

func (b *broken) Step(ctx context.Context, _ int, s program.Step) (string, error) {
	if b.before != nil {
		s.Way = program.Way(b.before(b.reference, kernels.Direction(s.Way)))
	}
	name, err := b.reference.Step(ctx, 0, s)
	if b.after != nil {
		b.after(b.reference, kernels.Direction(s.Way))
	}
	return name, err
}

func (b *broken) Fold(r int) (kernels.Message, error) {
	m, err := b.reference.Fold(r)
	if b.outbox != nil {
		m = b.outbox(b.reference, r, m)
	}
	return m, err
}

func (b *broken) Expand(_ int, s program.Step, r int) (kernels.Message, error) {
	m, err := b.reference.Expand(0, s, r)
	if b.publish != nil {
		m = b.publish(b.reference, r, m)
	}
	return m, err
}

func (b *broken) Merge(r, from int, m kernels.Message) error {
	if b.deliver != nil {
		b.deliver(b.reference, r, from, m)
		return nil
	}
	return b.reference.Merge(r, from, m)
}

func (b *broken) Advance() (kernels.Counts, error) {
	c, err := b.reference.Advance()
	if b.finish != nil {
		b.finish(b.reference, &c)
	}
	return c, err
}

func (b *broken) RemoteClaims(q int) ([]uint32, error) {
	list, err := b.reference.RemoteClaims(q)
	if b.foreign != nil {
		list = b.foreign(b.reference, q, list)
	}
	return list, err
}

func (b *broken) LookupParents(ranks []uint32) ([]uint32, error) {
	list, err := b.reference.LookupParents(ranks)
	if b.answer != nil {
		list = b.answer(b.reference, ranks, list)
	}
	return list, err
}

func (b *broken) Parents(out []uint32, foreign, answers [][]uint32) error {
	if b.parents != nil {
		b.parents(b.reference, out, foreign, answers)
		return nil
	}
	return b.reference.Parents(out, foreign, answers)
}

// asBitmap turns a message into a bitmap.
func asBitmap(rg kernels.Range, m kernels.Message) kernels.Message {
	if m.List != nil {
		m.Bits = make([]uint32, (rg.Padded()-rg.First)/32)
		for _, rank := range m.List {
			m.Bits[(rank-rg.First)/32] |= 1 << (rank % 32)
		}
		m.List = nil
	}
	return m
}

// TestBrokenProcessors proves that the kit can fail: each processor breaks one rule.
func TestBrokenProcessors(t *testing.T) {
	faults := map[string]func() *broken{
		"a delivered vertex is visited again": func() *broken {
			return &broken{deliver: func(p *reference, r, from int, m kernels.Message) {
				for _, rank := range told(p.part.Ranges[r], m) {
					p.seen[rank] = false
				}
				_ = p.Merge(r, from, m)
			}}
		},
		"the last sender is the finder": func() *broken {
			return &broken{deliver: func(p *reference, r, from int, m kernels.Message) {
				_ = p.Merge(r, from, m)
				for _, rank := range told(p.part.Ranges[r], m) {
					if p.next[rank] && p.finder[rank] != uint8(p.part.Index) {
						p.finder[rank] = uint8(from)
					}
				}
			}}
		},
		"a sender takes over local finds": func() *broken {
			return &broken{deliver: func(p *reference, r, from int, m kernels.Message) {
				_ = p.Merge(r, from, m)
				for _, rank := range told(p.part.Ranges[r], m) {
					if p.next[rank] && p.finder[rank] == uint8(p.part.Index) {
						p.finder[rank] = uint8(from)
					}
				}
			}}
		},
		"lists are not delivered": func() *broken {
			return &broken{deliver: func(p *reference, r, from int, m kernels.Message) {
				if m.List == nil {
					_ = p.Merge(r, from, m)
				}
			}}
		},
		"bitmaps are not delivered": func() *broken {
			return &broken{deliver: func(p *reference, r, from int, m kernels.Message) {
				if m.Bits == nil {
					_ = p.Merge(r, from, m)
				}
			}}
		},
		"the last word is not delivered": func() *broken {
			return &broken{deliver: func(p *reference, r, from int, m kernels.Message) {
				if len(m.Bits) > 2 {
					m.Bits = m.Bits[:len(m.Bits)-2]
				}
				_ = p.Merge(r, from, m)
			}}
		},
		"gathered vertices are not seen": func() *broken {
			return &broken{gather: func(p *reference, r int, m kernels.Message) {
				for _, rank := range told(p.part.Ranges[r], m) {
					p.frontier[rank] = true
				}
			}}
		},
		"gathered vertices are only seen": func() *broken {
			return &broken{gather: func(p *reference, r int, m kernels.Message) {
				for _, rank := range told(p.part.Ranges[r], m) {
					p.seen[rank] = true
				}
			}}
		},
		"the gathered frontier lasts": func() *broken {
			var kept []uint32
			return &broken{
				gather: func(p *reference, r int, m kernels.Message) {
					kept = append(kept, told(p.part.Ranges[r], m)...)
					_ = p.Take(0, pull, r, m)
				},
				before: func(p *reference, d kernels.Direction) kernels.Direction {
					for _, rank := range kept {
						if int(rank) < len(p.frontier) {
							p.frontier[rank] = true
						}
					}
					return d
				}}
		},
		"Begin keeps what was seen": func() *broken {
			return &broken{reset: func(p *reference) {
				seen := p.seen
				_ = p.Begin(p.need)
				p.seen = seen
			}}
		},
		"Begin keeps the next frontier": func() *broken {
			return &broken{reset: func(p *reference) {
				next := p.next
				_ = p.Begin(15)
				p.next = next
			}}
		},
		"Begin keeps the frontier": func() *broken {
			return &broken{reset: func(p *reference) {
				frontier := p.frontier
				_ = p.Begin(15)
				p.frontier = frontier
			}}
		},
		"the root has no parent": func() *broken {
			return &broken{setRoot: func(p *reference, rank uint32) {
				_ = p.Seed(rank, -1, 0)
				p.parent[rank] = 0
				if rank == 0 {
					p.parent[rank] = 1
				}
			}}
		},
		"bottom-up goes along out-arcs": func() *broken {
			return &broken{load: func(p *reference, part *kernels.Part) {
				own := *part
				own.Subgraphs = append([]*graph.Subgraph(nil), part.Subgraphs...)
				for i, s := range own.Subgraphs {
					if s != nil && s.In != nil {
						own.Subgraphs[i] = &graph.Subgraph{First: s.First, Rows: s.Rows, Out: s.Out, In: s.Out}
					}
				}
				p.part = &own
			}}
		},
		"top-down always": func() *broken {
			return &broken{before: func(*reference, kernels.Direction) kernels.Direction { return kernels.TopDown }}
		},
		"bottom-up probes first neighbours only": func() *broken {
			return &broken{before: func(p *reference, d kernels.Direction) kernels.Direction {
				if d == kernels.BottomUp {
					p.own(func(s *graph.Subgraph, row, rank uint32) {
						if row := neighbours(s.In, row); len(row) > 0 && !p.frontier[row[0]] {
							p.seen[rank] = true
						}
					})
				}
				return d
			}}
		},
		"late claims overwrite parents": func() *broken {
			return &broken{after: func(p *reference, d kernels.Direction) {
				p.own(func(s *graph.Subgraph, row, rank uint32) {
					if d == kernels.TopDown && p.frontier[rank] {
						for _, v := range neighbours(s.Out, row) {
							p.parent[v] = rank
						}
					}
				})
			}}
		},
		"the change of a message after Finish": func() *broken {
			var sent []kernels.Message
			return &broken{
				outbox: func(p *reference, r int, m kernels.Message) kernels.Message {
					sent = append(sent, m)
					return m
				},
				finish: func(*reference, *kernels.Counts) {
					for _, m := range sent {
						clear(m.List)
						clear(m.Bits)
					}
					sent = nil
				}}
		},
		"one buffer for all that is published": func() *broken {
			buffer := make([]uint32, 1<<16)
			return &broken{publish: func(p *reference, r int, m kernels.Message) kernels.Message {
				if m.Bits != nil {
					m.Bits = buffer[:copy(buffer, m.Bits)]
				}
				return m
			}}
		},
		"the outbox has old claims": func() *broken {
			old := map[int]kernels.Message{}
			return &broken{outbox: func(p *reference, r int, m kernels.Message) kernels.Message {
				if m.Count == 0 && p.part.Ranks >= 64 {
					m = old[r]
				}
				old[r] = m
				return m
			}}
		},
		"bitmaps only": func() *broken {
			return &broken{outbox: func(p *reference, r int, m kernels.Message) kernels.Message {
				return asBitmap(p.part.Ranges[r], m)
			}}
		},
		"lists only": func() *broken {
			return &broken{publish: func(p *reference, r int, m kernels.Message) kernels.Message {
				if list := told(p.part.Ranges[r], m); m.Count > 0 {
					return kernels.Message{Count: m.Count, List: list}
				}
				return m
			}}
		},
		"an empty bitmap": func() *broken {
			return &broken{outbox: func(p *reference, r int, m kernels.Message) kernels.Message {
				if m.Count == 0 {
					m.Bits = make([]uint32, (p.part.Ranges[r].Padded()-p.part.Ranges[r].First)/32)
				}
				return m
			}}
		},
		"a vertex told twice": func() *broken {
			return &broken{outbox: func(p *reference, r int, m kernels.Message) kernels.Message {
				if m.List != nil {
					m.List = append(slices.Clone(m.List), m.List[0])
					m.Count++
				}
				return m
			}}
		},
		"a padding bit": func() *broken {
			return &broken{publish: func(p *reference, r int, m kernels.Message) kernels.Message {
				if rg := p.part.Ranges[r]; m.Bits != nil && rg.Vertices%64 != 0 {
					m.Bits[len(m.Bits)-1] |= 1 << 31
					m.Count++
				}
				return m
			}}
		},
		"a wrong Count": func() *broken {
			return &broken{publish: func(p *reference, r int, m kernels.Message) kernels.Message {
				if m.Bits != nil {
					m.Count++
				}
				return m
			}}
		},
		"ranks relative to the range": func() *broken {
			return &broken{outbox: func(p *reference, r int, m kernels.Message) kernels.Message {
				for i := range m.List {
					m.List[i] -= p.part.Ranges[r].First
				}
				return m
			}}
		},
		"padding counts as unvisited": func() *broken {
			return &broken{finish: func(p *reference, c *kernels.Counts) {
				for _, rg := range p.part.Ranges {
					if rg.Owner == p.part.Index {
						c.Unvisited += int64(rg.Padded() - rg.First - rg.Vertices)
					}
				}
			}}
		},
		"the count of next misses messages": func() *broken {
			return &broken{finish: func(p *reference, c *kernels.Counts) {
				c.Next = 0
				p.own(func(_ *graph.Subgraph, _, rank uint32) {
					if p.frontier[rank] && int(p.finder[rank]) == p.part.Index {
						c.Next++
					}
				})
			}}
		},
		"arcs of next are in-arcs": func() *broken {
			return &broken{finish: func(p *reference, c *kernels.Counts) {
				c.NextArcs = 0
				p.own(func(s *graph.Subgraph, row, rank uint32) {
					if p.frontier[rank] && s.In != nil {
						c.NextArcs += int64(s.In.Degree(row))
					}
				})
			}}
		},
		"arcs of the unvisited are those of the visited": func() *broken {
			return &broken{finish: func(p *reference, c *kernels.Counts) {
				c.UnvisitedArcs = 0
				p.own(func(s *graph.Subgraph, row, rank uint32) {
					if p.seen[rank] && s.In != nil {
						c.UnvisitedArcs += int64(s.In.Degree(row))
					}
				})
			}}
		},
		"nothing examined": func() *broken {
			return &broken{finish: func(_ *reference, c *kernels.Counts) { c.Examined = 0 }}
		},
		"RemoteClaims lists the unvisited": func() *broken {
			return &broken{foreign: func(p *reference, q int, list []uint32) []uint32 {
				if q == 0 {
					p.own(func(_ *graph.Subgraph, _, rank uint32) {
						if !p.seen[rank] {
							list = append(list, rank)
						}
					})
				}
				return list
			}}
		},
		"RemoteClaims is empty": func() *broken {
			return &broken{foreign: func(*reference, int, []uint32) []uint32 { return nil }}
		},
		"LookupParents is in vertex ids": func() *broken {
			return &broken{answer: func(p *reference, _, list []uint32) []uint32 {
				for i := range list {
					list[i] = p.part.VertexOf[list[i]]
				}
				return list
			}}
		},
		"LookupParents is sorted": func() *broken {
			return &broken{answer: func(p *reference, _, list []uint32) []uint32 { slices.Sort(list); return list }}
		},
		"Parents drops the answers": func() *broken {
			return &broken{parents: func(p *reference, out []uint32, foreign, answers [][]uint32) {
				_ = p.Parents(out, make([][]uint32, len(foreign)), answers)
			}}
		},
		"Parents is in ranks": func() *broken {
			return &broken{parents: func(p *reference, out []uint32, foreign, answers [][]uint32) {
				_ = p.Parents(out, foreign, answers)
				p.own(func(_ *graph.Subgraph, _, rank uint32) {
					if p.seen[rank] {
						out[p.part.VertexOf[rank]] = p.parent[rank]
					}
				})
			}}
		},
		"Parents leaves out the unvisited": func() *broken {
			return &broken{parents: func(p *reference, out []uint32, foreign, answers [][]uint32) {
				before := slices.Clone(out)
				_ = p.Parents(out, foreign, answers)
				for v := range out {
					if out[v] == graph.None {
						out[v] = before[v]
					}
				}
			}}
		},
		"Parents writes vertices of others": func() *broken {
			return &broken{parents: func(p *reference, out []uint32, foreign, answers [][]uint32) {
				for v := range out {
					out[v] = graph.None
				}
				_ = p.Parents(out, foreign, answers)
			}}
		},
		"the Part is changed": func() *broken {
			return &broken{load: func(_ *reference, part *kernels.Part) {
				for _, s := range part.Subgraphs {
					if s != nil && len(s.Out.FirstNeighbours) > 0 {
						s.Out.FirstNeighbours[0]++
					}
				}
			}}
		},
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test, failure := verdict(func() kernels.Processor {
				b := fault()
				b.reference = &reference{}
				return b
			})
			if failure == "" {
				t.Fatal("the kit did not notice")
			}
			t.Logf("%s: %s", test, failure)
		})
	}
}

// several is a reference that takes several supersteps in one call, with a fault.
type several struct {
	*reference
	fault string
}

func (s several) MultiStepLimits() kernels.MultiStepLimits {
	return kernels.MultiStepLimits{Levels: 8, Vertices: 64, Arcs: 256}
}

// shape is the number of vertices and of out-arcs or in-arcs of the frontier.
func (s several) shape() (n, arcs int64) {
	var in int64
	s.own(func(sub *graph.Subgraph, row, rank uint32) {
		if s.frontier[rank] {
			n++
			arcs += int64(sub.Out.Degree(row))
			in += int64(sub.In.Degree(row))
		}
	})
	return n, max(arcs, in)
}

func (s several) Open(context.Context, *program.Program) (kernels.Run, error) { return s, nil }

func (s several) StepMany(ctx context.Context, levels int) (string, []kernels.Counts, error) {
	var list []kernels.Counts
	for len(list) < min(levels, 8) {
		n, arcs := s.shape()
		if n == 0 && len(list) > 0 || n > 64 && s.fault != "outgrown" || arcs > 256 && s.fault != "outgrown" {
			break
		}
		if len(list) == 2 && s.fault == "early" {
			break
		}
		if s.leaves() && s.fault != "foreign" {
			if s.fault == "remains" { // it has begun to claim
				s.own(func(sub *graph.Subgraph, row, rank uint32) {
					if s.frontier[rank] {
						s.seen[neighbours(sub.Out, row)[0]] = true
					}
				})
			}
			break
		}
		_, _ = s.Step(ctx, 0, push)
		c, _ := s.Advance()
		list = append(list, c)
	}
	if len(list) > 1 && s.fault == "counts" {
		list[1].Unvisited++
	}
	if len(list) > 1 && s.fault == "parents" {
		s.own(func(_ *graph.Subgraph, _, rank uint32) {
			if s.frontier[rank] {
				s.parent[rank] = rank
			}
		})
	}
	return "several", list, nil
}

// TestStepMany: the kit takes a processor of several supersteps a call, and finds faults.
func TestStepMany(t *testing.T) {
	for _, c := range cases(true) {
		if c.name == "rule=many" {
			c.run(t, func() kernels.Processor { return several{reference: &reference{}} })
		}
	}
	for _, fault := range []string{"outgrown", "early", "counts", "parents", "foreign", "remains"} {
		if test, failure := verdict(func() kernels.Processor { return several{&reference{}, fault} }); test != "rule=many" {
			t.Errorf("fault %q: the kit says %q, %q", fault, test, failure)
		} else {
			t.Logf("%s: %s", fault, failure)
		}
	}
}
