package bsp

import "github.com/totemgo/totemgo/kernels"

// aggregate computes the parents of processor i's vertices: each owner asks the finders of its vertices for
// their parents. A device answers CPUs before it asks: so it waits once for both.
func (b *BFS) aggregate(i int, parents []uint32) {
	if parents == nil {
		return
	}
	claims, n := b.claims[i-b.lo], b.Processors
	asked, answers, found := make([][]uint32, n), make([][]uint32, n), make([][]uint32, n) // ranks, and their parents
	late := func(q int) bool { return b.kinds[q] != kernels.CPU }
	answer := func(first bool) {
		for q := range n {
			if q == i || (late(i) && !late(q)) != first {
				continue
			}
			if list := b.list(b.phase-1, q, i); len(list) > 0 {
				b.try(i, func() (err error) {
					answers[q], err = claims.LookupParents(list)
					return err
				})
			}
		}
	}
	if n > 1 {
		answer(true)
		for q := range n {
			if q != i {
				b.try(i, func() (err error) {
					asked[q], err = claims.RemoteClaims(q)
					return err
				})
			}
		}
		b.sendLists(i, b.phase-1, asked)
		answer(false)
		b.sendLists(i, b.phase, answers)
		for q := range n {
			if q != i {
				found[q] = b.list(b.phase, q, i)
			}
		}
	}
	b.try(i, func() error {
		if b.inDevices != nil { // CopyTo follows
			return b.inDevices[i].Resolve(asked, found)
		}
		return claims.Parents(parents, asked, found)
	})
}

// sendLists sends processor i's lists to the others in phase n.
func (b *BFS) sendLists(i int, n int64, lists [][]uint32) {
	news := b.participants[i].news[n%2]
	for q, list := range lists {
		news[q] = append(news[q][:0], News{-1, kernels.Message{Count: len(list), List: list}})
	}
	b.fail(i, b.by.Send(n, i, news))
}

// list is what processor q sent to processor i in phase n.
func (b *BFS) list(n int64, q, i int) []uint32 {
	if from := b.recv(n, q, i); len(from) > 0 {
		return from[0].List
	}
	return nil
}
