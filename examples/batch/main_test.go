package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
)

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "g.txt")
	// 1 → 2 → 3 → 4, 3 → 1
	if err := os.WriteFile(file, []byte("1 2\n2 3\n3 4\n3 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(context.Background(), file, strings.NewReader("1\n 4\n\n2\n1\n"), &out); err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"1", "4", "3"}, {"4", "1", "0"}, {"2", "4", "2"}, {"1", "4", "3"}}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines: %s", len(lines), out.String())
	}
	for i, line := range lines {
		f := strings.Split(line, "\t")
		if len(f) != 4 || strings.Join(f[:3], " ") != strings.Join(want[i], " ") {
			t.Errorf("line %d: %q, want %v", i+1, line, want[i])
		}
	}

	out.Reset()
	err := run(context.Background(), file, strings.NewReader("1\n9\n1\n"), &out)
	if !errors.Is(err, graph.ErrNoVertex) || !strings.Contains(err.Error(), "line 2") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("a root that is no vertex: %v; %q", err, out.String())
	}
	if err := run(context.Background(), file, strings.NewReader("one\n"), &out); err == nil || !strings.Contains(err.Error(), `"one"`) {
		t.Errorf("a root that is no number: %v", err)
	}
	if err := run(context.Background(), file+"x", strings.NewReader(""), &out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := run(ctx, file, strings.NewReader("1\n"), &out); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}
