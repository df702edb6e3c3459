package graphio

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// compressionOf tells the compression by the first bytes.
func compressionOf(magic []byte) string {
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		return "gzip"
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return "zstd"
	case len(magic) >= 4 && magic[0]&0xf0 == 0x50 && string(magic[1:4]) == "*M\x18":
		return "zstd" // a frame to skip, with which pzstd begins
	case len(magic) >= 4 && string(magic[:3]) == "BZh" && magic[3] >= '1' && magic[3] <= '9':
		return "bzip2"
	case bytes.HasPrefix(magic, []byte{0xfd, '7', 'z', 'X', 'Z', 0}):
		return "xz"
	}
	return ""
}

// compressionSuffixes are the endings of names that are taken off before the ending
// that tells the format.
func compressionSuffixes() []string { return []string{".gz", ".zst", ".bz2", ".xz"} }

// checkWritable refuses the compression that is read only.
func checkWritable(name string) error {
	if strings.EqualFold(filepath.Ext(name), ".bz2") {
		return wrap(bad(ErrNotWritable, "compression bzip2", "", "use .gz, .zst or .xz"), name)
	}
	return nil
}

// Compress returns a writer to w that compresses as the ending of a file's name says: .gz, .zst or
// .xz; other names leave the bytes as they are. Close completes the data and leaves w open. The
// error of a name that ends in .bz2 wraps ErrNotWritable.
func Compress(w io.Writer, name string) (io.WriteCloser, error) {
	if err := checkWritable(name); err != nil {
		return nil, err
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".gz":
		return gzip.NewWriter(w), nil
	case ".zst":
		return zstd.NewWriter(w)
	case ".xz":
		z, err := xz.NewWriter(w)
		if err != nil { // it writes a header
			return nil, err
		}
		return z, nil
	}
	return plain{w}, nil
}

// plain is a writer that does not compress.
type plain struct{ io.Writer }

func (plain) Close() error { return nil }

// Decompress returns a reader of what r holds, decompressed if its first bytes are those of gzip,
// zstd, bzip2 or xz. Close leaves r open. Errors are r's, or those of a damaged header.
func Decompress(r io.Reader) (io.ReadCloser, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	magic, err := buffered.Peek(6)
	if err != nil && err != io.EOF {
		return nil, err
	}
	in := &input{ctx: context.Background(), o: &Options{}, compression: compressionOf(magic)}
	z, err := in.decompress(buffered)
	return decompressed{in, z}, err
}

// decompressed is the reader of Decompress.
type decompressed struct {
	in *input
	io.Reader
}

func (d decompressed) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = d.in.streamError(err)
	}
	return n, err
}

func (d decompressed) Close() error { return d.in.shut() }

// decompress wraps r as in.compression says. Members that follow each other are read
// as one.
func (in *input) decompress(r io.Reader) (io.Reader, error) {
	switch in.compression {
	case "gzip":
		buffered := bufio.NewReaderSize(r, 1<<16)
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, in.streamError(err)
		}
		z.Multistream(false)
		in.close = append(in.close, z.Close)
		return &gzipMembers{z, buffered}, nil
	case "zstd":
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDictionary))
		if err != nil {
			return nil, in.streamError(err)
		}
		in.close = append(in.close, func() error { z.Close(); return nil })
		return z, nil
	case "bzip2":
		return bzip2.NewReader(r), nil
	case "xz":
		r, err := in.limitXZ(r)
		if err != nil {
			return nil, in.streamError(err)
		}
		z, err := xz.NewReader(r)
		if err != nil {
			return nil, in.streamError(err)
		}
		return z, nil
	}
	return r, nil
}

// gzipMembers reads members that follow each other. What is behind the last one is
// named: the library takes it for a member that is damaged or cut short.
type gzipMembers struct {
	z *gzip.Reader
	r *bufio.Reader
}

func (g *gzipMembers) Read(p []byte) (int, error) {
	for {
		n, err := g.z.Read(p)
		if err != io.EOF {
			return n, err
		} else if n > 0 {
			return n, nil
		}
		head, err := g.r.Peek(2)
		if len(head) == 0 {
			return 0, err
		}
		if compressionOf(head) != "gzip" {
			return 0, g.padding()
		}
		if err := g.z.Reset(g.r); err != nil {
			return 0, err
		}
		g.z.Multistream(false)
	}
}

// padding is io.EOF if nothing but zeros follows, which gzip itself ignores.
func (g *gzipMembers) padding() error {
	for {
		c, err := g.r.ReadByte()
		if err != nil {
			return err
		}
		if c != 0 {
			return bad(ErrFormat, "bytes behind the end of the gzip data", "another member or the end of the file")
		}
	}
}

// streamError classes an error of the stream: damage of compressed data is named.
func (in *input) streamError(err error) error {
	if ctxErr := in.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	var e *Error
	if in.compression == "" || errors.As(err, &e) {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return wrap(bad(ErrTruncated, "unexpected end of the "+in.compression+" data", "", "the file has been cut short; get it again"), in.path)
	}
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return wrap(bad(fmt.Errorf("%w: %w", ErrTooLarge, err), "a zstd window", fmt.Sprintf("at most %d bytes", maxDictionary)), in.path)
	}
	return &Error{File: in.path, Found: "damaged " + in.compression + " data", Err: fmt.Errorf("%w: %w", ErrFormat, err)}
}

// maxDictionary is the largest dictionary of an xz stream and the largest window of a
// zstd stream that are read, in bytes: the decoder allocates them on the word of the
// header. xz -9 uses 64 MiB, zstd --ultra -22 128 MiB.
const maxDictionary = 1 << 30

// limitXZ looks at the dictionary size in the header of the first block.
func (in *input) limitXZ(r io.Reader) (io.Reader, error) {
	// 12 bytes of stream header, then of the block: size, flags, [sizes], filter 0x21, 1,
	// dictionary.
	head := make([]byte, 12+32)
	n, err := io.ReadFull(r, head)
	head = head[:n]
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	rest := io.MultiReader(bytes.NewReader(head), r)
	if n < 12+5 {
		return rest, nil
	}
	i := bytes.Index(head[14:], []byte{0x21, 0x01})
	if i < 0 || 14+i+2 >= n {
		return rest, nil
	}
	limit := int64(maxDictionary)
	if l := in.o.MemoryLimit; l > 0 {
		limit = min(limit, l)
	}
	// The size is 2 or 3 times a power of two.
	if b := head[14+i+2]; b <= 40 {
		size := (2 | int64(b)&1) << (b/2 + 11)
		if size > limit {
			return nil, bad(ErrTooLarge, fmt.Sprintf("an xz dictionary of %d bytes", size), fmt.Sprintf("at most %d", limit))
		}
	}
	return rest, nil
}
