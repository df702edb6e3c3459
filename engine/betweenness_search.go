package engine

import "github.com/totemgo/totemgo/program"

// searchPaths adds the dependencies of a root × weight to scores; one is one path. many reports that a vertex has
// too many paths, or that there are more levels than most: scores are as before.
func (d *driver) searchPaths(root uint32, one program.Bits, weight float64, most int) (many bool) {
	d.seed(root, bcIn, one)
	const unseen = program.MaxSets
	left, wide := d.Info().Arcs, []bool{false} // arcs of unvisited vertices; by level: its vertices have many arcs
	for level := program.Set(1); ; level++ {   // level − 1 arcs from the root
		f, moved := d.vertices(bcMove, program.Default)
		if moved.Sum[0] > 0 || int(level) > most {
			return true
		}
		if f.Count == 0 {
			break
		}
		d.keep(level)
		left -= f.Arcs
		wide = append(wide, f.Arcs > d.Info().Arcs/widePart)
		// Visited neighbours of an unvisited vertex are all of this level, those of a vertex of this level not beyond
		// the next: as numbers of others are 0, a pull from all sums up the same.
		step, over := program.Step{Way: program.Pull, From: program.All, Over: unseen}, program.All
		pull := pushCost*f.Arcs > left+d.Info().Vertices
		if !pull {
			d.edges(bcCount, program.Step{Way: program.Push})
			if pull = -moved.Min*float64(f.Arcs) > 1<<53; pull { // else the sums are exact, in any order
				step.From, over = level, program.Default
			}
		}
		if pull {
			d.vertices(bcUnseen, over)
			d.keep(unseen)
			d.edges(bcCount, step)
		}
	}
	for level := program.Set(len(wide) - 1); level > 0; level-- {
		if level == 1 {
			weight = 0 // the root's own
		}
		d.vertices(bcShare, level, weight)
		if level > 2 {
			step := program.Step{Way: program.Pull, From: level, Over: level - 1}
			if wide[level-1] {
				step.From = program.All
			}
			d.edges(bcBack, step)
		}
	}
	return false
}

// widePart is the part of all arcs from which on those of a level are pulled from all vertices, pushCost the cost of
// an arc by push, by pull 1.
const widePart, pushCost = 32, 8
