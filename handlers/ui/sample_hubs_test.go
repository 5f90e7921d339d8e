package ui

import (
	"testing"
	"time"

	"berth/core"
	"berth/core/hubs"
)

func sampleHubs() []hubs.Known {
	of := func(id core.HubID, url string) hubs.Hub {
		return hubs.Hub{ID: id, URL: url, Version: "1.4.0", StartedAt: before(75 * time.Hour)}
	}
	return []hubs.Known{
		{Hub: of("hub_1", "https://hub-1.internal:8091"), Up: true, Leads: true, Workers: 12, HeardAt: before(2 * time.Second)},
		{Hub: of("hub_2", "https://[fd00::12:3456]:8091"), Up: true, Workers: 9, HeardAt: before(time.Second)},
		{Hub: of("hub_3", "https://ip-10-0-12-214.eu-central-1.compute.internal:8091"), HeardAt: before(40 * time.Minute)},
	}
}

func TestHubsHaveTheNameOfTheirHost(t *testing.T) {
	lines := hubLines(append(sampleHubs(), hubs.Known{Hub: hubs.Hub{URL: "none"}}), sampleNow)
	for i, want := range []struct {
		name, word string
		leads      bool
	}{{"hub-1.internal", "Up", true}, {"fd00::12:3456", "Up", false}, {"ip-10-0-12-214.eu-central-1.compute.internal", "Gone", false}, {"none", "Gone", false}} {
		if l := lines[i]; l.Name != want.name || l.Badge.Word != want.word || l.Leads != want.leads {
			t.Errorf("%+v, want %+v", l, want)
		}
	}
}
