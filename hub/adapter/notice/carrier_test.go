package notice

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/integrations"
	"berth/core/mail"
	"berth/core/notify"
	"berth/core/outbox"
	"berth/core/secrets"
	"berth/hub/adapter/outbound"
)

const canary = "canary-2718"

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// receiver is a service that keeps what it gets.
type receiver struct {
	*httptest.Server
	status int
	to     string // where it sends us
	got    []*http.Request
	bodies []string
}

func receive(t *testing.T) *receiver {
	r := &receiver{status: 200}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			t.Error(err)
		}
		r.got, r.bodies = append(r.got, request), append(r.bodies, string(body))
		if r.to != "" {
			w.Header().Set("Location", r.to)
		}
		w.WriteHeader(r.status)
		io.WriteString(w, "no "+canary+strings.Repeat("x", 10_000))
	}))
	t.Cleanup(r.Close)
	return r
}

// targets is one target of a kind at a receiver.
type targets struct {
	kind string
	o    integrations.Opened
	gone error
}

func (t targets) Opened(context.Context, string) (string, integrations.Opened, error) {
	return t.kind, t.o, t.gone
}

type mailed struct{ all []mail.Message }

func (m *mailed) Queue(_ context.Context, one mail.Message) error {
	m.all = append(m.all, one)
	return nil
}

func targetOf(kind, url string) targets {
	secret := func(name, value string) map[string]secrets.Value {
		return map[string]secrets.Value{name: secrets.NewValue(value)}
	}
	switch kind {
	case integrations.Webhook:
		return targets{kind: kind, o: integrations.Opened{Settings: map[string]string{"url": url + "/hook?a=b"}, Secrets: secret("secret", canary)}}
	case integrations.Ntfy:
		return targets{kind: kind, o: integrations.Opened{Settings: map[string]string{"url": url, "topic": "ops"}, Secrets: secret("token", canary)}}
	}
	return targets{kind: kind, o: integrations.Opened{Settings: map[string]string{}, Secrets: secret("webhook_url", url+"/hook/"+canary)}}
}

var hostile = notify.Told{ID: "ltr_1", Event: "deployment_failed", Title: "The deployment of @everyone <!channel> failed", URL: "https://berth.test", At: now, More: 3,
	Items: []notify.Item{{Name: "<@U1> [x](http://evil.test) `*_~", Detail: "see https://evil.test\x1b[31m and www.evil.test \u202e <https://evil.test|here> & @here", URL: "https://berth.test/deployments/dep_1"}}}

func letterOf(t *testing.T, told notify.Told) (outbox.Letter, []byte) {
	t.Helper()
	text, err := json.Marshal(told)
	if err != nil {
		t.Fatal(err)
	}
	return outbox.Letter{ID: "ltr_1", Kind: outbox.Notice, To: "x", State: outbox.Waiting, GiveUpAt: now.Add(time.Hour)}, text
}

func carry(t *testing.T, kind string, r *receiver, told notify.Told) (string, error) {
	t.Helper()
	l, text := letterOf(t, told)
	return New(targetOf(kind, r.URL), nil, "https://berth.test", func() time.Time { return now }, outbound.Options{}).Carry(t.Context(), l, text)
}

func TestNothingIsTakenForMarkup(t *testing.T) {
	for _, kind := range []string{integrations.Slack, integrations.Discord, integrations.Ntfy, integrations.Webhook} {
		r := receive(t)
		answer, err := carry(t, kind, r, hostile)
		if err != nil || answer != "200 OK" || len(r.bodies) != 1 {
			t.Fatalf("%s: %q, %v", kind, answer, err)
		}
		var body map[string]any
		if err := json.Unmarshal([]byte(r.bodies[0]), &body); err != nil || r.got[0].Header.Get("Content-Type") != "application/json" || r.got[0].Method != "POST" {
			t.Fatalf("%s: %v, %v", kind, err, r.got[0])
		}
		text := r.bodies[0]
		switch kind {
		case integrations.Slack:
			if shown := body["text"].(string); strings.ContainsAny(shown, "<>") || strings.Contains(text, "@everyone") || strings.Contains(text, "https://evil") || strings.Contains(text, "www.evil") {
				t.Errorf("slack gets %s", text)
			}
			if kinds := strings.Count(text, `"mrkdwn"`); kinds != 1 || !strings.Contains(text, "<https://berth.test|Open in Berth>") {
				t.Errorf("slack gets %s", text)
			}
		case integrations.Discord:
			content := body["content"].(string)
			if strings.Contains(content, "@everyone") || strings.Contains(content, "://evil") || strings.Contains(strings.ReplaceAll(content, `\[`, ""), "[x](") ||
				len(body["allowed_mentions"].(map[string]any)["parse"].([]any)) != 0 || len([]rune(content)) > 2000 {
				t.Errorf("discord gets %s", text)
			}
		case integrations.Ntfy:
			if body["topic"] != "ops" || body["click"] != "https://berth.test" || r.got[0].Header.Get("Authorization") != "Bearer "+canary || r.got[0].URL.Path != "/" {
				t.Errorf("ntfy gets %s", text)
			}
		case integrations.Webhook:
			stamp := r.got[0].Header.Get(HeaderTimestamp)
			mac := hmac.New(sha256.New, []byte(canary))
			io.WriteString(mac, stamp+"."+text)
			if r.got[0].Header.Get(HeaderSignature) != "sha256="+hex.EncodeToString(mac.Sum(nil)) || stamp != "1795348800" || r.got[0].Header.Get(HeaderDelivery) != "ltr_1" ||
				r.got[0].Header.Get(HeaderEvent) != "deployment_failed" || r.got[0].URL.RawQuery != "a=b" {
				t.Errorf("the webhook gets %s, %v", text, r.got[0].Header)
			}
			var told notify.Told
			if err := json.Unmarshal([]byte(text), &told); err != nil || told.Items[0] != hostile.Items[0] {
				t.Errorf("the webhook gets %+v, %v", told, err)
			}
		}
	}
}

