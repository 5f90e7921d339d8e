package coretest

import (
	"bytes"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/identity"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/stacks"
	"berth/core/store"
)

// nounCases are the races that the transactions of nouns must decide, whoever comes first.
var nounCases = map[string]func(storeBench){
	"fifty asks at once leave one open deployment":    asksAtOnce,
	"asks while one runs leave one behind it":         asksWhileOneRuns,
	"a deployment starts once":                        startsOnce,
	"a deployment is dispatched once":                 dispatchedOnce,
	"a deployment ends once and has one follower":     endsOnce,
	"a running deployment is asked to stop once":      askedToStopOnce,
	"one token registers one worker":                  registersOnce,
	"there is one first administrator":                firstOnce,
	"an administrator who can sign in stays":          administratorStays,
	"an invitation is accepted once":                  acceptedOnce,
	"a name is taken once":                            nameTakenOnce,
	"an installation's keys are made once":            keysMadeOnce,
	"deletion and ask leave no deployment of a ghost": deletedWhileAsked,
}

// yard is a store with a repository, a worker and a stack.
type yard struct {
	*store.Store
	b      storeBench
	worker core.WorkerID
	stack  core.StackID
}

func newYard(b storeBench) yard {
	b.Helper()
	y := yard{Store: b.store(), b: b, worker: core.WorkerID(core.NewID(core.PrefixWorker, storeEpoch)), stack: core.StackID(core.NewID(core.PrefixStack, storeEpoch))}
	_, err := y.AddRepository(b.soon(), repositories.Repository{ID: "rep_1", Name: "demo", URL: "https://git.example/demo"}, access.AuditEvent{})
	b.must(err)
	token := y.token()
	b.must(y.enrol(token, y.worker))
	_, _, err = y.CreateStack(b.soon(), stacks.Stack{ID: y.stack, Name: "web", Repository: "rep_1"}, nil, access.System)
	b.must(err)
	return y
}

func (y yard) token() core.WorkerTokenID {
	y.b.Helper()
	id := core.WorkerTokenID(core.NewID(core.PrefixWorkerToken, storeEpoch))
	y.b.must(y.AddWorkerToken(y.b.soon(), fleet.Token{ID: id, ExpiresAt: storeEpoch.Add(time.Hour)}, []byte("mac"), access.AuditEvent{}))
	return id
}

func (y yard) enrol(token core.WorkerTokenID, id core.WorkerID) error {
	_, err := y.EnrolWorker(y.b.Context(), token, func(held fleet.Held) (fleet.Enrolment, error) {
		if held.Token.Worker != "" {
			return fleet.Enrolment{}, fleet.Revoked()
		}
		return fleet.Enrolment{First: true, Key: [32]byte{1}, Worker: fleet.Worker{ID: id, TokenID: token, Hostname: "host", Tags: []string{}}}, nil
	})
	return err
}

func (y yard) ask() stacks.Ask {
	return stacks.Ask{Stack: y.stack, Trigger: stacks.TriggerManual, Actor: "ada", Reason: "asked"}
}

// queued asks for a deployment of the yard's stack.
func (y yard) queued() stacks.Deployment {
	y.b.Helper()
	d, err := y.QueueDeployment(y.b.soon(), y.ask(), access.System)
	y.b.must(err)
	return d
}

func (y yard) running() stacks.Deployment {
	y.b.Helper()
	d, err := y.StartDeployment(y.b.soon(), y.queued().ID)
	y.b.must(err)
	return d
}

// race runs fn n times at once, counts the successes, and checks what the others were told.
func (y yard) race(n int, code string, fn func(i int) error) (won int) {
	y.b.Helper()
	var wins atomic.Int64
	together(n, func(i int) {
		switch err := fn(i); {
		case err == nil:
			wins.Add(1)
		case fault.CodeOf(err) != code:
			y.b.Errorf("number %d: %v, want %s", i, err, code)
		}
	})
	return int(wins.Load())
}

// count returns the one number that a query gives.
func (b storeBench) count(query string, args ...any) (n int) {
	b.Helper()
	if _, err := fmt.Sscan(b.read(query, args...)[0], &n); err != nil {
		b.Fatal(err)
	}
	return n
}

func asksAtOnce(b storeBench) {
	y := newYard(b)
	ids := make([]core.DeploymentID, 50)
	won := y.race(len(ids), "", func(i int) error {
		d, err := y.QueueDeployment(b.Context(), y.ask(), access.System)
		ids[i] = d.ID
		return err
	})
	for _, id := range ids {
		if id != ids[0] {
			b.Fatalf("asks were covered by %s and %s", ids[0], id)
		}
	}
	if n := b.count(`SELECT count(*) FROM deployments`); won != len(ids) || n != 1 {
		b.Errorf("%d asks were answered, %d deployments were made", won, n)
	}
	if n := b.count(`SELECT count(*) FROM decisions`); n != len(ids) {
		b.Errorf("%d decisions were recorded", n)
	}
}

func asksWhileOneRuns(b storeBench) {
	y := newYard(b)
	running := y.running()
	won := y.race(20, "", func(int) error {
		_, err := y.QueueDeployment(b.Context(), y.ask(), access.System)
		return err
	})
	if n := b.count(`SELECT count(*) FROM deployments WHERE state = 'queued' AND id <> ?`, running.ID); won != 20 || n != 1 || b.count(`SELECT count(*) FROM deployments`) != 2 {
		b.Errorf("%d asks were answered, %d deployments are queued behind the one that runs", won, n)
	}
}

