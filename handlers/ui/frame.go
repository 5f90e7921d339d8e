package ui

import (
	"net/http"
	"strings"

	"berth/core/access"
	"berth/handlers/endpoint"
)

// frame is what stands around every page.
type frame struct {
	Title   string // of the page; the browser's title has it too
	Home    string // where the mark leads: the first page of those that the reader may see
	Trail   []crumb
	Nav     []navGroup
	Who     string // who is signed in; empty: nobody, and the page is bare
	Role    string
	May     may
	Note    note // what the form before this page did
	Hub     hubNotice
	Seen    string // mark of what was stored before the page was read; empty: nobody knows
	Live    int    // milliseconds between two looks of the script at the page; 0: it does not look
	Look    string // what the script looks at where the page itself cannot be asked for again; empty: at the page
	Reload  int    // seconds after which a browser without script loads the page again; 0: it does not
	Asset   assets // where styles and script are
	Problem bool   // the page is a form that was not accepted
}

// may says which buttons are offered. What is allowed is decided elsewhere.
type may struct{ Operate, Administer bool }

// crumb is one step of the way to a page.
type crumb struct{ Word, Href string }

type navGroup struct {
	Word  string // empty for the first
	Items []navItem
}

type navItem struct {
	Word, Href, Icon string
	Current          bool
}

// section names the entry of the navigation that a page belongs to.
type section string

const (
	inOverview     section = "/"
	inStacks       section = "/stacks"
	inJobs         section = "/jobs"
	inRepositories section = "/repositories"
	inWorkers      section = "/workers"
	inAccounts     section = "/service-accounts"
	inUsers        section = "/users"
	inVariables    section = "/variables"
	inIntegrations section = "/integrations"
	inBackups      section = "/backups"
	inPolicy       section = "/policy"
	inAudit        section = "/audit-events"
	inProfile      section = "/profile"
	inMail         section = "/email"
	inKeys         section = "/keys"
	inAbout        section = "/about"
	inNothing      section = ""

	inConfiguration section = "/configuration"
)

// note is a message at the top of a page.
type note struct{ Tone, Icon, Text string }

// liveEvery is how often the script looks at a page that follows the server, and
// liveBusy while something is under way on it; milliseconds.
const (
	liveEvery = 4000
	liveBusy  = 1500
)

// newFrame makes the frame of a page for whoever asks.
func newFrame(r *http.Request, at section, title string, trail ...crumb) frame {
	p := endpoint.Principal(r.Context())
	f := frame{Title: title, Home: string(inOverview), Trail: trail, Asset: assetURLs, Note: noteOf(r)}
	if p.Kind != access.KindUser {
		return f
	}
	f.Who, f.Role, f.Hub, f.Seen = p.Name, string(p.Role), hubIn(r.Context()), seenIn(r.Context())
	if !p.Can(access.View) {
		f.Home = string(inProfile)
	}
	if p.MustEnrol {
		return f // there is nothing yet that they may go to
	}
	f.May = may{Operate: p.Can(access.Operate), Administer: p.Can(access.Administer)}
	f.Nav = navOf(p, at)
	return f
}

func navOf(p access.Principal, at section) []navGroup {
	item := func(to section, word, icon string) navItem {
		return navItem{Word: word, Href: string(to), Icon: icon, Current: to == at}
	}
	var groups []navGroup
	if p.Can(access.View) {
		groups = append(groups, navGroup{Items: []navItem{item(inOverview, "Overview", "overview"), item(inStacks, "Stacks", "stacks"), item(inJobs, "Jobs", "calendar"),
			item(inRepositories, "Repositories", "branch"), item(inVariables, "Variables", "sliders"), item(inWorkers, "Workers", "server")}})
	}
	if p.Can(access.Administer) {
		groups = append(groups, navGroup{Word: "Settings", Items: []navItem{item(inAccounts, "Service accounts", "robot"), item(inUsers, "Users", "people"), item(inPolicy, "Policy", "lock"), item(inIntegrations, "Integrations", "plug"), item(inMail, "E-mail", "mail"), item(inBackups, "Backups", "back"), item(inKeys, "Keys", "key"), item(inConfiguration, "Configuration", "copy"), item(inAudit, "Audit", "clock"), item(inAbout, "About", "question")}})
	} else if p.Can(access.View) {
		groups[0].Items = append(groups[0].Items, item(inAbout, "About", "question"))
	}
	return groups
}

// following marks a page that the script keeps up to date.
func (f frame) following(busy bool) frame {
	f.Live = liveEvery
	if busy {
		f.Live = liveBusy
	}
	return f
}

