package allpairs

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/fake"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl"
)

func openDevice(t *testing.T) device.Device {
	t.Helper()
	driver, i := needs.OpenCL(t, func() (*opencl.Driver, error) { return opencl.Open(opencl.Options{}) }, device.ErrNoDriver)
	dev, err := driver.Open(i)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// TestDevice: on a device all dense methods give the CPU's matrix, of each type and algebra, and name negative cycles.
func TestDevice(t *testing.T) {
	dev := openDevice(t)
	t.Run("int32", func(t *testing.T) { testDevice[int32](t, dev) })
	t.Run("float32", func(t *testing.T) { testDevice[float32](t, dev) })
	t.Run("float64", func(t *testing.T) { testDevice[float64](t, dev) })
}

func testDevice[T Value](t *testing.T, dev device.Device) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, n := range []int{0, 65, 190} {
		l := &graph.EdgeList{Directed: true, Weights: graph.WeightsOf([]int32{})}
		if n > 0 {
			l = randomGraph(r, n, 3*n, true, true)
		}
		g := build(t, l)
		for by := range Algebra(2) {
			want, _, err := Solve[T](context.Background(), g, Options{Method: Searches, Algebra: by})
			if err != nil {
				t.Fatal(err)
			}
			for method := Auto; method < Searches; method++ {
				if method != Auto && (any(T(0)) != any(float32(0)) || by == Widest || method == Blocked || n < 100) {
					continue // a program is built for each
				}
				m, p, err := Solve[T](context.Background(), g, Options{Method: method, Algebra: by, Device: dev})
				if err != nil {
					t.Fatal(err)
				}
				if p.Method != Searches && (p.Kernels != dev.Info().Name || p.Time <= 0 && n > 0) || method == Auto && p.Method != Blocked && p.Method != Searches {
					t.Errorf("plan %+v", p)
				}
				a, b := make([]T, n), make([]T, n)
				for u := range n {
					m.Row(u, a)
					want.Row(u, b)
					if !slices.Equal(a, b) {
						t.Fatalf("%d vertices, %v, algebra %d: distances from %d are %v, want %v", n, method, by, u, a, b)
					}
				}
				if err := m.Free(); err != nil {
					t.Error(err)
				}
			}
			_ = want.Free()
		}
	}
	l := randomGraph(r, 100, 300, true, false)
	w, _ := graph.WeightsAs[int32](l.Weights)
	l.Edges, l.Weights = append(l.Edges, graph.Edge{U: 70, V: 90}, graph.Edge{U: 90, V: 70}), graph.WeightsOf(append(w, 3, -4))
	for _, method := range []Method{Blocked, Naive, Squaring} {
		if method != Blocked && any(T(0)) != any(int32(0)) {
			continue
		}
		if _, _, err := Solve[T](context.Background(), build(t, l), Options{Method: method, Device: dev}); !errors.Is(err, ErrNegativeCycle) {
			t.Errorf("%v: %v, want a negative cycle", method, err)
		}
	}
	if any(T(0)) == any(int32(0)) { // a cycle of more arcs than a path has
		two := &graph.EdgeList{Vertices: 2, Directed: true, Edges: []graph.Edge{{U: 0, V: 1}, {U: 1, V: 0}}, Weights: graph.WeightsOf([]int32{3, -4})}
		if _, _, err := Solve[T](context.Background(), build(t, two), Options{Method: Squaring, Device: dev}); !errors.Is(err, ErrNegativeCycle) {
			t.Errorf("squaring: %v, want a negative cycle", err)
		}
	}
	l.Edges, l.Weights = l.Edges[:300], graph.WeightsOf(w)
	m, p, err := Solve[T](context.Background(), build(t, l), Options{Method: Searches, Device: dev})
	if err != nil || p.Method != Searches || p.Kernels != "" {
		t.Fatalf("searches beside a device: %+v, %v", p, err)
	}
	_ = m.Free()
	if rate, err := DeviceRate[T](context.Background(), dev); err != nil || rate <= 0 {
		t.Errorf("rate %v, %v", rate, err)
	}
}

// TestFootprint: Solve takes the bytes of a device that Footprint says, and those of the host within 2%.
func TestFootprint(t *testing.T) {
	under := openDevice(t)
	const n = 1100
	g := build(t, randomGraph(rand.New(rand.NewPCG(1, 2)), n, 4*n, false, false))
	dev := fake.Wrap(under, fake.Options{})
	info := dev.Info()
	for _, on := range []device.Device{nil, dev} {
		o := Options{Method: Blocked, Device: on}
		of := &info
		if on == nil {
			of = nil
		}
		host, bytes, err := Footprint[float32](n, o, of)
		if err != nil {
			t.Fatal(err)
		}
		dev.Peak()
		hugemem.Peak()
		before := hugemem.Live().Taken
		m, _, err := Solve[float32](t.Context(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		if on != nil {
			host -= stagingSize // of the driver
			if peak := dev.Peak(); peak != bytes {
				t.Errorf("device: %d bytes at most, %d predicted", peak, bytes)
			}
		}
		if peak := hugemem.Peak() - before; !raceEnabled && math.Abs(float64(host)/float64(peak)-1) > 0.02 {
			t.Errorf("host: %d bytes at most, %d predicted", peak, host)
		}
		if err := m.Free(); err != nil {
			t.Error(err)
		}
	}
	info.Memory = 4 << 20
	if _, _, err := Footprint[float32](n, Options{}, &info); !errors.Is(err, graph.ErrMemory) {
		t.Errorf("a device of 4 MiB: %v", err)
	}
	if _, _, err := Footprint[float32](n, Options{MemoryLimit: 4 << 20}, nil); !errors.Is(err, graph.ErrMemory) {
		t.Errorf("a limit of 4 MiB: %v", err)
	}
}
