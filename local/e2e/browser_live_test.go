package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// saysLost is whether the page tells that its server is away.
const saysLost = `document.querySelector("#link").textContent.includes("Connection lost")`

// variableForm is where something is typed.
const variableForm = "/variables/new"

// TestPagesFollowTheServer changes things behind the back of open pages, takes their server away and brings it back:
// what was typed, selected and opened stays, and what is shown is how things are.
func TestPagesFollowTheServer(t *testing.T) {
	r := openRoom(t)
	p := r.openTab()
	p.open("/")
	p.fillSetUp(roomToken)
	p.press("Make the administrator")
	p.addVariable("FIRST")
	p.newsWithoutReload()
	p.awayAndBack()
	p.signedOutWhileTyping()
	p.withoutScriptNothingTypedIsLost()
	p.forget() // requests had to fail
}

// addVariable makes a variable for all stacks as a person does, in the page that is open.
func (p *tab) addVariable(name string) {
	p.t.Helper()
	p.open(variableForm)
	p.fill("[name=name]", name)
	p.fill("[name=value]", "x")
	p.press("Add the variable")
}

// elsewhere does in the background what another tab of the same person would do: it sends a form.
func (p *tab) elsewhere(path, form string) {
	p.t.Helper()
	done := ask[string](p, fmt.Sprintf(`(() => { const x = new XMLHttpRequest(); x.open("POST", %q, false); x.setRequestHeader("Content-Type", "application/x-www-form-urlencoded"); x.send(%q); return String(x.status) + " " + x.responseURL; })()`, path, form))
	if !strings.HasPrefix(done, "200 ") {
		p.t.Fatalf("%s is answered %s", path, done)
	}
}

// mark leaves a mark in the page that is gone when it is loaded anew, and notes each fetch of the page's own address.
func (p *tab) mark() { ask[bool](p, `(window.unloaded = true, true)`) }

// newsWithoutReload looks at the list of workers while tokens are made elsewhere.
func (p *tab) newsWithoutReload() {
	p.t.Helper()
	p.open("/repositories")
	p.mark()
	ask[bool](p, `(document.querySelector("main a[href='/repositories/new']").focus(), true)`)
	p.elsewhere("/repositories", "url="+strings.ReplaceAll(p.room.gitURL, ":", "%3A"))
	p.until("the repository in the list", `!!document.querySelector("main tbody tr")`)
	if !ask[bool](p, `window.unloaded && document.activeElement.getAttribute("href") === "/repositories/new"`) {
		p.t.Error("the page was loaded anew, or the focus is lost")
	}
	p.clean()
	if p.Streams() == 0 {
		p.t.Error("the page opened no stream of events")
	}
}

// awayAndBack takes the server away while a form is half filled in.
func (p *tab) awayAndBack() {
	p.t.Helper()
	p.open(variableForm)
	p.mark()
	p.fill("[name=name]", "HALF_TYPED")
	p.room.stop()
	p.until("the page to say that it is cut off", saysLost)
	p.do(chromedp.Click(chromedp.CSS("main form.form button.is-main")))
	p.until("the page to say that nothing was sent", `document.querySelector("#link").textContent.includes("nothing was sent")`)
	p.room.start()
	p.until("the page to go on", `!document.documentElement.dataset.lost`)
	if got := ask[string](p, `document.querySelector("[name=name]").value`); got != "HALF_TYPED" || !ask[bool](p, `window.unloaded === true`) {
		p.t.Errorf("the field holds %q", got)
	}
	p.fill("[name=value]", "y")
	p.press("Add the variable")
	p.shows("HALF_TYPED")
	p.listIsFreshAfterAnEnd()
}

// listIsFreshAfterAnEnd takes the server away from a list, which shows afterwards what came meanwhile.
func (p *tab) listIsFreshAfterAnEnd() {
	p.t.Helper()
	p.open("/repositories")
	p.mark()
	ask[bool](p, `(getSelection().selectAllChildren(document.querySelector("h1")), true)`)
	p.room.stop()
	p.until("the list to say that it is cut off", saysLost)
	p.room.start()
	p.until("the list to go on", `!document.documentElement.dataset.lost`)
	p.elsewhere("/repositories", "url="+strings.ReplaceAll(p.room.gitURL, ":", "%3A")+"&name=second")
	p.until("the second repository", `document.querySelectorAll("main tbody tr").length === 2`)
	if got := ask[string](p, `getSelection().toString()`); !strings.Contains(got, "Repositories") || !ask[bool](p, `window.unloaded === true`) {
		p.t.Errorf("%q is selected", got)
	}
}

// signedOutWhileTyping ends the session while a form is half filled in: it is not sent, and nothing is lost.
func (p *tab) signedOutWhileTyping() {
	p.t.Helper()
	p.permit(401)
	p.open(variableForm)
	p.fill("[name=name]", "AFTER_ALL")
	p.fill("[name=value]", "z")
	p.elsewhere("/logout", "")
	p.do(chromedp.Click(chromedp.CSS("main form.form button.is-main")))
	p.until("the page to say that nobody is signed in", `document.querySelector("#link").textContent.includes("nothing was sent")`)
	p.elsewhere("/login", "email=ada%40example.org&password="+strings.ReplaceAll(roomPassword, " ", "+"))
	p.press("Add the variable")
	p.shows("AFTER_ALL")
}

// withoutScriptNothingTypedIsLost sends a form after the session ended in a browser that runs no script, signs in elsewhere and
// loads the answer again, which sends the form once more.
func (p *tab) withoutScriptNothingTypedIsLost() {
	p.t.Helper()
	p.permit(401)
	p.open(variableForm)
	p.withoutScript()
	p.open(variableForm)
	p.fill("[name=name]", "ONCE_MORE")
	p.fill("[name=value]", "z")
	kept := strings.TrimPrefix(p.cookie(), "berth_session=")
	p.SetCookie(p.room.url, "berth_session", "")
	p.press("Add the variable")
	p.shows("what you typed is still here")
	p.SetCookie(p.room.url, "berth_session", kept)
	call(p, page.Reload, page.ReloadParams{})
	p.shows("ONCE_MORE")
}
