package store_test

import (
	"fmt"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/core/store"
)

// Rows by the hundred, made in one statement each; i runs from 1 to n.
const (
	manySessions = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO sessions (id, user_id, mac, created_at, expires_at) SELECT printf('ses_%06d', i), 'usr_1', x'00', 0, ? FROM n`
	manyAudits = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO audit_events (id, at, actor_kind, actor_id, actor_name, address, action, resource, detail) SELECT printf('old_%06d', i), ?, '', '', '', '', 'old', '', '' FROM n`
	manyCommands = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO commands (id, attempt, worker_id, kind, stack_id, deployment_id, state, epoch, body, deadline_at, created_at, ended_at)
		SELECT printf('cmd_%06d', i), 1, 'wrk_none', 'deploy', '', '', 'failed', 0, '{}', 0, 0, ? FROM n`
	manyDeployments = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
		INSERT INTO deployments (id, stack_id, state, trigger, actor, commit_hash, revision, worker_id, options, phases, error_code, error, tree, cancelling, queued_at, started_at, finished_at)
		SELECT printf('dep_%06d_', i) || ?1, ?1, 'failed', 'poll', '', '', 0, '', '{}', '[]', '', '', '', 0, 0, 0, 1 FROM n`
)

// prune runs Prune until it is done and returns how often it ran.
func (y *yard) prune() (rounds int) {
	y.t.Helper()
	for rounds = 1; rounds < 100; rounds++ {
		more, err := y.Prune(y.t.Context(), y.at)
		y.must(err)
		if !more {
			return rounds
		}
	}
	y.t.Fatal("it never ends")
	return 0
}

func TestPruneKeepsWhatRetentionAllows(t *testing.T) {
	y := openYard(t)
	y.exec(t, `INSERT INTO users (id, email, name, role, password, disabled, created_at, updated_at) VALUES ('usr_1', 'a@b', 'a', 'admin', '', 0, 0, 0)`)
	old := func(d time.Duration) int64 { return y.at.Add(-d).UnixMicro() }
	for name, c := range map[string]struct {
		insert string
		goes   int64 // the time at which the row goes
		stays  int64 // and at which it stays
		count  string
	}{
		"sessions that have expired": {`INSERT INTO sessions (id, user_id, mac, created_at, expires_at) VALUES (?, 'usr_1', x'00', 0, ?)`,
			old(time.Microsecond), old(0), `SELECT count(*) FROM sessions WHERE id = ?`},
		"audit events older than a year": {`INSERT INTO audit_events (id, at, actor_kind, actor_id, actor_name, address, action, resource, detail) VALUES (?, ?, '', '', '', '', '', '', '')`,
			old(store.KeptAudit + time.Microsecond), old(store.KeptAudit), `SELECT count(*) FROM audit_events WHERE id = ?`},
		"commands that ended a week ago": {`INSERT INTO commands (id, attempt, worker_id, kind, stack_id, deployment_id, state, epoch, body, deadline_at, created_at, ended_at)
			VALUES (?, 1, 'wrk_none', 'deploy', '', '', 'failed', 0, '{}', 0, 0, ?)`,
			old(store.KeptCommands + time.Microsecond), old(store.KeptCommands), `SELECT count(*) FROM commands WHERE id = ?`},
	} {
		y.exec(t, c.insert, "goes "+name, c.goes)
		y.exec(t, c.insert, "stays "+name, c.stays)
		if rounds := y.prune(); rounds != 1 {
			t.Errorf("%s: it took %d rounds", name, rounds)
		}
		if y.count(t, c.count, "goes "+name) != 0 || y.count(t, c.count, "stays "+name) != 1 {
			t.Errorf("%s: %d and %d are left, want 0 and 1", name, y.count(t, c.count, "goes "+name), y.count(t, c.count, "stays "+name))
		}
	}
	y.exec(t, `INSERT INTO commands (id, attempt, worker_id, kind, stack_id, deployment_id, state, epoch, body, deadline_at, created_at, ended_at)
		VALUES ('open', 1, 'wrk_none', 'deploy', '', '', 'sent', 0, '{}', 0, 0, 0)`)
	y.prune()
	if y.count(t, `SELECT count(*) FROM commands WHERE id = 'open'`) != 1 {
		t.Error("a command that has not ended is gone")
	}
}

