package engine_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph/gen"
)

// clientEnv makes the test binary a process of BenchmarkClients: "scale threads".
const clientEnv = "TOTEMGO_BENCH_CLIENT"

// go test ./engine -run - -bench Clients -benchtime 3s
//
// Searches a second of clients that search again and again: of one engine, at once and by turns (a mutex); and of two processes of one
// client and one thread each. "processes" clocks them and two clients of the engine in turns: its ratio, a median of rounds, shows
// what sharing costs; "eight" against "turns" shows what it gains.
func BenchmarkClients(b *testing.B) {
	for _, scale := range []int{12, 16, 20} {
		b.Run(fmt.Sprintf("graph=kron/scale=%d", scale), func(b *testing.B) {
			search, closeAll := searcher(b, scale, 2)
			defer closeAll()
			for _, c := range []struct {
				name    string
				clients int
				turns   bool
			}{{"two", 2, false}, {"eight", 8, false}, {"turns", 8, true}} {
				b.Run(c.name, func(b *testing.B) {
					together(c.clients, b.N, c.turns, search)
					b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "searches/s")
				})
			}
			b.Run("processes", func(b *testing.B) {
				var clients [2]*client
				for i := range clients {
					clients[i] = newClient(b, scale)
				}
				b.ResetTimer()
				var rates, ratios []float64
				for done := 0; done < b.N; {
					n := min(b.N-done, 1<<(23-scale)) // a round takes 10 to 50 ms
					begun := time.Now()
					together(len(clients), n, false, search)
					shared := float64(n) / time.Since(begun).Seconds()
					begun = time.Now()
					for _, c := range clients {
						fmt.Fprintln(c.in, n/2)
					}
					for _, c := range clients {
						c.line(b)
					}
					rate := float64(n/2*2) / time.Since(begun).Seconds()
					rates, ratios = append(rates, rate), append(ratios, shared/rate)
					done += n
				}
				slices.Sort(rates)
				slices.Sort(ratios)
				b.ReportMetric(rates[len(rates)/2], "searches/s")
				b.ReportMetric(ratios[len(ratios)/2], "ratio")
				for _, c := range clients {
					c.in.Close()
					if err := c.cmd.Wait(); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

// together searches n times, from as many clients at once, or by turns.
func together(clients, n int, turns bool, search func(k int)) {
	var wg sync.WaitGroup
	var turn sync.Mutex
	var next atomic.Int64
	for k := range clients {
		wg.Go(func() {
			for next.Add(1) <= int64(n) {
				if turns {
					turn.Lock()
				}
				search(k)
				if turns {
					turn.Unlock()
				}
			}
		})
	}
	wg.Wait()
}

// searcher returns a search of client k < 8, each into a result of its own, from roots in turn.
func searcher(b testing.TB, scale, threads int) (search func(k int), closeAll func()) {
	l, err := gen.Make(context.Background(), gen.KroneckerOptions{Scale: scale})
	if err != nil {
		b.Fatal(err)
	}
	e, err := engine.New(context.Background(), l, engine.Options{Processors: cpus(threads)})
	if err != nil {
		b.Fatal(err)
	}
	var results [8]*engine.BFSResult
	for k := range results {
		results[k] = e.NewResult()
	}
	var next atomic.Int64
	return func(k int) {
			root := l.Edges[int(next.Add(1))*7919%len(l.Edges)].U
			if err := e.BFSInto(context.Background(), uint64(root), results[k]); err != nil {
				b.Error(err)
			}
		}, func() {
			for _, r := range results {
				r.Free()
			}
			if err := e.Close(); err != nil {
				b.Error(err)
			}
		}
}

// client is a process that searches as often as it reads, and writes when it is done.
type client struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// newClient starts one, which is ready.
func newClient(b *testing.B, scale int) *client {
	c := &client{cmd: exec.Command(os.Args[0], "-test.run", "^TestBenchClient$")}
	c.cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", clientEnv, scale))
	out, err := c.cmd.StdoutPipe()
	if err == nil {
		c.in, err = c.cmd.StdinPipe()
	}
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	c.out = bufio.NewReader(out)
	if line := c.line(b); line != "ready" {
		b.Fatal(line)
	}
	return c
}

// line reads a line.
func (c *client) line(b *testing.B) string {
	line, err := c.out.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// TestBenchClient is the process of a client.
func TestBenchClient(t *testing.T) {
	scale, err := strconv.Atoi(os.Getenv(clientEnv))
	if err != nil {
		t.Skip("no process of BenchmarkClients")
	}
	search, closeAll := searcher(t, scale, 1)
	defer closeAll()
	search(0)
	fmt.Println("ready")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		n, err := strconv.Atoi(in.Text())
		if err != nil {
			t.Fatal(err)
		}
		for range n {
			search(0)
		}
		fmt.Println("done")
	}
}
