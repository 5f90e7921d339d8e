package e2e_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// TestFirstUseInABrowser goes the way of somebody who has just started Berth, in a real
// browser, to a stack that runs and follows its repository. (O13)
func TestFirstUseInABrowser(t *testing.T) {
	r := openRoom(t)
	p := r.openTab()
	p.setUp()
	p.addWorkerToken()
	p.addRepository()
	deployment := p.addStack()
	stack := p.giveVariable(deployment)
	p.followCommit(stack)
	p.useServices(stack)
	p.breakAndMend(stack)
	p.planPauseAndLookBack(stack)
	p.loseTheServer()
	pages := p.addAccount(stack, deployment)
	p.auditAll(pages)
	p.seeErrors()
	p.deleteStack(stack)
	p.signOut()
	p.clean()
}

func (p *tab) setUp() {
	p.t.Helper()
	p.open("/stacks")
	if at := p.address(); at != "/setup" {
		p.t.Fatalf("before the first administrator there is %s, want the set-up", at)
	}
	p.audit("setup", "/setup")
	p.permit(403)
	p.fillSetUp("not the token")
	p.press("Make the administrator")
	p.shows("This is not the bootstrap token.")
	if typed := ask[string](p, `document.querySelector("[name=email]").value`); typed != "ada@example.org" {
		p.t.Errorf("the form forgot the address that was typed: %q", typed)
	}
	p.fillSetUp(roomToken)
	p.press("Make the administrator")
	p.shows("Four steps to a first healthy stack")
	p.open("/setup")
	if at := p.address(); at != "/" {
		p.t.Errorf("after the first administrator /setup leads to %s", at)
	}
	p.audit("overview-empty", "/")
}

func (p *tab) fillSetUp(token string) {
	p.fill("[name=bootstrap_token]", token)
	p.fill("[name=name]", "Ada Lovelace")
	p.fill("[name=email]", "ada@example.org")
	p.fill("[name=password]", roomPassword)
}

func (p *tab) addWorkerToken() {
	p.t.Helper()
	p.audit("worker-new", "/workers/new")
	p.fill("[name=name]", "rack 4")
	p.press("Make the token")
	p.shows("WORKER_TOKEN=berth_wt_")
	p.click("[data-copy=command]")
	p.until("the button to say that it copied", `document.querySelector("[data-copy=command]").textContent.trim() === "Copied"`)
	p.open("/workers")
	p.shows("Online") // the worker inside registered by itself
}

func (p *tab) addRepository() {
	p.t.Helper()
	p.audit("repository-new", "/repositories/new")
	p.permit(422)
	p.fill("[name=url]", "file:///etc")
	p.press("Add the repository")
	p.until("a complaint beside the field", `document.querySelector("[name=url]").getAttribute("aria-invalid") === "true" && document.activeElement.name === "url"`)
	p.fill("[name=url]", p.room.gitURL)
	p.fill("[name=name]", "apps")
	p.press("Add the repository")
	p.shows("Begin") // the commit, once it was fetched, without loading the page again
	p.shows("shop")
	p.shows("Up to date")
}

// addStack returns the address of the stack's first deployment.
func (p *tab) addStack() string {
	p.t.Helper()
	p.click("a[href*='path=shop']")
	p.until("the form with the folder", `document.querySelector("[name=path]")?.value === "shop"`)
	p.fill("[name=name]", p.room.stack)
	p.press("Add without review") // the guided way is TestTheGuidedPathInABrowser's
	p.shows("Deployment of " + p.room.stack)
	return p.address()
}

