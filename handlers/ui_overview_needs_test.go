package handlers_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/backups"
	"berth/core/stacks"
)

// needy is an installation where one thing goes wrong at a time.
type needy struct {
	*stand
	admin, stack, job, host string
}

// failed stores a deployment that failed, and its stack with it.
func (n needy) failed(code string) {
	n.ended(n.stack, stacks.DeploymentFailed, time.Minute, 1)
	n.exec(`UPDATE deployments SET error_code = ?`, code)
	n.exec(`UPDATE stacks SET status = 'error', error = 'It did not work.'`)
}

// needs are what can go wrong, by what the overview says of it: who needs somebody, why, and the one action that helps.
var needs = map[string]struct {
	damage           func(n needy)
	kind, why        string
	action, leads    string // leads: the beginning of the action's address; {stack}, {job} and {worker} stand for what they are
	post, serverOnly bool
}{
	"a stack failed":        {func(n needy) { n.failed("image.pull") }, "Stack", "It did not work.", "See what happened", "/deployments/dep_", false, false},
	"secrets cannot be had": {func(n needy) { n.failed("secret.unresolved") }, "Stack", "It did not work.", "See its variables", "/stacks/{stack}/variables", false, false},
	"a compose service does not run": {func(n needy) {
		n.exec(`UPDATE stacks SET status = 'degraded', error = 'web has ended.', containers = '[{"service":"web","container":"web-1","state":"exited","exit_code":1}]'`)
	}, "Stack", "Web has ended.", "Read the log of web", "/stacks/{stack}/services/web/logs", false, false},
	"a stack drifted": {func(n needy) {
		n.exec(`UPDATE stacks SET status = 'degraded', drifted = 1, error = 'web runs another image'`)
	}, "Stack", "Web runs another image.", "See what differs", "/stacks/{stack}", false, false},
	"a commit is in quarantine": {func(n needy) {
		n.exec(`UPDATE stacks SET quarantine = '{"tree":"t","commit":"0123456789abcdef0123456789abcdef01234567","reason":"it was not healthy"}'`)
	}, "Stack", "is in quarantine", "Look at it", "/stacks/{stack}", false, false},
	"a stack is paused": {func(n needy) { n.exec(`UPDATE stacks SET paused = 1, status = 'paused'`) }, "Stack", "It is paused", "Resume", "/stacks/{stack}/resume", true, false},
	"a worker with a stack is away": {func(n needy) {
		n.exec(`UPDATE workers SET connected_at = 1, left_at = 2`)
		n.exec(`UPDATE stacks SET worker_id = ?`, n.host)
	}, "Worker", "It is offline.", "See its stacks", "/stacks?worker={worker}", false, false},
	"a job missed a time": {func(n needy) {
		n.exec(`UPDATE jobs SET missed = 1, missed_at = ?, last_state = 'succeeded'`, n.now().UnixMicro())
	}, "Job", "One time was missed", "Run now", "/jobs/{job}/run", true, false},
	"a job's file is wrong": {func(n needy) { n.exec(`UPDATE jobs SET error_code = 'job.invalid', error = 'cron: it has 4 fields'`) }, "Job", "Its newest commit cannot be used.", "Look at it", "/jobs/{job}", false, false},
	"a repository cannot be read": {func(n needy) {
		n.exec(`UPDATE repositories SET error_code = 'git.unreachable', error = 'The Git host does not answer.'`)
	}, "Repository", "does not answer", "Try again", "/repositories/rep_", true, false},
	"a backup was not made": {func(n needy) { n.shelf.standing = backups.Standing{NotMade: "The disk is full.", Broken: n.now()} }, "Backups", "The disk is full.", "See backups", "/backups", false, true},
	"the newest backup is old": {func(n needy) {
		n.shelf.standing = backups.Standing{Made: n.now().Add(-72 * time.Hour), Every: 24 * time.Hour}
	}, "Backups", "no newer one came", "Make a backup now", "/backups", true, true},
	"a backup is not copied": {func(n needy) {
		n.shelf.standing = backups.Standing{On: true, Problem: "The storage refuses.", Since: n.now()}
	}, "Backups", "The storage refuses.", "See backups", "/backups", false, true},
	"sealed values cannot be opened": {func(n needy) {
		n.exec(`INSERT INTO variables (id, scope, scope_id, name, secret, provider, value, reference, sealed, created_at, updated_at) VALUES ('var_lost', 'global', '', 'LOST', 1, 'internal', '', '', x'010000000100', 0, 0)`)
		leadsTo(n.t.(*testing.T), n.post(n.admin, "/keys/rotate"), "/keys?said=key-added")
		n.renew()
	}, "Keys", "1 value cannot be opened", "See which", "/keys", false, true},
	"a backend's settings cannot be opened": {func(n needy) {
		n.asAdmin("PUT", "/api/custom/integrations/vault", `{"enabled":true,"settings":{"address":"https://vault.example.com","token":"t"}}`, 200)
		n.exec(`UPDATE integrations SET slug = 'manager'`) // what is sealed is bound to where it was
	}, "Secret Backend", "cannot be opened", "Complete it", "/integrations/manager", false, true},
}

