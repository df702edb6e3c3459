package bsp

import (
	"testing"
	"time"

	"github.com/totemgo/totemgo/kernels"
)

func TestOverlap(t *testing.T) {
	zero := time.Now()
	spans := func(at ...int) (list []kernels.Span) {
		for i := 0; i < len(at); i += 2 {
			list = append(list, kernels.Span{From: zero.Add(time.Duration(at[i])), To: zero.Add(time.Duration(at[i+1]))})
		}
		return list
	}
	for _, c := range []struct {
		transfers, computing []kernels.Span
		want                 time.Duration
	}{
		{nil, spans(0, 10), 0},
		{spans(0, 10), nil, 0},
		{spans(0, 10), spans(10, 20), 0},
		{spans(0, 10), spans(5, 20), 5},
		{spans(0, 10), spans(2, 4, 6, 9), 5},
		{spans(0, 10), spans(6, 9, 2, 4, 3, 7), 7}, // computed twice, hidden once
		{spans(0, 10, 10, 30), spans(-5, 12, 25, 99, 11, 12), 17},
		{spans(3, 5), spans(0, 9), 2},
	} {
		if got := overlap(c.transfers, c.computing); got != c.want {
			t.Errorf("%v in %v: %v, want %v", c.transfers, c.computing, got, c.want)
		}
	}
}
