package graphio_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph/graphio"
)

const (
	smallList   = "0 1\n1 2\n"
	smallMatrix = "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n"
	denseMatrix = "%%MatrixMarket matrix array real general\n2 1\n1\n2\n"
)

// files are files of the names and contents that alternate.
func files(texts ...string) []file {
	var out []file
	for i := 0; i < len(texts); i += 2 {
		out = append(out, file{texts[i], []byte(texts[i+1])})
	}
	return out
}

// TestArchives packs what publishers pack and demands the graph among it, or a list of the files.
func TestArchives(t *testing.T) {
	for name, c := range map[string]struct {
		files  []file
		member string // option
		want   string // the member that is read, else
		refuse []string
	}{
		"suitesparse": {files: files("hep/hep.mtx", smallMatrix, "hep/hep_b.mtx", denseMatrix, "hep/hep_C.mtx", smallMatrix, "hep/hep_nodename.txt", "a\nb\n"), want: "hep/hep.mtx"},
		"konect": {files: files("moreno/README.moreno", "x", "moreno/out.moreno", "% sym unweighted\n1 2\n2 3\n", "moreno/meta.moreno", "name: x\n",
			"moreno/ent.moreno.name", "a\nb\n"), want: "moreno/out.moreno"},
		"network repository":  {files: files("fb.mtx", smallMatrix, "readme.html", "<html>"), want: "fb.mtx"},
		"labels beside":       {files: files("fb.edges", smallList, "fb.node_labels", "1,2\n", "readme.html", "<html>"), want: "fb.edges"},
		"snap":                {files: files("g/g_target.csv", "id,name\n1,2\n", "g/g_edges.csv", "id_1,id_2\n1,2\n2,3\n", "g/g_features.json", "{}", "g/README.txt", "x"), want: "g/g_edges.csv"},
		"name without ending": {files: files("data/graph", smallList, "data/LICENSE", "free"), want: "data/graph"},
		"mark":                {files: files("a", smallMatrix, "notes.txt.pdf", "%PDF-", ".DS_Store", "x"), want: "a"},
		"mac":                 {files: files("a.el", smallList, "__MACOSX/._a.el", "\x00\x05\x16\x07"), want: "a.el"},
		"backslashes":         {files: files(`g\a.el`, smallList, `g\readme.txt`, "x"), want: "g/a.el"},
		"several":             {files: files("as/1.txt", smallList, "as/2.txt", smallList), refuse: []string{`2 files: "as/1.txt", "as/2.txt"`, "Member"}},
		"several matrices":    {files: files("x/a.mtx", smallMatrix, "x/b.mtx", smallMatrix), refuse: []string{`"x/a.mtx", "x/b.mtx"`}},
		"matrix of another":   {files: files("x/x.mtx", smallMatrix, "x/y.mtx", smallMatrix), refuse: []string{`"x/x.mtx", "x/y.mtx"`}},
		"none":                {files: files("a.pdf", "%PDF-", "b.png", "x"), refuse: []string{`2 files: "a.pdf", "b.png"`}},
		"empty":               {files: nil, refuse: []string{"0 files"}},
		"chosen":              {files: files("as/1.txt", smallList, "as/2.txt", smallList), member: "2.txt", want: "as/2.txt"},
		"chosen by path":      {files: files("as/1.txt", smallList, "1.txt", smallList), member: "1.txt", want: "1.txt"},
		"not there":           {files: files("as/1.txt", smallList), member: "3.txt", refuse: []string{`0 files "3.txt"`, `"as/1.txt"`}},
		"twice":               {files: files("a/1.txt", smallList, "b/1.txt", smallList), member: "1.txt", refuse: []string{`2 files "1.txt"`}},
		"not read":            {files: files("a.gml", "graph [ ]"), refuse: []string{"GML"}},
		"nested":              {files: []file{{"a.zip", zipOf(t, file{"a.el", []byte(smallList)})}}, refuse: []string{"archive within an archive"}},
	} {
		for kind, pack := range map[string]func(testing.TB, ...file) []byte{"tar": tarOf, "zip": zipOf} {
			data := pack(t, c.files...)
			path := filepath.Join(t.TempDir(), "x."+kind)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, from := range []string{path, "-"} {
				f, err := graphio.Open(context.Background(), from, graphio.Options{Member: c.member, Stdin: iotestOneByte{bytes.NewReader(data)}})
				if err == nil {
					if f.Report.Member != c.want || f.Source.NumEdges() != 2 || f.Report.Bytes != int64(len(data)) {
						t.Errorf("%s, %s: %q, want %q; %d edges, report %+v", name, kind, f.Report.Member, c.want, f.Source.NumEdges(), f.Report)
					}
					f.Close()
					continue
				}
				var e *graphio.Error
				if c.want != "" || !errors.As(err, &e) {
					t.Errorf("%s, %s, %s: %v", name, kind, from, err)
				}
				for _, m := range c.refuse {
					if !strings.Contains(err.Error(), m) {
						t.Errorf("%s, %s: %q does not mention %q", name, kind, err, m)
					}
				}
			}
		}
	}
}

