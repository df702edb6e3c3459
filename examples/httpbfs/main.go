// Command httpbfs answers breadth-first searches, paths and distances over HTTP.
//
//	httpbfs -listen :8080 GRAPH
//	curl 'localhost:8080/bfs?root=30&to=3'
//	curl 'localhost:8080/path?from=30&to=3'
//	curl 'localhost:8080/distance?from=30&to=3'
//	curl -X POST localhost:8080/reload
//
// The answer is JSON: how many vertices the root reaches, how far the farthest is, and
// the path to the vertex that was asked for; of a path its vertices, of a distance the number
// of arcs alone, absent without a path. These two wait for no search. A request that is dropped leaves the queue
// or ends its search within a superstep. A reload reads the file again and answers later
// requests from the new graph; none is dropped, and until the earlier ones are answered, both
// graphs are in memory.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"time"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
)

func main() {
	listen := flag.String("listen", "localhost:8080", "address to listen on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Arg(0), *listen); err != nil {
		fmt.Fprintln(os.Stderr, "httpbfs:", err)
		os.Exit(1)
	}
}

// run loads the graph and serves until ctx ends.
func run(ctx context.Context, path, listen string) error {
	load := func(ctx context.Context) (*engine.Engine, error) { return load(ctx, path) }
	e, err := load(ctx)
	if err != nil {
		return err
	}
	s := &service{load: load, engine: engine.NewSwap(e)}
	defer s.close()
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	return s.serve(ctx, l)
}

// load reads a graph and places it.
func load(ctx context.Context, path string) (*engine.Engine, error) {
	f, err := graphio.Open(ctx, path, graphio.Options{})
	if err != nil {
		return nil, err
	}
	e, err := engine.New(ctx, f.Source, engine.Options{})
	return e, errors.Join(err, f.Close()) // the engine has its own copy
}

// serve answers on l until ctx ends, and lets requests under way finish.
func (sv *service) serve(ctx context.Context, l net.Listener) error {
	s := &http.Server{Handler: sv.handler(), ReadHeaderTimeout: 10 * time.Second}
	stopped := make(chan error, 1)
	defer context.AfterFunc(ctx, func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		stopped <- s.Shutdown(grace)
	})()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// answer is what a search found.
type answer struct {
	Root    uint64   `json:"root"`
	Reached int64    `json:"reached"`
	Depth   int64    `json:"depth"`
	TimeS   float64  `json:"time_s"`
	Path    []uint64 `json:"path,omitempty"` // from the root
}

// handler answers GET /bfs?root=R, GET /bfs?root=R&to=V, GET /path?from=A&to=B, GET /distance?from=A&to=B and
// POST /reload. Requests may come at once: the engine queues searches.
func (sv *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /reload", func(w http.ResponseWriter, req *http.Request) {
		if err := sv.reload(req.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("GET /bfs", func(w http.ResponseWriter, req *http.Request) {
		ids, ok := ids(w, req, "root")
		if !ok {
			return
		}
		r, err := sv.search(req.Context(), ids[0])
		if err != nil {
			refuse(w, err)
			return
		}
		a := answer{Root: ids[0], Reached: r.NumReached, Depth: r.Depth, TimeS: r.Time.Seconds()}
		if to := req.FormValue("to"); to != "" {
			label, err := strconv.ParseUint(to, 10, 64)
			if err != nil {
				http.Error(w, "to is not a number", http.StatusBadRequest)
				return
			}
			if a.Path, err = pathTo(r, label); err != nil {
				http.Error(w, err.Error(), http.StatusNotFound)
				return
			}
		}
		reply(w, a)
	})
	for _, name := range []string{"path", "distance"} {
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, req *http.Request) {
			ids, ok := ids(w, req, "from", "to")
			if !ok {
				return
			}
			path, err := sv.path(req.Context(), ids[0], ids[1])
			if err != nil {
				refuse(w, err)
				return
			}
			a := route{From: ids[0], To: ids[1]}
			if path != nil {
				arcs := len(path) - 1
				a.Distance = &arcs
			}
			if name == "path" {
				a.Path = path
			}
			reply(w, a)
		})
	}
	return mux
}

// route is a path, or its length alone.
type route struct {
	From     uint64   `json:"from"`
	To       uint64   `json:"to"`
	Distance *int     `json:"distance,omitempty"` // arcs; absent without a path
	Path     []uint64 `json:"path,omitempty"`
}

// ids reads the vertices of a request; it answers one that lacks some.
func ids(w http.ResponseWriter, req *http.Request, names ...string) (list []uint64, ok bool) {
	for _, name := range names {
		id, err := strconv.ParseUint(req.FormValue(name), 10, 64)
		if err != nil {
			http.Error(w, name+" is not a number", http.StatusBadRequest)
			return nil, false
		}
		list = append(list, id)
	}
	return list, true
}

// refuse answers a request that failed; nobody reads it if the request was dropped.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	switch {
	case errors.Is(err, graph.ErrNoVertex):
		status = http.StatusNotFound
	case errors.Is(err, engine.ErrClosed):
		status = http.StatusServiceUnavailable
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		status = http.StatusRequestTimeout
	}
	http.Error(w, err.Error(), status)
}

// reply writes JSON; the other side has gone if it fails.
func reply(w http.ResponseWriter, a any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(a)
}

// pathTo walks up the tree from a vertex; there is no path to an unreached one.
func pathTo(r *engine.BFSResult, label uint64) ([]uint64, error) {
	v, err := r.ID(label)
	if err != nil {
		return nil, err
	}
	if r.Parents[v] == graph.None {
		return nil, nil
	}
	path := []uint64{r.Label(v)}
	for r.Parents[v] != v {
		v = r.Parents[v]
		path = append(path, r.Label(v))
	}
	slices.Reverse(path)
	return path, nil
}
