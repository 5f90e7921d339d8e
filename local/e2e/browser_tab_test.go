package e2e_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"berth/local/stand/browser"
)

// patience is how long a page may take to show something.
const patience = 90 * time.Second

// tab is one page in a real browser. It collects whatever the browser complains about.
type tab struct {
	*browser.Browser
	t    *testing.T
	room *room
}

// openTab starts a browser of its own, so that nothing is left of an earlier one.
func (r *room) openTab() *tab {
	r.t.Helper()
	return &tab{Browser: browser.Start(r.t), t: r.t, room: r}
}

// permit lets answers with this status pass: the test causes them.
func (p *tab) permit(status int64) { p.Permit(status) }

// clean fails the test when the browser complained about anything so far.
func (p *tab) clean() {
	p.t.Helper()
	for _, trouble := range p.Troubles() {
		p.t.Error("the browser complains:", trouble)
	}
}

// forget drops what the browser complained about: the test caused it.
func (p *tab) forget() { p.Troubles() }

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := p.Do(steps...); err != nil {
		p.t.Fatalf("%v\non %s", err, p.address())
	}
}

func ask[T any](p *tab, expression string) T {
	p.t.Helper()
	return browser.Ask[T](p.Browser, expression)
}

func (p *tab) address() string { return ask[string](p, `location.pathname + location.search`) }

func (p *tab) open(path string) {
	p.t.Helper()
	p.Open(p.room.url + path)
}

func (p *tab) fill(field, value string) {
	p.t.Helper()
	p.do(chromedp.SetValue(chromedp.CSS(field), value))
}

func (p *tab) click(element string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS(element), chromedp.NodeVisible))
}

// press clicks the button or link that says this, and waits for the page that it leads to.
func (p *tab) press(name string) {
	p.t.Helper()
	mark := suffix()
	named := fmt.Sprintf(`[...document.querySelectorAll("main button, main a")].find((e) => e.offsetParent && e.textContent.trim() === %q)`, name)
	found := ask[bool](p, fmt.Sprintf(`(() => {
		const named = %s;
		if (!named) return false;
		document.documentElement.dataset.left = %q;
		named.scrollIntoView({ block: "center" });
		return true;
	})()`, named, mark))
	if !found {
		p.t.Fatalf("%s has no button %q; it says:\n%s", p.address(), name, p.text())
	}
	p.do(chromedp.Click(chromedp.JSPath(named))) // not by a mark on it: a page that is brought up to date takes that away
	p.until("the next page", fmt.Sprintf(`document.readyState === "complete" && document.documentElement.dataset.left !== %q`, mark))
}

func (p *tab) text() string { return ask[string](p, `document.querySelector("main").innerText`) }

// until waits for a condition in the page; a page that is being left has none.
func (p *tab) until(what, condition string) {
	p.t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if lost, err := browser.Try[bool](p.Browser, `location.protocol === "chrome-error:"`); err == nil && lost {
			_, _ = browser.Try[bool](p.Browser, `(location.reload(), true)`) // see browser.NetworkChanged; looked at again below
		} else if holds, err := browser.Try[bool](p.Browser, condition); err == nil && holds {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			p.t.Fatalf("waited in vain for %s on %s, which says:\n%s", what, p.address(), p.text())
		}
	}
}

// shows waits until the page says text, without loading it again.
func (p *tab) shows(text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("%q", text), fmt.Sprintf(`document.querySelector("main").innerText.includes(%q)`, text))
}

// call runs one command of the browser's protocol.
func call[P, R any](p *tab, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	return browser.Call(p.Browser, command, params)
}

// withoutScript makes the browser one that runs none.
func (p *tab) withoutScript() {
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// cookie is the session in the form of a header.
func (p *tab) cookie() string {
	p.t.Helper()
	found := call(p, network.GetCookies, network.GetCookiesParams{})
	for _, c := range found.Cookies {
		if c.Name == "berth_session" {
			return c.Name + "=" + c.Value
		}
	}
	p.t.Fatal("the browser has no session")
	return ""
}
