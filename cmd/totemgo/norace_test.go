//go:build !race

package main

// raceEnabled tells whether the race detector slows everything down.
const raceEnabled = false
