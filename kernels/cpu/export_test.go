package cpu

import "github.com/totemgo/totemgo/kernels"

// Way is how the last step, in direction d, was shared by several threads: "scatter",
// "split" or "buckets", "words" or "list"; "" if one thread ran it.
func (p *Processor) Way(d kernels.Direction) string {
	buckets := p.shift != 0
	p.shift = 0 // stepDown sets it again
	switch {
	case p.threads == 1:
	case d == kernels.BottomUp && p.nextBits:
		return "words"
	case d == kernels.BottomUp:
		if len(p.spareUnsettled) >= 4*listGrain {
			return "list"
		}
	case p.nextBits:
		return "scatter"
	case buckets:
		return "buckets"
	case p.nextHasBits:
		return "split"
	}
	return ""
}
