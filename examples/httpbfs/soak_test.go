package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/internal/hugemem"
)

// soakSeconds is how long TestSoak runs, in seconds, with a swap nearly each; HTTPBFS_SOAK sets another.
const soakSeconds = 3

// TestSoak asks for searches, paths and distances from 8 clients, a tenth of them with a deadline of 1 to 5 ms, while the graph is
// reloaded. No status is 5xx, and no memory, goroutine, descriptor or mapping stays. Where HTTPBFS_SOAK is set, for a quiet
// machine, a request ends at most 20 ms after its deadline, but for one in a hundred.
func TestSoak(t *testing.T) {
	const clients, chain, slack = 8, 1 << 15, 20 * time.Millisecond
	length, quiet := soakSeconds*time.Second, false
	if s := os.Getenv("HTTPBFS_SOAK"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		length, quiet = d, !raceEnabled
	}
	file := filepath.Join(t.TempDir(), "g.txt")
	var text strings.Builder
	for v := range chain {
		fmt.Fprintln(&text, v, v+1)
		fmt.Fprintln(&text, v, v/2)
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(ctx context.Context) (*engine.Engine, error) { return load(ctx, file) }
	memory, goroutines, open, maps := hugemem.Live(), runtime.NumGoroutine(), entries(t, "/proc/self/fd"), lines("/proc/self/maps")
	e, err := read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sv := &service{engine: engine.NewSwap(e), load: read}
	server := httptest.NewServer(sv.handler())
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	until := time.Now().Add(length)
	var answered, short, late atomic.Int64
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(c), 1))
			for time.Now().Before(until) {
				a, b := r.IntN(chain), r.IntN(chain)
				url := server.URL + []string{fmt.Sprintf("/bfs?root=%d", a), fmt.Sprintf("/path?from=%d&to=%d", a, b),
					fmt.Sprintf("/distance?from=%d&to=%d", a, b)}[r.IntN(3)]
				ctx, cancel := t.Context(), context.CancelFunc(func() {})
				deadline := time.Time{}
				if r.IntN(10) == 0 {
					deadline = time.Now().Add(time.Duration(1+r.IntN(5)) * time.Millisecond)
					ctx, cancel = context.WithDeadline(ctx, deadline)
					short.Add(1)
				}
				status, err := ask(ctx, client, url)
				cancel()
				switch {
				case !deadline.IsZero() && time.Since(deadline) > slack:
					late.Add(1)
				case !deadline.IsZero() && errors.Is(err, context.DeadlineExceeded):
				case err != nil || status != 200:
					t.Errorf("%s: %d, %v", url, status, err)
					return
				default:
					answered.Add(1)
				}
			}
		})
	}
	swaps := 0
	for ; time.Now().Add(time.Second).Before(until); swaps++ {
		if err := sv.reload(t.Context()); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Second - 100*time.Millisecond)
	}
	wg.Wait()
	client.CloseIdleConnections()
	server.Close()
	if err := sv.close(); err != nil {
		t.Error(err)
	}
	t.Logf("%d answered, %d with short deadlines, %d of them late, %d swaps", answered.Load(), short.Load(), late.Load(), swaps)
	if answered.Load() < clients || quiet && late.Load() > 1+short.Load()/100 {
		t.Errorf("%d answered, %d of %d deadlines late", answered.Load(), late.Load(), short.Load())
	}
	for tries := 0; ; tries++ { // goroutines of connections end soon
		now := fmt.Sprint(hugemem.Live(), runtime.NumGoroutine() <= goroutines, entries(t, "/proc/self/fd") <= open+2, lines("/proc/self/maps") <= maps+20)
		if want := fmt.Sprint(memory, true, true, true); now == want {
			break
		} else if tries == 100 {
			t.Fatalf("left behind: %s, want %s", now, want)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// ask returns the status of a request, with its body read.
func ask(ctx context.Context, client *http.Client, url string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// entries counts the entries of a folder, 0 where there is none.
func entries(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return len(list)
}

// lines counts the lines of a file, 0 where there is none.
func lines(path string) int {
	text, _ := os.ReadFile(path)
	return strings.Count(string(text), "\n")
}
