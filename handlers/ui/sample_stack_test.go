package ui

import (
	"context"
	"net/url"
	"strings"
	"time"

	"berth/core"
	"berth/core/fleet"
	"berth/core/intake"
	"berth/core/jobs"
	"berth/core/lint"
	"berth/core/repositories"
	"berth/core/stacks"
)

// sampleStore answers with samples.
type sampleStore struct{ sampleNames }

func (sampleStore) Stack(context.Context, core.StackID) (stacks.Stack, error) {
	return sampleStack(), nil
}

func (sampleStore) Deployments(context.Context, stacks.DeploymentFilter, core.Page) (core.List[stacks.Deployment], error) {
	var items []stacks.Deployment
	for i, d := range sampleDeployments() {
		d.Phases = []stacks.Phase{{Name: stacks.PhaseFetch, DurationMS: 400}, {Name: stacks.PhasePull, DurationMS: int64(900 * i)}, {Name: stacks.PhaseApply, DurationMS: 2100}, {Name: stacks.PhaseVerify, DurationMS: 3200}}
		if i > 0 && i < 8 {
			items = append(items, d)
		}
	}
	return core.List[stacks.Deployment]{Items: items}, nil
}

func (sampleStore) Jobs(context.Context, jobs.Filter, core.Page) (core.List[jobs.Job], error) {
	return core.List[jobs.Job]{Items: []jobs.Job{sampleJob()}}, nil
}

func (sampleStore) FolderProposal(context.Context, string) (intake.Proposal, bool, error) {
	return intake.Proposal{}, false, nil
}

func (sampleStore) Decisions(context.Context, core.StackID, core.Page) (core.List[stacks.Decision], error) {
	return core.List[stacks.Decision]{Items: []stacks.Decision{
		{At: before(6 * time.Minute), Trigger: stacks.TriggerPoll, Deployed: true, Deployment: "dep_1", Reason: "apps/shop changed at commit 9f31c02d4a"},
		{At: before(50 * time.Minute), Trigger: stacks.TriggerPoll, Reason: "apps/shop at commit 77aa10b2c3 is as it was at the last look"},
		{At: before(5 * time.Hour), Trigger: stacks.TriggerManual, Deployed: true, Deployment: "dep_2", Reason: "sync was asked for by ada@example.org"},
		{At: before(29 * time.Hour), Trigger: stacks.TriggerPoll, Deployed: true, Deployment: "dep_3", Reason: "first look at apps/shop, commit 0c44d1e0f2"},
	}}, nil
}

func (sampleStore) Revision(context.Context, core.StackID, int) (stacks.Revision, error) {
	return stacks.Revision{Number: 12, Services: sampleProject()}, nil
}

func sampleProject() []core.ComposeService {
	after := func(name string, c core.ComposeCondition) core.ComposeDependency {
		return core.ComposeDependency{Service: name, Condition: c}
	}
	return []core.ComposeService{
		{Name: "api", Image: "registry.example.com/shop/api:2025.11.3@sha256:0d5c", Scale: 2, Networks: []string{"back", "front"}, Ports: []string{"8080-8081:80/tcp"}, DependsOn: []core.ComposeDependency{after("db", core.ComposeHealthy), after("migrate", core.ComposeCompleted)}},
		{Name: "db", Image: "postgres:17", Networks: []string{"back"}, Volumes: []string{"data"}},
		{Name: "migrate", Image: "registry.example.com/shop/api:2025.11.3", Networks: []string{"back"}, DependsOn: []core.ComposeDependency{after("db", core.ComposeHealthy)}},
		{Name: "worker", Image: "registry.example.com/shop/worker:2025.11.3", Networks: []string{"back"}, Binds: []string{"/srv/uploads"}, DependsOn: []core.ComposeDependency{after("api", core.ComposeStarted), {Service: "cache", Condition: core.ComposeStarted, Optional: true}}},
	}
}

