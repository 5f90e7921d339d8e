package ui

import (
	"slices"
	"time"

	"berth/core/stacks"
)

// stackNotices are what people have to know of a stack beyond its status, with what they can do.
type stackNotices struct {
	Paused     bool
	Quarantine quarantineNotice
	Drift      driftNotice
	Rotation   rotationNotice
	Gate       gateNotice
	Folder     proposalLine
}

// quarantineNotice is about a commit that is not deployed by itself any more.
type quarantineNotice struct {
	Commit string // empty: nothing is in quarantine
	Reason string
	Href   string // of the deployment that told; empty: there is none
}

// driftNotice names how what runs differs from what was deployed and verified.
type driftNotice struct {
	Texts      []string // empty: it does not
	Revision   int      // that it differs from
	RepairHref string
	Repair     string // what becomes of it without anybody; empty when At says it
	At         moment // when it is repaired by itself
}

func noticesOf(s stacks.Stack, m stacks.Manifest, now time.Time) stackNotices {
	return stackNotices{Paused: s.Paused, Quarantine: quarantineOf(s.Quarantine), Drift: driftOf(s, m, now)}
}

func quarantineOf(q stacks.Quarantine) quarantineNotice {
	if q.Tree == "" {
		return quarantineNotice{}
	}
	n := quarantineNotice{Commit: q.Commit.Short(), Reason: inBrief(q.Reason)}
	if q.Deployment != "" {
		n.Href = deploymentHref(q.Deployment)
	}
	return n
}

func driftOf(s stacks.Stack, m stacks.Manifest, now time.Time) driftNotice {
	n := driftNotice{Revision: s.Revision, RepairHref: stackHref(s.ID) + "/sync"}
	if s.OutOfSync { // a sync would bring what is newer
		n.RepairHref = revisionHref(s.ID, s.Revision) + "/rollback"
	}
	for _, d := range s.Drift {
		n.Texts = append(n.Texts, sentence(d.Text))
	}
	switch {
	case underWay(s):
		n.Repair = "A deployment is at work on it."
	case s.Paused:
		n.Repair = "Nothing repairs it while the stack is paused."
	case !s.HealAt.IsZero():
		n.At = at(s.HealAt, now)
	case m.SelfHeal && slices.ContainsFunc(s.Containers, stacks.ContainerState.Halted):
		n.Repair = "Nothing is repaired by itself while a compose service is stopped through Berth, because a repair would start it. Start that service, or repair now."
	case m.SelfHeal:
		n.Repair = "It is repaired by itself."
	default:
		n.Repair = "Nothing repairs it by itself: sync.self_heal is not set in its wireops.yaml."
	}
	return n
}
