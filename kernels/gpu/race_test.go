//go:build race

package gpu_test

// raceEnabled thins out tables where the race detector makes them slow.
const raceEnabled = true