func startsOnce(b storeBench) {
	y := newYard(b)
	id := y.queued().ID
	won := y.race(10, "deployment.moved", func(int) error {
		_, err := y.StartDeployment(b.Context(), id)
		return err
	})
	if won != 1 {
		b.Errorf("it was started %d times", won)
	}
}

func dispatchedOnce(b storeBench) {
	y := newYard(b)
	d := y.running()
	won := y.race(10, "deployment.moved", func(i int) error {
		cmd := stacks.Command{ID: core.CommandID(core.NewID(core.PrefixCommand, storeEpoch)), Attempt: 1, Worker: y.worker,
			Kind: stacks.CommandDeploy, Stack: y.stack, Deployment: d.ID, State: stacks.CommandQueued, Body: stacks.CommandBody{Project: "web"}}
		_, err := y.Dispatch(b.Context(), stacks.Revision{Stack: y.stack, Digest: fmt.Sprint(i)}, cmd, stacks.Progress{Deployment: d.ID}, nil)
		return err
	})
	if won != 1 || b.count(`SELECT count(*) FROM commands`) != 1 || b.count(`SELECT count(*) FROM revisions`) != 1 {
		b.Errorf("it was dispatched %d times, and left %d commands and %d revisions", won,
			b.count(`SELECT count(*) FROM commands`), b.count(`SELECT count(*) FROM revisions`))
	}
}

func endsOnce(b storeBench) {
	y := newYard(b)
	d := y.running()
	y.queued()
	var ended atomic.Int64
	y.race(10, "", func(int) error {
		ending, err := y.EndDeployment(b.Context(), stacks.Outcome{Deployment: d.ID, State: stacks.DeploymentFailed, At: storeEpoch}, nil)
		if ending.Ended {
			ended.Add(1)
		}
		return err
	})
	if n := b.count(`SELECT count(*) FROM deployments`); ended.Load() != 1 || n != 2 {
		b.Errorf("it ended %d times, and there are %d deployments", ended.Load(), n)
	}
}

func askedToStopOnce(b storeBench) {
	y := newYard(b)
	d := y.running()
	won := y.race(10, "", func(i int) error {
		now, err := y.CancelDeployment(b.Context(), d.ID, access.Principal{Kind: access.KindUser, ID: fmt.Sprint("usr_", i), Name: fmt.Sprint(i)})
		if err == nil && (!now.Cancelling || now.State != stacks.DeploymentRunning) {
			b.Errorf("number %d was answered with %+v", i, now)
		}
		return err
	})
	if n := b.count(`SELECT count(*) FROM deployment_events WHERE deployment_id = ? AND from_state = to_state`, d.ID); won != 10 || n != 1 {
		b.Errorf("%d asks were answered, %d events were left", won, n)
	}
}

func registersOnce(b storeBench) {
	y := newYard(b)
	token := y.token()
	won := y.race(10, "worker.revoked", func(i int) error { return y.enrol(token, core.WorkerID(fmt.Sprint("wrk_", i))) })
	if n := b.count(`SELECT count(*) FROM workers WHERE token_id = ?`, token); won != 1 || n != 1 {
		b.Errorf("%d registered, %d are stored", won, n)
	}
}

func firstOnce(b storeBench) {
	y := newYard(b)
	won := y.race(20, "setup.closed", func(i int) error {
		u := identity.User{ID: core.UserID(fmt.Sprint("usr_", i)), Email: fmt.Sprint(i, "@example.org"), Role: access.RoleAdmin}
		return y.AddFirstAdministrator(b.Context(), access.System, u, "hash")
	})
	if n := b.count(`SELECT count(*) FROM users`); won != 1 || n != 1 {
		b.Errorf("%d were made, %d are stored", won, n)
	}
}

// keysMadeOnce because what one process seals under its keys must be opened by all others.
func keysMadeOnce(b storeBench) {
	y := newYard(b)
	won := y.race(10, "key.ring_there", func(i int) error {
		return y.AddKeyRing(b.Context(), []seal.WrappedKey{{Number: uint32(i + 1), Wrapped: []byte{byte(i)}, Active: true}}, []byte{byte(i)})
	})
	ring, errRing := y.KeyRing(b.soon())
	check, errCheck := y.KeyCheck(b.soon())
	b.must(errors.Join(errRing, errCheck))
	if won != 1 || len(ring) != 1 || !bytes.Equal(ring[0].Wrapped, check) {
		b.Errorf("%d made them; stored are %+v with %x", won, ring, check)
	}
}

func nameTakenOnce(b storeBench) {
	y := newYard(b)
	won := y.race(10, "stack.name_taken", func(int) error {
		id := core.StackID(core.NewID(core.PrefixStack, storeEpoch))
		_, _, err := y.CreateStack(b.Context(), stacks.Stack{ID: id, Name: "shop", Repository: "rep_1"}, nil, access.System)
		return err
	})
	if won != 1 || b.count(`SELECT count(*) FROM audit_events WHERE detail = 'shop'`) != 1 {
		b.Errorf("%d stacks were made under one name", won)
	}
}

func deletedWhileAsked(b storeBench) {
	y := newYard(b)
	y.race(10, "stack.not_found", func(i int) error {
		if i == 5 {
			_, err := y.DeleteStack(b.Context(), y.stack, false, false, access.System)
			return err
		}
		_, err := y.QueueDeployment(b.Context(), y.ask(), access.System)
		return err
	})
	if n := b.count(`SELECT (SELECT count(*) FROM stacks) + (SELECT count(*) FROM deployments) + (SELECT count(*) FROM decisions)`); n != 0 {
		b.Errorf("%d rows are left of a deleted stack", n)
	}
}
