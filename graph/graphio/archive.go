package graphio

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Archives are read where they hold one graph: tar, compressed or not, and zip. A first pass lists the members and ranks
// them by name and beginning; a second opens the one that is the graph.

// maxMembers is the number of members of an archive that are looked at.
const maxMembers = 1 << 20

// member is a regular file in an archive.
type member struct {
	name string
	rank rank
}

// rank tells how likely a member is the graph.
type rank uint8

const (
	notGraph  rank = iota // a readme, a picture, an empty file, a format that is not read
	textOnly              // text under a name that tells no format
	graphFile             // a format's name or mark
)

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
	if len(head) >= 512 && head[0] != 0 {
		_, err := tar.NewReader(bytes.NewReader(head)).Next() // it checks the sum of the header
		if err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
			return "tar"
		}
	}
	return ""
}

// archiveKind tells an archive by the beginning of the file, which may be compressed.
func (in *input) archiveKind(head []byte) (string, error) {
	if in.compression != "" {
		in := &input{ctx: in.ctx, o: in.o, compression: in.compression}
		z, err := in.decompress(bytes.NewReader(head))
		if err != nil {
			return "", nil // decompress fails again
		}
		defer func() { _ = in.shut() }() // only the beginning is read
		head, _ = beginning(z)
	}
	kind := archiveOf(head)
	if _, named := DetectName(in.path); kind == "" && len(head) >= 512 && in.o.Format == "" && !named && len(bytes.Trim(head, "\x00")) == 0 {
		kind = "tar" // without members
	}
	if kind == "zip" && in.compression != "" {
		return "", nil
	}
	if e := refuseUnread(nil, in.path, false); e != nil && kind != "" { // .xlsx, .npz
		return "", e
	}
	return kind, nil
}

// unpack starts to read the graph in an archive. It returns a stream where the content, which may be tuples, only begins
// like an archive.
func (in *input) unpack(kind string, raw io.Reader) (io.Reader, error) {
	content, err := in.content(raw)
	if err != nil {
		return nil, err
	}
	if kind == "zip" {
		_, err = zip.NewReader(content, in.size)
		if _, named := DetectName(in.path); err != nil && (named || in.o.Format != "") {
			return io.NewSectionReader(content, 0, in.size), nil
		}
	}
	if in.compression == "" {
		in.compression = kind
	}
	var members []member
	for e, err := range in.entries(kind, content) {
		if err == nil && len(members) == maxMembers {
			err = bad(ErrTooLarge, fmt.Sprintf("an archive of over %d files", maxMembers), "one graph", "unpack it")
		}
		m := member{name: e.name}
		if err == nil {
			m.rank, err = e.rank()
		}
		if err = cmp.Or(err, in.hold(int64(len(m.name))+64)); err != nil {
			return nil, in.streamError(err)
		}
		members = append(members, m)
	}
	k, err := in.pick(members)
	if err != nil {
		return nil, err
	}
	in.members, in.member = len(members), members[k].name
	in.path += ":" + in.member
	content.counts = true
	in.read.done.Store(0)
	for e, err := range in.entries(kind, content) {
		if err == nil && k == 0 {
			in.src, err = e.open()
		}
		if err != nil {
			return nil, in.streamError(err)
		}
		if k--; k < 0 {
			break
		}
	}
	graph := bufio.NewReader(in.src)
	magic, err := graph.Peek(6)
	if err != nil && err != io.EOF {
		return nil, in.streamError(err)
	}
	in.src = graph
	if inner := compressionOf(magic); inner != "" {
		in.compression = inner
		if in.src, err = in.decompress(graph); err != nil {
			return nil, err
		}
	}
	if archiveOf(in.peek(512)) != "" {
		return nil, bad(ErrUnsupported, "an archive within an archive", "a graph", "unpack it")
	}
	return nil, nil
}

