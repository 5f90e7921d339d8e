package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/intake"
	"berth/core/repositories"
	"berth/core/stacks"
)

// pollTimeout bounds one look at a repository, fetch included.
const pollTimeout = 6 * time.Minute

// poll looks at one repository: one question to the remote, at most one fetch, one cheap
// decision for each of its stacks and jobs. A head that was judged before is not looked at
// again unless somebody asked. The error is why it could not be read, which is recorded.
func (h *Hub) poll(ctx context.Context, r repositories.Repository) error {
	bounded, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	cause := h.causeOf(ctx, r)
	err := h.lookAt(bounded, r, cause)
	if ctx.Err() == nil {
		h.settle(ctx, r, cause, err)
	}
	if err != nil && ctx.Err() == nil {
		h.log.Warn("a repository cannot be read", "repository", r.Name, "error", err)
		h.report("a failed look cannot be recorded",
			h.opts.Store.SetFetchError(ctx, r.ID, fault.CodeOf(err), fault.PublicOf(err), h.opts.Now()))
	}
	h.clearAsked(ctx, r)
	return err
}

// clearAsked takes back the wish for the look that was just done.
func (h *Hub) clearAsked(ctx context.Context, r repositories.Repository) {
	if !r.AskedAt.IsZero() {
		h.report("a finished look cannot be recorded", h.opts.Store.ClearAsked(ctx, r.ID, r.AskedAt))
	}
}

func (h *Hub) lookAt(ctx context.Context, r repositories.Repository, cause *cause) error {
	src, err := h.opts.Sources.Source(ctx, r)
	if err != nil {
		return err
	}
	head, err := h.opts.Git.Head(ctx, src)
	if err != nil {
		return err
	}
	lineage := core.LineageUnknown
	if head.Commit != r.Head || !r.AskedAt.IsZero() {
		tree, opened, err := h.tree(ctx, src, head)
		if err != nil {
			return err
		}
		defer tree.Close()
		if lineage, err = h.lineage(ctx, r, opened); err != nil {
			return err
		}
		cause.turns = r.Turns(opened, lineage)
		cause.version = versionOf(r, opened)
		if err := h.follow(ctx, intake.Look{Repository: r, Commit: opened.Commit, Tree: tree, Lineage: lineage}); err != nil {
			return err
		}
		if err := h.judge(ctx, r, opened.Commit, tree, cause); err != nil {
			return err
		}
		h.mirrored.add(r.ID)
		head, cause.commit = opened, opened.Commit
		h.noteUnannounced(ctx, r, cause)
	} else if err := h.keepMirror(ctx, src, head); err != nil {
		return err
	}
	// The head is recorded last: until then a crash only means that it is judged again.
	if r.IsAt(head) && r.ErrorCode == "" {
		return nil
	}
	return h.opts.Store.SetFetched(ctx, r.ID, head, lineage, h.opts.Now())
}

// lineage asks how a new head of a branch is related to the one before. Tags name what they name.
func (h *Hub) lineage(ctx context.Context, r repositories.Repository, head core.GitHead) (core.Lineage, error) {
	if r.Head == "" || r.Head == head.Commit || r.Ref != head.Ref || r.Tag != "" || r.Semver != "" {
		return core.LineageUnknown, nil
	}
	return h.opts.Git.Lineage(ctx, r.ID, r.Head, head.Commit)
}

// follow makes stacks and jobs of what is new in a repository that is followed. That a commit cannot be listed is no reason
// not to deploy what is known; it is tried again with the next look.
func (h *Hub) follow(ctx context.Context, l intake.Look) error {
	if h.opts.Follower == nil || !l.Repository.Following.On() {
		return nil
	}
	err := h.opts.Follower.Follow(ctx, l)
	if err != nil && readProblem(err) == nil {
		return err
	}
	h.report("a repository's folders cannot be followed", err, "repository", l.Repository.Name)
	return nil
}

// versionOf is the tag that a head was found under; empty for a branch's.
func versionOf(r repositories.Repository, head core.GitHead) string {
	r.Ref = head.Ref
	return r.Version()
}

// keepMirror makes sure that the mirror has a head that was judged already: by another hub, or before
// the folder of mirrors was emptied. It is looked at once, when this hub begins its duties: from then
// on every head comes this way.
func (h *Hub) keepMirror(ctx context.Context, src core.GitSource, head core.GitHead) error {
	if h.mirrored.has(src.Repository) {
		return nil
	}
	tree, _, err := h.tree(ctx, src, head)
	if err != nil {
		return err
	}
	h.mirrored.add(src.Repository)
	return tree.Close()
}

// tree opens a head of a repository, fetching it when the mirror lacks it. The branch or tag
// may have moved on meanwhile; the head that was opened is returned.
func (h *Hub) tree(ctx context.Context, src core.GitSource, head core.GitHead) (core.Tree, core.GitHead, error) {
	tree, err := h.opts.Git.Tree(ctx, src.Repository, head.Commit)
	if err == nil || !fault.Is(err, fault.NotFound) {
		return tree, head, err
	}
	started := h.opts.Now()
	head, err = h.opts.Git.Fetch(ctx, src)
	h.opts.Meter.Fetched(err == nil, h.opts.Now().Sub(started))
	if err != nil {
		return nil, head, err
	}
	tree, err = h.opts.Git.Tree(ctx, src.Repository, head.Commit)
	return tree, head, err
}

