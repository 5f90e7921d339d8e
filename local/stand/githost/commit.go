package githost

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Change is what one commit does to a branch.
type Change struct {
	Files      map[string]string // content by path; written with mode 0644
	Executable []string          // those of Files that get mode 0755
	Links      map[string]string // target of a symbolic link by path
	Submodules map[string]string // commit by path
	Delete     []string          // files or folders that go
	Message    string            // empty: "Change"
	Orphan     bool              // start the branch anew, without the history before it
}

// Commit writes files on top of a branch, which it makes if needed, and returns the
// full hash of the branch's head. Files that are there already with that content give
// no new commit.
func (h *Host) Commit(repo, branch string, files map[string]string, message string) (string, error) {
	return h.Apply(repo, branch, Change{Files: files, Message: message})
}

// Apply commits a change to a branch, which it makes if needed, and returns the full
// hash of the branch's head. A change that changes nothing gives no new commit.
func (h *Host) Apply(repo, branch string, change Change) (string, error) {
	dir, err := h.repository(repo)
	if err != nil {
		return "", err
	}
	h.writing.Lock()
	defer h.writing.Unlock()
	ref := "refs/heads/" + branch
	before, err := git(dir, nil, "for-each-ref", "--format=%(objectname) %(tree)", "--", ref)
	if err != nil {
		return "", err
	}
	head, tree, _ := strings.Cut(before, " ")
	parent := head
	if change.Orphan {
		parent = ""
	}
	if _, err := git(dir, change.stream(parent), "fast-import", "--quiet", "--force", "--date-format=raw"); err != nil {
		return "", err
	}
	after, err := git(dir, nil, "for-each-ref", "--format=%(objectname) %(tree)", "--", draft)
	if err != nil {
		return "", err
	}
	made, madeTree, _ := strings.Cut(after, " ")
	if madeTree == tree && !change.Orphan {
		made = head
	}
	moves := fmt.Sprintf("update %s %s\ndelete %s\n", ref, made, draft)
	_, err = git(dir, []byte(moves), "update-ref", "--stdin")
	return made, err
}

// DeleteBranch removes a branch.
func (h *Host) DeleteBranch(repo, branch string) error {
	dir, err := h.repository(repo)
	if err != nil {
		return err
	}
	h.writing.Lock()
	defer h.writing.Unlock()
	_, err = git(dir, nil, "update-ref", "-d", "refs/heads/"+branch)
	return err
}

// Tag makes a tag point at a commit, or moves it there. An annotated one is an object of its own.
func (h *Host) Tag(repo, tag, commit string, annotated bool) error {
	dir, err := h.repository(repo)
	if err != nil {
		return err
	}
	h.writing.Lock()
	defer h.writing.Unlock()
	args := []string{"-c", "user.name=Berth", "-c", "user.email=berth@localhost", "tag", "--force"}
	if annotated {
		args = append(args, "--annotate", "--message=Release "+tag)
	}
	_, err = git(dir, nil, append(args, "--", tag, commit)...)
	return err
}

// DeleteTag removes a tag.
func (h *Host) DeleteTag(repo, tag string) error {
	dir, err := h.repository(repo)
	if err != nil {
		return err
	}
	h.writing.Lock()
	defer h.writing.Unlock()
	_, err = git(dir, nil, "update-ref", "-d", "refs/tags/"+tag)
	return err
}

// Point makes a branch the default one.
func (h *Host) Point(repo, branch string) error {
	dir, err := h.repository(repo)
	if err != nil {
		return err
	}
	h.writing.Lock()
	defer h.writing.Unlock()
	_, err = git(dir, nil, "symbolic-ref", "HEAD", "refs/heads/"+branch)
	return err
}

// draft holds a commit until the branch moves to it.
const draft = "refs/githost/draft"

// stream writes the change in the language of git fast-import.
func (c Change) stream(parent string) []byte {
	var b bytes.Buffer
	message := c.Message
	if message == "" {
		message = "Change"
	}
	fmt.Fprintf(&b, "commit %s\ncommitter Berth <berth@localhost> %d +0000\n", draft, time.Now().Unix())
	data(&b, message)
	if parent != "" {
		fmt.Fprintf(&b, "from %s\n", parent)
	}
	for _, path := range c.Delete {
		fmt.Fprintf(&b, "D %s\n", quoted(path))
	}
	for _, path := range slices.Sorted(maps.Keys(c.Files)) {
		mode := "100644"
		if slices.Contains(c.Executable, path) {
			mode = "100755"
		}
		fmt.Fprintf(&b, "M %s inline %s\n", mode, quoted(path))
		data(&b, c.Files[path])
	}
	for _, path := range slices.Sorted(maps.Keys(c.Links)) {
		fmt.Fprintf(&b, "M 120000 inline %s\n", quoted(path))
		data(&b, c.Links[path])
	}
	for _, path := range slices.Sorted(maps.Keys(c.Submodules)) {
		fmt.Fprintf(&b, "M 160000 %s %s\n", c.Submodules[path], quoted(path))
	}
	return b.Bytes()
}

func data(b *bytes.Buffer, content string) {
	fmt.Fprintf(b, "data %d\n%s\n", len(content), content)
}

// quoted writes a path so that no byte of it can end the line or the path.
func quoted(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

// git runs one Git command in a repository, for a minute at most, and returns what it
// printed.
func git(dir string, input []byte, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = environment()
	if dir != "" {
		cmd.Env = append(cmd.Env, "GIT_DIR="+dir)
	}
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], reason(err))
	}
	return strings.TrimSpace(string(out)), nil
}