// said is what a page says after a form was done. The address carries the name only, so no
// link can put words of its own into a page.
var said = map[string]note{
	"backup-made":          {"ok", "check", "The backup was made, opened again and found whole."},
	"backup-uploaded":      {"ok", "check", "The archive was read and is whole. Nothing is restored yet."},
	"backup-fetched":       {"ok", "check", "The copy was fetched, read and is whole. Nothing is restored yet."},
	"backup-gone":          {"ok", "check", "The backup was deleted."},
	"account-added":        {"ok", "check", "The service account was added. Give it a key next."},
	"account-saved":        {"ok", "check", "The service account was changed. Its keys follow with their next request."},
	"account-deleted":      {"ok", "check", "The service account and its keys are gone."},
	"key-added":            {"ok", "check", "A new data key is in use. What is there is being sealed anew with it."},
	"cancelled":            {"ok", "check", "The deployment was told to stop."},
	"git-connected":        {"ok", "check", "The Git host is connected. Its key is kept sealed under Repository keys."},
	"integration-saved":    {"ok", "check", "Saved. It counts from now on; test it to be sure."},
	"job-added":            {"ok", "check", "The job was added. Its job.yaml is being read."},
	"job-gone":             {"ok", "check", "The job was removed, with its runs and variables."},
	"job-paused":           {"ok", "check", "The job is paused. It does not run by itself until you resume it."},
	"job-reach":            {"ok", "check", "Saved. The next run gets them."},
	"job-resumed":          {"ok", "check", "The job goes on. What was due meanwhile is not made up for."},
	"job-saved":            {"ok", "check", "Saved."},
	"job-variables-saved":  {"ok", "check", "The text was taken in. The next run gets the values."},
	"job-variable-gone":    {"ok", "check", "The variable was removed. The next run does not get it."},
	"job-variable-saved":   {"ok", "check", "Saved. The next run gets the value."},
	"key-revoked":          {"ok", "check", "The key was revoked. The next request with it is refused."},
	"delivery-replayed":    {"ok", "check", "It is done once more. What came of it appears here."},
	"secret-dropped":       {"ok", "check", "The secret before the newest is refused from now on."},
	"webhook-off":          {"ok", "check", "The webhook is off: every call is refused, and the repository is polled as without one."},
	"folder-followed":      {"ok", "check", "It follows the other folder from now on."},
	"folders-added":        {"ok", "check", "What was ticked was added."},
	"mail-tested":          {"ok", "check", "The test message is on its way. What comes of it stands below."},
	"repository-added":     {"ok", "check", "The repository was added and is being read."},
	"repository-asked":     {"ok", "check", "The repository is being read. What changed is deployed."},
	"repository-gone":      {"ok", "check", "The repository was removed. Nothing on its Git host was touched."},
	"repository-key":       {"ok", "check", "The repository key was removed."},
	"repository-key-added": {"ok", "check", "The key was added."},
	"repository-key-saved": {"ok", "check", "Saved. Repositories that are read with the key are being looked at."},
	"oidc-kept":            {"warn", "lock", "You stay an administrator because nobody else is one who can sign in, though single sign-on gives your account another role or none. Make somebody else an administrator, or correct OIDC_ROLE_MAP."},
	"oidc-linked":          {"ok", "check", "The account is linked. You may sign in with single sign-on from now on."},
	"oidc-unlinked":        {"ok", "check", "The link is gone. You sign in with your password."},
	"ssh-host-accepted":    {"ok", "check", "The keys were accepted. Repositories that had stopped there are being read."},
	"ssh-host-forgotten":   {"ok", "check", "The keys are forgotten. Nothing is read from the host until some are accepted."},
	"repository-saved":     {"ok", "check", "Saved. The repository is being read again."},
	"run-cancelled":        {"ok", "check", "The run was told to stop."},
	"service-restarted":    {"ok", "check", "The compose service was restarted."},
	"service-started":      {"ok", "check", "The compose service was started."},
	"service-stopped":      {"ok", "check", "The compose service was stopped. The next deployment starts it again."},
	"stack-added":          {"ok", "check", "The stack was added. Review it and deploy it."},
	"stack-gone":           {"ok", "check", "The stack was removed."},
	"stack-going":          {"ok", "check", "The stack is being taken down. It goes from the list when its worker is done."},
	"stack-paused":         {"ok", "check", "The stack is paused. Nothing is deployed by itself until you resume it."},
	"stack-resumed":        {"ok", "check", "The stack goes on. Its repository is being looked at."},
	"stack-saved":          {"ok", "check", "Saved."},
	"invitation-gone":      {"ok", "check", "The invitation was revoked. Its link is good no more."},
	"password-set":         {"ok", "check", "The new password is set. Sign in with it."},
	"profile-saved":        {"ok", "check", "Saved."},
	"profile-password":     {"ok", "check", "Your password was changed. Everywhere else you are signed out."},
	"factor-gone":          {"ok", "check", "The second factor was removed. Signing in takes the password alone."},
	"factor-reset":         {"ok", "check", "The second factor was removed. The user signs in with their password alone, and can set up another."},
	"session-ended":        {"ok", "check", "The session was ended. Whoever uses it is signed out."},
	"target-gone":          {"ok", "check", "The notification target was deleted. It is told nothing any more."},
	"user-saved":           {"ok", "check", "Saved. The user has to sign in again."},
	"user-gone":            {"ok", "check", "The user was removed and is signed out everywhere."},
	"variable-gone":        {"ok", "check", "The variable was removed. Containers keep its value until the next deployment."},
	"key-rotated":          {"ok", "check", "The repository has a new age key. Encrypt every secrets.yaml for it and commit."},
	"variable-reach":       {"ok", "check", "Saved. Stacks get it, or lose it, with their next deployment, and jobs with their next run."},
	"variables-saved":      {"ok", "check", "The text was taken in. Values reach containers with the next deployment."},
	"variable-saved":       {"ok", "check", "Saved. The value reaches containers with the next deployment."},
	"policy-saved":         {"ok", "check", "Saved. The next deployment or run is judged by these rules."},
	"policy-gone":          {"ok", "check", "The rules of this worker are gone. Those for all workers, and those of its host, stay."},
	"worker-gone":          {"ok", "check", "The worker was removed."},
	"worker-revoked":       {"ok", "check", "The worker was revoked: its token and key are refused from now on."},
}

func noteOf(r *http.Request) note { return said[r.URL.Query().Get("said")] }

// saying returns a path of ours with what the page there is to say.
func saying(path, what string) string {
	if strings.Contains(path, "?") {
		return path + "&said=" + what
	}
	return path + "?said=" + what
}
