package handlers_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/handlers/guard"
)

type issued struct{ ID, Key string }

func TestAnAPIKeyFromItsMakingToItsEnd(t *testing.T) {
	s := newStand(t)
	s.found()
	w := s.asAdmin("POST", "/api/custom/service-accounts", `{"name":"scraper","role":"monitoring"}`, 201)
	account := "/api/custom/service-accounts/" + decode[issued](t, w).ID
	key := decode[issued](t, s.asAdmin("POST", account+"/keys", `{"name":"prometheus","expires_at":"`+s.now().Add(time.Hour).Format(time.RFC3339Nano)+`"}`, 201))
	if !strings.HasPrefix(key.ID, "key_") || !strings.HasPrefix(key.Key, "berth_sk_") {
		t.Fatalf("issued %+v", key)
	}
	list := s.asAdmin("GET", "/api/custom/service-accounts", "", 200)
	if !strings.Contains(list.Body.String(), key.ID) || strings.Contains(list.Body.String(), key.Key) {
		t.Errorf("the list is %s", list.Body)
	}
	me := func() (int, string) {
		w := s.do(call{method: "GET", path: "/api/custom/me", key: key.Key})
		return w.Code, w.Body.String()
	}
	if status, body := me(); status != 200 || !strings.Contains(body, `"role":"monitoring"`) {
		t.Errorf("the key gives %d %s", status, body)
	}
	s.asAdmin("PATCH", account, `{"role":"viewer","name":"reader"}`, 200)
	if status, body := me(); status != 200 || !strings.Contains(body, `"role":"viewer"`) || !strings.Contains(body, `"name":"reader"`) {
		t.Errorf("after the change the key gives %d %s", status, body)
	}
	s.asAdmin("PATCH", account, `{"disabled":true}`, 200)
	if status, _ := me(); status != 401 {
		t.Errorf("a disabled account's key gives %d", status)
	}
	s.asAdmin("PATCH", account, `{"disabled":false}`, 200)
	s.later(time.Hour + time.Second)
	if status, _ := me(); status != 401 {
		t.Errorf("an expired key gives %d", status)
	}
	s.later(-time.Hour)
	s.asAdmin("DELETE", account+"/keys/"+key.ID, "", 204)
	if status, _ := me(); status != 401 {
		t.Errorf("a revoked key gives %d", status)
	}
	s.asAdmin("DELETE", account+"/keys/"+key.ID, "", 404)
	s.asAdmin("DELETE", account, "", 204)
	s.asAdmin("POST", account+"/keys", `{"name":"x"}`, 404)
}

func TestServiceAccountsRefuseWhatTheyCannotBe(t *testing.T) {
	s := newStand(t)
	s.asAdmin("POST", "/api/custom/service-accounts", `{"name":"one","role":"viewer"}`, 201)
	id := decode[issued](t, s.asAdmin("POST", "/api/custom/service-accounts", `{"name":"two","role":"viewer"}`, 201)).ID
	for name, c := range map[string]struct {
		method, path, body string
		status             int
	}{
		"a name that is taken":          {"POST", "", `{"name":"one","role":"viewer"}`, 409},
		"another's name":                {"PATCH", "/" + id, `{"name":"one"}`, 409},
		"an unknown role":               {"POST", "", `{"name":"three","role":"owner"}`, 422},
		"a change to an unknown role":   {"PATCH", "/" + id, `{"role":"owner"}`, 422},
		"no name":                       {"POST", "", `{"role":"viewer"}`, 422},
		"an unseen name":                {"POST", "", `{"name":"a\u0000b","role":"viewer"}`, 422},
		"a name with space around it":   {"PATCH", "/" + id, `{"name":" two"}`, 422},
		"a key that expired yesterday":  {"POST", "/" + id + "/keys", `{"name":"k","expires_at":"2020-01-01T00:00:00Z"}`, 422},
		"a key that expires some time":  {"POST", "/" + id + "/keys", `{"name":"k","expires_at":"tomorrow"}`, 400},
		"a key without a name":          {"POST", "/" + id + "/keys", `{}`, 422},
		"a key of an unknown account":   {"POST", "/sva_x/keys", `{"name":"k"}`, 404},
		"another account's key to drop": {"DELETE", "/" + id + "/keys/key_x", ``, 404},
	} {
		t.Run(name, func(t *testing.T) {
			_, key := s.key(s.account(access.RoleAdmin), 0)
			w := s.do(call{method: c.method, path: "/api/custom/service-accounts" + c.path, body: c.body, key: key})
			wantStatus(t, name, w, c.status, "")
		})
	}
	for range 20 {
		s.asAdmin("POST", "/api/custom/service-accounts/"+id+"/keys", `{"name":"k"}`, 201)
	}
	s.asAdmin("POST", "/api/custom/service-accounts/"+id+"/keys", `{"name":"k"}`, 409)
}

