package hugemem

import (
	"bytes"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// adviseHuge asks for huge pages and tells whether they are to be expected.
func adviseHuge(m []byte) bool { return unix.Madvise(m, unix.MADV_HUGEPAGE) == nil && hugeAllowed() }

// hugeAllowed tells whether the system has not switched huge pages off, in which
// case it accepts the advice all the same.
var hugeAllowed = sync.OnceValue(func() bool {
	text, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	return err == nil && !bytes.Contains(text, []byte("[never]"))
})
