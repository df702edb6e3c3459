// Package engine places a graph on processors and runs algorithms on it, with results in the
// graph's own vertex ids.
//
// # Basics
//
// New places a graph (graph.EdgeList or graph.CSR) as one partition per processor. An
// algorithm is a method of the Engine; its result is indexed by dense vertex id, and
// graph.Labels translates dense ids and the file's.
//
//	e, err := engine.New(ctx, g, engine.Options{})
//	if err != nil { … }
//	defer e.Close()
//	r, err := e.BFS(ctx, root)          // root is an id of the file
//	for vertex, parent := range r.Tree() { … }
//
// An Engine may be used from any goroutine. Runs share its threads, first come, first served: one
// takes max(1, free ÷ callers) of each CPU processor, and waits while a
// processor has none. A lone run has all; with a device one goes on at a time. A call that waits
// returns when its context ends; one from a body, an operator or a Progress of the same engine waits
// for the run that it is in. Options.MemoryLimit bounds the memory. Results outlive the engine.
//
// Importing the package starts nothing; Close ends every goroutine of an engine. No engine
// uses more threads than GOMAXPROCS.
package engine
