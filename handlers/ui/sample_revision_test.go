package ui

import (
	"context"
	"time"

	"berth/core"
	"berth/core/fleet"
	"berth/core/stacks"
)

func (sampleStore) Revisions(context.Context, core.StackID, int, int) ([]stacks.Revision, error) {
	return sampleRevisions(), nil
}

func sampleRevisions() []stacks.Revision {
	var all []stacks.Revision
	for i := range 6 {
		r, _ := sampleStore{}.Revision(context.Background(), "stk_1", 13-i)
		r.Number, r.Commit, r.CreatedAt = 13-i, sampleDeployments()[i].Commit, before(time.Duration(i*i*i+1)*9*time.Minute)
		if i%3 > 0 {
			r.VerifiedAt = r.CreatedAt.Add(time.Minute)
		}
		all = append(all, r)
	}
	return all
}

// healingStack is one with which everything is that can be said about a stack.
func healingStack() stacks.Stack {
	s := sampleStack()
	s.UpdatedAt, s.Paused, s.Drifted, s.OutOfSync, s.RetryAt, s.HealAt = before(70*time.Minute), true, true, true, sampleNow.Add(20*time.Second), sampleNow.Add(4*time.Minute)
	s.Quarantine = stacks.Quarantine{Tree: "t", Commit: "77aa10b2c3d4e5f60718293a4b5c6d7e8f901234", Revision: 13, Deployment: "dep_1", Reason: "compose service api is unhealthy: its health check failed 5 times in a row"}
	s.Error = "compose service db has no container; and 1 more difference"
	s.Drift = []stacks.Difference{
		{Service: "db", Kind: stacks.DifferenceMissing, Text: "compose service db has no container"},
		{Service: "api", Container: "shop-api-1", Kind: stacks.DifferenceChanged, Fields: []string{"image", "memory limit"}, Text: "container shop-api-1 of compose service api was changed by hand: image, memory limit"},
	}
	return s
}

func sampleReasons() []stacks.Reason {
	return []stacks.Reason{
		{Kind: stacks.ReasonField, Name: "image", Before: "registry.example.com/shop/api:2025.11.3@sha256:0d5c", After: "registry.example.com/shop/api:2025.11.4@sha256:77ab"},
		{Kind: stacks.ReasonField, Name: "environment.LOG_LEVEL", After: "debug"},
		{Kind: stacks.ReasonField, Name: "environment.PASSWORD", Before: "(hidden)", After: "(hidden)"},
		{Kind: stacks.ReasonFile, Name: "apps/shop/config/nginx.conf", Before: "sha256:0011223344", After: "sha256:aabbccddee", Diff: sampleFileDiff},
		{Kind: stacks.ReasonFile, Name: "apps/shop/config/logo.png", Before: "sha256:1111223344", After: "sha256:bbbbccddee", Diff: "(binary: 812 bytes become 940)"},
		{Kind: stacks.ReasonVariable, Name: "SESSION_KEY", Before: "another value", After: "a new value"},
		{Kind: stacks.ReasonService, Name: "vpn", Before: "network_mode", After: "recreate"},
	}
}

func samplePlan() planPage {
	p := showPlan(stacks.Plan{Commit: "77aa10b2c3d4e5f60718293a4b5c6d7e8f901234", Current: 12, Worker: "wrk_1", Observed: false, Missing: []string{"SMTP_PASSWORD", "REGION"}, Providers: []string{"TOKEN"},
		Wanted: sampleProject(), Warnings: []string{"compose.yaml: version is obsolete and ignored"}, Services: []stacks.PlannedService{
			{Service: "api", Action: stacks.PlanRecreate, Reasons: sampleReasons()}, {Service: "cache", Action: stacks.PlanCreate, Reasons: []stacks.Reason{{Kind: stacks.ReasonContainer, Name: "container", Before: "missing"}}}, {Service: "db", Action: stacks.PlanLeave},
			{Service: "migrate", Action: stacks.PlanStart, Reasons: []stacks.Reason{{Kind: stacks.ReasonContainer, Name: "shop-migrate-1", Before: "exited", After: "running"}}},
			{Service: "old-worker", Action: stacks.PlanRemove}, {Service: "worker", Action: stacks.PlanScale, Reasons: []stacks.Reason{{Kind: stacks.ReasonField, Name: "scale", Before: "1", After: "3"}}},
		}}, sampleStack())
	p.Worker = "hetzner-fsn-1"
	return p
}

