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

// damage writes rubbish over pages in the middle of the database of DATA_DIR, which no server has open.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: damage")
	}
	path := databasePath(ts)
	content, err := os.ReadFile(path)
	ts.Check(err)
	pages := len(content) / pageSize
	if pages < 8 {
		ts.Fatalf("the database has %d pages only", pages)
	}
	rubbish := bytes.Repeat([]byte{0xa5}, 8)
	rand.Read(rubbish[1:])
	for page := pages / 2; page < pages/2+3; page++ {
		copy(content[page*pageSize:], rubbish)
	}
	ts.Check(os.WriteFile(path, content, 0o600))
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
