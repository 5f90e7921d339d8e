package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/seal"
	"berth/core/stacks"
	"berth/core/store"
	"berth/local/stand/pgserver"
)

// wholeYard is an installation with rows in every table, some of them awkward.
func wholeYard(t *testing.T) *yard {
	t.Helper()
	y := openYard(t)
	for _, name := range []string{"web", "blog", "it's"} {
		id := y.deployed(name, "c1")
		y.litter(id)
		y.queue(wish(id))
	}
	d := y.history(y.add("odd"))
	if len(d) != 0 {
		t.Fatal("a new stack has a history")
	}
	gone := y.fired(y.dueJob("gone"))
	y.endRun(gone, jobs.RunSucceeded)
	y.must(y.DeleteJob(t.Context(), gone.Job, someone))
	run := y.fired(y.dueJob("backup"))
	if _, err := y.QueueRun(t.Context(), jobs.Run{ID: "run_1", Job: run.Job, Overrides: []string{"A"}}, envelope(t), someone); err != nil {
		t.Fatal(err)
	}
	y.must(y.SaveRunLog(t.Context(), nil, []jobs.LogPiece{{Run: run.ID, Number: 1, At: y.at, Text: "it's\nünï 😀"}}))
	y.must(y.PutRevisionFile(t.Context(), "blobs/empty", nil, false))
	y.must(y.PutRevisionFile(t.Context(), "blobs/long", []byte(strings.Repeat("\x00\xff'\\", 400_000)), false))
	y.must(y.AddKeyRing(t.Context(), []seal.WrappedKey{{Number: 1, Wrapped: []byte{0, 1, 0xff}, Active: true}}, []byte("check")))
	for _, insert := range []string{
		`INSERT INTO settings (name, value) VALUES ('ünï 😀', '')`,
		`INSERT INTO users (id, email, name, role, password, disabled, created_at, updated_at) VALUES ('usr_1', 'a@b', '', 'admin', 'hash', 1, 9223372036854775807, -1)`,
		`INSERT INTO invitations (id, email, role, mac, invited_by, by_name, created_at, expires_at) VALUES ('inv_1', 'c@d', 'viewer', x'00', 'usr_1', 'a@b', 0, 1)`,
		`INSERT INTO second_factors (user_id, sealed, step, created_at) VALUES ('usr_1', x'00', 1, 1)`,
		`INSERT INTO oidc_identities (issuer, subject, user_id, made, created_at) VALUES ('https://id.example', 'ada', 'usr_1', 1, 1)`,
		`INSERT INTO recovery_codes (user_id, mac) VALUES ('usr_1', x'00')`,
		`INSERT INTO password_resets (id, user_id, mac, by_name, created_at, expires_at) VALUES ('rst_1', 'usr_1', x'00', 'a@b', 0, 1)`,
		`INSERT INTO sessions (id, user_id, mac, created_at, expires_at) VALUES ('ses_1', 'usr_1', x'00', 0, 0)`,
		`INSERT INTO service_accounts (id, name, role, disabled, created_at, updated_at) VALUES ('sva_1', 'a', 'viewer', 0, 0, 0)`,
		`INSERT INTO api_keys (id, account_id, name, mac, created_at, expires_at) VALUES ('key_1', 'sva_1', '', x'00', 0, 0)`,
		`INSERT INTO credentials (id, name, type, host, username, sealed, created_at) VALUES ('crd_1', 'k', 'https', 'h', 'u', x'00', 0)`,
		`INSERT INTO spent_states (nonce, expires_at) VALUES ('00ff', 1)`,
		`UPDATE repositories SET credential_id = 'crd_1'`,
		`INSERT INTO ssh_hosts (address, keys, accepted_at, accepted_by) VALUES ('h:22', '[]', 0, 'ada')`,
		`INSERT INTO repository_events (id, repository_id, at, kind, text, commit_hash, ref) SELECT 'rev_1', id, 1, 'version', 'ünï', 'c1', 'refs/tags/v1.0.0' FROM repositories`,
		`INSERT INTO commit_statuses (deployment_id, state, attempts, next_at) SELECT id, 'pending', 1, 2 FROM deployments`,
		`INSERT INTO followed_folders (repository_id, kind, path, state, problem, since) SELECT id, 'stack', 'ünï', 'refused', 'p', 1 FROM repositories`,
		`INSERT INTO folder_proposals (thing_id, repository_id, kind, path, moved_to, commit_hash, problem, since) SELECT 'stk_ü', id, 'stack', 'a', 'b', 'c1', '', 1 FROM repositories`,
		`INSERT INTO webhook_secrets (id, repository_id, sealed, made_at, made_by) SELECT 'whs_1', id, x'00', 1, 'ünï' FROM repositories`,
		`INSERT INTO webhook_deliveries (id, repository_id, provider, host_id, digest, event, ref, commit_hash, result, reason, received_at, replay_of, repeats, repeated_at, looked_at, outcome)
			SELECT 'whd_1', id, 'github', 'guid', '', 'push', 'refs/heads/ü', 'c1', 'accepted', '', 1, '', 2, 3, 4, '' FROM repositories`,
		`INSERT INTO delivered (stack_id, revision, prints, rotation) SELECT id, 1, '{"A":"x"}', '{}' FROM stacks WHERE name = 'web'`,
		`INSERT INTO notice_problems (kind, subject, version, problem, since, told_at, gone_at) VALUES ('drifted', 'stk_1', '', '{}', 1, 2, 0)`,
		`INSERT INTO outbox (id, kind, recipient, about, sealed, state, created_at, next_at, give_up_at) VALUES ('ltr_1', 'mail', 'ü@x', 'invitation', x'00', 'waiting', 1, 2, 3)`,
		`INSERT INTO policies (worker_id, rules, changed_by, updated_at) VALUES ('', '{"allow":{"images":[]}}', 'ünï', 1)`,
		`INSERT INTO integrations (slug, enabled, settings, sealed, version, updated_at) VALUES ('vault', 1, '{"address":"ü"}', x'00', 3, 0)`,
	} {
		y.exec(t, insert)
	}
	return y
}

