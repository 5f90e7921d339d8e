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
	"berth/handlers/endpoint"
	"berth/local/stand/browser"
)

// Goals for the pages.
const (
	firstLoadGoal = 100_000 // bytes over the network
	pageGoal      = 50 * time.Millisecond
	paintGoal     = 300 * time.Millisecond
	pixelGoal     = 500 * time.Millisecond
)

// measureUI measures pages of a server with many stacks, workers and deployments.
func measureUI(ctx context.Context, b *bench) (figures []figure, err error) {
	s, err := b.newSite("bench-ui")
	if err != nil {
		return nil, err
	}
	env := []string{"SCAN_INTERVAL=1h", "BACKUP_INTERVAL=0s", "BACKUP_REHEARSAL_INTERVAL=0s"}
	srv, _, err := b.startLocal(ctx, s, env...)
	if err != nil {
		return nil, err
	}
	admin := api.LoginRequest{Email: "bench@example.com", Password: rand.Text()}
	if err := srv.setUpFor(ctx, admin); err != nil {
		return nil, errors.Join(err, srv.stop())
	}
	_, err = srv.workerTokens(ctx, uiWorkers)
	if err == nil {
		_, err = post[struct{ ID string }](ctx, srv.client, "/api/custom/variables", api.CreateVariableRequest{Scope: "global", Name: "BENCH", Value: "x"})
	}
	if err == nil {
		_, err = post[struct{ ID string }](ctx, srv.client, "/api/custom/repository-keys", map[string]string{"name": "bench", "type": "basic", "host": "git.example", "username": "bench", "password": "x"})
	}
	if err := errors.Join(err, srv.stop()); err != nil {
		return nil, err
	}
	b.say("storing %d stacks of %d deployments each, and %d workers", backupStacks, backupDeployments, uiWorkers)
	if err := fillHistory(ctx, s); err != nil {
		return nil, err
	}
	if err := fillPages(ctx, s); err != nil {
		return nil, err
	}
	client := srv.client
	if srv, _, err = b.startLocal(ctx, s, env...); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, srv.stop()) }()
	srv.client = client
	if err := pause(ctx, rest); err != nil {
		return nil, err
	}
	if figures, err = srv.pageTimes(ctx); err != nil {
		return nil, err
	}
	seen, err := srv.seen(ctx, b.runs)
	return append(figures, seen...), err
}

// lone is what a browser needs of a test, where there is none.
type lone struct{ ends []func() }

// gaveUp is what a browser that fails panics with.
type gaveUp struct{ why string }

func (l *lone) Helper()                           {}
func (l *lone) Fatal(args ...any)                 { panic(gaveUp{fmt.Sprint(args...)}) }
func (l *lone) Fatalf(format string, args ...any) { panic(gaveUp{fmt.Sprintf(format, args...)}) }
func (l *lone) Cleanup(end func())                { l.ends = append(l.ends, end) }

func (l *lone) end(err *error) {
	if failed := recover(); failed != nil {
		why, ours := failed.(gaveUp)
		if !ours {
			panic(failed)
		}
		*err = errors.New(why.why)
	}
	for _, end := range l.ends {
		end()
	}
}

// seen is what a person in front of a browser sees, and when.
func (s *server) seen(ctx context.Context, runs int) (figures []figure, err error) {
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
	var paints []time.Duration
	var bytes int64
	for range runs {
		b.Open(s.site.url() + "/stacks")
		bytes = max(bytes, b.Transferred()) // the first has an empty cache
		paints = append(paints, b.LargestPaint())
	}
	pixels, err := s.pixels(ctx, b, runs)
	return append([]figure{
		{name: "first load of the list of stacks, with style, script and mark", result: fmt.Sprintf("%d kB", bytes/1000), goal: fmt.Sprintf("under %d kB", firstLoadGoal/1000), met: bytes < firstLoadGoal},
		{name: "its largest contentful paint", result: spread(paints), goal: "under " + ms(paintGoal), met: median(paints) < paintGoal},
	}, figure{name: "a stack is paused by another: until its open page shows it", result: spread(pixels), goal: "under " + ms(pixelGoal), met: median(pixels) < pixelGoal}), err
}

// pixels pauses one stack after the other and waits until its open page shows that.
func (s *server) pixels(ctx context.Context, b *browser.Browser, runs int) (took []time.Duration, err error) {
	list, err := get[endpoint.Items[api.StackAnswer]](ctx, s.client, fmt.Sprintf("/api/custom/stacks?limit=%d", runs))
	if err != nil {
		return nil, err
	}
	for _, st := range list.Items {
		b.Open(s.site.url() + "/stacks/" + string(st.ID))
		if _, err := s.client.Ask(ctx, http.MethodPost, "/api/custom/stacks/"+string(st.ID)+"/pause", nil, nil); err != nil {
			return nil, err
		}
		began := time.Now()
		b.Until("the pause", `!!document.querySelector("form[action$='/resume']")`)
		took = append(took, time.Since(began))
	}
	return took, nil
}

var _ browser.T = (*lone)(nil)
