package wire

import "testing"

// The table a second time, by hand: who may send what, and what goes first.
func TestDirectionsAndUrgency(t *testing.T) {
	want := map[string]struct{ worker, hub, control bool }{
		"hello":          {true, false, true},
		"welcome":        {false, true, true},
		"heartbeat":      {true, false, true},
		"heartbeat_ack":  {false, true, true},
		"snapshot":       {true, false, false},
		"observed":       {true, false, true},
		"command":        {false, true, true},
		"accepted":       {true, false, true},
		"event":          {true, false, false},
		"result":         {true, false, true},
		"result_ack":     {false, true, true},
		"cancel":         {false, true, true},
		"blob_want":      {true, false, true},
		"blob_chunk":     {false, true, false},
		"request":        {false, true, true},
		"reply":          {true, false, false},
		"request_cancel": {false, true, true},
		"bye":            {true, true, true},
	}
	all := samples()
	if len(want) != len(all) {
		t.Fatalf("%d rows for %d messages", len(want), len(all))
	}
	for name, w := range want {
		msg := all[name]
		if FromWorker(msg) != w.worker || FromHub(msg) != w.hub || Control(msg) != w.control {
			t.Errorf("%s: worker %t, hub %t, control %t; want %+v", name, FromWorker(msg), FromHub(msg), Control(msg), w)
		}
	}
	for _, stranger := range []any{nil, 7, &Bye{}, Enrol{}} {
		if FromWorker(stranger) || FromHub(stranger) || Control(stranger) {
			t.Errorf("%T is taken for a message", stranger)
		}
	}
}

func TestWrongDirectionIsAViolation(t *testing.T) {
	if err := WrongDirection(Welcome{}); !Violation(err) {
		t.Fatalf("%v is no violation", err)
	}
}