func sampleStack() stacks.Stack {
	return stacks.Stack{ID: "stk_1", Name: "shop", Repository: "rep_1", Path: "apps/shop", Worker: "wrk_1", WorkerTags: []string{"production"}, AutoSync: true, Status: stacks.StatusDegraded,
		Seen: "9f31c02d4a5e6f7a8b9c0d1e2f3a4b5c6d7e8f90", Revision: 12, Commit: "9f31c02d4a5e6f7a8b9c0d1e2f3a4b5c6d7e8f90", Error: "compose service db is unhealthy", ObservedAt: before(20 * time.Minute),
		Containers: []stacks.ContainerState{
			{Service: "api", Container: "shop-api-1", Image: "registry.example.com/shop/api:2025.11.3", State: "running", Health: "healthy", StartedAt: before(29 * time.Hour), Ports: []string{"8080->80/tcp"}, Revision: 12},
			{Service: "api", Container: "shop-api-2", Image: "registry.example.com/shop/api:2025.11.3", State: "running", Health: "starting", StartedAt: before(time.Minute), Ports: []string{"8081->80/tcp"}, Revision: 12},
			{Service: "db", Container: "shop-db-1", Image: "postgres:17", State: "running", Health: "unhealthy", StartedAt: before(29 * time.Hour), RestartCount: 3, Revision: 11},
			{Service: "migrate", Container: "shop-migrate-1", Image: "registry.example.com/shop/api:2025.11.3", State: "exited", Revision: 12},
		}}
}

