package kerneltest

import (
	"math/rand"
	"sort"
)

// shape is a graph of the corpus: its records, with loops and duplicates.
type shape struct {
	name     string
	n        int
	directed bool
	edges    [][2]uint32
}

// corpus returns the graphs of the kit. Sizes are near the widths of words and groups; two
// graphs are large enough for messages as lists.
func corpus() []shape {
	var all []shape
	add := func(name string, n int, edges [][2]uint32) {
		all = append(all, shape{name: name, n: n, edges: edges})
	}
	both := func(name string, n int, edges [][2]uint32) {
		add(name, n, edges)
		all = append(all, shape{name: name + "-directed", n: n, directed: true, edges: edges})
	}
	add("no-edge", 3, nil)
	both("one-edge", 2, [][2]uint32{{0, 1}})
	both("loops-and-duplicates", 6, [][2]uint32{{0, 0}, {0, 1}, {1, 0}, {0, 1}, {1, 2}, {2, 2}, {3, 4}, {4, 3}})
	both("path", 70, path(70))
	add("two-paths", 131, append(path(65), shift(path(66), 65)...))
	add("cycle", 64, append(path(64), [2]uint32{63, 0}))
	add("star-65", 65, star(65))
	both("star-700", 700, star(700))
	add("complete-33", 33, complete(33))
	both("tree", 127, tree(127))
	add("grid", 120, grid(10, 12))
	both("skewed", 1500, skewed(1500, 6000, 1))
	add("skewed-dense", 300, skewed(300, 6000, 2))
	both("uniform", 2200, uniform(2200, 4400, 3))
	add("hubs-with-leaves", 900, hubs(900, 3))
	return all
}

func path(n int) (e [][2]uint32) {
	for i := 1; i < n; i++ {
		e = append(e, [2]uint32{uint32(i - 1), uint32(i)})
	}
	return e
}

func shift(edges [][2]uint32, by uint32) [][2]uint32 {
	for i := range edges {
		edges[i][0] += by
		edges[i][1] += by
	}
	return edges
}

func star(n int) (e [][2]uint32) {
	for i := 1; i < n; i++ {
		if i%2 == 0 {
			e = append(e, [2]uint32{uint32(n / 2), uint32((n/2 + i) % n)})
		} else {
			e = append(e, [2]uint32{uint32((n/2 + i) % n), uint32(n / 2)})
		}
	}
	return e
}

func complete(n int) (e [][2]uint32) {
	for i := 0; i < n; i++ {
		for j := 0; j < i; j++ {
			e = append(e, [2]uint32{uint32(i), uint32(j)})
		}
	}
	return e
}

func tree(n int) (e [][2]uint32) {
	for i := 1; i < n; i++ {
		e = append(e, [2]uint32{uint32((i - 1) / 2), uint32(i)})
	}
	return e
}

func grid(w, h int) (e [][2]uint32) {
	for y := 0; y < h; y++ {
		for x := 0; x < w; x++ {
			if x > 0 {
				e = append(e, [2]uint32{uint32(y*w + x - 1), uint32(y*w + x)})
			}
			if y > 0 {
				e = append(e, [2]uint32{uint32(y*w + x - w), uint32(y*w + x)})
			}
		}
	}
	return e
}

func uniform(n, m int, seed int64) (e [][2]uint32) {
	r := rand.New(rand.NewSource(seed))
	for i := 0; i < m; i++ {
		e = append(e, [2]uint32{uint32(r.Intn(n)), uint32(r.Intn(n))})
	}
	return e
}

// skewed chooses ends with a probability that falls as a power of a shuffled number.
func skewed(n, m int, seed int64) (e [][2]uint32) {
	r := rand.New(rand.NewSource(seed))
	ids := r.Perm(n)
	pick := func() uint32 {
		x := r.Float64()
		return uint32(ids[int(x*x*x*float64(n))])
	}
	for i := 0; i < m; i++ {
		e = append(e, [2]uint32{pick(), pick()})
	}
	return e
}

// hubs joins k hubs in a ring, and every other vertex to one of them.
func hubs(n, k int) (e [][2]uint32) {
	for i := 0; i < k; i++ {
		e = append(e, [2]uint32{uint32(i), uint32((i + 1) % k)})
	}
	for i := k; i < n; i++ {
		e = append(e, [2]uint32{uint32(i), uint32(i % k)})
	}
	return e
}

// simple returns the rows of the graph without loops and duplicates: the
// out-neighbours and the in-neighbours of each vertex, rising.
func (s shape) simple() (out, in [][]uint32) {
	out, in = make([][]uint32, s.n), make([][]uint32, s.n)
	arc := func(u, v uint32) {
		out[u] = append(out[u], v)
		in[v] = append(in[v], u)
	}
	for _, e := range s.edges {
		if e[0] == e[1] {
			continue
		}
		arc(e[0], e[1])
		if !s.directed {
			arc(e[1], e[0])
		}
	}
	for v := range out {
		out[v], in[v] = distinct(out[v]), distinct(in[v])
	}
	return out, in
}

func distinct(list []uint32) []uint32 {
	sort.Slice(list, func(i, j int) bool { return list[i] < list[j] })
	var kept []uint32
	for i, v := range list {
		if i == 0 || v != list[i-1] {
			kept = append(kept, v)
		}
	}
	return kept
}
