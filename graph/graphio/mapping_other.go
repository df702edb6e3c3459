//go:build !unix

package graphio

import "os"

// mapFile maps nothing on this system: files are read in blocks.
func mapFile(*os.File, int64) *mapping { return nil }

func (m *mapping) advise() {}
