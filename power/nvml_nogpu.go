//go:build nogpu

package power

// loadNVML fails: a build that links statically can load no library.
func loadNVML(string) (*nvmlAPI, error) { return nil, errNVMLLeftOut }