func TestPruneTakesBoundedSteps(t *testing.T) {
	y := openYard(t)
	y.exec(t, `INSERT INTO users (id, email, name, role, password, disabled, created_at, updated_at) VALUES ('usr_1', 'a@b', 'a', 'admin', '', 0, 0, 0)`)
	for name, query := range map[string]string{"sessions": manySessions, "audit_events": manyAudits, "commands": manyCommands} {
		for n, rounds := range map[int]int{store.PruneStep - 1: 1, store.PruneStep: 2, 2*store.PruneStep + 1: 3} {
			y.exec(t, query, n, 1)
			before := y.count(t, `SELECT count(*) FROM `+name)
			more, err := y.Prune(t.Context(), y.at)
			y.must(err)
			if gone := before - y.count(t, `SELECT count(*) FROM `+name); gone != min(n, store.PruneStep) || more != (n >= store.PruneStep) {
				t.Errorf("%d %s: one step took %d, more is %v", n, name, gone, more)
			}
			got := 1
			if more {
				got += y.prune()
			}
			if got != rounds || y.count(t, `SELECT count(*) FROM `+name) != before-n {
				t.Errorf("%d %s: gone after %d rounds, want %d", n, name, got, rounds)
			}
		}
	}
}

func TestPruneKeepsTheNewestDeploymentsOfEachStack(t *testing.T) {
	y := openYard(t)
	busy, calm := y.add("busy"), y.add("calm")
	y.exec(t, manyDeployments, busy, store.KeptDeployments+3)
	y.exec(t, manyDeployments, calm, 3)
	y.exec(t, `INSERT INTO deployment_log (deployment_id, number, at, text) SELECT id, 1, 0, 'x' FROM deployments`)
	// Identifiers that sort before those of today, as after a clock was set back.
	y.exec(t, `UPDATE deployments SET state = 'queued' WHERE id = 'dep_000001_' || ?`, busy)
	y.prune()
	if n := len(y.ids(busy)); n != store.KeptDeployments+1 {
		t.Errorf("%d deployments are kept", n)
	}
	ids := y.ids(busy)
	if first, second := string(ids[0]), string(ids[1]); first != fmt.Sprint("dep_000001_", busy) || second != fmt.Sprint("dep_000004_", busy) {
		t.Errorf("the oldest are %s and %s; want the one that is queued and the fourth", first, second)
	}
	if n := len(y.ids(calm)); n != 3 {
		t.Errorf("another stack has %d", n)
	}
	if n := y.count(t, `SELECT count(*) FROM deployment_log`); n != store.KeptDeployments+4 {
		t.Errorf("%d logs are kept", n)
	}
}

// ids are those of a stack's deployments, oldest first.
func (y *yard) ids(id core.StackID) (ids []core.DeploymentID) {
	y.t.Helper()
	for after := ""; ; {
		list, err := y.Deployments(y.t.Context(), stacks.DeploymentFilter{Stack: id}, core.Page{After: after, Limit: 100})
		y.must(err)
		for _, d := range list.Items {
			ids = append([]core.DeploymentID{d.ID}, ids...)
		}
		if after = list.Next; after == "" {
			return ids
		}
	}
}

func TestDeploymentLog(t *testing.T) {
	y := openYard(t)
	d := y.start(y.queue(wish(y.add("web"))))
	other := y.start(y.queue(wish(y.add("blog"))))
	line := func(number uint64, text string) stacks.LogLine {
		return stacks.LogLine{Deployment: d.ID, Number: number, At: y.at, Text: text}
	}
	if n, err := y.LastLogNumber(t.Context(), d.ID); err != nil || n != 0 {
		t.Errorf("the last of nothing is %d, %v", n, err)
	}
	y.must(y.SaveProgress(t.Context(), nil, []stacks.LogLine{line(2, "two"), line(1, "one\nmore\n"), line(10, "ten"), {Deployment: other.ID, Number: 3, Text: "other"}}))
	y.must(y.SaveProgress(t.Context(), nil, []stacks.LogLine{line(2, "another two"), line(3, "")})) // repeated after a commit whose answer was lost
	read := func(after uint64, limit int) string {
		log, err := y.DeploymentLog(t.Context(), d.ID, after, limit)
		y.must(err)
		text := ""
		for _, l := range log {
			if l.Deployment != d.ID || l.At != y.at {
				t.Errorf("got %+v", l)
			}
			text += fmt.Sprintf("%d:%s|", l.Number, l.Text)
		}
		return text
	}
	for got, want := range map[string]string{
		read(0, 10): "1:one\nmore\n|2:two|3:|10:ten|", read(0, 2): "1:one\nmore\n|2:two|", read(2, 2): "3:|10:ten|", read(9, 5): "10:ten|", read(10, 5): "",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if n, err := y.LastLogNumber(t.Context(), d.ID); err != nil || n != 10 {
		t.Errorf("the last is %d, %v", n, err)
	}
}
