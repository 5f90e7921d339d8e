package postgres

import (
	"net/url"
	"testing"

	"berth/core/store"
	"berth/local/stand/pgserver"
)

// TestASecondUserActsAsTheFirst, so that a password can change without a gap, as the README says.
func TestASecondUserActsAsTheFirst(t *testing.T) {
	s := pgserver.Shared(t)
	name := s.Database(t, "template0")
	owner, second := "owner_"+name, "second_"+name
	for _, sql := range []string{
		`CREATE ROLE ` + owner + ` LOGIN PASSWORD 'first'`, `ALTER DATABASE ` + name + ` OWNER TO ` + owner,
		`CREATE ROLE ` + second + ` LOGIN PASSWORD 'second' IN ROLE ` + owner, `ALTER ROLE ` + second + ` SET role = '` + owner + `'`,
	} {
		if err := s.Exec("postgres", sql); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, sql := range []string{`DROP DATABASE ` + name + ` WITH (FORCE)`, `CREATE DATABASE ` + name, `DROP ROLE ` + second, `DROP ROLE ` + owner} {
			if err := s.Exec("postgres", sql); err != nil {
				t.Error(err)
			}
		}
	})
	as := func(user, password string) string {
		u, err := url.Parse(s.TCP(name))
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.UserPassword(user, password)
		return u.String()
	}
	if err := put(t, migrated(t, as(owner, "first")), "a"); err != nil {
		t.Fatal(err)
	}
	db := openAt(t, as(second, "second"))
	if err := put(t, db, "b"); err != nil {
		t.Fatal(err)
	}
	var who []string
	if err := db.Read(t.Context(), func(tx *store.Tx) (err error) {
		who, err = store.Texts(tx, `SELECT current_user::text`)
		return err
	}); err != nil || who[0] != owner {
		t.Errorf("it acts as %v, %v", who, err)
	}
}
