package runtimeapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"berth/core/config"
)

// TestTheFunctionAnswersEventsOfEveryForm, as it is built and run on the host: cold, then warm.
func TestTheFunctionAnswersEventsOfEveryForm(t *testing.T) {
	s := newSite(t)
	for i, form := range config.EventForms {
		t.Run(string(form), func(t *testing.T) {
			h := s.function(form, patient)
			c := s.client(form, h)
			c.t = t
			if _, text := c.ask(200, "GET", "/version", ""); !strings.Contains(text, `"built"`) {
				t.Errorf("the version is %s", text)
			}
			if i == 0 {
				c.found()
			} else {
				c.signIn()
			}
			c.ask(200, "GET", "/api/custom/me", "")
			s.tour(t, c)
			if h.Starts() != 1 {
				t.Errorf("%d instances were started", h.Starts())
			}
		})
	}
}

// tour visits what differs between hosts: pages, files, redirects, forms, HEAD, tags, problems.
func (s *site) tour(t *testing.T, c *client) {
	t.Helper()
	page, html := c.ask(200, "GET", "/workers", "", "Accept", "text/html")
	if !strings.Contains(html, "<!doctype html>") && !strings.Contains(html, "<!DOCTYPE html>") || page.Header.Get("X-Request-Id") == "" || page.Header.Get("Content-Security-Policy") == "" {
		t.Errorf("a page is %v %.200s", page.Header, html)
	}
	if _, rest := c.ask(304, "GET", "/workers", "", "Accept", "text/html", "If-None-Match", page.Header.Get("ETag")); rest != "" {
		t.Errorf("a page that has not changed has a body: %.100s", rest)
	}
	_, style, _ := strings.Cut(html, `<link rel="stylesheet" href="`)
	style, _, _ = strings.Cut(style, `"`)
	if file, css := c.ask(200, "GET", style, ""); file.Header.Get("Content-Type") != "text/css; charset=utf-8" || len(css) < 1000 {
		t.Errorf("the style is %v, %d bytes", file.Header, len(css))
	}
	if head, body := c.ask(200, "HEAD", "/workers", ""); body != "" || head.Header.Get("Content-Type") != page.Header.Get("Content-Type") {
		t.Errorf("HEAD has %v and a body of %d bytes", head.Header, len(body))
	}
	if missing, text := c.ask(404, "GET", "/api/custom/nothing%3Fhere", ""); missing.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(text, "route.not_found") {
		t.Errorf("nothing is %v %s", missing.Header, text)
	}
	made, location := c.ask(303, "POST", "/service-accounts", "name=robot+of+"+string(c.gateway.Form)+"&role=viewer", "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin")
	if !strings.HasPrefix(made.Header.Get("Location"), "/service-accounts/") {
		t.Errorf("a form leads to %q: %s", made.Header.Get("Location"), location)
	}
	_, list := c.ask(200, "GET", "/api/custom/service-accounts?limit=500&after=", "")
	if !strings.Contains(list, `"robot of `+string(c.gateway.Form)+`"`) {
		t.Errorf("what the form made is not there: %s", list)
	}
	c.ask(403, "POST", "/service-accounts", "name=x&role=viewer", "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.test")
	c.ask(401, "GET", "/api/custom/me", "", "X-Service-Api-Key", "berth_sk_wrong")
}

// TestWhatNeedsTheHubSaysThatItIsAway, and the rest works.
func TestWhatNeedsTheHubSaysThatItIsAway(t *testing.T) {
	s := newSite(t)
	c := s.client(config.EventFunctionURL, s.function(config.EventFunctionURL, patient, "HUB_URL=https://127.0.0.1:1"))
	c.found()
	_, made := c.ask(201, "POST", "/api/custom/repositories", `{"name":"app","url":"https://git.example.com/a/b","branch":"main"}`)
	var repository struct{ ID string }
	if err := json.Unmarshal([]byte(made), &repository); err != nil {
		t.Fatal(err)
	}
	c.ask(200, "GET", "/repositories/"+repository.ID, "", "Accept", "text/html")
	c.ask(200, "GET", "/", "", "Accept", "text/html")
	away, text := c.ask(503, "POST", "/api/custom/workers/tokens", `{"name":"web"}`)
	if !strings.Contains(text, `"hub.away"`) || away.Header.Get("Retry-After") == "" {
		t.Errorf("without a hub a token is answered %s", text)
	}
	_, key := s.account(c, "monitoring")
	c.cookie, c.key = "", key
	if answer, text := c.ask(503, "GET", "/metrics", ""); answer.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(text, "hub.away") {
		t.Errorf("without a hub metrics are %s", text)
	}
}

// account makes a service account with a key.
func (s *site) account(c *client, role string) (id, key string) {
	c.t.Helper()
	_, made := c.ask(http.StatusCreated, "POST", "/api/custom/service-accounts", `{"name":"a `+role+`","role":"`+role+`"}`)
	var account struct{ ID, Key string }
	if err := json.Unmarshal([]byte(made), &account); err != nil {
		c.t.Fatal(err)
	}
	_, issued := c.ask(http.StatusCreated, "POST", "/api/custom/service-accounts/"+account.ID+"/keys", `{"name":"k","expires_at":null}`)
	id = account.ID
	if err := json.Unmarshal([]byte(issued), &account); err != nil {
		c.t.Fatal(err)
	}
	return id, account.Key
}
