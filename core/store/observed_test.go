package store_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// saw stores what the yard's worker saw and checks which stacks changed by it.
func (y *yard) saw(complete bool, seen []stacks.Observation, want ...core.StackID) {
	y.t.Helper()
	changed, err := y.SaveObserved(y.t.Context(), y.w.ID, seen, complete, y.tick())
	if err != nil || !slices.Equal(changed, want) {
		y.t.Errorf("changed are %v, %v; want %v", changed, err, want)
	}
}

func TestObservationsDecideTheStatus(t *testing.T) {
	sick := []stacks.ContainerState{{Service: "web", Container: "web-1", State: "exited", ExitCode: 137}}
	y := openYard(t)
	id := y.deployed("web", "c1")
	only := func(containers []stacks.ContainerState) []stacks.Observation {
		return []stacks.Observation{{Stack: id, Containers: containers}}
	}

	y.saw(false, only(healthy)) // what is known already
	if st := y.stack(id); st.ObservedAt == y.at {
		t.Error("the row was written for nothing")
	}
	y.saw(false, only(sick), id)
	if st := y.is(id, stacks.StatusDegraded, "exited with code 137"); st.ObservedAt != y.at || !reflect.DeepEqual(st.Containers, sick) || st.Revision != 1 {
		t.Errorf("the stack is %+v", st)
	}
	y.saw(false, only(sick))
	y.saw(false, nil)
	y.saw(false, only(healthy), id)
	y.is(id, stacks.StatusActive, "")
	restarted := slices.Clone(healthy)
	restarted[0].RestartCount = 1
	y.saw(false, only(restarted), id) // shown, though the status is the same
	y.saw(true, nil, id)              // complete, and it is not there
	if st := y.is(id, stacks.StatusDegraded, "no container"); st.Containers == nil || len(st.Containers) != 0 {
		t.Errorf("containers are %v", st.Containers)
	}
	y.saw(true, nil)
}

func TestAWorkerReportsItsOwnStacksOnly(t *testing.T) {
	y := openYard(t)
	mine, fresh := y.deployed("web", "c1"), y.add("fresh")
	foreign := y.deployed("blog", "c1")
	y.exec(t, `UPDATE stacks SET worker_id = ? WHERE id = ?`, y.other.ID, foreign)
	before := []stacks.Stack{y.stack(foreign), y.stack(fresh)}
	broken := []stacks.ContainerState{{Service: "web", State: "dead"}}
	y.saw(true, []stacks.Observation{{Stack: foreign, Containers: broken}, {Stack: "stk_none", Containers: broken}, {Stack: fresh, Containers: broken}}, mine)
	if after := []stacks.Stack{y.stack(foreign), y.stack(fresh)}; !reflect.DeepEqual(before, after) {
		t.Errorf("others became %+v", after)
	}
	y.is(mine, stacks.StatusDegraded, "no container")
}

func TestObservationsLeaveDeploymentsTheirWord(t *testing.T) {
	broken := []stacks.ContainerState{{Service: "web", State: "restarting"}}
	for status, prepare := range map[stacks.Status]func(*yard, core.StackID){
		stacks.StatusPending: func(y *yard, id core.StackID) { y.queue(wish(id)) },
		stacks.StatusSyncing: func(y *yard, id core.StackID) { y.start(y.queue(wish(id))) },
		stacks.StatusError:   func(y *yard, id core.StackID) { y.end(y.start(y.queue(wish(id))).ID, stacks.DeploymentFailed) },
	} {
		y := openYard(t)
		id := y.deployed("web", "c1")
		prepare(y, id)
		problem := y.stack(id).Error
		y.saw(false, []stacks.Observation{{Stack: id, Containers: broken}}, id)
		if st := y.is(id, status, problem); !reflect.DeepEqual(st.Containers, broken) {
			t.Errorf("%s: containers are %+v", status, st.Containers)
		}
		y.saw(false, []stacks.Observation{{Stack: id, Containers: healthy}}, id)
		y.is(id, status, problem)
	}
}

func TestWhatAFailedFirstDeploymentLeftIsSeenToGo(t *testing.T) {
	y := openYard(t)
	fresh := core.StackID(core.NewID(core.PrefixStack, y.tick()))
	_, _, err := y.CreateStack(t.Context(), stacks.Stack{ID: fresh, Name: "fresh", Repository: "rep_1", Worker: y.w.ID}, nil, someone)
	y.must(err)
	id := y.add("web")
	d := y.start(y.queue(wish(id)))
	y.send(d, "c1")
	y.end(d.ID, stacks.DeploymentFailed, observed(healthy...))
	y.saw(true, nil, id) // somebody has removed what was left of it
	if st := y.is(id, stacks.StatusError, "it did not work"); len(st.Containers) != 0 {
		t.Errorf("containers that are gone are shown: %+v", st.Containers)
	}
	y.is(fresh, stacks.StatusNew, "") // it has none, and that is as it should be
}

func TestContainersAreKeptWhole(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	want := []stacks.ContainerState{{Service: "web", Container: "web-1", ContainerID: "abc", Image: "nginx:1", State: "running", Health: "healthy", ExitCode: 0,
		RestartCount: 3, StartedAt: time.Date(2026, 3, 1, 1, 2, 3, 4, time.UTC), Ports: []string{"8080->80/tcp"}, Revision: 7}, {Service: "job", State: "exited"}}
	y.saw(false, []stacks.Observation{{Stack: id, Containers: want}}, id)
	if got := y.stack(id).Containers; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// After the restore of a backup, what was deployed since runs on by itself. It is shown, and nothing repairs it.
func TestContainersOfARevisionThatNobodyKnowsAreShown(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	later := slices.Clone(healthy)
	later[0].Revision, later[0].StartedAt = 2, y.tick()
	only := []stacks.Observation{{Stack: id, Containers: later}}
	y.saw(true, only, id)
	st := y.is(id, stacks.StatusDegraded, "was made by revision 2, of which nothing is known here")
	if !st.Drifted || len(st.Drift) != 1 || st.Drift[0].Kind != stacks.DifferenceChanged || !st.HealAt.IsZero() {
		t.Errorf("the stack is %+v", st)
	}

	y.tick()
	y.end(y.start(y.queue(wish(id))).ID, stacks.DeploymentSucceeded) // it was verified as it is
	y.saw(true, only)
	if st := y.stack(id); st.Drifted {
		t.Errorf("after a deployment it is %+v", st)
	}
}