const sampleFileDiff = "@@ line 12 @@\n server {\n     listen 80;\n-    client_max_body_size 1m;\n+    client_max_body_size 16m;\n+    proxy_set_header Authorization (hidden);\n     location / {\n(14 more lines)"

func sampleDiff() []changeGroup {
	return changeGroups([]stacks.RevisionChange{
		{Kind: stacks.ChangeField, Service: "api", Name: "image", Before: "registry.example.com/shop/api:2025.11.3", After: "registry.example.com/shop/api:2025.11.4"},
		{Kind: stacks.ChangeVariable, Service: "api", Name: "SESSION_KEY"}, {Kind: stacks.ChangeFile, Service: "api", Name: "apps/shop/config/nginx.conf", Before: "sha256:0011223344", After: "sha256:aabbccddee", Diff: sampleFileDiff},
		{Kind: stacks.ChangeServiceAdded, Service: "cache", Name: "cache", After: "valkey:8"}, {Kind: stacks.ChangeServiceRemoved, Service: "old-worker", Name: "old-worker", Before: "registry.example.com/shop/worker:2024.1"},
		{Kind: stacks.ChangeField, Name: "networks.default.driver", Before: "bridge"}, {Kind: stacks.ChangeManifest, Name: "deploy.stable_for", Before: "0s", After: "10s"},
	})
}

// elsewhere is the samples' fleet, in which workers can be found.
type elsewhere struct{ sampleFleet }

func (elsewhere) Worker(_ context.Context, id core.WorkerID) (fleet.Worker, error) {
	for _, w := range sampleWorkers() {
		if w.ID == id {
			return w, nil
		}
	}
	return fleet.Worker{}, nil
}

func sampleTransfer() transferPage {
	p, err := newTransferPage(context.Background(), sampleStack(), elsewhere{}, "wrk_3")
	if err != nil {
		panic(err)
	}
	p.Choose.Choose.Hint = "Workers that share the container engine of hetzner-fsn-1 are not offered: the stack would be taken down in both places."
	return p
}

// sampleLargeTransfer is a move within a fleet that is too large to choose from, to a worker that is not there.
func sampleLargeTransfer() transferPage {
	p := sampleTransfer()
	p.Choose.Large, p.Choose.Type = true, input{Name: "worker_id", Label: "Move it to", Kind: "text", Mono: true, Value: "edge-0815", Among: []string{"edge-0001.example.com", "edge-0002.example.com"},
		Problem: `No worker that may be used is called "edge-0815": type its host name as the list of workers has it, or its identifier.`, Focus: true}
	return p
}

func sampleRevision() revisionPage {
	r := sampleRevisions()[3]
	r.Manifest = stacks.DefaultManifest()
	r.Manifest.StableFor, r.Manifest.SelfHeal = 10*time.Second, true
	r.Content = []core.Content{{Source: "apps/shop/config", Files: make([]core.ContentFile, 3)}, {Source: "apps/shop/motd", Files: make([]core.ContentFile, 1)}}
	r.Variables = []stacks.Fingerprint{{Name: "SESSION_KEY"}, {Name: "TOKEN"}}
	p := showRevision(r, sampleStack(), sampleNow)
	p.Compose.Text = "name: shop\nservices:\n  api:\n    image: registry.example.com/shop/api:2025.11.3@sha256:0d5c0d5c0d5c0d5c0d5c0d5c0d5c0d5c\n    environment:\n      SESSION_KEY: ${SESSION_KEY}\n  db:\n    image: postgres:17\n"
	p.With = sampleChoice(r.Number)
	return p
}

func sampleChoice(number int) choice {
	with, err := otherRevisions(visit("admin", "/"), sampleStore{}, sampleStack(), number, 12)
	if err != nil {
		panic(err)
	}
	return with
}

