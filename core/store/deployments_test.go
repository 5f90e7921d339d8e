package store_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
)

func TestAWishIsStoredWhole(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	ask := wish(id)
	ask.Trigger, ask.Options = stacks.TriggerRedeploy, stacks.DeployOptions{RecreateVolumes: true}
	d := y.queue(ask)
	want := stacks.Deployment{ID: d.ID, Stack: id, State: stacks.DeploymentQueued, Trigger: stacks.TriggerRedeploy, Actor: "ada@example.org",
		Options: ask.Options, Phases: []stacks.Phase{}, QueuedAt: y.at}
	if !reflect.DeepEqual(d, want) || !reflect.DeepEqual(y.deployment(d.ID), want) || !core.ValidID(core.PrefixDeployment, string(d.ID)) {
		t.Errorf("got %+v, stored %+v\nwant %+v", d, y.deployment(d.ID), want)
	}
	y.is(id, stacks.StatusPending, "")
	decisions, err := y.Decisions(t.Context(), id, core.Page{Limit: 10})
	y.must(err)
	if len(decisions.Items) != 1 || !reflect.DeepEqual(decisions.Items[0], stacks.Decision{ID: decisions.Items[0].ID, Stack: id, At: y.at, Trigger: ask.Trigger,
		Deployed: true, Reason: "asked", Deployment: d.ID}) {
		t.Errorf("decisions are %+v", decisions.Items)
	}
	if y.count(t, `SELECT count(*) FROM audit_events WHERE action = 'stack.redeploy' AND resource = ? AND detail = ?`, id, string(d.ID)+", redeploy") != 1 {
		t.Error("no audit event")
	}
	_, err = y.QueueDeployment(t.Context(), wish("stk_none"), someone)
	y.refused("a wish for nothing", err, "stack.not_found")
	_, err = y.Deployment(t.Context(), "dep_none")
	y.refused("reading nothing", err, "deployment.not_found")
}

func TestEveryWishIsAudited(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	_, err := y.QueueDeployment(t.Context(), wish(id), machine)
	y.must(err)
	for range 3 { // a wish that joins another is one, too
		y.queue(wish(id))
	}
	pushed := polled(id, "c2")
	pushed.Trigger = stacks.TriggerWebhook
	y.must(y.QueueAll(t.Context(), []stacks.Ask{polled(id, "c1"), pushed}))
	list, err := y.AuditEvents(t.Context(), access.AuditFilter{Action: "stack.sync"}, core.Page{Limit: 10})
	y.must(err)
	var kinds []string
	for _, r := range list.Items {
		kinds = append(kinds, string(r.Actor.Kind))
	}
	slices.Sort(kinds) // several are of one millisecond
	if want := []string{"system", "system", "user", "user", "user", "webhook"}; !slices.Equal(kinds, want) {
		t.Errorf("the wishes are of %q, want %q", kinds, want)
	}
}

func TestAQueuedDeploymentTakesNewWishesAlong(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	first := y.queue(polled(id, "c1"))
	if st := y.stack(id); st.Seen != "c1" || st.SeenTree != "tree of c1" || !st.OutOfSync || first.Commit != "c1" {
		t.Errorf("seen is %+v of %+v", st, first)
	}
	if second := y.queue(polled(id, "c2")); second.ID != first.ID || y.deployment(first.ID).Commit != "c2" {
		t.Errorf("a newer commit made %+v", second)
	}
	ask := wish(id)
	ask.Options.RecreateContainers = true
	if third := y.queue(ask); third.ID != first.ID || third.Commit != "" || !third.Options.RecreateContainers {
		t.Errorf("a person's wish made %+v", third)
	}
	last := y.queue(polled(id, "c3"))
	if !reflect.DeepEqual(last, y.deployment(first.ID)) || last.Commit != "" || !last.Options.RecreateContainers || last.Trigger != stacks.TriggerManual {
		t.Errorf("in the end it is %+v", last)
	}
	want := []string{"changed", "changed; covered by the deployment that is queued", "asked; covered by the deployment that is queued", "changed; covered by the deployment that is queued"}
	if got := y.reasons(id); !slices.Equal(got, want) || y.stack(id).Seen != "c3" {
		t.Errorf("reasons are %q", got)
	}
}

