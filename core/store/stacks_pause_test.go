package store_test

import (
	"testing"

	"berth/core/stacks"
)

func TestAPauseHoldsWhatIsAutomaticBack(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	st, err := y.PauseStack(t.Context(), id, someone)
	y.must(err)
	if !st.Paused || st.Status != stacks.StatusPaused {
		t.Fatalf("the stack is %+v", st)
	}
	rows := y.rows()
	y.must(y.QueueAll(t.Context(), []stacks.Ask{polled(id, "c2")}))
	_, err = y.PauseStack(t.Context(), id, someone)
	y.must(err)
	if y.rows() != rows {
		t.Errorf("rows are %s, were %s", y.rows(), rows)
	}
	_, err = y.QueueDeployment(t.Context(), polled(id, "c2"), machine)
	y.refused("polling", err, "stack.paused")

	y.deploy(id, "c2") // a person may
	if st := y.is(id, stacks.StatusPaused, ""); st.Revision != 2 {
		t.Errorf("the stack is %+v", st)
	}
	st, err = y.ResumeStack(t.Context(), id, someone)
	y.must(err)
	if st.Paused || st.Status != stacks.StatusActive || y.count(t, `SELECT count(*) FROM repositories WHERE asked_at > 0`) != 1 {
		t.Errorf("the stack is %+v", st)
	}
	if y.audits("stack.pause") != 1 || y.audits("stack.resume") != 1 {
		t.Error("it is not in the audit once each")
	}
}

func TestAPauseTakesAQueuedAutomaticDeploymentBack(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	y.must(y.QueueAll(t.Context(), []stacks.Ask{polled(id, "c2")}))
	st, err := y.PauseStack(t.Context(), id, someone)
	y.must(err)
	if st.SeenTree != "" || st.Status != stacks.StatusPaused || y.states(id) != "succeeded superseded" {
		t.Errorf("the stack is %+v, its deployments %s", st, y.states(id))
	}
	y.queue(wish(id))
	if _, err := y.PauseStack(t.Context(), id, someone); err != nil || y.states(id) != "succeeded superseded queued" {
		t.Errorf("what a person wants was taken back: %s, %v", y.states(id), err)
	}
}

func TestAPausedStackShowsWhatIsWrongWithIt(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	_, err := y.PauseStack(t.Context(), id, someone)
	y.must(err)
	sick := []stacks.Observation{{Stack: id, Containers: []stacks.ContainerState{{Service: "web", Container: "web-1", State: "dead"}}}}
	y.saw(false, sick, id)
	y.is(id, stacks.StatusDegraded, "dead")
	y.saw(false, []stacks.Observation{{Stack: id, Containers: healthy}}, id)
	y.is(id, stacks.StatusPaused, "")
}

func TestRetriesWaitForTheEndOfAPause(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	d := y.start(y.queue(polled(id, "c1")))
	y.end(d.ID, stacks.DeploymentFailed)
	_, err := y.PauseStack(t.Context(), id, someone)
	y.must(err)
	y.at = y.stack(id).RetryAt
	if n, err := y.QueueRetries(t.Context()); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	_, err = y.ResumeStack(t.Context(), id, someone)
	y.must(err)
	if n, err := y.QueueRetries(t.Context()); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
