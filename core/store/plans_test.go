package store_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"berth/hub/adapter/sqlite"
)

// overheard is every statement that the tests of this package made the store run.
var overheard = &statements{all: map[string]bool{}}

type statements struct {
	mu  sync.Mutex
	all map[string]bool // guarded by mu
}

func (s *statements) add(query string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[query] = true
}

// with returns the statements that have this text.
func (s *statements) with(text string) (found []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for query := range s.all {
		if strings.Contains(query, text) {
			found = append(found, query)
		}
	}
	return found
}

// TestMain runs all tests on SQLite, looks at the statements that they made it run, and runs
// the tests again on PostgreSQL.
func TestMain(m *testing.M) {
	code := m.Run()
	if problems := overheard.scans(); len(problems) > 0 {
		fmt.Println("O8: these statements get slower with every day that an installation gets older:\n" + strings.Join(problems, "\n"))
		code = 1
	}
	if bench := flag.Lookup("test.bench"); code == 0 && bench.Value.String() == "" {
		fmt.Println("on PostgreSQL:")
		onPostgres = true
		code = m.Run()
	}
	os.Exit(code)
}

// scanned is a line of a query plan that reads a whole table, or a whole index of it.
var scanned = regexp.MustCompile(`^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?`)

// Tables that grow with every day, and the indexes that hold what is open or due of them alone.
var (
	histories = []string{"sessions", "audit_events", "revisions", "deployments", "deployment_log", "deployment_events", "decisions", "commands", "job_fires", "job_runs", "job_run_log", "outbox"}
	bounded   = []string{"deployments_open", "deployments_queued", "deployments_running", "commands_open", "job_runs_open", "job_runs_worker", "job_runs_waiting", "job_runs_cancelling", "outbox_due", "outbox_waiting"}
)

// scans returns the statements that read the whole of a history (O8).
func (s *statements) scans() (problems []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	db, clean, err := emptyDatabase()
	if err != nil {
		return []string{err.Error()}
	}
	defer clean()
	for query := range s.all {
		plan, err := planOf(db, query)
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", query, err))
		}
		for _, line := range plan {
			found := scanned.FindStringSubmatch(line)
			if found != nil && slices.Contains(histories, tableOf(query, found[1])) && !slices.Contains(bounded, found[2]) {
				problems = append(problems, line+": "+query)
			}
		}
	}
	slices.Sort(problems)
	return problems
}

// tableOf resolves the name by which a statement calls a table.
func tableOf(query, name string) string {
	if found := regexp.MustCompile(`(?:FROM|JOIN) (\w+) ` + name + `\b`).FindStringSubmatch(query); found != nil && !slices.Contains(histories, name) {
		return found[1]
	}
	return name
}

// planOf returns how the database would run a statement.
func planOf(db *sql.DB, query string) ([]string, error) {
	rows, err := db.Query(`EXPLAIN QUERY PLAN `+query, make([]any, strings.Count(query, "?"))...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var id, parent, unused int
		var line string
		if err := rows.Scan(&id, &parent, &unused, &line); err != nil {
			return nil, err
		}
		plan = append(plan, line)
	}
	return plan, rows.Err()
}

// emptyDatabase makes one with this program's schema. Without statistics a plan is the same in each.
func emptyDatabase() (db *sql.DB, clean func(), err error) {
	dir, err := os.MkdirTemp("", "plans")
	if err != nil {
		return nil, nil, err
	}
	err = migrateIn(dir)
	if err == nil {
		db, err = sql.Open("sqlite", filepath.Join(dir, sqlite.File))
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, nil, err
	}
	opened := db
	return db, func() { opened.Close(); os.RemoveAll(dir) }, nil
}

func TestAScanOfAHistoryIsFound(t *testing.T) {
	for query, want := range map[string]bool{
		`SELECT id FROM deployments WHERE id = ?`:                                                     false,
		`SELECT id FROM deployments WHERE state IN ('queued', 'running') ORDER BY id`:                 false,
		`SELECT id FROM stacks`:                                                                       false,
		`SELECT id FROM deployments WHERE trigger = ?`:                                                true,
		`SELECT d.id FROM deployments d JOIN stacks s ON s.id = d.stack_id WHERE d.trigger = 'x'`:     true,
		`SELECT count(*) FROM decisions`:                                                              true,
		`UPDATE commands SET state = 'x' WHERE body = ?`:                                              true,
		`DELETE FROM deployments WHERE id IN (SELECT id FROM deployments WHERE state = 'failed')`:     true,
		`SELECT id, row_number() OVER (PARTITION BY stack_id ORDER BY id DESC) AS n FROM deployments`: true,
	} {
		s := &statements{all: map[string]bool{query: true}}
		if problems := s.scans(); (len(problems) > 0) != want {
			t.Errorf("%s: %q", query, problems)
		}
	}
}

func migrateIn(dir string) error {
	db, err := sqlite.Open(context.Background(), dir, nil)
	if err != nil {
		return err
	}
	return errors.Join(db.Migrate(context.Background(), migratedAt), db.Close())
}
