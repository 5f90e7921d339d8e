package hub

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/wire"
)

func TestAWorkerTellsWhatContainersUse(t *testing.T) {
	s := newStand(t)
	w := s.enrol("one")
	p := s.connectAs(w, wire.Hello{Usage: true})
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\n"})
	want := []stacks.ServiceUsage{{Service: "web", Samples: []stacks.UsageSample{{At: time.Unix(7, 0).UTC(), CPU: 120, Memory: 5 << 20}}}}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	for _, last := range []string{"", "x"} { // the second is no answer
		done := make(chan error, 1)
		var got []stacks.ServiceUsage
		go func() {
			var err error
			got, err = s.hub.Usage(t.Context(), st)
			done <- err
		}()
		asked := expect[wire.Request](p)
		if asked.Kind != wire.RequestUsage || asked.Stack != st.ID || asked.Project != "web" {
			t.Errorf("asked %+v", asked)
		}
		p.send(wire.Reply{ID: asked.ID, Data: string(text[:9])})
		p.send(wire.Reply{ID: asked.ID, Data: string(text[9:]) + last, Last: true})
		if err := <-done; (err != nil) != (last != "") || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("told %+v, %v", got, err)
		}
	}
}

// TestAnOlderWorkerIsNotAskedWhatContainersUse: it would take the question for a fault of the hub.
func TestAnOlderWorkerIsNotAskedWhatContainersUse(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\n"})
	if _, err := s.hub.Usage(t.Context(), st); fault.CodeOf(err) != "worker.no_usage" {
		t.Errorf("an older worker: %v", err)
	}
	if _, err := s.hub.Usage(t.Context(), stacks.Stack{ID: st.ID}); fault.CodeOf(err) != "stack.not_deployed" {
		t.Errorf("a stack that is nowhere: %v", err)
	}
	if _, err := s.hub.Usage(t.Context(), stacks.Stack{ID: st.ID, Worker: "wrk_other"}); fault.CodeOf(err) != "worker.offline" {
		t.Errorf("a worker that is away: %v", err)
	}
}
