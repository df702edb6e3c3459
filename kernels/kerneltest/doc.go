// Package kerneltest is the conformance kit of kernels.Processor, which every processor
// passes.
//
//	func TestProcessor(t *testing.T) {
//		kerneltest.Run(t, func(t *testing.T) kernels.Processor { return cpu.New(2) })
//	}
//
// # How it tests
//
// The kit places small graphs on ranges and grids of partitions (layout.go), opens programs on
// their processors, and drives each run one call at a time next to a serial model that
// interprets any program with plain loops (machine.go, model.go). Messages, counts and results
// must be equal.
//
// Breadth-first search runs by scripted ways on every processor, with rules of single calls
// (search.go). Parents may differ from the model's; they are checked against the levels of a
// plain search of the original graph. Programs of every combination and type (programs.go) run
// where a processor accepts them. The model's own parents and results are compared with plain loops
// over the whole graph in the test of this package alone (oracle_test.go).
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
