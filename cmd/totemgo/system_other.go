//go:build !unix

package main

import "os"

func interrupts() []os.Signal { return []os.Signal{os.Interrupt} }

func peakRSS() int64 { return 0 }
