package bsp

import (
	"context"

	"github.com/totemgo/totemgo/kernels"
)

// News is a message of one range.
type News struct {
	Range int
	kernels.Message
}

// Transport moves messages between processors. Phases are numbered from 1 on, rising, the same
// in every process.
type Transport interface {
	// Here returns the processors that this process drives, lo … hi−1.
	Here() (lo, hi int)
	// Send hands over what processor from sends in phase n, by receiver; its own entry is not
	// read. Memory that news refer to is unchanged until all receivers have reported.
	Send(n int64, from int, news [][]News) error
	// Recv waits for the news of phase n from processor from to processor to. They are valid
	// until the processor's next Recv from that sender.
	Recv(ctx context.Context, n int64, from, to int) ([]News, error)
	// Share exchanges what processors report at the end of a superstep: mine of Here's, the
	// result of all, by processor. It is a barrier.
	Share(ctx context.Context, n int64, mine []kernels.Reduced) ([]kernels.Reduced, error)
	// Abort makes the calls of all processes fail.
	Abort(err error)
}

// local is the Transport of one process: slices change hands, nothing is copied.
type local struct {
	news [][][]News  // by sender, by receiver
	sent []*sequence // by sender: its news are complete, by phase
}

func newLocal(processors int) *local {
	t := &local{news: make([][][]News, processors)}
	for range processors {
		t.sent = append(t.sent, newSequence())
	}
	return t
}

func (t *local) Here() (lo, hi int) { return 0, len(t.sent) }

func (t *local) Send(n int64, from int, news [][]News) error {
	t.news[from] = news
	t.sent[from].advance(n)
	return nil
}

func (t *local) Recv(_ context.Context, n int64, from, to int) ([]News, error) {
	t.sent[from].wait(n)
	if t.news[from] == nil {
		return nil, nil // the sender failed
	}
	return t.news[from][to], nil
}

func (t *local) Share(_ context.Context, _ int64, mine []kernels.Reduced) ([]kernels.Reduced, error) {
	return mine, nil
}

func (t *local) Abort(error) {}
