package kerneltest

import (
	"context"
	"slices"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// merges changes what Merge does, expands and folds change messages, parents what Parents writes.
func merges(do func(m *model, r, from int, msg kernels.Message)) func() fault {
	return func() fault {
		return fault{merge: func(m *model, r, from int, msg kernels.Message) error {
			do(m, r, from, msg)
			return nil
		}}
	}
}

func takes(do func(m *model, ranks []uint32)) func() fault {
	return func() fault {
		return fault{take: func(m *model, _ int, _ program.Step, r int, msg kernels.Message) error {
			do(m, told(m.part.Ranges[r], msg))
			return nil
		}}
	}
}

func expands(change func(m *model, rg kernels.Range, msg kernels.Message) kernels.Message) func() fault {
	return func() fault {
		return fault{expand: func(m *model, op int, s program.Step, r int) (kernels.Message, error) {
			msg, err := m.Expand(op, s, r)
			return change(m, m.part.Ranges[r], msg), err
		}}
	}
}

func foldings(change func(m *model, rg kernels.Range, msg kernels.Message) kernels.Message) func() fault {
	return func() fault {
		return fault{fold: func(m *model, r int) (kernels.Message, error) {
			msg, err := m.Fold(r)
			return change(m, m.part.Ranges[r], msg), err
		}}
	}
}

func countings(change func(m *model, c *kernels.Counts)) func() fault {
	return func() fault { return advances(change) }
}

func lists(change func(m *model, out []uint32, claims, found [][]uint32)) func() fault {
	return func() fault {
		return fault{parents: func(m *model, out []uint32, claims, found [][]uint32) error {
			change(m, out, claims, found)
			return nil
		}}
	}
}

// beginnings lets a run keep what was before it, with a fresh Begin or none of it.
func beginnings(change func(m *model, before model)) func() fault {
	return func() fault { return begins(change) }
}

func ownVertices(m *model, do func(rank uint32)) {
	for rank := range m.part.Ranks {
		if m.own(rank) {
			do(rank)
		}
	}
}

// treeFaults are the rules of breadth-first search that TestBrokenRuns breaks, on a processor
// that runs nothing else.
func treeFaults() map[string]func() fault {
	list := map[string]func() fault{
		"a merged vertex is visited again": merges(func(m *model, r, from int, msg kernels.Message) {
			for _, rank := range told(m.part.Ranges[r], msg) {
				m.visited[rank], m.next[rank] = false, false
			}
			_ = m.Merge(r, from, msg)
		}),
		"the last sender is the finder": merges(func(m *model, r, from int, msg kernels.Message) {
			_ = m.Merge(r, from, msg)
			for _, rank := range told(m.part.Ranges[r], msg) {
				if m.next[rank] && m.finder[rank] != m.part.Index {
					m.finder[rank] = from
				}
			}
		}),
		"a sender takes over local finds": merges(func(m *model, r, from int, msg kernels.Message) {
			_ = m.Merge(r, from, msg)
			for _, rank := range told(m.part.Ranges[r], msg) {
				if m.next[rank] && m.finder[rank] == m.part.Index {
					m.finder[rank] = from
				}
			}
		}),
		"lists are not merged": merges(func(m *model, r, from int, msg kernels.Message) {
			if msg.List == nil {
				_ = m.Merge(r, from, msg)
			}
		}),
		"bitmaps are not merged": merges(func(m *model, r, from int, msg kernels.Message) {
			if msg.Bits == nil {
				_ = m.Merge(r, from, msg)
			}
		}),
		"the last word is not merged": merges(func(m *model, r, from int, msg kernels.Message) {
			if len(msg.Bits) > 2 {
				msg.Bits = msg.Bits[:len(msg.Bits)-2]
			}
			_ = m.Merge(r, from, msg)
		}),
		"taken vertices are not visited": takes(func(m *model, ranks []uint32) {
			for _, rank := range ranks {
				m.members[rank] = true
			}
		}),
		"taken vertices are only visited": takes(func(m *model, ranks []uint32) {
			for _, rank := range ranks {
				m.visited[rank] = true
			}
		}),
		"the taken frontier lasts": func() fault {
			kept := map[*model][]uint32{}
			return fault{
				take: func(m *model, op int, s program.Step, r int, msg kernels.Message) error {
					kept[m] = append(kept[m], told(m.part.Ranges[r], msg)...)
					return m.Take(op, s, r, msg)
				},
				step: func(m *model, ctx context.Context, op int, s program.Step) (string, error) {
					for _, rank := range kept[m] {
						m.members[rank] = true
					}
					return m.Step(ctx, op, s)
				}}
		},
		"Begin keeps visited":      beginnings(func(m *model, before model) { m.visited = before.visited }),
		"Begin keeps the frontier": beginnings(func(m *model, before model) { m.front = before.front }),
		"Begin keeps the next frontier": func() fault {
			kept := map[*model][]bool{}
			return fault{
				begin: func(m *model, need kernels.Need) error {
					kept[m] = m.next
					return m.Begin(need)
				},
				step: func(m *model, ctx context.Context, op int, s program.Step) (string, error) {
					name, err := m.Step(ctx, op, s)
					for rank, is := range kept[m] {
						m.next[rank] = m.next[rank] || is
					}
					kept[m] = nil
					return name, err
				}}
		},
		"the root has no parent": func() fault {
			return fault{seed: func(m *model, rank uint32, array int, value program.Bits) error {
				err := m.Seed(rank, array, value)
				if m.parent[rank] = 0; rank == 0 {
					m.parent[rank] = 1
				}
				return err
			}}
		},
		"pulls go along out-arcs": func() fault { return fault{open: func(m *model) { m.in = m.out }} },
		"pushes always": func() fault {
			return fault{step: func(m *model, ctx context.Context, op int, _ program.Step) (string, error) {
				return m.Step(ctx, op, push)
			}}
		},
		"pulls probe first neighbours only": func() fault {
			return fault{step: func(m *model, ctx context.Context, op int, s program.Step) (string, error) {
				for _, r := range m.in {
					if len(r.neighbours) > 0 && s.Way == program.Pull && !m.front[r.neighbours[0]] && !m.members[r.neighbours[0]] {
						m.visited[r.rank] = true
					}
				}
				return m.Step(ctx, op, s)
			}}
		},
		"late claims overwrite parents": func() fault {
			return fault{step: func(m *model, ctx context.Context, op int, s program.Step) (string, error) {
				name, err := m.Step(ctx, op, s)
				for _, r := range m.out {
					if s.Way == program.Push && m.front[r.rank] {
						for _, v := range r.neighbours {
							m.parent[v] = r.rank
						}
					}
				}
				return name, err
			}}
		},
		"a message changes in Advance": func() fault {
			var sent []kernels.Message
			return fault{
				fold: func(m *model, r int) (kernels.Message, error) {
					msg, err := m.Fold(r)
					sent = append(sent, msg)
					return msg, err
				},
				advance: func(m *model) (kernels.Counts, error) {
					for _, msg := range sent {
						clear(msg.List)
						clear(msg.Bits)
					}
					sent = nil
					return m.Advance()
				}}
		},
		"one buffer for all that is expanded": func() fault {
			buffer := make([]uint32, 1<<16)
			return expands(func(m *model, _ kernels.Range, msg kernels.Message) kernels.Message {
				if msg.Bits != nil {
					msg.Bits = buffer[:copy(buffer, msg.Bits)]
				}
				return msg
			})()
		},
		"Fold has old claims": func() fault {
			old := map[kernels.Range]kernels.Message{}
			return foldings(func(m *model, rg kernels.Range, msg kernels.Message) kernels.Message {
				if msg.Count == 0 && m.part.Ranks >= 64 {
					msg = old[rg]
				}
				old[rg] = msg
				return msg
			})()
		},
		"bitmaps only": foldings(func(m *model, rg kernels.Range, msg kernels.Message) kernels.Message {
			return tell(rg, false, told(rg, msg))
		}),
		"lists only": expands(func(m *model, rg kernels.Range, msg kernels.Message) kernels.Message {
			return tell(rg, true, told(rg, msg))
		}),
		"an empty bitmap": foldings(func(m *model, rg kernels.Range, msg kernels.Message) kernels.Message {
			if msg.Count == 0 {
				msg.Bits = make([]uint32, (rg.Padded()-rg.First)/32)
			}
			return msg
		}),
		"a vertex told twice": foldings(func(m *model, rg kernels.Range, msg kernels.Message) kernels.Message {
			if msg.List != nil {
				msg.List = append(slices.Clone(msg.List), msg.List[0])
				msg.Count++
			}
			return msg
		}),
		"a padding bit": expands(func(m *model, rg kernels.Range, msg kernels.Message) kernels.Message {
			if msg.Bits != nil && rg.Vertices%64 != 0 {
				msg.Bits[len(msg.Bits)-1] |= 1 << 31
				msg.Count++
			}
			return msg
		}),
		"a wrong Count": expands(func(m *model, rg kernels.Range, msg kernels.Message) kernels.Message {
			if msg.Bits != nil {
				msg.Count++
			}
			return msg
		}),
		"ranks relative to the range": foldings(func(m *model, rg kernels.Range, msg kernels.Message) kernels.Message {
			for i := range msg.List {
				msg.List[i] -= rg.First
			}
			return msg
		}),
		"padding counts as unvisited": countings(func(m *model, c *kernels.Counts) {
			for _, rg := range m.part.Ranges {
				if rg.Owner == m.part.Index {
					c.Unvisited += int64(rg.Padded() - rg.First - rg.Vertices)
				}
			}
		}),
		"the count of next misses messages": countings(func(m *model, c *kernels.Counts) {
			ownVertices(m, func(rank uint32) {
				if m.front[rank] && m.finder[rank] != m.part.Index {
					c.Next--
				}
			})
		}),
		"arcs of next are in-arcs":                       countings(func(m *model, c *kernels.Counts) { c.NextArcs = m.arcs(m.in, m.front, true) }),
		"arcs of the unvisited are those of the visited": countings(func(m *model, c *kernels.Counts) { c.UnvisitedArcs = m.arcs(m.in, m.visited, true) }),
		"few arcs are many":                              countings(func(m *model, c *kernels.Counts) { c.NextArcs = -1 }),
		"a bound of arcs above the limit":                countings(func(m *model, c *kernels.Counts) { c.NextArcs += int64(m.part.Ranks/64) + 1 }),
		"nothing examined":                               countings(func(m *model, c *kernels.Counts) { c.Examined = 0 }),
		"RemoteClaims lists the unvisited": func() fault {
			return fault{remote: func(m *model, q int) ([]uint32, error) {
				list, err := m.RemoteClaims(q)
				ownVertices(m, func(rank uint32) {
					if q == 0 && !m.visited[rank] {
						list = append(list, rank)
					}
				})
				return list, err
			}}
		},
		"Parents drops the answers": lists(func(m *model, out []uint32, claims, found [][]uint32) {
			_ = m.Parents(out, make([][]uint32, len(claims)), found)
		}),
		"Parents is in ranks": lists(func(m *model, out []uint32, claims, found [][]uint32) {
			_ = m.Parents(out, claims, found)
			ownVertices(m, func(rank uint32) {
				if m.visited[rank] {
					out[m.part.VertexOf[rank]] = m.parent[rank]
				}
			})
		}),
		"Parents leaves out the unvisited": lists(func(m *model, out []uint32, claims, found [][]uint32) {
			before := slices.Clone(out)
			_ = m.Parents(out, claims, found)
			for v := range out {
				if out[v] == graph.None {
					out[v] = before[v]
				}
			}
		}),
		"Parents writes vertices of others": lists(func(m *model, out []uint32, claims, found [][]uint32) {
			for v := range out {
				out[v] = graph.None
			}
			_ = m.Parents(out, claims, found)
		}),
		"CopyTo is in ranks": func() fault {
			return fault{copied: func(m *model, out []uint32) {
				ownVertices(m, func(rank uint32) {
					if m.visited[rank] {
						out[m.part.VertexOf[rank]] = m.parent[rank]
					}
				})
			}}
		},
	}
	all := faults()
	for _, name := range []string{"RemoteClaims is empty", "LookupParents is in vertex ids", "LookupParents is sorted", "the Part is changed",
		"a step that was cancelled runs", "a step without a name"} {
		list[name] = all[name]
	}
	return list
}
