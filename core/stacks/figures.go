package stacks

import (
	"time"

	"berth/core"
)

// MaxFigures is how many stacks are shown one by one in the metrics.
const MaxFigures = 5000

// Figure is what the metrics show of one stack.
type Figure struct {
	ID             core.StackID
	Name           string
	Worker         core.WorkerID
	Repository     string // name
	Status         Status
	Judged         bool // it is known whether it is healthy: something was deployed, or could not be
	Healthy        bool // what is in place runs as it should, as it was last seen
	Drifted        bool
	OutOfSyncSince time.Time // zero: it is in sync
	DeployedAt     time.Time // when a deployment last succeeded; zero: none did
}

// Figures is what the metrics show of all stacks.
type Figures struct {
	Stacks         []Figure       // by id; at most MaxFigures
	Counts         map[Status]int // of all stacks
	Open           map[DeploymentState]int
	Unacknowledged int            // commands that workers have not confirmed to have
	DeliveredAt    time.Time      // when a webhook last asked for a look; zero: never
	Repositories   map[string]int // by the code of why the last look at them failed; empty: it did not
}

// FigureOf tells of a stack that is in a repository of this name. Containers count where the status does
// not tell how what is in place runs.
func FigureOf(s Stack, repository string, outOfSyncSince, deployedAt time.Time) Figure {
	f := Figure{ID: s.ID, Name: s.Name, Worker: s.Worker, Repository: repository, Status: s.Status, Drifted: s.Drifted,
		OutOfSyncSince: outOfSyncSince, DeployedAt: deployedAt}
	f.Judged = s.Revision > 0 || s.Status == StatusError
	switch {
	case !f.Judged || s.Revision == 0 || s.Status == StatusDegraded:
	case s.Status == StatusActive || s.Status == StatusPaused:
		f.Healthy = true
	default:
		f.Healthy = JudgeContainers(s.Containers).OK
	}
	return f
}
