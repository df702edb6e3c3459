//go:build !race

package hugemem

// race tells whether the race detector is built in.
const race = false
