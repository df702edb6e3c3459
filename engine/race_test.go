//go:build race

package engine_test

// raceEnabled thins out tables where the race detector makes them slow.
const raceEnabled = true
