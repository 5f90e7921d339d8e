package integrations_test

import (
	"fmt"
	"strings"
	"testing"

	"berth/core/fault"
	"berth/core/integrations"
)

func TestATargetMayBeThereSeveralTimes(t *testing.T) {
	r := open(t)
	hook := map[string]string{"webhook_url": "https://hooks.example.com/" + canary, "events": "worker_away, drifted"}
	for _, slug := range []string{"slack", "slack-ops", "slack-dev"} {
		if i := r.save(t, slug, true, hook); i.Slug != slug || !i.Set["webhook_url"] || i.Category != integrations.CategoryNotification || i.Kind != integrations.Slack {
			t.Errorf("%+v", i)
		}
	}
	r.save(t, "ntfy", false, map[string]string{"topic": "x"})
	all, err := r.Integrations(t.Context())
	if err != nil || len(all) != 11 || all[9].Name != "Slack: dev" || all[10].Slug != "slack-ops" {
		t.Errorf("%d are listed, %v", len(all), err)
	}
	targets, err := r.Targets(t.Context())
	if err != nil || len(targets) != 3 || targets["slack-ops"].Settings["events"] != "worker_away, drifted" || strings.Contains(fmt.Sprint(targets), canary) {
		t.Errorf("%+v, %v", targets, err)
	}
	kind, o, err := r.Opened(t.Context(), "slack-ops")
	if err != nil || kind != "slack" || !strings.HasSuffix(o.Secrets["webhook_url"].Reveal(), canary) {
		t.Errorf("%s, %v", kind, err)
	}
	if _, _, err := r.Opened(t.Context(), "ntfy"); fault.CodeOf(err) != "integration.incomplete" {
		t.Errorf("one that is disabled: %v", err)
	}
	if err := r.Delete(t.Context(), "slack-ops", ada); err != nil {
		t.Error(err)
	}
	for slug, code := range map[string]string{"slack-ops": "integration.not_found", "vault": "integration.locked", "slack_x": "integration.not_found", "slack-": "integration.not_found",
		"slack-A": "integration.not_found", "vault-x": "integration.not_found", "slack-" + strings.Repeat("x", 33): "integration.not_found"} {
		if err := r.Delete(t.Context(), slug, ada); fault.CodeOf(err) != code {
			t.Errorf("%s: %v", slug, err)
		}
	}
	for n := range 100 {
		if _, err = r.Save(t.Context(), fmt.Sprint("slack-", n), integrations.Change{Settings: hook}, ada); err != nil {
			break
		}
	}
	if fault.CodeOf(err) != "integration.limit" {
		t.Errorf("without end: %v", err)
	}
}

func TestWhatATargetDoesNotTake(t *testing.T) {
	r := open(t)
	for name, c := range map[string]struct {
		slug, field, value string
	}{
		"an event that is none":      {"slack", "events", "worker_away,everything"},
		"names on two lines":         {"slack", "stacks", "a\nb"},
		"a topic with a slash":       {"ntfy", "topic", "a/b"},
		"an address with a user":     {"webhook", "url", "https://a:b@example.com/"},
		"an address of no server":    {"webhook", "url", "file:///etc/passwd"},
		"an address with a line":     {"email", "to", "a@x.org\r\nBcc: b@x.org"},
		"an address with a name":     {"email", "to", "Ada <a@x.org>"},
		"more addresses than twenty": {"email", "to", strings.Repeat("a@x.org,", 21)},
	} {
		_, err := r.Save(t.Context(), c.slug, integrations.Change{Settings: map[string]string{c.field: c.value}}, ada)
		if fault.CodeOf(err) != "integration.invalid" || !strings.Contains(fields(err), "settings."+c.field) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestASecretThatSignsIsNotShort: one that is could be found out from a single request.
func TestASecretThatSignsIsNotShort(t *testing.T) {
	r := open(t)
	for secret, bad := range map[string]bool{"x": true, strings.Repeat("x", 15): true, "sixteen of them and spaces": true, strings.Repeat("x", 16): false} {
		_, err := r.Save(t.Context(), "webhook-ops", integrations.Change{Settings: map[string]string{"secret": secret}}, ada)
		if refused := strings.Contains(fields(err), "settings.secret"); refused != bad || (err != nil) != bad {
			t.Errorf("%q: %v", secret, err)
		}
	}
}
