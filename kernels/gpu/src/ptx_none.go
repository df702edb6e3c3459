//go:build !cuda

package src

func embeddedPTX() []byte { return nil }
