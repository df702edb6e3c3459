package engine

import "github.com/totemgo/totemgo/program"

// searchPaths adds the dependencies of a root × weight to scores; one is one path. many reports that a vertex has
// too many paths: scores are as before.
func searchPaths(m program.Machine, root uint32, one program.Bits, weight float64) (many bool, err error) {
	if _, err := m.Seed(root, bcIn, one); err != nil {
		return false, err
	}
	const unseen = program.MaxSets
	left, wide := m.Info().Arcs, []bool{false} // arcs of unvisited vertices; by level: its vertices have many arcs
	for level := program.Set(1); ; level++ {   // level − 1 arcs from the root
		f, moved, err := m.VertexMap(bcMove, program.Default)
		if err != nil || moved.Sum[0] > 0 {
			return err == nil, err
		}
		if f.Count == 0 {
			break
		}
		if err := m.Keep(level); err != nil {
			return false, err
		}
		left -= f.Arcs
		wide = append(wide, f.Arcs > m.Info().Arcs/widePart)
		// Visited neighbours of an unvisited vertex are all of this level, those of a vertex of this level not beyond
		// the next: as numbers of others are 0, a pull from all sums up the same.
		step, over := program.Step{Way: program.Pull, From: program.All, Over: unseen}, program.All
		pull := pushCost*f.Arcs > left+m.Info().Vertices
		if !pull {
			_, err = m.EdgeMap(bcCount, program.Step{Way: program.Push})
			if pull = -moved.Min*float64(f.Arcs) > 1<<53; pull { // else the sums are exact, in any order
				step.From, over = level, program.Default
			}
		}
		if pull && err == nil {
			if _, _, err = m.VertexMap(bcUnseen, over); err == nil {
				err = m.Keep(unseen)
			}
			if err == nil {
				_, err = m.EdgeMap(bcCount, step)
			}
		}
		if err != nil {
			return false, err
		}
	}
	for level := program.Set(len(wide) - 1); level > 0; level-- {
		if level == 1 {
			weight = 0 // the root's own
		}
		if _, _, err := m.VertexMap(bcShare, level, weight); err != nil {
			return false, err
		}
		if level > 2 {
			step := program.Step{Way: program.Pull, From: level, Over: level - 1}
			if wide[level-1] {
				step.From = program.All
			}
			if _, err := m.EdgeMap(bcBack, step); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// widePart is the part of all arcs from which on those of a level are pulled from all vertices, pushCost the cost of
// an arc by push, by pull 1.
const widePart, pushCost = 32, 8
