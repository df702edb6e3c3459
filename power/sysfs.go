package power

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Sysfs reads a sysfs tree: the machine's own, a directory laid out like it, or a
// snapshot. It holds no state besides where to read.
type Sysfs struct {
	root  string
	files map[string]*string  // a snapshot; nil: a directory
	dirs  map[string][]string // names in its directories, some twice
}

// OpenSysfs opens the tree at root: a directory, or a JSON snapshot file, an object
// of path and content ({"class/powercap/intel-rapl:0/name": "package-0\n", ...}).
// The content null stands for a file that may not be read. "" is /sys. The
// error wraps ErrFormat for a file that is no snapshot, or is the system's.
func OpenSysfs(root string) (*Sysfs, error) {
	if root == "" { // a system without sysfs has an empty tree
		return &Sysfs{root: "/sys"}, nil
	}
	if st, err := os.Stat(root); err == nil && st.IsDir() {
		return &Sysfs{root: root}, nil
	}
	data, err := os.ReadFile(root)
	if err != nil {
		return nil, fmt.Errorf("power: sysfs root: %w", err)
	}
	var files map[string]*string
	if err := json.Unmarshal(data, &files); err != nil {
		return nil, fmt.Errorf("power: sysfs snapshot %s: %w: %w", root, ErrFormat, err)
	}
	s, err := NewSnapshot(files)
	if err != nil {
		return nil, fmt.Errorf("power: sysfs snapshot %s: %w", root, err)
	}
	s.root = root
	return s, nil
}

// NewSnapshot makes a tree from paths relative to /sys and their content; nil
// content stands for a file that may not be read. The map is copied.
// A path that leads out of the tree is ErrFormat.
func NewSnapshot(files map[string]*string) (*Sysfs, error) {
	s := &Sysfs{root: "/sys", files: make(map[string]*string, len(files)), dirs: map[string][]string{}}
	for p, c := range files {
		q := strings.TrimPrefix(strings.TrimPrefix(p, "/sys/"), "/")
		if !fs.ValidPath(q) {
			return nil, fmt.Errorf("%w: path %q", ErrFormat, p)
		}
		s.files[q] = c
		for ; q != "."; q = path.Dir(q) {
			s.dirs[path.Dir(q)] = append(s.dirs[path.Dir(q)], path.Base(q))
		}
	}
	return s, nil
}

// show is the path that a message names: the file that is read, or the place in the
// snapshot's file.
func (s *Sysfs) show(name string) string { return filepath.Join(s.root, filepath.FromSlash(name)) }

// dangling is where the link of that name leads, if there is nothing; else "".
func (s *Sysfs) dangling(name string) string {
	if s.files != nil {
		return ""
	}
	target, err := os.Readlink(s.show(name))
	if _, serr := os.Stat(s.show(name)); err != nil || serr == nil {
		return ""
	}
	return target
}

func (s *Sysfs) readFile(name string) (string, error) {
	if s.files == nil {
		b, err := os.ReadFile(s.show(name))
		return strings.TrimSpace(string(b)), err
	}
	c, ok := s.files[name]
	if !ok {
		return "", &fs.PathError{Op: "open", Path: s.show(name), Err: fs.ErrNotExist}
	}
	if c == nil {
		return "", &fs.PathError{Op: "open", Path: s.show(name), Err: fs.ErrPermission}
	}
	return strings.TrimSpace(*c), nil
}

func (s *Sysfs) readUint(name string) (uint64, error) {
	t, err := s.readFile(name)
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseUint(t, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %q is no number", s.show(name), ErrFormat, t)
	}
	return v, nil
}

// meter polls a file.
func (s *Sysfs) meter(info Info, file string) *pollMeter {
	return &pollMeter{passive{info}, func() (uint64, error) { return s.readUint(file) }}
}

// list returns the names in a directory, sorted; none if there is no such directory.
func (s *Sysfs) list(dir string) []string {
	names := slices.Clone(s.dirs[dir])
	if s.files == nil {
		entries, _ := os.ReadDir(s.show(dir))
		for _, e := range entries {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
