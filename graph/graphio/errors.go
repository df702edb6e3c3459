package graphio

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Errors of opening a file: what it is could not be settled.
var (
	// ErrUnknownFormat is returned where neither content nor name tells the format,
	// or where Options.Format names none of Formats.
	ErrUnknownFormat = errors.New("unknown format")
	// ErrUnsupported is returned for a variant of a known format that is not read,
	// such as a complex MatrixMarket file.
	ErrUnsupported = errors.New("unsupported variant")
	// ErrOptions is returned where options contradict each other or the format.
	ErrOptions = errors.New("options do not fit")
)

// Errors of reading: the file is not what it says.
var (
	// ErrFormat is the class of malformed input: a word where a number belongs, a
	// wrong number of columns, an id out of range, a wrong count.
	ErrFormat = errors.New("malformed input")
	// ErrTruncated is returned where the file ends before what it declares: a cut
	// compressed stream, fewer records than announced, a binary file shorter than its
	// header implies, a file cut short while it is read.
	ErrTruncated = errors.New("truncated input")
	// ErrTooLarge is returned where a number exceeds what the engine holds (vertices,
	// weights) or where Options.MemoryLimit would be passed.
	ErrTooLarge = errors.New("too large")
	// ErrChecksum is returned where stored and computed checksums differ.
	ErrChecksum = errors.New("checksum mismatch")
)

// Errors of writing.
var (
	// ErrNotWritable is returned where a format is read only.
	ErrNotWritable = errors.New("format is read only")
	// ErrLoss is returned where the format cannot hold the graph; the message names
	// what would be lost and which options help.
	ErrLoss = errors.New("the format cannot hold the graph")
)

// Error is a fault of a file, reachable by errors.As. The wrapped Err is one of the
// sentinels of this package or an error of the operating system.
type Error struct {
	// File is the path as it was given.
	File string
	// Line is the number of the line, counted from 1 over all lines, comments and
	// blank lines included; 0 where no line is at fault.
	Line int64
	// Column is the number of the byte in the line, counted from 1, 0 if unknown.
	Column int
	// Found says what stands there, Want what was expected. Each may be empty.
	Found, Want string
	// Hint says what helps. It may be empty.
	Hint Hint
	// Err is the class of the fault.
	Err error
}

// Error states the file, the place, what was found, what was expected, and what helps.
func (e *Error) Error() string {
	where, what := e.File, e.Found
	if e.Line > 0 {
		where += fmt.Sprintf(": line %d", e.Line)
		if e.Column > 0 {
			where += fmt.Sprintf(", column %d", e.Column)
		}
	}
	if e.Found != "" && e.Want != "" {
		what = "found " + e.Found + ", expected " + e.Want
	} else if e.Want != "" {
		what = "expected " + e.Want
	}
	if e.Err != nil && what != "" {
		what += fmt.Sprintf(" (%v)", e.Err)
	} else if e.Err != nil {
		what = e.Err.Error()
	}
	if hint := e.Hint.String(); hint != "" {
		what += "; " + hint
	}
	return "graphio: " + where + ": " + what
}

// Unwrap returns the class of the fault.
func (e *Error) Unwrap() error { return e.Err }

// unknownContent is the ErrUnknownFormat of a file, not of an option: it is malformed
// input as well.
type unknownContent struct{}

func (unknownContent) Error() string { return ErrUnknownFormat.Error() }

func (unknownContent) Is(target error) bool {
	return target == ErrUnknownFormat || target == ErrFormat
}

// Cure is a setting that cures a fault.
type Cure uint8

// The cures. DropWeights, WeightsPath and Tuple are fields of Options or SaveOptions, Direction of Options;
// the others change the graph before it is saved.
const (
	CureDropWeights Cure = iota
	CureWeightsPath
	CureTuple
	CureDirection
	CureDropLoops
	CureMergeDuplicates
	CureRelabel
	CureColumns
	CureFirstLine
	CureFormat
	CureNames
	CureNoWeights
	CureMember
	CureLenient
	CureInputFormat // CureFormat of a program that has a format of the output too
)

// String names the field that sets the cure.
func (c Cure) String() string {
	names := [...]string{"SaveOptions.DropWeights", "WeightsPath", "Tuple", "Options.Direction", "graph.BuildOptions.Loops",
		"graph.BuildOptions.Duplicates", "graph.EdgeList.Labels", "Options.Columns", "Options.FirstLine", "Options.Format", "Options.Names",
		"Options.WeightColumn −1", "Options.Member", "Options.Lenient", "Options.Format"}
	if int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("Cure(%d)", uint8(c))
}

// Hint says what helps against a fault.
type Hint struct {
	// Text is the advice. With Cures it is a format with a %s for each.
	Text string
	// Cures are the settings that the text names.
	Cures []Cure
}

// String is the advice with the names of fields.
func (h Hint) String() string { return h.Spell(Cure.String) }

// Spell is the advice with each cure as name spells it.
func (h Hint) Spell(name func(Cure) string) string {
	if len(h.Cures) == 0 {
		return h.Text
	}
	names := make([]any, len(h.Cures))
	for i, c := range h.Cures {
		names[i] = name(c)
	}
	return fmt.Sprintf(h.Text, names...)
}

// fault is an Error on a line of the file, 0 where no line is at fault. The caller that knows the file's name adds it.
func fault(line int64, column int, class error, found, want string, hint ...string) *Error {
	return &Error{Line: line, Column: column, Found: found, Want: want, Hint: Hint{Text: strings.Join(hint, "")}, Err: class}
}

// advise adds what helps: with cures, a format with a %s for each.
func (e *Error) advise(text string, cures ...Cure) *Error {
	e.Hint = Hint{text, cures}
	return e
}

// bad is a fault on no line.
func bad(class error, found, want string, hint ...string) *Error {
	return fault(0, 0, class, found, want, hint...)
}

// loss refuses to write what the format cannot hold.
func loss(what, hint string, cures ...Cure) *Error {
	return &Error{Found: what, Hint: Hint{hint, cures}, Err: ErrLoss}
}

// short is the class of a count or a size that is not the declared one.
func short[T int64 | uint64](have, want T) error {
	if have < want {
		return ErrTruncated
	}
	return ErrFormat
}

// cut shows a word of the input in a message: cut where long.
func cut(word string) string { return word[:min(len(word), 40)] }

// quote shows bytes of the input in a message: quoted, cut where long.
func quote[T []byte | string](tok T) string {
	if len(tok) == 0 {
		return "nothing"
	} else if len(tok) > 40 {
		return fmt.Sprintf("%.40q… (%d bytes)", tok, len(tok))
	}
	return fmt.Sprintf("%q", tok)
}

// wrap gives an error the file's name.
func wrap(err error, path string) error {
	var e *Error
	if errors.As(err, &e) {
		if e.File == "" {
			e.File = path
		}
		return err
	}
	if p := (*os.PathError)(nil); errors.As(err, &p) {
		err = p.Err
	} else if l := (*os.LinkError)(nil); errors.As(err, &l) {
		err = l.Err
	}
	return &Error{File: path, Err: err}
}