// content is the whole of the file, or of the stream, which is held in memory.
func (in *input) content(raw io.Reader) (*contentAt, error) {
	if in.size >= 0 {
		return &contentAt{in: in, ReaderAt: in.file}, nil
	}
	var kept bytes.Buffer
	for err := error(nil); err != io.EOF; {
		var n int64
		if n, err = io.CopyN(&kept, raw, blockSize); err != nil && err != io.EOF {
			return nil, err
		}
		if err := in.hold(n); err != nil {
			return nil, err
		}
	}
	in.size = int64(kept.Len())
	return &contentAt{in: in, ReaderAt: bytes.NewReader(kept.Bytes())}, nil
}

// entry is a regular file of an archive.
type entry struct {
	name string
	size int64
	open func() (io.Reader, error)
}

// entries passes the regular files of an archive in their order.
func (in *input) entries(kind string, content io.ReaderAt) iter.Seq2[entry, error] {
	of := in.tarEntries
	if kind == "zip" {
		of = in.zipEntries
	}
	return func(yield func(entry, error) bool) {
		err := of(content, func(e entry) bool {
			if !strings.Contains(e.name, "/") {
				e.name = strings.ReplaceAll(e.name, `\`, "/")
			}
			return yield(e, nil)
		})
		if err != nil {
			yield(entry{}, err)
		}
	}
}

// tarEntries reads a tar file to its end, with the checksum of compressed data.
func (in *input) tarEntries(content io.ReaderAt, yield func(entry) bool) error {
	r, err := in.decompress(io.NewSectionReader(content, 0, in.size))
	if err != nil {
		return err
	}
	stream := &zeroCounter{Reader: r}
	t := tar.NewReader(stream)
	for {
		h, err := t.Next()
		if err == io.EOF {
			if _, err = io.Copy(io.Discard, stream); err == nil && stream.zeros < 512 {
				err = bad(ErrTruncated, "the end of the tar file", "two blocks of zeros, which end it", "the file has been cut short; get it again")
			}
			return err
		}
		if err != nil {
			return err
		}
		if h.Typeflag == tar.TypeReg && !yield(entry{h.Name, h.Size, func() (io.Reader, error) { return t, nil }}) {
			return nil
		}
	}
}

// zeroCounter counts the zeros at the end of what has been read.
type zeroCounter struct {
	io.Reader
	zeros int
}

func (z *zeroCounter) Read(p []byte) (int, error) {
	n, err := z.Reader.Read(p)
	last := n - len(bytes.TrimRight(p[:n], "\x00"))
	if last == n {
		last += z.zeros
	}
	z.zeros = last
	return n, err
}

// zipEntries passes the files of a zip file.
func (in *input) zipEntries(content io.ReaderAt, yield func(entry) bool) error {
	files, err := zip.NewReader(content, in.size)
	if err != nil {
		return err
	}
	const encrypted = 1
	for _, z := range files.File {
		e := entry{z.Name, int64(min(z.UncompressedSize64, 1<<62)), func() (io.Reader, error) {
			if z.Flags&encrypted != 0 || z.Method != zip.Store && z.Method != zip.Deflate {
				return nil, bad(ErrUnsupported, fmt.Sprintf("zip method %d, flags %#x", z.Method, z.Flags), "stored or deflated, without a password", "unpack it")
			}
			return z.Open()
		}}
		if err := in.ctx.Err(); err != nil || z.Mode().IsRegular() && !yield(e) {
			return err
		}
	}
	return nil
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

// rank ranks a member by its name, size and beginning.
func (e *entry) rank() (rank, error) {
	base := path.Base(e.name)
	if e.size == 0 || besides.MatchString(base) || strings.HasPrefix(e.name, "__MACOSX/") {
		return notGraph, nil
	}
	r, err := e.open()
	if errors.Is(err, ErrUnsupported) {
		return notGraph, nil
	} else if err != nil {
		return notGraph, err
	}
	text, err := beginning(r)
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
	if len(members) == 0 {
		return 0, e
	}
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
	text := strings.TrimSuffix(plural(int64(len(members)), "file")+": "+strings.Join(names, ", "), ": ")
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
