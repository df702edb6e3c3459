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
	// read. The news and the memory that they refer to are unchanged until the phase after the
	// next.
	Send(n int64, from int, news [][]News) error
	// Recv waits for the news of phase n from processor from to processor to. They are valid
	// until the processor's next Recv from that sender.
	Recv(ctx context.Context, n int64, from, to int) ([]News, error)
	// Share exchanges what processors report at the end of a superstep: mine of Here's, the
	// result of all, by processor. It is a barrier between processes.
	Share(ctx context.Context, n int64, mine []kernels.Reduced) ([]kernels.Reduced, error)
	// Abort makes all calls fail, those of other processes too.
	Abort(err error)
}

// local is the Transport of one process: slices change hands, nothing is copied. Two phases of
// a sender's news are kept: a receiver may read the first of a superstep while its sender is at
// the second.
type local struct {
	news [2][][][]News // by parity of the phase, by sender, by receiver
	sent []*sequence   // by sender: the last phase that is complete
}

// Local returns the transport of the processors of one process.
func Local(processors int) Transport {
	t := &local{}
	for i := range t.news {
		t.news[i] = make([][][]News, processors)
	}
	for range processors {
		t.sent = append(t.sent, newSequence())
	}
	return t
}

func (t *local) Here() (lo, hi int) { return 0, len(t.sent) }

func (t *local) Send(n int64, from int, news [][]News) error {
	t.news[n%2][from] = news
	t.sent[from].advance(n)
	return nil
}

func (t *local) Recv(_ context.Context, n int64, from, to int) ([]News, error) {
	t.sent[from].wait(n)
	return t.news[n%2][from][to], nil
}

func (t *local) Share(_ context.Context, _ int64, mine []kernels.Reduced) ([]kernels.Reduced, error) {
	return mine, nil
}

func (t *local) Abort(error) {}
