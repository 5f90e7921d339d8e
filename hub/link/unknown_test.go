package link

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"berth/core/wire"
)

// TestWhatANewerPeerSaysIsLeftOut at both ends: the link goes on, and what is known is handled.
func TestWhatANewerPeerSaysIsLeftOut(t *testing.T) {
	for sentence, c := range map[string]struct {
		side  Side
		known string
	}{
		"an older hub":    {Hub, `heartbeat {"number":1}`},
		"an older worker": {Worker, `heartbeat_ack {"number":1}`},
	} {
		t.Run(sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := Pair()
				var told []string
				handled := 0
				l := New(a, Options{Side: c.side, Unknown: func(err error) { told = append(told, err.Error()) }})
				ended := start(t.Context(), l, func(context.Context, any) error { handled++; return nil })
				for range toldUnknown + 5 {
					b.WriteFrame([]byte(`inventory {"of":["a","newer"],"release":{}}`))
				}
				b.WriteFrame([]byte(c.known))
				synctest.Wait()
				if handled != 1 {
					t.Errorf("%d messages were handled", handled)
				}
				if len(told) != toldUnknown || !strings.Contains(told[0], "inventory") {
					t.Errorf("%d were told: %.2q", len(told), told)
				}
				b.Close()
				if err := <-ended; err != io.EOF {
					t.Errorf("it ended with %v", err)
				}
			})
		})
	}
}

func TestNobodyHasToBeToldOfWhatIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pair()
		l := New(a, Options{Side: Hub})
		ended := start(t.Context(), l, ignore)
		b.WriteFrame([]byte(`inventory {}`))
		b.WriteFrame([]byte("\x00\xff"))
		if err := <-ended; !wire.Violation(err) {
			t.Errorf("it ended with %v", err)
		}
	})
}
