package store_test

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"berth/core/store"
)

// stepsBefore are this program's migrations before the given one.
func stepsBefore(t *testing.T, name string) fs.FS {
	t.Helper()
	before := fstest.MapFS{}
	all, err := fs.ReadDir(store.Steps(), "migrations")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		content, err := fs.ReadFile(store.Steps(), "migrations/"+file.Name())
		if err != nil {
			t.Fatal(err)
		}
		if file.Name() < name {
			before["migrations/"+file.Name()] = &fstest.MapFile{Data: content}
		}
	}
	return before
}

// What an older release stored says since when stacks are as they are, as far as it is known.
func TestOldStacksSaySinceWhen(t *testing.T) {
	db := opened(t)
	if err := store.MigrateWith(t.Context(), db, stepsBefore(t, "0013"), migratedAt); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`INSERT INTO repositories (id, name, url, branch, head, fetched_at, error_code, error, asked_at, asked_by, created_at, updated_at) VALUES ('rep_1', 'demo', 'u', 'main', '', 0, '', '', 0, '', 0, 0)`,
		`INSERT INTO stacks (id, name, repository_id, path, worker_tags, auto_sync, status, drifted, out_of_sync, seen_commit, seen_tree, deployed_tree, retries, retry_at, revision, commit_hash, error, containers, observed_at, deleting, created_at, updated_at)
			SELECT id, id, 'rep_1', '', '[]', 1, 'active', 0, behind, '', '', '', 0, 0, 1, '', '', '[]', 0, 0, 5, 70 FROM (SELECT 'stk_1' AS id, 1 AS behind UNION ALL SELECT 'stk_2', 0) AS made`,
		`INSERT INTO deployments (id, stack_id, state, trigger, actor, commit_hash, revision, worker_id, options, phases, error_code, error, tree, cancelling, queued_at, started_at, finished_at)
			SELECT id, 'stk_2', state, 'poll', '', '', 1, '', '{}', '[]', '', '', '', 0, 0, 0, at FROM (SELECT 'dep_1' AS id, 'succeeded' AS state, 40 AS at UNION ALL SELECT 'dep_2', 'succeeded', 50 UNION ALL SELECT 'dep_3', 'failed', 60) AS made`,
	} {
		if err := execute(t, db, statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Migrate(t.Context(), migratedAt); err != nil {
		t.Fatal(err)
	}
	got, err := texts(t, db, `SELECT id || ' ' || out_of_sync_since || ' ' || deployed_at FROM stacks ORDER BY id`)
	if err != nil || !slices.Equal(got, []string{"stk_1 70 0", "stk_2 0 50"}) {
		t.Errorf("%q, %v", got, err)
	}
}
