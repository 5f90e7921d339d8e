package handlers_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/handlers/hook"
)

const webhooksPath = "/api/custom/webhooks"

func (p *players) playWebhooks() {
	const of, hooks = repositoriesPath + "/{repository}/webhook", webhooksPath + "/{repository}"
	if before := p.play(200, "GET", of, ""); before["enabled"] != false || before["last_delivery_at"] != nil {
		p.t.Errorf("a webhook without secret is %v", before)
	}
	p.play(401, "POST", hooks, `{"ref":"main"}`)
	p.play(201, "POST", of+"/secret", "")
	p.play(409, "DELETE", of+"/secret/previous", "")
	old := p.play(201, "POST", of+"/secret", "")["secret"].(string)
	secret := p.play(201, "POST", of+"/secret", "")["secret"].(string)
	p.play(404, "POST", webhooksPath+"/rep_none", `{}`)
	p.proof = "Bearer " + old
	p.play(202, "POST", hooks, `{"ref":"main"}`)
	p.proof = "Bearer " + secret
	p.play(202, "POST", hooks, `{"ref":"other","commit":"x","delivery":"1"}`)
	p.play(202, "POST", hooks, "")
	p.play(400, "POST", hooks, `{"ref":"a\u0001"}`)
	p.proof = ""
	p.play(204, "DELETE", of+"/secret/previous", "")
	p.play(204, "DELETE", of+"/secret", "")
	p.play(204, "DELETE", of+"/secret", "")
	items := p.play(200, "GET", hooks+"/deliveries", "")["items"].([]any)
	p.named["delivery"] = items[0].(map[string]any)["id"].(string)
	p.play(202, "POST", hooks+"/deliveries/{delivery}/replay", "")
	p.play(404, "POST", hooks+"/deliveries/whd_none/replay", "")
	p.play(200, "GET", of, "")
}

// hooked is a stand with a repository whose webhook has a secret.
type hooked struct {
	*stand
	id     core.RepositoryID
	key    string
	secret string
}

func newHooked(t *testing.T) *hooked {
	s := newStand(t)
	_, key := s.key(s.account(access.RoleOperator), 0)
	h := &hooked{stand: s, key: key}
	w := s.do(call{method: "POST", path: repositoriesPath, key: key, body: `{"name":"app","url":"https://git.example.com/team/app","branch":"main"}`})
	h.id = answerIn[api.RepositoryAnswer](t, w.Body.Bytes()).ID
	h.secret = h.rotate()
	return h
}

func (h *hooked) rotate() string {
	h.t.Helper()
	w := h.do(call{method: "POST", path: repositoriesPath + "/" + string(h.id) + "/webhook/secret", key: h.key})
	return answerIn[api.NewWebhookSecretAnswer](h.t, w.Body.Bytes()).Secret
}

func answerIn[T any](t testing.TB, body []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return v
}

// signed is what GitHub sends of a push.
func (h *hooked) signed(secret, delivery, body string) call {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return call{method: "POST", path: webhooksPath + "/" + string(h.id), body: body, header: http.Header{"X-Github-Event": {"push"}, "X-Github-Delivery": {delivery},
		"X-Hub-Signature-256": {"sha256=" + hex.EncodeToString(mac.Sum(nil))}}}
}

func (h *hooked) deliveries() []api.DeliveryAnswer {
	h.t.Helper()
	w := h.do(call{method: "GET", path: webhooksPath + "/" + string(h.id) + "/deliveries?limit=500", key: h.key})
	return answerIn[endpoint.Items[api.DeliveryAnswer]](h.t, w.Body.Bytes()).Items
}

const pushed = `{"ref":"refs/heads/main","after":"%040x","repository":{"default_branch":"main"}}`

