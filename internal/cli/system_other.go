//go:build !unix

package cli

import "os"

func interrupts() []os.Signal { return []os.Signal{os.Interrupt} }

func peakRSS() int64 { return 0 }
