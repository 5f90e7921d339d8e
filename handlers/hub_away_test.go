package handlers_test

import (
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fleet"
	"berth/core/hubcall"
	"berth/core/hubs"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/stacks"
	"berth/handlers"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
	"berth/hub/adapter/agekey"
	"berth/hub/adapter/hubclient"
	"berth/hub/adapter/ssh"
)

// needHub are the rows that cannot be answered without a hub: it alone has links to workers, copies of
// repositories, a way to Git hosts, and what is measured.
var needHub = []string{
	"GET /api/custom/metrics",
	"GET /api/custom/repositories/{id}/commits",
	"GET /api/custom/repositories/{id}/discover",
	"GET /api/custom/repositories/{id}/files",
	"GET /api/custom/stacks/{id}/plan",
	"GET /api/custom/stacks/{id}/services/{service}/logs",
	"GET /api/custom/stacks/{id}/sops-env-vars",
	"GET /api/custom/stacks/{id}/usage",
	"GET /api/custom/workers/{id}/metrics",
	"GET /metrics",
	"GET /stacks/{id}/plan",
	"GET /stacks/{id}/services/{service}/logs",
	"GET /stacks/{id}/services/{service}/logs/file",
	"GET /stacks/{id}/services/{service}/logs/follow",
	"POST /api/custom/lint",
	"POST /api/custom/policy/plan",
	"POST /api/custom/repositories/{id}/sops-encrypt",
	"POST /api/custom/repository-keys/keyscan",
	"POST /api/custom/repository-keys/test",
	"POST /api/custom/stacks/{id}/services/{service}/restart",
	"POST /api/custom/stacks/{id}/services/{service}/start",
	"POST /api/custom/stacks/{id}/services/{service}/stop",
	"POST /api/custom/workers/{id}/policy/plan",
	"POST /repositories/{id}/secrets",
	"POST /repository-keys/hosts/scan",
	"POST /repository-keys/{id}/test",
	"POST /stacks/{id}/services/{service}/restart",
	"POST /stacks/{id}/services/{service}/start",
	"POST /stacks/{id}/services/{service}/stop",
}

// TestWhatNeedsOnlyTheStoreIsDoneWithoutAHub plays all of the API and all pages while no hub is
// there. Everything ends as well as with one, but for the rows that say that they need it.
func TestWhatNeedsOnlyTheStoreIsDoneWithoutAHub(t *testing.T) {
	s := newStand(t)
	p := s.players(t)
	s.withoutHub()
	rec := newRecord(t, s)
	var told map[string]bool // pages that were shown to somebody who is signed in: whether they say that the hub is away
	p.refusedAway, told = map[string]bool{}, map[string]bool{}
	s.answered = func(c call, w *httptest.ResponseRecorder) {
		if row := rec.row(c); saysAway(w) {
			p.refusedAway[row] = true
			rec.rows[row] = true
		}
		rec.add(c, w)
		if framedPage(w) {
			told[rec.row(c)] = strings.Contains(w.Body.String(), "has been away for")
		}
	}
	p.playAll(p.playPages)
	if !t.Failed() {
		everyRowIsIn(t, rec)
	}
	everyPageTells(t, s, told)
	if got := slices.Sorted(maps.Keys(p.refusedAway)); !slices.Equal(got, needHub) {
		t.Errorf("without a hub these are refused:\n%s\nand these need it:\n%s", strings.Join(got, "\n"), strings.Join(needHub, "\n"))
	}
}

// framedPage reports whether an answer is a page for somebody who is signed in.
func framedPage(w *httptest.ResponseRecorder) bool {
	return strings.Contains(w.Body.String(), `action="/logout"`)
}

// everyPageTells demands that each page of the table was shown, and said that what it shows may be old.
func everyPageTells(t *testing.T, s *stand, told map[string]bool) {
	t.Helper()
	for _, r := range handlers.Routes(s.deps) {
		row := r.Method + " " + r.Pattern
		says, shown := told[row]
		if r.Surface == guard.Page && r.Method == "GET" && r.Capability != access.Public && !r.Streams && notSeen[row] == "" && !shown {
			t.Errorf("%s was not shown to anybody", row)
		}
		if shown && !says {
			t.Errorf("%s does not say that the hub is away", row)
		}
	}
}

