package e2e_test

import (
	"strings"
	"testing"

	"berth/local/stand/browser"
)

// TestFirstUseWithoutScript goes the same way in a browser that runs no script: every read and
// every form has to work by itself.
func TestFirstUseWithoutScript(t *testing.T) {
	r := openRoom(t)
	p := r.openTab()
	p.withoutScript()
	p.open("/")
	p.fillSetUp(roomToken)
	p.press("Make the administrator")
	p.shows("Four steps to a first healthy stack")
	if ask[bool](p, `[...document.querySelectorAll("[data-copy], [data-stream]")].some((e) => e.offsetParent)`) {
		t.Error("a button that needs script shows without it")
	}

	p.open("/workers/new")
	p.press("Make the token")
	p.shows("WORKER_TOKEN=berth_wt_")
	if ask[bool](p, `!!document.querySelector("[data-copy]").offsetParent`) {
		t.Error("the copy button shows, but cannot copy")
	}
	p.open(ask[string](p, `document.querySelector("main a[target]").getAttribute("href")`)) // which is beside it for somebody who clicks
	p.shows("No worker has connected yet.")

	p.open("/repositories/new")
	p.fill("[name=url]", r.gitURL)
	p.press("Add the repository")
	p.shows("Begin") // the page loads itself again until the repository was read
	p.click("a[href*='path=shop']")
	p.until("the form with the folder", `document.querySelector("[name=path]")?.value === "shop"`)
	p.fill("[name=name]", r.stack)
	p.press("Go on to the review")
	p.shows("What would run")
	p.press("Deploy and watch")
	p.shows("Deployment of " + r.stack)
	p.shows("Succeeded") // so does this one
	p.press("Go to the stack")
	stack := p.address()
	p.shows("Active")

	p.open("/stacks?group=worker&q=" + r.stack)
	p.shows(r.stack)
	p.open(stack + "/services/web/logs?tail=100")
	p.shows("demo app listens")
	p.open(stack)
	p.click("form[action$='/web/restart'] button")
	p.shows("was restarted")
	p.open(stack + "/settings")
	p.permit(409)
	p.fill("[name=name]", "another-name")
	p.press("Save")
	p.shows("was deployed as " + r.stack)
	if typed := ask[string](p, `document.querySelector("[name=name]").value`); typed != "another-name" {
		t.Errorf("the form forgot what was typed: %q", typed)
	}
	p.plainMenu()
	p.open(stack + "/delete")
	p.press("Delete the stack")
	p.clean()
}

// plainMenu opens the menu of small screens, which is no script's work either.
func (p *tab) plainMenu() {
	p.t.Helper()
	p.Look(browser.Variant{Name: "phone", Width: 390, Height: 844, Scheme: "light"})
	p.open("/stacks")
	p.click(".bar-menu summary")
	p.click(".bar-menu a[href='/workers']")
	p.until("the workers", `location.pathname === "/workers"`)
	if heading := ask[string](p, `document.querySelector("h1").textContent`); !strings.Contains(heading, "Workers") {
		p.t.Errorf("the menu led to %q", heading)
	}
	p.Look(browser.Variants[0])
}
