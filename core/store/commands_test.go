package store_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// sent is a deployment's command that was sent on the link of epoch 5.
func (y *yard) sent(name string) stacks.Command {
	y.t.Helper()
	cmd := y.send(y.start(y.queue(wish(y.add(name)))), "c1")
	y.tick()
	got, err := y.MarkSent(y.t.Context(), y.w.ID, cmd.ID, 5)
	y.must(err)
	return got
}

func (y *yard) find(id core.CommandID) stacks.Command {
	y.t.Helper()
	cmd, err := y.Command(y.t.Context(), y.w.ID, id)
	y.must(err)
	return cmd
}

func TestMarkSent(t *testing.T) {
	y := openYard(t)
	cmd := y.sent("web")
	if cmd.State != stacks.CommandSent || cmd.Epoch != 5 || cmd.DeadlineAt != y.at.Add(time.Minute) || !reflect.DeepEqual(cmd, y.find(cmd.ID)) {
		t.Errorf("got %+v, stored %+v", cmd, y.find(cmd.ID))
	}
	y.tick()
	again, err := y.MarkSent(t.Context(), y.w.ID, cmd.ID, 6)
	if err != nil || again.Epoch != 6 || again.State != stacks.CommandSent {
		t.Errorf("on a newer link: %+v, %v", again, err)
	}
	y.must(y.MarkAccepted(t.Context(), y.w.ID, cmd.ID, 1, 6))
	y.tick()
	accepted, err := y.MarkSent(t.Context(), y.w.ID, cmd.ID, 7)
	if err != nil || accepted.State != stacks.CommandAccepted || accepted.Epoch != 7 || accepted.DeadlineAt != again.DeadlineAt {
		t.Errorf("what the worker has already stays accepted, and its time runs: %+v, %v", accepted, err)
	}
	before := y.find(cmd.ID)
	for what, c := range map[string]struct {
		worker core.WorkerID
		id     core.CommandID
		epoch  uint64
	}{
		"an old link":       {y.w.ID, cmd.ID, 6},
		"another worker":    {y.other.ID, cmd.ID, 8},
		"no such command":   {y.w.ID, "cmd_none", 8},
		"no worker at all":  {"", cmd.ID, 8},
		"the link of never": {y.w.ID, cmd.ID, 0},
	} {
		_, err := y.MarkSent(t.Context(), c.worker, c.id, c.epoch)
		y.refused(what, err, "command.not_found")
	}
	if got := y.find(cmd.ID); !reflect.DeepEqual(got, before) {
		t.Errorf("refused marks left %+v", got)
	}
	y.end(cmd.Deployment, stacks.DeploymentFailed)
	_, err = y.MarkSent(t.Context(), y.w.ID, cmd.ID, 8)
	y.refused("one that has ended", err, "command.not_found")
}

// W1: a worker changes its own commands only, by the attempt and on the link that are current.
func TestW1MarkAccepted(t *testing.T) {
	y := openYard(t)
	cmd := y.sent("web")
	rows := y.find(cmd.ID)
	for what, c := range map[string]struct {
		worker  core.WorkerID
		id      core.CommandID
		attempt int
		epoch   uint64
	}{
		"another worker's":   {y.other.ID, cmd.ID, 1, 5},
		"an old link":        {y.w.ID, cmd.ID, 1, 4},
		"a link of later":    {y.w.ID, cmd.ID, 1, 6},
		"an attempt before":  {y.w.ID, cmd.ID, 0, 5},
		"an attempt to come": {y.w.ID, cmd.ID, 2, 5},
		"no such command":    {y.w.ID, "cmd_none", 1, 5},
	} {
		y.refused(what, y.MarkAccepted(t.Context(), c.worker, c.id, c.attempt, c.epoch), "command.not_found")
		if got := y.find(cmd.ID); !reflect.DeepEqual(got, rows) {
			t.Errorf("%s: changed to %+v", what, got)
		}
	}
	y.must(y.MarkAccepted(t.Context(), y.w.ID, cmd.ID, 1, 5))
	y.must(y.MarkAccepted(t.Context(), y.w.ID, cmd.ID, 1, 5)) // said twice
	if got := y.find(cmd.ID); got.State != stacks.CommandAccepted {
		t.Errorf("it is %s", got.State)
	}
	y.end(cmd.Deployment, stacks.DeploymentSucceeded)
	y.refused("one that has ended", y.MarkAccepted(t.Context(), y.w.ID, cmd.ID, 1, 5), "command.not_found")
	if got := y.find(cmd.ID); got.State != stacks.CommandSucceeded {
		t.Errorf("it is %s", got.State)
	}
}

func TestW1CommandsAreReadByTheirWorker(t *testing.T) {
	y := openYard(t)
	a, b := y.sent("a"), y.send(y.start(y.queue(wish(y.add("b")))), "c1")
	for what, c := range map[string]struct {
		worker core.WorkerID
		id     core.CommandID
	}{"another worker's": {y.other.ID, a.ID}, "none": {y.w.ID, "cmd_none"}} {
		_, err := y.Command(t.Context(), c.worker, c.id)
		y.refused(what, err, "command.not_found")
	}
	open := func(worker core.WorkerID) (ids []core.CommandID) {
		all, err := y.OpenCommands(t.Context(), worker)
		y.must(err)
		for _, c := range all {
			ids = append(ids, c.ID)
		}
		return ids
	}
	queued := func() []core.WorkerID {
		ids, err := y.WorkersWithQueuedCommands(t.Context())
		y.must(err)
		return ids
	}
	if got := open(y.w.ID); !slices.Equal(got, []core.CommandID{a.ID, b.ID}) || len(open(y.other.ID)) != 0 {
		t.Errorf("open are %v, of the other worker %v", got, open(y.other.ID))
	}
	if got := queued(); !slices.Equal(got, []core.WorkerID{y.w.ID}) {
		t.Errorf("commands wait for %v", got)
	}
	y.end(a.Deployment, stacks.DeploymentSucceeded)
	if got := open(y.w.ID); !slices.Equal(got, []core.CommandID{b.ID}) {
		t.Errorf("open are %v", got)
	}
	_, err := y.MarkSent(t.Context(), y.w.ID, b.ID, 5)
	y.must(err)
	if got := queued(); len(got) != 0 {
		t.Errorf("commands wait for %v", got)
	}
}
