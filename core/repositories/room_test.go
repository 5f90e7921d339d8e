package repositories_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/store"
	"berth/hub/adapter/agekey"
	"berth/hub/adapter/sqlite"
)

// room is the use cases of repositories on a real database and Git hosts in memory.
type room struct {
	*repositories.Desk
	store  *store.Store
	git    *coretest.FakeGit
	raw    *sql.DB
	dir    string
	at     time.Time
	nudges atomic.Int32
}

var ada = access.Principal{Kind: access.KindUser, ID: "usr_1", Name: "ada@example.org", Role: access.RoleOperator}

func open(t *testing.T) *room {
	t.Helper()
	r := &room{dir: t.TempDir(), at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), git: coretest.NewFakeGit()}
	db, err := sqlite.Open(t.Context(), r.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := db.Migrate(t.Context(), r.at); err != nil {
		t.Fatal(err)
	}
	ring, err := seal.NewRing(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if r.raw, err = sql.Open("sqlite", filepath.Join(r.dir, sqlite.File)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.raw.Close() })
	r.store = store.New(db, r.now)
	r.Desk = repositories.NewDesk(r.store, ring, agekey.Maker{}, repositories.HeadProber{Git: r.git}, r, r.now)
	return r
}

// now moves on with every look, so that identifiers sort by age and changes show.
func (r *room) now() time.Time {
	r.at = r.at.Add(time.Millisecond)
	return r.at
}

// Nudge implements core.Nudger.
func (r *room) Nudge() { r.nudges.Add(1) }

func (r *room) add(t *testing.T, d repositories.Draft) repositories.Repository {
	t.Helper()
	got, err := r.Create(t.Context(), d, ada)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (r *room) key(t *testing.T, name, host string) repositories.Credential {
	t.Helper()
	c, err := r.CreateCredential(t.Context(), repositories.CredentialDraft{Name: name, Type: repositories.TypeBasic, Host: host,
		Username: "deploy", Password: secrets.NewValue("canary-" + name)}, ada)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (r *room) stack(t *testing.T, name string, id core.RepositoryID) {
	t.Helper()
	stack := stacks.Stack{ID: core.StackID(core.NewID(core.PrefixStack, r.now())), Name: name, Repository: id}
	if _, _, err := r.store.CreateStack(t.Context(), stack, nil, ada); err != nil {
		t.Fatal(err)
	}
}

// fetch does what the hub does when it looks at a repository.
func (r *room) fetch(t *testing.T, repository repositories.Repository) repositories.Repository {
	t.Helper()
	src, err := r.Source(t.Context(), repository)
	if err != nil {
		t.Fatal(err)
	}
	head, err := r.git.Fetch(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.store.SetFetched(t.Context(), repository.ID, head, core.LineageUnknown, r.now()); err != nil {
		t.Fatal(err)
	}
	return r.get(t, repository.ID)
}

func (r *room) get(t *testing.T, id core.RepositoryID) repositories.Repository {
	t.Helper()
	got, err := r.Repository(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return got
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
	content, err := os.ReadFile(filepath.Join(r.dir, sqlite.File))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(content), text)
}

// wantFault demands a code and that the public text says something.
func wantFault(t *testing.T, err error, code, says string) {
	t.Helper()
	if fault.CodeOf(err) != code || !strings.Contains(fault.PublicOf(err), says) {
		t.Errorf("got %v, want %s that says %q", err, code, says)
	}
}

// slowProber never answers.
type slowProber struct{}

func (slowProber) Probe(ctx context.Context, _ core.GitSource) error {
	<-ctx.Done()
	return ctx.Err()
}

func ptr[T any](v T) *T { return &v }
