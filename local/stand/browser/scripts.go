package browser

// Judgement finds what keeps people out: controls without a name, doubled ids, references to
// nothing, headings that skip a level, targets that are too small (WCAG 2.2, 2.5.8).
const Judgement = `(() => {
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
	for (const wrong of ["a a", "a button", "button a", "button button", "form form", "p p", "p div", "p ul", "p form", "li > li"])
		if (document.querySelector(wrong)) bad.push("one within another: " + wrong);
	if (document.querySelectorAll("main").length !== 1) bad.push("not one main landmark");
	const named = (e) => e.getAttribute("aria-label") || (e.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id)?.textContent).join(" ");
	const navs = [...document.querySelectorAll("nav")].filter(seen).map(named);
	if (navs.length > 1 && (navs.some((n) => !n) || new Set(navs).size !== navs.length)) bad.push("navigations are not told apart: " + navs.join(", "));
	for (const e of document.querySelectorAll("table")) if (!e.querySelector("th")) bad.push("a table without a heading");
	for (const e of document.querySelectorAll("fieldset")) if (!e.querySelector("legend")) bad.push("a fieldset without a legend");
	for (const e of document.querySelectorAll("[tabindex]")) if (e.tabIndex > 0) bad.push("out of order by tabindex: " + e.outerHTML);
	for (const e of document.querySelectorAll("[aria-hidden=true]")) if (e.matches("a, button, input") || e.querySelector("a[href], button, input:not([type=hidden]), select, textarea")) bad.push("hidden, but reached by keys: " + e.outerHTML);
	for (const e of document.querySelectorAll("svg:not([aria-hidden=true])")) if (e.getAttribute("role") !== (e.querySelector("a[href]") ? "group" : "img") || !named(e)) bad.push("a picture without words: " + e.outerHTML.slice(0, 120));
	const landmarks = "header.bar, nav, .side, main, .skip, .link, script, .bare-brand, dialog, header, footer, [role=status], [role=region], [popover]";
	for (const e of document.body.children) if (!e.matches(landmarks)) bad.push("outside every landmark: " + e.outerHTML.slice(0, 120));
	if (!document.documentElement.lang || !document.title) bad.push("no language or title");
	if (document.querySelector("[style], style, script:not([src])")) bad.push("style or script within the page");
	return [...new Set(bad)];
})()`

// Contrast measures every text against the ground that it stands on (WCAG 2.2, 1.4.3).
const Contrast = `(() => {
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

// addresses are where the page leads, and where its forms go with which method.
const addresses = `(() => ({
	links: [...document.querySelectorAll("a[href]")].map((a) => a.getAttribute("href")),
	forms: [...document.querySelectorAll("form:not([method=dialog])")].map((f) => (f.getAttribute("method") || "get").toUpperCase() + " " + new URL(f.getAttribute("action") || location.href, location.href).href),
}))()`

// sideways are what makes the page wider than its window, and panels that cut something off.
const sideways = `(() => {
	const bad = [];
	const wide = document.documentElement.scrollWidth;
	if (wide > innerWidth) bad.push("it is " + wide + " pixels wide on a screen of " + innerWidth);
	for (const e of document.querySelectorAll(".panel, .needs, .form")) if (e.scrollWidth > e.clientWidth + 1) {
		const out = [...e.querySelectorAll("*")].find((c) => c.getBoundingClientRect().right > e.getBoundingClientRect().right + 1);
		bad.push("cut off at " + innerWidth + ": " + e.className + ", by " + (out ? out.outerHTML.slice(0, 200) : "itself"));
	}
	return bad;
})()`
