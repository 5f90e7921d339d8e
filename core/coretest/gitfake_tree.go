package coretest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
)

type fakeFile struct {
	mode    core.EntryMode
	content string // a link's target, a submodule's commit
}

func (f fakeFile) hash() string {
	if f.mode == core.ModeSubmodule {
		return f.content
	}
	return fakeHash("blob", f.content)
}

// fakeHash has the length of Git's, and is otherwise its own.
func fakeHash(parts ...string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", parts))
	return hex.EncodeToString(sum[:20])
}

// apply does what the push says to the files of its parent.
func (p GitPush) apply(files map[string]fakeFile) {
	for _, gone := range p.Delete {
		maps.DeleteFunc(files, func(path string, _ fakeFile) bool { return path == gone || strings.HasPrefix(path, gone+"/") })
	}
	for path, content := range p.Files {
		files[path] = fakeFile{core.ModeFile, content}
	}
	for _, path := range p.Executable {
		files[path] = fakeFile{core.ModeExecutable, files[path].content}
	}
	for path, target := range p.Links {
		files[path] = fakeFile{core.ModeSymlink, target}
	}
	for path, commit := range p.Submodules {
		files[path] = fakeFile{core.ModeSubmodule, commit}
	}
}

// below returns the paths of a folder's files in order; none: there is no such folder.
func below(files map[string]fakeFile, dir string) []string {
	var found []string
	for path := range files {
		if dir == "" || strings.HasPrefix(path, dir+"/") {
			found = append(found, path)
		}
	}
	slices.Sort(found)
	return found
}

func folderHash(files map[string]fakeFile, dir string) string {
	parts := []string{"tree"}
	for _, path := range below(files, dir) {
		parts = append(parts, strings.TrimPrefix(path, dir), fmt.Sprint(files[path].mode), files[path].hash())
	}
	if len(parts) == 1 && dir != "" {
		return ""
	}
	return fakeHash(parts...)
}

type fakeTree struct {
	files map[string]fakeFile
}

func rooted(path string) string {
	if path == "." {
		return ""
	}
	return path
}

// Hashes implements core.Tree.
func (t *fakeTree) Hashes(_ context.Context, paths []string) (map[string]string, error) {
	hashes := make(map[string]string, len(paths))
	for _, path := range paths {
		if err := repositories.ValidPath(path); err != nil {
			return nil, err
		}
		if file, ok := t.files[path]; ok {
			hashes[path] = file.hash()
		} else {
			hashes[path] = folderHash(t.files, rooted(path))
		}
	}
	return hashes, nil
}

// List implements core.Tree.
func (t *fakeTree) List(_ context.Context, dir string) ([]core.TreeEntry, error) {
	if err := repositories.ValidPath(dir); err != nil {
		return nil, err
	}
	found := below(t.files, rooted(dir))
	if len(found) == 0 && rooted(dir) != "" {
		return nil, fault.New(fault.NotFound, "git.path_missing", "There is no folder %q in this commit.", dir)
	}
	entries := make([]core.TreeEntry, len(found))
	for i, path := range found {
		file := t.files[path]
		entries[i] = core.TreeEntry{Path: path, Hash: file.hash(), Mode: file.mode, Size: int64(len(file.content))}
		if file.mode == core.ModeSubmodule {
			entries[i].Size = 0
		}
	}
	return entries, nil
}

// Read implements core.Tree.
func (t *fakeTree) Read(_ context.Context, path string, limit int64) ([]byte, error) {
	if err := repositories.ValidPath(path); err != nil {
		return nil, err
	}
	file, ok := t.files[path]
	switch {
	case ok && (file.mode == core.ModeFile || file.mode == core.ModeExecutable):
		if int64(len(file.content)) > limit {
			return nil, fault.New(fault.TooLarge, "git.file_too_large", "The file %q has more than %d bytes.", path, limit)
		}
		return []byte(file.content), nil
	case ok, t.crosses(path), len(below(t.files, rooted(path))) > 0, rooted(path) == "":
		return nil, fault.New(fault.Invalid, "git.not_a_file", "%q is no regular file.", path)
	}
	return nil, fault.New(fault.NotFound, "git.path_missing", "There is no file %q in this commit.", path)
}

// crosses reports whether a symbolic link or submodule stands where the path needs a folder.
func (t *fakeTree) crosses(path string) bool {
	for i, c := range path {
		if file, ok := t.files[path[:i]]; c == '/' && ok && file.mode > core.ModeExecutable {
			return true
		}
	}
	return false
}

// Close implements core.Tree.
func (t *fakeTree) Close() error { return nil }
