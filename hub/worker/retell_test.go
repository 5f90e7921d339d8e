package worker

import (
	"testing"

	"berth/core/wire"
)

// A result may reach the hub after a report of what happened since: once it is acknowledged, the stack
// is told anew.
func TestAStackIsToldAnewOnceItsResultIsStored(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		await(h, "a complete report", func(m wire.Observed) bool { return m.Complete }) // so that what is told of the stack is a change
		cmd := deployOf(h, newStack(), 1)
		h.send(cmd)
		about := func(m wire.Observed) bool {
			return !m.Complete && len(m.Stacks) == 1 && m.Stacks[0].Stack == cmd.Deploy.Stack && m.Stacks[0].Revision == 1
		}
		ended, told := false, false // in either order
		await(h, "the result of the command, and what it left", func(msg any) bool {
			switch m := msg.(type) {
			case wire.Result:
				ended = ended || m.ID == cmd.ID
			case wire.Observed:
				told = told || about(m)
			}
			return ended && told
		})
		silentFor(h, completeEvery/2, about)
		h.ack(cmd.ID, 1)
		await(h, "the same once more", about)
		silentFor(h, completeEvery/4, about)
	})
}
