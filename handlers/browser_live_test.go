package handlers_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"berth/core"
	"berth/core/access"
	"berth/handlers/endpoint"
	"berth/local/stand/browser"
)

// watched is a stand whose pages are open in a browser. Pages do not look by themselves within a test: what they show
// of a change, they show because they were told of it.
type watched struct {
	*stand
	b *browser.Browser

	mu           sync.Mutex
	changed      *sync.Cond // with mu: a stream of events began or ended
	open, opened int        // streams of events, now and ever; guarded by mu
}

func newWatched(t *testing.T) *watched {
	t.Helper()
	w := &watched{stand: newStand(t)}
	w.changed = sync.NewCond(&w.mu)
	w.deps.UI.Live = linked{}
	w.build()
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	app, err := url.Parse(origin)
	w.must(err)
	w.b = browser.Open(t, app.Host, server.Listener.Addr().String())
	w.found()
	w.b.SetCookie(origin, endpoint.SessionCookie, w.session(w.user(access.RoleAdmin)))
	return w
}

// ServeHTTP counts streams, and slows the pages' own looking down to once an hour.
func (w *watched) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	if r.URL.Path == eventsPath {
		w.stream(1)
		defer w.stream(-1)
		w.handler.ServeHTTP(to, r)
		return
	}
	r.Header.Del("Accept-Encoding")
	page := httptest.NewRecorder()
	w.handler.ServeHTTP(page, r)
	maps.Copy(to.Header(), page.Header())
	to.Header().Del("Content-Length")
	to.WriteHeader(page.Code)
	to.Write(livePace.ReplaceAll(page.Body.Bytes(), []byte(`data-live="3600000"`))) //nolint:errcheck // a browser that left needs none
}

var livePace = regexp.MustCompile(`data-live="[0-9]+"`)

func (w *watched) stream(more int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open += more
	w.opened += max(0, more)
	w.changed.Broadcast()
}

// streams waits until this many streams were opened ever, of which one is open.
func (w *watched) streams(ever int) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	late := time.AfterFunc(time.Minute, w.changed.Broadcast)
	defer late.Stop()
	for deadline := time.Now().Add(time.Minute); w.open != 1 || w.opened != ever; w.changed.Wait() {
		if time.Now().After(deadline) {
			w.t.Fatalf("%d streams are open, and %d were ever; want 1 and %d", w.open, w.opened, ever)
		}
	}
}

// stacks makes a list that is longer than a window, by name.
func (w *watched) stacks(n int) (made []string) {
	w.t.Helper()
	_, stack := w.madeStack(w.session(w.user(access.RoleOperator)))
	like := strings.TrimPrefix(stack, "/stacks/")
	for i := range n {
		made = append(made, w.copied("stacks", like, core.PrefixStack, map[string]any{"name": fmt.Sprintf("app-%02d", i), "status": "active"}))
	}
	w.exec(`DELETE FROM stacks WHERE id = ?`, like)
	return made
}

func (w *watched) troubles() {
	w.t.Helper()
	for _, trouble := range w.b.Troubles() {
		w.t.Error("the browser complains:", trouble)
	}
}

// watch notes from here on which of a list's lines keep their nodes, and what changes within the page.
const watch = `(() => {
	window.lines = [...document.querySelectorAll("main tbody tr")];
	window.records = [];
	new MutationObserver((all) => records.push(...all)).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
	return lines.length;
})()`

// disturbed is what changed beside the lines whose keys are named, and lines that were made anew.
const disturbed = `((...keys) => {
	const bad = [];
	for (const line of lines) if (!line.isConnected) bad.push("a line was replaced: " + line.textContent);
	for (const r of records) {
		const at = r.target.nodeType === 1 ? r.target : r.target.parentElement;
		if (at?.closest("#link, time, .filters") || keys.some((key) => at?.closest("[data-key*='" + key + "']"))) continue;
		const moved = [...r.addedNodes, ...r.removedNodes];
		if (moved.length && moved.every((n) => n.nodeType !== 1 || keys.some((key) => n.matches("[data-key*='" + key + "']")))) continue;
		bad.push(r.type + " of " + (r.attributeName || "") + " " + (at ? at.outerHTML.slice(0, 120) : "what is gone"));
	}
	return bad;
})`

// TestAnUpdateDisturbsNobody changes what a list shows while somebody reads it: lines that did not change keep their
// nodes, what was selected stays selected, and what was looked at stays where it was.
func TestAnUpdateDisturbsNobody(t *testing.T) {
	w := newWatched(t)
	made := w.stacks(40)
	w.b.Open(origin + "/stacks?order=name")
	w.streams(1)
	if n := browser.Ask[int](w.b, watch); n != 40 {
		t.Fatalf("%d stacks are listed", n)
	}
	where := browser.Ask[float64](w.b, `(scrollTo(0, 600), window.read = lines[25], getSelection().selectAllChildren(read.querySelector(".name")), read.getBoundingClientRect().top)`)
	w.exec(`UPDATE stacks SET status = 'degraded', error = 'It fell over.' WHERE id = ?`, made[30])
	added := w.copied("stacks", made[0], core.PrefixStack, map[string]any{"name": "app-00-a"}) // above of what is looked at
	w.worker("a-word-to-everybody")
	w.b.Until("the new line and the new state", `!!document.querySelector("[data-key*='`+added+`']") && lines[30].textContent.includes("It fell over.")`)
	for _, what := range browser.Ask[[]string](w.b, fmt.Sprintf("%s(%q, %q)", disturbed, made[30], added)) {
		t.Error("the update disturbed:", what)
	}
	if got := browser.Ask[string](w.b, `getSelection().toString()`); got != "app-25" {
		t.Errorf("%q is selected", got)
	}
	if now := browser.Ask[float64](w.b, `read.getBoundingClientRect().top`); now < where-2 || now > where+2 {
		t.Errorf("what was read stood %.0f pixels from the top and stands at %.0f", where, now)
	}
	browser.Ask[bool](w.b, `(lines[3].querySelector("a").focus(), true)`)
	w.exec(`UPDATE stacks SET name = 'zz' WHERE id = ?`, made[3])
	w.worker("one-more-word")
	w.b.Until("the line at its new place", `[...document.querySelectorAll("main tbody tr")].at(-1) === lines[3]`)
	if !browser.Ask[bool](w.b, `lines[3].contains(document.activeElement)`) {
		t.Error("a line lost the focus because it went to another place")
	}
	w.troubles()
}

