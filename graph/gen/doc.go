// Package gen makes graphs: the Graph500 Kronecker graph bit for bit, R-MAT with
// free parameters, uniform random graphs, and small named shapes.
//
// Every kind is a Recipe: an options struct that knows its size without making
// anything, and that can fill any range of its edges on its own. Edge i depends on
// the options and i alone, so the output is the same for every number of threads
// and for every division into ranges.
//
//	list, err := gen.Make(ctx, gen.KroneckerOptions{Scale: 20})
//
// makes a whole graph in memory; a Recipe's Fill makes a range of it.
package gen
