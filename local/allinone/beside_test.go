package allinone_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of the database that is looked into

	"berth/core/config"
	"berth/core/store"
	"berth/local/allinone"
	"berth/local/stand/pgserver"
)

// ofRelease is a server of a release on a database; it does not need to have started.
func ofRelease(t *testing.T, version, address, key string) *program {
	t.Helper()
	return beginRelease(t, version, map[string]string{"SECRET_KEY": key, "DATABASE_URL": address, "DATA_DIR": t.TempDir(), "BACKUP_DIR": t.TempDir()})
}

// says waits until the log has a text.
func (p *program) says(text string) {
	p.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); !strings.Contains(p.log.String(), text); <-tick.C {
		if time.Since(began) > wait {
			p.t.Fatalf("it does not say %q:\n%s", text, p.log)
		}
	}
}

// joins waits until the server's ports are open and its hub is known to others.
func (p *program) joins() {
	p.t.Helper()
	p.opens()
	p.says("hub joined")
}

// refused waits until a start has been given up, and checks the code and what is said.
func (p *program) refused(code int, words ...string) {
	p.t.Helper()
	var err error
	select {
	case err = <-p.ended:
		p.ended <- nil
	case <-time.After(wait):
		p.t.Fatalf("it was not refused:\n%s", p.log)
	}
	if allinone.ExitCode(err) != code {
		p.t.Errorf("it ended with %d: %v", allinone.ExitCode(err), err)
	}
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			p.t.Errorf("%v does not say %s", err, w)
		}
	}
}

// TestAServerBesideOneOfAnotherRelease does not start: it says which releases there are and what to do, and begins by itself when the
// other one ends in time. The one that is there goes on undisturbed.
func TestAServerBesideOneOfAnotherRelease(t *testing.T) {
	address, key := pgserver.URL(t), freshKey()
	old := ofRelease(t, "1.2.0", address, key)
	old.joins()
	newer := ofRelease(t, "1.3.0", address, key)
	newer.refused(config.ExitAway, "is release 1.2.0, works on this database, and this one is release 1.3.0", "stop every hub")
	old.answers("/readyz", 200)
	same := ofRelease(t, "1.2.0", address, key)
	same.joins()
	if err := same.end(); err != nil {
		t.Error(err)
	}

	newer = ofRelease(t, "1.3.0", address, key)
	newer.says("waiting for hubs to go")
	if err := old.end(); err != nil {
		t.Error(err)
	}
	newer.opens()
	newer.answers("/readyz", 200)
}

// TestAnUpgradeDoesNotChangeADatabaseUnderAHub: not even one that has the same name, such as a build from source.
func TestAnUpgradeDoesNotChangeADatabaseUnderAHub(t *testing.T) {
	address, key := pgserver.URL(t), freshKey()
	old := ofRelease(t, "dev", address, key)
	old.joins()
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `DELETE FROM schema_steps WHERE number = $1`, store.Schema()); err != nil { // as the release before knows it
		t.Fatal(err)
	}
	newer := ofRelease(t, "dev", address, key)
	newer.refused(config.ExitAway, "Stop every hub first", "release dev")
	steps := 0
	if err := db.QueryRowContext(context.Background(), `SELECT count(*) FROM schema_steps`).Scan(&steps); err != nil || steps != store.Schema()-1 {
		t.Errorf("there are %d steps, %v", steps, err)
	}
}

// TestAServerOfAnOlderReleaseThanTheDatabase ends at once, beside whom it may be.
func TestAServerOfAnOlderReleaseThanTheDatabase(t *testing.T) {
	address, key := pgserver.URL(t), freshKey()
	newer := ofRelease(t, "1.3.0", address, key)
	newer.opens()
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `INSERT INTO schema_steps (number, name, checksum, applied_at) VALUES ($1, 'later', 'x', 1)`, store.Schema()+1); err != nil {
		t.Fatal(err)
	}
	ofRelease(t, "1.2.0", address, key).refused(config.ExitConfig, "this program knows", "Start the newer program")
}
