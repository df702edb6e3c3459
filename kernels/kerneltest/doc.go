// Package kerneltest is the conformance kit of kernels.Processor, which every processor
// passes.
//
//	func TestProcessor(t *testing.T) {
//		kerneltest.Run(t, func(t *testing.T) kernels.Processor { return cpu.New(2) })
//	}
//
// # How it tests
//
// The kit places small graphs on one to three partitions (layout.go) and drives their
// processors through whole searches, one call at a time, with scripted directions
// (search.go). Every call also goes to a model, a serial processor (NewReference): messages,
// counts and finders must be equal. Parents may differ; they are checked against the levels
// of a plain search of the original graph (oracle.go), as are the model's.
//
// # Programs
//
// Programs opens programs of every combination and type on processors,
// over ranges and grids of partitions (play.go), and drives each run next to a model that
// interprets any program with plain loops (machine.go, model.go). Messages, counts and results
// must be equal; results are also checked by plain loops over the whole graph (programs.go).
//
// # Demands beyond the interface
//
//   - A message is exact: no vertex twice, no padding bit, Count right, the form that
//     kernels.AsList picks; an empty one has neither List nor Bits.
//   - A processor accepts a bitmap where a list would be smaller.
//   - Expand may be called at any level.
//   - A partition may own several ranges, or none.
//   - The Part is not changed.
package kerneltest
