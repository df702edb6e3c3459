package cli

import "github.com/totemgo/totemgo/graph/graphio"

// cureFlag is the flag that sets a cure.
func cureFlag(c graphio.Cure) string {
	return map[graphio.Cure]string{
		graphio.CureDropWeights: "--drop-weights", graphio.CureWeightsPath: "--weights", graphio.CureTuple: "--tuple",
		graphio.CureDirection: "--undirected", graphio.CureDropLoops: "--drop-loops", graphio.CureMergeDuplicates: "--merge-duplicates",
		graphio.CureRelabel: "--relabel", graphio.CureColumns: "--columns", graphio.CureFirstLine: "--first-line",
		graphio.CureFormat: "--format", graphio.CureInputFormat: "--from-format", graphio.CureNames: "--names",
		graphio.CureNoWeights: "--weight-column -1", graphio.CureMember: "--member", graphio.CureLenient: "--lenient",
	}[c]
}
