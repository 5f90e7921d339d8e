package kill

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth/core/config"
	"berth/core/store"
	"berth/handlers/api"
)

// whileStarting draws where a server dies that has something to write when it starts.
func whileStarting(n int, random *rand.Rand) Point {
	return Point{[]string{"pwrite64", "fsync", "write", "pread64", "fcntl", "ftruncate", "open", "unlink"}[n%8], 1 + random.IntN([]int{12, 5, 6, 20, 60, 1, 8, 1}[n%8])}
}

// whileMigrating draws where a server dies that makes every step of the schema but the first.
func whileMigrating(n int, random *rand.Rand) Point {
	return drawn([]most{{"pwrite64", 300}, {"fsync", 60}, {"fcntl", 600}, {"pwrite64", 80}, {"pread64", 40}, {"fsync", 30}, {"write", 6}}, n, random)
}

// C6: the server dies while the first administrator is made. Afterwards there is one or none,
// and set-up is open exactly when there is none.
func TestKilledDuringSetUp(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(6, 0))
	ask := api.SetupRequest{Email: "admin@example.com", Password: "correct horse battery", Name: "Admin"}
	made := 0
	for n := range points(t, 6, "KILL_START_POINTS") {
		s := New(t)
		ask.BootstrapToken = s.Bootstrap
		s.RunServer() // makes the database, so that the point lies behind that
		s.kill(s.Server)
		at := Point{[]string{"pwrite64", "fsync", "write"}[n%3], 1 + random.IntN([]int{10, 4, 16}[n%3])}
		s.StartServer(at)
		answered := false
		if s.Ready() {
			_, err := s.Ask(http.MethodPost, "/api/custom/setup", ask, nil)
			answered = err == nil
		}
		s.kill(s.Server)
		s.RunServer()
		users := s.query("SELECT count(*) FROM users")
		var setup struct{ Needed bool }
		s.Must(http.MethodGet, "/api/custom/setup", nil, &setup)
		if answered && users != "1" || users != "0" && users != "1" || setup.Needed != (users == "0") {
			t.Errorf("seed 6, %v: %s users, set-up is needed: %t, it was answered: %t", at, users, setup.Needed, answered)
		}
		if setup.Needed {
			s.Must(http.MethodPost, "/api/custom/setup", ask, nil)
		} else {
			made++
		}
		s.Must(http.MethodPost, "/api/custom/login", api.LoginRequest{Email: ask.Email, Password: ask.Password}, nil)
		s.kill(s.Server)
	}
	t.Logf("seed 6: the administrator was there after %d deaths", made)
}

// C7: the server dies while it changes over to a new SECRET_KEY. Afterwards it starts with the
// new one or the old one, and opens all that was sealed: an API key, a secret, its own key
// that the worker knows.
func TestKilledWhileTheSecretKeyChanges(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 0))
	s := New(t)
	l := NewLane(s, Folder{T: t, Dir: filepath.Join(s.Dir, "engine")}, Names(1), 7)
	changed := 0
	for n := range points(t, 8, "KILL_START_POINTS") {
		s.kill(s.Server)
		s.kill(s.Worker) // or it would wait longer each time before it dials again
		before, after := s.SecretKey, NewKey()
		at := whileStarting(n, random)
		s.SecretKey, s.Previous = after, before
		s.StartServer(at)
		s.Ready()
		s.kill(s.Server)
		s.Previous = ""
		if s.StartServer(Point{}); s.Ready() {
			changed++
		} else {
			if !strings.Contains(s.Server.Tail(), "SECRET_KEY") || s.Server.Code() != config.ExitConfig {
				t.Fatalf("seed 7, %v: the server did not start with the new key, and not because of it: %s", at, s.Server.Tail())
			}
			s.SecretKey = before
			s.RunServer()
		}
		s.RunWorker(l.Host)
		l.commit(l.Stacks[0].Project) // its deployment needs the secret and the worker
		l.ask(l.Stacks[0], "/sync", nil)
		if len(l.Open()) != 1 {
			t.Fatalf("seed 7, %v: the API key is not accepted", at)
		}
		l.Settle()
	}
	t.Logf("seed 7: the new key held after %d deaths", changed)
}

// C10: the server dies while it brings a database of the first schema up to date.
func TestKilledDuringMigration(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(10, 0))
	first, err := os.ReadFile(filepath.Join("..", "..", "core", "store", "migrations", "0001_first.sql"))
	if err != nil {
		t.Fatal(err)
	}
	died, midway := 0, 0
	for n := range points(t, 6, "KILL_START_POINTS") {
		s := New(t)
		s.firstSchema(string(first))
		at := whileMigrating(n, random)
		s.StartServer(at)
		if !s.Ready() {
			died++
			if steps := s.query("SELECT count(*) FROM schema_steps"); steps != "1" && steps != fmt.Sprint(store.Schema()) {
				midway++
			}
		}
		s.kill(s.Server)
		s.RunServer()
		if whole, canary, steps := s.query("PRAGMA integrity_check"), s.query("SELECT value FROM settings WHERE name = 'canary'"), s.query("SELECT count(*) FROM schema_steps"); whole != "ok" || canary != "kept" || steps == "1" {
			t.Errorf("seed 10, %v: integrity %s, the row that was there %s, %s schema steps", at, whole, canary, steps)
		}
		s.SetUp()
		s.kill(s.Server)
	}
	t.Logf("seed 10: it died %d times before it answered, %d of them between the first step and the last", died, midway)
}

// firstSchema makes the database as the first release did.
func (s *Site) firstSchema(first string) {
	s.T.Helper()
	if err := os.MkdirAll(s.DB(), 0o700); err != nil {
		s.T.Fatal(err)
	}
	db := s.open("rwc")
	defer db.Close()
	for _, statement := range []string{
		"PRAGMA journal_mode=WAL",
		"CREATE TABLE schema_steps (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT",
		first, fmt.Sprintf("INSERT INTO schema_steps VALUES (1, '0001_first', '%s', 1)", digest(first)),
		"INSERT INTO settings (name, value) VALUES ('canary', 'kept')",
	} {
		if _, err := db.Exec(statement); err != nil {
			s.T.Fatal(err)
		}
	}
}
