package ui

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"berth/core/jobs"
)

// jobHead is the top of every page about one job.
type jobHead struct {
	Name        string
	Href        string
	Badge       badge
	Why         string // how it stands, as a sentence
	WhyHref     string // the run that tells more; empty: none does
	Description string
	Paused      bool
	Ready       bool // it can run
	Tabs        []tab
}

// jobHeadOf makes the top of a page about a job; newest are its newest runs, if known.
func jobHeadOf(j jobs.Job, newest []jobs.Run, current string) jobHead {
	h := jobHead{Name: j.Name, Href: jobHref(j.ID), Badge: badgeOf(standingBadges, j.Standing()), Why: shortlyOf(j, newest), Description: sentence(j.Definition.Description), Paused: j.Paused, Ready: j.Ready()}
	if last, found := toldBy(j, newest); found {
		h.WhyHref = runHref(last.ID)
	}
	h.Tabs = []tab{{Word: tabOverview, Href: h.Href}, {Word: tabVariables, Href: h.Href + "/variables"}, {Word: tabSettings, Href: h.Href + "/settings", Operate: true}}
	for i := range h.Tabs {
		h.Tabs[i].Current = h.Tabs[i].Word == current
	}
	return h
}

// jobTrail is the way to a page about a job.
func jobTrail(j jobs.Job) []crumb { return []crumb{{"Jobs", "/jobs"}, {j.Name, jobHref(j.ID)}} }

// toldBy finds the run that made a job fail.
func toldBy(j jobs.Job, newest []jobs.Run) (jobs.Run, bool) {
	if j.Standing() != jobs.StandingFailing {
		return jobs.Run{}, false
	}
	for _, r := range newest {
		if r.State == j.LastState {
			return r, true
		}
	}
	return jobs.Run{}, false
}

// shortlyOf is whyJob without what notices on the job's page tell.
func shortlyOf(j jobs.Job, newest []jobs.Run) string {
	switch j.Standing() {
	case jobs.StandingBroken:
		return "Its newest commit cannot be used."
	case jobs.StandingMissed:
		return "Some of its times were missed."
	}
	return whyJob(j, newest)
}

// whyJob says in sentences how a job stands.
func whyJob(j jobs.Job, newest []jobs.Run) string {
	switch j.Standing() {
	case jobs.StandingBroken:
		return "Its newest commit cannot be used. " + briefly(inBrief(j.Error))
	case jobs.StandingFailing:
		return whyFailing(j, newest)
	case jobs.StandingMissed:
		return missedWords(j.Missed)
	case jobs.StandingPaused:
		return "It does not run by itself until somebody resumes it."
	case jobs.StandingNew:
		if j.Commit == "" {
			return "Its job.yaml was not read yet."
		}
		return "It has not run yet."
	}
	return "The last run ended well."
}

// brief is as long as a text may be that stands among others, in bytes; its own page has all of it.
const brief = 240

// briefly ends a long text between two words.
func briefly(text string) string {
	if len(text) <= brief {
		return text
	}
	end := strings.LastIndexByte(text[:brief], ' ')
	if end < brief/2 { // one word that is very long
		for end = brief; !utf8.RuneStart(text[end]); end-- {
		}
	}
	return strings.TrimRight(text[:end], " ,;:.") + " …"
}

func whyFailing(j jobs.Job, newest []jobs.Run) string {
	text := map[jobs.RunState]string{jobs.RunFailed: "The last run failed.", jobs.RunLost: "Nobody knows how the last run ended.", jobs.RunSkipped: "The last run did not begin."}[j.LastState]
	if last, found := toldBy(j, newest); found && last.Error != "" {
		text += " " + inBrief(last.Error)
	}
	return text
}

// missedWords says how many times were given up.
func missedWords(n int) string {
	if n == 1 {
		return "One time was missed, and is not made up for: it was too long ago, or a newer one came."
	}
	return fmt.Sprintf("%d times were missed, and are not made up for: they were too long ago, or a newer one came.", n)
}

// missedNotice says that times were given up.
type missedNotice struct {
	Text string // empty: none were
	At   moment // when that happened last
}

// missedOf is about times that were given up since the job last ended well.
func missedOf(j jobs.Job, now time.Time) missedNotice {
	if j.MissedAt.IsZero() || !j.MissedAt.After(j.LastSuccessAt) {
		return missedNotice{}
	}
	return missedNotice{Text: missedWords(max(1, j.Missed)), At: at(j.MissedAt, now)}
}

// scheduleWords says when a job runs by itself; nothing while its file was not read yet.
func scheduleWords(j jobs.Job, t jobTimes) string {
	if j.Commit == "" {
		return ""
	}
	return cmp.Or(t.Schedule, "on demand only")
}
