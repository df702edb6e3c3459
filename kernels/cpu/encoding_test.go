package cpu

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// asmFunc is one function of an assembly file: its instructions, macros expanded.
type asmFunc struct {
	name string
	code []string
}

var (
	vectorRegister = regexp.MustCompile(`\b[XYZ]([0-9]|[12][0-9]|3[01])\b`)
	wideRegister   = regexp.MustCompile(`\b[YZ]([0-9]|[12][0-9]|3[01])\b`)
	macroCall      = regexp.MustCompile(`^([A-Z][A-Z0-9]*)\((.*)\)$`)
)

// parseAsm returns the functions of a source file of Go assembly.
func parseAsm(source string) (list []asmFunc, err error) {
	macros := map[string][]string{}
	var expand func(line string) []string
	expand = func(line string) []string {
		line = strings.TrimSpace(line)
		m := macroCall.FindStringSubmatch(line)
		if m == nil || macros[m[1]] == nil {
			return []string{line}
		}
		var code []string
		for _, part := range macros[m[1]] {
			code = append(code, expand(part)...)
		}
		return code
	}
	source = strings.ReplaceAll(source, "\\\n", "; ")
	for _, line := range strings.Split(source, "\n") {
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		switch name, rest, _ := strings.Cut(strings.TrimPrefix(line, "#define "), " "); {
		case strings.HasPrefix(line, "#define "):
			name, _, _ = strings.Cut(name, "(")
			if _, body, ok := strings.Cut(line, ";"); ok {
				rest = body
			}
			macros[name] = strings.Split(rest, ";")
		case strings.HasPrefix(line, "TEXT "):
			list = append(list, asmFunc{name: strings.Trim(strings.Split(rest, "(")[0], "· ")})
		case line == "" || strings.HasPrefix(line, "#") || len(list) == 0:
		case strings.HasPrefix(line, "DATA ") || strings.HasPrefix(line, "GLOBL "):
		default:
			f := &list[len(list)-1]
			for _, part := range strings.Split(line, ";") {
				f.code = append(f.code, expand(part)...)
			}
		}
	}
	if len(list) == 0 {
		err = fmt.Errorf("no function in %d bytes", len(source))
	}
	return list, err
}

// checkEncoding demands of a function that touches Y or Z registers that each instruction
// on vector registers has a VEX or EVEX encoding, whose names begin with V or K, and that
// VZEROUPPER stands before every return.
func checkEncoding(f asmFunc) error {
	if !wideRegister.MatchString(strings.Join(f.code, "\n")) {
		return nil
	}
	before := ""
	for _, line := range f.code {
		if line == "" || strings.HasSuffix(line, ":") {
			continue
		}
		op, _, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
		if vectorRegister.MatchString(line) && op[0] != 'V' && op[0] != 'K' {
			return fmt.Errorf("%s: %q has a legacy encoding between VEX instructions", f.name, line)
		}
		if op == "RET" && before != "VZEROUPPER" {
			return fmt.Errorf("%s: a return without VZEROUPPER before it", f.name)
		}
		before = op
	}
	return nil
}

// TestEncoding: functions on Y and Z registers are wholly VEX or EVEX. A legacy
// instruction between them costs some 70 cycles on Intel and Zen 3 processors.
func TestEncoding(t *testing.T) {
	files, err := filepath.Glob("*_amd64.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no assembly: %v", err)
	}
	wide := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		check := func(source string) error {
			list, err := parseAsm(source)
			for _, f := range list {
				if err == nil {
					err = checkEncoding(f)
				}
			}
			return err
		}
		if err := check(string(source)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		// The check can fail: with each V in turn taken from an instruction on vector
		// registers, and with each VZEROUPPER taken out.
		lines := strings.Split(string(source), "\n")
		for i, line := range lines {
			code, _, _ := strings.Cut(line, "//")
			op := strings.TrimSpace(code)
			if !strings.HasPrefix(op, "V") || !wideRegister.MatchString(code) && op != "VZEROUPPER" && !vectorRegister.MatchString(code) {
				continue
			}
			wide++
			changed := append([]string{}, lines...)
			changed[i] = strings.Replace(line, "V", "", 1)
			if check(strings.Join(changed, "\n")) == nil {
				t.Errorf("%s:%d: without its V, %q passes", file, i+1, op)
			}
		}
	}
	if wide < 50 {
		t.Errorf("%d vector instructions seen", wide)
	}
}
