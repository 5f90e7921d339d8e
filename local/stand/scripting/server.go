package scripting

import (
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"berth/local/stand/pgserver"
)

// postgres makes an empty PostgreSQL database and puts its address into DATABASE_URL, with a password that
// the server asks for. It goes when the tests have ended.
func postgres(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: postgres")
	}
	s, err := pgserver.Running()
	ts.Check(err)
	name := "script_" + strings.ToLower(rand.Text())
	ts.Check(s.Exec("postgres", `CREATE DATABASE `+name))
	ts.Setenv("DATABASE_URL", s.TCP(name))
	ts.Setenv("DATABASE", name)
	ts.Setenv("DATABASE_PASSWORD", pgserver.Password)
}

// ask prints what a query on the database that postgres made tells: the first column of its first row, if it
// has any.
func ask(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: ask query")
	}
	s, err := pgserver.Running()
	ts.Check(err)
	answer, err := s.Ask(ts.Getenv("DATABASE"), args[0])
	if !errors.Is(err, sql.ErrNoRows) {
		ts.Check(err)
	}
	fmt.Fprintln(ts.Stdout(), answer)
}