func TestARunningDeploymentIsFollowed(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	ask := wish(id)
	ask.Options.RecreateVolumes = true
	running := y.start(y.queue(ask))
	follower := y.queue(polled(id, "c2"))
	if follower.ID == running.ID || follower.Options.RecreateVolumes || follower.Trigger != stacks.TriggerPoll {
		t.Errorf("who recreates volumes once has not asked for it twice: %+v", follower)
	}
	if again := y.queue(wish(id)); again.ID != follower.ID {
		t.Errorf("another wish made %+v", again)
	}
	y.is(id, stacks.StatusSyncing, "")
	if got := y.states(id); got != "running queued" || !y.deployment(running.ID).Options.RecreateVolumes {
		t.Errorf("deployments are %s", got)
	}
	if got := y.reasons(id)[1]; got != "changed; follows the deployment that is running" {
		t.Errorf("the reason is %q", got)
	}
	open, err := y.OpenDeployments(t.Context())
	if err != nil || len(open) != 2 || open[0].ID != running.ID || open[1].ID != follower.ID {
		t.Errorf("open are %+v, %v", open, err)
	}
	_, err = y.StartDeployment(t.Context(), follower.ID)
	y.refused("starting the follower too early", err, "deployment.moved")
	if got := y.states(id); got != "running queued" {
		t.Errorf("deployments are %s", got)
	}
	y.end(running.ID, stacks.DeploymentSucceeded)
	y.is(id, stacks.StatusPending, "")
	y.start(follower)
	y.is(id, stacks.StatusSyncing, "")
}

func TestARunningDeploymentCoversItsOwnCommit(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	d := y.start(y.queue(wish(id)))
	y.must(y.SaveProgress(t.Context(), []stacks.Progress{{Deployment: d.ID, Commit: "c1"}}, nil))
	if got := y.queue(polled(id, "c1")); got.ID != d.ID || got.State != stacks.DeploymentRunning {
		t.Errorf("the same commit made %+v", got)
	}
	if got := y.reasons(id)[1]; got != "changed; covered by the deployment that is running" || y.states(id) != "running" {
		t.Errorf("the reason is %q, deployments are %s", got, y.states(id))
	}
	if got := y.queue(wish(id)); got.ID == d.ID { // a person may know of more than the commit, such as a variable
		t.Errorf("a person's wish was covered by %+v", got)
	}
}

func TestWhatTheDeploymentBeforeDidIsSuperseded(t *testing.T) {
	for name, c := range map[string]struct {
		follower func(core.StackID) stacks.Ask
		state    stacks.DeploymentState
		want     string
		status   stacks.Status
	}{
		"polling asked for the commit that was fetched": {func(id core.StackID) stacks.Ask { return polled(id, "c1") }, stacks.DeploymentSucceeded, "succeeded superseded", stacks.StatusActive},
		"the same, but it failed":                       {func(id core.StackID) stacks.Ask { return polled(id, "c1") }, stacks.DeploymentFailed, "failed superseded", stacks.StatusError},
		"the same, but it was cancelled":                {func(id core.StackID) stacks.Ask { return polled(id, "c1") }, stacks.DeploymentCancelled, "cancelled queued", stacks.StatusPending},
		"polling asked for another":                     {func(id core.StackID) stacks.Ask { return polled(id, "c2") }, stacks.DeploymentSucceeded, "succeeded queued", stacks.StatusPending},
		"a person asked":                                {wish, stacks.DeploymentSucceeded, "succeeded queued", stacks.StatusPending},
		"somebody asked for the commit and to recreate it": {func(id core.StackID) stacks.Ask {
			ask := polled(id, "c1")
			ask.Options.RecreateContainers = true
			return ask
		}, stacks.DeploymentSucceeded, "succeeded queued", stacks.StatusPending},
	} {
		t.Run(name, func(t *testing.T) {
			y := openYard(t)
			id := y.add("web")
			d := y.start(y.queue(wish(id)))
			follower := y.queue(c.follower(id)) // before it is known what the first one fetches
			y.send(d, "c1")
			y.end(d.ID, c.state, observed(healthy...), func(o *stacks.Outcome) { o.Commit = "c1" })
			if got := y.states(id); got != c.want || y.stack(id).Status != c.status {
				t.Errorf("deployments are %s, the stack is %s; want %s, %s", got, y.stack(id).Status, c.want, c.status)
			}
			if got := y.deployment(follower.ID); got.State == stacks.DeploymentSuperseded && (got.FinishedAt.IsZero() || got.Error == "") {
				t.Errorf("it was superseded without a word: %+v", got)
			}
		})
	}
}

func TestQueueAll(t *testing.T) {
	y := openYard(t)
	a, b, doomed := y.add("a"), y.add("b"), y.deployed("c", "c1")
	y.tearDown(doomed)
	before := y.rows()
	y.must(y.QueueAll(t.Context(), nil))
	if after := y.rows(); after != before {
		t.Errorf("nothing wrote %s, was %s", after, before)
	}
	y.must(y.QueueAll(t.Context(), []stacks.Ask{polled(a, "c2"), polled("stk_none", "c2"), polled(doomed, "c2"), polled(b, "c2")}))
	if y.states(a) != "queued" || y.states(b) != "queued" || y.states(doomed) != "succeeded" {
		t.Errorf("deployments are %q, %q, %q", y.states(a), y.states(b), y.states(doomed))
	}
	if n := y.audits("stack.sync"); n != 3 { // one is of the deployment of c
		t.Errorf("%d audit events", n)
	}
}

