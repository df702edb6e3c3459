package graphio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
)

type good struct {
	name     string
	file     string
	content  string
	options  graphio.Options
	vertices int
	directed bool
	records  []string // sorted
	warning  string   // in one of the warnings
	ignored  int64
	tolerate int64
	stated   bool
}

// graphmlOf is a GraphML file with a key of weights and one graph.
func graphmlOf(attributes, body string) string {
	return `<graphml><key id="w" for="edge" attr.name="Weight" attr.type="double"/>` + "\n<graph " + attributes + ">" + body + "</graph></graphml>"
}

func goodFiles() []good {
	path := []string{"0 1", "1 2", "2 3"}
	return []good{
		{name: "K01/lf", file: "a.el", content: "0 1\n1 2\n2 3\n", vertices: 4, directed: true, records: path},
		{name: "K01/crlf", file: "a.el", content: "0 1\r\n1 2\r\n2 3\r\n", vertices: 4, directed: true, records: path},
		{name: "K01/cr", file: "a.el", content: "0 1\r1 2\r2 3\r", vertices: 4, directed: true, records: path},
		{name: "K01/mixed", file: "a.el", content: "0 1\r1 2\r\n2 3\n", vertices: 4, directed: true, records: path},
		{name: "K01/bom", file: "a.el", content: "\xef\xbb\xbf0 1\n1 2\n2 3\n", vertices: 4, directed: true, records: path},
		{name: "K01/bom-comment", file: "a.txt", content: "\xef\xbb\xbf# Undirected graph\r\n0 1\r\n1 2\r\n2 3", vertices: 4, records: path, stated: true},
		{name: "K01/no-final-newline", file: "a.el", content: "0 1\n1 2\n2 3", vertices: 4, directed: true, records: path},
		{name: "K01/blanks", file: "a.el", content: "  0\t \t1  \n\n \t\n1 2\t\n\t2 3 \n \n", vertices: 4, directed: true, records: path},
		{name: "K01/leading-zeros", file: "a.el", content: "00 0000000000000000000000001\n1 02\n2 3\n", vertices: 4, directed: true, records: path},
		{name: "K01/comma", file: "a.csv", content: "0,1\n1 , 2\n2,\t3\n", vertices: 4, directed: true, records: path},
		{name: "K01/semicolon", file: "a.csv", content: "from;to\n0;1\n1;2\n2;3\n", vertices: 4, directed: true, records: path},
		{name: "K01/no-extension", file: "edges", content: "0 1\n1 2\n2 3\n", vertices: 4, directed: true, records: path},
		{name: "K01/text-named-edges", file: "a.edges", content: "0 1\n1 2\n2 3\n", vertices: 4, directed: true, records: path},
		{name: "K02/comments", file: "a.txt", content: "# Nodes: 9 Edges: 9\n% x\n0 1\n  # y\n1 2\n2 3\n#", vertices: 4, directed: true, records: path},
		{name: "K02/undirected", file: "a.txt", content: "# Undirected graph: x\n0 1\n1 2\n2 3\n", vertices: 4, records: path, stated: true},
		{name: "K02/undirected-later", file: "a.txt", content: "# x\n# Undirected graph\n0 1\n1 2\n2 3\n", vertices: 4, directed: true, records: path},
		{name: "K02/override", file: "a.txt", content: "# Undirected graph\n0 1\n1 2\n2 3\n", options: graphio.Options{Direction: graphio.Directed}, vertices: 4, directed: true, records: path, stated: true},
		{name: "K16/stated-edges", file: "a.txt", content: "# Nodes: 4 Edges: 1,000\n0 1\n1 2\n2 3\n", vertices: 4, directed: true, records: path, warning: "1000 edges and holds 3"},
		{name: "K16/stated-before", file: "a.txt", content: "# a graph of 4 nodes and 7 edges\n0 1\n1 2\n2 3\n", vertices: 4, directed: true, records: path, warning: "7 edges and holds 3"},
		{name: "K16/stated-bars", file: "a.txt", content: "# |V|=4, |E|=7\n0 1\n1 2\n2 3\n", vertices: 4, directed: true, records: path, warning: "7 edges and holds 3"},
		{name: "K16/stated-sizes", file: "a.edges", content: "% 4 4 7\n0 1\n1 2\n2 3\n", vertices: 4, directed: true, records: path, warning: "7 edges and holds 3"},
		{name: "K16/stated-vertices", file: "a.txt", content: "# Nodes: 9 Edges: 3\n0 1\n1 2\n2 3\n", vertices: 4, directed: true, records: path, warning: "9 vertices and its edges name 4"},
		{name: "K52/matrix-columns", file: "a.csv", content: ",a,b\na,0,1\nb,1,0\n", options: graphio.Options{Columns: []string{"a", "b"}}, vertices: 2, directed: true,
			records: []string{"0 1", "1 0"}, ignored: 2, warning: "other than"},
		{name: "K52/edge-first", file: "a.txt", content: "4 4 3\n1 2 5\n2 3 6\n3 4 7\n", options: graphio.Options{FirstLine: graphio.FirstEdge}, vertices: 4, directed: true,
			records: []string{"1 2", "2 3", "3 4", "4 4"}, ignored: 4, warning: "left out"},
		{name: "K52/metis-blank-line", file: "x", content: "3 2 0\n2\n1 3\n2\n\n", vertices: 3, records: []string{"1 2", "2 3"}, stated: true},
		{name: "K52/single-letters", file: "a.txt", content: "a b\nb c\ne a\n", vertices: 4, directed: true, records: []string{"0 1", "1 2", "3 0"}},
		{name: "K03/no-zero", file: "a.el", content: "1 2\n2 1\n", vertices: 2, directed: true, records: []string{"1 2", "2 1"}},
		{name: "K04/64-bits", file: "a.el", content: "18446744073709551615 0\n0 4294967296\n", vertices: 3, directed: true, records: []string{"0 4294967296", "18446744073709551615 0"}},
		{name: "K05/header", file: "a.txt", content: "Source Destination Timestamp\n1 2 100\n2 1 101\n", vertices: 2, directed: true, records: []string{"1 2", "2 1"}, ignored: 2, warning: "left out"},
		{name: "K05/words-in-column-3", file: "a.txt", content: "1 2 friend\n2 1 foe\n", vertices: 2, directed: true, records: []string{"1 2", "2 1"}, ignored: 2, warning: "left out"},
		{name: "K05/weight-column", file: "a.txt", content: "1 2 x 0.5\n2 1 y 7\n", options: graphio.Options{WeightColumn: 4}, vertices: 2, directed: true, records: []string{"1 2 0.5", "2 1 7"}, ignored: 2},
		{name: "K05/weight-column-csv", file: "a.csv", content: "a,b,w\n1,2,3\n2,1,-4\n", options: graphio.Options{WeightColumn: 3}, vertices: 2, directed: true, records: []string{"1 2 3", "2 1 -4"}},
		{name: "K05/wel-unweighted", file: "a.wel", content: "1 2 3\n2 1 x\n", options: graphio.Options{WeightColumn: -1}, vertices: 2, directed: true, records: []string{"1 2", "2 1"}, ignored: 2},
		{name: "K05/lenient", file: "a.el", content: "1 2\n2 1 7\n", options: graphio.Options{Lenient: true}, vertices: 2, directed: true, records: []string{"1 2", "2 1"}, ignored: 1, tolerate: 1},
		{name: "K51/index-first", file: "a.csv", content: ",source,target\n0,10,20\n1,20,30\n2,30,10\n", vertices: 3, directed: true,
			records: []string{"10 20", "20 30", "30 10"}, ignored: 3, warning: "other than 2 and 3"},
		{name: "K51/exact-names-first", file: "a.csv", content: "source,source_name,target,target_name\n1,a,2,b\n2,b,3,c\n", vertices: 3, directed: true,
			records: []string{"1 2", "2 3"}, ignored: 4, warning: "other than 1 and 3"},
		{name: "K51/strong-names-first", file: "a.csv", content: "start,end,src,dst\n3,4,1,2\n4,5,2,3\n", vertices: 3, directed: true,
			records: []string{"1 2", "2 3"}, ignored: 4, warning: "other than 3 and 4"},
		{name: "K51/gephi", file: "a.csv", content: "Source,Target,Type\n1,2,Undirected\n2,3,Undirected\n", options: graphio.Options{Direction: graphio.Undirected}, vertices: 3,
			records: []string{"1 2", "2 3"}, ignored: 2, warning: "left out"},
		{name: "K51/numbered-headers", file: "a.csv", content: "w,Person1Id,Person2Id\n7,1,2\n8,2,3\n", vertices: 3, directed: true,
			records: []string{"1 2", "2 3"}, ignored: 2, warning: "other than 2 and 3"},
		{name: "K51/header-of-letters", file: "a.csv", content: "a,b\n1,2\n2,3\n", vertices: 3, directed: true, records: []string{"1 2", "2 3"}},
		{name: "K51/header-of-names", file: "a.csv", content: "name_a,name_b\nalice,bob\nbob,carol\n", vertices: 3, directed: true, records: []string{"0 1", "1 2"}},
		{name: "K51/any-case-and-order", file: "a.csv", content: "\"To\";Weight;\"FROM\"\n20;5;10\n30;6;20\n", vertices: 3, directed: true,
			records: []string{"10 20", "20 30"}, ignored: 2, warning: "other than 3 and 1"},
		{name: "K51/more-names-than-columns", file: "a.tsv", content: "a source\ttarget\n0\t1\n1\t2\n", vertices: 3, directed: true, records: []string{"0 1", "1 2"}},
		{name: "K51/columns-by-number", file: "a.tsv", content: "10\tlikes\t20\n20\tis\t30\n", options: graphio.Options{Columns: []string{"1", "3"}},
			vertices: 3, directed: true, records: []string{"10 20", "20 30"}, ignored: 2, warning: "other than"},
		{name: "K51/columns-by-name", file: "a.txt", content: "w b a\n5 2 1\n6.5 3 2\n", options: graphio.Options{Columns: []string{"A", "b", "w"}},
			vertices: 3, directed: true, records: []string{"1 2 5", "2 3 6.5"}},
		{name: "K51/columns-without-weights", file: "a.wel", content: "1 2 x\n2 3 y\n", options: graphio.Options{Columns: []string{"2", "1"}},
			vertices: 3, directed: true, records: []string{"2 1", "3 2"}, ignored: 2, warning: "other than"},
		{name: "K06/duplicates", file: "a.wel", content: "0 1 2\n0 1 9\n2 2 1\n", vertices: 3, directed: true, records: []string{"0 1 2", "0 1 9", "2 2 1"}},
		{name: "K07/no-bytes", file: "a.txt", content: "", directed: true, warning: "empty"},
		{name: "K07/comments", file: "a.el", content: "# a\n\n# b", directed: true, warning: "empty"},
		{name: "K07/metis-isolated", file: "a.graph", content: "4 1\n\n3\n2\n\n", vertices: 4, records: []string{"2 3"}, stated: true},
		{name: "K07/metis-last-line-empty", file: "a.graph", content: "3 1\n2\n1\n", vertices: 3, records: []string{"1 2"}, stated: true},
		{name: "K07/metis-empty", file: "a.graph", content: "0 0\n", stated: true},
		{name: "K07/mtx-empty", file: "a.mtx", content: "%%MatrixMarket matrix coordinate pattern general\n3 3 0\n", vertices: 3, directed: true, stated: true},
		{name: "K09/int64", file: "a.wel", content: "0 1 2147483648\n1 0 -9223372036854775808\n", vertices: 2, directed: true, records: []string{"0 1 2.147483648e+09", "1 0 -9.223372036854776e+18"}},
		{name: "K11/zero", file: "a.wel", content: "0 1 0\n1 0 -0\n", vertices: 2, directed: true, records: []string{"0 1 0", "1 0 0"}},
		{name: "K13/forms", file: "a.wel", content: "0 1 .5\n1 2 1e3\n2 3 +2\n3 4 1.\n4 5 -0.25E-1\n", vertices: 6, directed: true, records: []string{"0 1 0.5", "1 2 1000", "2 3 2", "3 4 1", "4 5 -0.025"}},
		{name: "K13/digits", file: "a.wel", content: "0 1 0.1234567890123456789\n1 0 123456789012345678901234567890.5\n", vertices: 2, directed: true, records: []string{"0 1 0.12345678901234568", "1 0 1.2345678901234568e+29"}},
		{name: "K13/real-without-point", file: "a.mtx", content: "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 123456789012345678901234567890\n2 3 9007199254740993\n3 1 -7\n", vertices: 3, directed: true, records: []string{"1 2 1.2345678901234568e+29", "2 3 9.007199254740992e+15", "3 1 -7"}, stated: true},
		{name: "K14/free-form", file: "a.mtx", content: "%%matrixmarket MATRIX Coordinate Real GENERAL\r\n%\r\n\r\n 2\t2 2\r\n\r\n1 2 1e2\r\n%c\r\n2 1 3", vertices: 2, directed: true, records: []string{"1 2 100", "2 1 3"}, stated: true},
		{name: "K14/one-percent", file: "a.mtx", content: "%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", options: graphio.Options{Lenient: true}, vertices: 2, records: []string{"1 2"}, stated: true, tolerate: 1, warning: "percent"},
		{name: "K15/symmetric", file: "a.mtx", content: "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 5\n2 1 6\n", vertices: 2, records: []string{"1 1 5", "1 2 6"}, stated: true},
		{name: "K15/symmetric-directed", file: "a.mtx", content: "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 5\n2 1 6\n", options: graphio.Options{Direction: graphio.Directed}, vertices: 2, directed: true, records: []string{"1 1 5", "1 2 6", "2 1 6"}, stated: true},
		{name: "K15/skew", file: "a.mtx", content: "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 6\n", vertices: 2, records: []string{"1 2 6"}, stated: true, warning: "skew"},
		{name: "K15/by-content", file: "a.txt", content: "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n", vertices: 2, directed: true, records: []string{"2 1"}, stated: true},
		{name: "K16/lenient", file: "a.mtx", content: "%%MatrixMarket matrix coordinate pattern general\n2 2 7\n2 1\n", options: graphio.Options{Lenient: true}, vertices: 2, directed: true, records: []string{"2 1"}, stated: true, tolerate: 1, warning: "7 entries"},
		{name: "K17/lenient", file: "a.gr", content: "p sp 5000000 1\na 1 2 3\n", options: graphio.Options{Lenient: true}, vertices: 5000000, directed: true, records: []string{"1 2 3"}, stated: true, tolerate: 1, warning: "5000000 vertices"},
		{name: "K17/vertices-without-records", file: "a.gr", content: "p sp 4194304 1\na 1 2 3\n", vertices: 4194304, directed: true, records: []string{"1 2 3"}, stated: true},
		{name: "K19/1", file: "a.graph", content: "2 1 001\n2 5\n1 5\n", vertices: 2, records: []string{"1 2 5"}, stated: true},
		{name: "K19/10", file: "a.graph", content: "% c\n2 1 10\n7 2\n% c\n8 1\n", vertices: 2, records: []string{"1 2"}, stated: true},
		{name: "K19/110-3", file: "a.graph", content: "2 1 110 3\n9 7 7 7 2\n9 8 8 8 1", vertices: 2, records: []string{"1 2"}, stated: true},
		{name: "K19/real-weights", file: "a.graph", content: "2 1 1\n2 5.5\n1 5.50\n", vertices: 2, records: []string{"1 2 5.5"}, stated: true},
		{name: "K19/duplicates", file: "a.graph", content: "2 2\n2 2\n1 1\n", vertices: 2, records: []string{"1 2", "1 2"}, stated: true},
		{name: "K19/self-loop", file: "a.graph", content: "2 2\n1 2\n1\n", options: graphio.Options{Lenient: true}, vertices: 2, records: []string{"1 1", "1 2"}, stated: true, tolerate: 1, warning: "self-loop"},
		{name: "K19/directed", file: "a.graph", content: "2 1\n2\n1\n", options: graphio.Options{Direction: graphio.Directed}, vertices: 2, directed: true, records: []string{"1 2", "2 1"}, stated: true},
		{name: "K20/undirected", file: "a.sg", content: le(byte(0), int64(3), int64(3), int64(0), int64(2), int64(3), int64(3), int32(0), int32(1), int32(0)), vertices: 3, records: []string{"0 0", "0 1"}, stated: true},
		{name: "K20/weighted", file: "a.wsg", content: le(byte(1), int64(1), int64(2), int64(0), int64(1), int64(1), int32(1), int32(-7), int64(0), int64(0), int64(1), int32(0), int32(-7)), vertices: 2, directed: true, records: []string{"0 1 -7"}, stated: true},
		{name: "K20/by-content", file: "a.bin", content: le(byte(1), int64(1), int64(2), int64(0), int64(1), int64(1), int32(1), int64(0), int64(0), int64(1), int32(0)), vertices: 2, directed: true, records: []string{"0 1"}, stated: true},
		{name: "K21/12", file: "a.g500", content: le(uint32(3), uint32(1), uint32(0)), vertices: 4, records: []string{"1 3"}, stated: true},
		{name: "K21/16", file: "a.edges", content: le(int64(3), int64(1)), options: graphio.Options{Tuple: 16}, vertices: 4, records: []string{"1 3"}, stated: true},
		{name: "K21/high-bits", file: "a.packed", content: le(uint32(3), uint32(1), uint32(0xffff0001)), vertices: 2, records: []string{"4294967299 281470681743361"}, stated: true},
		{name: "K21/far-apart", file: "a.packed", content: le(uint32(4000000000), uint32(1), uint32(0)), vertices: 2, records: []string{"1 4000000000"}, stated: true, warning: "that occur"},
		{name: "K21/mark-is-data", file: "a.packed", content: le(uint32(0xbfbbef), uint32(1), uint32(0), uint32(0xfeff), uint32(1), uint32(0)), vertices: 2 + 1, records: []string{"1 12565487", "1 65279"}, stated: true, warning: "that occur"},
		{name: "K21/directed", file: "a.g500", content: le(uint32(3), uint32(1), uint32(0)), options: graphio.Options{Direction: graphio.Directed}, vertices: 4, directed: true, records: []string{"3 1"}, stated: true},
		{name: "K21/other-name", file: "a.bin", content: le(uint32(3), uint32(1), uint32(0)), options: graphio.Options{Format: "graph500"}, vertices: 4, records: []string{"1 3"}, stated: true},
		{name: "gr/comments", file: "a.gr", content: "c a\nc\n\np sp 3 2\nc b\na 1 2 5\n\na 3 1 0\n", vertices: 3, directed: true, records: []string{"1 2 5", "3 1 0"}, stated: true},
		{name: "gr/by-content", file: "a", content: "c a\np sp 3 1\na 1 2 5\n", vertices: 3, directed: true, records: []string{"1 2 5"}, stated: true},
		{name: "adjacency/directed", file: "a.adj", content: "AdjacencyGraph\n3\n3\n0\n2\n2\n1\n2\n0\n", vertices: 3, directed: true,
			records: []string{"0 1", "0 2", "2 0"}},
		{name: "adjacency/blanks", file: "a", content: "AdjacencyGraph\r\n2 1\r\n0 1\r\n\r\n 1", vertices: 2, directed: true, records: []string{"0 1"}},
		{name: "adjacency/undirected", file: "a.adj", content: "WeightedAdjacencyGraph\n2\n2\n0\n1\n1\n0\n-5\n-5\n",
			options: graphio.Options{Direction: graphio.Undirected}, vertices: 2, records: []string{"0 1 -5"}},
		{name: "adjacency/without-weights", file: "a.adj", content: "WeightedAdjacencyGraph\n2\n1\n0\n1\n1\n7\n",
			options: graphio.Options{WeightColumn: -1}, vertices: 2, directed: true, records: []string{"0 1"}, ignored: 1},
		{name: "adjacency/empty", file: "a.adj", content: "AdjacencyGraph\n0\n0\n", directed: true},
		{name: "adjacency/one-line", file: "a.adj", content: "AdjacencyGraph 3 4 0 1 3 1 0 2 1", vertices: 3, directed: true,
			records: []string{"0 1", "1 0", "1 2", "2 1"}},
		{name: "K54/excel", file: "a.csv", content: "sep=;\nsource;target\n1;2\n", vertices: 2, directed: true, records: []string{"1 2"}},
		{name: "K54/ncol-of-one-edge", file: "a.ncol", content: "a b\n", vertices: 2, records: []string{"0 1"}, stated: true},
		{name: "K54/ncol-with-header", file: "a.ncol", content: "u v\n1 2\n", options: graphio.Options{FirstLine: graphio.FirstNames}, vertices: 2,
			records: []string{"1 2"}, stated: true},
		{name: "K54/parent-child", file: "a.csv", content: "eid,parent,child\n100,1,2\n200,2,3\n", vertices: 3, directed: true,
			records: []string{"1 2", "2 3"}, ignored: 2, warning: "left out"},
		{name: "K54/first-words", file: "a.csv", content: "n,SOURCE_SUBREDDIT,TARGET_SUBREDDIT\n100,1,2\n200,2,3\n", vertices: 3, directed: true,
			records: []string{"1 2", "2 3"}, ignored: 2},
		{name: "K54/head-tail", file: "a.csv", content: "head,relation,tail\n10,1,20\n20,2,30\n", vertices: 3, directed: true,
			records: []string{"10 20", "20 30"}, ignored: 2},
		{name: "K55/names-with-digits", file: "a.csv", content: "IBM,Intel\n3M,IBM\n7eleven,Intel\n", vertices: 4, directed: true,
			records: []string{"0 2", "1 3", "2 3"}},
		{name: "K55/names-and-numbers", file: "a.csv", content: "alice,bob\n12,carol\nzed,bob\n", vertices: 5, directed: true,
			records: []string{"0 3", "1 2", "4 2"}},
		{name: "K55/missing-names", file: "a.csv", content: "source,target\nNA,carol\nx,NA\n", vertices: 3, directed: true, records: []string{"0 1", "2 0"}},
		{name: "K55/recipient-sender", file: "a.csv", content: "recipient,sender\n1,2\n", vertices: 2, directed: true, records: []string{"2 1"}},
		{name: "K55/ziel-quelle", file: "a.csv", content: "Ziel;Quelle\n1;2\n", vertices: 2, directed: true, records: []string{"2 1"}},
		{name: "K55/followed", file: "a.csv", content: "followed_id,follower_id\n1,2\n", vertices: 2, directed: true, records: []string{"2 1"}},
		{name: "K55/two-papers", file: "a.csv", content: "paper_id,cited_paper_id\n1,2\n2,3\n", vertices: 3, directed: true, records: []string{"1 2", "2 3"}},
		{name: "K55/two-kinds-named", file: "a.csv", content: "user_id,item_id\n1,2\n2,3\n", options: graphio.Options{Columns: []string{"1", "2"}}, vertices: 3,
			directed: true, records: []string{"1 2", "2 3"}},
		{name: "K55/comment-of-columns", file: "a.csv", content: "# source,target\n1,2\n2,3\n", vertices: 3, directed: true, records: []string{"1 2", "2 3"}},
		{name: "K55/comment-of-years", file: "a.txt", content: "# from 2010 to 2012\n1 2 5\n2 3 6\n", vertices: 3, directed: true, records: []string{"1 2", "2 3"},
			ignored: 2, warning: "left out"},
		{name: "K55/undirected-line", file: "a.txt", content: "Undirected graph: x\n1 2\n2 3\n", vertices: 3, records: []string{"1 2", "2 3"}, stated: true},
		{name: "K55/undirected-word", file: "a.txt", content: "# Type: UNDIRECTED\n1 2\n2 3\n", vertices: 3, directed: true, records: []string{"1 2", "2 3"},
			warning: "says undirected"},
		{name: "K55/stated-first", file: "a.wel", content: "# Undirected graph\n1 2 1\n1 2 1\n2 1 1\n", vertices: 2,
			records: []string{"1 2 1", "1 2 1", "1 2 1"}, stated: true},
		{name: "K55/dimacs-both-ends", file: "a.col", content: "p col 3 5\ne 1 2\ne 2 1\ne 2 3\ne 3 2\ne 3 3\n", vertices: 3,
			records: []string{"1 2", "2 3", "3 3"}, stated: true, warning: "5 edges are taken for 3 edges"},
		{name: "K55/symmetric-both-ends", file: "a.mtx", content: "%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 2 5\n2 1 5\n2 2 1\n2 3 6\n3 2 6\n",
			vertices: 3, records: []string{"1 2 5", "2 2 1", "2 3 6"}, stated: true, warning: "5 entries are taken for 3 edges"},
		{name: "K55/symmetric-two-values", file: "a.mtx", content: "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 2 5\n2 1 6\n",
			vertices: 2, records: []string{"1 2 5", "1 2 6"}, stated: true},
		{name: "K55/dimacs-both-arcs", file: "a.col", content: "p edge 2 2\ne 1 2\ne 2 1\n", options: graphio.Options{Direction: graphio.Directed}, vertices: 2,
			directed: true, records: []string{"1 2", "2 1"}, stated: true},
		{name: "K55/keep-ids-graphml", file: "a.graphml", content: `<graphml><graph edgedefault="directed"><node id="7"/><node id="5"/><edge source="7" target="5"/></graph></graphml>`,
			options: graphio.Options{Vertices: -1}, vertices: 2, directed: true, records: []string{"7 5"}, stated: true},
		{name: "K55/foreign-elements", file: "a.graphml", content: `<graphml xmlns:y="u"><graph edgedefault="directed"><y:node id="9"/><node id="0"/><node id="1"/>` +
			`<edge source="0" target="1"/><y:edge source="1" target="0"/></graph></graphml>`, vertices: 2, directed: true, records: []string{"0 1"}, stated: true},
		{name: "dimacs/edge", file: "a.txt", content: "c x\np edge 4 2\nn 4 7\ne 1 2\ne 3 3\n", vertices: 4, records: []string{"1 2", "3 3"}, stated: true},
		{name: "dimacs/col", file: "a.col", content: "p col 2 1\r\ne 2 1\r\n", vertices: 2, records: []string{"1 2"}, stated: true},
		{name: "dimacs/max", file: "a.max", content: "c y\np max 3 2\nn 1 s\nn 3 t\na 1 2 5\na 2 3 7\n", vertices: 3, directed: true,
			records: []string{"1 2 5", "2 3 7"}, stated: true},
		{name: "ldbc/bars", file: "person_knows_person_0_0.csv", content: "Person.id|Person.id|creationDate\n933|2199023256077|2010-03-31T22:10\n933|10|x\n",
			vertices: 3, directed: true, records: []string{"933 10", "933 2199023256077"}, ignored: 2, warning: "left out"},
		{name: "graphml/names", file: "a.graphml", content: graphmlOf(`edgedefault="directed"`, `<node id="b"/><node id="a"/><node id="c"/><edge source="b" target="a"/>`),
			vertices: 3, directed: true, records: []string{"1 0"}, stated: true},
		{name: "graphml/numbers", file: "a", content: "<!-- x -->\n" + graphmlOf(`edgedefault="undirected"`, `<node id="30"/><node id="4"/><node id="7"/><edge source="30" target="4"/>`),
			vertices: 3, records: []string{"4 30"}, stated: true},
		{name: "graphml/not-numbers", file: "a.graphml", content: graphmlOf(`edgedefault="undirected"`, `<node id="07"/><node id="7"/><edge source="7" target="07"/>`),
			vertices: 2, records: []string{"0 1"}, stated: true},
		{name: "graphml/directed-edges", file: "a.graphml", content: graphmlOf(`edgedefault="undirected"`, `<node id="0"/><node id="1"/><edge directed="true" source="1" target="0"/>`),
			vertices: 2, directed: true, records: []string{"1 0"}, stated: true},
		{name: "graphml/both-arcs", file: "a.graphml", content: graphmlOf(`edgedefault="undirected"`, `<node id="0"/><node id="1"/><edge source="1" target="0"/>`),
			options: graphio.Options{Direction: graphio.Directed}, vertices: 2, directed: true, records: []string{"0 1", "1 0"}, stated: true},
		{name: "graphml/other-data", file: "a.graphml", content: graphmlOf(`edgedefault="directed"`, `<node id="0"><data key="k">x</data></node><node id="1"/><edge source="0" target="1"><data key="l"><y:Line xmlns:y="u"><node/></y:Line></data></edge>`),
			vertices: 2, directed: true, records: []string{"0 1"}, stated: true, ignored: 2, warning: "2 values"},
		{name: "graphml/no-weights", file: "a.graphml", content: graphmlOf(`edgedefault="directed"`, `<node id="0"/><node id="1"/><edge source="0" target="1"><data key="w">NaN</data></edge>`),
			options: graphio.Options{WeightColumn: -1}, vertices: 2, directed: true, records: []string{"0 1"}, stated: true, ignored: 1},
		{name: "graphml/empty", file: "a.graphml", content: graphmlOf(`edgedefault="directed"`, ""), directed: true, stated: true},
		{name: "totem/directed", file: "a.txt", content: "# NODES: 4\n# EDGES: 2\n# DIRECTED\n0 1\n2 0\n", vertices: 4, directed: true, records: []string{"0 1", "2 0"}, stated: true},
		{name: "totem/values", file: "a.txt", content: "# Nodes: 3 Y\n# Edges: 1\n# UNDIRECTED\n0 0.5\n2 0.5\n# edges\n0 1 7\n", vertices: 3, records: []string{"0 1 7"}, stated: true, ignored: 2},
		{name: "totem/both-ends", file: "a.totem", content: "# NODES: 3\n# EDGES: 3\n# UNDIRECTED\n0 1\n1 0\n2 2\n", vertices: 3, records: []string{"0 1", "2 2"}, stated: true},
		{name: "totem/each-once", file: "a.totem", content: "# NODES: 3\n# EDGES: 2\n# UNDIRECTED\n0 1\n0 2\n", vertices: 3, records: []string{"0 1", "0 2"}, stated: true},
		{name: "konect/asym", file: "out.a", content: "% asym unweighted\n1 2\n3 2\n", vertices: 3, directed: true, records: []string{"1 2", "3 2"}, stated: true},
		{name: "konect/sizes", file: "out.a", content: "% asym positive\n% 2 9 9\n1 2 3 1000\n3 2 1 1001\n", vertices: 9, directed: true, records: []string{"1 2 3", "3 2 1"}, stated: true, ignored: 2},
		{name: "konect/bipartite", file: "out.a", content: "% bip weighted\n% 2 2 3\n1 1 4.5\n2 3 5\n", vertices: 5, records: []string{"1 3 4.5", "2 5 5"}, stated: true, warning: "bipartite"},
		{name: "konect/sum-of-weights", file: "out.a", content: "% sym positive\n% 5 3 3\n1 2 3\n2 3 2\n", vertices: 3, records: []string{"1 2 3", "2 3 2"}, stated: true},
		{name: "konect/count-lenient", file: "out.a", content: "% sym unweighted\n% 5 3 3\n1 2\n", options: graphio.Options{Lenient: true}, vertices: 3, records: []string{"1 2"}, stated: true, tolerate: 1, warning: "5 records"},
		{name: "konect/weights-begin-late", file: "out.a", content: "% sym positive\n1 2\n2 3 2\n", vertices: 3, records: []string{"1 2 1", "2 3 2"}, stated: true},
		{name: "konect/positive-without-weights", file: "out.a", content: "% sym positive\n1 2\n1 2\n", vertices: 2, records: []string{"1 2", "1 2"}, stated: true},
		{name: "konect/comment-of-words", file: "out.a", content: "% sym unweighted\n% 3 blind mice\n1 2\n", vertices: 2, records: []string{"1 2"}, stated: true},
		{name: "konect/list-named-out", file: "out.txt", content: "0 1\n1 2\n", vertices: 3, directed: true, records: []string{"0 1", "1 2"}},
		{name: "konect/network-named-txt", file: "out.txt", content: "% asym unweighted\n1 2\n", vertices: 2, directed: true, records: []string{"1 2"}, stated: true},
		{name: "totem/blank-lines", file: "a.totem", content: "\n# NODES: 3\n\n# EDGES: 1\n \n0 1\n", vertices: 3, directed: true, records: []string{"0 1"}},
		{name: "konect/bipartite-no-sizes", file: "out.a", content: "%bip unweighted\n1 1\n2 1\n", vertices: 3, records: []string{"1 3", "2 3"}, stated: true},
		{name: "konect/missing-weights", file: "out.a", content: "% sym posweighted\n1 2 4\n2 3\n", vertices: 3, records: []string{"1 2 4", "2 3 1"}, stated: true},
		{name: "konect/by-content", file: "a.txt", content: "% sym unweighted\n1 2\n2 3\n", vertices: 3, records: []string{"1 2", "2 3"}, stated: true},
		{name: "graphalytics/alone", file: "a.e", content: "10 20 0.5\n20 10 1\n", vertices: 2, directed: true, records: []string{"10 20 0.5", "20 10 1"}, warning: "properties"},
	}
}