// saysAway reports whether an answer is that the hub is away, and when to ask again.
func saysAway(w *httptest.ResponseRecorder) bool {
	text := w.Body.String()
	return w.Code == 503 && w.Header().Get("Retry-After") != "" &&
		(strings.Contains(text, `"hub.away"`) || strings.Contains(text, "<html") && strings.Contains(text, "No hub runs"))
}

// withoutHub makes the stand one whose hub has ended, with everything that a function host has to reach it.
func (s *stand) withoutHub() {
	s.t.Helper()
	ctx := s.t.Context()
	s.must(s.store.JoinHubs(ctx, hubs.Hub{ID: "hub_1", URL: "https://hub.test:8091", Pin: seal.Pin{7}, Pinned: true, Version: "test", StartedAt: s.now()}))
	_, err := s.store.TakeLease(ctx, hubs.Duties, "hub_1")
	s.must(err)
	s.must(s.store.LeaveHubs(ctx, "hub_1"))
	away := hubclient.New(hubclient.Options{Key: hubcall.NewKey(s.ring.Subkey(seal.PurposeHub), s.now), Directory: s.store, Seals: s.ring, Now: s.now})
	s.t.Cleanup(away.Close)
	port := fleet.WorkerPort{AppURL: origin, Port: 8443, Pin: s.store.WorkerPortPin}
	workers, repos := fleet.NewDesk(s.store, s.ring, away, s.now, port), repositories.NewDesk(s.store, s.ring, agekey.Maker{}, away, away, s.now).OverSSH(ssh.Keys{}, away)
	folders := repositories.NewFolders(s.store, away)
	desk := stacks.NewDesk(s.store, away, s.now).Beside(folders)
	s.deps.Repositories = handlers.RepositoriesDeps{Desk: repos, Browser: away}
	s.deps.Stacks.Desk, s.deps.Stacks.Live, s.deps.Stacks.Plans, s.deps.Stacks.Linter = desk, away, away, away
	s.deps.Jobs.Desk = jobs.NewDesk(s.store, s.ring, away, s.now).Beside(folders)
	s.deps.Workers.Desk, s.deps.Workers.Plans, s.deps.Metrics.Source = workers, away, away
	s.deps.UI.Repositories, s.deps.UI.Browser, s.deps.UI.Stacks, s.deps.UI.Workers = repos, away, desk, workers
	s.deps.UI.Jobs = s.deps.Jobs.Desk.(handlers.UIJobs)
	s.deps.UI.Live, s.deps.UI.Plans, s.deps.UI.Secrets = away, away, away
	s.deps.UI.Environment, s.deps.Variables.Environment = away, away
	s.deps.Sops.Keys, s.deps.Sops.Files = repos, away
	s.build()
}

