package cli

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "rewrite docs/cli.md")

const referenceFile = "../../docs/cli.md"

// reference is the command reference as Markdown, made from the commands themselves.
func reference() string {
	var b strings.Builder
	root := newRoot(&env{})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	b.WriteString("# Command reference\n\nMade from the commands themselves by `make generate`; do not edit.\n")
	section(&b, root)
	sections(&b, root)
	return b.String()
}

// sections writes the commands below c, each before its own.
func sections(b *strings.Builder, c *cobra.Command) {
	for _, s := range c.Commands() {
		if s.Name() == "help" || s.Hidden {
			continue
		}
		section(b, s)
		if s.Name() != "completion" { // a shell each
			sections(b, s)
		}
	}
}

// section writes one command: usage, description with its examples, flags.
func section(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n\n```\n%s\n```\n\n", c.CommandPath(), strings.TrimSuffix(c.Short, "."), strings.TrimSuffix(c.UseLine(), " [flags]"))
	paragraphs := strings.Split(strings.TrimSpace(c.Long), "\n\n")
	for i, p := range paragraphs {
		if i > 0 {
			b.WriteString("\n")
		}
		if code := regexp.MustCompile(`(?m)^(\t|  )`); len(code.FindAllString(p, -1)) == strings.Count(p, "\n")+1 {
			p = "```\n" + code.ReplaceAllString(p, "") + "\n```"
		}
		b.WriteString(p + "\n")
	}
	var subs []string
	for _, s := range c.Commands() {
		if c.HasParent() {
			subs = append(subs, fmt.Sprintf("- `%s`: %s\n", s.UseLine(), s.Short))
		}
	}
	if len(subs) > 0 {
		b.WriteString("\n" + strings.Join(subs, ""))
	}
	var rows []string
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		flag := "--" + f.Name
		if f.Shorthand != "" {
			flag = "-" + f.Shorthand + ", " + flag
		}
		if name != "" {
			flag += " " + name
		}
		value := f.DefValue
		if value == "0" || value == "false" {
			value = ""
		}
		if value != "" {
			value = "`" + value + "`"
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |\n", flag, value, strings.ReplaceAll(strings.ReplaceAll(usage, "\n", " "), "|", "\\|")))
	})
	if len(rows) > 0 {
		b.WriteString("\n| flag | default | |\n|---|---|---|\n" + strings.Join(rows, ""))
	}
}

// TestReference compares docs/cli.md with the commands; -update rewrites it.
func TestReference(t *testing.T) {
	want := reference()
	if *update {
		if err := os.WriteFile(referenceFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(got), "\r\n", "\n") != want {
		t.Error("docs/cli.md is not what the commands say; run make generate")
	}
}

// TestHelp demands that every command and flag explains itself, and shows an example.
func TestHelp(t *testing.T) {
	root := newRoot(&env{stdout: io.Discard, stderr: io.Discard})
	for _, c := range append([]*cobra.Command{root}, root.Commands()...) {
		args := strings.Fields(c.CommandPath())[1:]
		r := command(t, append(args, "--help")...)
		if r.status != 0 || r.stderr != "" || !strings.Contains(r.stdout, "Usage:\n  totemgo") {
			t.Errorf("%s --help: status %d\n%s%s", c.CommandPath(), r.status, r.stdout, r.stderr)
		}
		if c.Name() != "version" && (len(c.Long) < 100 || !strings.Contains(c.Long, "\n  totemgo ")) {
			t.Errorf("%s: the help has no example", c.CommandPath())
		}
		if c.Short == "" {
			t.Errorf("%s: no short help", c.CommandPath())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if len(f.Usage) < 8 {
				t.Errorf("%s --%s: %q does not explain it", c.CommandPath(), f.Name, f.Usage)
			}
		})
		for line := range strings.SplitSeq(r.stdout, "\n") {
			if strings.Contains(line, "strings") && strings.Contains(line, "--") {
				t.Errorf("%s: %q: a flag without a name for its value", c.CommandPath(), line)
			}
		}
	}
}

// TestFlagGroups: flags of GPUs stand in a group of their own, and every flag of a command in one group.
func TestFlagGroups(t *testing.T) {
	for _, c := range [][]string{{"bfs"}, {"graph500"}, {"info"}, {"partition"}, {"bench", "bfs"}, {"pagerank"}} {
		help := command(t, append(c, "--help")...).must(t).stdout
		_, gpus, found := strings.Cut(help, "\nGPU flags:\n")
		gpus, _, ended := strings.Cut(gpus, "\n\n")
		if !found || !ended || !strings.Contains(gpus, "--device-memory") || !strings.Contains(gpus, "--two-ended") || strings.Contains(gpus, "--json") {
			t.Errorf("%q: GPU flags %q", c, gpus)
		}
		for _, flag := range []string{"--device-memory", "--json", "--processors"} {
			if n := len(regexp.MustCompile(`(?m)^ +`+flag+`\b`).FindAllString(help, -1)); n != 1 {
				t.Errorf("%q: %s is explained %d times", c, flag, n)
			}
		}
	}
}

// TestSingular: one is singular, other numbers are not.
func TestSingular(t *testing.T) {
	for text, want := range map[string]string{
		"1 vertices": "1 vertex", "reached 1 of 11 vertices": "reached 1 of 11 vertices", "21 edges": "21 edges", "0.1 edges": "0.1 edges",
		"1 duplicate edges, 1 searches": "1 duplicate edge, 1 search", "line 3: 1 columns": "line 3: 1 column", "1 list entries": "1 list entry",
		"depth 1\nedges": "depth 1\nedges", "largest 1 of 1 vertices\n": "largest 1 of 1 vertex\n",
	} {
		if got := singular(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestCompletion asks for the values of flags and arguments as a shell does.
func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"bfs", "--placement", ""}, placements()},
		{[]string{"partition", "--placement", ""}, placements()},
		{[]string{"graph500", "--director", ""}, []string{"auto", "totem", "beamer", "ratio", "top-down", "bottom-up"}},
		{[]string{"graph500", "--style", ""}, []string{"spec", "3.0", "2.1.4"}},
		{[]string{"pagerank", "--method", ""}, []string{"pull", "delta"}},
		{[]string{"pagerank", "--dangling", ""}, []string{"spread", "drop"}},
		{[]string{"bfs", "--format", ""}, formatNames(false)},
		{[]string{"convert", "--from-format", ""}, formatNames(false)},
		{[]string{"convert", "--format", ""}, formatNames(true)},
		{[]string{"generate", "--format", ""}, formatNames(true)},
		{[]string{"generate", "--merge-duplicates", ""}, []string{"first", "min", "max", "sum"}},
		{[]string{"generate", ""}, generators},
	} {
		r := command(t, append([]string{"__complete"}, c.args...)...)
		var got []string
		for line := range strings.Lines(r.stdout) {
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, ":") {
				got = append(got, line)
			}
		}
		if r.status != 0 || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if r := command(t, "completion", shell); r.status != 0 || !strings.Contains(r.stdout, "totemgo") {
			t.Errorf("completion %s: status %d, %q", shell, r.status, r.stderr)
		}
	}
}
