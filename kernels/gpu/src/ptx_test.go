package src

import (
	"crypto/sha256"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The committed PTX is of this source. Whether a compiler gives the same is checked by
// scripts/ptx.sh --check.
func TestPTXIsOfTheSource(t *testing.T) {
	text, err := Text()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("kernels.ptx")
	if err != nil {
		t.Fatal(err)
	}
	ptx := string(data)
	for _, want := range []string{
		"// options: " + PTXOptions + "\n",
		fmt.Sprintf("// source: %x\n", sha256.Sum256([]byte(text))),
		".version 6.3\n", ".target sm_60\n",
	} {
		if !strings.Contains(ptx, want) {
			t.Errorf("kernels.ptx lacks %q: run scripts/ptx.sh", want)
		}
	}
	kernels := regexp.MustCompile(`(?m)^KERNEL (\w+)\(`).FindAllStringSubmatch(text, -1)
	if len(kernels) < 12 {
		t.Fatalf("%d kernels found in the source", len(kernels))
	}
	for _, k := range kernels {
		if !strings.Contains(ptx, ".visible .entry "+k[1]+"(") {
			t.Errorf("kernels.ptx lacks %s", k[1])
		}
	}
}

func TestPTXOptions(t *testing.T) {
	if PTX(strings.Fields(strings.Replace(PTXOptions, "WG=256", "WG=128", 1))) != nil {
		t.Error("PTX for other options")
	}
	options := append([]string{"-cl-std=CL1.2"}, strings.Fields(PTXOptions)...)
	if len(PTX(options)) == 0 {
		t.Error("no PTX for its own options")
	}
}
