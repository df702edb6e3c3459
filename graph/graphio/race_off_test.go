//go:build !race

package graphio_test

// underRace tells whether the race detector slows everything down.
const underRace = false
