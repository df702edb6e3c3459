package houserules

import (
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// limit is the lines that the whole project may have.
const limit = 51000

var update = flag.Bool("update", false, "write the counts of today to docs/sizes.md")

// codeLines counts the lines of a Go file that hold code: no blanks, no comments.
func codeLines(text string) int {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, 0)
	n, last := 0, 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return n
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue // the scanner's own
		}
		first := file.Line(pos)
		end := first + strings.Count(lit, "\n")
		n += end - max(first-1, last)
		last = end
	}
}

// counts returns the code lines of each folder, tests left out.
func counts(list []source) map[string]int {
	lines := map[string]int{}
	for _, s := range list {
		if !s.test {
			lines[s.dir] += codeLines(s.text)
		}
	}
	return lines
}

var sizeRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([0-9,]+) \\|\n")

// budgets reads the table of docs/sizes.md.
func budgets(text string) map[string]int {
	found := map[string]int{}
	for _, m := range sizeRow.FindAllStringSubmatch(text, -1) {
		found[m[1]], _ = strconv.Atoi(strings.ReplaceAll(m[2], ",", ""))
	}
	return found
}

// tooLarge lists the folders over their budget or without one, and budgets without a folder.
func tooLarge(lines, budget map[string]int) []string {
	var faults []string
	sum := 0
	for dir, n := range lines {
		if n > budget[dir] {
			faults = append(faults, fmt.Sprintf("%s has %d lines, its budget is %d", dir, n, budget[dir]))
		}
	}
	for dir, n := range budget {
		if lines[dir] == 0 {
			faults = append(faults, dir+" is no package")
		}
		sum += n
	}
	if sum > limit {
		faults = append(faults, fmt.Sprintf("the budgets add up to %d lines, the limit is %d", sum, limit))
	}
	slices.Sort(faults)
	return faults
}

// table is the rows for these counts, each with up to 2% more, rounded up to 10.
func table(lines map[string]int) string {
	var rows strings.Builder
	dirs := make([]string, 0, len(lines))
	for dir := range lines {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		n := (lines[dir] + lines[dir]/50 + 9) / 10 * 10
		fmt.Fprintf(&rows, "| `%s` | %d |\n", dir, n)
	}
	return rows.String()
}

func TestSizes(t *testing.T) {
	lines, text := counts(sources(t)), read(t, "docs/sizes.md")
	if *update {
		at := sizeRow.FindStringIndex(text)
		if at == nil {
			t.Fatal("docs/sizes.md has no table")
		}
		text = text[:at[0]] + table(lines) + sizeRow.ReplaceAllString(text[at[0]:], "")
		if err := os.WriteFile(filepath.Join(root, "docs", "sizes.md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, fault := range tooLarge(lines, budgets(text)) {
		t.Errorf("docs/sizes.md: %s: make it smaller, or change its row in the same commit", fault)
	}
}

func TestSizesCanFail(t *testing.T) {
	if n := codeLines("// c\n\npackage x // c\n\n/* c\nc */\nvar a = `1\n\n2`\n\nfunc f() {\n\t// c\n\tg(); h()\n}\n"); n != 7 {
		t.Errorf("%d lines of code, want 7", n)
	}
	lines := map[string]int{"a": 101, "b": 10, "c": 1}
	got := tooLarge(lines, map[string]int{"a": 100, "b": 10, "d": 5})
	if want := []string{"a has 101 lines, its budget is 100", "c has 1 lines, its budget is 0", "d is no package"}; !slices.Equal(got, want) {
		t.Errorf("faults %q", got)
	}
	if got := tooLarge(lines, map[string]int{"a": limit, "b": 10, "c": 1}); len(got) != 1 {
		t.Errorf("faults of a sum beyond the limit: %q", got)
	}
	if got := budgets("| x | y |\n" + table(lines)); len(tooLarge(lines, got)) != 0 || got["a"] != 110 || got["b"] != 10 || len(got) != 3 {
		t.Errorf("budgets %v", got)
	}
}
