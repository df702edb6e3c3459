//go:build !unix

package atomicfile

import (
	"io/fs"
	"os"
)

// inherit leaves a new file the owner and permissions of its folder.
func inherit(*os.File, fs.FileInfo) {}
