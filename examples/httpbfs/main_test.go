package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
)

// testGraph is the path 10–11–12–13 and the pair 14–15.
func testGraph(t *testing.T) *engine.Engine {
	t.Helper()
	e, err := engine.New(context.Background(), &graph.EdgeList{
		Vertices: 6, Labels: graph.IdentityLabels(6, 10),
		Edges: []graph.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}, {U: 4, V: 5}},
	}, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// start serves until the test ends, and returns the address.
func start(t *testing.T, e *engine.Engine) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- (&service{engine: engine.NewSwap(e)}).serve(ctx, l) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, string(body)
}

func TestAnswers(t *testing.T) {
	e := testGraph(t)
	base := start(t, e)
	for _, c := range []struct {
		query  string
		status int
		want   string // a part of the body where there is no answer
		answer answer
	}{
		{"root=10&to=13", 200, "", answer{Root: 10, Reached: 4, Depth: 3, Path: []uint64{10, 11, 12, 13}}},
		{"root=12", 200, "", answer{Root: 12, Reached: 4, Depth: 2}},
		{"root=12&to=12", 200, "", answer{Root: 12, Reached: 4, Depth: 2, Path: []uint64{12}}},
		{"root=12&to=15", 200, "", answer{Root: 12, Reached: 4, Depth: 2}},
		{"root=9", 404, "9", answer{}},
		{"root=10&to=99", 404, "99", answer{}},
		{"root=x", 400, "root", answer{}},
		{"root=10&to=x", 400, "to", answer{}},
		{"", 400, "root", answer{}},
	} {
		status, body := get(t, base+"/bfs?"+c.query)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s", c.query, status, body)
		}
		if c.status != 200 {
			continue
		}
		var got answer
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		if got.Root != c.answer.Root || got.Reached != c.answer.Reached || got.Depth != c.answer.Depth || !slices.Equal(got.Path, c.answer.Path) {
			t.Errorf("%s: %+v, want %+v", c.query, got, c.answer)
		}
	}
	e.Close()
	if status, _ := get(t, base+"/bfs?root=10"); status != http.StatusServiceUnavailable {
		t.Errorf("a closed engine: %d", status)
	}
}

func TestPaths(t *testing.T) {
	base := start(t, testGraph(t))
	for _, c := range []struct {
		query, want string
		status      int
	}{
		{"path?from=10&to=13", `{"from":10,"to":13,"distance":3,"path":[10,11,12,13]}`, 200}, {"distance?from=13&to=11", `{"from":13,"to":11,"distance":2}`, 200},
		{"path?from=10&to=14", `{"from":10,"to":14}`, 200}, {"distance?from=15&to=15", `{"from":15,"to":15,"distance":0}`, 200},
		{"path?from=10", "to is not a number", 400}, {"distance?from=x&to=1", "from is not a number", 400}, {"path?from=10&to=99", "99", 404},
	} {
		if status, body := get(t, base+"/"+c.query); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s", c.query, status, body)
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	base := start(t, testGraph(t))
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if status, body := get(t, fmt.Sprintf("%s/bfs?root=%d", base, 10+i%4)); status != 200 || !strings.Contains(body, `"reached":4`) {
				t.Errorf("%d %s", status, body)
			}
		}()
	}
	wg.Wait()
}

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "g.txt")
	if err := os.WriteFile(file, []byte("1 2\n2 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if err := run(ctx, filepath.Join(t.TempDir(), "none"), "127.0.0.1:0"); err == nil {
		t.Error("a missing file was served")
	}
	if err := run(ctx, file, "no address"); err == nil {
		t.Error("an address that is none was served")
	}
	done := make(chan error, 1)
	go func() { done <- run(ctx, file, "127.0.0.1:0") }()
	stop()
	// Either loading or serving was ended.
	if err := <-done; err != nil && !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Error(err)
	}
}

// TestReload swaps the graph while requests run: each is answered, from one graph or the other.
func TestReload(t *testing.T) {
	const reloads, clients = 20, 6
	file := filepath.Join(t.TempDir(), "g.txt")
	write := func(edges int) { // the path 0–1–…: edges + 1 vertices
		t.Helper()
		var text strings.Builder
		for v := range edges {
			fmt.Fprintln(&text, v, v+1)
		}
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(ctx context.Context) (*engine.Engine, error) { return load(ctx, file) }
	write(1)
	e, err := read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sv := &service{engine: engine.NewSwap(e), load: read}
	server := httptest.NewServer(sv.handler())
	var wg sync.WaitGroup
	stop, answered := make(chan struct{}), [clients]int{}
	for c := range clients {
		wg.Go(func() {
			last := int64(0)
			for {
				select {
				case <-stop:
					return
				default:
				}
				status, body := get(t, server.URL+"/bfs?root=0")
				var a answer
				if err := json.Unmarshal([]byte(body), &a); status != 200 || err != nil || a.Reached < last || a.Reached > reloads+2 {
					t.Errorf("%d %s after %d vertices: %v", status, body, last, err)
					return
				}
				last = a.Reached
				answered[c]++
			}
		})
	}
	for i := range reloads {
		write(2 + i)
		resp, err := http.Post(server.URL+"/reload", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 200 {
			t.Errorf("reload %d: %s", i, resp.Status)
		}
		if _, body := get(t, server.URL+"/bfs?root=0"); !strings.Contains(body, fmt.Sprintf(`"reached":%d,`, 3+i)) {
			t.Errorf("after reload %d: %s", i, body)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := sv.reload(t.Context()); err == nil {
		t.Error("a file that is gone was loaded")
	}
	if status, _ := get(t, server.URL+"/bfs?root=0"); status != 200 {
		t.Errorf("after a reload that failed: %d", status)
	}
	close(stop)
	wg.Wait()
	http.DefaultClient.CloseIdleConnections()
	server.Close()
	if err := sv.close(); err != nil {
		t.Error(err)
	}
	for c, n := range answered {
		if n == 0 {
			t.Errorf("client %d got no answer", c)
		}
	}
}
