//go:build race

package cli

// raceEnabled tells whether the race detector slows everything down.
const raceEnabled = true
