// Package needs skips a test that lacks a tool, a driver or data, or fails it if the
// environment promises them. Only tests import it.
//
// TOTEMGO_REQUIRE is a comma-separated list of names; a test that misses one of
// them fails. make test sets it to what scripts/deps.sh installed. The names are
// those of scripts/deps.sh (cc, clang, oclgrind, pocl), opencl, network (a module proxy),
// data and cases.
//
// TOTEMGO_DATA and TOTEMGO_CASES are the folders of real graphs and of failure
// cases.
package needs

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Missing ends the test: it skips it, or fails it if TOTEMGO_REQUIRE has the name.
func Missing(t testing.TB, name, why string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("TOTEMGO_REQUIRE"), ","), name) {
		t.Fatalf("needs %s, which TOTEMGO_REQUIRE promises: %s", name, why)
	}
	t.Skipf("needs %s: %s", name, why)
}

// Tool returns the path of a command; name is what TOTEMGO_REQUIRE calls it.
func Tool(t testing.TB, name, command string) string {
	t.Helper()
	path, err := exec.LookPath(command)
	if err != nil {
		Missing(t, name, err.Error())
	}
	return path
}

// Data returns the path of a file below TOTEMGO_DATA.
func Data(t testing.TB, elem ...string) string {
	t.Helper()
	return below(t, "data", "TOTEMGO_DATA", elem)
}

// Cases returns the path of a file below TOTEMGO_CASES.
func Cases(t testing.TB, elem ...string) string {
	t.Helper()
	return below(t, "cases", "TOTEMGO_CASES", elem)
}

func below(t testing.TB, name, variable string, elem []string) string {
	t.Helper()
	root := os.Getenv(variable)
	if root == "" {
		Missing(t, name, variable+" is not set")
	}
	path := filepath.Join(append([]string{root}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		Missing(t, name, err.Error())
	}
	return path
}
