package jobs

import (
	"time"

	"berth/core"
)

// Job is a folder of a repository with a job.yaml, which is followed: what a new commit says holds for
// the next run.
type Job struct {
	ID         core.JobID
	Name       string // unique
	Repository core.RepositoryID
	Path       string // of the folder in the repository; "" is the root
	Paused     bool   // it does not fire by itself; people can still run it

	// What the newest readable commit says. Definition is the zero, and Commit empty, until one was read.
	Commit     core.Commit
	Definition Definition
	Configs    []ConfigFile
	// ErrorCode and Error say what is wrong with the newest commit, of which SeenCommit and SeenTree are; with
	// an error the job does not fire, and keeps the Definition before for people to see.
	SeenCommit core.Commit
	SeenTree   string
	ErrorCode  string
	Error      string

	NextAt        time.Time // when it is due next; zero: never, by itself
	FiredAt       time.Time // the newest time that fired or was given up; zero: none
	LastSuccessAt time.Time // when a run of it ended well for the last time
	Missed        int       // times that were given up because they were too long ago, since it was added
	MissedAt      time.Time // when that happened last; zero: never
	// LastState is how the run ended that ended last, but for those that were cancelled, or skipped because another
	// was open (run.overlap, run.queue_full); empty: none did.
	LastState RunState
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Ready reports whether the job can run: its definition was read, and holds.
func (j Job) Ready() bool { return j.Commit != "" && j.ErrorCode == "" }

// Sight is what polling found of a job in a commit.
type Sight struct {
	Job        core.JobID
	Commit     core.Commit
	Tree       string // identifies all that the job reads; empty: its folder is gone
	Definition Definition
	Configs    []ConfigFile
	ErrorCode  string // with Error: the commit cannot be used
	Error      string
}
