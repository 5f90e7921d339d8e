package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/notify"
	"berth/core/outbox"
	"berth/core/stacks"
)

func (y *yard) wrong() string {
	y.t.Helper()
	current, _, err := y.Problems(y.t.Context())
	y.must(err)
	var all []string
	for _, p := range current {
		all = append(all, string(p.Kind)+" "+p.Name)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func TestWhatIsWrongIsReadOffTheState(t *testing.T) {
	y := openYard(t)
	web, blog := y.deployed("web", "c1"), y.deployed("blog", "c1")
	is := func(when, want string) {
		t.Helper()
		if got := y.wrong(); got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	is("all is well", "")
	d := y.start(y.queue(wish(web)))
	is("while a deployment runs", "")
	y.end(d.ID, stacks.DeploymentFailed)
	is("after it has failed", "deployment_failed web")
	y.end(y.start(y.queue(wish(blog))).ID, stacks.DeploymentFailed, func(o *stacks.Outcome) { o.ErrorCode, o.Error = "secret.unresolved", "vault does not answer" })
	is("for want of secrets", "deployment_failed web, secret_backend blog")
	y.exec(t, `UPDATE stacks SET drifted = 1, worker_tags = '["eu"]' WHERE name = 'blog'`)
	is("one drifted", "deployment_failed web, drifted blog, secret_backend blog")
	y.exec(t, `UPDATE deployments SET state = 'rolled_back' WHERE stack_id = ? AND state = 'failed'`, web)
	is("one was put back", "deployment_restored web, drifted blog, secret_backend blog")
	y.exec(t, `UPDATE stacks SET drifted = 0`)
	y.exec(t, `DELETE FROM deployments WHERE state <> 'succeeded'`)
	run := y.fired(y.dueJob("nightly"))
	y.endRun(run, jobs.RunFailed)
	y.exec(t, `UPDATE jobs SET missed = 1, missed_at = ?`, y.at.UnixMicro())
	is("a job failed and missed a time", "job_failed nightly, job_missed nightly")
	y.exec(t, `UPDATE jobs SET last_state = 'succeeded', missed_at = 1`)
	is("it succeeded, and the time is long ago", "")
	y.exec(t, `UPDATE repositories SET error_code = 'repository.unreachable', error = 'the host does not answer' WHERE name = (SELECT min(name) FROM repositories)`)
	if current, _, err := y.Problems(t.Context()); err != nil || len(current) != 1 || current[0].Kind != notify.RepositoryUnread || current[0].Detail != "the host does not answer" || !strings.HasPrefix(current[0].Path, "/repositories/") {
		t.Errorf("of a repository that cannot be read: %+v, %v", current, err)
	}
	y.exec(t, `UPDATE repositories SET error_code = '', error = ''`)
	is("it can be read again", "")
	y.exec(t, `UPDATE workers SET connected_at = 5, left_at = 6 WHERE id = ?`, y.w.ID)
	y.exec(t, `UPDATE workers SET tags = '["eu"]'`)
	current, _, err := y.Problems(t.Context())
	if err != nil || len(current) != 1 || current[0].Kind != notify.WorkerAway || current[0].Name != "web-1" || current[0].Tags[0] != "eu" || !strings.Contains(current[0].Detail, "deployments to it wait") {
		t.Errorf("%+v, %v", current, err)
	}
}

func TestWhatIsToldIsKnownWithItsMessages(t *testing.T) {
	y := openYard(t)
	web := y.deployed("web", "c1")
	y.end(y.start(y.queue(wish(web))).ID, stacks.DeploymentFailed)
	tell := func(letters []outbox.Letter, err error) error {
		return y.TellNotices(t.Context(), func(current []notify.Problem, known []notify.Known) (notify.Step, []outbox.Letter, error) {
			return notify.Judge(y.at, current, known), letters, err
		})
	}
	known := func() []notify.Known {
		_, known, err := y.Problems(t.Context())
		y.must(err)
		return known
	}
	y.must(tell(nil, nil))
	if k := known(); len(k) != 1 || k[0].Name != "web" || !k[0].ToldAt.IsZero() || !k[0].Since.Equal(y.at.Truncate(time.Microsecond)) {
		t.Fatalf("%+v", k)
	}
	y.at = y.at.Add(time.Minute)
	l := outbox.Letter{ID: "ltr_1", Kind: outbox.Notice, State: outbox.Waiting, CreatedAt: y.at, NextAt: y.at, GiveUpAt: y.at}
	if err := tell([]outbox.Letter{l}, fault.New(fault.Internal, "", "no")); err == nil || !known()[0].ToldAt.IsZero() {
		t.Errorf("without its message it counts as told: %v", err)
	}
	y.must(tell([]outbox.Letter{l}, nil))
	if k := known(); k[0].ToldAt.IsZero() {
		t.Error("it is not known that it was told")
	}
	if got, err := y.Letter(t.Context(), "ltr_1"); err != nil || got.Kind != outbox.Notice {
		t.Errorf("%+v, %v", got, err)
	}
	y.exec(t, `UPDATE deployments SET state = 'succeeded'`)
	y.must(tell(nil, nil))
	y.at = y.at.Add(time.Minute)
	y.must(tell(nil, nil))
	if k := known(); len(k) != 0 {
		t.Errorf("it is over, and known: %+v", k)
	}
	y.exec(t, `UPDATE deployments SET state = 'failed'`)
	y.must(tell(nil, nil))
	y.must(y.ForgetProblems(t.Context()))
	if k := known(); len(k) != 0 {
		t.Errorf("nobody is to be told, and it is known: %+v", k)
	}
}
