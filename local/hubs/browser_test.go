package hubs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"berth/core/stacks"
	hubworker "berth/hub/worker"
	"berth/local/stand/browser"

	"github.com/chromedp/chromedp"
)

// tab is one page in a real browser.
type tab struct {
	*browser.Browser
	s *site
}

func (s *site) tab() *tab {
	s.t.Helper()
	return &tab{Browser: browser.Start(s.t), s: s}
}

func (b *tab) open(path string) {
	b.s.t.Helper()
	b.Open(b.s.api.URL + path)
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.s.t.Helper()
	if err := b.Do(steps...); err != nil {
		b.s.t.Fatal(err)
	}
}

// shows waits until a condition holds in the page.
func (b *tab) shows(what, condition string) {
	b.s.t.Helper()
	b.s.until("the page shows "+what, func() (bool, string) {
		holds, err := browser.Try[bool](b.Browser, condition)
		if err != nil {
			return false, err.Error() // it is being left
		}
		text, _ := browser.Try[string](b.Browser, `location.pathname + "\n" + document.body.innerText`) // to be shown
		return holds, text
	})
}

// signIn does so as people do.
func (b *tab) signIn() {
	b.s.t.Helper()
	b.open("/login")
	b.do(chromedp.SetValue(chromedp.CSS(`[name="email"]`), email), chromedp.SetValue(chromedp.CSS(`[name="password"]`), b.s.password), chromedp.Click(chromedp.CSS("main form button")))
	b.shows("that somebody is signed in", `location.pathname === "/" && document.readyState === "complete"`)
}

// picture keeps how the page looks on a desk and on a phone; nothing of it may have to be scrolled sideways.
func (b *tab) picture(name string) {
	b.s.t.Helper()
	for _, v := range []browser.Variant{{Name: "phone", Width: 390, Height: 900, Scheme: "light"}, {Name: "desk", Width: 1280, Height: 900, Scheme: "light"}} {
		b.Look(v)
		if err := os.WriteFile(filepath.Join(b.s.t.(*testing.T).ArtifactDir(), name+"."+v.Name+".png"), b.Picture(), 0o644); err != nil {
			b.s.t.Fatal(err)
		}
		b.shows("all of itself on a "+v.Name, fmt.Sprintf(`document.documentElement.scrollWidth <= %d`, v.Width))
	}
}

// logged is what the log on the page says, line by line, also what nobody has scrolled to.
const logged = `[...document.querySelectorAll("#log .line")].map((e) => e.textContent)`

// Where the host of the handlers cannot stream, the pages ask again by themselves until there is nothing to wait for.
func TestPagesFollowWhereTheHostCannotStream(t *testing.T) {
	t.Parallel()
	s := onOneHost(t)
	hub := s.hub("hub")
	hub.run()
	s.balancer.before(hub.workers)
	s.setUp(s.function())
	reports := make(chan string)
	engine := &speaking{lines: make(chan string)}
	engine.OnApply = func(ctx context.Context, _ hubworker.Project, report func(string)) error {
		for {
			select {
			case line, more := <-reports:
				if !more {
					return nil
				}
				report(line)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	id := s.through(hub, engine)
	l := newLoad(s, 5, s.worker())
	added := l.added("watched", id)
	tell := func(line string) {
		select {
		case reports <- line:
		case <-time.After(patience):
			t.Fatal("nothing is put in place that could be told of")
		}
	}

	b := s.tab()
	b.signIn()
	b.open("/deployments/" + string(added.DeploymentID))
	const same = `document.documentElement.dataset.seen = "yes", true`
	b.shows("itself", same)
	still := func(condition string) string {
		return `document.documentElement.dataset.seen === "yes" && ` + condition
	}
	for _, line := range []string{"the first half is done", "the second half is done"} {
		tell(line)
		b.shows(line, still(fmt.Sprintf(`%s.filter((line) => line.includes(%q)).length === 1 && Number(document.body.dataset.live) > 0`, logged, line)))
	}
	b.picture("running")
	close(reports)
	b.shows("the end", still(`document.querySelector("h1").innerText.includes("Succeeded") && document.querySelector("#log-state").innerText === "complete" && `+logged+`.filter((line) => line.includes("the first half is done")).length === 1`))
	b.picture("ended")
	if state := l.ended(added.DeploymentID); state != stacks.DeploymentSucceeded || engine.Applied(added.DeploymentID) != 1 {
		t.Errorf("it ended %s and was done %d times", state, engine.Applied(added.DeploymentID))
	}
	b.rests()

	b.open("/stacks/" + string(added.ID) + "/services/app/logs")
	b.shows("the log", same+` && `+logged+`.join() === "said before"`)
	engine.say("said in between")
	b.do(chromedp.Click(chromedp.CSS("[data-stream]"), chromedp.NodeVisible))
	b.shows("what was said since", still(logged+`.join() === "said before,said in between"`))
	engine.say("said at last")
	b.shows("what is said then", still(logged+`.join() === "said before,said in between,said at last"`))
	b.picture("log")
	for _, trouble := range b.Troubles() {
		t.Error("the browser complains:", trouble)
	}
}

// rests waits until the page asks for nothing any more, for more than twice as long as its own pace.
func (b *tab) rests() {
	b.s.t.Helper()
	const asked = `performance.getEntriesByType("resource").length`
	b.do(chromedp.Evaluate[chromedp.Void](`performance.setResourceTimingBufferSize(100000)`))
	b.s.until("the page of what has ended rests", func() (bool, string) {
		more, err := browser.Wait[int](b.Browser, `(async () => {
			const before = `+asked+`;
			await new Promise((done) => setTimeout(done, 5000));
			return `+asked+` - before;
		})()`)
		return err == nil && more == 0, fmt.Sprint(more, " more questions, ", err)
	})
}
