// Package ref holds slow, obviously right oracles for tests: breadth-first levels,
// shortest distances, components, a checker of search trees, and a corpus of small
// graphs. It shares no code with what it checks. Only tests import it.
package ref
