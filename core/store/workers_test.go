package store_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/stacks"
	"berth/core/store"
)

// fleetRoom is a store with one repository, and the raw database beside it.
type fleetRoom struct {
	*store.Store
	db  *store.DB
	raw *store.DB
	at  time.Time
}

func openFleet(t testing.TB) *fleetRoom {
	t.Helper()
	db, raw := migrated(t)
	r := &fleetRoom{db: db, raw: raw, at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	store.Overhear(db, overheard.add)
	r.Store = store.New(db, func() time.Time { return r.at })
	r.exec(t, `INSERT INTO repositories (id, name, url, branch, head, fetched_at, error_code, error, asked_at, asked_by, created_at, updated_at)
		VALUES ('rep_1', 'demo', 'http://git.example/demo', 'main', '', 0, '', '', 0, '', 0, 0)`)
	return r
}

func (r *fleetRoom) exec(t testing.TB, query string, args ...any) {
	t.Helper()
	if err := execute(t, r.raw, query, args...); err != nil {
		t.Fatal(err)
	}
}

func (r *fleetRoom) count(t *testing.T, query string, args ...any) int {
	t.Helper()
	return number(t, r.raw, query, args...)
}

var someone = access.Principal{Kind: access.KindUser, ID: "usr_1", Name: "ada@example.org", Role: access.RoleAdmin}

// worker registers a worker with a token of its own.
func (r *fleetRoom) worker(t *testing.T, host string, tags ...string) fleet.Worker {
	t.Helper()
	token := fleet.Token{ID: core.WorkerTokenID(core.NewID(core.PrefixWorkerToken, r.at)), CreatedAt: r.at, ExpiresAt: r.at.Add(time.Hour)}
	if err := r.AddWorkerToken(t.Context(), token, []byte("mac"), someone.Audit("worker_token.create", string(token.ID), "")); err != nil {
		t.Fatal(err)
	}
	w := fleet.Worker{ID: core.WorkerID(core.NewID(core.PrefixWorker, r.at)), TokenID: token.ID, Hostname: host, Tags: append([]string{}, tags...),
		Version: "1", OS: "linux", Arch: "amd64", CreatedAt: r.at}
	var key [32]byte
	rand.Read(key[:])
	r.at = r.at.Add(time.Millisecond) // ids sort by age
	stored, err := r.EnrolWorker(t.Context(), token.ID, func(fleet.Held) (fleet.Enrolment, error) {
		return fleet.Enrolment{Worker: w, Key: key, First: true, Audit: someone.Audit("worker.enrol", string(w.ID), "")}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

// running makes a stack on a worker with a deployment whose command is in the given state.
func (r *fleetRoom) running(t *testing.T, name string, w fleet.Worker, state stacks.CommandState) (core.StackID, core.DeploymentID) {
	t.Helper()
	id := core.StackID(core.NewID(core.PrefixStack, r.at))
	ask := stacks.Ask{Stack: id, Trigger: stacks.TriggerManual, Actor: "ada", Reason: "asked"}
	_, d, err := r.CreateStack(t.Context(), stacks.Stack{ID: id, Name: name, Repository: "rep_1", WorkerTags: []string{}}, &ask, someone)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.StartDeployment(t.Context(), d.ID); err != nil {
		t.Fatal(err)
	}
	cmd := stacks.Command{ID: core.CommandID(core.NewID(core.PrefixCommand, r.at)), Attempt: 1, Worker: w.ID, Kind: stacks.CommandDeploy, Stack: id,
		Deployment: d.ID, State: state, CreatedAt: r.at, Body: stacks.CommandBody{Project: name}}
	progress := stacks.Progress{Deployment: d.ID, Commit: "c0ffee", Worker: w.ID,
		Phases: []stacks.Phase{{Name: stacks.PhaseFetch, State: stacks.PhaseSucceeded}, {Name: stacks.PhaseApply, State: stacks.PhaseRunning, StartedAt: r.at}}}
	if _, err := r.Dispatch(t.Context(), stacks.Revision{Stack: id, Commit: "c0ffee", Digest: name, CreatedAt: r.at}, cmd, progress, nil); err != nil {
		t.Fatal(err)
	}
	return id, d.ID
}

func TestRevocationSettlesWhatTheWorkerWillNeverAnswer(t *testing.T) {
	r := openFleet(t)
	w, other := r.worker(t, "web-1"), r.worker(t, "web-2")
	_, unsent := r.running(t, "unsent", w, stacks.CommandQueued)
	sentStack, sent := r.running(t, "sent", w, stacks.CommandAccepted)
	_, foreign := r.running(t, "foreign", other, stacks.CommandAccepted)
	doomed, _ := r.running(t, "doomed", w, stacks.CommandAccepted)
	if _, err := r.EndDeployment(t.Context(), stacks.Outcome{Deployment: deploymentOf(t, r, doomed), State: stacks.DeploymentSucceeded, At: r.at}, nil); err != nil {
		t.Fatal(err)
	}
	if gone, err := r.DeleteStack(t.Context(), doomed, true, false, someone); err != nil || gone {
		t.Fatalf("delete with teardown: gone %v, %v", gone, err)
	}
	epoch, err := r.WorkerConnected(t.Context(), w.ID, fleet.Facts{Hostname: "web-1", Tags: []string{}, Version: "1", OS: "linux", Arch: "amd64"})
	if err != nil {
		t.Fatal(err)
	}
	revoked, err := r.RevokeWorker(t.Context(), w.ID, someone.Audit("worker.revoke", string(w.ID), ""))
	if err != nil || !revoked.Revoked || revoked.Online || revoked.Epoch <= epoch {
		t.Fatalf("revoked %+v, %v; want a higher epoch than %d", revoked, err, epoch)
	}
	if n := r.count(t, `SELECT count(*) FROM commands WHERE worker_id = ? AND ended_at = 0`, w.ID); n != 0 {
		t.Errorf("%d commands are still open", n)
	}
	for id, want := range map[core.DeploymentID]stacks.DeploymentState{unsent: stacks.DeploymentFailed, sent: stacks.DeploymentLost, foreign: stacks.DeploymentRunning} {
		d, err := r.Deployment(t.Context(), id)
		if err != nil || d.State != want {
			t.Errorf("deployment is %s, %v; want %s", d.State, err, want)
		}
		if want != stacks.DeploymentRunning && (!strings.Contains(d.Error, "web-1 was revoked") || d.Phases[1].State != stacks.PhaseFailed) {
			t.Errorf("deployment says %q with phases %v", d.Error, d.Phases)
		}
	}
	if st, err := r.Stack(t.Context(), sentStack); err != nil || st.Status != stacks.StatusError {
		t.Errorf("a stack whose deployment was lost is %s, %v", st.Status, err)
	}
	if st, err := r.Stack(t.Context(), doomed); err != nil || st.Deleting || !strings.Contains(st.Error, "teardown failed") {
		t.Errorf("a stack that was being torn down must be deletable again: %+v, %v", st, err)
	}
	audits := r.count(t, `SELECT count(*) FROM audit_events WHERE action = 'worker.revoke'`)
	if again, err := r.RevokeWorker(t.Context(), w.ID, someone.Audit("worker.revoke", string(w.ID), "")); err != nil || again.Epoch != revoked.Epoch {
		t.Errorf("revoking again: %+v, %v", again, err)
	}
	if n := r.count(t, `SELECT count(*) FROM audit_events WHERE action = 'worker.revoke'`); n != audits || n != 1 {
		t.Errorf("%d audit events, want 1", n)
	}
}

func deploymentOf(t *testing.T, r *fleetRoom, id core.StackID) core.DeploymentID {
	t.Helper()
	list, err := r.Deployments(t.Context(), stacks.DeploymentFilter{Stack: id}, core.Page{Limit: 1})
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("deployments of %s: %v, %v", id, list.Items, err)
	}
	return list.Items[0].ID
}

func TestAWorkerWithStacksIsNotDeleted(t *testing.T) {
	r := openFleet(t)
	w := r.worker(t, "web-1")
	for i := range 12 {
		r.running(t, fmt.Sprintf("stack-%02d", i), w, stacks.CommandAccepted)
	}
	err := r.DeleteWorker(t.Context(), w.ID, someone.Audit("worker.delete", string(w.ID), ""))
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "stack-00, stack-01") || !strings.Contains(err.Error(), "stack-09 and 2 more") {
		t.Errorf("got %v", err)
	}
	if n := r.count(t, `SELECT count(*) FROM commands WHERE ended_at = 0`); n != 12 {
		t.Errorf("a refused deletion left %d of 12 commands open", n)
	}
	if got, err := r.Worker(t.Context(), w.ID); err != nil || got.Stacks != 12 {
		t.Errorf("%d stacks, %v", got.Stacks, err)
	}
}

func TestDeletionTakesTheTokenAlong(t *testing.T) {
	r := openFleet(t)
	w := r.worker(t, "web-1")
	if err := r.DeleteWorker(t.Context(), w.ID, someone.Audit("worker.delete", string(w.ID), "")); err != nil {
		t.Fatal(err)
	}
	if n := r.count(t, `SELECT count(*) FROM worker_tokens`); n != 0 {
		t.Errorf("%d tokens are left", n)
	}
	if n := r.count(t, `SELECT count(*) FROM audit_events WHERE action = 'worker.delete'`); n != 1 {
		t.Errorf("%d audit events", n)
	}
	err := r.DeleteWorker(t.Context(), w.ID, access.AuditEvent{})
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("deleting again: %v", err)
	}
}

func TestWorkersAreFiltered(t *testing.T) {
	r := openFleet(t)
	a, b, c := r.worker(t, "a", "eu", "gpu_a"), r.worker(t, "b", "gpuxa"), r.worker(t, "c", "eu")
	if _, err := r.WorkerConnected(t.Context(), a.ID, fleet.Facts{Hostname: "a", Tags: a.Tags, Version: "1", OS: "linux", Arch: "amd64"}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.RevokeWorker(t.Context(), c.ID, someone.Audit("worker.revoke", string(c.ID), "")); err != nil {
		t.Fatal(err)
	}
	yes, no := true, false
	for name, f := range map[string]struct {
		filter fleet.Filter
		want   string
	}{
		"none":                      {fleet.Filter{}, "abc"},
		"online":                    {fleet.Filter{Online: &yes}, "a"},
		"offline":                   {fleet.Filter{Online: &no}, "bc"},
		"revoked":                   {fleet.Filter{Revoked: &yes}, "c"},
		"usable":                    {fleet.Filter{Revoked: &no}, "ab"},
		"a tag":                     {fleet.Filter{Tag: "eu"}, "ac"},
		"an underscore is no joker": {fleet.Filter{Tag: "gpu_a"}, "a"},
		"a part of a tag is none":   {fleet.Filter{Tag: "gpu"}, ""},
		"a part of a name":          {fleet.Filter{Search: "B"}, "b"},
		"two at once":               {fleet.Filter{Tag: "eu", Revoked: &yes}, "c"},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := r.Workers(t.Context(), f.filter, core.Page{Limit: 10})
			got := ""
			for _, w := range list.Items {
				got += w.Hostname
			}
			if err != nil || got != f.want {
				t.Errorf("got %q, %v; want %q", got, err, f.want)
			}
		})
	}
	usable, err := r.UsableWorkers(t.Context())
	if err != nil || len(usable) != 2 || usable[0].ID != a.ID || !usable[0].Online || usable[1].ID != b.ID {
		t.Errorf("usable are %v, %v", usable, err)
	}
	first, err := r.Workers(t.Context(), fleet.Filter{}, core.Page{Limit: 2})
	if err != nil || len(first.Items) != 2 || first.Next != string(b.ID) {
		t.Fatalf("first page: %v, next %q, %v", first.Items, first.Next, err)
	}
	rest, err := r.Workers(t.Context(), fleet.Filter{}, core.Page{Limit: 2, After: first.Next})
	if err != nil || len(rest.Items) != 1 || rest.Items[0].ID != c.ID || rest.Next != "" {
		t.Errorf("second page: %v, next %q, %v", rest.Items, rest.Next, err)
	}
}