func stackSamples() map[string]sample {
	s := sampleStack()
	trail := []crumb{{"Stacks", "/stacks"}, {"shop", "/stacks/stk_1"}}
	show, err := showStack(context.Background(), sampleStore{}, s, sampleNow)
	if err != nil {
		panic(err)
	}
	show.Facts = stackFacts{Repository: "apps", RepositoryHref: "/repositories/rep_1", Folder: "apps/shop", Worker: "hetzner-fsn-1", WorkerHref: "/stacks", Tags: []string{"production"}, Revision: 12, Commit: s.Commit.Short(), Seen: s.Seen.Short(), Automatic: true}
	show.put(usageOf(context.Background(), sampleUsage{}, s, sampleNow))
	torn := show
	torn.Head = headOf(stacks.Stack{ID: "stk_1", Name: "shop", Status: stacks.StatusError, Error: "revision 13 was cancelled while it was being applied; what runs may be a part of it. Deploy again to put it right"}, nil, tabOverview)
	torn.Facts.Unverified, torn.Facts.Unclear = 13, true
	fresh := stacks.Stack{ID: "stk_9", Name: "blog", Status: stacks.StatusNew}
	failed := show
	failed.Head, failed.Retry = headOf(stacks.Stack{ID: "stk_1", Name: "blog", Status: stacks.StatusError}, nil, tabOverview), at(sampleNow.Add(5*time.Minute), sampleNow)
	healing, err := showStack(context.Background(), sampleStore{}, healingStack(), sampleNow)
	if err != nil {
		panic(err)
	}
	healing.Facts = show.Facts
	asked := func(f frame, status string) frame { f.Note = said[status]; return f }
	return map[string]sample{
		"stack":                of(stackShowView, asked(framed(inStacks, "shop", trail[0]), "service-restarted"), show),
		"stack-new":            of(stackShowView, framed(inStacks, "blog", trail[0]), stackShowPage{Head: headOf(fresh, nil, tabOverview), Facts: stackFacts{Repository: "apps", RepositoryHref: "/repositories/rep_1", Folder: "apps/blog"}}),
		"stack-failed":         of(stackShowView, framed(inStacks, "blog", trail[0]), failed),
		"stack-torn":           of(stackShowView, framed(inStacks, "shop", trail[0]), torn),
		"stack-held-again":     of(redeployView, framed(inStacks, "Redeploy shop", trail...), sampleRedeploy(s, "77aa10b2c3")),
		"stack-healing":        of(stackShowView, asked(framed(inStacks, "shop", trail[0]), "stack-paused"), healing),
		"stack-list":           of(stackListView, framed(inStacks, "Stacks"), sampleStacks("")),
		"stack-groups":         of(stackListView, framed(inStacks, "Stacks"), sampleStacks("worker")),
		"stack-bulk":           of(stackBulkView, framed(inStacks, "Pause many stacks", trail[0]), sampleBulk()),
		"stack-bulk-none":      of(stackBulkView, framed(inStacks, "Pause many stacks", trail[0]), stackBulkPage{Do: "pause", Word: "Pause", Said: "paused", Back: "/stacks"}),
		"stack-bulk-done":      of(stackBulkDoneView, framed(inStacks, "Sync many stacks", trail[0]), sampleBulkDone()),
		"stack-none":           of(stackListView, framed(inStacks, "Stacks"), stackListPage{Choices: sampleChoices("")}),
		"stack-redeploy":       of(redeployView, framed(inStacks, "Redeploy shop", trail...), sampleRedeploy(s, "")),
		"stack-delete":         of(stackDeleteView, framed(inStacks, "Delete shop", trail...), newDeletePage(s, true, false)),
		"stack-settings":       of(stackSettingsView, framed(inStacks, "Settings of shop", trail...), stackSettingsPage{headOf(s, nil, tabSettings), sampleStackForm(false)}),
		"stack-add":            of(stackNewView, framed(inStacks, "Add a stack", trail[0]), sampleNewStack()),
		"stack-add-choose":     of(stackNewView, framed(inStacks, "Add a stack", trail[0]), stackNewPage{Steps: pathBefore(false), Pick: folderPick{Page: newStackAt, Choose: choice{Name: "repository", Label: "Repository", Options: []option{{"rep_1", "apps", false}, {"rep_2", "infra", false}}}}}),
		"stack-review":         of(stackReviewView, framed(inStacks, "Review blog", trail[0]), sampleReview(true)),
		"stack-review-ready":   of(stackReviewView, framed(inStacks, "Review blog", trail[0]), sampleReview(false)),
		"stack-add-none":       of(stackNewView, framed(inStacks, "Add a stack", trail[0]), stackNewPage{Pick: folderPick{None: true}}),
		"deployment-state":     of(deploymentListView, framed(inStacks, "Deployments", trail[0]), deploymentListPage{States: stateTabs(&url.URL{Path: "/deployments", RawQuery: "state=failed"}, stacks.DeploymentStates, deploymentBadges), Narrowed: true}),
		"deployment-list":      of(deploymentListView, framed(inStacks, "Deployments", trail[0]), deploymentListPage{States: stateTabs(&url.URL{Path: "/deployments"}, stacks.DeploymentStates, deploymentBadges), Table: sampleOverview(false).Deployments, More: "/deployments?after=x"}),
		"deployment":           of(deploymentView, framed(inStacks, "Deployment of shop", trail...), sampleDeployment(stacks.DeploymentRunning)),
		"deployment-unheard":   of(deploymentView, framed(inStacks, "Deployment of shop", trail...).without(9*time.Minute), unheardPage()),
		"deployment-failed":    of(deploymentView, framed(inStacks, "Deployment of shop", trail...), sampleDeployment(stacks.DeploymentFailed)),
		"deployment-done":      of(deploymentView, framed(inStacks, "Deployment of shop", trail...), sampleDeployment(stacks.DeploymentSucceeded)),
		"service-logs":         of(serviceLogsView, framed(inStacks, "Log of db in shop", trail...), sampleLogs()),
		"service-logs-found":   of(serviceLogsView, framed(inStacks, "Log of db in shop", trail...), serviceLogsPage{Stack: "shop", Service: "db", Tail: tailChoice(200), Search: "fatal", Sought: "fatal", Of: 200, Hidden: true, Lines: sampleLines("\x1b[31mFATAL\x1b[0m x"), SaveHref: "/x?times=off", SaveAs: "shop-db.log"}),
		"service-logs-untimed": of(serviceLogsView, framed(inStacks, "Log of db in shop", trail...), serviceLogsPage{Stack: "shop", Service: "db", Tail: tailChoice(200), NoTimes: true, Lines: []logLine{{Text: coloured("ready")}}, SaveHref: "/x", SaveAs: "shop-db.log"}),
		"service-logs-away":    of(serviceLogsView, framed(inStacks, "Log of db in shop", trail...), serviceLogsPage{Stack: "shop", Service: "db", Tail: tailChoice(200), Trouble: "The stack's worker is offline, so its containers cannot be reached. They go on running; try again when the worker is back."}),
	}
}

func sampleBulk() stackBulkPage {
	return stackBulkPage{Do: "pause", Word: "Pause", Said: "paused", Back: "/stacks", Left: true, Most: maxBulk,
		Lines: []bulkLine{{ID: "stk_1", Name: "shop", Href: "/stacks/stk_1", Badge: badgeOf(statusBadges, stacks.StatusDegraded), What: "Nothing is deployed by itself until it is resumed; its containers run on."}},
		Alone: []bulkLine{{ID: "stk_2", Name: "metrics", Href: "/stacks/stk_2", Badge: badgeOf(statusBadges, stacks.StatusPaused), What: "Is paused already."}}}
}

