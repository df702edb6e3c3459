package graphio_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph/graphio"
)

// TestBehindGzip reads what follows a gzip member: members, empty ones too, and zeros
// belong to the file; anything else is named as what it is, however short.
func TestBehindGzip(t *testing.T) {
	whole, empty := compressGzip(t, []byte("0 1\n1 2\n")), compressGzip(t, nil)
	for _, c := range []struct {
		name, behind string
		edges        int64
	}{
		{"nothing", "", 2}, {"member", string(compressGzip(t, []byte("2 3\n"))), 3}, {"empty-members", string(empty) + string(empty), 2},
		{"zeros", strings.Repeat("\x00", 512), 2}, {"one-zero", "\x00", 2},
		{"text", "2 3\n", -1}, {"byte", "x", -1}, {"zeros-and-text", "\x00\x00x", -1}, {"half-a-mark", "\x1f", -1},
		{"long", strings.Repeat("garbage", 100), -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := append(bytes.Clone(whole), c.behind...)
			f, err := graphio.Open(context.Background(), "-", graphio.Options{Stdin: bytes.NewReader(data)})
			if c.edges < 0 {
				if !errors.Is(err, graphio.ErrFormat) || !strings.Contains(err.Error(), "behind the end of the gzip data") {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if n := f.Source.NumEdges(); n != c.edges {
				t.Errorf("%d edges, want %d", n, c.edges)
			}
			f.Close()
		})
	}
	for n := range len(whole) - 1 {
		data := append(bytes.Clone(whole), whole[:n+1]...)
		if _, err := graphio.Open(context.Background(), "-", graphio.Options{Stdin: bytes.NewReader(data)}); err == nil {
			t.Errorf("a member cut to %d bytes is not missed", n+1)
		}
	}
}

// TestSkippedFrame reads zstd data that begins with a frame to skip, as pzstd writes it.
func TestSkippedFrame(t *testing.T) {
	for _, mark := range []string{"\x50", "\x5f"} {
		data := append([]byte(mark+"*M\x18\x04\x00\x00\x00abcd"), compressZstd(t, []byte("0 1\n1 2\n"))...)
		f, err := graphio.Open(context.Background(), "-", graphio.Options{Stdin: bytes.NewReader(data)})
		if err != nil {
			t.Fatal(err)
		}
		if f.Source.NumEdges() != 2 || f.Report.Compression != "zstd" {
			t.Errorf("%d edges, compression %q", f.Source.NumEdges(), f.Report.Compression)
		}
		f.Close()
	}
}

// TestZstdWindow refuses a window that no file of this size needs.
func TestZstdWindow(t *testing.T) {
	data := []byte("\x28\xb5\x2f\xfd\x04\xa8\x55\x00\x00 0 1\n") // a window of 2 GiB
	_, err := graphio.Open(context.Background(), "-", graphio.Options{Stdin: bytes.NewReader(data)})
	if !errors.Is(err, graphio.ErrTooLarge) || !strings.Contains(err.Error(), "window") {
		t.Errorf("%v", err)
	}
}
