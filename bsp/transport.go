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

// Transport moves messages between processors, of one process or several. Phases are numbered from
// 1 on, rising, with gaps, the same in every process.
//
// A processor sends once a phase at most, then receives from every sender whose entry for it is
// not empty, and from no other; both ends know which. Processors of a process call Send and Recv
// concurrently, one goroutine calls Share. Between two Shares there are at most five phases
// with news.
//
// An implementation guarantees that no call blocks for good: where a process has called Abort,
// is lost or cannot be reached, every call of every process returns an error soon. Then the
// transport is used up, and so is the loop; Local's is not, which fails no call.
type Transport interface {
	// Here returns the processors that this process drives, lo … hi−1, at least one. It does not
	// change.
	Here() (lo, hi int)
	// Send hands over what processor from sends in phase n, by receiver. Its own entry is not
	// read, nor are empty ones. Send does not wait until receivers call Recv: two processes
	// may send to each other first. It copies what leaves the process: news and memory
	// change once it has returned. A receiver of this process may get the same slices; it is
	// done with them before they change.
	Send(n int64, from int, news [][]News) error
	// Recv waits for the news of phase n from processor from to processor to, and returns them as
	// they were sent: in order, nil slices nil, Values of the same type. Phases of a pair
	// arrive in the order in which they were sent, whenever they are received. The news are
	// valid until the processor's next Recv from that sender. Where ctx ends, Recv returns its
	// error soon.
	Recv(ctx context.Context, n int64, from, to int) ([]News, error)
	// Share exchanges what processors report at the end of phase n: mine of Here's, the result of
	// all, by processor, Sums included. It is a barrier: it returns after every process has
	// called it for phase n, or an error, ctx's soon after ctx ends. mine may change once it
	// has returned, the result is valid until the next Share.
	Share(ctx context.Context, n int64, mine []kernels.Reduced) ([]kernels.Reduced, error)
	// Abort makes all calls of all processes return errors, also those that wait; those of other
	// processes should say err. Several goroutines may call it, at any time and again.
	Abort(err error)
}

// local is the Transport of one process: slices change hands, nothing is copied. Two phases of
// a sender's news are kept: a receiver may read the first of a command while its sender is at the
// second. It needs no Abort and no ctx: after a failure the processors of a loop send to the end
// of the command.
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