func sampleBulkDone() stackBulkDonePage {
	line := func(name string, b badge, what string) bulkLine {
		return bulkLine{ID: name, Name: name, Href: "/stacks/stk_1", Badge: b, What: what, More: "/deployments/dep_1"}
	}
	return stackBulkDonePage{Word: "Sync", Done: 1, Failed: 1, Waiting: 1, Going: 1, Ends: 2, Again: "/stacks/bulk?do=sync&stack=web", Lines: []bulkLine{
		line("auth", badgeOf(deploymentBadges, stacks.DeploymentSucceeded), ""), line("shop", badgeOf(deploymentBadges, stacks.DeploymentRunning), ""),
		line("web", badgeOf(deploymentBadges, stacks.DeploymentFailed), "Image registry.example.com/web:7.3 was not found: manifest unknown."), line("wiki", badgeOf(deploymentBadges, stacks.DeploymentQueued), "")}}
}

func sampleStacks(by string) stackListPage {
	lines := []stackLine{}
	for i, name := range []string{"auth", "blog", "ci-runners", "grafana", "mail", "metrics", "shop", "status-page-with-a-long-name", "vault", "web", "wiki"} {
		l := stackLine{ID: "stk_" + name, Name: name, Href: "/stacks/stk_1", Badge: badgeOf(statusBadges, stacks.StatusActive), Repository: "apps", Folder: "apps/" + name, Worker: []string{"hetzner-fsn-1", "rack4-host2"}[i%2], Commit: "9f31c02d4a", Revision: 3 + i*5, Checked: at(before(time.Duration(i*i)*time.Hour), sampleNow)}
		switch i {
		case 1:
			l.Badge, l.Worker, l.Commit, l.Revision = badgeOf(statusBadges, stacks.StatusNew), "", "", 0
		case 2:
			l.Badge = badgeOf(statusBadges, stacks.StatusSyncing)
		case 4:
			l.Manual, l.Flags = true, []string{"newer commit waits"}
		case 5:
			l.Badge, l.Flags = badgeOf(statusBadges, stacks.StatusPaused), []string{"newer commit waits", "commit in quarantine"}
		case 6:
			l.Badge, l.Why = badgeOf(statusBadges, stacks.StatusDegraded), "Compose service db is unhealthy."
		case 9:
			l.Badge, l.Why = badgeOf(statusBadges, stacks.StatusError), "Image registry.example.com/web:7.3 was not found: manifest unknown."
		}
		lines = append(lines, l)
	}
	counts := map[stacks.Status]int{stacks.StatusActive: 6, stacks.StatusDegraded: 1, stacks.StatusError: 1, stacks.StatusNew: 1, stacks.StatusSyncing: 1, stacks.StatusPaused: 1}
	return stackListPage{Tabs: statusTabs(counts, nil), Choices: sampleChoices(by), ByWorker: by == "worker", Groups: grouped(lines, by), Total: 11, Found: 11, More: "/stacks?after=wiki"}
}

// sampleRedeploy asks of the newest commit, or while that is in quarantine of a revision.
func sampleRedeploy(s stacks.Stack, held core.Commit) redeployPage {
	s.Quarantine.Commit = held
	page := newRedeployPage(s, stacks.DeployOptions{RecreateContainers: true}, stacks.Revision{Services: sampleProject()})
	if held != "" {
		page.Revision = 12
	}
	return page
}

func sampleChoices(by string) []choice {
	return []choice{groupChoice(by), orderChoice(stacks.OrderNeed)}
}

func sampleStackForm(fresh bool) stackForm {
	f, err := newStackForm(visit("admin", "/"), elsewhere{}, stackWords{name: "shop", path: "apps/shop", tags: "production", sync: true})
	if err != nil {
		panic(err)
	}
	if fresh {
		f.Name.Problem = "1 to 63 lower-case letters, digits, - and _; it begins and ends with a letter or digit"
	}
	return f
}

type sampleFleet struct{}

func (sampleFleet) Workers(context.Context, fleet.Filter, core.Page) (core.List[fleet.Worker], error) {
	return core.List[fleet.Worker]{Items: sampleWorkers()[:3]}, nil
}