// fallenDeployment is one that failed and has, or has not, put the last good revision back.
func fallenDeployment(state stacks.DeploymentState, restore stacks.RestoreState) deploymentPage {
	d := stacks.Deployment{ID: "dep_1", Stack: "stk_1", State: state, Trigger: stacks.TriggerPoll, Actor: "system", Commit: "77aa10b2c3d4e5f60718293a4b5c6d7e8f901234", Revision: 13, Worker: "wrk_1",
		QueuedAt: before(90 * time.Second), StartedAt: before(89 * time.Second), Restore: stacks.Restore{Revision: 12, State: restore},
		Error: "compose service api is unhealthy: its health check failed 5 times in a row", FailedService: "api",
		FailedLines: "listening on :8080\npanic: relation \"orders\" does not exist\n\ngoroutine 1 [running]:\nmain.main()\n"}
	if restore == stacks.RestoreFailed {
		d.Restore.Error = "the worker's disk is full"
	}
	if state.Ended() {
		d.FinishedAt = before(time.Second)
	}
	s := sampleStack()
	s.Worker = "wrk_3"
	if state == stacks.DeploymentRunning {
		d.Worker = s.Worker
	}
	p := showDeployment(d, s, sampleNow)
	p.History = historyOf([]stacks.DeploymentEvent{
		{Number: 1, At: d.QueuedAt, To: stacks.DeploymentQueued, Cause: "apps/shop changed at commit 77aa10b2"},
		{Number: 2, At: d.StartedAt, From: stacks.DeploymentQueued, To: stacks.DeploymentRunning, Cause: "its turn has come"},
		{Number: 3, At: before(40 * time.Second), From: stacks.DeploymentRunning, To: stacks.DeploymentRunning, Cause: "it is asked to stop", Actor: "ada@example.org"},
		{Number: 4, At: before(30 * time.Second), From: stacks.DeploymentRunning, To: stacks.DeploymentRunning, Cause: "engine.unhealthy: revision 12 is put back"}}, s.Path, sampleNow)
	if err := p.putWorkers(context.Background(), newNames(nil, elsewhere{}), d, s); err != nil {
		panic(err)
	}
	return p
}

// cancelledDeployment is one that was tried again and stopped while it was being applied.
func cancelledDeployment() deploymentPage {
	d := stacks.Deployment{ID: "dep_3", Stack: "stk_1", State: stacks.DeploymentCancelled, Trigger: stacks.TriggerPoll, Actor: "system", RetryOf: "dep_2", Attempt: 2, Commit: "77aa10b2c3d4e5f60718293a4b5c6d7e8f901234",
		Revision: 13, Worker: "wrk_1", QueuedAt: before(90 * time.Second), StartedAt: before(89 * time.Second), FinishedAt: before(time.Second), Cancelling: true, CancelledBy: "ada@example.org", Error: "cancelled"}
	d.Phases = []stacks.Phase{{Name: stacks.PhasePull, State: stacks.PhaseSucceeded, StartedAt: d.StartedAt, DurationMS: 900}, {Name: stacks.PhaseApply, State: stacks.PhaseCancelled, StartedAt: before(88 * time.Second), DurationMS: 87000, Message: "cancelled"}}
	return showDeployment(d, sampleStack(), sampleNow)
}

func supersededDeployment() deploymentPage {
	d := stacks.Deployment{ID: "dep_1", Stack: "stk_1", State: stacks.DeploymentSuperseded, Trigger: stacks.TriggerTransfer, Actor: "ada@example.org", Aim: stacks.Aim{Worker: "wrk_2"},
		Options: stacks.DeployOptions{RecreateContainers: true, RecreateVolumes: true}, QueuedAt: before(time.Hour), FinishedAt: before(time.Hour), Error: "a newer wish took its place: rollback by bob@example.org"}
	p := showDeployment(d, sampleStack(), sampleNow)
	p.Aim = aimWords(d, "rack4-host2")
	return p
}

