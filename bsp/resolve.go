package bsp

import "github.com/totemgo/totemgo/kernels"

// aggregate computes the parents of processor i's vertices: each owner asks the finders of
// its vertices for their parents.
func (b *BFS) aggregate(i int, parents []uint32) {
	if parents == nil {
		return
	}
	claims, n := b.claims[i-b.lo], b.Processors
	var asked, found [][]uint32 // by finder: ranks, and their parents
	if n > 1 {
		asked, found = make([][]uint32, n), make([][]uint32, n)
		for q := range n {
			if q != i {
				b.try(i, func() (err error) {
					asked[q], err = claims.RemoteClaims(q)
					return err
				})
			}
		}
		answers := make([][]uint32, n)
		for q, list := range b.trade(i, b.phase-1, asked) {
			if len(list) > 0 {
				b.try(i, func() (err error) {
					answers[q], err = claims.LookupParents(list)
					return err
				})
			}
		}
		found = b.trade(i, b.phase, answers)
	}
	b.try(i, func() error {
		if b.inDevices != nil { // CopyTo follows
			return b.inDevices[i].Resolve(asked, found)
		}
		return claims.Parents(parents, asked, found)
	})
}

// trade sends a list to every other processor in phase n, and returns theirs to processor i.
func (b *BFS) trade(i int, n int64, lists [][]uint32) [][]uint32 {
	news := b.participants[i].news[n%2]
	for q, list := range lists {
		news[q] = append(news[q][:0], News{-1, kernels.Message{Count: len(list), List: list}})
	}
	b.fail(i, b.by.Send(n, i, news))
	got := make([][]uint32, len(lists))
	for q := range lists {
		if q == i {
			continue
		}
		if from := b.recv(n, q, i); len(from) > 0 {
			got[q] = from[0].List
		}
	}
	return got
}