// TestTheOverviewNamesWhatNeedsAPerson: each with why, and the one action that helps; nothing when nothing is wrong.
func TestTheOverviewNamesWhatNeedsAPerson(t *testing.T) {
	for name, c := range needs {
		t.Run(name, func(t *testing.T) {
			n := needy{stand: newStand(t)}
			n.admin = n.session(n.found())
			repository, page := n.madeStack(n.admin)
			n.stack, n.host = strings.TrimPrefix(page, "/stacks/"), string(n.worker("web-1").ID)
			n.exec(`UPDATE stacks SET status = 'active'`)
			w := n.submit(n.admin, "/jobs", url.Values{"repository_id": {strings.TrimPrefix(repository, "/repositories/")}, "path": {"job"}, "name": {"nightly"}})
			n.job, _, _ = strings.Cut(strings.TrimPrefix(w.Header().Get("Location"), "/jobs/"), "?")
			silent(t, n.browse(n.admin, "/").Body.String(), `class="need `)
			c.damage(n)
			leads := strings.NewReplacer("{stack}", n.stack, "{job}", n.job, "{worker}", n.host).Replace(c.leads)
			for role, session := range map[access.Role]string{access.RoleAdmin: n.admin, access.RoleOperator: n.session(n.user(access.RoleOperator)), access.RoleViewer: n.session(n.user(access.RoleViewer))} {
				all := needIn.FindAllString(n.browse(session, "/").Body.String(), -1)
				if c.serverOnly && role != access.RoleAdmin {
					if len(all) != 0 {
						t.Errorf("%s is told of the server: %s", role, all)
					}
					continue
				}
				if len(all) != 1 || !strings.Contains(all[0], `<span class="kind">`+c.kind+`</span>`) || !strings.Contains(all[0], html.EscapeString(c.why)) {
					t.Errorf("%s is told %q, want one %s with %q", role, all, c.kind, c.why)
					continue
				}
				n.helps(role, session, all[0], c.action, leads, c.post)
			}
		})
	}
}

var (
	needIn   = regexp.MustCompile(`(?s)<li data-key="[^"]*" class="need .*?</li>`)
	actionIn = regexp.MustCompile(`(?s)<form method="post" action="([^"]*)"><button class="button">([^<]*)</button></form>|<a class="button" href="([^"]*)">([^<]*)</a>`)
)

// helps demands that a need has the one action, that it leads there, and that who sees it may do it.
func (n needy) helps(role access.Role, session, need, action, leads string, post bool) {
	n.t.Helper()
	found := actionIn.FindAllStringSubmatch(need, -1)
	if post && role == access.RoleViewer {
		if len(found) != 0 {
			n.t.Errorf("a viewer is offered %q", found)
		}
		return
	}
	if len(found) != 1 {
		n.t.Errorf("%s is offered %d actions: %s", role, len(found), need)
		return
	}
	to, word := html.UnescapeString(found[0][1]+found[0][3]), found[0][2]+found[0][4]
	if word != action || !strings.HasPrefix(to, leads) || (found[0][1] != "") != post {
		n.t.Errorf("%s is offered %q at %s, want %q at %s", role, word, to, action, leads)
	}
	if w := n.browse(session, to); !post && w.Code != http.StatusOK && w.Code != http.StatusServiceUnavailable { // a log is with the worker
		n.t.Errorf("%s leads %s to %d", to, role, w.Code)
	}
}