func TestADeliveryIsKeptAndAsksForALook(t *testing.T) {
	h := newHooked(t)
	w := h.do(h.signed(h.secret, "guid-1", fmt.Sprintf(pushed, 1)))
	got := answerIn[hook.ReceivedAnswer](t, w.Body.Bytes())
	if w.Code != 202 || got.Result != repositories.DeliveryAccepted {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	r, err := h.store.Repository(t.Context(), h.id)
	if h.must(err); r.AskedAt.IsZero() || r.AskedBy != "webhook" || !r.HookedAt.Equal(r.AskedAt) {
		t.Errorf("the repository is %+v", r)
	}
	all := h.deliveries()
	if len(all) != 1 || all[0].ID != got.ID || all[0].Provider != "github" || all[0].HostID != "guid-1" || all[0].Ref != "refs/heads/main" || all[0].Commit != core.Commit(fmt.Sprintf("%040x", 1)) {
		t.Errorf("kept: %+v", all)
	}
}

// TestWhatProvesNothingIsRefused, and leaves no row.
func TestWhatProvesNothingIsRefused(t *testing.T) {
	h := newHooked(t)
	body := fmt.Sprintf(pushed, 1)
	change := func(f func(*call)) call {
		c := h.signed(h.secret, "guid", body)
		f(&c)
		return c
	}
	for name, c := range map[string]struct {
		call   call
		status int
		code   string
	}{
		"another secret":   {h.signed("x", "guid", body), 401, "webhook.refused"},
		"an empty secret":  {h.signed("", "guid", body), 401, "webhook.refused"},
		"another body":     {change(func(c *call) { c.body += " " }), 401, "webhook.refused"},
		"no signature":     {change(func(c *call) { delete(c.header, "X-Hub-Signature-256") }), 401, "webhook.refused"},
		"half a signature": {change(func(c *call) { c.header["X-Hub-Signature-256"][0] = c.header["X-Hub-Signature-256"][0][:40] }), 401, "webhook.refused"},
		"two signatures": {change(func(c *call) {
			v := c.header["X-Hub-Signature-256"][0]
			c.header["X-Hub-Signature-256"] = []string{v, v}
		}), 401, "webhook.refused"},
		"a body that is no JSON":     {h.signed("x", "guid", "{"), 401, "webhook.refused"},
		"an API key":                 {change(func(c *call) { delete(c.header, "X-Hub-Signature-256"); c.key = h.key }), 401, "webhook.refused"},
		"another repository":         {change(func(c *call) { c.path = webhooksPath + "/rep_" + strings.Repeat("0", 26) }), 404, "repository.not_found"},
		"no repository":              {change(func(c *call) { c.path = webhooksPath + "/x" }), 404, "repository.not_found"},
		"more than a mebibyte":       {h.signed(h.secret, "guid", `{"a":"`+strings.Repeat("x", repositories.MaxDelivery)+`"}`), 413, "request.too_large"},
		"another media type":         {change(func(c *call) { c.header["Content-Type"] = []string{"text/plain"} }), 415, "request.media_type"},
		"something compressed":       {change(func(c *call) { c.header["Content-Encoding"] = []string{"gzip"} }), 415, "request.media_type"},
		"signed, and half an object": {h.signed(h.secret, "half", "{"), 400, "webhook.unreadable"},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(h.deliveries())
			w := h.do(c.call)
			if w.Code != c.status || !strings.Contains(w.Body.String(), `"`+c.code+`"`) {
				t.Errorf("%d %s, want %d %s", w.Code, w.Body, c.status, c.code)
			}
			if kept := len(h.deliveries()) - before; kept != map[bool]int{true: 1}[c.code == "webhook.unreadable"] {
				t.Errorf("%d deliveries were kept", kept)
			}
		})
	}
	w := h.do(call{method: "GET", path: repositoriesPath + "/" + string(h.id) + "/webhook", key: h.key})
	if got := answerIn[api.WebhookAnswer](t, w.Body.Bytes()); got.LastRefusedAt == nil || got.LastAcceptedAt != nil {
		t.Errorf("the webhook is %+v", got)
	}
}

// TestTwoSecretsAreGood and the one before those is not.
func TestTwoSecretsAreGood(t *testing.T) {
	h := newHooked(t)
	secrets := []string{h.secret, h.rotate(), h.rotate()}
	statuses := func() (all []int) {
		for i, secret := range secrets {
			all = append(all, h.do(h.signed(secret, fmt.Sprint(len(all), len(h.deliveries())), fmt.Sprintf(pushed, 10*len(h.deliveries())+i))).Code)
		}
		return all
	}
	if got := fmt.Sprint(statuses()); got != "[401 202 202]" {
		t.Errorf("after two new ones: %s", got)
	}
	if w := h.do(call{method: "DELETE", path: repositoriesPath + "/" + string(h.id) + "/webhook/secret/previous", key: h.key}); w.Code != 204 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if got := fmt.Sprint(statuses()); got != "[401 401 202]" {
		t.Errorf("after the previous one was dropped: %s", got)
	}
}

// TestARepeatDoesNothing, under its own identifier and under another.
func TestARepeatDoesNothing(t *testing.T) {
	h := newHooked(t)
	body := fmt.Sprintf(pushed, 1)
	first := answerIn[hook.ReceivedAnswer](t, h.do(h.signed(h.secret, "guid-1", body)).Body.Bytes())
	h.must(h.store.ClearAsked(t.Context(), h.id, h.deliveries()[0].ReceivedAt))
	for i, guid := range []string{"guid-1", "guid-2"} {
		w := h.do(h.signed(h.secret, guid, body))
		if got := answerIn[hook.ReceivedAnswer](t, w.Body.Bytes()); w.Code != 202 || got.Result != repositories.DeliveryRepeated || got.ID != first.ID {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		if all := h.deliveries(); len(all) != 1 || all[0].Repeats != i+1 || all[0].RepeatedAt == nil || all[0].Result != repositories.DeliveryAccepted {
			t.Errorf("kept: %+v", all)
		}
	}
	if r, err := h.store.Repository(t.Context(), h.id); err != nil || !r.AskedAt.IsZero() {
		t.Errorf("a repeat asked for a look: %+v, %v", r, err)
	}
	w := h.do(call{method: "POST", path: webhooksPath + "/" + string(h.id) + "/deliveries/" + string(first.ID) + "/replay", key: h.key})
	if got := answerIn[api.DeliveryAnswer](t, w.Body.Bytes()); w.Code != 202 || got.ReplayOf != first.ID || got.Result != repositories.DeliveryAccepted || !strings.HasPrefix(got.Reason, "replayed by ") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if r, err := h.store.Repository(t.Context(), h.id); err != nil || r.AskedAt.IsZero() {
		t.Errorf("a replay asked for no look: %+v, %v", r, err)
	}
}

// TestGuessingIsSlowedAndHoldsNobodyUp: an address that had too many refused is told to wait, and who has the
// secret is heard even from there.
func TestGuessingIsSlowedAndHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHooked(t)
		counts := map[int]int{}
		for i := range 50 {
			w := h.do(h.signed("guess", fmt.Sprint(i), "{}"))
			if counts[w.Code]++; w.Code == 429 && w.Header().Get("Retry-After") == "" {
				t.Error("it is not told when to come back")
			}
		}
		if counts[401] < 30 || counts[429] == 0 || counts[401]+counts[429] != 50 {
			t.Errorf("answers: %v", counts)
		}
		if w := h.do(h.signed(h.secret, "good", fmt.Sprintf(pushed, 1))); w.Code != 202 {
			t.Errorf("with the secret: %d %s", w.Code, w.Body)
		}
	})
}