// concern is what follows a repository: how it judges a commit, and the paths whose hashes it needs for that.
type concern struct {
	paths []string
	judge func(ctx context.Context, hashes map[string]string) error
}

// judge decides for each stack and job of a repository what follows from a commit, in one pass over the tree.
func (h *Hub) judge(ctx context.Context, r repositories.Repository, commit core.Commit, tree core.Tree, cause *cause) error {
	ofStacks, failed := h.stacksIn(ctx, r, commit, cause)
	if failed != nil && !unreadable(failed) {
		return failed
	}
	ofJobs, err := h.jobsIn(ctx, r, commit, tree)
	if err != nil && !unreadable(err) {
		return err
	}
	failed = errors.Join(failed, err)
	paths := slices.Concat(ofStacks.paths, ofJobs.paths)
	if len(paths) == 0 {
		return failed
	}
	hashes, err := tree.Hashes(ctx, paths)
	if err != nil {
		return err
	}
	return errors.Join(failed, ofStacks.judge(ctx, hashes), ofJobs.judge(ctx, hashes))
}

// stacksIn is the stacks of a repository, which a commit is judged for.
func (h *Hub) stacksIn(ctx context.Context, r repositories.Repository, commit core.Commit, cause *cause) (concern, error) {
	all, failed := h.opts.Store.StacksOfRepository(ctx, r.ID)
	if failed != nil && !unreadable(failed) {
		return concern{}, failed
	}
	watched, err := h.opts.Store.Watched(ctx, r.ID)
	if err != nil && !unreadable(err) {
		return concern{}, err
	}
	all = slices.DeleteFunc(all, func(st stacks.Stack) bool {
		paths, watches := watched[st.ID]
		return watches && paths == nil // which ones cannot be read
	})
	var paths []string
	for _, st := range all {
		paths = append(append(paths, st.Path), watched[st.ID]...)
	}
	judge := func(ctx context.Context, hashes map[string]string) error {
		sights := make([]stacks.Sight, len(all))
		for i, st := range all {
			sights[i] = cause.sight(commit, treeDigest(hashes, st.Path, watched[st.ID]))
		}
		asked, err := h.judgeStacks(ctx, all, sights)
		cause.asked = asked
		return err
	}
	return concern{paths, judge}, errors.Join(failed, err)
}

// judgeStacks stores what follows for stacks from what was seen of each, and returns how many deployments it asked for.
func (h *Hub) judgeStacks(ctx context.Context, all []stacks.Stack, sights []stacks.Sight) (asked int, failed error) {
	var asks []stacks.Ask
	var seen []stacks.Seen
	for i, st := range all {
		if h.safely(st.ID, func() { asks, seen = decide(st, sights[i], asks, seen) }) {
			failed = fault.New(fault.Unavailable, "stack.defect",
				"A defect in this program stopped the look at stack %s; the others were looked at. The server's log has the details.", st.Name)
		}
	}
	failed = errors.Join(failed, oneByOne(ctx, seen, h.opts.Store.RecordSeen), oneByOne(ctx, asks, h.opts.Store.QueueAll))
	if len(asks) > 0 {
		h.Nudge()
	}
	return len(asks), failed
}

// decide adds what follows from a sight to what is to be queued or recorded.
func decide(s stacks.Stack, sight stacks.Sight, asks []stacks.Ask, seen []stacks.Seen) ([]stacks.Ask, []stacks.Seen) {
	v := stacks.Decide(s, sight)
	switch {
	case v.Deploy:
		asks = append(asks, stacks.Ask{Stack: s.ID, Trigger: sight.Trigger, Actor: stacks.SystemActor, Commit: sight.Commit, Reason: sight.Reasoned(v.Reason), SeenTree: sight.Tree})
	case v.Record:
		seen = append(seen, stacks.Seen{Stack: s.ID, Sight: sight, Verdict: v})
	}
	return asks, seen
}

// oneByOne stores all in one transaction or, when something about one of them prevents
// that, each for itself: one bad row does not hold up the others.
func oneByOne[T any](ctx context.Context, all []T, store func(context.Context, []T) error) error {
	err := store(ctx, all)
	if err == nil || len(all) < 2 || fault.Is(err, fault.Unavailable) {
		return err
	}
	err = nil
	for _, item := range all {
		if ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		err = errors.Join(err, store(ctx, []T{item}))
	}
	return err
}

// treeDigest joins the hash of a stack's folder with those of what else it reads. It is
// empty when the folder is missing.
func treeDigest(hashes map[string]string, folder string, watch []string) string {
	if hashes[folder] == "" || len(watch) == 0 {
		return hashes[folder]
	}
	sum := sha256.New()
	fmt.Fprintln(sum, hashes[folder])
	for _, path := range watch {
		fmt.Fprintf(sum, "%q %s\n", path, hashes[path])
	}
	return hex.EncodeToString(sum.Sum(nil))
}
