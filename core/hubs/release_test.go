package hubs_test

import (
	"strings"
	"testing"

	"berth/core/fault"
	"berth/core/hubs"
)

func TestHubsOfOneReleaseWorkTogether(t *testing.T) {
	at := func(url, version string) hubs.Hub { return hubs.Hub{URL: url, Version: version} }
	for sentence, c := range map[string]struct {
		self  hubs.Hub
		there []hubs.Hub
		want  []string // words of the refusal; nil: it may
	}{
		"nobody is there":        {at("https://b", "1.3.0"), nil, nil},
		"the same release":       {at("https://b", "1.3.0"), []hubs.Hub{at("https://a", "1.3.0")}, nil},
		"builds from source":     {at("https://b", "dev"), []hubs.Hub{at("https://a", "dev")}, nil},
		"an older one is there":  {at("https://b", "1.3.0"), []hubs.Hub{at("https://c", "1.3.0"), at("https://a", "1.2.9")}, []string{"https://a", "1.2.9", "1.3.0", "stop every hub"}},
		"a newer one is there":   {at("https://b", "1.2.9"), []hubs.Hub{at("https://a", "1.3.0")}, []string{"https://a", "1.2.9", "1.3.0"}},
		"one without a version":  {at("https://b", "1.2.9"), []hubs.Hub{at("https://a", "")}, []string{"release unknown"}},
		"another patch of it is": {at("https://b", "1.2.9"), []hubs.Hub{at("https://a", "1.2.8")}, []string{"1.2.8"}},
	} {
		err := hubs.Beside(c.self, c.there)
		if (err == nil) != (c.want == nil) || err != nil && fault.CodeOf(err) != "hub.release" {
			t.Errorf("%s: %v", sentence, err)
		}
		for _, word := range c.want {
			if !strings.Contains(fault.PublicOf(err), word) {
				t.Errorf("%s: %q does not say %s", sentence, fault.PublicOf(err), word)
			}
		}
	}
}