// sampleReview is a stack before its first deployment, which lacks variables or is ready.
func sampleReview(lacks bool) stackReviewPage {
	s := stacks.Stack{ID: "stk_9", Name: "blog", Repository: "rep_1", Path: "apps/blog", Status: stacks.StatusNew}
	plan := stacks.Plan{Commit: "77aa10b2c3d4e5f60718293a4b5c6d7e8f901234", Worker: "wrk_1", Observed: true, Wanted: sampleProject()}
	for _, w := range plan.Wanted {
		plan.Services = append(plan.Services, stacks.PlannedService{Service: w.Name, Action: stacks.PlanCreate})
	}
	page := stackReviewPage{Head: headOf(s, nil, ""), Steps: pathSteps(s, lacks), Plan: showPlan(plan, s), Sync: tick{Name: "auto_sync", Label: "Deploy new commits by itself from then on", On: true, Hint: "Otherwise somebody has to ask for each deployment."}}
	page.Plan.Worker = "hetzner-fsn-1"
	page.Plan.Advice = sampleNewStack().Advice
	if lacks {
		page.Plan.Trouble = tellingOf("The Compose file has an error, so nothing was touched:\napps/blog/compose.yaml:4: DATABASE_URL is used without a default and nobody provides it")
		refused := map[string]lackLine{"REGION": {Value: input{Problem: "At most 64 KiB."}}}
		if err := page.need(context.Background(), sampleEnvironment{}, s.ID, refused); err != nil {
			panic(err)
		}
	}
	return page
}

type sampleEnvironment struct{}

func (sampleEnvironment) Environment(context.Context, core.StackID) (stacks.Environment, error) {
	return stacks.Environment{Missing: []string{"DATABASE_URL", "REGION"}}, nil
}

func sampleNewStack() stackNewPage {
	return stackNewPage{Steps: pathBefore(true), NoWorker: true, Looked: true, Unknown: "The hub does not answer.", Form: sampleStackForm(true),
		Errors: findingLines([]lint.Finding{{Code: "network.undeclared", Severity: lint.Error, Service: "web", Field: "networks.front", Place: core.Place{File: "apps/shop/compose.yaml", Line: 4}, What: "the network is declared nowhere", Why: "Compose would refuse it", Next: "declare it under networks"}}),
		Advice: findingLines([]lint.Finding{{Code: "image.unpinned", Severity: lint.Advice, Service: "web", Field: "image", Place: core.Place{File: "apps/shop/compose.yaml", Line: 3}, What: "the tag may move", Why: "what runs can change without a commit", Next: "name a version"}}), Pick: folderPick{Page: newStackAt, Repository: "apps", RepositoryID: "rep_1", RepositoryHref: "/repositories/rep_1", Folders: []folderLine{
			{Path: "apps/auth", Href: "/x", Files: "compose.yaml", Added: []nameLink{{"auth", "/stacks/stk_2"}, {"auth-staging", "/stacks/stk_3"}}}, {Path: "apps/shop", Href: "/x", Files: "compose.yaml, wireops.yaml", Current: true}, {Path: "apps/status-page", Href: "/x", Files: "docker-compose.yml"}, {Path: "apps/web", Href: "/x", Files: "compose.yaml"}}}}
}

