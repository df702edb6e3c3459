package cli

import "golang.org/x/term"

func terminal(fd int) bool { return term.IsTerminal(fd) }
