package browser

import (
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// mostStops is how often the Tab key is struck on one page at most.
const mostStops = 600

// Keyed goes through a page that was just opened with the Tab key alone, and returns what is wrong with the way:
// what cannot be reached, what does not show that it has the focus or is covered while it has it, and steps
// against the order in which people read.
func (b *Browser) Keyed() []string {
	b.t.Helper()
	Ask[bool](b, `(window.stops = [], window.ill = [], true)`)
	for range mostStops {
		if err := b.Do(chromedp.KeyEvent(kb.Tab)); err != nil {
			b.t.Fatal(err)
		}
		if Ask[bool](b, stop) {
			return Ask[[]string](b, way)
		}
	}
	return []string{"the Tab key never comes around"}
}

// stop notes where the focus is; it is true once the focus has gone around.
const stop = `(() => {
	const e = document.activeElement;
	if (e && stops.at(-1) === e) return false; // a field of several parts, as that of a date is
	if (!e || e === document.body || e === document.documentElement || stops.includes(e)) return true;
	stops.push(e);
	const style = getComputedStyle(e);
	const drawn = e.closest("svg") || (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0);
	if (!drawn) ill.push("does not show that it has the focus: " + e.outerHTML.slice(0, 160));
	const box = e.getClientRects()[0];
	const x = box && box.left + box.width / 2, y = box && (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2;
	const top = box && document.elementFromPoint(x, y);
	if (!box || box.bottom < 0 || box.top > innerHeight || box.right < 0 || box.left > innerWidth) ill.push("has the focus out of sight: " + e.outerHTML.slice(0, 160));
	else if (!top || !(e.contains(top) || top.contains(e))) ill.push("is covered while it has the focus: " + e.outerHTML.slice(0, 160) + " by " + (top && top.outerHTML.slice(0, 80)));
	return false;
})()`

// way judges the stops. A step may lead down, right, or to the next column; columns are read one after the other.
const way = `(() => {
	document.activeElement.blur();
	scrollTo(0, 0);
	const words = (e) => (e.getAttribute("aria-label") || e.textContent.trim() || e.name || e.id).slice(0, 50);
	const operable = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")]
		.filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.disabled && e.tabIndex >= 0);
	if (operable.length < 3) ill.push("only " + operable.length + " things to act on were found");
	for (const e of operable) if (!stops.includes(e) && !(e.type === "radio" && stops.some((s) => s.name === e.name))) ill.push("the Tab key does not lead to " + e.outerHTML.slice(0, 160));
	for (let i = 1; i < stops.length; i++) {
		if (stops[i - 1].matches(".skip")) continue;
		const [a, b] = [stops[i - 1].getBoundingClientRect(), stops[i].getBoundingClientRect()];
		const next = b.left >= a.right - 1;
		const shared = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
		const line = shared > Math.min(a.height, b.height) / 2;
		if ((b.bottom <= a.top + 1 && !next) || (line && b.right <= a.left + 1)) ill.push("from " + words(stops[i - 1]) + " the Tab key leads back to " + words(stops[i]));
	}
	return [...new Set(ill)];
})()`

// moving finds what moves; see Browser.Moving.
const moving = `(() => {
	const bad = new Set();
	const long = (list) => list.split(",").some((t) => parseFloat(t) * (t.trim().endsWith("ms") ? 1 : 1000) > 10);
	for (const e of document.querySelectorAll("*")) for (const part of ["", "::before", "::after", "::backdrop"]) {
		const style = getComputedStyle(e, part);
		if (style.animationName !== "none" && long(style.animationDuration)) bad.add("is animated for " + style.animationDuration + ": " + e.outerHTML.slice(0, 120) + part);
		if (long(style.transitionDuration)) bad.add("changes within " + style.transitionDuration + ": " + e.outerHTML.slice(0, 120) + part);
		if (style.scrollBehavior === "smooth") bad.add("scrolls smoothly: " + e.outerHTML.slice(0, 120));
	}
	for (const a of document.getAnimations()) if (a.effect.getComputedTiming().activeDuration > 10) bad.add("runs: " + (a.animationName || a.transitionProperty));
	return [...bad];
})()`
