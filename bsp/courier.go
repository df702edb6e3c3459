package bsp

import "github.com/totemgo/totemgo/kernels"

// courier brings the outboxes of other processors to one that is still busy with its
// own step, so that their transfer is hidden behind it. It runs beside the driver of
// the lane, and touches messages only while the driver has the door open.
type courier struct {
	to     kernels.Receiver
	errand *gate         // the superstep to run for
	door   chan struct{} // holds a token that the courier needs to deliver
	at     int64         // the superstep whose door is open; of whoever has the token
	done   chan struct{} // closed when the courier has ended
}

func newCourier(to kernels.Receiver) *courier {
	c := &courier{to: to, errand: newGate(), door: make(chan struct{}, 1), done: make(chan struct{})}
	c.door <- struct{}{}
	return c
}

// set opens the door for superstep n, or closes it: 0. Once it is closed the courier
// delivers nothing more.
func (c *courier) set(n int64) {
	<-c.door
	c.at = n
	c.door <- struct{}{}
}

// send begins an errand for superstep n.
func (c *courier) send(n int64) {
	c.set(n)
	c.errand.open(n)
}

// run is the courier of lane i, until the loop is closed.
func (l *Loop) run(c *courier, i int) {
	defer close(c.done)
	for n := int64(0); ; {
		c.errand.park(n + 1)
		if n = c.errand.value.Load(); n == closed {
			return
		}
		for s := range l.lanes {
			if s == i {
				continue
			}
			l.lanes[s].sent.park(n)
			if !l.carry(c, i, s, n) {
				break
			}
		}
	}
}

// closed is the errand that ends a courier.
const closed = 1<<63 - 1

// carry hands the messages of sender s over, if the door is still open.
func (l *Loop) carry(c *courier, i, s int, n int64) bool {
	<-c.door
	defer func() { c.door <- struct{}{} }()
	if c.at != n {
		return false
	}
	for _, r := range l.lanes[i].own {
		if !l.failed() {
			l.fail(i, c.to.Receive(r, s, l.lanes[s].box[r]))
		}
	}
	return true
}
