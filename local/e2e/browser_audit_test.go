package e2e_test

import (
	"slices"
	"strings"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
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
	for _, complaint := range ask[[]string](p, judgement) {
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
		for _, dim := range ask[[]string](p, contrast) {
			p.t.Errorf("%s, %s: %s", path, scheme, dim)
		}
	}
	p.look(variants[0])
	p.clean()
	return ask[[]string](p, `[...document.querySelectorAll("a[href]")].map((a) => a.getAttribute("href"))`)
}

// judgement finds what keeps people out: controls without a name, doubled ids, references to
// nothing, headings that skip a level, targets that are too small (WCAG 2.2, 2.5.8).
const judgement = `(() => {
	const bad = [];
	const seen = (e) => e.offsetParent && getComputedStyle(e).visibility !== "hidden";
	const all = [...document.querySelectorAll("*")];
	const ids = all.map((e) => e.id).filter(Boolean);
	for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) bad.push("the id " + id + " stands twice");
	for (const e of document.querySelectorAll("input:not([type=hidden]), select, textarea")) if (!e.labels.length) bad.push("no label: " + e.name);
	for (const e of document.querySelectorAll("a, button, summary")) if (!e.textContent.trim() && !e.getAttribute("aria-label")) bad.push("no name: " + e.outerHTML);
	for (const name of ["aria-labelledby", "aria-describedby"]) for (const e of document.querySelectorAll("[" + name + "]"))
		for (const id of e.getAttribute(name).split(" ")) if (!document.getElementById(id)) bad.push(name + " names nothing: " + id);
	if (document.querySelectorAll("h1").length !== 1) bad.push("not one main heading");
	let level = 0;
	for (const h of document.querySelectorAll("h1, h2, h3, h4")) { const n = +h.nodeName[1]; if (n > level + 1) bad.push("a heading skips a level: " + h.textContent); level = n; }
	for (const e of document.querySelectorAll("button, .button, .icon-button, select, input:not([type=hidden]):not([type=checkbox])")) {
		const box = e.getBoundingClientRect();
		if (seen(e) && (box.height < 24 || box.width < 24)) bad.push("too small to hit: " + e.outerHTML);
	}
	if (!document.documentElement.lang || !document.title) bad.push("no language or title");
	if (document.querySelector("[style], style, script:not([src])")) bad.push("style or script within the page");
	return [...new Set(bad)];
})()`

// contrast measures every text against the ground that it stands on (WCAG 2.2, 1.4.3).
const contrast = `(() => {
	const channel = (c) => ((c /= 255), c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
	const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const colour = (text) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
	const over = (top, below) => top.slice(0, 3).map((c, i) => (c * top[3] + below[i] * (255 - top[3])) / 255);
	const ground = (e) => (e ? over(colour(getComputedStyle(e).backgroundColor), ground(e.parentElement)) : [255, 255, 255]);
	const bad = [];
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walker.nextNode()) {
		const e = walker.currentNode.parentElement;
		if (!walker.currentNode.data.trim() || !e.offsetParent || e.closest(".away, option, select")) continue;
		const below = ground(e);
		const above = over(colour(getComputedStyle(e).color), below);
		const [x, y] = [light(above), light(below)];
		const ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
		if (ratio < 4.5) bad.push(walker.currentNode.data.trim().slice(0, 40) + " has a contrast of " + ratio.toFixed(2));
	}
	return [...new Set(bad)];
})()`

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
