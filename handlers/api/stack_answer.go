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
	Status       stacks.Status     `json:"status"`      // new, pending, syncing, active, degraded, error or paused
	Paused       bool              `json:"paused"`      // automatic sync, retries and repair are held back
	Drifted      bool              `json:"drifted"`     // what runs is not what was deployed and verified; see drift
	OutOfSync    bool              `json:"out_of_sync"` // the branch holds something that was not deployed
	Revision     int               `json:"revision"`    // that ran well last, and is in place unless status is error; 0: none yet
	Commit       core.Commit       `json:"commit"`      // of that revision
	Error        string            `json:"error"`       // why the status is error or degraded
	Deleting     bool              `json:"deleting"`    // its containers are being removed
	Quarantine   *QuarantineAnswer `json:"quarantine"`  // null: nothing is in quarantine
	Drift        []DriftAnswer     `json:"drift"`
	RetryAt      *time.Time        `json:"retry_at"`    // when a deployment that failed is tried again; null: it is not
	HealAt       *time.Time        `json:"heal_at"`     // when drift is repaired; null: it is not
	ObservedAt   *time.Time        `json:"observed_at"` // since when what its worker saw of its containers is as services tells; a later look that finds the same does not move it; null: never seen
	CreatedAt    time.Time         `json:"created_at"`
	UpdatedAt    time.Time         `json:"updated_at"`
}

func showStack(s stacks.Stack) StackAnswer {
	return StackAnswer{
		ID: s.ID, Name: s.Name, RepositoryID: s.Repository, Path: s.Path, WorkerID: s.Worker, WorkerTags: orEmpty(s.WorkerTags),
		AutoSync: s.AutoSync, Status: s.Status, Paused: s.Paused, Drifted: s.Drifted, OutOfSync: s.OutOfSync, Revision: s.Revision, Commit: s.Commit,
		Error: s.Error, Deleting: s.Deleting, Quarantine: showQuarantine(s.Quarantine), Drift: showDrift(s.Drift),
		RetryAt: optionalTime(s.RetryAt), HealAt: optionalTime(s.HealAt), ObservedAt: optionalTime(s.ObservedAt), CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
}

// QuarantineAnswer is a state of the stack's folder that was rolled back: polling does not
// deploy it again. A change of the folder ends it, and so does a deployment that somebody asks for, but for
// a redeploy, which puts in place again what runs, and a transfer.
type QuarantineAnswer struct {
	Commit       core.Commit       `json:"commit"`
	Revision     int               `json:"revision"`
	DeploymentID core.DeploymentID `json:"deployment_id"` // that was rolled back
	Reason       string            `json:"reason"`
}

func showQuarantine(q stacks.Quarantine) *QuarantineAnswer {
	if q.Tree == "" {
		return nil
	}
	return &QuarantineAnswer{Commit: q.Commit, Revision: q.Revision, DeploymentID: q.Deployment, Reason: q.Reason}
}

// DriftAnswer is one way in which what runs differs from what was deployed and verified.
type DriftAnswer struct {
	Service   string                `json:"service"`
	Container string                `json:"container"` // "" when there is none
	Kind      stacks.DifferenceKind `json:"kind"`
	Fields    []string              `json:"fields"` // what was changed: image, memory limit, …; empty for the other kinds
	Text      string                `json:"text"`
}

func showDrift(all []stacks.Difference) []DriftAnswer {
	answers := []DriftAnswer{}
	for _, d := range all {
		answers = append(answers, DriftAnswer{Service: d.Service, Container: d.Container, Kind: d.Kind, Fields: orEmpty(d.Fields), Text: d.Text})
	}
	return answers
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
	// VerifiedAt is when it was last put in place and found to run well; null: it never ran well.
	VerifiedAt *time.Time `json:"verified_at"`
	Compose    string     `json:"compose,omitempty"` // rendered; secrets stand as ${NAME}; only for one revision
}

// RevisionService is one compose service of a revision.
type RevisionService struct {
	Name      string             `json:"name"`
	Image     string             `json:"image"`
	DependsOn []DependencyAnswer `json:"depends_on"`
	Networks  []string           `json:"networks"` // of the project
	Volumes   []string           `json:"volumes"`  // named ones of the project
	Binds     []string           `json:"binds"`    // of the host's own files
	Ports     []string           `json:"ports"`    // published: 127.0.0.1:8080:80/tcp
}

// DependencyAnswer is a compose service that another one waits for.
type DependencyAnswer struct {
	Service   string                `json:"service"`
	Condition core.ComposeCondition `json:"condition"` // service_started, service_healthy or service_completed_successfully
	Optional  bool                  `json:"optional"`  // not waited for where it is not there or fails
}

func showProject(all []core.ComposeService) []RevisionService {
	answers := []RevisionService{}
	for _, s := range all {
		answer := RevisionService{Name: s.Name, Image: s.Image, DependsOn: []DependencyAnswer{}, Networks: orEmpty(s.Networks), Volumes: orEmpty(s.Volumes), Binds: orEmpty(s.Binds), Ports: orEmpty(s.Ports)}
		for _, d := range s.DependsOn {
			answer.DependsOn = append(answer.DependsOn, DependencyAnswer(d))
		}
		answers = append(answers, answer)
	}
	return answers
}

func showRevision(r stacks.Revision) RevisionAnswer {
	answer := RevisionAnswer{Number: r.Number, Commit: r.Commit, Digest: r.Digest, Services: showProject(r.Services), Variables: []string{}, Files: []string{}, CreatedAt: r.CreatedAt, VerifiedAt: optionalTime(r.VerifiedAt)}
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