// held are the rows of every table that counts, as Copy sees them.
func held(t *testing.T, db *store.DB) (all []string) {
	t.Helper()
	for _, table := range store.CopiedTables() {
		all = append(all, table+" "+store.SumOf(t.Context(), db, table))
	}
	return all
}

func TestEveryTableIsCopied(t *testing.T) {
	y := wholeYard(t)
	for _, name := range tables(t, y.raw) {
		if !slices.Contains(store.CopiedTables(), name) && !slices.Contains([]string{"schema_steps", "worker_readings", "hubs", "hubs_gone", "leases", "worker_port"}, name) {
			t.Errorf("table %s is new: say in copy.go what becomes of it, and put a row into wholeYard", name)
		}
	}
	between := migratedElsewhere(t, openedIn(t, t.TempDir()))
	was := held(t, y.raw)
	from := y.raw
	ways := []*store.DB{between}
	if onPostgres {
		ways = append(ways, migratedElsewhere(t, connected(t, pgserver.URL(t))))
	}
	for _, to := range ways {
		all, err := store.Copy(t.Context(), from, to, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if c.Rows == 0 {
				t.Errorf("no row of %s was copied: put one into wholeYard", c.Table)
			}
		}
		if is := held(t, to); !slices.Equal(is, was) {
			t.Errorf("it holds\n%s\nwant\n%s", strings.Join(is, "\n"), strings.Join(was, "\n"))
		}
		from = to
	}
	if is := held(t, y.raw); !slices.Equal(is, was) {
		t.Error("the source was changed")
	}
}

func migratedElsewhere(t *testing.T, db *store.DB) *store.DB {
	t.Helper()
	if err := db.Migrate(t.Context(), migratedAt); err != nil {
		t.Fatal(err)
	}
	return db
}

// TestTextThatTheTargetCannotHold is made such, and the copy goes on: what a container printed must not
// keep anybody where they are.
func TestTextThatTheTargetCannotHold(t *testing.T) {
	if !onPostgres {
		return // SQLite holds everything
	}
	source := migratedElsewhere(t, openedIn(t, t.TempDir()))
	if err := execute(t, source, `INSERT INTO settings (name, value) VALUES ('a', ?)`, "bad \xff and \x00"); err != nil {
		t.Fatal(err)
	}
	target := migratedElsewhere(t, connected(t, pgserver.URL(t)))
	if _, err := store.Copy(t.Context(), source, target, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := texts(t, target, `SELECT value FROM settings`); err != nil || got[0] != "bad \uFFFD and \uFFFD" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestACopyThatFailsLeavesNothing(t *testing.T) {
	y := wholeYard(t)
	target := opened(t)
	migratedElsewhere(t, target)
	mine := errors.New("mine")
	_, err := store.Copy(t.Context(), y.raw, target, func(put func(string, []byte) error) error {
		return errors.Join(put("blobs/a", []byte("a")), mine)
	})
	if !errors.Is(err, mine) {
		t.Errorf("got %v", err)
	}
	if err := target.Unused(t.Context()); err != nil {
		t.Errorf("something is left: %v", err)
	}
	all, err := store.Copy(t.Context(), y.raw, target, func(put func(string, []byte) error) error { return put("blobs/a", []byte("a")) })
	if err != nil || all[len(all)-1] != (store.Copied{Table: "files of revisions", Rows: 1}) {
		t.Errorf("the second time: %v, %v", all, err)
	}
	if n := number(t, target, `SELECT count(*) FROM deployments WHERE state = 'queued'`); n != 3 || stacks.DeploymentQueued != "queued" {
		t.Errorf("%d deployments are queued", n)
	}
	if _, err := store.Copy(t.Context(), y.raw, target, nil); fault.CodeOf(err) != "store.not_empty" {
		t.Errorf("a third time: %v", err)
	}
}

func TestWhatIsUsedIsNotCopiedInto(t *testing.T) {
	for name, c := range map[string]struct {
		statement string
		code      string
	}{
		"nothing":       {`DELETE FROM settings`, ""},
		"one row":       {`INSERT INTO settings (name, value) VALUES ('a', '')`, "store.not_empty"},
		"another table": {`CREATE TABLE mine (a INTEGER)`, "store.not_empty"},
		"a running hub": {`INSERT INTO leases (name, holder, epoch, lease_until) VALUES ('a', '', 1, 0)`, "store.not_empty"},
	} {
		db := migratedElsewhere(t, opened(t))
		if err := execute(t, db, c.statement); err != nil {
			t.Fatal(err)
		}
		if err := db.Unused(t.Context()); c.code == "" && err != nil || c.code != "" && fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := opened(t).Unused(t.Context()); err != nil {
		t.Errorf("a fresh one: %v", err)
	}
}
