//go:build race

package cpu_test

// raceEnabled thins out tables where the race detector makes them slow.
const raceEnabled = true
