package e2e_test

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"berth/local/stand/browser"
)

// TestTheCommandPalette is gone through by keys alone, as a pointer never could show its focus.
func TestTheCommandPalette(t *testing.T) {
	r := openRoom(t)
	p := r.openTab()
	p.open("/")
	p.fillSetUp(roomToken)
	p.press("Make the administrator")
	p.shows("Four steps to a first healthy stack")

	opens := func(press func()) {
		press()
		p.until("the palette with what it found", `document.activeElement.id === "palette-q" && document.querySelectorAll("#palette-hits [role=option]").length > 5`)
	}
	p.do(chromedp.Focus(chromedp.CSS(".side .nav-group a[href='/stacks']")))
	opens(func() { p.strike("/") })
	for _, v := range browser.Variants {
		p.Look(v)
		artifact(t, "palette."+v.Name+".png", p.Picture())
	}
	p.Look(browser.Variants[0])
	if typed := ask[string](p, `document.querySelector("#palette-q").value`); typed != "" {
		t.Errorf("the key that opened the palette was typed into it: %q", typed)
	}
	p.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowUp))
	chosen := `document.getElementById(document.querySelector("#palette-q").getAttribute("aria-activedescendant"))`
	if !ask[bool](p, chosen+`?.getAttribute("aria-selected") === "true" && `+chosen+` === document.querySelectorAll("#palette-hits [role=option]")[1] && document.querySelector("[data-told]").textContent.endsWith("found")`) {
		t.Error("the arrows do not choose the second of what was found, or nobody is told how much it is")
	}
	p.do(chromedp.KeyEvent("x"), chromedp.KeyEvent(kb.Escape))
	p.until("focus where it was", `!document.querySelector("#palette").open && document.activeElement.getAttribute("href") === "/stacks"`)

	opens(func() {
		for _, way := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
			call(p, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: way, Key: "k", Modifiers: 2}) // with Ctrl
		}
	})
	p.do(chromedp.KeyEvent("add a repo"), chromedp.KeyEvent(kb.Enter))
	p.until("the form for a repository", `location.pathname === "/repositories/new" && document.readyState === "complete"`)
	p.fill("[name=url]", "half-typed")
	p.do(chromedp.Focus(chromedp.CSS("[name=url]")), chromedp.KeyEvent("/?"))
	if typed := ask[string](p, `document.querySelector("[name=url]").value`); len(typed) != len("half-typed/?") {
		t.Errorf("a field lost what was typed into it: %q", typed)
	}
	p.do(chromedp.Focus(chromedp.CSS(".side .find")))
	p.strike("?")
	p.until("the keys", `document.querySelector("#keys").open`)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until("the page again", `!document.querySelector("#keys").open`)
	p.audit("search", "/search?q=a")
	p.audit("design", "/design")

	p.withoutScript()
	p.open("/repositories")
	p.click(".side .find")
	p.until("the page that searches", `location.pathname === "/search"`)
	p.fill("main [name=q]", "zzz")
	p.click("main form button")
	p.shows("Nothing that you may see is named")
	p.clean()
}

// strike presses and lets go of a key whose character the page keeps from being typed.
func (p *tab) strike(key string) {
	p.t.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
		call(p, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: key})
	}
}
