package bsp_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
)

// receiver is a processor that takes messages in beside its step, and compares them
// with what is delivered.
type receiver struct {
	kernels.Processor
	mu    sync.Mutex
	shut  bool // from the first Outbox to Finish
	early []arrival
	taken int
	fault error
	// await makes each top-down step wait until so many messages have come.
	await int
	come  sync.Cond
	fail  bool // Receive fails
}

type arrival struct {
	r, from int
	m       kernels.Message
}

func newReceiver(p kernels.Processor) *receiver {
	r := &receiver{Processor: p}
	r.come.L = &r.mu
	return r
}

func (p *receiver) Receive(r, from int, m kernels.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shut {
		p.fault = errors.New("a message after the step")
	}
	m.List, m.Bits = slices.Clone(m.List), slices.Clone(m.Bits)
	p.early = append(p.early, arrival{r, from, m})
	p.come.Broadcast()
	if p.fail {
		return errors.New("receive fails")
	}
	return nil
}

func (p *receiver) Step(ctx context.Context, d kernels.Direction) (string, error) {
	p.mu.Lock()
	for d == kernels.TopDown && len(p.early) < p.await {
		p.come.Wait()
	}
	p.mu.Unlock()
	return p.Processor.Step(ctx, d)
}

func (p *receiver) Outbox(r int) (kernels.Message, error) {
	p.mu.Lock()
	p.shut = true
	p.mu.Unlock()
	return p.Processor.Outbox(r)
}

func (p *receiver) Finish() (kernels.Counts, error) {
	p.mu.Lock()
	if len(p.early) > 0 {
		p.fault = errors.New("messages that nobody delivered")
	}
	p.shut = false
	p.mu.Unlock()
	return p.Processor.Finish()
}

func (p *receiver) Deliver(r, from int, m kernels.Message) error {
	p.mu.Lock()
	if len(p.early) > 0 {
		if e := p.early[0]; e.r != r || e.from != from || e.m.Count != m.Count || !slices.Equal(e.m.List, m.List) || !slices.Equal(e.m.Bits, m.Bits) {
			p.fault = errors.New("another message was delivered than came first")
		}
		p.early = p.early[1:]
		p.taken++
	}
	p.mu.Unlock()
	return p.Processor.Deliver(r, from, m)
}

// Profile says that messages travelled for ever.
func (p *receiver) Profile() (transfers, computing []kernels.Span, ok bool, err error) {
	now := time.Now()
	return []kernels.Span{{From: now.Add(-time.Hour), To: now.Add(time.Hour)}}, nil, true, nil
}

// TestCourier: what others have for a processor that is still in its step reaches it
// there, in the order of senders, and no later than its step ends.
func TestCourier(t *testing.T) {
	list := &graph.EdgeList{Vertices: 90}
	owners := make([]uint8, list.Vertices)
	for v := uint32(1); v < 90; v++ {
		owners[v] = uint8(v % 3)
		list.Edges = append(list.Edges, graph.Edge{U: v / 2, V: v}, graph.Edge{U: v / 3, V: v})
	}
	place := place(t, list, 3, owners)
	for last, await := range map[int]int{0: 2, 1: 0, 2: 2} {
		var slow *receiver
		procs := load(t, place, func(i int, p kernels.Processor) kernels.Processor {
			r := newReceiver(p)
			if i == last {
				r.await, slow = await, r // of both others: only a courier can bring them
			}
			return r
		})
		loop := bsp.New(procs, place)
		s := &bsp.Statistics{}
		for _, d := range []bsp.Script{script("D"), script("DDU"), script("DUD"), script("UDD")} {
			parents, err := search(loop, place, 0, d, s)
			if err != nil {
				t.Fatal(err)
			}
			if err := ref.CheckTree(list, 0, parents); err != nil {
				t.Error(err)
			}
			for i, p := range procs {
				if r := p.(*receiver); r.fault != nil || len(r.early) > 0 {
					t.Errorf("processor %d: %v, %d left", i, r.fault, len(r.early))
				}
			}
			if await > 0 && slow.taken < 2 {
				t.Errorf("%d messages came early", slow.taken)
			}
			slow.taken = 0
		}
		loop.Close()
	}
}

// TestReceiveFails: the search ends with the error, and the loop works afterwards.
func TestReceiveFails(t *testing.T) {
	list := &graph.EdgeList{Vertices: 4, Edges: edges(0, 1, 1, 2, 2, 3)}
	place := place(t, list, 2, []uint8{0, 1, 0, 1})
	var slow *receiver
	procs := load(t, place, func(i int, p kernels.Processor) kernels.Processor {
		if i == 0 {
			return p
		}
		slow = newReceiver(p)
		slow.await, slow.fail = 1, true
		return slow
	})
	loop := bsp.New(procs, place)
	defer loop.Close()
	if _, err := search(loop, place, 0, script("D"), nil); err == nil || err.Error() != "processor 1 (cpu): receive fails" {
		t.Errorf("error %v", err)
	}
	slow.early, slow.fault, slow.fail, slow.await, slow.shut = nil, nil, false, 0, false
	if parents, err := search(loop, place, 0, script("D"), nil); err != nil || ref.CheckTree(list, 0, parents) != nil {
		t.Errorf("after the failure: %v", err)
	}
}

// TestOverlapIsTold: in a search that counts, transfers are set against the steps of
// all processors; a CPU has none, and what is not known is absent.
func TestOverlapIsTold(t *testing.T) {
	list := &graph.EdgeList{Vertices: 4, Edges: edges(0, 1, 1, 2, 2, 3)}
	place := place(t, list, 3, []uint8{0, 1, 0, 2})
	procs := load(t, place, func(i int, p kernels.Processor) kernels.Processor {
		switch i {
		case 1:
			return newReceiver(p)
		case 2:
			return foreign{p}
		}
		return p
	})
	loop := bsp.New(procs, place)
	defer loop.Close()
	s := &bsp.Statistics{}
	for _, counted := range []bool{true, false} {
		if _, err := loop.Search(context.Background(), bsp.Search{Root: place.RankOf[0], Director: script("DU"), Statistics: s, Examined: counted}); err != nil {
			t.Fatal(err)
		}
		for _, l := range s.Levels {
			cpu, device, other := l.Processors[0].OverlappedS, l.Processors[1].OverlappedS, l.Processors[2].OverlappedS
			if !counted {
				if cpu != nil || device != nil {
					t.Errorf("level %d: overlaps in a clocked search", l.Level)
				}
				continue
			}
			if cpu == nil || *cpu != 0 || other != nil {
				t.Errorf("level %d: a CPU's overlap is %v, an unknown one %v", l.Level, cpu, other)
			}
			if device == nil || *device <= 0 || *device > 2*time.Hour.Seconds() {
				t.Errorf("level %d: overlap %v", l.Level, device)
			}
		}
	}
}

// foreign is a processor that is no CPU and knows no times.
type foreign struct{ kernels.Processor }

func (foreign) Kind() string { return "cuda" }
