package power

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// bauds are the termios constants of the rates.
var bauds = map[int]uint32{
	1200: unix.B1200, 2400: unix.B2400, 4800: unix.B4800, 9600: unix.B9600, 19200: unix.B19200, 38400: unix.B38400,
	57600: unix.B57600, 115200: unix.B115200, 230400: unix.B230400, 460800: unix.B460800, 921600: unix.B921600,
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
		b, ok := bauds[baud]
		if !ok {
			return fmt.Errorf("%w: %d baud", ErrUnsupported, baud)
		}
		t.Cflag = t.Cflag&^unix.CBAUD | b
		t.Ispeed, t.Ospeed = b, b
	}
	return unix.IoctlSetTermios(fd, unix.TCSETS, t)
}
