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

// PollEvery is how often a repository is polled: every interval, or less often while deliveries flow. A commit
// that none told of ends that at once.
func (r Repository) PollEvery(interval time.Duration, now time.Time) time.Duration {
	if r.HookedAt.IsZero() || r.Unannounced() || now.Sub(r.HookedAt) >= hookedFor {
		return interval
	}
	return max(interval, hookedEvery)
}

// Unannounced reports whether polling found a commit that no delivery had told of, and none came since: they
// seem to have stopped.
func (r Repository) Unannounced() bool {
	return !r.HookedAt.IsZero() && r.UnannouncedAt.After(r.HookedAt)
}

const branches = "refs/heads/"

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
	follows := r.Branch
	if follows == "" {
		follows = p.normal
	}
	for _, ref := range p.refs {
		if told := d.about(ref, follows); d.Result == "" || told.Result == DeliveryAccepted {
			d.Ref, d.Commit, d.Result, d.Reason = told.Ref, told.Commit, told.Result, told.Reason
		}
	}
	return d
}

// about judges one branch or tag; follows is the branch that is deployed from, empty when nobody knows which that is.
func (d Delivery) about(ref pushedRef, follows string) Delivery {
	d.Ref, d.Commit, d.Result = ref.name, ref.commit, DeliveryIgnored
	branch, isBranch := strings.CutPrefix(ref.name, branches)
	switch {
	case !isBranch:
		d.Reason = fmt.Sprintf("%s is no branch", ref.name)
	case follows != "" && branch != follows:
		d.Reason = fmt.Sprintf("branch %s was pushed to; this repository is deployed from %s", branch, follows)
	case ref.gone:
		d.Result, d.Reason = DeliveryAccepted, fmt.Sprintf("branch %s was deleted", branch)
	case ref.commit != "":
		d.Result, d.Reason = DeliveryAccepted, fmt.Sprintf("branch %s was pushed to: commit %s", branch, ref.commit.Short())
	default:
		d.Result, d.Reason = DeliveryAccepted, fmt.Sprintf("branch %s was pushed to", branch)
	}
	return d
}

// again is a delivery that does once more what d said, as far as that is still wanted: the repository may follow
// another branch by now.
func (d Delivery) again(r Repository, by string) Delivery {
	replay := Delivery{Repository: d.Repository, Provider: d.Provider, Event: d.Event, Ref: d.Ref, Commit: d.Commit, Result: d.Result, Reason: d.Reason, ReplayOf: d.ID}
	if d.Ref != "" && r.Branch != "" {
		replay = replay.about(pushedRef{name: d.Ref, commit: d.Commit}, r.Branch)
	}
	replay.Reason = fmt.Sprintf("replayed by %s: %s", by, replay.Reason)
	return replay
}
