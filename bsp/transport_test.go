package bsp_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// frame is what travels between the two processes of a wire: news, reports or the end.
type frame struct {
	Phase    int64
	From, To int // of news; −1 otherwise
	News     []bsp.News
	Reports  []kernels.Reduced
	Err      string // ends the other process too, unless empty
}

func init() {
	for _, v := range []any{[]uint32{}, []int32{}, []uint64{}, []int64{}, []float32{}, []float64{}} {
		gob.Register(v)
	}
}

// wire is the Transport of one of two processes, over a connection. News within the process change
// hands without a copy. Send encodes at once and never waits: a goroutine writes what is
// encoded. Another reads.
type wire struct {
	processors, lo, hi int
	conn               net.Conn

	mu     sync.Mutex // of all below
	buf    bytes.Buffer
	enc    *gob.Encoder
	fill   *sync.Cond // there is something to write, or the end
	ending bool

	news    [][]chan frame // by sender, receiver
	reports chan frame
	ended   chan struct{} // closed once there will be no more frames
	why     error         // before ended is closed
	once    sync.Once
	left    sync.WaitGroup
}

// inFlight is the most frames of one sender to one receiver: see bsp.Transport.
const inFlight = 5

func newWire(conn net.Conn, processors, lo, hi int) *wire {
	t := &wire{processors: processors, lo: lo, hi: hi, conn: conn, reports: make(chan frame, inFlight), ended: make(chan struct{})}
	t.fill = sync.NewCond(&t.mu)
	t.enc = gob.NewEncoder(&t.buf)
	for range processors {
		row := make([]chan frame, processors)
		for to := range row {
			row[to] = make(chan frame, inFlight)
		}
		t.news = append(t.news, row)
	}
	t.left.Go(t.write)
	t.left.Go(t.read)
	return t
}

func (t *wire) write() {
	for {
		t.mu.Lock()
		for t.buf.Len() == 0 && !t.ending {
			t.fill.Wait()
		}
		out, last := bytes.Clone(t.buf.Bytes()), t.ending
		t.buf.Reset()
		t.mu.Unlock()
		if _, err := t.conn.Write(out); err != nil {
			t.end(err)
			return
		}
		if last {
			_ = t.conn.(interface{ CloseWrite() error }).CloseWrite()
			return
		}
	}
}

func (t *wire) read() {
	dec := gob.NewDecoder(t.conn)
	for {
		var f frame
		if err := dec.Decode(&f); err != nil {
			t.end(fmt.Errorf("the other process: %w", err))
			return
		}
		to := t.reports
		switch {
		case f.Err != "":
			t.end(fmt.Errorf("the other process: %s", f.Err))
			continue
		case f.From >= 0:
			to = t.news[f.From][f.To]
		}
		select {
		case to <- f:
		default:
			t.end(fmt.Errorf("%d frames wait from %d to %d", inFlight, f.From, f.To))
		}
	}
}

// end makes all calls fail.
func (t *wire) end(err error) {
	t.once.Do(func() {
		t.why = err
		close(t.ended)
	})
}

func (t *wire) post(f frame) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ending {
		return io.ErrClosedPipe
	}
	t.fill.Signal()
	return t.enc.Encode(f)
}

// hangUp writes what is posted, and no more.
func (t *wire) hangUp() {
	t.mu.Lock()
	t.ending = true
	t.fill.Signal()
	t.mu.Unlock()
}

// close ends both goroutines. It waits for the other process to close, for a second.
func (t *wire) close() {
	t.hangUp()
	_ = t.conn.SetDeadline(time.Now().Add(time.Second))
	t.left.Wait()
	_ = t.conn.Close()
}

// wait returns the next frame of phase n. Frames that arrived before the end come first.
func (t *wire) wait(ctx context.Context, n int64, from <-chan frame) (f frame, err error) {
	select {
	case f = <-from:
	case <-ctx.Done():
		return f, ctx.Err()
	case <-t.ended:
		select {
		case f = <-from:
		default:
			return f, t.why
		}
	}
	if f.Phase != n {
		return f, fmt.Errorf("phase %d arrived in phase %d", f.Phase, n)
	}
	return f, nil
}

// Here implements bsp.Transport.
func (t *wire) Here() (lo, hi int) { return t.lo, t.hi }

