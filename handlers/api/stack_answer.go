package api

import (
	"time"

	"berth/core"
	"berth/core/stacks"
)

// StackAnswer is a stack as the API shows it.
type StackAnswer struct {
	ID           core.StackID      `json:"id"`
	Name         string            `json:"name"`
	RepositoryID core.RepositoryID `json:"repository_id"`
	Path         string            `json:"path"`        // folder in the repository; "" is its root
	WorkerID     core.WorkerID     `json:"worker_id"`   // "" until it is placed
	WorkerTags   []string          `json:"worker_tags"` // what its worker must have
	AutoSync     bool              `json:"auto_sync"`
	Status       stacks.Status     `json:"status"` // new, pending, syncing, active, degraded, error or paused
	Drifted      bool              `json:"drifted"`
	OutOfSync    bool              `json:"out_of_sync"` // the branch holds something that was not deployed
	Revision     int               `json:"revision"`    // that is in place; 0: none yet
	Commit       core.Commit       `json:"commit"`      // of that revision
	Error        string            `json:"error"`       // why the status is error or degraded
	Deleting     bool              `json:"deleting"`    // its containers are being removed
	ObservedAt   *time.Time        `json:"observed_at"` // when its containers last changed; null: never seen
	CreatedAt    time.Time         `json:"created_at"`
	UpdatedAt    time.Time         `json:"updated_at"`
}

func showStack(s stacks.Stack) StackAnswer {
	return StackAnswer{
		ID: s.ID, Name: s.Name, RepositoryID: s.Repository, Path: s.Path, WorkerID: s.Worker, WorkerTags: orEmpty(s.WorkerTags),
		AutoSync: s.AutoSync, Status: s.Status, Drifted: s.Drifted, OutOfSync: s.OutOfSync, Revision: s.Revision, Commit: s.Commit,
		Error: s.Error, Deleting: s.Deleting, ObservedAt: optionalTime(s.ObservedAt), CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
}

// DeploymentAnswer is a deployment as the API shows it.
type DeploymentAnswer struct {
	ID         core.DeploymentID      `json:"id"`
	StackID    core.StackID           `json:"stack_id"`
	State      stacks.DeploymentState `json:"state"`
	Trigger    stacks.Trigger         `json:"trigger"`
	Actor      string                 `json:"actor"`     // who asked; "system" for polling
	Commit     core.Commit            `json:"commit"`    // "" until fetched
	Revision   int                    `json:"revision"`  // 0 until rendered
	WorkerID   core.WorkerID          `json:"worker_id"` // "" until placed
	Phases     []stacks.Phase         `json:"phases"`
	ErrorCode  string                 `json:"error_code"`
	Error      string                 `json:"error"`
	QueuedAt   time.Time              `json:"queued_at"`
	StartedAt  *time.Time             `json:"started_at"`
	FinishedAt *time.Time             `json:"finished_at"`
}

func showDeployment(d stacks.Deployment) DeploymentAnswer {
	return DeploymentAnswer{
		ID: d.ID, StackID: d.Stack, State: d.State, Trigger: d.Trigger, Actor: d.Actor, Commit: d.Commit, Revision: d.Revision, WorkerID: d.Worker,
		Phases: orEmpty(d.Phases), ErrorCode: d.ErrorCode, Error: d.Error,
		QueuedAt: d.QueuedAt, StartedAt: optionalTime(d.StartedAt), FinishedAt: optionalTime(d.FinishedAt),
	}
}

// RevisionAnswer is a revision as the API shows it.
type RevisionAnswer struct {
	Number    int               `json:"number"`
	Commit    core.Commit       `json:"commit"`
	Digest    string            `json:"digest"`
	Services  []RevisionService `json:"services"`
	Variables []string          `json:"variables"` // names of the secret variables that reach it
	Files     []string          `json:"files"`     // what it mounts from the repository
	CreatedAt time.Time         `json:"created_at"`
	Compose   string            `json:"compose,omitempty"` // rendered; secrets stand as ${NAME}; only for one revision
}

// RevisionService is one compose service of a revision.
type RevisionService struct {
	Name  string `json:"name"`
	Image string `json:"image"`
}

func showRevision(r stacks.Revision) RevisionAnswer {
	answer := RevisionAnswer{Number: r.Number, Commit: r.Commit, Digest: r.Digest, Services: []RevisionService{}, Variables: []string{}, Files: []string{}, CreatedAt: r.CreatedAt}
	for _, s := range r.Services {
		answer.Services = append(answer.Services, RevisionService{Name: s.Name, Image: s.Image})
	}
	for _, v := range r.Variables {
		answer.Variables = append(answer.Variables, v.Name)
	}
	for _, c := range r.Content {
		answer.Files = append(answer.Files, c.Source)
	}
	return answer
}

// DecisionAnswer says why a trigger deployed a stack or did not.
type DecisionAnswer struct {
	ID           string            `json:"id"`
	At           time.Time         `json:"at"`
	Trigger      stacks.Trigger    `json:"trigger"`
	Commit       core.Commit       `json:"commit"`
	Deployed     bool              `json:"deployed"`
	Reason       string            `json:"reason"`
	DeploymentID core.DeploymentID `json:"deployment_id"` // "" when nothing was deployed
}

func showDecision(d stacks.Decision) DecisionAnswer {
	return DecisionAnswer{ID: d.ID, At: d.At, Trigger: d.Trigger, Commit: d.Commit, Deployed: d.Deployed, Reason: d.Reason, DeploymentID: d.Deployment}
}

// LogPiece is one or more whole lines of a deployment's log.
type LogPiece struct {
	Number uint64    `json:"number"` // rises by one within the log; a gap never comes
	At     time.Time `json:"at"`
	Text   string    `json:"text"`
}

func showLog(l stacks.LogLine) LogPiece { return LogPiece{Number: l.Number, At: l.At, Text: l.Text} }
