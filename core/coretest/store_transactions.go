package coretest

import (
	"errors"
	"fmt"

	"berth/core/fault"
	"berth/core/store"
)

var transactionCases = map[string]func(storeBench){
	"a write commits whole":                          commitsWhole,
	"a write that fails leaves nothing":              failureLeavesNothing,
	"a write that panics leaves nothing":             panicLeavesNothing,
	"a fault passes unchanged":                       faultsPass,
	"an error that is no fault keeps its cause":      causesPass,
	"a failed statement does not become a fault":     statementErrors,
	"a read cannot write":                            readsDoNotWrite,
	"a read sees one state from beginning to end":    readsAreConsistent,
	"a read sees what was committed before it":       readsSeeCommits,
	"a write sees what it wrote":                     writesSeeThemselves,
	"a transaction is good only inside its function": transactionsEnd,
	"references hold and deletions follow them":      referencesHold,
}

func commitsWhole(b storeBench) {
	b.must(b.db.Write(b.soon(), func(tx *store.Tx) error { return errors.Join(put(tx, "a", "1"), put(tx, "b", "2")) }))
	b.holds("a", "b")
}

func failureLeavesNothing(b storeBench) {
	refused := fault.New(fault.Conflict, "test.refused", "no")
	err := b.db.Write(b.soon(), func(tx *store.Tx) error { return errors.Join(put(tx, "a", "1"), put(tx, "b", "2"), refused) })
	if !errors.Is(err, refused) {
		b.Errorf("got %v", err)
	}
	err = b.db.Write(b.soon(), func(tx *store.Tx) error { return errors.Join(put(tx, "a", "1"), put(tx, "a", "2")) })
	if err == nil {
		b.Error("the same name twice was stored")
	}
	b.holds()
	b.works()
}

func panicLeavesNothing(b storeBench) {
	for name, run := range map[string]func(func(*store.Tx) error) error{
		"write": func(fn func(*store.Tx) error) error { return b.db.Write(b.soon(), fn) },
		"read":  func(fn func(*store.Tx) error) error { return b.db.Read(b.soon(), fn) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					b.Errorf("%s: the panic was swallowed", name)
				}
			}()
			err := run(func(tx *store.Tx) error {
				if name == "write" {
					b.must(put(tx, "a", "1"))
				}
				panic("a defect")
			})
			b.Errorf("%s returned %v", name, err)
		}()
	}
	b.holds()
	b.works()
}

func faultsPass(b storeBench) {
	mine := fault.New(fault.NotFound, "test.missing", "none")
	if err := b.db.Write(b.soon(), func(*store.Tx) error { return mine }); err != error(mine) {
		b.Errorf("write: %v", err)
	}
	if err := b.db.Read(b.soon(), func(*store.Tx) error { return mine }); err != error(mine) {
		b.Errorf("read: %v", err)
	}
	wrapped := fmt.Errorf("look: %w", mine)
	if err := b.db.Write(b.soon(), func(*store.Tx) error { return wrapped }); err != wrapped {
		b.Errorf("wrapped: %v", err)
	}
}

func causesPass(b storeBench) {
	mine := errors.New("mine")
	for name, err := range map[string]error{
		"write": b.db.Write(b.soon(), func(*store.Tx) error { return mine }),
		"read":  b.db.Read(b.soon(), func(*store.Tx) error { return mine }),
	} {
		if !errors.Is(err, mine) || fault.KindOf(err) != fault.Internal {
			b.Errorf("%s: %v", name, err)
		}
	}
}

func statementErrors(b storeBench) {
	err := b.db.Write(b.soon(), func(tx *store.Tx) error {
		_, err := store.Exec(tx, `UPDATE no_such_table SET a = 1`)
		return err
	})
	if err == nil || fault.CodeOf(err) != "internal.error" {
		b.Errorf("got %v", err)
	}
	b.works()
}

func readsDoNotWrite(b storeBench) {
	b.write(b.soon(), "a", "1")
	for _, statement := range []string{
		`INSERT INTO settings (name, value) VALUES ('b', '2')`, `UPDATE settings SET value = '2'`, `DELETE FROM settings`,
		`CREATE TABLE mine (a INTEGER)`, `DROP TABLE settings`,
	} {
		err := b.db.Read(b.soon(), func(tx *store.Tx) error {
			_, err := store.Exec(tx, statement)
			return err
		})
		if err == nil || fault.CodeOf(err) != "internal.error" {
			b.Errorf("%s: %v, want a plain error: it is a defect of the caller", statement, err)
		}
	}
	b.holds("a")
	b.works()
}

func readsAreConsistent(b storeBench) {
	b.write(b.soon(), "a", "1")
	b.must(b.db.Read(b.soon(), func(tx *store.Tx) error {
		before, err := get(tx, "a")
		b.must(err)
		b.must(b.db.Write(b.soon(), func(tx *store.Tx) error {
			_, err := store.Exec(tx, `UPDATE settings SET value = '2' WHERE name = 'a'`)
			return errors.Join(err, put(tx, "b", "1"))
		}))
		after, err := get(tx, "a")
		b.must(err)
		other, err := get(tx, "b")
		if before != "1" || after != "1" || other != "" {
			b.Errorf("the read saw %q, then %q and %q", before, after, other)
		}
		return err
	}))
	b.holds("a", "b")
}

func readsSeeCommits(b storeBench) {
	for i := range 100 {
		name := fmt.Sprint(i)
		b.write(b.soon(), name, "x")
		if got := b.read(`SELECT value FROM settings WHERE name = ?`, name); len(got) != 1 {
			b.Fatalf("write %d is not seen by the read that followed", i)
		}
	}
}

func writesSeeThemselves(b storeBench) {
	b.must(b.db.Write(b.soon(), func(tx *store.Tx) error {
		b.must(put(tx, "a", "1"))
		if got, err := get(tx, "a"); err != nil || got != "1" {
			b.Errorf("%q, %v", got, err)
		}
		n, err := store.Exec(tx, `UPDATE settings SET value = '2' WHERE name = ?`, "none")
		if n != 0 {
			b.Errorf("%d rows changed, want 0", n)
		}
		return err
	}))
}

func transactionsEnd(b storeBench) {
	var kept *store.Tx
	b.must(b.db.Write(b.soon(), func(tx *store.Tx) error { kept = tx; return nil }))
	if err := put(kept, "a", "1"); err == nil {
		b.Error("a transaction was used after its end")
	}
	b.holds()
	b.works()
}

func referencesHold(b storeBench) {
	user := `INSERT INTO users (id, email, name, role, password, disabled, created_at, updated_at) VALUES ('usr_1', 'a@b', 'a', 'admin', '', 0, 0, 0)`
	session := `INSERT INTO sessions (id, user_id, mac, created_at, expires_at) VALUES ('ses_1', ?, ?, 0, 0)`
	err := b.db.Write(b.soon(), func(tx *store.Tx) error {
		_, err := store.Exec(tx, session, "usr_1", []byte("mac"))
		return err
	})
	if err == nil || fault.KindOf(err) != fault.Internal {
		b.Errorf("a session of nobody: %v", err)
	}
	b.must(b.db.Write(b.soon(), func(tx *store.Tx) error {
		_, errUser := store.Exec(tx, user)
		_, errSession := store.Exec(tx, session, "usr_1", []byte("mac"))
		_, errDelete := store.Exec(tx, `DELETE FROM users WHERE id = 'usr_1'`)
		return errors.Join(errUser, errSession, errDelete)
	}))
	if left := b.read(`SELECT id FROM sessions`); len(left) != 0 {
		b.Errorf("left are %q", left)
	}
}
