package cpu

import "github.com/totemgo/totemgo/kernels"

// Way is how the last step, in direction d, was shared by several threads: "share",
// "split", "scatter", "sorted", "blind" or "spread", "words" or "list"; "" if one thread
// ran it.
func (p *Processor) Way(d kernels.Direction) string {
	switch {
	case p.threads == 1:
	case d == kernels.BottomUp && p.nextBits:
		return "words"
	case d == kernels.BottomUp:
		if len(p.spareUnsettled) >= 4*listGrain {
			return "list"
		}
	default:
		return [...]string{alone: "", share: "share", split: "split", scatter: "scatter", sorted: "sorted", blind: "blind", spread: "spread"}[p.way]
	}
	return ""
}