func TestAKeyMayStandInAnAuthorizationBlock(t *testing.T) {
	s := newStand(t)
	_, key := s.key(s.account(access.RoleViewer), 0)
	for header, status := range map[string]int{
		"Bearer " + guard.KeyHeader + ": " + key:           200,
		"X-Service-Api-Key x-service-api-key:" + key:       200,
		"Bearer " + guard.KeyHeader + ": berth_sk_nothing": 401,
		"Bearer " + key: 401,
		"Basic Zm9v":    401,
		key:             401,
	} {
		if w := s.do(call{method: "GET", path: "/api/custom/me", authorization: header}); w.Code != status {
			t.Errorf("%q gives %d, want %d", header, w.Code, status)
		}
	}
	if w := s.do(call{method: "GET", path: "/api/custom/me?api_key=" + key + "&X-Service-Api-Key=" + key}); w.Code != 401 {
		t.Errorf("a key in the query gives %d", w.Code)
	}
}

// TestTheLogTellsNoSecret plays secrets through every place where a request may hold one.
func TestTheLogTellsNoSecret(t *testing.T) {
	s := newStand(t)
	var log bytes.Buffer
	s.deps.Guard.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.build()
	u := s.found()
	session := s.session(u)
	_, key := s.key(s.account(access.RoleAdmin), 0)
	s.do(call{method: "POST", path: "/api/custom/login?password=canary1", body: `{"email":"a@b","password":"canary1"}`})
	s.do(call{method: "GET", path: "/api/custom/me", session: session, key: key})
	s.do(call{method: "GET", path: "/api/custom/users/canary1/canary1", session: session})
	s.do(call{method: "GET", path: "/api/custom/me", key: key[:len(key)-1]})
	for _, secret := range []string{"canary1", key[40:], session[31:], password} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log tells %q:\n%s", secret, log.String())
		}
	}
	if !strings.Contains(log.String(), `route="GET /api/custom/me"`) || !strings.Contains(log.String(), "address=192.0.2.1") {
		t.Errorf("the log is missing what it is for:\n%s", log.String())
	}
}

// TestTheAccountPageDisablesAndEnables, changes the role, and shows a refused change as it was typed.
func TestTheAccountPageDisablesAndEnables(t *testing.T) {
	s := newStand(t)
	session := s.session(s.found())
	account := s.account(access.RoleViewer)
	_, key := s.key(account, 0)
	page := "/service-accounts/" + string(account.ID)
	me := func() int { return s.do(call{method: "GET", path: "/api/custom/me", key: key}).Code }
	leadsTo(t, s.post(session, page, "account_name", "reader", "role", "operator", "disabled", "on"), page+"?said=account-saved")
	if code := me(); code != 401 {
		t.Errorf("the key of a disabled account gives %d", code)
	}
	says(t, s.browse(session, page), 200, "Disabled", `value="reader"`, `value="operator" selected`)
	leadsTo(t, s.post(session, page, "account_name", "reader", "role", "operator"), page+"?said=account-saved")
	if code := me(); code != 200 {
		t.Errorf("the key of an account that was enabled again gives %d", code)
	}
	says(t, s.post(session, page, "account_name", "", "role", "owner"), 422, `name="account_name"`)
	for detail, want := range map[string]int{"reader: was called % role operator, was viewer; disabled": 1, "reader: enabled again": 1} {
		if n := s.count(`SELECT count(*) FROM audit_events WHERE action = 'service_account.change' AND detail LIKE ?`, detail); n != want {
			t.Errorf("%d lines say %q", n, detail)
		}
	}
}