func TestTokensThatWereNeverUsedAreDroppedLongAfterTheyExpired(t *testing.T) {
	r := openFleet(t)
	add := func() core.WorkerTokenID {
		token := fleet.Token{ID: core.WorkerTokenID(core.NewID(core.PrefixWorkerToken, r.at)), CreatedAt: r.at, ExpiresAt: r.at.Add(time.Hour)}
		if err := r.AddWorkerToken(t.Context(), token, []byte("mac"), someone.Audit("worker_token.create", string(token.ID), "")); err != nil {
			t.Fatal(err)
		}
		return token.ID
	}
	used := r.worker(t, "web-1")
	old := add()
	r.at = r.at.Add(29 * 24 * time.Hour)
	add()
	if _, err := r.HeldWorkerToken(t.Context(), old); err != nil {
		t.Errorf("dropped too early: %v", err)
	}
	r.at = r.at.Add(2 * 24 * time.Hour)
	add()
	if _, err := r.HeldWorkerToken(t.Context(), old); !fault.Is(err, fault.NotFound) {
		t.Errorf("still there: %v", err)
	}
	if held, err := r.HeldWorkerToken(t.Context(), used.TokenID); err != nil || held.Worker.ID != used.ID {
		t.Errorf("a token in use must stay: %v", err)
	}
}
