//go:build !race

package bsp_test

const raceEnabled = false