// giveVariable gives the stack what its first deployment lacked, and returns its address.
func (p *tab) giveVariable(deployment string) string {
	p.t.Helper()
	p.until("the end of the first deployment", `!!document.querySelector("#head .badge") && !["Running", "Queued"].includes(document.querySelector("#head .badge").textContent.trim())`)
	p.click(".trail li:last-child a")
	p.shows("Services")
	stack := p.address()
	p.open(stack + "/variables")
	p.fill("[name=name]", "GREETING")
	p.fill("[name=value]", "two lines\nof \"text\" $HOME \\ '")
	p.click("[name=secret]")
	p.press("Add the variable")
	p.shows("GREETING")
	p.open(stack)
	p.press("Sync now")
	p.shows("Succeeded")
	p.shows("complete")
	if lines := ask[int](p, `document.querySelectorAll("#log li").length`); lines == 0 {
		p.t.Error("the deployment shows no log")
	}
	if number := ask[int](p, `document.querySelectorAll("#phases .is-ok").length`); number == 0 {
		p.t.Error("no phase shows as done")
	}
	p.open(stack)
	p.shows("Active")
	p.shows("Healthy")
	return stack
}

// followCommit watches a new commit arrive on a page that is not touched, typed text and
// focus included.
func (p *tab) followCommit(stack string) {
	p.t.Helper()
	p.open("/stacks?q=" + p.room.stack)
	p.do(chromedp.Focus(chromedp.CSS("#q")))
	ask[bool](p, `(window.untouched = true)`)
	hash := p.room.commit("Count on", map[string]string{"shop/compose.yaml": shopCompose("2")})
	p.shows(hash[:10])
	p.shows("Active")
	if !ask[bool](p, `window.untouched === true && document.activeElement.id === "q" && document.querySelector("#q").value === "`+p.room.stack+`"`) {
		p.t.Error("following the server lost the page, its focus or what was typed")
	}
	p.fill("#q", "no such stack")
	ask[bool](p, `document.querySelector("#q").dispatchEvent(new Event("input", { bubbles: true }))`)
	p.shows("No stack fits.")
	p.open(stack)
}

func (p *tab) useServices(stack string) {
	p.t.Helper()
	p.open(stack + "/services/web/logs")
	p.shows("demo app listens")
	p.click("[data-stream]")
	p.until("the log to be followed", `document.querySelector("[data-stream]").getAttribute("aria-pressed") === "true" && document.querySelector("#log").innerText.includes("demo app listens")`)
	p.click("[data-stream]")
	p.until("the log to rest", `document.querySelector("[data-stream]").getAttribute("aria-pressed") === "false"`)
	p.open(stack)
	p.click("form[action$='/web/stop'] button")
	p.shows("was stopped")
	p.shows("Exited")
	p.click("form[action$='/web/start'] button")
	p.shows("was started")
	p.shows("Active")
}

// breakAndMend pushes a commit that cannot be deployed and watches the overview ask for
// somebody, then another that can.
func (p *tab) breakAndMend(stack string) {
	p.t.Helper()
	p.open("/")
	p.room.commit("Break it", map[string]string{"shop/compose.yaml": "services: {web: {image: x, nonsense: true}}\n"})
	p.shows("One thing needs you.")
	p.audit("overview-needs", "/")
	p.press("See what happened")
	p.shows("Failed")
	p.shows("nonsense")
	p.audit("deployment-failed", p.address())
	p.room.commit("Mend it", map[string]string{"shop/compose.yaml": shopCompose("3")})
	p.open("/")
	p.shows("All is well: the one stack runs as it should.")
}

// planPauseAndLookBack looks at what a deployment would do, pauses the stack from its menu, resumes
// it from the notice, and compares revisions.
func (p *tab) planPauseAndLookBack(stack string) {
	p.t.Helper()
	p.open(stack)
	p.press("Plan")
	p.shows("Nothing would change")
	p.open(stack)
	p.click(".more summary")
	p.press("Pause")
	p.shows("new commits, repairs and retries wait")
	p.audit("stack-paused", stack)
	p.click(".notice form[action$='/resume'] button")
	p.shows("The stack goes on.")
	p.open(stack + "/revisions")
	p.click("tbody a[href*='/diff']")
	p.shows("environment.NUMBER")
	p.open(stack + "/revisions/1/rollback")
	p.shows("What would change")
}

