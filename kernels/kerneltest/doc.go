// Package kerneltest is the conformance kit of kernels.Processor: every processor
// passes it, whatever it runs on.
//
//	func TestProcessor(t *testing.T) {
//		kerneltest.Run(t, func(t *testing.T) kernels.Processor { return cpu.New(cpu.Options{Threads: 2}) })
//	}
//
// # How it tests
//
// The kit places small graphs on one to three partitions itself (layout.go), and
// drives their processors through whole searches, one call at a time, with scripted
// directions (search.go). Beside each processor runs the model, a processor as plain
// as can be (Reference): after every call both must have told the same vertices, the
// same counts and the same finders. What may differ, the choice among valid parents,
// is checked against levels that a plain queue finds on the original graph
// (oracle.go). So the model is itself tested on every search.
//
// # What it demands beyond the words of the interface
//
//   - A message is exact: no vertex twice, no padding bit, Count right, the form that
//     kernels.AsList picks; an empty one has neither List nor Bits.
//   - Messages of different ranges of one sender are valid at the same time, those of
//     an Outbox also after the sender's Finish.
//   - A processor takes a bitmap where the sender could have sent a list.
//   - Publish does not change the search, and may be called at any level.
//   - A partition may own several ranges, or none.
//   - The Part is left as it was.
package kerneltest
