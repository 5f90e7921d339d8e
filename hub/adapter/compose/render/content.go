package render

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"berth/core"
)

// contents collects the files of the repository that a project mounts.
type contents struct {
	repo  *repository
	blob  func(digest string, content []byte) error
	added map[string]core.Content // by path in the repository
	sent  map[string]bool         // digests that blob has had
	bytes int64
	files int
}

func newContents(repo *repository, blob func(string, []byte) error) *contents {
	return &contents{repo: repo, blob: blob, added: map[string]core.Content{}, sent: map[string]bool{}}
}

// list returns what was added, by path in the repository.
func (c *contents) list() []core.Content {
	all := make([]core.Content, 0, len(c.added))
	for _, content := range c.added {
		all = append(all, content)
	}
	slices.SortFunc(all, func(a, b core.Content) int { return strings.Compare(a.Source, b.Source) })
	return all
}

// add reads a file or folder of the commit and returns the path under which a worker
// has it.
func (c *contents) add(ctx context.Context, source string, what found) (string, error) {
	name := path.Base(source)
	if name == "." {
		name = "repository"
	}
	if known, ok := c.added[source]; ok {
		return core.ContentRoot + known.Digest + "/" + name, nil
	}
	members := what.members
	if what.kind == regularFile {
		members = []core.TreeEntry{what.entry}
	}
	if err := c.admit(source, members); err != nil {
		return "", err
	}
	content := core.Content{Source: source}
	for _, e := range members {
		file, err := c.read(ctx, memberName(name, source, e.Path), e)
		if err != nil {
			return "", err
		}
		content.Files = append(content.Files, file)
	}
	slices.SortFunc(content.Files, func(a, b core.ContentFile) int { return strings.Compare(a.Path, b.Path) })
	content.Digest = core.ContentDigest(content.Files)
	c.added[source] = content
	return core.ContentRoot + content.Digest + "/" + name, nil
}

// memberName returns the path that a member of source has in a content called name.
func memberName(name, source, member string) string {
	if source == "." {
		return name + "/" + member
	}
	return name + strings.TrimPrefix(member, source) // "" for source itself, else it begins with a slash
}

// admit checks members before any of them is read.
func (c *contents) admit(source string, members []core.TreeEntry) error {
	for _, e := range members {
		switch {
		case e.Mode == core.ModeSymlink:
			return escapes("%s: %s is a symbolic link; a mounted folder may hold regular files only.", source, e.Path)
		case e.Mode == core.ModeSubmodule:
			return unsupported("%s: %s is a submodule, which is not fetched.", source, e.Path)
		case !fs.ValidPath(e.Path) || !utf8.ValidString(e.Path):
			return escapes("%s: the name %q cannot be written on a worker.", source, e.Path)
		}
		c.bytes += e.Size
		c.files++
	}
	if c.bytes > maxContentBytes || c.files > maxContentFiles {
		return tooLarge("%s: the mounted files of the repository exceed %d MiB or %d files; put large data into a volume or the image.", source, maxContentBytes>>20, maxContentFiles)
	}
	return nil
}

func (c *contents) read(ctx context.Context, name string, e core.TreeEntry) (core.ContentFile, error) {
	data, err := c.repo.tree.Read(ctx, e.Path, max(e.Size, 1))
	if err != nil {
		return core.ContentFile{}, fmt.Errorf("read %s: %w", e.Path, err)
	}
	sum := sha256.Sum256(data)
	file := core.ContentFile{
		Path:       name,
		Digest:     hex.EncodeToString(sum[:]),
		Size:       int64(len(data)),
		Executable: e.Mode == core.ModeExecutable,
	}
	if c.sent[file.Digest] {
		return file, nil
	}
	c.sent[file.Digest] = true
	return file, c.blob(file.Digest, data)
}