func TestLongMessagesFit(t *testing.T) {
	told := hostile
	told.Items = nil
	for range 20 {
		told.Items = append(told.Items, notify.Item{Name: strings.Repeat("*", 200), Detail: strings.Repeat("\\ü", 150), URL: "https://berth.test/x"})
	}
	for _, kind := range []string{integrations.Slack, integrations.Discord, integrations.Ntfy} {
		r := receive(t)
		if _, err := carry(t, kind, r, told); err != nil {
			t.Fatal(err)
		}
		var body struct {
			Content, Message string
			Blocks           []struct{ Text struct{ Text string } }
		}
		if err := json.Unmarshal([]byte(r.bodies[0]), &body); err != nil {
			t.Fatal(err)
		}
		if len([]rune(body.Content)) > 2000 || len(body.Message) > 4096 || len(body.Blocks) > 0 && len([]rune(body.Blocks[0].Text.Text)) > 3000 {
			t.Errorf("%s gets %d bytes", kind, len(r.bodies[0]))
		}
	}
}

func TestWhatATargetAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		to     string
		code   string
		final  bool
	}{
		"it took it":       {204, "", "", false},
		"too many":         {429, "", "notice.failed", false},
		"it is broken":     {502, "", "notice.failed", false},
		"it refuses":       {403, "", "notice.refused", true},
		"it is gone":       {410, "", "notice.refused", true},
		"it is elsewhere":  {302, "http://169.254.169.254/", "notice.redirected", true},
		"it is there also": {308, "https://example.org/", "notice.redirected", true},
	} {
		r := receive(t)
		r.status, r.to = c.status, c.to
		_, err := carry(t, integrations.Slack, r, hostile)
		l := outbox.Letter{State: outbox.Waiting, GiveUpAt: now.Add(time.Hour)}.Settled("", err, now, 0)
		if (err != nil) != (c.code != "") || err != nil && (fault.CodeOf(err) != c.code || (l.State == outbox.Failed) != c.final) {
			t.Errorf("%s: %v, and then %s", name, err, l.State)
		}
		if err != nil && strings.Contains(err.Error(), canary) || len(r.bodies) != 1 {
			t.Errorf("%s: %d requests, %v", name, len(r.bodies), err)
		}
	}
}

func TestWhereNothingIsSent(t *testing.T) {
	l, text := letterOf(t, hostile)
	for name, c := range map[string]struct {
		target targets
		code   string
	}{
		"metadata of a cloud":      {targetOf(integrations.Slack, "http://169.254.169.254"), "outbound.address_refused"},
		"nothing there":            {targetOf(integrations.Webhook, "http://127.0.0.1:1"), "notice.unreachable"},
		"a target that was erased": {targets{gone: fault.New(fault.Conflict, "integration.incomplete", "It is not enabled.")}, "integration.incomplete"},
		"a kind that is none":      {targets{kind: "pigeon"}, "notice.no_target"},
		"no address":               {targetOf(integrations.Slack, "::"), "notice.address"},
	} {
		_, err := New(c.target, nil, "", time.Now, outbound.Options{}).Carry(t.Context(), l, text)
		if fault.CodeOf(err) != c.code || strings.Contains(fault.PublicOf(err), canary) {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
}

func TestATestMessage(t *testing.T) {
	r, m := receive(t), &mailed{}
	for _, kind := range []string{integrations.Webhook, integrations.Slack, integrations.Discord, integrations.Ntfy} {
		target := targetOf(kind, r.URL)
		if err := New(target, m, "https://berth.test", time.Now, outbound.Options{}).TellTest(t.Context(), kind, target.o); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if len(r.bodies) != 4 {
		t.Errorf("%d messages", len(r.bodies))
	}
	err := New(targets{}, m, "https://berth.test", time.Now, outbound.Options{}).TellTest(t.Context(), integrations.Email, integrations.Opened{Settings: map[string]string{"to": "a@x.org, b@x.org"}})
	if err != nil || len(m.all) != 2 || m.all[1].To != "b@x.org" {
		t.Errorf("%+v, %v", m.all, err)
	}
}
