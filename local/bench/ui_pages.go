package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"berth/handlers"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
)

// uiAsked is how often each page is asked for. A p99 of fewer answers than some hundreds is the worst of them: one hiccup of
// the machine.
const uiAsked = 400

// unmeasured are the pages that wait for something else than this server, or that nobody sees who has signed in.
var unmeasured = map[string]string{
	"/setup":                               "somebody was made the first administrator",
	"/login":                               "leads on who has signed in",
	"/login/oidc":                          "leads to a provider",
	"/login/oidc/callback":                 "comes from a provider",
	"/git-hosts/{git_host}/new":            "asks a Git host",
	"/stacks/{id}/plan":                    "waits for the hub, which reads the repository",
	"/stacks/{id}/services/{service}/logs": "waits for the worker",
	"/stacks/{id}/services/{service}/logs/file": "waits for the worker",
	"/stacks/{id}/review":                       "waits for the hub, which reads the repository",
	"/stacks/{id}/revisions/{number}/diff":      "reads files of the repository",
	"/invites/{token}":                          "is for who has no account",
	"/resets/{token}":                           "is for who forgot a password",
}

// narrowed are addresses of lists that more is asked of than all.
var narrowed = []string{"/stacks?group=worker", "/stacks?group=repository", "/stacks?q=stack-99", "/stacks?status=error", "/workers?online=false", "/jobs?q=job-19", "/deployments?limit=100", "/search?q=stack-99", "/search?q=edge"}

// asking is what pages are asked for that show nothing without; {stack} is a stack.
var asking = map[string]string{"/integrations/new": "?kind=slack&name=ops", "/stacks/bulk": "?do=sync&stack={stack}", "/stacks/bulk/done": "?do=resume&stack={stack}%3A%3A"}

// pagePatterns are the pages, as the list of routes has them.
func pagePatterns() []string {
	stubs := handlers.Deps{
		Guard:  guard.Config{AppURL: &url.URL{Scheme: "http", Host: "127.0.0.1"}},
		Stacks: handlers.StacksDeps{Desk: struct{ handlers.StacksDesk }{}, Store: struct{ handlers.StacksStore }{}},
		UI:     handlers.UIDeps{Stacks: struct{ handlers.UIStacks }{}},
	}
	var patterns []string
	for _, r := range handlers.Routes(stubs) {
		if r.Method == http.MethodGet && r.Surface == guard.Page && !r.Streams {
			patterns = append(patterns, strings.TrimSuffix(r.Pattern, "{$}"))
		}
	}
	return patterns
}

// wilds finds what stands for wildcards of patterns: the first of a list of the API, by what comes before them.
func (s *server) wilds(ctx context.Context) (map[string]string, error) {
	const all = "/api/custom"
	found := map[string]string{"/stacks/{id}/revisions/{number}": "1", "/integrations/{slug}": "vault"}
	for pattern, list := range map[string]string{"/stacks/{id}": "/stacks", "/repositories/{id}": "/repositories", "/jobs/{id}": "/jobs",
		"/workers/{id}": "/workers", "/users/{id}": "/users", "/service-accounts/{id}": "/service-accounts", "/repository-keys/{id}": "/repository-keys",
		"/variables/{variable}": "/variables"} {
		items, err := get[endpoint.Items[struct{ ID string }]](ctx, s.client, all+list+"?limit=1")
		if err != nil {
			return nil, err
		}
		if len(items.Items) > 0 {
			found[pattern] = items.Items[0].ID
		}
	}
	for pattern, list := range map[string]string{"/deployments/{id}": "/stacks/" + found["/stacks/{id}"] + "/deployments", "/job-runs/{id}": "/jobs/" + found["/jobs/{id}"] + "/runs"} {
		of, err := get[endpoint.Items[struct{ ID string }]](ctx, s.client, all+list+"?limit=1")
		if err != nil || len(of.Items) == 0 {
			return nil, errors.Join(err, errors.New("there is nothing at "+list))
		}
		found[pattern] = of.Items[0].ID
	}
	found["stack"] = found["/stacks/{id}"]
	return found, nil
}

// filled puts what was found in place of wildcards; ok is false where there is nothing for one.
func filled(pattern string, wilds map[string]string) (address string, ok bool) {
	var to []string
	parts := strings.Split(pattern, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			if part, ok = wilds[strings.Join(parts[:i+1], "/")]; !ok {
				return "", false
			}
		}
		to = append(to, part)
	}
	return strings.Join(to, "/"), true
}

// timed is how long the answers of one page took.
type timed struct {
	page  string
	first time.Duration // the first answer since the server began, for which its template is read
	took  []time.Duration
	size  int // bytes, not compressed
}

// pageTimes asks for each page again and again.
func (s *server) pageTimes(ctx context.Context) ([]figure, error) {
	wilds, err := s.wilds(ctx)
	if err != nil {
		return nil, err
	}
	var all []timed
	var left []string
	var failed error
	for _, pattern := range append(pagePatterns(), narrowed...) {
		address, ok := filled(pattern, wilds)
		if unmeasured[pattern] != "" || !ok {
			left = append(left, pattern)
			continue
		}
		one, err := s.timePage(ctx, pattern, address+strings.ReplaceAll(asking[pattern], "{stack}", wilds["stack"]))
		failed = errors.Join(failed, err)
		all = append(all, one)
	}
	if failed != nil {
		return nil, failed
	}
	slices.SortStableFunc(all, func(a, b timed) int { return cmp.Compare(percentile(b.took, 99), percentile(a.took, 99)) })
	worst := percentile(all[0].took, 99)
	coldest := slices.MaxFunc(all, func(a, b timed) int { return cmp.Compare(a.first, b.first) })
	figures := []figure{{name: fmt.Sprintf("%d pages with %d stacks, %d workers, %d deployments of %d days, %d runs: the slowest p99", len(all), backupStacks, uiWorkers, backupStacks*backupDeployments, backupDeployments*deployedEvery/(24*time.Hour), uiJobs*uiRuns),
		result: ms(worst), goal: "under " + ms(pageGoal), met: worst < pageGoal},
		{name: "  the slowest first view after a start: " + coldest.page, result: ms(coldest.first)}}
	for _, one := range all {
		p99 := percentile(one.took, 99)
		figures = append(figures, figure{name: "  " + one.page, result: fmt.Sprintf("p50 %s, p99 %s, %d kB", ms(percentile(one.took, 50)), ms(p99), one.size/1000), goal: "p99 under " + ms(pageGoal), met: p99 < pageGoal})
	}
	return append(figures, figure{note: "  not measured: " + strings.Join(left, ", ")}), nil
}

// timePage asks for a page; being told to slow down is waited out.
func (s *server) timePage(ctx context.Context, pattern, address string) (timed, error) {
	one := timed{page: pattern}
	for len(one.took) < uiAsked {
		began := time.Now()
		status, text, err := s.client.Send(ctx, http.MethodGet, address, nil)
		took := time.Since(began)
		switch {
		case err != nil:
			return one, fmt.Errorf("%s: %w", address, err)
		case status == http.StatusTooManyRequests:
			if err := pause(ctx, time.Second); err != nil {
				return one, err
			}
		case status != http.StatusOK:
			return one, errors.New(address + " is answered " + http.StatusText(status) + ": " + string(text[:min(len(text), 300)]))
		case one.first == 0:
			one.first = took
		default:
			one.took, one.size = append(one.took, took), len(text)
		}
	}
	return one, nil
}