func sampleDeployment(state stacks.DeploymentState) deploymentPage {
	d := stacks.Deployment{ID: "dep_1", Stack: "stk_1", State: state, Trigger: stacks.TriggerManual, Actor: "ada@example.org", Commit: "9f31c02d4a5e6f7a8b9c0d1e2f3a4b5c6d7e8f90", Revision: 13, QueuedAt: before(22 * time.Second), StartedAt: before(21 * time.Second)}
	lasted := []int64{412, 6, 1, 180, 31, 22, 6900, 3100, 0}
	started := d.StartedAt
	for i, name := range phaseOrder {
		p := stacks.Phase{Name: name, State: stacks.PhaseSucceeded, StartedAt: started, DurationMS: lasted[i]}
		started = started.Add(time.Duration(lasted[i]) * time.Millisecond)
		if name == stacks.PhasePolicy {
			p.State = stacks.PhaseSkipped
		}
		if name == stacks.PhaseVerify {
			p.State, p.Message = stacks.PhaseRunning, "waiting for db"
			if state == stacks.DeploymentSucceeded {
				p.State, p.DurationMS, p.Message = stacks.PhaseSucceeded, 4200, ""
			}
			if state == stacks.DeploymentFailed {
				p.State, p.DurationMS, p.Message = stacks.PhaseFailed, 9000, "compose service db is unhealthy"
			}
		}
		d.Phases = append(d.Phases, p)
	}
	if state.Ended() {
		d.FinishedAt = before(2 * time.Second)
	}
	if state == stacks.DeploymentFailed {
		d.Error = "compose service db is unhealthy: its health check failed 5 times in a row. Read its log, or correct the Compose file and push again."
	}
	p := showDeployment(d, sampleStack(), sampleNow)
	p.Worker = "hetzner-fsn-1"
	p.Log = logOf(context.Background(), p.logged(d), []stacks.LogLine{{Number: 1, At: before(21 * time.Second), Text: "fetch: branch main is at 9f31c02d4a\nrender: 4 compose services, 2 secrets\n"},
		{Number: 2, At: before(20 * time.Second), Text: " api Pulling\n db Pulling\n api Pulled\n db Pulled\n"},
		{Number: 3, At: before(12 * time.Second), Text: " Container shop-db-1  \x1b[32mRecreated\x1b[0m\n Container shop-api-1  Recreate\n Container shop-api-1  Recreated\n Container shop-db-1  Started\n"},
		{Number: 4, At: before(9 * time.Second), Text: "verify: waiting for db (starting), api (healthy)\n"}}, deploymentPiece, logLook{})
	if state == stacks.DeploymentSucceeded {
		p.Log.More = "/deployments/dep_1?after=4"
	}
	return p
}

func sampleLogs() serviceLogsPage {
	p := serviceLogsPage{Stack: "shop", Service: "db", Tail: tailChoice(200), FollowHref: "/x", SaveHref: "/x/file", SaveAs: "shop-db.log",
		Others: []tab{{Word: "db", Href: "/x", Current: true}, {Word: "web", Href: "/x"}}}
	var said []string
	for range 12 {
		said = append(said, "2025-11-21 09:12:44.311 UTC [1] LOG:  starting PostgreSQL 17.2 on x86_64-pc-linux-musl", "2025-11-21 09:12:44.318 UTC [1] LOG:  listening on IPv4 address \"0.0.0.0\", port 5432", "2025-11-21 09:12:52.001 UTC [71] FATAL:  password authentication failed for user \"shop\"", "\x1b[32mINFO\x1b[0m  \x1b[1mready\x1b[0m \x1b[2mfaint\x1b[0m \x1b[3mslanted\x1b[0m \x1b[4munder\x1b[0m \x1b[41;97mbehind\x1b[0m", "\x1b[30m0\x1b[31m1\x1b[32m2\x1b[33m3\x1b[34m4\x1b[35m5\x1b[36m6\x1b[37m7\x1b[0m", "\x1b[1;33mWARN\x1b[0m slow \x1b[31mERROR\x1b[0m")
	}
	p.Lines = sampleLines(said...)
	return p
}

// sampleLines were said one every hour and a bit, until now.
func sampleLines(said ...string) []logLine {
	var log strings.Builder
	for i, line := range said {
		log.WriteString(stacks.LineTime(before(time.Duration(len(said)-i)*4321*time.Second)) + line + "\n")
	}
	return logLines(context.Background(), serviceLogLines(log.String(), true))
}

func sampleRepositoryForm(fresh bool) repositoryForm {
	said := repositoryWords{url: "https://git.example.com/team/apps.git", name: "apps", branch: "main", key: "cred_1"}
	if fresh {
		said = repositoryWords{}
	}
	f, err := newRepositoryForm(visit("admin", "/"), sampleKeys{}, said)
	if err != nil {
		panic(err)
	}
	return f
}

type sampleKeys struct{ CredentialDesk }

func (sampleKeys) Credentials(context.Context, core.Page) (core.List[repositories.Credential], error) {
	return core.List[repositories.Credential]{Items: []repositories.Credential{{ID: "cred_1", Name: "apps", Host: "git.example.com"}}}, nil
}

func sampleFiles(r repositories.Repository, at string, shown repositories.Shown) filesPage {
	r.URL = "https://github.com/team/apps.git"
	return filesPageOf(r, "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00", at, shown)
}

func binaryFile(r repositories.Repository) filesPage {
	page := filesPageOf(r, "", "logo.png", repositories.Shown{})
	page.Trouble = "\"logo.png\" is no text file, so it is not shown."
	return page
}

