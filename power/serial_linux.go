package power

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// baudFlag is the termios constant of a rate.
func baudFlag(baud int) (uint32, bool) {
	switch baud {
	case 1200:
		return unix.B1200, true
	case 2400:
		return unix.B2400, true
	case 4800:
		return unix.B4800, true
	case 9600:
		return unix.B9600, true
	case 19200:
		return unix.B19200, true
	case 38400:
		return unix.B38400, true
	case 57600:
		return unix.B57600, true
	case 115200:
		return unix.B115200, true
	case 230400:
		return unix.B230400, true
	case 460800:
		return unix.B460800, true
	case 921600:
		return unix.B921600, true
	}
	return 0, false
}

// openSerial opens a serial port raw, with 8 data bits, no parity and one stop bit, at
// the given rate; 0 leaves the rate. A device that is no terminal is only opened.
func openSerial(path string, baud int) (io.ReadWriteCloser, error) {
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	// File.Fd would make reads block beyond Close.
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	var terr error
	err = conn.Control(func(fd uintptr) { terr = rawTerminal(int(fd), baud) })
	if err = errors.Join(err, terr); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return f, nil
}

func rawTerminal(fd, baud int) error {
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if errors.Is(err, unix.ENOTTY) && baud == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	t.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	t.Oflag &^= unix.OPOST
	t.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	t.Cflag &^= unix.CSIZE | unix.PARENB | unix.CSTOPB
	t.Cflag |= unix.CS8 | unix.CREAD | unix.CLOCAL
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	if baud != 0 {
		b, ok := baudFlag(baud)
		if !ok {
			return fmt.Errorf("%w: %d baud", ErrUnsupported, baud)
		}
		t.Cflag = t.Cflag&^unix.CBAUD | b
		t.Ispeed, t.Ospeed = b, b
	}
	return unix.IoctlSetTermios(fd, unix.TCSETS, t)
}
