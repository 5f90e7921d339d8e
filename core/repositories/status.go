package repositories

import (
	"fmt"
	"time"

	"berth/core"
	"berth/core/fault"
)

// StatusHost says in which way commit statuses are told to a repository's Git host.
type StatusHost string

// The ways, and none.
const (
	StatusesOff    StatusHost = ""
	StatusesGitHub StatusHost = "github"
	StatusesGitea  StatusHost = "gitea" // Forgejo too
	StatusesGitLab StatusHost = "gitlab"
)

// StatusState is what a Git host is told of a commit.
type StatusState string

// The states, as GitHub's API names them.
const (
	StatusPending StatusState = "pending"
	StatusSuccess StatusState = "success"
	StatusFailure StatusState = "failure" // it does not run
	StatusError   StatusState = "error"   // nobody knows: the deployment was broken off
)

// Describe says in plain words what a status means; nothing of an error is in it.
func (s StatusState) Describe() string {
	return map[StatusState]string{StatusPending: "Being deployed", StatusSuccess: "Deployed", StatusFailure: "Could not be deployed", StatusError: "The deployment was broken off"}[s]
}

// CommitStatus is what a repository's Git host is to be told of a deployment.
type CommitStatus struct {
	Deployment core.DeploymentID
	Repository Repository
	Stack      string      // name
	Commit     core.Commit // empty: not known yet
	State      StatusState
	Attempts   int // this one included
}

// Context tells statuses of one commit apart.
func (c CommitStatus) Context() string { return "berth/" + c.Stack }

// StatusTrouble is why a repository's Git host could not be told; zero: it could, or was not.
type StatusTrouble struct {
	Text string // for people
	At   time.Time
}

// CheckStatuses refuses what could never tell a status.
func (r Repository) CheckStatuses() []fault.Field {
	switch r.Statuses {
	case StatusesOff:
		return nil
	case StatusesGitHub, StatusesGitea, StatusesGitLab:
	default:
		return []fault.Field{{Path: "commit_statuses", Problem: fmt.Sprintf("must be off, %s, %s or %s", StatusesGitHub, StatusesGitea, StatusesGitLab)}}
	}
	if r.Credential == "" || OverSSH(r.URL) {
		return []fault.Field{{Path: "commit_statuses", Problem: "needs a repository key with a token, and an https:// address: SSH keys and no key cannot write statuses"}}
	}
	return nil
}
