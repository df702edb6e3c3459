//go:build race

package bsp_test

// raceEnabled thins out tables where the race detector makes them slow.
const raceEnabled = true
