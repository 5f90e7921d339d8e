package git

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"berth/core"
)

const (
	maxCommits = 1000 // that one call lists
	maxSubject = 300  // bytes
)

// Commits implements core.GitRemote. Mirrors are shallow, so the list may end early.
func (r *Remote) Commits(ctx context.Context, repository core.RepositoryID, commit core.Commit, limit int) ([]core.CommitSummary, error) {
	tree, err := r.Tree(ctx, repository, commit)
	if err != nil {
		return nil, err
	}
	if err := tree.Close(); err != nil {
		return nil, err
	}
	m, err := r.mirror(repository)
	if err != nil {
		return nil, err
	}
	var list []core.CommitSummary
	err = r.git.records(ctx, m.dir, func(record string) error {
		summary, err := parseSummary(record)
		list = append(list, summary)
		return err
	}, "log", "-z", "--max-count="+strconv.Itoa(max(0, min(limit, maxCommits))), "--format=%H%n%ct%n%an%n%s", "--no-show-signature", string(commit), "--")
	if ctx.Err() != nil {
		return nil, givenUp(ctx.Err())
	}
	if err != nil {
		return nil, m.trouble(err)
	}
	return list, nil
}

var errMalformedSummary = errors.New("git log wrote something else than was asked for")

// parseSummary reads hash, seconds, author and subject, a line each.
func parseSummary(record string) (core.CommitSummary, error) {
	fields := strings.SplitN(record, "\n", 4)
	if len(fields) != 4 || !hexHash.MatchString(fields[0]) {
		return core.CommitSummary{}, fmt.Errorf("%w: %.200q", errMalformedSummary, record)
	}
	seconds, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return core.CommitSummary{}, fmt.Errorf("%w: %w", errMalformedSummary, err)
	}
	return core.CommitSummary{Commit: core.Commit(fields[0]), Author: shorten(fields[2]), Subject: shorten(fields[3]),
		Time: time.Unix(seconds, 0).UTC()}, nil
}

func shorten(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxSubject)], "")
}
