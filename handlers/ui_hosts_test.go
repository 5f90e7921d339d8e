package handlers_test

import (
	"testing"
	"time"

	"berth/core/access"
	"berth/core/fleet"
	"berth/handlers/api"
)

// How the hosts of workers are is on their pages, on the overview and in the API; a disk that is nearly full needs somebody.
func TestHowHostsAreIsShown(t *testing.T) {
	s := newStand(t)
	session := s.session(s.found())
	w := s.worker("web-1")
	page := "/workers/" + string(w.ID)
	says(t, s.browse(session, page), 200, "Nothing was read of its host in this time.")
	silent(t, s.browse(session, "/").Body.String(), "Load of hosts")

	s.madeStack(session)
	s.must(s.store.SaveReadings(t.Context(), []fleet.Reading{
		{Worker: w.ID, At: s.now().Add(-10 * time.Minute), CPU: 100, Load: 500, CPUs: 4, Memory: 1 << 30, MemoryTotal: 4 << 30, Disk: 60 << 30, DiskTotal: 100 << 30},
		{Worker: w.ID, At: s.now(), CPU: 850, Load: 3250, CPUs: 4, Memory: 2 << 30, MemoryTotal: 4 << 30, Disk: 92 << 30, DiskTotal: 100 << 30}}))
	says(t, s.browse(session, page), 200, "<strong>85 %</strong>", `aria-label="Processors in the last 24 hours: from 10 % to 85 %, last 85 %."`, "2 GiB of 4 GiB", `aria-label="Disk in the last 24 hours: from 60 % to 92 %, last 92 %."`, "<strong>3.25</strong>")
	says(t, s.browse(session, "/"), 200, "Load of hosts", "CPU 85 %, memory 50 %, disk 92 %", "The disk of its host is 92 % full: 92 GiB of 100 GiB.", "One thing needs you.", `href="`+page+`">See its host`)

	key := s.keyOf(access.RoleViewer)
	got := into[api.ReadingsAnswer](t, s, 200, call{method: "GET", path: "/api/custom" + page + "/readings", key: key})
	if len(got.Items) != 2 || got.EverySeconds != 300 || *got.Items[1].CPU != 0.85 || *got.Items[1].Load != 3.25 || *got.Items[0].DiskBytes != 60<<30 {
		t.Errorf("%+v", got)
	}
	wantCode(t, s, 404, "worker.not_found", call{method: "GET", path: "/api/custom/workers/wrk_00000000000000000000000000/readings", key: key})
}
