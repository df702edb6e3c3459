//go:build !linux

package power

import (
	"io"
	"os"
)

// openSerial opens a port as it is: on this platform its rate and raw mode are set
// beforehand (stty, mode).
func openSerial(path string, _ int) (io.ReadWriteCloser, error) {
	return os.OpenFile(path, os.O_RDWR, 0)
}
