package configuration_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/hub/adapter/sqlite"
)

// kept says of each column of the database what a configuration's file has of it: after "in" those that the file is made
// of, after "not" those that it is not, such as what was seen or done. A table with neither word has nothing of it.
var kept = map[string]string{
	"repositories":      "in name url branch credential_id tag semver follow statuses not id head fetched_at error_code error asked_at asked_by created_at updated_at sops_age_public_key sops_age_key hooked_at unannounced_at hook_refused_at ref moved_to follow_begun statuses_problem statuses_problem_at",
	"credentials":       "in name type host username account not id sealed created_at public_key changed_at connected_by expires_at renewing_until",
	"ssh_hosts":         "in address keys not accepted_at accepted_by",
	"webhook_secrets":   "in repository_id not id sealed made_at made_by",
	"variables":         "in scope scope_id name secret provider value reference not id sealed created_at updated_at",
	"variable_bindings": "in variable_id scope scope_id",
	"integrations":      "in slug enabled settings not sealed version updated_at",
	"policies":          "in worker_id rules not changed_by updated_at",
	"stacks":            "in name repository_id path worker_id worker_tags auto_sync paused not id status drifted out_of_sync seen_commit seen_tree deployed_tree retries retry_at revision commit_hash error containers observed_at deleting created_at updated_at quarantine drift heals heal_at retry out_of_sync_since deployed_at",
	"jobs":              "in name repository_id path paused not id group_name commit_hash definition configs seen_commit seen_tree error_code error next_at fired_at last_success_at last_state last_took missed missed_at created_at updated_at",
	"service_accounts":  "in name role disabled not id created_at updated_at",
	"users":             "in email role disabled not id name password created_at updated_at",
	"workers":           "in hostname tags not id token_id key version os arch epoch revoked connected_at left_at created_at engine hub_id runs host_policy",

	"settings": "how set-up, mail and the keys were seen to be", "key_ring": "keys of this installation", "sealed_settings": "keys of this installation", "worker_port": "keys of this installation",
	"sessions": "secrets of people", "api_keys": "secrets of service accounts", "worker_tokens": "secrets of workers", "invitations": "secrets of people", "password_resets": "secrets of people",
	"second_factors": "secrets of people", "recovery_codes": "secrets of people", "oidc_identities": "who people are at a provider", "spent_states": "secrets that were used",
	"audit_events": "what was done", "revisions": "what was done", "deployments": "what was done", "deployment_log": "what was done", "deployment_events": "what was done", "decisions": "what was done",
	"commands": "what was done", "revision_files": "what was done", "delivered": "what was done", "job_fires": "what was done", "job_runs": "what was done", "job_run_log": "what was done", "job_logs_left": "what was done",
	"webhook_deliveries": "what was done", "repository_events": "what was done", "followed_folders": "what was seen", "folder_proposals": "what was seen", "commit_statuses": "what waits to be told",
	"notice_problems": "what was seen", "worker_readings": "what was seen", "outbox": "what waits to be told", "hubs": "who is there", "hubs_gone": "who is there", "leases": "who is there", "schema_steps": "the schema",
}

// TestEachColumnIsInTheFileOrSaidNotToBe fails for a new column until somebody has decided whether it belongs to the file.
func TestEachColumnIsInTheFileOrSaidNotToBe(t *testing.T) {
	p := &place{t: t}
	dir := t.TempDir()
	db, err := sqlite.Open(t.Context(), dir, nil)
	p.must(err)
	p.must(db.Migrate(t.Context(), time.Now()))
	p.must(db.Close())
	raw, err := sql.Open("sqlite", filepath.Join(dir, sqlite.File))
	p.must(err)
	defer raw.Close()
	rows, err := raw.Query(`SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`)
	p.must(err)
	defer rows.Close()
	columns := map[string][]string{}
	for rows.Next() {
		var table, column string
		p.must(rows.Scan(&table, &column))
		columns[table] = append(columns[table], column)
	}
	p.must(rows.Err())
	for table, are := range columns {
		said := strings.Fields(kept[table])
		if len(said) == 0 {
			t.Errorf("the table %s: it is not said whether a configuration's file has it", table)
		}
		if len(said) == 0 || said[0] != "in" {
			continue
		}
		said = slices.DeleteFunc(said, func(word string) bool { return word == "in" || word == "not" })
		slices.Sort(are)
		slices.Sort(said)
		if !slices.Equal(are, said) {
			t.Errorf("the table %s has the columns\n%q, and it is said of\n%q whether a configuration's file has them", table, are, said)
		}
	}
	for table := range kept {
		if columns[table] == nil {
			t.Errorf("there is no table %s", table)
		}
	}
}
