package handlers_test

import (
	"net/url"
	"strings"
	"testing"

	"berth/core/access"
)

// TestEachRefusedStackOfManyIsNamedWithItsReason: on the page that follows the others, with what to do about it.
func TestEachRefusedStackOfManyIsNamedWithItsReason(t *testing.T) {
	s := newStand(t)
	s.found()
	session := s.session(s.user(access.RoleOperator))
	_, page := s.madeStack(session)
	stack := strings.TrimPrefix(page, "/stacks/")
	begin, end := s.refusing()
	for _, c := range []struct {
		do, why, name string
		damage, mend  func()
	}{
		{"sync", "Free some space below DATA_DIR and try it again.", ">web<", begin, end},
		{"pause", "Free some space below DATA_DIR and try it again.", ">web<", begin, end},
		{"resume", "Free some space below DATA_DIR and try it again.", ">web<", func() { s.exec(`UPDATE stacks SET paused = 1`); begin() }, end},
		{"sync", "It is being removed.", ">web<", func() { s.exec(`UPDATE stacks SET deleting = 1`) }, func() { s.exec(`UPDATE stacks SET deleting = 0`) }},
		{"sync", "It was removed before its turn came.", "a stack that is gone", func() { s.exec(`DELETE FROM stacks`) }, func() {}},
	} {
		c.damage()
		w := s.submit(session, "/stacks/bulk", url.Values{"do": {c.do}, "stack": {stack}})
		c.mend()
		to := w.Header().Get("Location")
		if w.Code != 303 || !strings.HasPrefix(to, "/stacks/bulk/done?") {
			t.Fatalf("%s: %d to %q", c.do, w.Code, to)
		}
		says(t, s.browse(session, to), 200, "1 of 1 ended: 0 done, 1 not.", "Refused", c.name, c.why)
	}
}
