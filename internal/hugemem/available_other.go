//go:build !darwin && !linux

package hugemem

func available() int64 { return 0 }

func installed() int64 { return 0 }

// refused knows no limits of the process.
func refused(int64) *Error { return nil }
