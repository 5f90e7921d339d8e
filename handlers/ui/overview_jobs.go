package ui

import (
	"cmp"
	"fmt"
	"slices"

	"berth/core"
	"berth/core/jobs"
)

// OverviewJobs reads what the overview shows of jobs.
type OverviewJobs interface {
	JobLister
	JobFinder
	RunLister
}

const (
	overviewJobs = 6  // jobs of which it shows what ran last
	latestRuns   = 60 // among which those are looked for
)

// jobsPicture is all jobs as a line of shares, and what ran last of those that ran last.
type jobsPicture struct {
	Total    int
	Text     string // the shares in words
	Segments []segment
	Lines    []jobLine
}

// jobNeeds lists jobs that need somebody: broken ones, failing ones, and those that missed times.
func (o *overview) jobNeeds() ([]need, error) {
	var needs []need
	for _, standing := range []jobs.Standing{jobs.StandingBroken, jobs.StandingFailing, jobs.StandingMissed} {
		if o.standings[standing] == 0 {
			continue
		}
		list, err := o.reader.Jobs(o.ctx, jobs.Filter{Standing: standing}, core.Page{Limit: maxNeeds})
		if err != nil {
			return nil, err
		}
		recent, err := o.reader.RecentRuns(o.ctx, idsOf(list.Items), pictureRuns)
		if err != nil {
			return nil, err
		}
		for _, j := range list.Items {
			needs = append(needs, o.jobNeed(j, recent[j.ID]))
		}
		needs = append(needs, o.moreJobs(standing, len(list.Items))...)
	}
	return needs, nil
}

func (o *overview) jobNeed(j jobs.Job, newest []jobs.Run) need {
	b := badgeOf(standingBadges, j.Standing())
	n := need{Tone: b.Tone, Icon: b.Icon, Kind: "Job", Name: j.Name, Href: jobHref(j.ID), Why: whyJob(j, newest), Since: at(j.UpdatedAt, o.now), Action: "Look at it", ActionHref: jobHref(j.ID)}
	if last, found := toldBy(j, newest); found {
		n.Since, n.Action, n.ActionHref = at(last.FinishedAt, o.now), "See the run", runHref(last.ID)
	}
	if j.Standing() == jobs.StandingMissed {
		n.Since, n.Action, n.ActionHref, n.Post, n.Operate = at(j.MissedAt, o.now), "Run now", jobHref(j.ID)+"/run", true, true
	}
	return n
}

// putJobs draws all jobs by how they stand, and what ran last of those that ran last.
func (o *overview) putJobs(page *overviewPage) error {
	var segments []segment
	for _, standing := range jobs.Standings {
		b := badgeOf(standingBadges, standing)
		segments = append(segments, segment{Word: b.Word, Tone: b.Tone, Icon: b.Icon, Href: "/jobs?standing=" + string(standing), Count: o.standings[standing]})
		page.Jobs.Total += o.standings[standing]
	}
	page.Jobs.Segments = sharesOf(segments)
	page.Jobs.Text = fmt.Sprintf("Jobs by how they stand: %d in all, %s.", page.Jobs.Total, segmentsInWords(page.Jobs.Segments))
	latest, err := o.reader.Runs(o.ctx, jobs.RunFilter{}, core.Page{Limit: latestRuns})
	if err != nil {
		return err
	}
	ids := lastToRun(latest.Items, overviewJobs)
	recent, err := o.reader.RecentRuns(o.ctx, ids, pictureRuns)
	if err != nil {
		return err
	}
	for _, id := range ids {
		j, err := o.reader.Job(o.ctx, id)
		if gone(err) {
			continue
		}
		if err != nil {
			return err
		}
		page.Jobs.Lines = append(page.Jobs.Lines, jobLineOf(j, recent[id], o.now, hubIn(o.ctx)))
	}
	slices.SortFunc(page.Jobs.Lines, func(a, b jobLine) int { return cmp.Compare(a.Name, b.Name) })
	return nil
}

// lastToRun names the jobs of the newest runs, at most so many, each once.
func lastToRun(newest []jobs.Run, limit int) []core.JobID {
	var ids []core.JobID
	for _, r := range newest {
		if len(ids) < limit && !slices.Contains(ids, r.Job) {
			ids = append(ids, r.Job)
		}
	}
	return ids
}