// TestWhatIsOpenStaysOpen changes a stack while its menu is open, and a log that is read.
func TestWhatIsOpenStaysOpen(t *testing.T) {
	w := newWatched(t)
	_, stack := w.madeStack(w.session(w.user(access.RoleOperator)))
	id := strings.TrimPrefix(stack, "/stacks/")
	w.b.Open(origin + stack)
	w.streams(1)
	w.must(w.b.Do(chromedp.Click(chromedp.CSS(".more summary"))))
	w.exec(`UPDATE stacks SET status = 'degraded', error = 'It fell over.' WHERE id = ?`, id)
	w.worker("a-word-to-everybody")
	w.b.Until("the new state", `document.querySelector("main").innerText.includes("It fell over.")`)
	if !browser.Ask[bool](w.b, `document.querySelector(".more").open && document.activeElement.matches(".more summary")`) {
		t.Error("the menu closed, or the focus left it")
	}

	deployment := core.NewID(core.PrefixDeployment, w.now())
	w.exec(`INSERT INTO deployments (id, stack_id, state, trigger, actor, commit_hash, revision, worker_id, options, phases, error_code, error, tree, cancelling, queued_at, started_at, finished_at)
		VALUES (?, ?, 'running', 'manual', 'ada', '', 0, '', '{}', '[]', '', '', '', 0, 1700000000000000, 1700000000000000, 0)`, deployment, id)
	say := func(number int, text string) {
		w.exec(`INSERT INTO deployment_log (deployment_id, number, at, text) VALUES (?, ?, 1700000003000000, ?)`, deployment, number, text)
	}
	say(1, strings.Repeat("a line\n", 200))
	w.b.Open(origin + "/deployments/" + deployment)
	w.streams(2)
	const box = `document.querySelector("[data-follow]")`
	more := func(number int, text string) {
		say(number, text+"\n")
		w.worker(fmt.Sprintf("one-more-word-%d", number))
		w.b.Until("the next line", fmt.Sprintf(`%s.textContent.includes(%q)`, box, text))
	}
	more(2, "second piece")
	if !browser.Ask[bool](w.b, box+`.scrollHeight - `+box+`.scrollTop - `+box+`.clientHeight < 24`) {
		t.Error("the log does not follow for somebody who reads its end")
	}
	browser.Ask[bool](w.b, `(`+box+`.scrollTop = 700, getSelection().selectAllChildren(document.querySelectorAll("#log .line")[36]),
		window.painted = false, requestAnimationFrame(() => requestAnimationFrame(() => { window.painted = true })), true)`)
	w.b.Until("what is scrolled to, laid out", `window.painted`) // lines that were never seen had a height that was guessed
	const stands = `Math.round(document.querySelectorAll("#log .line")[36].getBoundingClientRect().top - ` + box + `.getBoundingClientRect().top)`
	before := browser.Ask[int](w.b, stands)
	more(3, "third piece")
	if after := browser.Ask[int](w.b, stands); after != before || before < 0 || before > 200 {
		t.Errorf("the line that is read was at %d and is at %d", before, after)
	}
	if got := browser.Ask[string](w.b, `getSelection().toString().trim()`); got != "a line" {
		t.Errorf("%q is selected", got)
	}
	w.troubles()
}

// TestOneOfManyTabsListens opens three windows, of which one has a connection and tells the others, and takes that
// one away.
func TestOneOfManyTabsListens(t *testing.T) {
	w := newWatched(t)
	w.worker("first")
	var tabs []*browser.Browser
	for range 3 {
		tab := w.b.Tab()
		tab.Open(origin + "/workers")
		w.streams(1)
		tabs = append(tabs, tab)
	}
	w.allShow(tabs, "told-to-three")
	tabs[0].Close() // it came first, so it is the one that listens
	w.streams(2)
	w.allShow(tabs[1:], "told-to-two")
	w.streams(2)
	for _, tab := range tabs[1:] {
		for _, trouble := range tab.Troubles() {
			t.Error("the browser complains:", trouble)
		}
	}
}

func (w *watched) allShow(tabs []*browser.Browser, name string) {
	w.t.Helper()
	for _, tab := range tabs {
		if hidden := browser.Ask[bool](tab, `document.hidden`); hidden {
			w.t.Fatal("a window is hidden, so it need not follow")
		}
	}
	w.worker(name)
	for i, tab := range tabs {
		tab.Until(fmt.Sprintf("window %d to show the new worker", i+1), fmt.Sprintf(`document.querySelector("main").innerText.includes(%q)`, name))
	}
}
