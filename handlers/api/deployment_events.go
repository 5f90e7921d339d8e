package api

import (
	"context"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// DeploymentReader reads one deployment and what became of it.
type DeploymentReader interface {
	DeploymentFinder
	// DeploymentEvents returns the transitions of a deployment, oldest first.
	DeploymentEvents(ctx context.Context, id core.DeploymentID) ([]stacks.DeploymentEvent, error)
}

// DeploymentDetail is a deployment with what became of it, step by step.
type DeploymentDetail struct {
	DeploymentAnswer
	Events []EventAnswer `json:"events"` // its transitions, oldest first, at most 100; empty for one from before they were kept
}

// EventAnswer is one transition of a deployment.
type EventAnswer struct {
	At    time.Time               `json:"at"`
	From  *stacks.DeploymentState `json:"from"`  // null: the deployment was made
	To    stacks.DeploymentState  `json:"to"`    // as from: it goes on, and the cause says what began
	Cause string                  `json:"cause"` // a fault code, or words for people
	Actor string                  `json:"actor"` // who caused it; "": Berth itself
}

// detail adds its events to a deployment that was just read.
func detail(ctx context.Context, reader DeploymentReader, d stacks.Deployment) (DeploymentDetail, error) {
	events, err := reader.DeploymentEvents(ctx, d.ID)
	if err != nil {
		return DeploymentDetail{}, err
	}
	answer := DeploymentDetail{DeploymentAnswer: showDeployment(d), Events: []EventAnswer{}}
	for _, e := range events {
		one := EventAnswer{At: e.At, To: e.To, Cause: e.Cause, Actor: e.Actor}
		if e.From != "" {
			one.From = &e.From
		}
		answer.Events = append(answer.Events, one)
	}
	return answer, nil
}