// TestDamagedArchives cuts and damages archives: an error of the class of damage, from a file and from a pipe.
func TestDamagedArchives(t *testing.T) {
	long := strings.Repeat(smallList, 4000)
	tarFile, zipFile := tarOf(t, files("a.el", long, "readme.txt", "x")...), zipOf(t, files("a.el", long, "readme.txt", "x")...)
	flipped := bytes.Clone(zipFile)
	flipped[60] ^= 0xff
	tgz := compressGzip(t, tarFile)
	for name, c := range map[string]struct {
		data  []byte
		class error
	}{
		"a.tar":     {tarFile[:1000], graphio.ErrTruncated},
		"k.tar":     {tarFile[:len(tarFile)-1024], graphio.ErrTruncated},
		"b.tar.gz":  {tgz[:len(tgz)-1], graphio.ErrTruncated},
		"c.tar.gz":  {compressGzip(t, tarFile[:3000]), graphio.ErrTruncated},
		"d.zip":     {zipFile[:len(zipFile)-30], graphio.ErrFormat},
		"e":         {zipFile[:100], graphio.ErrFormat},
		"f.zip":     {flipped, graphio.ErrFormat},
		"g.npz":     {zipOf(t, files("data.npy", "x")...), graphio.ErrUnknownFormat},
		"h.zip":     {bytes.ReplaceAll(zipFile, []byte("PK\x01\x02\x14\x00\x14\x00\x08\x00\x08\x00"), []byte("PK\x01\x02\x14\x00\x14\x00\x09\x00\x08\x00")), graphio.ErrUnsupported},
		"l.gz":      {compressGzip(t, tgz[:40]), graphio.ErrUnsupported},
		"j.tar.zip": {zipOf(t, file{"a.el.gz", tgz[:40]}), graphio.ErrTruncated},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, from := range []string{path, "-"} {
			if name == "g.npz" && from == "-" {
				continue // its name is lost
			}
			f, err := graphio.Open(context.Background(), from, graphio.Options{Stdin: bytes.NewReader(c.data)})
			if err == nil {
				f.Close()
			}
			if !errors.Is(err, c.class) {
				t.Errorf("%s, %s: %v, want %v", name, from, err, c.class)
			}
		}
	}
}

// TestNoArchive reads tuples that begin like a zip file, and refuses a member of a plain file.
func TestNoArchive(t *testing.T) {
	tuples := le(uint32(0x04034b50), uint32(1), uint32(0), uint32(2), uint32(1), uint32(0))
	for _, o := range []graphio.Options{{}, {Stdin: strings.NewReader(tuples), Format: "graph500"}} {
		path := filepath.Join(t.TempDir(), "a.packed")
		if o.Stdin != nil {
			path = "-"
		} else if err := os.WriteFile(path, []byte(tuples), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := graphio.Open(context.Background(), path, o)
		if err != nil {
			t.Fatal(err)
		}
		if f.Source.NumEdges() != 2 {
			t.Errorf("%d tuples, want 2", f.Source.NumEdges())
		}
		f.Close()
	}
	_, err := graphio.Open(context.Background(), "-", graphio.Options{Stdin: strings.NewReader(smallList), Member: "a"})
	if !errors.Is(err, graphio.ErrOptions) {
		t.Errorf("%v", err)
	}
	if _, err = graphio.Open(context.Background(), "-", graphio.Options{Stdin: bytes.NewReader(tarOf(t, files("a.el", strings.Repeat(smallList, 1000))...)), MemoryLimit: 2000}); !errors.Is(err, graphio.ErrTooLarge) {
		t.Errorf("%v", err)
	}
}