// loseTheServer cuts the browser off for a while: the page says so, and goes on by itself.
func (p *tab) loseTheServer() {
	p.t.Helper()
	p.open("/")
	p.clean()
	offline := func(yes bool) {
		call(p, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{
			{Offline: yes, DownloadThroughput: -1, UploadThroughput: -1}}})
	}
	offline(true)
	p.until("the page to say that it is cut off", `document.querySelector("#link").textContent.includes("Connection lost")`)
	offline(false)
	p.until("the page to go on", `!document.querySelector("#link").textContent.includes("Connection lost")`)
	p.forget() // the requests that had to fail
}

// addAccount makes a service account with a key, and returns every page there is.
func (p *tab) addAccount(stack, deployment string) map[string]string {
	p.t.Helper()
	p.open("/service-accounts")
	p.fill("[name=name]", "prometheus")
	p.press("Add the account")
	account := p.address()
	p.fill("[name=name]", "first")
	p.press("Make the key")
	p.shows("X-Service-Api-Key: berth_sk_")
	p.open("/users")
	user := ask[string](p, `document.querySelector("tbody a").getAttribute("href")`)
	p.open("/repositories")
	repository := ask[string](p, `document.querySelector("tbody a").getAttribute("href")`)
	p.open("/workers")
	revoke := ask[string](p, `document.querySelector("a[href$='/revoke']").getAttribute("href")`)
	p.open(stack + "/variables")
	variable := ask[string](p, `document.querySelector("tbody a").getAttribute("href")`)
	return map[string]string{
		"overview": "/", "stacks": "/stacks", "stacks-grouped": "/stacks?group=worker", "stack-new": "/stacks/new", "stack": stack, "stack-variables": stack + "/variables",
		"variable-new": stack + "/variables/new?name=FRESH", "variables-text": stack + "/variables/text", "variables": "/variables", "integrations": "/integrations", "integration": "/integrations/vault", "integration-locked": "/integrations/sops",
		"stack-variable": variable, "stack-settings": stack + "/settings", "stack-redeploy": stack + "/redeploy", "stack-plan": stack + "/plan",
		"stack-revisions": stack + "/revisions", "stack-revision": stack + "/revisions/1", "stack-diff": stack + "/revisions/2/diff", "stack-rollback": stack + "/revisions/1/rollback", "stack-transfer": stack + "/transfer", "stack-delete": stack + "/delete",
		"service-logs": stack + "/services/web/logs", "deployment": deployment, "deployments": "/deployments", "repositories": "/repositories", "repository": repository,
		"repository-settings": repository + "/settings", "repository-delete": repository + "/delete", "repository-keys": "/repository-keys", "workers": "/workers",
		"worker-revoke": revoke, "service-accounts": "/service-accounts", "service-account": account, "users": "/users", "user": user,
	}
}

func (p *tab) seeErrors() {
	p.t.Helper()
	p.permit(404)
	p.audit("error", "/stacks/stk_none")
	p.shows("There is nothing here")
	p.open("/no/such/page")
	p.shows("There is nothing here")
}

func (p *tab) deleteStack(stack string) {
	p.t.Helper()
	p.open(stack + "/delete")
	p.press("Delete the stack")
	p.open("/stacks")
	p.until("the stack to go", `!document.querySelector("main").innerText.includes("`+p.room.stack+`")`)
}

func (p *tab) signOut() {
	p.t.Helper()
	p.open("/users")
	p.click(".side .who button")
	p.until("the sign-in page", `location.pathname === "/login"`)
	p.audit("login", "/login")
	p.permit(401)
	p.open("/login?next=//elsewhere.example/")
	p.fill("[name=email]", "ada@example.org")
	p.fill("[name=password]", "wrong")
	p.press("Sign in")
	p.shows("is wrong")
	p.fill("[name=password]", roomPassword)
	p.press("Sign in")
	if at := ask[string](p, `location.href`); !strings.HasPrefix(at, p.room.url+"/") {
		p.t.Errorf("signing in led to %s", at)
	}
}
