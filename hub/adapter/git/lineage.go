package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"berth/core"
)

// Lineage implements core.GitRemote. Mirrors are shallow: where the history that was fetched ends before it could lead to
// the earlier commit, nobody knows.
func (r *Remote) Lineage(ctx context.Context, repository core.RepositoryID, earlier, later core.Commit) (core.Lineage, error) {
	m, err := r.mirror(repository)
	if err != nil {
		return core.LineageUnknown, err
	}
	if !hexHash.MatchString(string(earlier)) || !hexHash.MatchString(string(later)) || !m.present() {
		return core.LineageUnknown, nil
	}
	continued, known := m.says(ctx, "merge-base", "--is-ancestor", string(earlier), string(later))
	switch {
	case ctx.Err() != nil:
		return core.LineageUnknown, givenUp(ctx.Err())
	case !known:
		return core.LineageUnknown, nil // the mirror was made anew since
	case continued:
		return core.LineageContinued, nil
	case m.cutAfter(ctx, earlier, later):
		return core.LineageCut, nil
	}
	return core.LineageRewritten, nil
}

// says runs a git command that answers with its exit code, 0 or 1.
func (m *mirror) says(ctx context.Context, args ...string) (yes, known bool) {
	_, err := m.remote.git.run(ctx, m.dir, nil, args...)
	var exit *exec.ExitError
	return err == nil, err == nil || errors.As(err, &exit) && exit.ExitCode() == 1
}

// cutAfter reports whether the history of the later commit was cut off at a commit that is as young as the earlier one,
// so that it might have led there. A commit is as a rule not older than those it leads to.
func (m *mirror) cutAfter(ctx context.Context, earlier, later core.Commit) bool {
	cut, err := os.ReadFile(filepath.Join(m.dir, "shallow"))
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	before, known := m.times(ctx, "-1", string(earlier))
	ends, complete := m.times(ctx, "--max-parents=0", string(later))
	if err != nil || !known || !complete {
		return true
	}
	for commit, made := range ends {
		if made >= before[earlier] && strings.Contains(string(cut), string(commit)) {
			return true
		}
	}
	return false
}

// times returns when the commits of a log were made, in seconds.
func (m *mirror) times(ctx context.Context, args ...string) (map[core.Commit]int64, bool) {
	all := map[core.Commit]int64{}
	args = append(append([]string{"log", "-z", "--format=%H %ct", "--no-show-signature"}, args...), "--")
	err := m.remote.git.records(ctx, m.dir, func(record string) error {
		hash, text, _ := strings.Cut(record, " ")
		made, err := strconv.ParseInt(text, 10, 64)
		all[core.Commit(hash)] = made
		return err
	}, args...)
	return all, err == nil
}
