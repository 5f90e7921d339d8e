package repositories

import (
	"fmt"
	"strings"
	"time"
)

// How often a repository is polled while deliveries tell of its pushes.
const (
	hookedFor   = time.Hour       // after the newest one
	hookedEvery = 5 * time.Minute // where SCAN_INTERVAL is shorter
)

// How often a repository is polled that cannot be read: less and less often, the longer that lasts.
const (
	failingPart  = 4                // the pause is this part of how long it has failed
	failingEvery = 15 * time.Minute // at most
)

// PollEvery is how often a repository is polled: every interval, or less often while deliveries flow, or while it cannot be
// read. A commit that no delivery told of ends the former at once. What it goes by is stored, so that it outlives a restart.
func (r Repository) PollEvery(interval time.Duration, now time.Time) time.Duration {
	every := interval
	if r.ErrorCode != "" {
		every = max(every, min(now.Sub(r.UpdatedAt)/failingPart, failingEvery))
	}
	if r.HookedAt.IsZero() || r.Unannounced() || now.Sub(r.HookedAt) >= hookedFor {
		return every
	}
	return max(every, hookedEvery)
}

// Unannounced reports whether polling found a commit that no delivery had told of, and none came since: they
// seem to have stopped.
func (r Repository) Unannounced() bool {
	return !r.HookedAt.IsZero() && r.UnannouncedAt.After(r.HookedAt)
}

const (
	branches = "refs/heads/"
	tags     = "refs/tags/"
)

// judge puts into a delivery what follows from what it says.
func (d Delivery) judge(r Repository, p push) Delivery {
	d.HostID, d.Event = p.hostID, p.event
	switch {
	case p.testing:
		d.Result, d.Reason = DeliveryIgnored, "the Git host tries the webhook: it works"
		return d
	case !p.isPush:
		d.Result, d.Reason = DeliveryIgnored, fmt.Sprintf("%q is no push; choose push events alone at the Git host", p.event)
		return d
	case len(p.refs) == 0:
		d.Result, d.Reason = DeliveryAccepted, "a look was asked for"
		return d
	}
	if r.Branch == "" {
		r.Branch = p.normal // for as long as this is judged
	}
	for _, ref := range p.refs {
		if told := d.about(ref, r); d.Result == "" || told.Result == DeliveryAccepted {
			d.Ref, d.Commit, d.Result, d.Reason = told.Ref, told.Commit, told.Result, told.Reason
		}
	}
	return d
}

// about judges one branch or tag.
func (d Delivery) about(ref pushedRef, r Repository) Delivery {
	d.Ref, d.Commit, d.Result = ref.name, ref.commit, DeliveryIgnored
	kind := "branch"
	if _, isTag := strings.CutPrefix(ref.name, tags); isTag {
		kind = "tag"
	}
	name := ShortRef(ref.name)
	if other := r.ignores(kind, name); other != "" {
		d.Reason = other
		return d
	}
	d.Result = DeliveryAccepted
	switch {
	case ref.gone:
		d.Reason = fmt.Sprintf("%s %s was deleted", kind, name)
	case ref.commit != "":
		d.Reason = fmt.Sprintf("%s %s was pushed to: commit %s", kind, name, ref.commit.Short())
	default:
		d.Reason = fmt.Sprintf("%s %s was pushed to", kind, name)
	}
	return d
}

// ignores says why a branch or tag is none that is deployed from; empty: it may be. While the branch is the default one,
// nobody knows here which that is.
func (r Repository) ignores(kind, name string) string {
	byTag := r.Tag != "" || r.Semver != ""
	switch {
	case name != "" && strings.HasPrefix(name, "refs/"):
		return name + " is no branch and no tag"
	case !byTag && kind == "tag":
		return tags + name + " is no branch"
	case byTag && kind == "branch", r.Tag != "" && name != r.Tag:
		return fmt.Sprintf("%s %s was pushed to; this repository is deployed from %s", kind, name, r.Follows())
	case !byTag && r.Branch != "" && name != r.Branch:
		return fmt.Sprintf("branch %s was pushed to; this repository is deployed from %s", name, r.Branch)
	case r.Semver == "":
		return ""
	}
	versions, err := ParseVersions(r.Semver)
	if v, isVersion := ParseVersion(name); err != nil || !isVersion || !versions.Has(v) {
		return fmt.Sprintf("tag %s is no version in %s, which this repository is deployed from", name, r.Semver)
	}
	return ""
}

// again is a delivery that does once more what d said, as far as that is still wanted: the repository may follow
// another branch by now.
func (d Delivery) again(r Repository, by string) Delivery {
	replay := Delivery{Repository: d.Repository, Provider: d.Provider, Event: d.Event, Ref: d.Ref, Commit: d.Commit, Result: d.Result, Reason: d.Reason, ReplayOf: d.ID}
	if d.Ref != "" && (r.Branch != "" || r.Tag != "" || r.Semver != "") {
		replay = replay.about(pushedRef{name: d.Ref, commit: d.Commit}, r)
	}
	replay.Reason = fmt.Sprintf("replayed by %s: %s", by, replay.Reason)
	return replay
}
