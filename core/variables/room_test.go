package variables_test

import (
	"crypto/rand"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/integrations"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/store"
	"berth/core/variables"
	"berth/hub/adapter/sqlite"
)

// room is the use cases of variables on a real database.
type room struct {
	*variables.Desk
	*variables.Resolver
	store *store.Store
	ring  *seal.Ring
	raw   *sql.DB
	dir   string
	at    time.Time
	stack core.StackID
}

var ada = access.Principal{Kind: access.KindUser, ID: "usr_1", Name: "ada@example.org", Role: access.RoleOperator}

func open(t *testing.T) *room {
	t.Helper()
	r := &room{dir: t.TempDir(), at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	db, err := sqlite.Open(t.Context(), r.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := db.Migrate(t.Context(), r.at); err != nil {
		t.Fatal(err)
	}
	if r.ring, err = seal.NewRing(rand.Reader); err != nil {
		t.Fatal(err)
	}
	if r.raw, err = sql.Open("sqlite", filepath.Join(r.dir, sqlite.File)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.raw.Close() })
	r.store = store.New(db, r.now)
	backends := integrations.NewBackends(r.store, r.ring, nil)
	gate := secrets.NewGate(variables.NewInternalProvider(r.store, r.ring), backends)
	r.Desk = variables.NewDesk(r.store, r.ring, integrations.NewDesk(r.store, r.ring, backends, r.now), r.now)
	r.Resolver = variables.NewResolver(r.store, gate, r.ring)
	if _, err := r.store.AddRepository(t.Context(), repositories.Repository{ID: "rep_1", Name: "demo", URL: "http://h/a"}, ada.Audit("repository.create", "rep_1", "")); err != nil {
		t.Fatal(err)
	}
	r.stack = r.addStack(t, "web")
	return r
}

// now moves on with every look, so that identifiers sort by age and changes show.
func (r *room) now() time.Time {
	r.at = r.at.Add(time.Millisecond)
	return r.at
}

func (r *room) addStack(t *testing.T, name string) core.StackID {
	t.Helper()
	id := core.StackID(core.NewID(core.PrefixStack, r.now()))
	if _, _, err := r.store.CreateStack(t.Context(), stacks.Stack{ID: id, Name: name, Repository: "rep_1"}, nil, ada); err != nil {
		t.Fatal(err)
	}
	return id
}

func (r *room) add(t *testing.T, d variables.Draft) variables.Variable {
	t.Helper()
	v, err := r.Create(t.Context(), d, ada)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (r *room) secret(t *testing.T, o variables.Owner, name, value string) variables.Variable {
	t.Helper()
	return r.add(t, variables.Draft{Owner: o, Name: name, Value: value, Secret: true})
}

// reveal opens one secret of the stack, as a deployment does.
func (r *room) reveal(t *testing.T, name string) string {
	t.Helper()
	values, err := r.Secrets(t.Context(), r.stack, []string{name})
	if err != nil {
		t.Fatal(err)
	}
	return values[name].Reveal()
}

// count runs a query that counts.
func (r *room) count(t *testing.T, query string, args ...any) (n int) {
	t.Helper()
	if err := r.raw.QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// onDisk reports whether text is in any file of the database, once everything is written back.
func (r *room) onDisk(t *testing.T, text string) bool {
	t.Helper()
	if _, err := r.raw.ExecContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(r.dir)
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(r.dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), text) {
			return true
		}
	}
	return false
}

// wantFault demands a code and that the public text says something.
func wantFault(t *testing.T, err error, code, says string) {
	t.Helper()
	if fault.CodeOf(err) != code || !strings.Contains(fault.PublicOf(err), says) {
		t.Errorf("got %v, want %s that says %q", err, code, says)
	}
}

func ptr[T any](v T) *T { return &v }
