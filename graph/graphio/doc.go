// Package graphio reads and writes graph files.
//
// Open reads every format that Formats lists, compressed or not, from a file or from
// standard input; Save writes the writable ones. The conventions of each format stand
// in docs/formats.md.
//
// # How a file becomes a graph
//
//	Open   input     file or stream, decompressed: a window of bytes, mapped where possible      input.go, compression.go
//	       unpack    the one graph in a tar or zip archive, as a stream                          archive.go
//	       formats   the table of formats; detect finds the row by marks, then by name           formats.go, marks.go
//	       read      the row's function reads the header and settles the layout of the records   edgelist.go, metis.go, …
//	       scan      blocks of lines, parsed in parallel: ids, weights, lines of faults          scan.go, numbers.go
//	       list      blocks to one edge list: declared vertices, or the ids that occur           list.go
//	       override  Options.Direction                                                           open.go
//	Save   write     the row's function checks what the format holds and writes the header       edgelist.go, metis.go, …
//	       list      records or rows formatted in parallel, written in order                     write.go
//	       output    compressed, under a temporary name, renamed once complete                   save.go
//
// A new text format is a row of the table, perhaps a mark, a function that fills in a layout, and one that calls writer.list.
// A line of records is read by layout.numbers, which takes what most lines are, and else by layout.row, which takes any and
// names its fault. Headers are read line by line: reading ahead has no error, a stream that fails just ends, and Open returns
// its failure before anything that a reader says of the missing rest. Binary formats check the size of the file against their
// header before they allocate. METIS and adjacency graphs list rows, not records: they read words at a cursor.
//
// # The native format
//
// A .tgr file is the engine's CSR as it lies in memory, so that opening it is mapping
// it. All numbers are little-endian. Sections begin at multiples of 64 bytes, in the
// order of the drawing; the gaps between are zero.
//
//	offset  size  what
//	     0     8  89 54 47 52 0d 0a 1a 0a ("\x89TGR\r\n\x1a\n")
//	     8     4  version, 1, or 2 with flag bit 4
//	    12     4  flags: bit 0 directed, bit 1 labels are a table, bit 2 vertex weights,
//	              bit 3 vertex sizes, bit 4 names
//	    16     8  n, vertices
//	    24     8  records: edges, an undirected one once
//	    32     8  m, arcs: entries of the rows
//	    40     8  self-loops among the records
//	    48     4  kind of weights: 0 none, 1 int32, 2 int64, 3 float32, 4 float64
//	    52     4  weights a vertex (METIS ncon), 0 without flag bit 2
//	    56     8  label of vertex 0, where labels are no table: labels are it + id
//	    64     8  size of the file
//	    72     8  bytes of all names, 0 without flag bit 4
//	    80    40  zero
//	   120     4  CRC-32C of the bytes from 128 on
//	   124     4  CRC-32C of the bytes 0 … 123
//	   128        (n+1) × 8  offsets: row v is targets[offsets[v]:offsets[v+1]]
//	              m × 4      targets; rows rise; both arcs of an undirected edge, a
//	                         self-loop once
//	              m × 4 or 8 weights of the entries, where there are any
//	              n × 8      labels, strictly rising, where they are a table
//	              n × weights a vertex × 8  vertex weights, where there are any
//	              n × 8      vertex sizes, where there are any
//	              n × 8      end of each name in the bytes that follow, where there are names
//	              …          the names, in rising order of bytes
//
// Opening checks the header, its checksum and that the size of the file is what the
// header implies: that takes no time in proportion to the graph. It does not check
// that offsets rise, that targets are vertices, or the checksum of the data: the
// pass that places the graph does the former, and File.Verify does both and the latter.
//
// # Files that change while they are mapped
//
// Files are mapped where the system allows it. If another program cuts a file short
// while it is read, Open returns an error that wraps ErrTruncated: its goroutines run
// under Guard, and the size is looked at again at the end. A native file stays mapped
// as long as its Source is used. Code that reads the Source under Guard gets the same
// error; elsewhere the system ends the program with a fault of memory (SIGBUS), which
// nothing in a process can prevent. A file that is overwritten in place is read as it
// is at that moment: what was checked may no longer hold. Save never does that, it
// renames a complete file over the old one, and the mapping keeps the old one.
package graphio