// TestGood reads what is right, or accepted beyond the standard, with any number of
// threads, blocks of any size, from a file and from a pipe.
func TestGood(t *testing.T) {
	for _, g := range goodFiles() {
		t.Run(g.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), g.file)
			if err := os.WriteFile(path, []byte(g.content), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, threads := range []int{1, 3} {
				for _, block := range []int{0, 3} {
					o := g.options.WithBlock(block)
					o.Threads = threads
					f, err := graphio.Open(context.Background(), path, o)
					if err != nil {
						t.Fatal(err)
					}
					src := f.Source
					if src.NumVertices() != g.vertices || src.IsDirected() != g.directed || src.NumEdges() != int64(len(g.records)) {
						t.Errorf("%d vertices, directed %v, %d edges; want %d, %v, %d", src.NumVertices(), src.IsDirected(), src.NumEdges(), g.vertices, g.directed, len(g.records))
					}
					if got := records(src); !slices.Equal(got, g.records) {
						t.Errorf("records %q, want %q", got, g.records)
					}
					r := f.Report
					if r.IgnoredColumns != g.ignored || r.Tolerated != g.tolerate || r.DirectionStated != g.stated || !strings.Contains(strings.Join(r.Warnings, "\n"), g.warning) {
						t.Errorf("report %+v", r)
					}
					f.Close()
				}
			}
		})
	}
}

