//go:build !race

package main

// raceEnabled says that the race detector slows requests down.
const raceEnabled = false