func revisionSamples() map[string]sample {
	s := healingStack()
	trail := revisionsTrail(s)
	var lines []revisionLine
	for _, r := range sampleRevisions() {
		lines = append(lines, revisionOf(r, s, sampleNow))
	}
	line := lines[3]
	head := headOf(s, nil, tabRevisions)
	deployment := func(p deploymentPage) sample {
		return of(deploymentView, framed(inStacks, "Deployment of shop", trail[:2]...), p)
	}
	return map[string]sample{
		"stack-plan":              of(planView, framed(inStacks, "Plan of shop", trail[:2]...), samplePlan()),
		"stack-plan-none":         of(planView, framed(inStacks, "Plan of shop", trail[:2]...), showPlan(stacks.Plan{Commit: s.Commit, Revision: 12, Current: 12, UpToDate: true, Observed: true, Services: []stacks.PlannedService{{Service: "api", Action: stacks.PlanLeave}}}, s)),
		"stack-plan-broken":       of(planView, framed(inStacks, "Plan of shop", trail[:2]...), planPage{Head: head, Trouble: tellingOf("shop/wireops.yaml has 3 problems:\ndeploy.on_failure: line 7: must be one of keep, rollback\nsync.intervall: line 9: is not a known key; known are interval, self_heal\ntimeout: line 12: must be a duration such as 90s, 3m or 1h, from 1s to 24h")}),
		"stack-transfer":          of(transferView, framed(inStacks, "Transfer shop", trail[:2]...), sampleTransfer()),
		"stack-transfer-large":    of(transferView, framed(inStacks, "Transfer shop", trail[:2]...), sampleLargeTransfer()),
		"stack-transfer-nowhere":  of(transferView, framed(inStacks, "Transfer shop", trail[:2]...), transferPage{Head: head, Worker: "hetzner-fsn-1"}),
		"revision-list":           of(revisionListView, framed(inStacks, "Revisions of shop", trail[:2]...), revisionListPage{Head: head, Lines: lines, More: "/x"}),
		"revision-none":           of(revisionListView, framed(inStacks, "Revisions of shop", trail[:2]...), revisionListPage{Head: head}),
		"revision":                of(revisionView, framed(inStacks, "Revision 10 of shop", trail...), sampleRevision()),
		"revision-diff":           of(diffView, framed(inStacks, "Changes of revision 10 of shop", trail...), diffPage{Head: head, Line: line, Other: 12, Groups: sampleDiff(), With: sampleChoice(10), Rendered: sampleRendered(), Sourced: true, SourceMore: true, Source: []changeLine{sampleRendered(), {Name: "apps/shop/secrets.yaml", Remark: "it has changed; secrets files are not shown"}, {Name: "apps/shop/a.conf", Text: "is new"}}}),
		"revision-diff-none":      of(diffView, framed(inStacks, "Changes of revision 10 of shop", trail...), diffPage{Head: head, Line: line, Other: 9}),
		"revision-rollback":       of(rollbackView, framed(inStacks, "Roll shop back", trail...), rollbackPage{Head: head, Line: line, Current: 12, Known: true, Groups: sampleDiff()}),
		"deployment-restoring":    deployment(fallenDeployment(stacks.DeploymentRunning, stacks.RestoreRunning)),
		"deployment-rolled-back":  deployment(fallenDeployment(stacks.DeploymentRolledBack, stacks.RestoreSucceeded)),
		"deployment-not-restored": deployment(fallenDeployment(stacks.DeploymentFailed, stacks.RestoreFailed)),
		"deployment-cancelled":    deployment(cancelledDeployment()),
		"revision-diff-first":     of(diffView, framed(inStacks, "Changes of revision 1 of shop", trail...), diffPage{Head: head, Line: revisionLine{Number: 1, Href: "/x"}}),
		"deployment-superseded":   deployment(supersededDeployment()),
	}
}

func sampleRendered() changeLine {
	line := changeLine{Name: "the rendered Compose file"}
	line.putDiff("@@ line 12 @@\n     environment:\n-      LOG_LEVEL: info\n+      LOG_LEVEL: debug\n       TOKEN: ${TOKEN}\n-    image: shop:1\n+    image: registry.example.com/team/shop@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n(3 more lines)")
	return line
}
