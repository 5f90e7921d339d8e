package hub

import (
	"testing"

	"berth/core/stacks"
	"berth/core/wire"
)

// A stack that cannot be read keeps the others of its repository neither from being looked at
// nor from being deployed.
func TestAStackThatCannotBeReadDoesNotHoldUpItsRepository(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	s.commit(map[string]string{"bad/compose.yaml": "service web\n", "good/compose.yaml": "service web\n"})
	bad := s.add("bad", "bad", w.ID, true)
	p.succeed(expect[wire.Command](p))
	s.stackIs(bad.ID, stacks.StatusActive)
	good := s.add("good", "good", w.ID, true)
	p.succeed(expect[wire.Command](p))
	s.stackIs(good.ID, stacks.StatusActive)

	s.spoil(`UPDATE stacks SET drift = '[' WHERE id = ?`, bad.ID)
	s.commit(map[string]string{"bad/compose.yaml": "service web\nservice two\n", "good/compose.yaml": "service web\nservice two\n"})
	s.look()
	cmd := expect[wire.Command](p)
	if cmd.Deploy.Stack != good.ID {
		t.Fatalf("stack %s is deployed, want %s", cmd.Deploy.Stack, good.ID)
	}
	p.succeed(cmd)
	s.stackIs(good.ID, stacks.StatusActive)
	s.eventually("the repository says why", func() bool { return s.repository().ErrorCode == "store.unreadable" })

	s.spoil(`UPDATE stacks SET drift = '[]' WHERE id = ?`, bad.ID)
	s.look()
	if cmd := expect[wire.Command](p); cmd.Deploy.Stack != bad.ID {
		t.Errorf("stack %s is deployed, want %s", cmd.Deploy.Stack, bad.ID)
	} else {
		p.succeed(cmd)
	}
	s.stackIs(bad.ID, stacks.StatusActive)
}
