package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"berth/core"
	"berth/core/fault"
)

// mirror is the bare copy of one repository. It keeps one ref, the head that was
// fetched last, and what leads to it.
type mirror struct {
	remote *Remote // set once
	dir    string  // set once; exists only when complete
	lock   gate    // held by whoever changes dir

	checked core.Commit // known to be complete since Open; guarded by lock
	damaged atomic.Bool // a reader found something missing; the next update makes it anew
}

const (
	headRef = "refs/berth/head"

	// depth is how much history is kept where the host can cut it: enough for a list of
	// commits, while the files of one commit need a single one.
	depth = "50"
)

// update brings the answered commit, or a newer one of its branch, into the mirror. A
// mirror that turns out to be damaged is made anew.
func (m *mirror) update(ctx context.Context, found answer, src core.GitSource) (core.Commit, error) {
	limited, cancel := context.WithTimeout(ctx, m.remote.fetchTimeout)
	defer cancel()
	commit, err := m.bring(limited, found, src)
	var public *fault.Error
	switch {
	case err == nil:
		m.checked = commit
		return commit, nil
	case ctx.Err() != nil:
		return "", givenUp(ctx.Err())
	case limited.Err() != nil:
		return "", timedOut(src, m.remote.fetchTimeout)
	case errors.As(err, &public):
		return "", err
	}
	return "", fault.New(fault.Unavailable, "git.mirror", "%s could not be fetched into its mirror; git's own message is in the server's log.", src.URL).Because(err)
}

func (m *mirror) bring(ctx context.Context, found answer, src core.GitSource) (core.Commit, error) {
	if m.usable() && m.holds(ctx, found.commit) {
		return found.commit, nil
	}
	if !m.usable() {
		return m.renew(ctx, found, src)
	}
	if err := clearLocks(m.dir); err != nil {
		return "", err
	}
	before := diskUse(m.dir)
	commit, err := m.remote.pull(ctx, m.dir, found, src)
	switch {
	case err == nil:
		m.upkeep(ctx)
		return commit, nil
	case errors.Is(err, errOurs), fault.Is(err, fault.TooLarge) && before > m.remote.limit/4:
		m.remote.log.Warn("a Git mirror is made anew", "mirror", filepath.Base(m.dir), "reason", err)
		return m.renew(ctx, found, src)
	}
	return "", err
}

// renew makes the mirror in a fresh folder, which then takes its place.
func (m *mirror) renew(ctx context.Context, found answer, src core.GitSource) (core.Commit, error) {
	fresh, err := os.MkdirTemp(m.remote.root, freshPrefix)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh)
	format := "sha1"
	if len(found.commit) == 64 {
		format = "sha256"
	}
	stderr, err := m.remote.git.run(ctx, fresh, nil, "init", "--quiet", "--bare", "--template=", "--initial-branch=berth", "--object-format="+format)
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, stderr)
	}
	commit, err := m.remote.pull(ctx, fresh, found, src)
	if err != nil {
		return "", err
	}
	if err := m.remove(); err != nil {
		return "", err
	}
	return commit, os.Rename(fresh, m.dir)
}

// remove takes the mirror away in one step and then frees its space. Trees that are
// open keep working with what they have opened, and then say that it is gone.
func (m *mirror) remove() error {
	m.checked = ""
	m.damaged.Store(false)
	old, err := os.MkdirTemp(m.remote.root, oldPrefix)
	if err != nil {
		return cannotRemove(err)
	}
	if err := os.Rename(m.dir, filepath.Join(old, "mirror")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return cannotRemove(err)
	}
	if err := os.RemoveAll(old); err != nil {
		return cannotRemove(err)
	}
	return nil
}

func cannotRemove(err error) error {
	return fault.New(fault.Unavailable, "git.mirror", "A Git mirror cannot be removed; check the permissions of REPOS_WORKSPACE.").Because(err)
}

func (m *mirror) present() bool {
	_, err := os.Stat(filepath.Join(m.dir, "HEAD"))
	return err == nil
}

// usable reports whether there is a mirror of which nothing bad is known.
func (m *mirror) usable() bool { return m.present() && !m.damaged.Load() }

// suspect takes note that a reader did not find commit. If it is the mirror's head, then
// the mirror is damaged.
func (m *mirror) suspect(commit core.Commit) {
	if head, err := readHead(m.dir); err == nil && head == commit {
		m.damaged.Store(true)
	}
}

// trouble is the fault for a reader's failure. What is not there although the commit is
// means that the mirror is damaged.
func (m *mirror) trouble(err error) error {
	var public *fault.Error
	switch {
	case errors.As(err, &public):
		return public
	case errors.Is(err, errMissing):
		m.damaged.Store(true)
		return fault.New(fault.Unavailable, "git.mirror", "The mirror of the repository is damaged; the next sync makes it anew.").Because(err)
	}
	return fault.New(fault.Unavailable, "git.mirror", "The mirror of the repository cannot be read now; try again.").Because(err)
}

// holds reports whether the mirror's head is commit, with every file of it. The files
// are looked for once after Open; from then on the answer costs no process.
func (m *mirror) holds(ctx context.Context, commit core.Commit) bool {
	head, err := readHead(m.dir)
	if err != nil || head != commit {
		return false
	}
	if m.checked == commit {
		return true
	}
	_, err = m.remote.git.run(ctx, m.dir, nil, "rev-list", "--objects", "--no-walk", "--quiet", string(commit), "--")
	if err == nil {
		m.checked = commit
	} else if ctx.Err() == nil {
		m.damaged.Store(true)
	}
	return err == nil
}

// readHead returns the mirror's head.
func readHead(dir string) (core.Commit, error) {
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(headRef)))
	if err != nil {
		return "", err
	}
	hash := strings.TrimSpace(string(text))
	if !hexHash.MatchString(hash) {
		return "", fmt.Errorf("%s holds %.80q", headRef, hash)
	}
	return core.Commit(hash), nil
}
