package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"berth/core"
)

var errOverLimit = errors.New("the mirror is over its size limit")

// pull runs `git fetch` into the repository dir and returns the head that it left there.
// Errors are faults, or errOurs when the remote does not seem to be the reason.
func (r *Remote) pull(ctx context.Context, dir string, found answer, src core.GitSource) (core.Commit, error) {
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watched := watchSize(limited, dir, r.limit, cancel)
	stderr, err := r.fetch(limited, dir, found, src, !found.dumb)
	if err != nil && strings.Contains(stderr, "shallow") {
		stderr, err = r.fetch(limited, dir, found, src, false)
	}
	over := errors.Is(context.Cause(limited), errOverLimit)
	cancel(nil)
	<-watched
	switch {
	case over, err == nil && diskUse(dir) > r.limit:
		return "", tooLarge(src, r.limit)
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", fetchFailure(src, err, stderr)
	}
	if strings.HasPrefix(found.ref, tagRefs) {
		if err := r.peel(ctx, dir, src); err != nil {
			return "", err
		}
	}
	return readHead(dir)
}

// peel puts the commit that a tag leads to in the place of the tag.
func (r *Remote) peel(ctx context.Context, dir string, src core.GitSource) error {
	stderr, err := r.git.run(ctx, dir, nil, "update-ref", headRef, headRef+"^{commit}")
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return tagMissing(src, fmt.Errorf("%w: %s", err, stderr))
}

// fetch runs git once. The address is a checked one, the ref a checked branch or tag, or HEAD.
func (r *Remote) fetch(ctx context.Context, dir string, found answer, src core.GitSource, shallow bool) (stderr string, err error) {
	args := []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules",
		"--no-show-forced-updates", "--update-shallow"}
	if shallow {
		args = append(args, "--depth="+depth)
	}
	if found.line != nil {
		return r.fetchOver(ctx, dir, found, args)
	}
	args = append(args, "--", found.base, "+"+found.ref+":"+headRef)
	extra := []setting{set("http.userAgent", r.git.agent())}
	if credential := basic(src); !credential.Empty() {
		extra = append(extra, set("http."+origin(found.base)+".extraHeader", "Authorization: "+credential.Reveal()))
	}
	return r.git.run(ctx, dir, extra, args...)
}

// fetchOver runs git on the line that gave the answer. The bridge's address stands in git's environment, where
// other users of this machine do not see it, and a word in its place among the arguments.
func (r *Remote) fetchOver(ctx context.Context, dir string, found answer, args []string) (stderr string, err error) {
	b, err := openBridge(ctx, found.line, found.path)
	if err != nil {
		return "", err
	}
	defer b.close()
	git := r.git
	git.protocols = "git"
	args = append(args, "--", "bridge:", "+"+found.ref+":"+headRef)
	return git.run(ctx, dir, []setting{set("url."+b.address()+".insteadOf", "bridge:")}, args...)
}

// watchSize stops the work that cancel belongs to once dir takes more than limit bytes.
// The channel it returns is closed when it has ended, which it does with ctx.
func watchSize(ctx context.Context, dir string, limit int64, cancel context.CancelCauseFunc) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if diskUse(dir) > limit {
					cancel(errOverLimit)
					return
				}
			}
		}
	}()
	return ended
}

// diskUse returns the bytes of all files below dir. Files that vanish meanwhile do not count.
func diskUse(dir string) int64 {
	var sum int64
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

// clearLocks removes what a git that was killed left behind. The mirror's lock is held,
// so no other git is writing.
func clearLocks(dir string) error {
	for _, pattern := range []string{"*.lock", "gc.pid", headRef + ".lock", "objects/pack/tmp_*", "objects/pack/.tmp-*", "objects/??/tmp_obj_*", "objects/info/*.lock"} {
		left, err := filepath.Glob(filepath.Join(globSafe(dir), pattern))
		if err != nil {
			return err
		}
		for _, path := range left {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// globSafe escapes what a folder's name may have that filepath.Glob reads as a pattern.
func globSafe(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// maxPacks is how many fetches may each leave a pack before they are put together.
const maxPacks = 50

// upkeep puts the packs of many fetches together and drops what nothing has led to for
// a day, so that a Tree that is open keeps its commit. It works in the foreground, under
// the fetch's deadline; when it fails, the next fetch tries again.
func (m *mirror) upkeep(ctx context.Context) {
	packs, err := filepath.Glob(filepath.Join(globSafe(m.dir), "objects/pack/*.pack"))
	if err != nil || len(packs) <= maxPacks && (len(packs) <= 5 || diskUse(m.dir) <= m.remote.limit/2) {
		return
	}
	if stderr, err := m.remote.git.run(ctx, m.dir, nil, "gc", "--quiet", "--prune=1.day.ago"); err != nil {
		m.remote.log.Warn("upkeep of a Git mirror failed", "mirror", filepath.Base(m.dir), "reason", err, "git", stderr)
	}
}
