package engine

import (
	"context"
	"math"
	"math/bits"
	"time"

	"github.com/totemgo/totemgo/program"
)

// Arrays of many.
const (
	mrSeen  = iota // bit of a root of the batch: it reaches the vertex
	mrFront        // those that did in the last step
	mrNext         // those that do in this one
	mrTotal
	mrHarmonic
	mrReach
	mrFar

	mrSettle = 0 // vertex operators
	mrForget = 1
)

// many is a bit-parallel breadth-first search from 64 roots.
var many = [2]*program.Program{manyAlong(program.Forward), manyAlong(program.Backward)}

func manyAlong(arcs program.Arcs) *program.Program {
	return &program.Program{
		Name: "many roots",
		Arrays: []program.Array{{Name: "known", Type: program.U64, Scratch: true}, {Name: "front", Type: program.U64, Scratch: true},
			{Name: "more", Type: program.U64, Scratch: true}, {Name: "total", Type: program.U64}, {Name: "harmonic", Type: program.U64},
			{Name: "reach", Type: program.U32}, {Name: "far", Type: program.U32}},
		Edges: []program.EdgeOp{{Name: "spread", From: mrFront, To: mrNext, Arcs: arcs, Map: program.Copy, Combine: program.Or, Known: 1 + mrSeen}},
		Vertices: []program.VertexOp{
			{Name: "settle", Block: settleRoots, Device: `u64 x = more[v] & ~known[v];
more[v] = 0;
front[v] = x;
if (x) {
  uint n = POPC((uint)x) + POPC((uint)(x >> 32)), level = (uint)ARG(0);
  known[v] |= x;
  total[v] += (u64)n * level;
  harmonic[v] += n * (u64)ARG(1);
  reach[v] += n;
  far[v] = far[v] > level ? far[v] : level;
  SUM(0, n);
} else DROP;`},
			{Name: "forget", Block: forgetRoots, Device: "known[v] = 0; DROP;"},
		},
	}
}

// settleRoots makes the bits that arrived known, at level Args[0]; Args[1] is its reciprocal in units of the harmonic
// sum. Sum[0] is the number of bits.
func settleRoots(b *program.Block) {
	seen, front, next := program.Of[uint64](b, mrSeen), program.Of[uint64](b, mrFront), program.Of[uint64](b, mrNext)
	total, harmonic := program.Of[uint64](b, mrTotal), program.Of[uint64](b, mrHarmonic)
	reach, far := program.Of[uint32](b, mrReach), program.Of[uint32](b, mrFar)
	level, unit := uint32(b.Args[0]), uint64(b.Args[1])
	for i := range b.Each() {
		x := next[i] &^ seen[i]
		if next[i], front[i] = 0, x; x == 0 {
			b.Drop(i)
			continue
		}
		n := uint64(bits.OnesCount64(x))
		seen[i] |= x
		total[i] += n * uint64(level)
		harmonic[i] += n * unit
		reach[i] += uint32(n)
		far[i] = max(far[i], level)
		b.Sum[0] += float64(n)
	}
}

// forgetRoots ends a batch.
func forgetRoots(b *program.Block) {
	clear(program.Of[uint64](b, mrSeen))
	clear(b.Set)
}

// programDistances is hostDistances on any processors.
func (e *Engine) programDistances(ctx context.Context, t *turn, r *ClosenessResult, roots []uint32, outward bool, finished batchFinished) error {
	p := many[0]
	if outward {
		p = many[1]
	}
	run, err := e.run(ctx, t, p, 0, func(m program.Machine) (err error) {
		for ; len(roots) > 0; roots = roots[min(64, len(roots)):] {
			start, batch := time.Now(), roots[:min(64, len(roots))]
			for i, rank := range batch {
				if _, err = m.Seed(rank, mrNext, program.Bits(1)<<i); err != nil {
					return err
				}
			}
			for level, unit := 0, 0.0; ; level++ {
				if level > 0 {
					unit = math.Round(float64(uint64(1)<<r.shift) / float64(level))
				}
				f, sums, err := m.VertexMap(mrSettle, program.Default, float64(level), unit)
				if err != nil {
					return err
				}
				if f.Count == 0 {
					break
				}
				for len(r.Hops) <= level {
					r.Hops = append(r.Hops, 0)
				}
				r.Hops[level] += int64(sums.Sum[0])
				s := program.Step{Way: program.Push}
				if f.Arcs > m.Info().Arcs/pullPart {
					s.Way = program.Pull
				}
				if _, err = m.EdgeMap(0, s); err != nil {
					return err
				}
			}
			if _, _, err := m.VertexMap(mrForget, program.All); err != nil {
				return err
			}
			finished(len(batch), 1, time.Since(start))
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.RunResult = run
	r.Reach, r.Eccentricity = ArrayOf[uint32](run, mrReach), ArrayOf[uint32](run, mrFar)
	r.Total, r.harmonic = ArrayOf[uint64](run, mrTotal), ArrayOf[uint64](run, mrHarmonic)
	return nil
}
