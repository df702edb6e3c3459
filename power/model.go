package power

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/totemgo/totemgo/record"
)

// modelTicks is how many clock ticks of all CPUs together must pass before the share
// of busy time is taken anew; the kernel counts in steps of 10 ms.
const modelTicks = 20

// modelUpdate is how often the share of busy time changes on a small machine.
const modelUpdate = 50 * time.Millisecond

// modelSettle is how long opening the model may watch the CPUs: 20 ticks of 10 ms on
// one core, and some.
const modelSettle = 300 * time.Millisecond

// modelMeter estimates energy: idle + (busy - idle) times the share of all CPU time
// that was not idle, from /proc/stat. It counts in microjoules, so that marks and
// samples work as with a counter.
type modelMeter struct {
	passive
	stat        string
	idle, busy  float64
	at          time.Duration
	work, total uint64 // ticks at the last change of share
	share       float64
	microjoules float64
}

// newModel makes the model of a machine that draws idle watts when nothing runs and
// busy watts when all CPUs do.
func newModel(idle, busy float64, proc string) (Meter, error) {
	m := &modelMeter{stat: filepath.Join(cmp.Or(proc, "/proc"), "stat"), idle: idle, busy: busy}
	m.info = Info{
		Name: "model", Kind: "model", Domain: "system", Coverage: record.CoverageModel,
		Source: m.stat, Method: Modelled, Unit: 1e-6, Update: modelUpdate, Estimated: true,
	}
	if err := m.settle(); err != nil {
		if runtime.GOOS != "linux" && proc == "" {
			err = fmt.Errorf("%s: %w", m.stat, ErrUnsupported)
		}
		return nil, &Unavailable{Name: "model", Reason: err.Error(), Err: err,
			Cure: "the model needs Linux's count of CPU time"}
	}
	return m, nil
}

// ticks returns the CPU time spent working and altogether, in clock ticks of all
// CPUs. Guest time is in user time already; time stolen by a hypervisor was not ours.
func (m *modelMeter) ticks() (work, total uint64, err error) {
	text, err := os.ReadFile(m.stat)
	if err != nil {
		return 0, 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	fields := strings.Fields(line)
	if len(fields) < 5 || fields[0] != "cpu" {
		return 0, 0, fmt.Errorf("%s: %w: no line 'cpu'", m.stat, ErrFormat)
	}
	for i, s := range fields[1:min(len(fields), 9)] {
		v, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w: %q", m.stat, ErrFormat, s)
		}
		total += v
		if i != 3 && i != 4 && i != 7 { // idle, iowait, steal
			work += v
		}
	}
	return work, total, nil
}

// settle watches the CPUs until a share of busy time is known, for modelSettle at most:
// a session that begins at once then begins with the share of just before.
func (m *modelMeter) settle() error {
	for end := time.Now().Add(modelSettle); time.Now().Before(end); time.Sleep(modelSettle / 20) {
		if renewed, err := m.update(); renewed || err != nil {
			return err
		}
	}
	return nil
}

// update takes the share anew if enough ticks have passed. The kernel may correct
// idle time downwards; such a step tells nothing, nor does the first.
func (m *modelMeter) update() (renewed bool, err error) {
	work, total, err := m.ticks()
	switch {
	case err != nil:
		return false, err
	case m.total == 0 || total < m.total || work < m.work:
	case total < m.total+modelTicks:
		return false, nil
	default:
		m.share, renewed = min(float64(work-m.work)/float64(total-m.total), 1), true
	}
	m.work, m.total = work, total
	return renewed, nil
}

// Read adds the energy since the last Read, at the share of busy time since the
// ticks were last taken.
func (m *modelMeter) Read(now time.Duration) ([]Reading, error) {
	if _, err := m.update(); err != nil {
		return nil, err
	}
	m.microjoules += (m.idle + (m.busy-m.idle)*m.share) * (now - m.at).Seconds() * 1e6
	m.at = now
	return []Reading{{At: now, Count: uint64(math.Round(m.microjoules))}}, nil
}
