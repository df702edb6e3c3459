package graphio

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Archives are read where they hold one graph: tar, compressed or not, and zip. A first pass lists the members and ranks
// them by name and beginning; a second opens the one that is the graph.

// maxMembers is the number of members of an archive that are looked at.
const maxMembers = 1 << 20

// member is a regular file in an archive.
type member struct {
	name string
	at   int // its place among all entries
	rank rank
}

// rank tells how likely a member is the graph.
type rank uint8

const (
	notGraph  rank = iota // a readme, a picture, an empty file, a format that is not read
	textOnly              // text under a name that tells no format
	graphFile             // a format's name or mark
)

// recorder keeps what has been read of a stream until the beginning is known to be no archive.
type recorder struct {
	r    io.Reader
	kept []byte
	off  bool
}

func (c *recorder) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if !c.off {
		c.kept = append(c.kept, p[:n]...)
	}
	return n, err
}

// contentAt reads an archive anywhere; reading of the graph counts as progress.
type contentAt struct {
	in *input
	io.ReaderAt
	counts bool
}

func (c *contentAt) ReadAt(p []byte, at int64) (int, error) {
	if err := c.in.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.ReaderAt.ReadAt(p, at)
	if c.counts {
		c.in.progress(int64(n))
	}
	return n, err
}

// archiveOf tells an archive by its beginning: "tar", "zip" or "".
func archiveOf(head []byte) string {
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06")) { // or an empty one
		return "zip"
	}
	if len(head) < 512 || head[0] == 0 {
		return ""
	}
	// The checksum of a tar header counts its own 8 bytes as blanks.
	want, err := strconv.ParseInt(string(bytes.Trim(head[148:156], " \x00")), 8, 64)
	sum := int64(8 * ' ')
	for _, c := range slices.Concat(head[:148], head[156:512]) {
		sum += int64(c)
	}
	if err != nil || sum != want {
		return ""
	}
	return "tar"
}

// unpack makes the input that of the graph in an archive, if the content is one.
func (in *input) unpack() error {
	head := in.peek(512)
	kind := archiveOf(head)
	if kind != "" {
		if e := refuseUnread(nil, in.path, false); e != nil { // .xlsx, .npz
			return e
		}
	}
	if kind == "" || kind == "zip" && in.compression != "" {
		return in.single()
	}
	content, err := in.content()
	if err != nil {
		return err
	}
	var files *zip.Reader
	if kind == "zip" {
		files, err = zip.NewReader(content, in.size)
		if _, named := DetectName(in.path); err != nil && (named || in.o.Format != "") {
			// Tuples may begin like a zip file: its directory decides.
			if in.rec != nil {
				in.src, in.win, in.eof = bytes.NewReader(in.rec.kept), nil, false
			}
			return in.single()
		}
	}
	if in.compression == "" {
		in.compression = kind
	}
	if err != nil {
		return in.streamError(err)
	}
	if in.m != nil {
		if err := in.m.close(); err != nil {
			return err
		}
	}
	in.m, in.win, in.eof, in.src = nil, nil, false, nil
	var members []member
	if kind == "zip" {
		members, err = in.listZip(files)
	} else {
		members, err = in.listTar(content)
	}
	if err != nil {
		return in.streamError(err)
	}
	k, err := in.pick(members)
	if err != nil {
		return err
	}
	in.members, in.member = len(members), members[k].name
	in.path += ":" + in.member
	content.counts = true
	in.read.Store(0)
	var graph io.Reader
	if kind == "zip" {
		graph, err = in.openZip(files.File[members[k].at])
	} else {
		graph, err = in.openTar(content, members[k].at)
	}
	if err != nil {
		return in.streamError(err)
	}
	magic := make([]byte, 6)
	n, err := io.ReadFull(graph, magic)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return in.streamError(err)
	}
	in.src = io.MultiReader(bytes.NewReader(magic[:n]), graph)
	if inner := compressionOf(magic[:n]); inner != "" {
		in.compression = inner
		if in.src, err = in.decompress(in.src); err != nil {
			return err
		}
	}
	if archiveOf(in.peek(512)) != "" {
		return bad(ErrUnsupported, "an archive within an archive", "a graph", "unpack it")
	}
	return nil
}

