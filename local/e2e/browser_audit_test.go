package e2e_test

import (
	"slices"
	"strings"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"berth/local/stand/browser"
)

// variant is one way of looking at a page.
type variant struct {
	name          string
	width, height int64
	scheme        string
}

var variants = []variant{
	{"wide-light", 1280, 900, "light"}, {"wide-dark", 1280, 900, "dark"},
	{"phone-light", 390, 844, "light"}, {"phone-dark", 390, 844, "dark"},
}

// narrowest is the width, in pixels, down to which nothing may have to be scrolled sideways.
const narrowest = 320

func (p *tab) look(v variant) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(v.width, v.height))
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: v.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
}

// audit judges one page in all variants, leaves a picture of each, and returns the links on it.
func (p *tab) audit(name, path string) []string {
	p.t.Helper()
	p.open(path)
	p.until("the whole page", `document.readyState === "complete"`)
	for _, complaint := range ask[[]string](p, browser.Judgement) {
		p.t.Errorf("%s: %s", path, complaint)
	}
	for _, v := range variants {
		p.look(v)
		picture, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
		if err != nil {
			p.t.Fatal(err)
		}
		artifact(p.t, name+"."+v.name+".png", picture)
	}
	for _, scheme := range []string{"light", "dark"} {
		p.look(variant{"narrow", narrowest, 700, scheme})
		if wide := ask[int](p, `document.documentElement.scrollWidth`); wide > narrowest {
			p.t.Errorf("%s is %d pixels wide on a screen of %d", path, wide, narrowest)
		}
		for _, cut := range ask[[]string](p, `[...document.querySelectorAll(".panel, .needs, .form")].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.className + " is cut off")`) {
			p.t.Errorf("%s: %s", path, cut)
		}
		for _, dim := range ask[[]string](p, browser.Contrast) {
			p.t.Errorf("%s, %s: %s", path, scheme, dim)
		}
	}
	p.look(variants[0])
	p.clean()
	return ask[[]string](p, `[...document.querySelectorAll("a[href]")].map((a) => a.getAttribute("href"))`)
}

// auditAll judges pages by name and follows every link that they have.
func (p *tab) auditAll(pages map[string]string) {
	p.t.Helper()
	links := map[string]string{}
	names := make([]string, 0, len(pages))
	for name := range pages {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, link := range p.audit(name, pages[name]) {
			path, _, _ := strings.Cut(link, "#")
			if strings.HasPrefix(path, "/") {
				links[path] = pages[name]
			}
		}
	}
	if len(links) < 10 {
		p.t.Errorf("only %d links were found: the walk is broken", len(links))
	}
	cookie := p.cookie()
	for link, from := range links {
		if status := p.room.status(cookie, link); status >= 400 {
			p.t.Errorf("%s links to %s, which answers %d", from, link, status)
		}
	}
}
