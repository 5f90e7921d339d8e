package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"berth/handlers/api"
	"berth/local/stand/browser"
)

// liveChanges is how often something is changed behind an open page.
const liveChanges = 50

// measureLive measures how long a change takes to an open page of a server: from the moment at which it is asked for until the
// browser has painted it.
func measureLive(ctx context.Context, b *bench) (figures []figure, err error) {
	s, err := b.newSite("bench-ui-live")
	if err != nil {
		return nil, err
	}
	srv, _, err := b.startLocal(ctx, s, "SCAN_INTERVAL=1h", "BACKUP_INTERVAL=0s", "BACKUP_REHEARSAL_INTERVAL=0s")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, srv.stop()) }()
	if err := srv.setUpFor(ctx, api.LoginRequest{Email: "bench@example.com", Password: rand.Text()}); err != nil {
		return nil, err
	}
	took, err := srv.paints(ctx, liveChanges)
	if err != nil {
		return nil, err
	}
	p99 := percentile(took, 99)
	return []figure{{name: fmt.Sprintf("%d changes, one by one: from asking the server until the open page has painted each", len(took)),
		result: fmt.Sprintf("p50 %s, p99 %s", ms(percentile(took, 50)), ms(p99)), goal: "p99 under " + ms(pixelGoal), met: p99 < pixelGoal}}, nil
}

// paints adds one job after the other, none of which there is a repository for, and waits until the open list shows it.
func (s *server) paints(ctx context.Context, changes int) (took []time.Duration, err error) {
	t := &lone{}
	defer t.end(&err)
	to, err := url.Parse(s.site.url())
	if err != nil {
		return nil, err
	}
	b := browser.Open(t, to.Hostname(), to.Hostname())
	for _, c := range s.client.HTTP.Jar.Cookies(to) {
		b.SetCookie(s.site.url(), c.Name, c.Value)
	}
	if _, err := post[struct{ ID string }](ctx, s.client, "/api/custom/repositories", map[string]any{"url": "https://git.invalid/bench.git", "name": "bench"}); err != nil {
		return nil, err
	}
	b.Open(s.site.url() + "/repositories")
	if err := pause(ctx, 6*time.Second); err != nil { // until the first fetch has failed and nothing more changes by itself
		return nil, err
	}
	for i := range changes {
		name := fmt.Sprintf("change-%d", i)
		list, err := get[struct{ Items []struct{ ID string } }](ctx, s.client, "/api/custom/repositories?limit=1")
		if err != nil {
			return nil, err
		}
		began := time.Now()
		if _, err := s.client.Ask(ctx, http.MethodPatch, "/api/custom/repositories/"+list.Items[0].ID, map[string]any{"name": name}, nil); err != nil {
			return nil, err
		}
		b.Until("the new name, painted", fmt.Sprintf(`document.querySelector("main").innerText.includes(%q)`, name))
		browser.Wait[bool](b, `new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(true))))`) //nolint:errcheck // the frame in which it is shown
		took = append(took, time.Since(began))
		if err := pause(ctx, 1200*time.Millisecond); err != nil { // changes that follow each other at once are shown together
			return nil, err
		}
	}
	return took, nil
}
