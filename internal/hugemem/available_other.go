//go:build !darwin && !linux

package hugemem

func available() int64 { return 0 }

func installed() int64 { return 0 }
