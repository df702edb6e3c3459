package hugemem

import "golang.org/x/sys/unix"

// adviseHuge asks for huge pages; a system without them refuses, and small ones do.
func adviseHuge(m []byte) { _ = unix.Madvise(m, unix.MADV_HUGEPAGE) }