func repositorySamples() map[string]sample {
	good := repositories.Repository{ID: "rep_1", Name: "apps", URL: "https://git.example.com/team/apps.git", Branch: "main", Head: "9f31c02d4a5e6f7a8b9c0d1e2f3a4b5c6d7e8f90", FetchedAt: before(6 * time.Minute)}
	reading := repositories.Repository{ID: "rep_4", Name: "fresh", URL: "https://git.example.com/team/fresh.git"}
	broken := repositories.Repository{ID: "rep_2", Name: "infra", URL: "https://git.example.com:3000/team/infra.git", Head: "0c44d1e0f2", ErrorCode: "git.credential_refused", Error: "the Git host git.example.com refused the user name or password", FetchedAt: before(300 * time.Hour)}
	page := repositoryPage{Line: repositoryOf(good, sampleNow), Key: "apps", PublicKey: copyable{"age-key", "public age key", "age1qyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqs3290gq"}, SealHref: "/x", RotateHref: "/x", EditHref: "/x", CommitsHref: "/x", FilesHref: "/x", Stacks: []foundLine{
		{Path: "apps/auth", Files: "compose.yaml", AddHref: "/x"}, {Path: "apps/shop", Files: "compose.yaml, wireops.yaml", Stacks: []stackLine{{Name: "shop", Href: "/x", Badge: badgeOf(statusBadges, stacks.StatusDegraded)}}, More: 990}, {Path: "apps/gone", Stacks: []stackLine{{Name: "legacy", Href: "/x", Badge: badgeOf(statusBadges, stacks.StatusError)}}}},
		Jobs: []foundJob{{Path: "jobs/backup", Name: "backup-shop", Href: "/x", Badge: badgeOf(standingBadges, "well")}, {Path: "jobs/report", AddHref: "/x"}, {Path: "jobs/old", Gone: true, Name: "old", Href: "/x", Badge: badgeOf(standingBadges, "broken")}}}
	for i, subject := range []string{"shop: raise the pool size", "web: pin the image by digest", "Merge branch 'ada/cleanup' with a rather long subject line that somebody wrote without thinking", "add auth"} {
		page.Commits = append(page.Commits, commitLine{Short: "9f31c02d4a", Subject: subject, Author: "Ada Lovelace", When: at(before(time.Duration(i*i+1)*time.Hour), sampleNow), Head: i == 0, FilesHref: "/x", HostHref: "/x"})
	}
	page.Follow = followLine{Words: "In apps/* become stacks", Href: "/x", Waiting: []waitingLine{{"apps/web", "stack", "Another stack has this name. Choose another.", at(before(time.Hour), sampleNow)}},
		Proposals: []proposalLine{proposalOf(intake.Proposal{Kind: repositories.KindStack, ID: "stk_1", Name: "legacy", Path: "apps/legacy-with-a-long-name", MovedTo: "apps/renamed", Commit: "9f31c02d4a5e", Since: before(time.Hour)}, sampleNow),
			proposalOf(intake.Proposal{Kind: repositories.KindJob, ID: "job_1", Name: "report", Path: "jobs/report", Commit: "9f31c02d4a5e", Problem: "It was not removed by itself, because nothing of this kind would be left of the repository.", Since: before(time.Hour)}, sampleNow)}}
	page.MoreStacks, page.StacksHref, page.MoreJobs, page.JobsHref = 900, "/x", 4, "/x"
	page.StatusTrouble, page.StatusSince = "GitHub does not let the repository's key write commit statuses.", at(before(time.Hour), sampleNow)
	page.MovedTo, page.Events = "https://git.example.com/platform/apps", []eventLine{{"The history of main was rewritten: commit 9f31c02d4a does not lead back to 0c44d1e0f2. Revisions from before are kept.", at(before(time.Hour), sampleNow)}}
	picks := repositoryIntakePage{Name: "apps", Href: "/repositories/rep_1", Added: 2, More: true, Worker: workerPick{Choose: choice{Name: "worker_id", Label: "Worker", Options: []option{{"", "Any that fits the tags", true}}}},
		Tags: input{Name: "worker_tags", Label: "Worker tags", Kind: "text", Optional: true}, Sync: tick{Name: "auto_sync", Label: "Deploy new commits by itself", On: true}}
	picks.offer(repositories.Discovery{Found: []repositories.Found{{Path: "apps/auth", Kind: repositories.KindStack}, {Path: "jobs/report", Kind: repositories.KindJob}, {Kind: repositories.KindStack}}}, repositoryPage{}, "apps")
	picks.Picks[0].Name.Problem = "Another stack has this name. Choose another."
	away := repositoryPage{Follow: followLine{Words: "Added by hand", Href: "/x"}, Line: repositoryOf(broken, sampleNow), CanMend: true, Reconnect: true, Missing: "The repository \"infra\" was not fetched yet."}
	return map[string]sample{
		"repository-list": of(repositoryListView, framed(inRepositories, "Repositories"), repositoryListPage{Lines: []repositoryLine{repositoryOf(good, sampleNow), repositoryOf(reading, sampleNow), repositoryOf(broken, sampleNow)}}),
		"repository":      of(repositoryView, framed(inRepositories, "apps", crumb{"Repositories", "/repositories"}), page),
		"files": of(filesView, framed(inRepositories, "Files of apps"), sampleFiles(good, "apps", repositories.Shown{Path: "apps", Folder: true, Truncated: true, Entries: []repositories.Entry{
			{Name: "auth", Folder: true}, {Name: "shop with a rather long name that does not fit on a phone beside its size", Folder: true}, {Name: "current", Link: true}, {Name: "README.md", Size: 2048}, {Name: "dump.sql", Size: 5 << 20}}})),
		"file":        of(filesView, framed(inRepositories, "Files of apps"), sampleFiles(good, "apps/shop/compose.yaml", repositories.Shown{Path: "apps/shop/compose.yaml", Content: "services:\n  web:\n    image: nginx:1.29\n\n    command: [nginx, -g, 'daemon off;', '" + strings.Repeat("long ", 60) + "']\n# <script>alert(1)</script>\n"})),
		"file-binary": of(filesView, framed(inRepositories, "Files of apps"), binaryFile(good)),
		"commits":     of(commitsView, framed(inRepositories, "Commits of apps"), commitsPage{Name: "apps", More: true, Lines: page.Commits}),
		"repository-follow": of(repositoryFollowView, framed(inRepositories, "Follow apps"), repositoryFollowPage{Name: "apps", Href: "/x", What: choice{Name: "w", Label: "New folders", Options: []option{{"off", "Are added by hand", true}}},
			Folders: input{Name: "f", Label: "Only folders that fit", Kind: "text", Optional: true}, Existing: tick{Name: "e", Label: "Add the folders that are there already, too"}, Remove: tick{Name: "r", Label: "Remove by itself what lost its folder"},
			Worker: picks.Worker, Tags: picks.Tags, Sync: picks.Sync}),
		"repository-add":    of(repositoryIntakeView, framed(inRepositories, "Add from apps"), picks),
		"webhook":           of(webhookView, framed(inRepositories, "Webhook of apps", crumb{"Repositories", "/repositories"}, crumb{"apps", "/repositories/rep_1"}), sampleWebhook()),
		"webhook-made":      of(webhookView, framed(inRepositories, "Webhook of apps"), sampleWebhookMade()),
		"webhook-none":      of(webhookView, framed(inRepositories, "Webhook of apps"), newWebhookPage(repositories.Webhook{Repository: good}, "http://localhost:8090", sampleNow)),
		"repository-broken": of(repositoryView, framed(inRepositories, "infra", crumb{"Repositories", "/repositories"}), away),
		"worker-list":       of(workerListView, framed(inWorkers, "Workers"), workerListPage{Tabs: allTabs(""), Lines: sampleWorkerLines()}),
		"worker-hubs":       of(workerListView, framed(inWorkers, "Workers"), workerListPage{Lines: []workerLine{workerOf(sampleWorkers()[0], sampleNow)}, Hubs: hubLines(sampleHubs(), sampleNow)}),
		"worker-away":       of(workerListView, framed(inWorkers, "Workers").without(time.Hour), workerListPage{Lines: []workerLine{workerOf(unheardWorker(), sampleNow)}, Hubs: hubLines(sampleHubs()[2:], sampleNow)}),
		"worker-offline":    of(workerListView, framed(inWorkers, "Workers"), workerListPage{Search: "edge-08", Tag: "gpu", AnyTag: "/x", Online: "false", Tabs: allTabs("false"), Narrowed: true}),
		"worker-none":       of(workerListView, framed(inWorkers, "Workers"), workerListPage{}),
	}
}