// TestWeightKinds checks that weights keep the smallest kind that holds them.
func TestWeightKinds(t *testing.T) {
	for content, want := range map[string]graph.WeightKind{
		"0 1 1\n1 2 2147483647\n":        graph.Int32,
		"0 1 1\n1 2 -2147483648\n":       graph.Int32,
		"0 1 1\n1 2 2147483648\n":        graph.Int64,
		"0 1 1\n1 2 9223372036854775807": graph.Int64,
		"0 1 1\n1 2 0.5\n2 3 4\n":        graph.Float64,
		"0 1 1\n1 2 2.0\n":               graph.Float64,
	} {
		o := graphio.Options{Format: "edgelist", WeightColumn: 3, Stdin: strings.NewReader(content)}.WithBlock(4)
		f, err := graphio.Open(context.Background(), "-", o)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Source.WeightKind(); got != want {
			t.Errorf("%q: %v, want %v", content, got, want)
		}
		f.Close()
	}
}

// TestLongLineMemory reads long comments and lines of many columns within a limit that their text fits in, or refuses them.
func TestLongLineMemory(t *testing.T) {
	long := 4 << 20
	for name, content := range map[string]string{
		"comment.txt": "# " + strings.Repeat("nodes: 7 ", long/9) + "\n1 2\n",
		"columns.txt": "1 2\n" + strings.Repeat("1 2 ", long/4) + "\n",
		"words.csv":   "source,target\n" + strings.Repeat("a,", long/2) + "\n",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f, err := graphio.Open(context.Background(), path, graphio.Options{MemoryLimit: int64(2 * long)})
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > uint64(4*long) {
			t.Errorf("%s: %d bytes allocated for %d", name, taken, len(content))
		}
		if err == nil {
			f.Close()
		}
		if refused := err != nil; refused != (name != "comment.txt") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLongLines reads METIS lines of several blocks, and a comment longer than what is
// looked at to tell the format.
func TestLongLines(t *testing.T) {
	n := 200000
	var b bytes.Buffer
	b.WriteString("%" + strings.Repeat("x", 100000) + "\n")
	fmt.Fprintf(&b, "%d %d\n", n, n-1)
	for i := 2; i <= n; i++ {
		fmt.Fprintf(&b, "%d ", i)
	}
	b.WriteString("\n" + strings.Repeat("1\n", n-1))
	dir := t.TempDir()
	for name, data := range map[string][]byte{"star.graph": b.Bytes(), "star.graph.gz": compressGzip(t, b.Bytes())} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := graphio.Open(context.Background(), path, graphio.Options{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		if f.Source.NumVertices() != n || f.Source.NumEdges() != int64(n-1) {
			t.Errorf("%s: %d vertices, %d edges", name, f.Source.NumVertices(), f.Source.NumEdges())
		}
		f.Close()
	}
}

// TestGraphalytics reads vertices without edges, and refuses edges without vertices.
func TestGraphalytics(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("g.v", "7\n3\n18446744073709551615\n5 name\n")
	write("g.e", "7 3 1 0.25\n3 5 2 0.5\n")
	write("g.properties", "graph.g.directed = false\ngraph.g.edge-properties.names = age, weight\n")
	for i, name := range []string{"g.v", "g.e", "g.v", "g.e"} {
		f, err := graphio.Open(context.Background(), filepath.Join(dir, name), graphio.Options{Vertices: -int64(i / 2)}) // ids kept, or not
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"3 5 0.5", "3 7 0.25"}; !slices.Equal(records(f.Source), want) || f.Source.IsDirected() {
			t.Errorf("%q, directed %v", records(f.Source), f.Source.IsDirected())
		}
		if want := []uint64{3, 5, 7, math.MaxUint64}; !slices.Equal(labelsOf(f.Source), want) {
			t.Errorf("labels %v", labelsOf(f.Source))
		}
		f.Close()
	}
	for _, c := range []struct{ file, content, want string }{
		{"g.e", "7 3 1 0.25\n\n3 4 2 0.5\n", "g.e: line 3: found vertex 4"},
		{"g.e", "7 3 1\n", "g.e: line 1: found 3 columns"},
		{"g.v", "# ids\n7\n\n3\n7\n", "g.v: line 5: found vertex 7 twice"},
		{"g.v", "\xff\xfe7\x00\n\x00", "g.v: found text in UTF-16"},
		{"g.properties", "graph.g.meta.edges = many\n", "g.properties: line 1"},
		{"g.properties", "graph.g.directed = true\r\rgraph.g.meta.edges = 5\r", "g.e: found 2 edges, expected 5, as line 3 of"},
		{"g.properties", "! x\ngraph.g.meta.edges: 1\n", "g.e: found 2 edges, expected 1, as line 2 of"},
		{"g.properties", "graph.g.meta.vertices = 5\n", "g.v: found 4 vertices, expected 5, as line 1 of"},
		{"g.v", "7\nx\n", "g.v: line 2"},
		{"g.properties", "graph.g.directed = maybe\n", "g.properties: line 1"},
	} {
		old, err := os.ReadFile(filepath.Join(dir, c.file))
		if err != nil {
			t.Fatal(err)
		}
		write(c.file, c.content)
		_, err = graphio.Open(context.Background(), filepath.Join(dir, "g.e"), graphio.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		write(c.file, string(old))
	}
}

// TestGraphalyticsText reads sets of files with byte order marks, all line ends and
// counts that match, and needs the lenient option where the vertex file is missing and
// the count shows it.
func TestGraphalyticsText(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, end := range []string{"\n", "\r\n", "\r"} {
		write("g.v", "\xef\xbb\xbf3"+end+"5"+end+"7"+end)
		write("g.e", "\xef\xbb\xbf7 3"+end+"3 3")
		write("g.properties", "\xef\xbb\xbfgraph.g.meta.vertices = 3"+end+"graph.g.directed = false"+end+"graph.g.meta.edges = 2")
		for _, name := range []string{"g.v", "g.e"} {
			f, err := graphio.Open(context.Background(), filepath.Join(dir, name), graphio.Options{})
			if err != nil {
				t.Fatalf("%q: %v", end, err)
			}
			if want := []string{"3 3", "3 7"}; !slices.Equal(records(f.Source), want) || f.Source.IsDirected() || f.Source.NumVertices() != 3 {
				t.Errorf("%q: %q, directed %v, %d vertices", end, records(f.Source), f.Source.IsDirected(), f.Source.NumVertices())
			}
			f.Close()
		}
	}
	if err := os.Remove(filepath.Join(dir, "g.v")); err != nil {
		t.Fatal(err)
	}
	_, err := graphio.Open(context.Background(), filepath.Join(dir, "g.e"), graphio.Options{})
	if !errors.Is(err, graphio.ErrTruncated) || !strings.Contains(err.Error(), "2 vertices, expected 3") || !strings.Contains(err.Error(), "no vertex file") {
		t.Errorf("%v", err)
	}
	f, err := graphio.Open(context.Background(), filepath.Join(dir, "g.e"), graphio.Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	if f.Source.NumVertices() != 2 || f.Report.Tolerated != 1 {
		t.Errorf("%d vertices, report %+v", f.Source.NumVertices(), f.Report)
	}
	f.Close()
}

// endsAfter is a context that ends once Err has been asked so often.
type endsAfter struct {
	context.Context
	left atomic.Int64
}

func (c *endsAfter) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestVerifyCancelled ends the context at every look that Verify takes at it: once for
// the checksum of a small file, several times for the graph.
func TestVerifyCancelled(t *testing.T) {
	f, err := graphio.Open(context.Background(), filepath.Join("testdata", "native-v1.tgr"), graphio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for looks := range int64(100) {
		ctx := &endsAfter{Context: context.Background()}
		ctx.left.Store(looks)
		err := f.Verify(ctx)
		if err == nil {
			if looks < 4 {
				t.Errorf("only %d looks at the context", looks)
			}
			return
		}
		if !errors.Is(err, context.Canceled) || errors.Is(err, graphio.ErrFormat) {
			t.Fatalf("look %d: %v", looks, err)
		}
	}
	t.Error("more than 100 looks at the context")
}

// TestNative opens a file of version 1 that was kept, checks damaged copies of it, and
// reads it with its direction overridden.
func TestNative(t *testing.T) {
	ctx := context.Background()
	old := filepath.Join("testdata", "native-v1.tgr")
	f, err := graphio.Open(ctx, old, graphio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sameAsTiny(t, f, true, 0)
	if err := f.Verify(ctx); err != nil {
		t.Error(err)
	}
	f.Close()
	f, err = graphio.Open(ctx, old, graphio.Options{Direction: graphio.Directed})
	if err != nil {
		t.Fatal(err)
	}
	if f.Source.NumEdges() != 14 || !f.Source.IsDirected() {
		t.Errorf("directed: %d edges", f.Source.NumEdges())
	}
	f.Close()

	dir := t.TempDir()
	directed := filepath.Join(dir, "d.tgr")
	list := &graph.EdgeList{Vertices: 3, Directed: true, Edges: []graph.Edge{{U: 0, V: 1}, {U: 1, V: 0}, {U: 2, V: 2}}}
	if _, err := graphio.Save(ctx, directed, list, graphio.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	f, err = graphio.Open(ctx, directed, graphio.Options{Direction: graphio.Undirected})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"0 1", "0 1", "2 2"}; !slices.Equal(records(f.Source), want) || f.Source.IsDirected() {
		t.Errorf("undirected: %q", records(f.Source))
	}
	if err := f.Verify(ctx); err != nil {
		t.Error(err)
	}
	f.Close()

	data, err := os.ReadFile(old)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		bad := slices.Clone(data)
		bad[i] ^= 0x10
		path := filepath.Join(dir, "bad.tgr")
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := graphio.Open(ctx, path, graphio.Options{Format: "native"})
		if err == nil {
			err = f.Verify(ctx)
			f.Close()
		}
		if err == nil {
			t.Errorf("a changed byte %d goes unnoticed", i)
		}
	}
	for n := range len(data) {
		if _, err := graphio.Open(ctx, "-", graphio.Options{Format: "native", Stdin: bytes.NewReader(data[:n])}); err == nil {
			t.Errorf("%d of %d bytes read as a graph", n, len(data))
		}
	}
}

// TestNativeWeights finds weights in native files that no reader of text would take.
func TestNativeWeights(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.tgr")
	for _, w := range []graph.Weights{
		graph.WeightsOf([]float64{1, math.NaN()}), graph.WeightsOf([]float32{float32(math.Inf(-1)), 2}), graph.WeightsOf([]float64{1, math.MaxFloat64}),
	} {
		list := &graph.EdgeList{Vertices: 3, Directed: true, Edges: []graph.Edge{{U: 0, V: 1}, {U: 1, V: 2}}, Weights: w}
		if _, err := graphio.Save(context.Background(), path, list, graphio.SaveOptions{}); err != nil {
			t.Fatal(err)
		}
		f, err := graphio.Open(context.Background(), path, graphio.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = f.Verify(context.Background())
		if good := w.Float64(1) == math.MaxFloat64; good != (err == nil) || !good && (!errors.Is(err, graphio.ErrFormat) || !strings.Contains(err.Error(), "finite")) {
			t.Errorf("%v %v: %v", w.Float64(0), w.Float64(1), err)
		}
		f.Close()
	}
}

// TestNames tells formats by name.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"a.el": "edgelist", "dir/a.TXT": "edgelist", "a.mtx.gz": "matrixmarket", "a.graph.zst": "metis", "x/out.moreno.bz2": "konect",
		"a.sg": "gap", "a.wsg": "gap-weighted", "a.tgr": "native", "a.xyz": "", "a": "", "a.gz": "", "a.e": "graphalytics", ".gz": "",
		"out.txt": "edgelist", "out.mtx.gz": "matrixmarket", "out.moreno": "konect", "out.com-amazon": "konect",
	} {
		if got, ok := graphio.DetectName(name); got != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, f := range graphio.Formats() {
		if !f.Readable || f.Description == "" {
			t.Errorf("%+v", f)
		}
	}
}

// namesOf are the names of a graph's vertices by dense id, in one string.
func namesOf(src graph.Source) string {
	var list []string
	for v := range src.NumVertices() {
		list = append(list, string(src.VertexLabels().Append(nil, uint32(v))))
	}
	return strings.Join(list, "|")
}

// write writes a file of a folder and returns its path.
func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestNamesAsIDs(t *testing.T) {
	for name, c := range map[string]struct {
		file, content string
		options       graphio.Options
		names         string
		records       []string // of dense ids
	}{
		"header":          {"a.csv", "name_a,name_b\nalice,bob\nbob,carol\n", graphio.Options{}, "alice|bob|carol", []string{"0 1", "1 2"}},
		"no header":       {"a.txt", "bob alice\nalice carol\n", graphio.Options{}, "alice|bob|carol", []string{"1 0", "0 2"}},
		"first is edge":   {"a.txt", "x y\na b\n", graphio.Options{FirstLine: graphio.FirstEdge}, "a|b|x|y", []string{"2 3", "0 1"}},
		"first is names":  {"a.txt", "x y\na b\n", graphio.Options{FirstLine: graphio.FirstNames}, "a|b", []string{"0 1"}},
		"weight":          {"a.csv", "a,b,1\nb,c,2\n", graphio.Options{WeightColumn: 3}, "a|b|c", []string{"0 1 1", "1 2 2"}},
		"quotes":          {"a.csv", "\"x, y\",\"p \"\"q\"\"\"\nz,\"x, y\"\n", graphio.Options{}, "p \"q\"|x, y|z", []string{"1 0", "2 1"}},
		"numbers":         {"a.txt", "10 9\n9 010\n", graphio.Options{Names: true}, "010|10|9", []string{"1 2", "2 0"}},
		"tabs":            {"a.tsv", "New York\tLos Angeles\nLos Angeles\tNew York\n", graphio.Options{}, "Los Angeles|New York", []string{"1 0", "0 1"}},
		"ncol":            {"a.ncol", "b a 2\na c\n", graphio.Options{}, "a|b|c", []string{"0 1 2", "0 2 1"}},
		"not ASCII":       {"a.txt", "Köln Ürzig\nÜrzig Aachen\n", graphio.Options{}, "Aachen|Köln|Ürzig", []string{"1 2", "2 0"}},
		"triples by name": {"a.csv", "head,relation,tail\na,r,b\nb,s,c\n", graphio.Options{Columns: []string{"head", "tail"}}, "a|b|c", []string{"0 1", "1 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := write(t, dir, c.file, c.content)
			for _, block := range []int{0, 8} {
				f, err := graphio.Open(t.Context(), path, c.options.WithBlock(block))
				if err != nil {
					t.Fatal(err)
				}
				if got := namesOf(f.Source); got != c.names {
					t.Errorf("names %s, want %s", got, c.names)
				}
				if got := dense(f.Source, 0); !slices.Equal(got, slices.Sorted(slices.Values(c.records))) {
					t.Errorf("records %q, want %q", got, c.records)
				}
				// The native format and edge lists keep names.
				for _, ending := range []string{".tgr", ".csv", ".txt"} {
					out := filepath.Join(dir, "out"+ending)
					if _, err := graphio.Save(t.Context(), out, f.Source, graphio.SaveOptions{}.WithoutSync()); err != nil {
						t.Fatal(err)
					}
					back, err := graphio.Open(t.Context(), out, graphio.Options{})
					if err != nil {
						t.Fatal(err)
					}
					if err := back.Verify(t.Context()); err != nil {
						t.Error(err)
					}
					if got := namesOf(back.Source); got != c.names || !slices.Equal(dense(back.Source, 0), dense(f.Source, 0)) {
						t.Errorf("%s: names %s, records %q", ending, got, dense(back.Source, 0))
					}
					if err := back.Close(); err != nil {
						t.Error(err)
					}
				}
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestNameMemory(t *testing.T) {
	var text strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&text, "some-long-name-%06d other-%06d\n", i, i)
	}
	path := write(t, t.TempDir(), "a.txt", text.String())
	if _, err := graphio.Open(t.Context(), path, graphio.Options{MemoryLimit: 4 << 20, FirstLine: graphio.FirstEdge}); !errors.Is(err, graphio.ErrTooLarge) {
		t.Errorf("40,000 names in 4 MiB: %v", err)
	}
	f, err := graphio.Open(t.Context(), path, graphio.Options{MemoryLimit: 16 << 20, FirstLine: graphio.FirstEdge})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n := f.Source.NumVertices(); n != 40000 {
		t.Errorf("%d vertices", n)
	}
}

// Ids are kept as they stand, with the vertices between them.
func TestKeepIDs(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "a.el", "0 9\n9 5\n2 5\n")
	for vertices, want := range map[int64]int{0: 4, -1: 10, 12: 12} {
		f, err := graphio.Open(t.Context(), path, graphio.Options{Vertices: vertices})
		if err != nil {
			t.Fatal(err)
		}
		if f.Source.NumVertices() != want || f.Source.VertexLabels().Label(uint32(want-1)) != uint64(max(want-1, 9)) {
			t.Errorf("--vertices %d: %d vertices, labels %v", vertices, f.Source.NumVertices(), labelsOf(f.Source))
		}
		// Through .sg and back the records are the same.
		sg := filepath.Join(dir, "a.sg")
		if _, err := graphio.Save(t.Context(), sg, f.Source, graphio.SaveOptions{}.WithoutSync()); err != nil {
			t.Fatal(err)
		}
		back, err := graphio.Open(t.Context(), sg, graphio.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := dense(back.Source, 0); vertices != 0 && !slices.Equal(got, []string{"0 9", "2 5", "9 5"}) {
			t.Errorf("--vertices %d: records %q", vertices, got)
		}
		if err := errors.Join(back.Close(), f.Close()); err != nil {
			t.Error(err)
		}
	}
	for content, vertices := range map[string]int64{"0 9\n": 9, "0 99999999\n": -1, "0 4294967295\n": -1} {
		if _, err := graphio.Open(t.Context(), write(t, dir, "b.el", content), graphio.Options{Vertices: vertices}); err == nil {
			t.Errorf("%q with %d vertices is read", content, vertices)
		}
	}
}

// A skew-symmetric matrix read as arcs has both entries of each pair, with opposite signs.
func TestSkewSigns(t *testing.T) {
	for field, want := range map[string][]string{"integer": {"1 2 -7", "2 1 7"}, "real": {"1 2 -7", "2 1 7"}} {
		path := write(t, t.TempDir(), "a.mtx", "%%MatrixMarket matrix coordinate "+field+" skew-symmetric\n2 2 1\n2 1 7\n")
		f, err := graphio.Open(t.Context(), path, graphio.Options{Direction: graphio.Directed})
		if err != nil {
			t.Fatal(err)
		}
		if got := dense(f.Source, 1); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", field, got, want)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
