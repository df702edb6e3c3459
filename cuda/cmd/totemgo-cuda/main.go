// Command totemgo-cuda is totemgo with NVIDIA devices through CUDA, named cuda:N.
package main

import (
	"os"

	"github.com/totemgo/totemgo/cuda"
	_ "github.com/totemgo/totemgo/internal/arenas"
	"github.com/totemgo/totemgo/internal/cli"
)

func main() { os.Exit(cli.Main(&cuda.Driver{})) }
