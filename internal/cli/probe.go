package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/cuda"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl"
)

// probe lists devices in a child process, once: a driver that hangs, crashes or prints harms no
// command that can do without it.
type probe struct {
	note  func(format string, args ...any)
	ask   sync.Once
	tell  sync.Once
	infos []engine.DeviceInfo
	err   error
	left  map[string]bool // names of devices whose failure was reported
}

const (
	// probeArgument, alone on the command line, makes the process the child.
	probeArgument = "totemgo-list-devices/1"
	// probeMark precedes the child's answer, a line of JSON, on standard output, where drivers may print too.
	probeMark = "totemgo-devices/1 "
	// probeBytes limits what is kept of each of the child's outputs.
	probeBytes = 1 << 20
)

// probeLimit is the time that the child has for an answer.
var probeLimit = 5 * time.Second

// probeAnswer is what the child prints.
type probeAnswer struct {
	Devices []engine.DeviceInfo
	Error   string
}

// errSilent is the error of a child without an answer.
var errSilent = errors.New("listing the devices failed")

// asksToProbe tells whether a command line makes the process the child.
func asksToProbe(args []string) bool { return len(args) == 1 && args[0] == probeArgument }

// answerProbe lists the devices and returns the exit status of the child. It ends by itself where its
// parent cannot end it.
func answerProbe(stdout io.Writer, drivers ...device.Driver) int {
	defer time.AfterFunc(2*probeLimit, func() { os.Exit(exitFailed) }).Stop()
	list, err := engine.ListDevices(drivers...)
	a := probeAnswer{Devices: list}
	if err != nil {
		a.Error = err.Error()
	}
	text, err := json.Marshal(a)
	if err == nil {
		_, err = fmt.Fprintf(stdout, "%s%s\n", probeMark, text)
	}
	if err != nil {
		return exitFailed
	}
	return exitOK
}

// list returns the devices that the child lists. The error wraps engine.ErrNoDevice without any, and
// errSilent if there was no answer, or is ctx's.
func (p *probe) list(ctx context.Context) ([]engine.DeviceInfo, error) {
	p.ask.Do(func() { p.infos, p.err = listApart(ctx) })
	return p.infos, p.err
}

// listApart runs the child.
func listApart(ctx context.Context) ([]engine.DeviceInfo, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("%w: %w: %w", engine.ErrNoDevice, errSilent, err)
	}
	limited, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	out, messages := &beginning{}, &beginning{}
	c := exec.CommandContext(limited, self, probeArgument)
	c.Stdout, c.Stderr, c.WaitDelay = out, messages, 100*time.Millisecond
	err = c.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var a probeAnswer
	if _, text, found := bytes.Cut(out.kept, []byte(probeMark)); found && json.NewDecoder(bytes.NewReader(text)).Decode(&a) == nil {
		if a.Error != "" {
			return a.Devices, fmt.Errorf("%w%s", engine.ErrNoDevice, strings.TrimPrefix(a.Error, engine.ErrNoDevice.Error()))
		}
		return a.Devices, nil
	}
	why := "no answer"
	if limited.Err() != nil {
		why = fmt.Sprintf("the driver does not answer within %v", probeLimit)
	} else if err != nil {
		why = "the driver ended the process: " + err.Error()
	}
	if line, _, _ := strings.Cut(string(messages.kept), "\n"); line != "" {
		why += ": " + device.Printable(line)
	}
	for _, variable := range []string{opencl.LoaderVariable, cuda.LibraryVariable} {
		if library := os.Getenv(variable); library != "" {
			why += fmt.Sprintf(" (%s=%s)", variable, library)
		}
	}
	return nil, fmt.Errorf("%w: %w: %s", engine.ErrNoDevice, errSilent, why)
}

// beginning is a writer that keeps the first bytes.
type beginning struct{ kept []byte }

func (b *beginning) Write(p []byte) (int, error) {
	b.kept = append(b.kept, p[:min(len(p), probeBytes-len(b.kept))]...)
	return len(p), nil
}

// auto lists the devices for --processors auto. It notes, once, why a machine with a card has no GPU to
// choose, and a driver that gives no answer.
func (p *probe) auto(ctx context.Context) ([]engine.DeviceInfo, error) {
	list, err := p.list(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	p.tell.Do(func() {
		cards := unlisted(list)
		switch {
		case cards != "" && err != nil:
			p.note("%s, but no driver lists a GPU: %s; the CPU runs alone", cards, message(err))
		case cards != "":
			p.note("%s, but no driver lists a GPU: %s is the host's CPU; the CPU runs alone", cards, list[0].Name)
		case errors.Is(err, errSilent):
			p.note("%s; the CPU runs alone", message(err))
		}
	})
	return list, err
}

// leftOut notes, once a device, that a run goes on without it.
func (p *probe) leftOut(which engine.Processor, err error) {
	if name := which.String(); !p.left[name] {
		p.left[name] = true
		p.note("%s is left out: %s", name, message(err))
	}
}

// deviceFolder has the files of devices.
var deviceFolder = "/dev"

// unlisted names the files of cards if a list of devices has no GPU, and is "" otherwise.
func unlisted(list []engine.DeviceInfo) string {
	if slices.ContainsFunc(list, func(d engine.DeviceInfo) bool { return !d.HostCPU }) {
		return ""
	}
	var cards []string
	for _, pattern := range []string{"nvidia[0-9]*", "dri/renderD*", "kfd"} {
		found, _ := filepath.Glob(filepath.Join(deviceFolder, pattern)) // the pattern is well-formed
		cards = append(cards, found...)
	}
	switch len(cards) {
	case 0:
		return ""
	case 1:
		return cards[0] + " is there"
	}
	return strings.Join(cards, ", ") + " are there"
}
