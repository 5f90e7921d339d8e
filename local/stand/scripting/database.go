package scripting

import (
	"bytes"
	"crypto/rand"
	"database/sql"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"berth/hub/adapter/sqlite"
)

// pageSize is SQLite's own.
const pageSize = 4096

// damage writes rubbish over pages of the database of DATA_DIR, which no server has open: where some indexes
// begin, so that the rest of it can be read.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: damage")
	}
	path := databasePath(ts)
	content, err := os.ReadFile(path)
	ts.Check(err)
	rubbish := bytes.Repeat([]byte{0xa5}, 8)
	rand.Read(rubbish[1:])
	for _, page := range firstPages(ts, path) {
		copy(content[(page-1)*pageSize:], rubbish)
	}
	ts.Check(os.WriteFile(path, content, 0o600))
}

// firstPages are the numbers, from 1, of the first pages of some indexes.
func firstPages(ts *testscript.TestScript, path string) (pages []int) {
	db, err := sql.Open("sqlite", "file:"+path+"?immutable=1")
	ts.Check(err)
	defer db.Close()
	rows, err := db.Query(`SELECT rootpage FROM sqlite_schema WHERE name IN ('decisions_stack', 'commands_stack', 'audit_events_at')`)
	ts.Check(err)
	defer rows.Close()
	for rows.Next() {
		var page int
		ts.Check(rows.Scan(&page))
		pages = append(pages, page)
	}
	ts.Check(rows.Err())
	if len(pages) != 3 {
		ts.Fatalf("%d indexes were found", len(pages))
	}
	return pages
}

// newer makes the database of DATA_DIR look like that of a program from the future.
func newer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: newer")
	}
	db, err := sql.Open("sqlite", databasePath(ts))
	ts.Check(err)
	defer db.Close()
	_, err = db.Exec(`INSERT INTO schema_steps (number, name, checksum, applied_at) SELECT max(number) + 1, 'from the future', 'x', 0 FROM schema_steps`)
	ts.Check(err)
}

func databasePath(ts *testscript.TestScript) string {
	return filepath.Join(ts.Getenv("DATA_DIR"), "db_data", sqlite.File)
}
