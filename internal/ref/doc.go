// Package ref holds slow, obviously right oracles for tests: breadth-first levels,
// shortest distances, components, a checker of search trees, and a corpus of small
// graphs, some of package gen. It shares no other code with what it checks. Only tests import it.
package ref
