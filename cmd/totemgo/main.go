// Command totemgo runs breadth-first search and the Graph500 benchmark on the CPU and
// on GPUs, and reads, writes, makes and describes graph files.
package main

import "os"

//go:generate go test -run ^TestReference$ -update .

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
