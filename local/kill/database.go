package kill

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"path/filepath"

	"berth/hub/adapter/sqlite"
)

// open opens the database beside the server, in a mode of SQLite's: ro or rwc.
func (s *Site) open(mode string) *sql.DB {
	s.T.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.DB(), sqlite.File)+"?mode="+mode+"&_pragma=busy_timeout(10000)")
	if err != nil {
		s.T.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	return db
}

// query returns the one value of a query.
func (s *Site) query(query string) string {
	s.T.Helper()
	db := s.open("ro")
	defer db.Close()
	var value string
	if err := db.QueryRow(query).Scan(&value); err != nil {
		s.T.Fatalf("%s: %v", query, err)
	}
	return value
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (s *Site) kill(p *Process) {
	s.T.Helper()
	if err := p.Kill(); err != nil {
		s.T.Fatal(err)
	}
}
