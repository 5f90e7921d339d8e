package dryruns_test

import (
	"context"
	"testing"

	"berth/hub/worker/runs"
	"berth/hub/worker/runs/contract"
	"berth/local/stand/dryruns"
)

func TestContract(t *testing.T) {
	e := &dryruns.Engine{OnRun: func(ctx context.Context, r runs.Spec, line func(string)) int {
		if r.Name == "sleeper" {
			<-ctx.Done()
			return 143
		}
		line("line 1")
		line("line 2")
		line("line 3")
		return 3
	}}
	labels := map[string]string{runs.LabelWorker: "w"}
	contract.Check(t, contract.Subject{Engine: e, Talker: runs.Spec{Name: "talker", Labels: labels}, Sleeper: runs.Spec{Name: "sleeper", Labels: labels}})
	if e.Started("talker") != 1 || e.Started("sleeper") != 1 {
		t.Error("a container was started twice")
	}
}

func TestARunWithoutAProgramEndsAtOnce(t *testing.T) {
	e := &dryruns.Engine{}
	if err := e.PrepareRun(t.Context(), runs.Spec{Name: "x"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := e.StartRun(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	if c, found, err := e.FindRun(t.Context(), "x"); !found || err != nil || c.State != runs.Exited || c.ExitCode != 0 {
		t.Errorf("%+v, %t, %v", c, found, err)
	}
}
