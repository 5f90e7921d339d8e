package coretest

import (
	"berth/core/access"
	"berth/core/stacks"
)

// eventCases are what the transitions of deployments leave, whoever makes them.
var eventCases = map[string]func(storeBench){
	"each transition leaves one event, however often it is tried": eventOnce,
	"a transition that is taken back leaves none":                 noEventOfNothing,
}

// path returns the events of a deployment, which must be a legal path to its state.
func (y yard) path(d stacks.Deployment) []stacks.DeploymentEvent {
	y.b.Helper()
	d, err := y.Deployment(y.b.soon(), d.ID)
	y.b.must(err)
	events, err := y.DeploymentEvents(y.b.soon(), d.ID)
	y.b.must(err)
	y.b.must(LegalPath(d, events))
	return events
}

func eventOnce(b storeBench) {
	y := newYard(b)
	d := y.queued()
	y.race(10, "deployment.moved", func(int) error {
		_, err := y.StartDeployment(b.Context(), d.ID)
		return err
	})
	ada := access.Principal{Kind: access.KindUser, ID: "usr_1", Name: "ada"}
	y.race(10, "deployment.moved", func(int) error {
		_, err := y.CancelDeployment(b.Context(), d.ID, ada)
		return err
	})
	y.race(10, "deployment.moved", func(int) error {
		_, err := y.EndDeployment(b.Context(), stacks.Outcome{Deployment: d.ID, State: stacks.DeploymentCancelled, ErrorCode: "deployment.cancelled", At: storeEpoch}, nil)
		return err
	})
	events := y.path(d)
	if len(events) != 4 {
		b.Fatalf("a start, a cancel and an end left %+v", events)
	}
	if e := events[2]; e.Actor != "ada" || e.From != stacks.DeploymentRunning || e.To != stacks.DeploymentRunning {
		b.Errorf("the cancel left %+v", e)
	}
	if e := events[3]; e.Actor != "" || e.Cause != "deployment.cancelled" || !e.At.Equal(storeEpoch) {
		b.Errorf("the end left %+v", e)
	}
}

func noEventOfNothing(b storeBench) {
	y := newYard(b)
	d := y.running()
	if _, err := y.StartDeployment(b.soon(), d.ID); err == nil {
		b.Error("it started twice")
	}
	if n := len(y.path(d)); n != 2 {
		b.Errorf("%d events", n)
	}
}