// Send implements bsp.Transport.
func (t *wire) Send(n int64, from int, news [][]bsp.News) error {
	for to, list := range news {
		switch f := (frame{Phase: n, From: from, To: to, News: list}); {
		case to == from || len(list) == 0:
		case to >= t.lo && to < t.hi:
			select {
			case t.news[from][to] <- f:
			default:
				return fmt.Errorf("%d frames wait from %d to %d", inFlight, from, to)
			}
		default:
			if err := t.post(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// Recv implements bsp.Transport.
func (t *wire) Recv(ctx context.Context, n int64, from, to int) ([]bsp.News, error) {
	f, err := t.wait(ctx, n, t.news[from][to])
	return f.News, err
}

// Share implements bsp.Transport.
func (t *wire) Share(ctx context.Context, n int64, mine []kernels.Reduced) ([]kernels.Reduced, error) {
	if err := t.post(frame{Phase: n, From: -1, Reports: mine}); err != nil {
		return nil, err
	}
	f, err := t.wait(ctx, n, t.reports)
	if t.lo == 0 {
		return append(append([]kernels.Reduced{}, mine...), f.Reports...), err
	}
	return append(f.Reports, mine...), err
}

// Abort implements bsp.Transport.
func (t *wire) Abort(err error) {
	t.end(err)
	_ = t.post(frame{Err: err.Error()})
	t.hangUp()
}

// The tests of two processes start this test binary again, as a child that runs the test of the
// same name. Each process drives half of the processors.
const (
	socketOf = "TOTEMGO_TEST_SOCKET" // environment: the child's socket
	halfTime = 5 * time.Second       // by then both processes have ended
)

// inTwo calls half in this process and in a child of it, each with its transport for a number of
// processors. The child's half must fail if and only if fails says so.
func inTwo(t *testing.T, processors int, fails bool, half func(t *testing.T, by func() *wire, child bool)) {
	if runtime.GOOS == "windows" {
		t.Skip("windows: no socket pairs")
	}
	if path := os.Getenv(socketOf); path != "" {
		half(t, func() *wire {
			conn, err := net.Dial("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			return newWire(conn, processors, processors/2, processors)
		}, true)
		return
	}
	dir, err := os.MkdirTemp("", "bsp")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "socket"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 6*halfTime)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.short="+fmt.Sprint(testing.Short()))
	child.Env = append(os.Environ(), socketOf+"="+listener.Addr().String(), "GORACE=atexit_sleep_ms=0")
	output := &bytes.Buffer{}
	child.Stdout, child.Stderr = output, output
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- child.Wait() }()
	half(t, func() *wire {
		_ = listener.SetDeadline(time.Now().Add(4 * halfTime))
		conn, err := listener.Accept()
		if err != nil {
			t.Fatalf("the child does not connect: %v\n%s", err, output)
		}
		return newWire(conn, processors, 0, processors/2)
	}, false)
	switch err := <-exited; {
	case (err != nil) != fails:
		t.Errorf("the child: %v\n%s", err, output)
	case t.Failed():
		t.Logf("the child:\n%s", output)
	}
}

// TestTwoProcesses runs programs and searches on two processes: each has the same bits at its own
// vertices as one process with all processors.
func TestTwoProcesses(t *testing.T) {
	for _, shape := range []shape{{parts: 4}, {4, 2, 2, false}, {4, 2, 2, true}} {
		t.Run(strings.ReplaceAll(shape.String(), " ", "-"), func(t *testing.T) {
			inTwo(t, shape.parts, false, func(t *testing.T, by func() *wire, child bool) {
				threads(t)
				wire := by()
				defer wire.close()
				rounds := 12
				if raceEnabled || testing.Short() {
					rounds = 3
				}
				play := func(list *graph.EdgeList, seed uint64) {
					r := rand.New(rand.NewPCG(seed, 8))
					g := shape.at(t, list, r)
					root, is := g.root(r)
					if !is {
						return
					}
					s := g.open(t, wire, 1+int(seed%2))
					got := s.play(root, seed)
					s.close()
					if child && seed%3 > 0 {
						return // the sums of both halves are compared in the parent
					}
					whole := g.open(t, bsp.Local(len(g.parts)), 1)
					want := whole.play(root, seed)
					whole.close()
					if !reflect.DeepEqual(got.Counts, want.Counts) || !reflect.DeepEqual(got.Sums, want.Sums) {
						t.Fatalf("%s, seed %d: frontiers and sums %v %v, not %v %v", g.name, seed, got.Counts, got.Sums, want.Counts, want.Sums)
					}
					s.owned(func(v uint32) {
						if got.Levels[v] != want.Levels[v] || got.Components[v] != want.Components[v] || got.Distances[v] != want.Distances[v] ||
							got.Short[v] != want.Short[v] || math.Float64bits(got.Ranks[v]) != math.Float64bits(want.Ranks[v]) || got.Many[v] != want.Many[v] {
							t.Fatalf("%s, seed %d: vertex %d differs from one process", g.name, seed, v)
						}
					})
				}
				for seed := range uint64(rounds) {
					play(random(rand.New(rand.NewPCG(seed, 9))), seed)
				}
				for i, c := range ref.Corpus() {
					if i%14 == 3 && !raceEnabled {
						play(c.List, uint64(i))
					}
				}
			})
		})
	}
}

var errHalf = errors.New("half of it fails")

// failing fails at the n-th step.
type failing struct {
	kernels.Run
	left int
	then func() error
}

func (f *failing) Step(ctx context.Context, op int, s program.Step) (string, error) {
	if f.left--; f.left == 0 {
		return "", f.then()
	}
	return f.Run.Step(ctx, op, s)
}

// TestFailureOfTwo fails in one of two processes: both end soon.
func TestFailureOfTwo(t *testing.T) {
	shape := shape{4, 2, 2, true}
	list := &graph.EdgeList{Vertices: 600, Edges: ref.Uniform(1, 600, 3000)}
	for _, c := range []struct {
		name   string
		child  bool // the child fails, not this process
		ends   bool // the child ends, and its test fails
		kill   bool
		body   func(m program.Machine, f program.Frontier) error // called after the second step
		step   func() error                                      // called in the second step of the last processor
		cancel bool                                              // the second step ends the context
		// unless 0, the context of this process ends while the child's second step waits for that
		deadline time.Duration
		want     []error
	}{
		{name: "run-of-the-child", child: true, step: func() error { return errHalf }, want: []error{errHalf}},
		{name: "run-of-the-parent", step: func() error { return errHalf }, want: []error{errHalf}},
		{name: "body-of-the-child", child: true, body: func(program.Machine, program.Frontier) error { return errHalf }, want: []error{errHalf}},
		{name: "panic-of-the-parent", body: func(program.Machine, program.Frontier) error { panic("half") }, want: []error{bsp.ErrBody}},
		{name: "misuse-of-the-child", child: true, body: func(m program.Machine, _ program.Frontier) error { _, err := m.Use(-7); return err },
			want: []error{program.ErrInvalid}},
		{name: "context-of-the-child", child: true, cancel: true, want: []error{context.Canceled}},
		{name: "context-of-the-parent", cancel: true, want: []error{context.Canceled}},
		{name: "context-while-the-child-steps", deadline: 200 * time.Millisecond, want: []error{context.DeadlineExceeded}},
		{name: "child-exits", child: true, ends: true, step: func() error { os.Exit(3); return nil }},
		{name: "child-is-killed", child: true, ends: true, step: func() error {
			p, err := os.FindProcess(os.Getpid())
			if err == nil {
				_ = p.Kill()
			}
			select {}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inTwo(t, shape.parts, c.ends, func(t *testing.T, by func() *wire, child bool) {
				wire := by()
				defer wire.close()
				g := shape.at(t, list, rand.New(rand.NewPCG(1, 1)))
				s := g.open(t, wire, 1)
				defer s.close()
				ctx, cancel := context.WithTimeout(context.Background(), halfTime)
				defer cancel()
				if c.deadline > 0 && !child {
					var stop context.CancelFunc
					ctx, stop = context.WithTimeout(ctx, c.deadline)
					defer stop()
				}
				ours, end := child == c.child, context.CancelFunc(func() {})
				if c.cancel && ours {
					ctx, end = context.WithCancel(ctx)
				}
				s.wrap = func(r kernels.Run, i int) kernels.Run {
					waits := child && c.deadline > 0
					if i != s.hi-1 || !waits && (!ours || c.step == nil && !c.cancel) {
						return r
					}
					return &failing{r, 2, func() error {
						if waits {
							<-wire.ended
							return errHalf
						}
						if c.cancel {
							end()
							return ctx.Err()
						}
						return c.step()
					}}
				}
				err := s.run(ctx, components, nil, func(m program.Machine) error {
					for k := 1; ; k++ { // without an end
						f, err := m.EdgeMap(0, program.Step{Way: program.Push, From: program.All})
						if err == nil && k == 2 && ours && c.body != nil {
							err = c.body(m, f)
						}
						if err != nil {
							return err
						}
					}
				}, func([]kernels.Run) {})
				if err == nil || errors.Is(err, context.DeadlineExceeded) && c.deadline == 0 {
					t.Fatalf("the run: %v", err)
				}
				for _, want := range c.want {
					if !ours && c.deadline > 0 && errors.Is(err, errHalf) {
						continue // before another processor of the child sees that the context has ended
					}
					if ours && !errors.Is(err, want) || !ours && !strings.Contains(err.Error(), want.Error()) {
						t.Errorf("the run: %v, not %v", err, want)
					}
				}
				// The transport is at its end: the next run fails at once.
				if err := s.run(ctx, components, nil, func(m program.Machine) error { _, err := m.Use(program.All); return err }, func([]kernels.Run) {}); err == nil {
					t.Error("a run after a failure succeeds")
				}
			})
		})
	}
}

// failingDirector panics in one method.
type failingDirector struct {
	bsp.Script
	start, next bool
}

func (d failingDirector) Start(i bsp.GraphInfo) {
	if d.start {
		panic(errHalf)
	}
	d.Script.Start(i)
}

func (d failingDirector) Next(o *bsp.Observation) kernels.Direction {
	if d.next && o.Level == 1 {
		panic(errHalf)
	}
	return d.Script.Next(o)
}

// TestSearchFailureOfTwo lets each method of a run, and of the director, fail in the child: the
// searches of both processes end soon.
func TestSearchFailureOfTwo(t *testing.T) {
	shape := shape{4, 2, 2, true}
	list := &graph.EdgeList{Vertices: 600, Edges: ref.Uniform(1, 600, 3000)}
	inTwo(t, shape.parts, false, func(t *testing.T, by func() *wire, child bool) {
		g := shape.at(t, list, rand.New(rand.NewPCG(1, 1)))
		for _, method := range []string{"", "Start", "Next", "Begin", "Seed", "Expand", "Take", "Step", "Fold",
			"Merge", "Advance", "RemoteClaims", "LookupParents", "Parents"} {
			wire := by()
			s := g.open(t, wire, 1)
			s.wrap = func(r kernels.Run, i int) kernels.Run {
				b := &broken{Claims: r.(kernels.Claims), method: method}
				if child && i == 3 {
					b.at = 1
				}
				return b
			}
			runs := s.runs(bsp.Tree)
			b, err := bsp.NewBFS(s.loop, runs)
			if err != nil {
				t.Fatal(err)
			}
			root := uint32(0)
			for s.owner[root] != 3 {
				root++
			}
			ctx, cancel := context.WithTimeout(context.Background(), halfTime)
			d := failingDirector{script("DUDUDU"), child && method == "Start", child && method == "Next"}
			_, err = b.Search(ctx, bsp.Search{Root: g.parts[0].RankOf[root], Parents: make([]uint32, list.Vertices), Director: d})
			switch {
			case method == "" || method == "Parents" && !child: // the other process does not see the last call
				if err != nil {
					t.Errorf("%s: %v", method, err)
				}
			case err == nil || errors.Is(err, context.DeadlineExceeded):
				t.Errorf("%s: %v", method, err)
			case child && d.start || child && d.next:
				if !errors.Is(err, bsp.ErrDirectorFailed) {
					t.Errorf("%s: %v", method, err)
				}
			case child && !errors.Is(err, errBroken), !child && !strings.Contains(err.Error(), errBroken.Error()) && !strings.Contains(err.Error(), errHalf.Error()):
				t.Errorf("%s: %v", method, err)
			}
			if method != "" {
				if _, err = b.Search(ctx, bsp.Search{Root: g.parts[0].RankOf[root], Director: script("D")}); err == nil || ctx.Err() != nil {
					t.Errorf("%s: the search after: %v", method, err)
				}
			}
			cancel()
			s.close()
			wire.close()
			for _, r := range runs {
				_ = r.Close()
			}
		}
	})
}
