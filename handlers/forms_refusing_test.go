package handlers_test

import (
	"fmt"
	"path/filepath"

	"modernc.org/sqlite"

	"berth/core"
)

// stillRoom is a disk that looks as if there were room.
type stillRoom struct{}

func (stillRoom) Room() bool    { return true }
func (stillRoom) GiveWay() bool { return false }

// refusing prepares the stand's database to refuse every change as one does whose disk is full, from the moment on at
// which begin is called, until end is. It is the one refusal that every form can meet, whatever is typed.
func (s *stand) refusing() (begin, end func()) {
	s.t.Helper()
	s.db.StandOn(stillRoom{})
	s.exec(`CREATE TABLE refused (n INTEGER PRIMARY KEY AUTOINCREMENT)`)
	s.exec(`CREATE TABLE refuses (yes INTEGER)`)
	s.exec(`INSERT INTO refused (n) VALUES (9223372036854775807)`) // there is no number after this one: SQLITE_FULL
	rows, err := s.raw.Query(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT IN ('refused', 'refuses')`)
	s.must(err)
	var tables []string
	for rows.Next() {
		var name string
		s.must(rows.Scan(&name))
		tables = append(tables, name)
	}
	s.must(rows.Err())
	s.must(rows.Close())
	for _, table := range tables {
		for _, change := range []string{"INSERT", "UPDATE", "DELETE"} {
			s.exec(fmt.Sprintf(`CREATE TRIGGER %s_%s BEFORE %[2]s ON %[1]s WHEN EXISTS (SELECT 1 FROM refuses) BEGIN INSERT INTO refused (n) VALUES (NULL); END`, table, change))
		}
	}
	return func() { s.exec(`INSERT INTO refuses VALUES (1)`) }, func() { s.exec(`DELETE FROM refuses`) }
}

// remember returns what brings the database back to what it is now.
func (s *stand) remember() (back func()) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), core.NewID("kept", s.now())+".db")
	s.exec(`VACUUM INTO ?`, file)
	return func() {
		conn, err := s.raw.Conn(s.t.Context())
		s.must(err)
		defer conn.Close()
		s.must(conn.Raw(func(c any) error {
			b, err := c.(interface {
				NewRestore(string) (*sqlite.Backup, error)
			}).NewRestore("file:" + file)
			if err != nil {
				return err
			}
			if _, err := b.Step(-1); err != nil {
				return err
			}
			return b.Finish()
		}))
	}
}
