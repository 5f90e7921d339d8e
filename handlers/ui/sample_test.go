package ui

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fleet"
	"berth/core/identity"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// sample is one page in one state.
type sample struct {
	file    string // its template
	model   reflect.Type
	render  func() ([]byte, error)
	hostile func(yes bool) ([]byte, error) // with text in every field that somebody chose to do harm
	single  func() ([]byte, error)         // with 1 wherever there is a number
}

// sampleNow is the time at which all samples are looked at.
var sampleNow = time.Date(2025, 11, 21, 9, 30, 0, 0, time.UTC)

func before(d time.Duration) time.Time { return sampleNow.Add(-d) }

func of[M any](v view[M], f frame, m M) sample {
	return sample{v.file, reflect.TypeFor[M](), func() ([]byte, error) { return v.render(f, m) }, func(yes bool) ([]byte, error) {
		var bad M
		poison(reflect.ValueOf(&bad).Elem(), "", yes)
		return v.render(f, bad)
	}, func() ([]byte, error) {
		unify(reflect.ValueOf(&m).Elem())
		return v.render(f, m)
	}}
}

// unify puts 1 into every number of a view model that counts something.
func unify(v reflect.Value) {
	switch v.Kind() {
	case reflect.Int:
		if v.Int() > 0 {
			v.SetInt(1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			unify(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			unify(v.Index(i))
		}
	}
}

// visit is a request of somebody with a role; none for an empty role.
func visit(role access.Role, path string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "http://berth.test"+path, nil)
	if role == "" {
		return r
	}
	p := access.Principal{Kind: access.KindUser, ID: "usr_1", Name: "ada@example.org", Role: role}
	return r.WithContext(endpoint.WithRequestID(endpoint.WithPrincipal(r.Context(), p), "K3ZQ7M2WAYHXB4"))
}

func framed(at section, title string, trail ...crumb) frame {
	return newFrame(visit(access.RoleAdmin, "/"), at, title, trail...)
}

// without is the frame while the hub has been away for so long.
func (f frame) without(hub time.Duration) frame {
	f.Hub = hubNotice{true, at(before(hub), sampleNow)}
	return f
}

func bare(title string) frame { return newFrame(visit("", "/"), inNothing, title) }

// samples are every page in the states that matter, by name.
func samples() map[string]sample {
	all := map[string]sample{
		"setup":                 of(setupView, bare("Set up Berth"), newSetupPage("", "")),
		"setup-no-token":        of(setupView, bare("Set up Berth"), setupPage{NoToken: true}),
		"setup-refused":         of(setupView, bare("Set up Berth"), refusedSetup()),
		"forgotten":             of(forgottenView, bareFrame(visit("", "/"), "Forgotten password", 200), forgottenPage{Mails: true, Trouble: "There were too many tries. Wait before trying again.", Email: newForgottenPage("ada").Email}),
		"forgotten-asked":       of(forgottenView, bareFrame(visit("", "/"), "Forgotten password", 200), forgottenPage{Mails: true, Asked: true, To: "ada@example.org"}),
		"forgotten-off":         of(forgottenView, bareFrame(visit("", "/"), "Forgotten password", 200), forgottenPage{}),
		"login":                 of(loginView, bare("Sign in"), newLoginPage("", "/", namer(""))),
		"login-provider":        of(loginView, bare("Sign in"), newLoginPage("", "/stacks?x=1", namer("Keycloak"))),
		"profile-link":          of(linkView, framed(inProfile, "Link Keycloak"), linkPage{Provider: "Keycloak", Href: "https://id.example.org/realms/staff/protocol/openid-connect/auth?client_id=berth&state=abc"}),
		"profile-linked":        of(profileView, framed(inProfile, "Your profile"), sampleSignOn(true, false)),
		"profile-unlinked":      of(profileView, framed(inProfile, "Your profile"), sampleSignOn(false, false)),
		"profile-made":          of(profileView, framed(inProfile, "Your profile"), sampleSignOn(true, true)),
		"login-refused":         of(loginView, bare("Sign in"), loginPage{Trouble: "The e-mail address or the password is wrong, or the account is disabled.", Email: input{Name: "email", Label: "E-mail address", Kind: "email", Value: "ada@example.org"}, Password: input{Name: "password", Label: "Password", Kind: "password"}}),
		"error-404":             of(errorView, framed(inNothing, "There is nothing here"), errorPage{Status: 404, What: "There is nothing here", Why: "There is no such stack. It may have been deleted meanwhile.", Links: []nameLink{{"Go to the overview", "/"}}, RequestID: "K3ZQ7M2WAYHXB4"}),
		"error-403":             of(errorView, bare("You may not do this"), errorPage{Status: 403, What: "You may not do this", Why: "The role \"viewer\" does not permit this.", Links: []nameLink{{"Go back", "/stacks"}, {"Go to the overview", "/"}}, SignOut: true, RequestID: "K3ZQ7M2WAYHXB4"}),
		"overview":              of(overviewView, framed(inOverview, "Overview"), sampleOverview(true)),
		"overview-well":         of(overviewView, framed(inOverview, "Overview"), sampleOverview(false)),
		"overview-away":         of(overviewView, framed(inOverview, "Overview").without(time.Hour), sampleAway()),
		"overview-full":         of(overviewView, framed(inOverview, "Overview"), sampleFull()),
		"overview-large":        of(overviewView, framed(inOverview, "Overview"), sampleLarge()),
		"overview-quiet":        of(overviewView, framed(inOverview, "Overview"), sampleQuiet()),
		"overview-first":        of(overviewView, framed(inOverview, "Overview"), sampleFirst()),
		"overview-hidden":       of(overviewView, framed(inOverview, "Overview"), sampleHidden()),
		"overview-empty":        of(overviewView, framed(inOverview, "Overview"), sampleEmpty()),
		"repository-new":        of(repositoryNewView, framed(inRepositories, "Add a repository", crumb{"Repositories", "/repositories"}), repositoryNewPage{Form: sampleRepositoryForm(true)}),
		"repository-hosts":      of(repositoryNewView, framed(inRepositories, "Add a repository"), repositoryNewPage{Stack: true, Form: sampleRepositoryForm(true), Hosts: []connectLine{{"GitHub", "/connect", ""}, {"GitLab", "/connect", "/git-hosts/gitlab/new"}}}),
		"repository-pick":       of(repositoryPickView, framed(inRepositories, "Add a repository from GitHub"), samplePick(true)),
		"repository-pick-first": of(repositoryPickView, framed(inRepositories, "Add a repository from GitHub"), samplePick(false)),
		"repository-edit":       of(repositorySettingsView, framed(inRepositories, "Settings of apps", crumb{"Repositories", "/repositories"}), repositorySettingsPage{"apps", "/repositories/rep_1", sampleRepositoryForm(false), statusChoice("github")}),
		"repository-secrets": of(repositorySecretsView, framed(inRepositories, "Encrypt secrets for apps"), repositorySecretsPage{"apps", "/repositories/rep_1",
			copyable{"age-key", "public age key", "age1qyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqs3290gq"}, "secrets.yaml", "TOKEN is there twice", newSecretsText()}),
		"repository-rotate": of(repositoryRotateView, framed(inRepositories, "Replace the age key of apps"), repositoryRotatePage{"apps", "/repositories/rep_1",
			"age1qyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqs3290gq", "The repository's age key was changed just now."}),
		"repository-delete":     of(repositoryDeleteView, framed(inRepositories, "Remove apps"), repositoryDeletePage{"apps", "/repositories/rep_1", "The repository \"apps\" is used by stacks: shop, web. Delete those first."}),
		"repository-keys":       of(repositoryKeysView, framed(inRepositories, "Repository keys"), repositoryKeysPage{Lines: []keyLine{{Name: "apps 2025-11-20", Host: "git.example.com", Username: "deploy", UsedBy: []nameLink{{"apps", "/repositories/rep_1"}}, Made: at(before(30*time.Hour), sampleNow)}, {Name: "GitHub: ada", Host: "github.com", Username: "ada", Connected: "ada@example.org", Cuts: true, DeleteHref: "/", UsedBy: []nameLink{{"shop", "/repositories/rep_2"}}}, {Name: "old", Host: "git.example.com:3000", Username: "ada", DeleteHref: "/", Made: at(before(3000*time.Hour), sampleNow)}}}),
		"repository-key-delete": of(repositoryKeyDeleteView, framed(inRepositories, "Disconnect GitHub: ada"), repositoryKeyDeletePage{"GitHub: ada", "/repository-keys/cred_1/delete", []nameLink{{"apps", "/repositories/rep_1"}}}),
		"worker-new":            of(workerNewView, framed(inWorkers, "Add a worker"), newWorkerPage("", 7)),
		"worker-waits":          of(workerTokenView, framed(inWorkers, "Start the worker"), joinedOf(sampleToken(), fleet.Worker{}, sampleNow)),
		"worker-late":           of(workerTokenView, framed(inWorkers, "Start the worker"), joinedOf(sampleToken(), fleet.Worker{}, sampleNow.Add(8*24*time.Hour))),
		"worker-joined":         of(workerTokenView, framed(inWorkers, "Start the worker"), sampleJoined(sampleWorkers()[0])),
		"worker-issued":         of(workerNewView, framed(inWorkers, "Add a worker"), sampleIssued()),
		"worker-show":           of(workerShowView, framed(inWorkers, "hetzner-fsn-1", crumb{"Workers", "/workers"}), sampleWorkerShow(0)),
		"worker-away":           of(workerShowView, framed(inWorkers, "basement-nuc", crumb{"Workers", "/workers"}), sampleWorkerShow(2)),
		"worker-revoke":         of(workerRevokeView, framed(inWorkers, "Revoke"), workerConfirmPage{Worker: workerOf(sampleWorkers()[0], sampleNow)}),
		"worker-delete":         of(workerDeleteView, framed(inWorkers, "Remove"), workerConfirmPage{Worker: workerOf(sampleWorkers()[2], sampleNow), Trouble: "The worker has stacks: shop."}),
		"audit":                 of(auditView, framed(inAudit, "Audit"), sampleAudit()),
		"account-list":          of(accountListView, framed(inAccounts, "Service accounts"), accountListPage{Name: accountName(""), Role: roleChoice(access.RoleMonitoring), Lines: []accountLine{{Name: "prometheus", Href: "/service-accounts/sva_1", Role: "monitoring", Keys: 1, Added: at(before(50*time.Hour), sampleNow)}, {Name: "pipeline", Href: "/service-accounts/sva_2", Role: "operator", Disabled: true, Keys: 2, Added: at(before(500*time.Hour), sampleNow)}}}),
		"account":               of(accountView, framed(inAccounts, "prometheus"), sampleAccount()),
		"policy":                of(policyView, framed(inPolicy, "Policy"), samplePolicy()),
		"policy-worker":         of(policyView, framed(inWorkers, "Policy of edge-1", crumb{"Workers", "/workers"}), sampleWorkerPolicy()),
		"user-list":             of(userListView, framed(inUsers, "Users"), userListPage{Lines: []userLine{{Name: "Ada Lovelace", Email: "ada@example.org", Href: "/users/usr_1", Role: "admin", Self: true, Added: at(before(900*time.Hour), sampleNow)}, {Name: "Bob", Email: "bob@example.org", Href: "/users/usr_2", Role: "viewer", Disabled: true, SecondFactor: true}}, Email: input{Name: "email", Label: "E-mail address", Kind: "email"}, Role: roleChoice(access.RoleViewer)}),
		"user-invited":          of(userListView, framed(inUsers, "Users"), userListPage{Lines: []userLine{{Name: "Ada Lovelace", Email: "ada@example.org", Href: "/users/usr_1", Role: "admin", Self: true}}, Invites: []inviteLine{{Email: "bob@example.org", Role: "viewer", By: "ada@example.org", Until: at(before(-100*time.Hour), sampleNow), RevokeHref: "/users/invites/inv_1/delete"}}, Email: input{Name: "email", Label: "E-mail address", Kind: "email"}, Role: roleChoice(access.RoleViewer), Issued: true, Link: copyable{"made-link", "Link of the invitation", "https://berth.example.org/invites/berth_in_1"}, For: "bob@example.org", Until: at(before(-100*time.Hour), sampleNow)}),
		"invitation":            of(invitationView, bareFrame(visit("", "/"), "You are invited", 200), invitationPage{Email: "bob@example.org", Role: roleWords[access.RoleViewer], By: "ada@example.org", Until: at(before(-100*time.Hour), sampleNow), Action: "/invites/berth_in_1", Name: input{Name: "name", Label: "Your name", Kind: "text"}, Password: freshPassword("password", "Password")}),
		"reset":                 of(resetView, bareFrame(visit("", "/"), "Choose a new password", 200), resetPage{Email: "bob@example.org", Action: "/resets/berth_pr_1", Password: freshPassword("password", "New password")}),
		"login-code":            of(loginView, bareFrame(visit("", "/"), "Sign in", 200), loginPage{Next: "/", Ticket: "usr_1.1.x", Code: codeInput("Code")}),
		"factor":                of(factorView, framed(inProfile, "Second factor"), sampleFactor(func(p *factorPage) { p.Demanded = true })),
		"factor-codes":          of(factorView, framed(inProfile, "Second factor"), sampleFactor(func(p *factorPage) { p.Issued = true })),
		"factor-remove":         of(factorView, framed(inProfile, "Second factor"), sampleFactor(func(p *factorPage) { p.There = true })),
		"profile":               of(profileView, framed(inProfile, "Your profile"), sampleProfile()),
		"user-reset":            of(userView, framed(inUsers, "Ada"), userPage{Line: userLine{Name: "Ada Lovelace", Email: "ada@example.org", Href: "/users/usr_1", SecondFactor: true}, Role: roleChoice(access.RoleAdmin), Disabled: tick{Name: "disabled", Label: "May not sign in"}, Issued: true, Link: copyable{"made-link", "Link for a new password", "https://berth.example.org/resets/berth_pr_1"}, Until: at(before(-20*time.Hour), sampleNow)}),
		"user":                  of(userView, framed(inUsers, "Ada"), userPage{Line: userLine{Name: "Ada Lovelace", Email: "ada@example.org", Href: "/users/usr_1"}, Role: roleChoice(access.RoleAdmin), Disabled: tick{Name: "disabled", Label: "May not sign in", Hint: "Ends their sessions at once."}}),
		"repository-key-new":    of(keyNewView, framed(inRepositories, "Add a repository key"), keyNewPage{newKeyForm("", keyMade, "", "")}),
		"repository-key":        of(keyView, framed(inRepositories, "deploy"), newKeyPage(repositories.Credential{ID: "cred_1", Name: "deploy", Type: repositories.TypeSSH, Host: "git.example.com", PublicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKm33/Qj2l6Lu940QqFxFu5cLtCvTxw9g58HFYr8N9mZ deploy", CreatedAt: before(time.Hour)}, func() time.Time { return sampleNow })),
		"ssh-hosts":             of(sshHostsView, framed(inRepositories, "SSH hosts"), sampleHosts()),
	}
	for name, s := range searchSamples() {
		all[name] = s
	}
	for name, s := range stackSamples() {
		all[name] = s
	}
	for name, s := range revisionSamples() {
		all[name] = s
	}
	for name, s := range jobSamples() {
		all[name] = s
	}
	for name, s := range variableSamples() {
		all[name] = s
	}
	for name, s := range repositorySamples() {
		all[name] = s
	}
	return all
}

func refusedSetup() setupPage {
	p := newSetupPage("ada@example", "Ada Lovelace")
	p.Token.Problem = "This is not the bootstrap token. It is the value of BOOTSTRAP_TOKEN in the server's environment."
	p.Password.Problem = "Must have 12 to 256 bytes; a few unrelated words make a good one"
	return p
}

func sampleWorkers() []fleet.Worker {
	return []fleet.Worker{
		{ID: "wrk_1", Hostname: "hetzner-fsn-1", Tags: []string{"eu", "production"}, Version: "0.1.0", OS: "linux", Arch: "amd64", Online: true, ConnectedAt: before(26 * time.Hour), Stacks: 7},
		{ID: "wrk_2", Hostname: "rack4-host2", Tags: []string{"staging"}, Version: "0.1.0", OS: "linux", Arch: "arm64", Online: true, ConnectedAt: before(11 * time.Minute), Stacks: 4},
		{ID: "wrk_3", Hostname: "basement-nuc", Version: "0.1.0", Advice: fleet.Advice("0.3.1", "0.1.0"), OS: "linux", Arch: "amd64", ConnectedAt: before(90 * time.Hour), LeftAt: before(47 * time.Minute), Stacks: 2},
		{ID: "wrk_4", Hostname: "old-host", Version: "0.0.9", OS: "linux", Arch: "amd64", Revoked: true, ConnectedAt: before(900 * time.Hour), LeftAt: before(600 * time.Hour)},
	}
}

// sampleWorkerLines are those in a list: the first is busy and its disk nearly full, of the second not all is known.
func sampleWorkerLines() (lines []workerLine) {
	for _, w := range sampleWorkers() {
		lines = append(lines, workerOf(w, sampleNow))
	}
	readings := sampleReadings("wrk_1")
	lines[0].Load = hostLoadOf(readings[len(readings)-1])
	lines[1].Load = hostLoadOf(fleet.Reading{CPU: 7, Memory: 3 << 30, MemoryTotal: 8 << 30, Disk: fleet.Unread, DiskTotal: fleet.Unread})
	return lines
}

// sampleWorkerShow is the page of one of the workers; the first has stacks.
func sampleWorkerShow(i int) workerShowPage {
	w := sampleWorkers()[i]
	w.CreatedAt, w.Engine, w.Runs = before(2000*time.Hour), "7f3c9a10-5d2e", true
	p := workerShowOf(w, sampleNow)
	p.Deployments.Stacks, p.Table.Jobs = true, true
	if i == 0 {
		p.Holds, p.Unread = sampleHolds(), []string{"dep_06a", "run_06b"}
		p.Deployments.Lines, p.Table.Lines = designDeployments(sampleNow), sampleWorkerRuns()
		for i := range p.Deployments.Lines {
			p.Deployments.Lines[i].Stack, p.Deployments.Lines[i].StackHref = "shop", "/stacks/stk_1"
		}
		p.Trends = trendsOf(sampleReadings(w.ID), sampleNow)
		p.Stacks = []stackLine{
			{Name: "shop", Href: "/stacks/stk_1", Badge: badge{"ok", "check", "Healthy"}, Repository: "acme/shop", Folder: "deploy", Commit: "9f31c02", Revision: 12, Checked: at(before(time.Hour), sampleNow)},
			{Name: "blog", Href: "/stacks/stk_2", Badge: badge{"bad", "cross", "Failed"}, Why: "The image could not be pulled.", Repository: "acme/blog", Folder: "the repository's root", Checked: at(before(time.Minute), sampleNow)}}
	}
	return p
}

func sampleWorkerRuns() []runLine {
	return []runLine{{Href: "/job-runs/run_1", Badge: badgeOf(runBadges, jobs.RunRunning), Job: "backup", JobHref: "/jobs/job_1", Cause: "Schedule", Took: "12 s", When: at(before(time.Minute), sampleNow)},
		{Href: "/job-runs/run_2", Badge: badgeOf(runBadges, jobs.RunFailed), Job: "report", JobHref: "/jobs/job_2", Cause: "By hand", Actor: "ada@example.org", Exit: "2", Took: "1.2 s", When: at(before(time.Hour), sampleNow)}}
}

// sampleReadings are a day of a host that was away for two hours, and whose disk fills up.
func sampleReadings(id core.WorkerID) []fleet.Reading {
	var all []fleet.Reading
	for i := range fleet.Readings {
		if i >= 100 && i < 124 {
			continue
		}
		all = append(all, fleet.Reading{Worker: id, At: sampleNow.Add(-time.Duration(fleet.Readings-1-i) * fleet.ReadingEvery), CPU: 120 + (i*37)%90 + 400*(i%48/40), Load: 300 + (i*53)%400 + 2000*(i%48/40), CPUs: 4,
			Memory: int64(5<<30 + (i*29)%64<<24), MemoryTotal: 16 << 30, Disk: int64(70<<30 + i<<27), DiskTotal: 114 << 30})
	}
	return all
}

// unheardWorker is one whose hub is away.
func unheardWorker() fleet.Worker {
	w := sampleWorkers()[0]
	w.Online, w.Unheard, w.UnheardSince = false, true, before(time.Hour)
	return w
}

func sampleDeployments() []stacks.Deployment {
	var all []stacks.Deployment
	names := []core.StackID{"shop", "web", "grafana", "vault"}
	states := []stacks.DeploymentState{stacks.DeploymentRunning, stacks.DeploymentFailed, stacks.DeploymentSucceeded, stacks.DeploymentSucceeded, stacks.DeploymentSucceeded, stacks.DeploymentSuperseded}
	for i := range 36 {
		started := before(time.Duration(i*i) * 7 * time.Minute)
		d := stacks.Deployment{ID: core.DeploymentID(fmt.Sprintf("dep_%d", i)), Stack: names[i%4], State: states[min(i, 2)+i%3*min(1, i/5)], Trigger: stacks.TriggerPoll, Actor: "system",
			Commit: core.Commit(fmt.Sprintf("%010x5e6f7a8b9c0d1e2f3a4b5c6d7e8f90", 0x9f31c02d4a+i*77777777)), Revision: 40 - i, Worker: "wrk_1", QueuedAt: started, StartedAt: started, FinishedAt: started.Add(time.Duration(3+i*i%90) * time.Second)}
		if i%4 == 1 {
			d.Trigger, d.Actor = stacks.TriggerManual, "ada@example.org"
		}
		if i == 0 {
			d.StartedAt, d.FinishedAt = before(8*time.Second), time.Time{}
		}
		all = append(all, d)
	}
	return all
}

func sampleAway() overviewPage {
	p := sampleOverview(false)
	p.Summary, p.Tone = "The hub is away.", "bad"
	return p
}

func sampleFull() overviewPage {
	p := sampleOverview(false)
	p.Full, p.Summary, p.Tone = true, "The server's disk is full.", "bad"
	return p
}

func sampleOverview(needy bool) overviewPage {
	counts := map[stacks.Status]int{stacks.StatusActive: 9, stacks.StatusSyncing: 1, stacks.StatusNew: 1}
	p := overviewPage{Total: 11, Activity: activityOf(sampleTally(stacks.LastDay(sampleNow)), sampleNow), Fleet: fleetOf(fleet.Presence{Online: 2, Away: 1}), Deployments: deploymentTable{Stacks: true}}
	if needy {
		counts[stacks.StatusError], counts[stacks.StatusDegraded] = 1, 1
		p.Total = 13
		p.Needs = []need{
			{Tone: "bad", Icon: "cross", Kind: "Stack", Name: "web", Href: "/stacks/stk_2", Why: "Image registry.example.com/web:7.3 was not found: manifest unknown.", Since: at(before(6*time.Minute), sampleNow), Action: "See what happened", ActionHref: "/deployments/dep_1"},
			{Tone: "warn", Icon: "alert", Kind: "Stack", Name: "shop", Href: "/stacks/stk_1", Why: "Compose service db is unhealthy.", Since: at(before(25*time.Minute), sampleNow), Action: "Read the log of db", ActionHref: "/stacks/stk_1/services/db/logs"},
		}
		held := &overview{now: sampleNow}
		p.Needs = append(p.Needs, held.heldNeed(stacks.Stack{ID: "stk_3", Name: "vault", Paused: true, UpdatedAt: before(50 * time.Hour)}), held.heldNeed(healingStack()))
		for _, name := range []string{"broken", "failing", "missed"} {
			p.Needs = append(p.Needs, held.jobNeed(troubled()[name], sampleRuns(10)[4:]))
		}
		p.Needs = append(p.Needs, workerNeeds(sampleWorkers(), sampleNow)...)
		p.Needs = append(p.Needs, repositoryNeeds([]repositories.Repository{{ID: "rep_2", Name: "infra", ErrorCode: "git.credential_refused", Error: "the Git host git.example.com refused the user name or password", UpdatedAt: before(3 * time.Hour)}, {ID: "rep_3", Name: "tools", ErrorCode: "git.unreachable", Error: "the Git host did not answer", UpdatedAt: before(2 * time.Minute)}}, sampleNow)...)
	}
	p.Jobs = sampleJobsPicture()
	p.Segments = segmentsOf(counts)
	p.Stacks = stacksInWords(p.Segments, p.Total)
	p.Summary, p.Tone = summarise(p.Needs, p.Total, counts)
	for _, d := range sampleDeployments()[:8] {
		line := lineOf(d, sampleNow, hubNotice{})
		line.Stack = string(d.Stack)
		p.Deployments.Lines = append(p.Deployments.Lines, line)
	}
	for i, w := range sampleWorkers()[:3] {
		p.Fleet.Lines = append(p.Fleet.Lines, workerOf(w, sampleNow))
		if w.Online {
			p.Load.Lines = append(p.Load.Lines, loadLineOf(w, sampleReadings(w.ID)[80+i]))
		}
	}
	return p
}

// sampleTally is a span in which much was deployed, and not all of it well.
func sampleTally(span stacks.Span) stacks.Tally {
	var times []time.Duration
	for i := range 240 {
		times = append(times, time.Duration(3000+i*i)*time.Millisecond)
	}
	t := stacks.NewTally(span, times)
	for i, ended := range t.Ended {
		for j, state := range []stacks.DeploymentState{stacks.DeploymentSucceeded, stacks.DeploymentFailed, stacks.DeploymentRolledBack, stacks.DeploymentSuperseded, stacks.DeploymentLost, stacks.DeploymentCancelled} {
			if n := (i*i*7 + i) % (29>>j + 1); n > j/2 && i%5 != 3 {
				ended[state] = n
			}
		}
		if i == 9 {
			ended[stacks.DeploymentLost], ended[stacks.DeploymentCancelled] = 1, 2
		}
	}
	return t
}

// sampleLarge is a fleet of ten thousand.
func sampleLarge() overviewPage {
	p := sampleOverview(true)
	p.Fleet = fleetOf(fleet.Presence{Online: 9962, Away: 37, Never: 1})
	p.Activity = activityOf(sampleTally(stacks.LastFortnight(sampleNow)), sampleNow)
	for i := range overviewAway {
		p.Fleet.Lines = append(p.Fleet.Lines, workerOf(fleet.Worker{ID: core.WorkerID(fmt.Sprintf("wrk_%d", i)), Hostname: fmt.Sprintf("edge-%04d.branch.example.com", 17*i), Tags: []string{"edge"}, ConnectedAt: before(900 * time.Hour), LeftAt: before(time.Duration(300-i*i*5) * time.Hour), Stacks: i}, sampleNow))
	}
	p.Fleet.More = 37 - overviewAway
	lines := p.Load.Lines
	p.Load = loadOf(fleet.Load{Bands: [10]int{3120, 2810, 1904, 1011, 640, 301, 122, 40, 11, 3}})
	p.Load.Lines = lines
	large := &overview{counts: map[stacks.Status]int{stacks.StatusError: 51}, standings: map[jobs.Standing]int{jobs.StandingFailing: 22}}
	p.Needs = append(append(p.Needs, large.moreStacks(stacks.StatusError, 10)...), large.moreJobs(jobs.StandingFailing, 10)...)
	p.Needs = append(p.Needs, large.awayNeeds(make([]fleet.Worker, maxNeeds+1))...)
	p.Needs = append(p.Needs, fullNeed(sampleWorkers()[1], fleet.Reading{At: before(time.Minute), Disk: 108 << 30, DiskTotal: 114 << 30}, sampleNow))
	p.Summary, p.Tone = summarise(p.Needs, p.Total, nil)
	return p
}

// sampleQuiet is one worker, and one deployment long ago.
func sampleQuiet() overviewPage {
	p := overviewPage{Total: 1, Fleet: fleetOf(fleet.Presence{Online: 1}), Segments: segmentsOf(map[stacks.Status]int{stacks.StatusActive: 1}), Deployments: deploymentTable{Stacks: true}}
	p.Summary, p.Tone = summarise(nil, 1, map[stacks.Status]int{stacks.StatusActive: 1})
	p.Stacks = stacksInWords(p.Segments, 1)
	p.Fleet.Lines = []workerLine{workerOf(sampleWorkers()[0], sampleNow)}
	old := sampleDeployments()[30]
	old.QueuedAt = before(900 * time.Hour)
	line := lineOf(old, sampleNow, hubNotice{})
	line.Stack = "shop"
	p.Deployments.Lines = []deploymentLine{line}
	return p
}

func sampleEmpty() overviewPage {
	o := overview{presence: fleet.Presence{Online: 1}, now: sampleNow}
	p := overviewPage{Steps: o.steps(true, true, nil, nil)}
	p.Summary, p.Tone = summarise(nil, 0, nil)
	return p
}

// sampleFirst is a first stack that does not come up.
func sampleFirst() overviewPage {
	o := overview{presence: fleet.Presence{Online: 1}, repositories: 1, now: sampleNow}
	p := sampleQuiet()
	p.Steps = o.steps(true, true, []stacks.Stack{{ID: "stk_1", Name: "shop"}}, p.Deployments.Lines)
	return p
}

// sampleHidden is an empty installation whose reader needs no steps.
func sampleHidden() overviewPage {
	p := sampleEmpty()
	p.Steps, p.Hidden = nil, true
	return p
}

// allTabs are those of the list of workers.
func allTabs(online string) []tab {
	_, tabs := workerFilter(&url.URL{Path: "/workers", RawQuery: "online=" + online})
	return tabs
}

// sampleToken waits for a week.
func sampleToken() fleet.Token {
	return fleet.Token{ID: "wtk_1", Name: "rack 4, host 2", ExpiresAt: sampleNow.Add(7 * 24 * time.Hour)}
}

// sampleJoined is the page of a token that a worker has registered with.
func sampleJoined(w fleet.Worker) workerJoined {
	t := sampleToken()
	t.Worker = w.ID
	return joinedOf(t, w, sampleNow)
}

func sampleIssued() workerNewPage {
	p := newWorkerPage("", 7)
	issued := fleet.Issued{ServerURL: "https://berth.example.com:8443"}
	p.Issued, p.Joined = true, joinedOf(sampleToken(), fleet.Worker{}, sampleNow)
	p.Command = copyable{"command", "Command that starts the worker", issued.Command()}
	p.Compose = copyable{"compose", "Compose file that runs the worker", issued.Compose()}
	return p
}

func sampleAccount() accountPage {
	p := newAccountPage("", 0)
	p.Name, p.Href, p.Role = "prometheus", "/service-accounts/sva_1", roleWords[access.RoleMonitoring]
	p.Metrics = true
	p.change(identity.ServiceAccount{Name: "prometheus", Role: access.RoleMonitoring})
	p.show("berth_sk_key_0b3f9k2mzq6w8x1c4v5n7p0rst_Zx8Yw6Vu4Ts2Rq0Po9Nm7Lk5Ji3Hg1", "https://berth.example.com")
	p.Keys = []apiKeyLine{{ID: "key_0b3f9k2mzq6w8x1c4v5n7p0rst", Name: "2025 rotation", Made: at(sampleNow, sampleNow), Used: at(before(3*time.Minute), sampleNow), From: "192.0.2.7", RevokeHref: "/x", RotateHref: "/y"}, {ID: "key_0a3f9k2mzq6w8x1c4v5n7p0rst", Name: "first", Made: at(before(4000*time.Hour), sampleNow), Expires: at(before(10*time.Hour), sampleNow), Expired: true, RevokeHref: "/x"},
		{ID: "key_0b2f9k2mzq6w8x1c4v5n7p0rst", Name: "2025 rotation", Made: at(before(90*24*time.Hour), sampleNow), Expires: at(sampleNow.Add(20*time.Hour), sampleNow), FollowedBy: "key_0b3f9k2mzq6w8x1c4v5n7p0rst", RevokeHref: "/x"}}
	return p
}

// sampleHosts is one SSH host, and a scan that found another key than was accepted.
func sampleHosts() sshHostsPage {
	p := newHostsPage("git.example.com", "22")
	was := hostKeyLine{Type: "ssh-ed25519", Fingerprint: "SHA256:uNiVztksCsDhcc0u9e8BrXJXvL2DnuqOE1DIHoYDKFg", Value: "ssh-ed25519 AAAA", Known: true}
	is := hostKeyLine{Type: "ssh-ed25519", Fingerprint: "SHA256:p2QAMXNIC1TJYWeIOttrVc98/R1BUFWu3/LiyKgUfQM", Value: "ssh-ed25519 BBBB"}
	p.Scan = scanShown{Done: true, Address: "git.example.com:22", Host: "git.example.com", Port: "22", Keys: []hostKeyLine{is}, Before: []hostKeyLine{was}}
	p.Lines = []sshHostLine{{Address: "git.example.com:22", Value: "git.example.com:22", Keys: []hostKeyLine{was}, Accepted: at(before(30*time.Hour), sampleNow), By: "ada@example.org"}}
	return p
}
