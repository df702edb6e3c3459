// Command totemgo runs graph algorithms and the Graph500 benchmark on the CPU and on
// GPUs, and reads, writes, makes and describes graph files.
package main

import (
	"os"

	_ "github.com/totemgo/totemgo/internal/arenas"
	"github.com/totemgo/totemgo/internal/cli"
)

func main() { os.Exit(cli.Main()) }