func TestPollingPassesOverWhatWasDeployedSinceItLooked(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	ask := polled(id, "c1")
	y.start(y.queue(ask)) // a look that began before this was queued has decided the same
	y.must(y.QueueAll(t.Context(), []stacks.Ask{ask}))
	if got := y.states(id); got != "running" {
		t.Errorf("deployments are %q", got)
	}
	y.must(y.QueueAll(t.Context(), []stacks.Ask{polled(id, "c2")}))
	if got := y.states(id); got == "running" {
		t.Error("what changed since is not deployed")
	}
}

func TestStartIsACompareAndSwap(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	d := y.queue(polled(id, "c1"))
	started := y.start(d)
	if started.State != stacks.DeploymentRunning || started.StartedAt != y.at || started.Commit != "" || !reflect.DeepEqual(started, y.deployment(d.ID)) {
		t.Errorf("got %+v", started)
	}
	y.is(id, stacks.StatusSyncing, "")
	before := y.deployment(d.ID)
	for what, id := range map[string]core.DeploymentID{"again": d.ID, "none": "dep_none"} {
		_, err := y.StartDeployment(t.Context(), id)
		y.refused(what, err, "deployment.moved")
	}
	y.end(d.ID, stacks.DeploymentFailed)
	_, err := y.StartDeployment(t.Context(), d.ID)
	y.refused("one that has ended", err, "deployment.moved")
	if got := y.deployment(d.ID); got.StartedAt != before.StartedAt || got.State != stacks.DeploymentFailed {
		t.Errorf("a refused start left %+v", got)
	}
}

func TestProgressIsOfRunningDeploymentsOnly(t *testing.T) {
	y := openYard(t)
	a, b, c := y.add("a"), y.add("b"), y.add("c")
	queued, running, ended := y.queue(wish(a)), y.start(y.queue(wish(b))), y.start(y.queue(wish(c)))
	y.end(ended.ID, stacks.DeploymentFailed)
	phases := []stacks.Phase{{Name: stacks.PhaseFetch, State: stacks.PhaseRunning, StartedAt: y.at, Message: "half"}}
	var progress []stacks.Progress
	var lines []stacks.LogLine
	for _, d := range []stacks.Deployment{queued, running, ended} {
		progress = append(progress, stacks.Progress{Deployment: d.ID, Commit: "c9", Revision: 7, Worker: y.w.ID, Phases: phases})
		lines = append(lines, stacks.LogLine{Deployment: d.ID, Number: 1, At: y.at, Text: "line"})
	}
	before := []stacks.Deployment{queued, y.deployment(ended.ID)}
	y.must(y.SaveProgress(t.Context(), progress, lines))
	if got := y.deployment(running.ID); got.Commit != "c9" || !reflect.DeepEqual(got.Phases, phases) {
		t.Errorf("running is %+v", got)
	}
	if got := y.deployment(running.ID); got.Revision != 0 || got.Worker != "" {
		t.Errorf("progress says that there is a command: %+v", got)
	}
	if after := []stacks.Deployment{y.deployment(queued.ID), y.deployment(ended.ID)}; !reflect.DeepEqual(before, after) {
		t.Errorf("others became %+v", after)
	}
	y.must(y.SaveProgress(t.Context(), []stacks.Progress{{Deployment: "dep_none"}}, []stacks.LogLine{{Deployment: "dep_none", Number: 1}}))
	y.must(y.SaveProgress(t.Context(), nil, nil))
}

func TestDispatchStoresEverythingTogether(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	d := y.start(y.queue(wish(id)))
	cmd := y.command(d)
	phases := []stacks.Phase{{Name: stacks.PhaseFetch, State: stacks.PhaseSucceeded, StartedAt: y.at, DurationMS: 5, Message: "ok"}}
	number, err := y.Dispatch(t.Context(), stacks.Revision{Stack: id, Commit: "c1", Digest: "d1"}, cmd,
		stacks.Progress{Deployment: d.ID, Commit: "c1", Tree: "t1", Phases: phases}, []stacks.LogLine{{Deployment: d.ID, Number: 1, At: y.at, Text: "sent\n"}})
	if err != nil || number != 1 {
		t.Fatalf("revision %d, %v", number, err)
	}
	cmd.Body.Revision = 1
	if got, err := y.Command(t.Context(), y.w.ID, cmd.ID); err != nil || !reflect.DeepEqual(got, cmd) {
		t.Errorf("the command is %+v, %v\nwant %+v", got, err, cmd)
	}
	if got := y.deployment(d.ID); got.Commit != "c1" || got.Tree != "t1" || got.Revision != 1 || got.Worker != y.w.ID || !reflect.DeepEqual(got.Phases, phases) {
		t.Errorf("the deployment is %+v", got)
	}
	if st := y.stack(id); st.Worker != y.w.ID || st.Seen != "c1" || st.SeenTree != "t1" || st.Revision != 0 || st.DeployedTree != "" {
		t.Errorf("the stack is %+v; its revision moves when the worker has succeeded", st)
	}
	if log, err := y.DeploymentLog(t.Context(), d.ID, 0, 10); err != nil || len(log) != 1 {
		t.Errorf("the log is %+v, %v", log, err)
	}
}

