//go:build unix

package atomicfile

import (
	"io/fs"
	"os"
	"syscall"
)

// inherit gives a new file the owner and permissions of the one that it replaces, as far as
// the system lets it.
func inherit(f *os.File, old fs.FileInfo) {
	if st, is := old.Sys().(*syscall.Stat_t); is {
		_ = f.Chown(int(st.Uid), int(st.Gid)) // refused to all but the owner
	}
	_ = f.Chmod(old.Mode().Perm()) // some file systems have no permissions
}
