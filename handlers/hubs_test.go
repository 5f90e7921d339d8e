package handlers_test

import (
	"strings"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/fleet"
	"berth/core/hubs"
	"berth/handlers/api"
	"berth/handlers/endpoint"
)

// playHubs lists hubs while one is there, and leaves none.
func (p *players) playHubs() {
	s, ctx := p.s, p.t.Context()
	s.must(s.store.JoinHubs(ctx, hubs.Hub{ID: "hub_1", URL: "https://hub-1.test:8091", Version: "test", StartedAt: s.now()}))
	if items, _ := p.play(200, "GET", "/api/custom/hubs", "")["items"].([]any); len(items) != 1 {
		p.t.Errorf("hubs: %v", items)
	}
	s.must(s.store.LeaveHubs(ctx, "hub_1"))
}

func TestAdministratorsSeeHubsAndWhichLeads(t *testing.T) {
	s := newStand(t)
	key, ctx := s.admin(), t.Context()
	session := s.session(s.user(access.RoleAdmin))
	list := func() []api.HubAnswer {
		t.Helper()
		return decode[endpoint.Items[api.HubAnswer]](t, s.do(call{method: "GET", path: "/api/custom/hubs", key: key})).Items
	}
	if all := list(); len(all) != 0 || strings.Contains(s.browse(session, "/workers").Body.String(), `id="hubs-h"`) {
		t.Errorf("one server alone: %+v", all)
	}
	for _, id := range []core.HubID{"hub_1", "hub_2"} {
		s.must(s.store.JoinHubs(ctx, hubs.Hub{ID: id, URL: "https://" + strings.Replace(string(id), "_", "-", 1) + ".test:8091", Version: "test", StartedAt: s.now()}))
	}
	_, err := s.store.TakeLease(ctx, hubs.Duties, "hub_2")
	s.must(err)
	w := s.worker("web-1")
	_, err = s.store.WorkerConnected(hubs.Under(ctx, hubs.Fence{Hub: "hub_1"}), w.ID, fleet.Facts{Hostname: "web-1"})
	s.must(err)
	all := list()
	if len(all) != 2 {
		t.Fatalf("got %+v", all)
	}
	one, two := all[0], all[1]
	if one.Name != "hub-1.test" || one.URL != "https://hub-1.test:8091" || !one.Up || one.Leader || one.Workers != 1 || one.SeenAt.IsZero() || one.StartedAt.IsZero() || one.Version != "test" {
		t.Errorf("the first: %+v", one)
	}
	if two.Name != "hub-2.test" || !two.Leader || two.Workers != 0 {
		t.Errorf("the second: %+v", two)
	}
	_, err = s.store.WorkerConnected(hubs.Under(ctx, hubs.Fence{Hub: "hub_2"}), s.worker("web-2").ID, fleet.Facts{Hostname: "web-2"})
	s.must(err)
	if all := list(); all[1].Workers != 1 {
		t.Errorf("the second has a worker: %+v", all[1])
	}
	s.exec(`UPDATE hubs SET lease_until = lease_until - 60000000 WHERE id = 'hub_2'`)
	if all := list(); all[1].Up || all[1].Leader || all[1].Workers != 0 {
		t.Errorf("it died: %+v", all[1])
	}
	page := s.browse(session, "/workers").Body.String()
	for _, part := range []string{"hub-1.test", "hub-2.test", "It died without a word."} {
		if !strings.Contains(page, part) {
			t.Errorf("the page of workers does not say %q", part)
		}
	}
	if strings.Contains(s.browse(s.session(s.user(access.RoleOperator)), "/workers").Body.String(), "hub-1.test") {
		t.Error("it is shown to others than administrators")
	}
}
