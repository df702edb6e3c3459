package graphio

import (
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"

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

// decompress wraps r as in.compression says. Members that follow each other are read
// as one.
func (in *input) decompress(r io.Reader) (io.Reader, error) {
	switch in.compression {
	case "gzip":
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, in.streamError(err)
		}
		in.close = append(in.close, z.Close)
		return z, nil
	case "zstd":
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
		if err != nil {
			return nil, in.streamError(err)
		}
		in.close = append(in.close, func() error { z.Close(); return nil })
		return z, nil
	case "bzip2":
		return bzip2.NewReader(r), nil
	case "xz":
		z, err := xz.NewReader(r)
		if err != nil {
			return nil, in.streamError(err)
		}
		return z, nil
	}
	return r, nil
}

// streamError classes an error of the stream: damage of compressed data is named.
func (in *input) streamError(err error) error {
	if ctxErr := in.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	if in.compression == "" {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return &Error{File: in.path, Found: "unexpected end of the " + in.compression + " data", Hint: "the file has been cut short; get it again", Err: ErrTruncated}
	}
	return &Error{File: in.path, Found: "damaged " + in.compression + " data", Err: fmt.Errorf("%w: %w", ErrFormat, err)}
}