// single stops to record what is read: the content is no archive.
func (in *input) single() error {
	if in.rec != nil {
		in.rec.off, in.rec.kept = true, nil
	}
	if in.o.Member != "" {
		return bad(ErrOptions, "no archive", "a tar or zip file with "+quote(in.o.Member))
	}
	return nil
}

// content is the whole of the file, or of the stream, which is held in memory.
func (in *input) content() (*contentAt, error) {
	if in.rec == nil {
		return &contentAt{in: in, ReaderAt: in.file}, nil
	}
	buf := make([]byte, blockSize)
	for {
		if err := in.hold(int64(len(in.rec.kept)) - in.kept); err != nil {
			return nil, err
		}
		in.kept = int64(len(in.rec.kept))
		switch _, err := in.rec.Read(buf); {
		case err == io.EOF:
			in.size = in.kept
			return &contentAt{in: in, ReaderAt: bytes.NewReader(in.rec.kept)}, nil
		case err != nil:
			return nil, err
		}
	}
}

// listed adds a member to the list.
func (in *input) listed(members []member, name string, at int, size int64, head func() ([]byte, error)) ([]member, error) {
	if len(members) == maxMembers {
		return nil, bad(ErrTooLarge, fmt.Sprintf("an archive of over %d files", maxMembers), "one graph", "unpack it")
	}
	if err := in.hold(int64(len(name)) + 64); err != nil {
		return nil, err
	}
	if !strings.Contains(name, "/") {
		name = strings.ReplaceAll(name, `\`, "/")
	}
	r, err := rankOf(name, size, head)
	return append(members, member{name, at, r}), err
}

// tarOf starts to read a tar file from its beginning.
func (in *input) tarOf(content *contentAt) (*tar.Reader, io.Reader, error) {
	r, err := in.decompress(io.NewSectionReader(content, 0, in.size))
	if err != nil {
		return nil, nil, err
	}
	return tar.NewReader(r), r, nil
}

// listTar lists the members of a tar file, and reads it to its end.
func (in *input) listTar(content *contentAt) (members []member, err error) {
	t, stream, err := in.tarOf(content)
	if err != nil {
		return nil, err
	}
	for at := 0; ; at++ {
		h, err := t.Next()
		if err == io.EOF {
			_, err = io.Copy(io.Discard, stream) // the compressed data's own checksum
			return members, err
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if members, err = in.listed(members, h.Name, at, h.Size, func() ([]byte, error) { return beginning(t) }); err != nil {
			return nil, err
		}
	}
}

// openTar starts to read the member at a place.
func (in *input) openTar(content *contentAt, at int) (io.Reader, error) {
	t, _, err := in.tarOf(content)
	for k := 0; err == nil && k <= at; k++ {
		_, err = t.Next()
	}
	return t, err
}

// listZip lists the members of a zip file.
func (in *input) listZip(files *zip.Reader) (members []member, err error) {
	for at, z := range files.File {
		if !z.Mode().IsRegular() {
			continue
		}
		if err := in.ctx.Err(); err != nil {
			return nil, err
		}
		members, err = in.listed(members, z.Name, at, int64(min(z.UncompressedSize64, 1<<62)), func() ([]byte, error) {
			r, err := openZipped(z)
			if errors.Is(err, ErrUnsupported) {
				return nil, nil
			} else if err != nil {
				return nil, err
			}
			defer func() { _ = r.Close() }() // only the beginning is read
			return beginning(r)
		})
		if err != nil {
			return nil, err
		}
	}
	return members, nil
}

// openZip starts to read a member.
func (in *input) openZip(z *zip.File) (io.Reader, error) {
	r, err := openZipped(z)
	if err != nil {
		return nil, err
	}
	in.close = append(in.close, r.Close)
	return r, nil
}

func openZipped(z *zip.File) (io.ReadCloser, error) {
	const encrypted = 1
	if z.Flags&encrypted != 0 || z.Method != zip.Store && z.Method != zip.Deflate {
		return nil, bad(ErrUnsupported, fmt.Sprintf("zip method %d, flags %#x", z.Method, z.Flags), "stored or deflated, without a password", "unpack it")
	}
	return z.Open()
}

// beginning reads the first bytes of a member.
func beginning(r io.Reader) ([]byte, error) {
	head := make([]byte, 4096)
	n, err := io.ReadFull(r, head)
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		err = nil
	}
	return head[:n], err
}

// besides matches names of files that accompany a graph.
var besides = regexp.MustCompile(`(?i)^(\.|_|(readme|licen[cs]e|copying|citing|citation|author|changelog|meta\.|ent\.).*)|` +
	`\.(md|html?|pdf|bib|png|jpe?g|svg|json|rtf|docx?|tex|py|m|r|c|h|sh|log)$`)

// edgesWord matches names that say edges.
var edgesWord = regexp.MustCompile(`(?i)(^|[^a-z])(edges?|edge[_-]?list|links?|arcs?)($|[^a-z])`)

// rankOf ranks a member by its name, size and beginning.
func rankOf(name string, size int64, head func() ([]byte, error)) (rank, error) {
	base := path.Base(name)
	if size == 0 || besides.MatchString(base) || strings.HasPrefix(name, "__MACOSX/") {
		return notGraph, nil
	}
	text, err := head()
	if err != nil {
		return notGraph, err
	}
	_, named := DetectName(base)
	mark := detectContent(text)
	switch {
	case mark == "matrixmarket" && bytes.Contains(bytes.ToLower(text[:restOfLine(text, 0)]), []byte(" array ")):
		return notGraph, nil
	case mark != "" || named:
		return graphFile, nil
	case refuseUnread(text, base, isText(text)) != nil || !isText(text) && compressionOf(text) == "":
		return notGraph, nil
	}
	return textOnly, nil
}

// pick finds the member that is the graph: the one that Options.Member names, else the only one, the only one with a
// format's name or mark, KONECT's out.NAME, the one whose name says edges, or SuiteSparse's NAME/NAME.mtx.
func (in *input) pick(members []member) (int, error) {
	var found []int
	only := func(is func(m *member) bool) bool {
		found = found[:0]
		for i := range members {
			if is(&members[i]) {
				found = append(found, i)
			}
		}
		return len(found) == 1
	}
	want := in.o.Member
	switch {
	case want != "":
		if only(func(m *member) bool { return m.name == want }) ||
			len(found) == 0 && only(func(m *member) bool { return strings.HasSuffix("/"+m.name, "/"+want) }) {
			return found[0], nil
		}
		return 0, bad(ErrOptions, fmt.Sprintf("%s %s in an archive of %s", plural(int64(len(found)), "file"), quote(want), list(members)), "one")
	case len(members) == 1:
		return 0, nil
	}
	best := notGraph
	for _, m := range members {
		best = max(best, m.rank)
	}
	top := func(is func(base string, m *member) bool) func(m *member) bool {
		return func(m *member) bool { return m.rank == best && best > notGraph && is(path.Base(m.name), m) }
	}
	folder := func(m *member) string { return path.Base(path.Dir(m.name)) }
	switch {
	case only(top(func(string, *member) bool { return true })), only(top(func(base string, _ *member) bool { return strings.HasPrefix(base, "out.") })),
		only(top(func(base string, _ *member) bool { return edgesWord.MatchString(base) })):
		return found[0], nil
	case !only(top(func(base string, m *member) bool { return !strings.HasPrefix(base, folder(m)+"_") })):
	case strings.TrimSuffix(members[found[0]].name, path.Ext(members[found[0]].name)) == folder(&members[found[0]])+"/"+folder(&members[found[0]]):
		return found[0], nil // NAME/NAME.mtx beside NAME/NAME_b.mtx
	}
	e := bad(ErrUnsupported, "an archive of "+list(members), "one graph")
	e.Hint = Hint{"name the graph's file (%s), or unpack it", []Cure{CureMember}}
	return 0, e
}

// list names the members, the likely ones first.
func list(members []member) string {
	const most = 12
	sorted := slices.Clone(members)
	slices.SortStableFunc(sorted, func(a, b member) int { return int(b.rank) - int(a.rank) })
	var names []string
	for _, m := range sorted[:min(len(sorted), most)] {
		names = append(names, quote(m.name))
	}
	text := plural(int64(len(members)), "file") + ": " + strings.Join(names, ", ")
	if more := len(members) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// name is the name that tells the format: the member's in an archive.
func (in *input) name() string {
	if in.member != "" {
		return in.member
	}
	return in.path
}
