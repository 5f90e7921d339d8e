package hub

import (
	"database/sql"
	"path/filepath"
	"testing"

	"berth/core/stacks"
	"berth/core/wire"
	"berth/hub/adapter/sqlite"
)

// spoil runs a statement beside the store, as damage or another program does.
func (s *stand) spoil(query string, args ...any) {
	s.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.dir, sqlite.File)+"?_pragma=busy_timeout(60000)")
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query, args...); err != nil {
		s.t.Fatal(err)
	}
}

// A row that cannot be read holds up what it is about and nothing else: neither other stacks, nor
// the link of the worker that has the command. Once it is put right all goes on.
func TestARowThatCannotBeReadDoesNotHoldUpTheOthers(t *testing.T) {
	for name, test := range map[string]struct{ spoil, mend string }{
		"a command":    {`UPDATE commands SET body = '{' || body WHERE id = ?`, `UPDATE commands SET body = substr(body, 2) WHERE id = ?`},
		"a deployment": {`UPDATE deployments SET aim = '{' || aim WHERE id = (SELECT deployment_id FROM commands WHERE id = ?)`, `UPDATE deployments SET aim = substr(aim, 2) WHERE id = (SELECT deployment_id FROM commands WHERE id = ?)`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			w, p := s.online()
			s.commit(map[string]string{"bad/compose.yaml": "service web\n", "good/compose.yaml": "service web\n"})
			bad := s.add("bad", "bad", w.ID, true)
			cmd := expect[wire.Command](p)
			s.spoil(test.spoil, cmd.ID)
			s.restart() // so that nothing is known by heart
			p.leave()

			p = s.connect(w, wire.JournalEntry{ID: cmd.ID, Attempt: cmd.Attempt, State: wire.JournalReceived})
			if p.welcome.Settle[0].Do != wire.SettleRun {
				t.Errorf("the command is settled as %s", p.welcome.Settle[0].Do)
			}
			good := s.add("good", "good", w.ID, true)
			p.succeed(expect[wire.Command](p))
			s.stackIs(good.ID, stacks.StatusActive)
			p.tell(cmd, 1, "of the bad one\n")
			p.send(resultOf(cmd, wire.ResultSucceeded))
			p.silent() // it is not acknowledged, and the link goes on
			p.leave()

			s.spoil(test.mend, cmd.ID)
			p = s.connect(w, wire.JournalEntry{ID: cmd.ID, Attempt: cmd.Attempt, State: wire.JournalResult})
			if p.welcome.Settle[0].Do != wire.SettleRun {
				t.Errorf("the result is settled as %s", p.welcome.Settle[0].Do)
			}
			p.finish(cmd, wire.ResultSucceeded, 0)
			s.stackIs(bad.ID, stacks.StatusActive)
		})
	}
}
