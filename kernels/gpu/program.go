package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/src"
)

// BuildOptions say how the kernels are built. The zero value is the default.
type BuildOptions struct {
	// CacheDir holds binaries of built programs; empty means no cache. Errors of the
	// folder are ignored: the program is built.
	CacheDir string
	// GroupSize is the number of lanes of a work-group, a power of two of at least 32;
	// 0 means 256, or the largest that the device takes.
	GroupSize int
	// RaceCheck replaces the kernels' deliberate races by atomics, for a race checker.
	RaceCheck bool
}

const (
	defaultGroup = 256
	fewArcs      = 8   // most arcs of a row that one lane of a push reads
	pieceArcs    = 256 // most arcs of a row that 32 lanes of a push read
	nearEntries  = 16  // entries of a row that one lane of a pull reads before 32 lanes read the rest
	hubWords     = 256 // words of a bitmap that a pull keeps in shared memory
	thinArcs     = 4   // arcs a lane of the frontiers that thin takes
	mostTurns    = 16  // most entries of a row that one lane of thin reads
	slots        = 16  // supersteps whose counters are kept
)

// Program is the kernels built for one device, shared by all partitions on it: those of searches,
// and those of other programs once a run needs them.
type Program struct {
	dev     device.Device
	built   device.Program
	group   int
	options []string // of every build
	cache   cache

	mu      sync.Mutex
	modules map[string]device.Program // by options and source
}

// Build builds the kernels for dev, or takes them from the cache. It returns ErrGroup if dev has
// too small groups, ErrOptions for a group size that dev does not take, or device.ErrBuild.
func Build(dev device.Device, o BuildOptions) (*Program, error) {
	group := cmp.Or(o.GroupSize, groupFor(dev.Info()))
	most := dev.Info().MaxGroup
	if o.GroupSize == 0 && group > most {
		return nil, fmt.Errorf("%w: %s has groups of %d lanes at most, the kernels need 32", ErrGroup, dev.Info().Name, most)
	}
	if group < 32 || group&(group-1) != 0 || group > most {
		return nil, fmt.Errorf("%w: groups of %d lanes, where a power of two from 32 on is wanted, and %s takes %d at most", ErrOptions, group,
			dev.Info().Name, most)
	}
	options := []string{"-cl-std=CL1.2", fmt.Sprintf("-DWG=%d", group), fmt.Sprintf("-DFEW=%d", fewArcs),
		fmt.Sprintf("-DPIECE=%d", pieceArcs), fmt.Sprintf("-DNEAR=%d", nearEntries), fmt.Sprintf("-DHUBWORDS=%d", hubWords),
		fmt.Sprintf("-DTHIN=%d", thinArcs), fmt.Sprintf("-DTURNS_MOST=%d", mostTurns), fmt.Sprintf("-DSLOTS=%d", slots)}
	if o.RaceCheck {
		options = append(options, "-DRACECHECK")
	}
	text, err := src.Text()
	if err != nil {
		return nil, err
	}
	p := &Program{dev: dev, group: group, options: options, cache: cache{dir: o.CacheDir, info: dev.Info()}, modules: map[string]device.Program{}}
	p.built, err = p.compile(text, options)
	return p, err
}

// groupFor is the default number of lanes of a device's work-groups.
func groupFor(info device.Info) int {
	group := defaultGroup
	for group > 32 && group > info.MaxGroup {
		group /= 2
	}
	return group
}

// compile builds text, or takes it from the cache.
func (p *Program) compile(text string, options []string) (device.Program, error) {
	key := p.cache.key(text, options)
	if binary := p.cache.read(key); binary != nil {
		if built, err := p.dev.Load(binary, options); err == nil {
			return built, nil
		}
	}
	built, err := p.dev.Build(text, options)
	if err != nil {
		return nil, fmt.Errorf("gpu: %w", err)
	}
	if p.cache.dir != "" {
		if binary, err := built.Binary(); err == nil && binary != nil {
			p.cache.write(key, binary)
		}
	}
	return built, nil
}

// module returns the kernels of a part of package src with definitions and a fragment of an
// operator, built once.
func (p *Program) module(part, fragment string, defines ...string) (device.Program, error) {
	text, err := src.Value(part, fragment)
	if err != nil {
		return nil, err
	}
	options := slices.Concat(p.options, defines)
	p.mu.Lock()
	defer p.mu.Unlock()
	key := fmt.Sprint(part, defines, fragment)
	if built := p.modules[key]; built != nil {
		return built, nil
	}
	built, err := p.compile(text, options)
	if err == nil {
		p.modules[key] = built
	}
	return built, err
}

// Device is the device that the program was built for.
func (p *Program) Device() device.Device { return p.dev }

// Close frees the program, after all processors made from it; the device stays open.
func (p *Program) Close() error {
	var errs []error
	if p.built != nil {
		errs = append(errs, p.built.Free())
	}
	for _, m := range p.modules {
		errs = append(errs, m.Free())
	}
	return errors.Join(errs...)
}
