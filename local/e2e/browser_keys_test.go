package e2e_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestKeysAloneInABrowser signs in, adds a repository, deploys a stack and reads its log with keys alone, and sees
// at each stop where it is.
func TestKeysAloneInABrowser(t *testing.T) {
	r := openRoom(t)
	p := r.openTab()
	p.open("/")
	p.fillSetUp(roomToken)
	p.press("Make the administrator")
	p.permit(401) // what the page that is left listens to may still ask who is there
	call(p, network.ClearBrowserCookies, cdp.Empty{})
	p.open("/login")
	p.enter("[name=email]", "ada@example.org")
	p.enter("[name=password]", roomPassword+kb.Enter)
	p.until("the overview", `location.pathname === "/"`)

	p.skipToContent()
	p.enter(".side .nav a[href='/repositories']", kb.Enter)
	p.until("the repositories", `location.pathname === "/repositories"`)
	p.enter("main a[href='/repositories/new']", kb.Enter)
	p.enter("[name=url]", r.gitURL+kb.Enter)
	p.shows("Begin")
	p.enter("main a[href*='path=shop']", kb.Enter)
	p.until("the form with the folder", `document.querySelector("[name=path]")?.value === "shop"`)
	p.enter("[name=name]", r.stack+kb.Enter) // what stands in a field that is reached by a key is selected, and so replaced
	p.shows("Review " + r.stack)
	p.enter("form[action$='/review'] button", kb.Enter)
	p.shows("Deployment of " + r.stack)
	p.shows("Succeeded")
	p.enter(".trail li:last-child a", kb.Enter)
	p.shows("Services")
	p.enter("main a[href$='/web/logs']", kb.Enter)
	p.shows("demo app listens")
	p.clean()
}

// mostStops is how many stops of the tab key a page may have before what is looked for counts as out of reach.
const mostStops = 120

// enter goes to an element with the tab key and types there. The element must show that it is reached.
func (p *tab) enter(element, keys string) {
	p.t.Helper()
	p.until("the element "+element, fmt.Sprintf(`document.readyState === "complete" && !!document.querySelector(%q)`, element))
	for range mostStops {
		p.do(chromedp.KeyEvent(kb.Tab))
		if !ask[bool](p, fmt.Sprintf(`!!document.activeElement?.matches(%q)`, element)) {
			continue
		}
		if !ask[bool](p, `(() => { const s = getComputedStyle(document.activeElement); return document.activeElement.matches(":focus-visible") && (s.outlineStyle !== "none" || s.boxShadow !== "none"); })()`) {
			p.t.Errorf("%s does not show that it has the focus", element)
		}
		p.do(chromedp.KeyEvent(keys))
		return
	}
	p.t.Fatalf("%s has no way by keys to %s", p.address(), element)
}

// skipToContent takes the link that is the first stop of every page.
func (p *tab) skipToContent() {
	p.t.Helper()
	p.until("the whole page", `document.readyState === "complete"`) // a key that comes before goes to nobody
	p.do(chromedp.KeyEvent(kb.Tab))
	if !ask[bool](p, `document.activeElement.matches(".skip") && document.activeElement.getBoundingClientRect().top >= 0`) {
		p.t.Error("the first stop of the tab key is no link to the content that can be seen")
	}
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until("the content to have the focus", `document.activeElement.id === "main"`)
}
