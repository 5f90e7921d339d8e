package api

import (
	"time"

	"berth/core"
	"berth/core/jobs"
)

// JobAnswer is a job as the API shows it.
type JobAnswer struct {
	ID            core.JobID        `json:"id"`
	Name          string            `json:"name"`
	RepositoryID  core.RepositoryID `json:"repository_id"`
	Path          string            `json:"path"` // folder in the repository that holds its job.yaml; "" is the root
	Standing      jobs.Standing     `json:"standing"`
	Paused        bool              `json:"paused"`      // it does not run by itself; people can still run it
	Commit        core.Commit       `json:"commit"`      // whose job.yaml is in force; "" until one was read
	Definition    *DefinitionAnswer `json:"definition"`  // what that says; null until one was read
	SeenCommit    core.Commit       `json:"seen_commit"` // the newest that was looked at
	ErrorCode     string            `json:"error_code"`
	Error         string            `json:"error"`      // what is wrong with the newest commit, several problems on a line each: it does not run by itself meanwhile
	Schedule      string            `json:"schedule"`   // when it runs by itself, in words
	NextAt        *time.Time        `json:"next_at"`    // null: it does not run by itself, or not now
	NextTimes     []time.Time       `json:"next_times"` // the next five
	LastState     *jobs.RunState    `json:"last_state"` // how the run ended that ended last, but for cancelled ones and those skipped for another; null: none did
	LastSuccessAt *time.Time        `json:"last_success_at"`
	Missed        int               `json:"missed"`    // times that were given up because they were too long ago
	MissedAt      *time.Time        `json:"missed_at"` // when that happened last
	CreatedAt     time.Time         `json:"created_at"`
	UpdatedAt     time.Time         `json:"updated_at"`
}

func showJob(now core.Clock) func(jobs.Job) JobAnswer {
	return func(j jobs.Job) JobAnswer {
		answer := JobAnswer{
			ID: j.ID, Name: j.Name, RepositoryID: j.Repository, Path: j.Path, Standing: j.Standing(), Paused: j.Paused, Commit: j.Commit, SeenCommit: j.SeenCommit,
			ErrorCode: j.ErrorCode, Error: j.Error, NextTimes: []time.Time{}, LastSuccessAt: optionalTime(j.LastSuccessAt),
			Missed: j.Missed, MissedAt: optionalTime(j.MissedAt), CreatedAt: j.CreatedAt, UpdatedAt: j.UpdatedAt,
		}
		answer.tellTimes(j, now())
		if j.Commit != "" {
			d := showDefinition(j.Definition)
			answer.Definition = &d
		}
		if j.LastState != "" {
			answer.LastState = &j.LastState
		}
		return answer
	}
}

// shownTimes is how many of the next times are shown.
const shownTimes = 5

// tellTimes says when the job runs by itself. A definition whose schedule cannot be read was refused when
// it was: there is none that says so here.
func (a *JobAnswer) tellTimes(j jobs.Job, now time.Time) {
	schedule, err := j.Definition.Schedule()
	if err != nil {
		return
	}
	a.Schedule = schedule.Words()
	if j.Ready() && !j.Paused {
		a.NextAt = optionalTime(j.NextAt)
		for _, next := range schedule.Upcoming(now, shownTimes) {
			a.NextTimes = append(a.NextTimes, next.UTC())
		}
	}
}
