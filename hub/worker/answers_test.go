package worker

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/wire"
	"berth/hub/worker/journal"
	"berth/hub/worker/outbox"
)

func TestAResultWaitsForItsLastLinesButNotForEver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	synctest.Test(t, func(t *testing.T) {
		j, _, err := journal.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		c := &commands{journal: j, box: outbox.New(), recent: newRecent()}
		key, quick := journal.Key{ID: "cmd_1", Attempt: 1}, journal.Key{ID: "cmd_2", Attempt: 1}
		for _, k := range []journal.Key{key, quick} {
			if err := j.Ended(wire.Result{ID: k.ID, Attempt: k.Attempt}); err != nil {
				t.Fatal(err)
			}
		}
		feed := c.box.Open(key, 0)
		feed.Line("the last line")
		feed.Finish()

		a := newAnswers(c)
		a.owe(key, quick, key, journal.Key{ID: "cmd_3", Attempt: 1})
		if msg, _ := a.next(time.Now()); msg.(wire.Result).ID != quick.ID {
			t.Errorf("first %+v; the other has lines that wait", msg)
		}
		if msg, wait := a.next(time.Now()); msg != nil || wait != logGrace {
			t.Errorf("then %+v, in %v", msg, wait)
		}
		if a.idle() {
			t.Error("idle although a result is owed")
		}
		if msg, _ := a.next(time.Now().Add(logGrace)); msg.(wire.Result).ID != key.ID {
			t.Errorf("at last %+v", msg)
		}
		if a.idle() {
			t.Error("idle although the last result may not be sent yet")
		}
		if msg, wait := a.next(time.Now()); msg != nil || wait >= 0 || !a.idle() {
			t.Errorf("nothing is left, but %+v in %v", msg, wait)
		}
	})
}
