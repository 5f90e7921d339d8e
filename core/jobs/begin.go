package jobs

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// MaxWaiting is how many runs of a job may wait.
const MaxWaiting = 100

// PullAllowance is how long a worker may take to accept a run and to pull its image, beyond the run's own timeout.
const PullAllowance = 15 * time.Minute

// Begin says which of a job's open runs that have no command begin now, which are given up, and which go
// on waiting. open are all its open runs, oldest first. Its effect on the roster is as that of Fire.
func Begin(j Job, open []Run, roster *Roster, now time.Time) Beginning {
	b := beginning{open: slices.Clone(open), roster: roster, now: now}
	slices.SortStableFunc(b.open, func(a, b Run) int { return strings.Compare(string(a.Fire), string(b.Fire)) })
	for i := range b.open {
		if r := b.open[i]; r.State == RunQueued && r.Command == "" && !r.Cancelling && !r.NotBefore.After(now) {
			b.judge(i)
		}
	}
	return b.Beginning
}

// beginning is one decision. Its open runs, oldest fire first, are kept as they are after what was decided.
type beginning struct {
	Beginning
	open   []Run
	roster *Roster
	now    time.Time
}

// judge decides about the waiting run at i.
func (b *beginning) judge(i int) {
	r := b.open[i]
	if slices.Contains(b.Replace, r.ID) {
		return
	}
	ahead := b.ahead(r)
	refused := refuse(r, b.now)
	switch late := b.now.Sub(r.since()) > r.Definition.StartDeadline; {
	case refused != nil:
		b.settle(i, Start{Run: *refused})
	case b.newer(r) && r.Definition.Overlap == OverlapReplace:
		b.replace(r)
	case len(ahead) > 0 && r.Definition.Overlap == OverlapSkip:
		b.settle(i, Start{Run: r.overlapped(ahead[0], b.now)})
	case len(ahead) > 0 && late:
		b.settle(i, Start{Run: r.skip(b.now, "run.overlap", "Run %s was open for longer than this one may begin late, which is %s. Have runs end sooner, or raise start_deadline in job.yaml.", ahead[0].ID, short(r.Definition.StartDeadline))})
	case len(ahead) > 0 && r.Definition.Overlap == OverlapReplace:
		b.replace(ahead...)
	case len(ahead) > 0:
	case late:
		b.settle(i, Start{Run: r.skip(b.now, "run.no_worker", "No online worker%s took it within %s. Connect one, or raise start_deadline in job.yaml, and run the job again.", withTags(r.Definition.Tags), short(r.Definition.StartDeadline))})
	default:
		b.settle(i, begin(r, b.roster, "begin "+string(r.ID), b.now)...)
	}
}

// ahead returns the open runs of other fires for which r has to wait: those that have begun, and those of older ones.
func (b *beginning) ahead(r Run) (ahead []Run) {
	for _, other := range b.open {
		if other.Fire != r.Fire && !other.State.Ended() && (other.Command != "" || other.Fire < r.Fire) {
			ahead = append(ahead, other)
		}
	}
	return ahead
}

// newer reports whether a run of a newer fire waits.
func (b *beginning) newer(r Run) bool {
	return slices.ContainsFunc(b.open, func(other Run) bool {
		return other.Fire > r.Fire && other.Command == "" && !other.State.Ended() && !other.Cancelling
	})
}

// replace has runs cancelled that are not yet.
func (b *beginning) replace(runs ...Run) {
	for _, id := range replaced(runs) {
		if !slices.Contains(b.Replace, id) {
			b.Replace = append(b.Replace, id)
		}
	}
}

// settle keeps what was decided about the run at i; nothing when it goes on waiting.
func (b *beginning) settle(i int, starts ...Start) {
	if len(starts) == 1 && starts[0].Command == nil && !starts[0].Run.State.Ended() {
		return
	}
	b.Runs = append(b.Runs, starts...)
	b.open[i] = starts[0].Run
}

// begin hands a run to its worker, or several like it to several; with no worker it waits. what names the decision.
func begin(r Run, roster *Roster, what string, now time.Time) []Start {
	var workers []core.WorkerID
	if r.Worker != "" {
		workers = roster.dealTo(what, r.Definition, r.Worker)
	} else {
		workers = roster.deal(what, r.Definition)
	}
	if len(workers) == 0 {
		return []Start{{Run: r}}
	}
	starts := make([]Start, len(workers))
	for i, worker := range workers {
		if i > 0 {
			r.ID = core.RunID(core.NewID(core.PrefixRun, now))
		}
		starts[i] = r.on(worker, now)
	}
	return starts
}

// on hands a run to a worker.
func (r Run) on(worker core.WorkerID, now time.Time) Start {
	cmd := stacks.Command{ID: core.CommandID(core.NewID(core.PrefixCommand, now)), Attempt: 1, Worker: worker, Kind: stacks.CommandRun, Run: r.ID,
		State: stacks.CommandQueued, CreatedAt: now, Body: stacks.CommandBody{Seconds: int((r.Definition.Resources.Timeout + PullAllowance).Seconds())}}
	r.Worker, r.Command = worker, cmd.ID
	return Start{Run: r, Command: &cmd}
}

// since is from when on a run may begin; how late it is counts from there.
func (r Run) since() time.Time {
	if r.NotBefore.After(r.ScheduledAt) {
		return r.NotBefore
	}
	return r.ScheduledAt
}

// GiveUpAt returns until when a run that waits may begin.
func (r Run) GiveUpAt() time.Time { return r.since().Add(r.Definition.StartDeadline) }

// overlapped returns r skipped for another run.
func (r Run) overlapped(other Run, now time.Time) Run {
	return r.skip(now, "run.overlap", "Run %s of this job was still open, and its job.yaml has such a run skipped. Say overlap: queue there to have it wait, or replace to have it take the other's place.", other.ID)
}

// skip returns r skipped, with a code and the reason.
func (r Run) skip(now time.Time, code, format string, args ...any) Run {
	r.State, r.ErrorCode, r.Error, r.FinishedAt = RunSkipped, code, fmt.Sprintf(format, args...), now
	return r
}

// codeRefused says that the policy forbids a run.
const codeRefused = "run.refused"

// refuse returns r failed by the policy; nil when that has nothing against it.
func refuse(r Run, now time.Time) *Run {
	refusals := Refusals(r.Definition)
	if len(refusals) == 0 {
		return nil
	}
	r.State, r.ErrorCode, r.Error, r.FinishedAt = RunFailed, codeRefused, Refused("The policy", refusals), now
	return &r
}

func withTags(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	return " with the tags " + strings.Join(tags, ", ")
}
