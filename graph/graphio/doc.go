// Package graphio reads and writes graph files.
//
// Open reads every format that Formats lists, compressed or not, from a file or from
// standard input; Save writes the writable ones. The conventions of each format stand
// in docs/formats.md.
package graphio