func TestDispatchIsRefused(t *testing.T) {
	shop := "shop"
	for name, c := range map[string]struct {
		prepare func(*yard, stacks.Deployment)
		code    string
	}{
		"a second time":     {func(y *yard, d stacks.Deployment) { y.send(d, "c1") }, "deployment.moved"},
		"when it has ended": {func(y *yard, d stacks.Deployment) { y.end(d.ID, stacks.DeploymentFailed) }, "deployment.moved"},
		"when the stack was renamed": {func(y *yard, d stacks.Deployment) {
			_, err := y.UpdateStack(y.t.Context(), d.Stack, stacks.Change{Name: &shop}, someone)
			y.must(err)
		}, "stack.changed"},
		"when the stack was given another worker": {func(y *yard, d stacks.Deployment) {
			_, err := y.UpdateStack(y.t.Context(), d.Stack, stacks.Change{Worker: &y.other.ID}, someone)
			y.must(err)
		}, "stack.changed"},
		"when a row stands in its way": {func(y *yard, d stacks.Deployment) {
			y.exec(y.t, `INSERT INTO commands (id, attempt, worker_id, kind, stack_id, deployment_id, state, epoch, body, deadline_at, created_at, ended_at) VALUES ('cmd_taken', 1, '', '', '', '', '', 0, '{}', 0, 0, 1)`)
		}, "internal.error"},
	} {
		t.Run(name, func(t *testing.T) {
			y := openYard(t)
			d := y.start(y.queue(wish(y.add("web"))))
			cmd := y.command(d)
			cmd.ID = "cmd_taken"
			c.prepare(y, d)
			rows, deployment, stack := y.rows(), y.deployment(d.ID), y.stack(d.Stack)
			_, err := y.Dispatch(t.Context(), stacks.Revision{Stack: d.Stack, Commit: "c9", Digest: "d9"}, cmd,
				stacks.Progress{Deployment: d.ID, Commit: "c9", Tree: "t9"}, []stacks.LogLine{{Deployment: d.ID, Number: 9, Text: "x"}})
			y.refused("dispatch", err, c.code)
			if y.rows() != rows || !reflect.DeepEqual(y.deployment(d.ID), deployment) || !reflect.DeepEqual(y.stack(d.Stack), stack) {
				t.Errorf("a refused dispatch left something: %s, was %s", y.rows(), rows)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	queued := y.queue(wish(id))
	y.tick()
	got, err := y.CancelDeployment(t.Context(), queued.ID, someone)
	if err != nil || got.State != stacks.DeploymentCancelled || got.FinishedAt != y.at || !strings.Contains(got.Error, someone.Name) || !reflect.DeepEqual(got, y.deployment(queued.ID)) {
		t.Errorf("a queued one became %+v, %v", got, err)
	}
	y.is(id, stacks.StatusActive, "")

	running := y.start(y.queue(wish(id)))
	follower := y.queue(wish(id))
	got, err = y.CancelDeployment(t.Context(), running.ID, someone)
	if err != nil || got.State != stacks.DeploymentRunning || !got.Cancelling {
		t.Errorf("a running one became %+v, %v", got, err)
	}
	y.is(id, stacks.StatusSyncing, "")
	if got, err := y.CancelDeployment(t.Context(), follower.ID, someone); err != nil || got.State != stacks.DeploymentCancelled {
		t.Errorf("the one behind it became %+v, %v", got, err)
	}
	y.is(id, stacks.StatusSyncing, "") // the one that runs still does
	if n := y.audits("deployment.cancel"); n != 3 {
		t.Errorf("%d audit events", n)
	}

	y.end(running.ID, stacks.DeploymentCancelled)
	rows := y.rows()
	for what, c := range map[string]struct {
		id   core.DeploymentID
		code string
	}{"one that has ended": {running.ID, "deployment.ended"}, "none": {"dep_none", "deployment.not_found"}} {
		_, err := y.CancelDeployment(t.Context(), c.id, someone)
		y.refused(what, err, c.code)
	}
	if after := y.rows(); after != rows {
		t.Errorf("refused cancels left %s, was %s", after, rows)
	}
}
