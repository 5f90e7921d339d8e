package render

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"berth/core"
	"berth/core/fault"
)

// memoryTree is a commit in memory: path to content. A content that begins with
// "link:" is a symbolic link, "submodule:" a submodule, "exec:" an executable file.
type memoryTree struct {
	files map[string]string
	// listsFiles makes List answer with a file itself, as some implementations do,
	// where others say that there is no such folder.
	listsFiles bool
	// endless is a folder that has too many files to be listed.
	endless string
}

func commit(files map[string]string) *memoryTree { return &memoryTree{files: files} }

func (m *memoryTree) mode(p string) core.EntryMode {
	kind, _, _ := strings.Cut(m.files[p], ":")
	switch kind {
	case "link":
		return core.ModeSymlink
	case "submodule":
		return core.ModeSubmodule
	case "exec":
		return core.ModeExecutable
	}
	return core.ModeFile
}

func (m *memoryTree) Hashes(_ context.Context, paths []string) (map[string]string, error) {
	hashes := map[string]string{}
	for _, p := range paths {
		hashes[p] = ""
		for name, content := range m.files {
			if name == p || strings.HasPrefix(name, p+"/") {
				sum := sha256.Sum256([]byte(content))
				hashes[p] = hex.EncodeToString(sum[:])
			}
		}
	}
	return hashes, nil
}

func (m *memoryTree) List(_ context.Context, dir string) ([]core.TreeEntry, error) {
	dir = path.Clean(dir)
	if dir == m.endless {
		return nil, fault.New(fault.TooLarge, "git.too_large", "%s", dir)
	}
	var entries []core.TreeEntry
	for name, content := range m.files {
		if dir == "." || strings.HasPrefix(name, dir+"/") || m.listsFiles && name == dir {
			entries = append(entries, core.TreeEntry{Path: name, Mode: m.mode(name), Size: int64(len(content))})
		}
	}
	if len(entries) == 0 {
		return nil, fault.New(fault.NotFound, "git.path_missing", "no %s", dir)
	}
	slices.SortFunc(entries, func(a, b core.TreeEntry) int { return strings.Compare(a.Path, b.Path) })
	return entries, nil
}

func (m *memoryTree) Read(_ context.Context, p string, limit int64) ([]byte, error) {
	content, ok := m.files[p]
	switch {
	case !ok:
		if entries, err := m.List(context.Background(), p); err == nil && len(entries) > 0 {
			return nil, fault.New(fault.Invalid, "git.not_a_file", "%s is a folder", p)
		}
		return nil, fault.New(fault.NotFound, "git.path_missing", "no %s", p)
	case m.mode(p) == core.ModeSymlink || m.mode(p) == core.ModeSubmodule:
		return nil, fault.New(fault.Invalid, "git.not_a_file", "%s", p)
	case int64(len(content)) > limit:
		return nil, fault.New(fault.TooLarge, "git.file_too_large", "%s", p)
	}
	return []byte(content), nil
}

func (m *memoryTree) Close() error { return nil }
