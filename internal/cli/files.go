package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/totemgo/totemgo/internal/atomicfile"
)

// outputFlags are the flags that name files to write. The others with a `FILE` name files to read.
var outputFlags = []string{"output", "weights", "samples", "predecessors"}

// checkFiles refuses an output that is an input of the same command line, under whatever name, and two
// inputs or outputs that are the standard streams. A name of standard output, such as /dev/stdout, becomes "-".
func (e *env) checkFiles(c *cobra.Command, args []string) error {
	var in, out []string
	stdin, stdout := any(nil), any(beneath(e.stdout))
	if p, is := e.stdin.(*patient); is {
		stdin = p.from
	}
	output := func(path string) string {
		if st := stat("-", stdout); st != nil && path != "-" && os.SameFile(st, stat(path, nil)) {
			path = "-"
		}
		out = append(out, path)
		return path
	}
	if len(args) > 0 && c.Name() != "record" { // its arguments are those of another command
		in = append(in, args[0])
	}
	switch c.Name() {
	case "convert":
		args[1] = output(args[1])
	case "validate":
		in = append(in, args[1])
	}
	empty := ""
	if slices.Contains(append(in, out...), "") {
		empty = c.Name()
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		what, _ := pflag.UnquoteUsage(f)
		switch {
		case (what == "FILE" || slices.Contains(outputFlags, f.Name)) && f.Value.String() == "":
			empty = "--" + f.Name
		case slices.Contains(outputFlags, f.Name):
			if path := output(f.Value.String()); path == "-" {
				_ = f.Value.Set(path) // a string, which takes all
			}
		case f.Name == "power":
			for _, spec := range f.Value.(pflag.SliceValue).GetSlice() {
				_, file, _ := strings.Cut(spec, ":")
				file, _, _ = strings.Cut(file, ",")
				in = append(in, file)
			}
		case what == "FILE", f.Name == "graph", f.Name == "sysfs-root":
			in = append(in, f.Value.String())
		}
	})
	if empty != "" {
		return usagef("%s: the name of a file is empty", empty)
	}
	for _, s := range []struct {
		what  string
		files []string
	}{{"input", in}, {"output", out}} {
		if i := slices.Index(s.files, "-"); i >= 0 && slices.Contains(s.files[i+1:], "-") {
			return usagef("only one %s can be standard %s (-)", s.what, s.what)
		}
	}
	for k, o := range out {
		same := func(other string) bool { return leads(other) == leads(o) && !atomicfile.Direct(o) }
		if slices.ContainsFunc(out[:k], same) {
			return usagef("two outputs both write %s", o)
		}
		written := []string{o}
		if formatOf(o, "") == "graphalytics" {
			stem := strings.TrimSuffix(o, filepath.Ext(o))
			written = append(written, stem+".v", stem+".e", stem+".properties")
		}
		for _, w := range written {
			for _, i := range in {
				if from, to := stat(i, stdin), stat(w, stdout); from != nil && from.Mode().IsRegular() && os.SameFile(from, to) {
					return fmt.Errorf("%s: the output is the input %s; write to another file", o, i)
				}
			}
		}
		if o != "-" {
			if err := atomicfile.Check(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// leads is the path of the file that a name leads to, "-" being no file.
func leads(name string) string {
	if name == "-" {
		return name
	}
	path, err := filepath.Abs(atomicfile.Target(name))
	if err != nil {
		return name
	}
	return path
}

// stat looks at a file, "-" being a stream; nil if there is none to look at.
func stat(path string, stream any) (st os.FileInfo) {
	if f, is := stream.(*os.File); path == "-" && is {
		st, _ = f.Stat()
	} else if path != "-" {
		st, _ = os.Stat(path)
	}
	return st
}
