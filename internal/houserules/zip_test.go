package houserules

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var (
	reserved  = []string{"con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9"}
	shortName = regexp.MustCompile(`~[0-9]+$`)
)

// zipName says why a module zip refuses a file's name, by the rules of
// https://go.dev/ref/mod#zip-path-size-constraints; nil if it does not.
func zipName(name string) error {
	if !utf8.ValidString(name) {
		return fmt.Errorf("not UTF-8")
	}
	for elem := range strings.SplitSeq(name, "/") {
		short, _, _ := strings.Cut(elem, ".")
		switch {
		case strings.Trim(elem, ".") == "":
			return fmt.Errorf("an element of nothing but dots")
		case strings.HasSuffix(elem, "."):
			return fmt.Errorf("element %q ends in a dot", elem)
		case slices.Contains(reserved, strings.ToLower(short)):
			return fmt.Errorf("element %q is a device of Windows", elem)
		case shortName.MatchString(short):
			return fmt.Errorf("element %q looks like a short name of Windows", elem)
		}
		for _, r := range elem {
			if r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()+,-.=@[]^_{}~ ", r) ||
				r >= utf8.RuneSelf && !unicode.IsLetter(r) {
				return fmt.Errorf("element %q has the character %q", elem, r)
			}
		}
	}
	return nil
}

// collisions returns pairs of names that differ by case only.
func collisions(names []string) (pairs [][2]string) {
	seen := map[string]string{}
	for _, name := range names {
		for p := name; p != "."; p = path.Dir(p) {
			key := strings.ToLower(p)
			other, ok := seen[key]
			if !ok {
				seen[key] = p
			} else if other != p {
				pairs = append(pairs, [2]string{other, p})
			}
		}
	}
	return pairs
}

func TestModuleCanBeZipped(t *testing.T) {
	names := moduleFiles(t)
	var total int64
	for _, name := range names {
		if err := zipName(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		info, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
		if (name == "go.mod" || name == "LICENSE") && info.Size() > 16<<20 {
			t.Errorf("%s is larger than 16 MiB", name)
		}
	}
	for _, p := range collisions(names) {
		t.Errorf("%s and %s differ by case only", p[0], p[1])
	}
	if total > 500<<20 {
		t.Errorf("the module has %d bytes, a zip holds 500 MiB", total)
	}
	if !slices.Contains(names, "LICENSE") {
		t.Error("there is no LICENSE")
	}
}

func TestZipNameCanFail(t *testing.T) {
	for name, want := range map[string]bool{
		"a/b.go": true, ".ci/run": true, "x~y.go": true, "é.txt": true, "a b": true,
		"a:b": false, "a*": false, "con.txt": false, "d/NUL": false, "a/..": false, "end.": false,
		"x~1.txt": false, "quote'": false, "a\\b": false, "\xff": false, "☃": false, "a//b": false,
	} {
		if err := zipName(name); (err == nil) != want {
			t.Errorf("%q: %v", name, err)
		}
	}
	if n := len(collisions([]string{"a/b", "A/c", "a/d", "a/D"})); n != 2 {
		t.Errorf("%d collisions found, want 2", n)
	}
}
