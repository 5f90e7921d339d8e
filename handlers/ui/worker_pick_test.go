package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
)

// manyWorkers is a fleet of workers host-0, host-1 and so on; those with an even number are there.
type manyWorkers []fleet.Worker

func newWorkers(n int) (all manyWorkers) {
	for i := range n {
		all = append(all, fleet.Worker{ID: core.WorkerID(fmt.Sprintf("wrk_%020d", i)), Hostname: fmt.Sprintf("host-%d", i), Online: i%2 == 0})
	}
	return all
}

func (m manyWorkers) Worker(_ context.Context, id core.WorkerID) (fleet.Worker, error) {
	for _, w := range m {
		if w.ID == id {
			return w, nil
		}
	}
	return fleet.Worker{}, fault.New(fault.NotFound, "worker.not_found", "There is no such worker.")
}

func (m manyWorkers) Workers(_ context.Context, f fleet.Filter, ask core.Page) (list core.List[fleet.Worker], err error) {
	for _, w := range m {
		if string(w.ID) <= ask.After || f.Revoked != nil && *f.Revoked != w.Revoked || f.Online != nil && *f.Online != w.Online || !strings.Contains(w.Hostname, f.Search) {
			continue
		}
		if len(list.Items) == ask.Limit {
			list.Next = string(list.Items[ask.Limit-1].ID)
			return list, nil
		}
		list.Items = append(list.Items, w)
	}
	return list, nil
}

func everyWorker(fleet.Worker) bool { return true }

func TestAWorkerOfALargeFleetIsTyped(t *testing.T) {
	words := choice{Name: "worker_id", Label: "Worker"}
	for fleetOf, large := range map[int]bool{0: false, pickedFrom: false, pickedFrom + 1: true, 10_000: true} {
		all := newWorkers(fleetOf)
		p, err := newWorkerPick(t.Context(), all, words, "Any", "", everyWorker)
		if err != nil || p.Large != large || p.Empty() != (fleetOf == 0) {
			t.Errorf("of %d: large is %v, empty is %v, %v", fleetOf, p.Large, p.Empty(), err)
		}
		if want := fleetOf + 1; !large && len(p.Choose.Options) != want {
			t.Errorf("of %d: %d options, want %d", fleetOf, len(p.Choose.Options), want)
		}
		if want := min(fleetOf/2+fleetOf%2, pickedFrom); large && (len(p.Type.Among) != want || p.Type.Among[1] != "host-2") {
			t.Errorf("of %d: %d are proposed, want the %d that are there", fleetOf, len(p.Type.Among), want)
		}
	}
	all := newWorkers(pickedFrom + 700)
	for chosen, shown := range map[string]string{string(all[650].ID): "host-650", "host-9": "host-9", "wrk_gone": "wrk_gone", "": ""} {
		if p, err := newWorkerPick(t.Context(), all, words, "Any", chosen, everyWorker); err != nil || string(p.Type.Value) != shown {
			t.Errorf("%q is shown as %q, want %q; %v", chosen, p.Type.Value, shown, err)
		}
	}
}

func TestAStackKeepsAWorkerThatIsRevoked(t *testing.T) {
	for n, large := range map[int]bool{5: false, 500: true} {
		all := newWorkers(n)
		all[3].Revoked = true
		p, err := newWorkerPick(t.Context(), all, choice{Name: "worker_id"}, "Any", string(all[3].ID), everyWorker)
		if err != nil {
			t.Fatal(err)
		}
		saved := p.Type.Value
		if !large {
			for _, o := range p.Choose.Options {
				if o.Selected {
					saved = o.Value
				}
			}
			if last := p.Choose.Options[len(p.Choose.Options)-1]; last.Word != "host-3 (revoked)" || len(p.Choose.Options) != n+1 {
				t.Errorf("the last of %d options is %+v", len(p.Choose.Options), last)
			}
		}
		if id, err := pickedWorker(t.Context(), all, "worker_id", string(saved)); err != nil || id != all[3].ID {
			t.Errorf("of %d: saved as %q it is on %q; %v", n, saved, id, err)
		}
		if p, err := newWorkerPick(t.Context(), all, choice{Name: "worker_id"}, "Any", string(all[3].ID), func(w fleet.Worker) bool { return w.ID != all[3].ID }); err != nil || !large && len(p.Choose.Options) != n {
			t.Errorf("where it is not offered there are %d options; %v", len(p.Choose.Options), err)
		}
	}
}

func TestATypedWorkerIsFoundByItsName(t *testing.T) {
	all := newWorkers(1500)
	all[7].Hostname, all[8].Hostname = "twin", "twin"
	all[7].Namesake, all[8].Namesake = true, true
	for said, want := range map[string]core.WorkerID{
		"": "", "  ": "", "host-1400": all[1400].ID, " HOST-1 ": all[1].ID, string(all[3].ID): all[3].ID, "wrk_gone": "wrk_gone", all[8].Label(): all[8].ID,
	} {
		if id, err := pickedWorker(t.Context(), all, "worker_id", strings.ToLower(said)); err != nil || id != want {
			t.Errorf("%q is %q, want %q; %v", said, id, want, err)
		}
	}
	for said, want := range map[string]string{"host-9999": `is called "host-9999"`, "host-": "is called", "twin": "2 workers are called", "twin (": "is called"} {
		_, err := pickedWorker(t.Context(), all, "worker_id", said)
		var known *fault.Error
		if fault.CodeOf(err) != "worker.unnamed" {
			t.Errorf("%q: %v", said, err)
		} else if known = err.(*fault.Error); known.Fields[0].Path != "worker_id" || !strings.Contains(known.Fields[0].Problem, want) {
			t.Errorf("%q: %+v", said, known.Fields)
		}
	}
}