// TestAWorkerIsNotShownBetterThanIsKnown looks at a worker while its hub is there, not heard of, and gone.
func TestAWorkerIsNotShownBetterThanIsKnown(t *testing.T) {
	s := newStand(t)
	key, ctx := s.admin(), t.Context()
	session := s.session(s.user(access.RoleAdmin))
	for _, id := range []core.HubID{"hub_1", "hub_2"} {
		s.must(s.store.JoinHubs(ctx, hubs.Hub{ID: id, URL: "https://" + string(id) + ".test:8091", StartedAt: s.now()}))
		_, err := s.store.TakeLease(ctx, hubs.Duties, "hub_1") // which keeps it
		s.must(err)
		_, err = s.store.WorkerConnected(hubs.Under(ctx, hubs.Fence{Hub: id}), s.worker("on-"+string(id)).ID, fleet.Facts{Hostname: "on-" + string(id)})
		s.must(err)
	}
	look := func(when string, presence ...fleet.There) {
		t.Helper()
		page := s.browse(session, "/workers").Body.String()
		for i, w := range decode[endpoint.Items[api.WorkerAnswer]](t, s.do(call{method: "GET", path: "/api/custom/workers", key: key})).Items {
			want := presence[i]
			if w.Presence != want || w.Online != (want == fleet.IsOnline) || (w.UnheardSince != nil) != (want == fleet.IsUnknown) {
				t.Errorf("%s: %s is %+v, want %s", when, w.Hostname, w, want)
			}
			word := map[fleet.There]string{fleet.IsOnline: "Online", fleet.IsUnknown: "Not known"}[want]
			if _, row, _ := strings.Cut(page, w.Hostname); !strings.Contains(row[:strings.Index(row, "</tr>")], word+"</span>") {
				t.Errorf("%s: the page does not say of %s %q", when, w.Hostname, word)
			}
		}
	}
	look("both hubs are there", fleet.IsOnline, fleet.IsOnline)
	s.exec(`UPDATE hubs SET lease_until = lease_until - 60000000 WHERE id = 'hub_2'`)
	look("one is not heard of", fleet.IsOnline, fleet.IsUnknown)
	if strings.Contains(s.browse(session, "/").Body.String(), "It is offline.") {
		t.Error("the overview says that the worker is offline, which nobody knows")
	}
	s.exec(`UPDATE hubs SET lease_until = lease_until - 60000000`)
	look("none is heard of", fleet.IsUnknown, fleet.IsUnknown)
}

func TestTheClockOfADeploymentDoesNotRunOnWithoutAHub(t *testing.T) {
	s := newStand(t)
	s.found()
	session := s.session(s.user(access.RoleOperator))
	_, stack := s.madeStack(session)
	deployment := s.submit(session, stack+"/sync", nil).Header().Get("Location")
	_, err := s.store.StartDeployment(t.Context(), core.DeploymentID(strings.TrimPrefix(deployment, "/deployments/")))
	s.must(err)
	const unknown = "is not known until one is back"
	if strings.Contains(s.browse(session, deployment).Body.String(), unknown) {
		t.Error("the hub is there, and the page says that it does not know")
	}
	s.withoutHub()
	says(t, s.browse(session, deployment), 200, unknown, "as far as it is known", "<dd>not known</dd>")
	for _, page := range []string{"/", "/deployments", stack} {
		says(t, s.browse(session, page), 200, `<td class="from-m num">not known</td>`)
	}
}

func TestWhatMayBeOldIsSaidToBeWhileNoHubIsThere(t *testing.T) {
	s := newStand(t)
	key := s.admin()
	session := s.session(s.user(access.RoleViewer))
	w := s.worker("web-1")
	live := 0
	look := func(want string) {
		t.Helper()
		live = 0
		for _, r := range handlers.Routes(s.deps) {
			if !r.Live {
				continue
			}
			live++
			path := strings.Replace(absent(r.Pattern), "/workers/"+core.PrefixWorker+"_"+strings.Repeat("0", 26), "/workers/"+string(w.ID), 1)
			if got := s.do(call{method: r.Method, path: path, key: key}).Header().Get(endpoint.AwayHeader); got != want {
				t.Errorf("%s %s says %q, want %q", r.Method, path, got, want)
			}
		}
		for _, page := range []string{"/", "/workers", "/stacks", "/repositories"} {
			if says := strings.Contains(s.browse(session, page).Body.String(), "has been away for"); says != (want != "") {
				t.Errorf("the page %s says that it may be old: %t", page, says)
			}
		}
	}
	look("")
	s.withoutHub()
	since, away, err := s.store.HubAway(t.Context())
	if err != nil || !away || since.IsZero() {
		t.Fatalf("away %t since %s, %v", away, since, err)
	}
	look("since=" + since.UTC().Format(time.RFC3339))
	if live < 9 {
		t.Errorf("only %d rows tell what hubs heard", live)
	}
	s.must(s.store.JoinHubs(t.Context(), hubs.Hub{ID: "hub_2", URL: "https://hub.test:8091", StartedAt: s.now()}))
	look("")
}
