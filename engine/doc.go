// Package engine is the front door: it places a graph on processors and runs
// algorithms on it, with results in the graph's own vertex ids.
//
// # Basics
//
// Six nouns: a Graph (graph.CSR or graph.EdgeList) is placed as Partitions, one for
// each Processor; a search moves a Frontier across them by an Operator; it returns a
// Result.
//
//	e, err := engine.New(ctx, g, engine.Options{})
//	if err != nil { … }
//	defer e.Close()
//	r, err := e.BFS(ctx, root)          // root is an id of the file
//	for vertex, parent := range r.Tree() { … }
//
// An Engine may be used from any goroutine. It runs one search at a time: calls
// queue, and a queued call leaves when its context ends. Memory: see Options.
// Results outlive the engine.
//
// Nothing is started by importing the package; Close ends every goroutine of an
// engine. GOMAXPROCS is respected.
package engine
