package hubs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"berth/core/stacks"
	hubworker "berth/hub/worker"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is one page in a real browser.
type tab struct {
	s   *site
	ctx context.Context

	mu     sync.Mutex
	thrown []string // by the pages' script; guarded by mu
}

func (s *site) tab() *tab {
	s.t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("/usr/bin/chromium"), chromedp.Flag("headless", true), chromedp.Flag("no-sandbox", true),
		chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, endTab := chromedp.NewContext(allocator)
	s.t.Cleanup(func() { endTab(); end() })
	b := &tab{s: s, ctx: ctx}
	// The browser lives as long as the context of the first thing that it does.
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)); err != nil {
		s.t.Fatal("the browser does not start: ", err)
	}
	if err := chromedp.Listen(ctx, func(event any) {
		if e, ok := event.(*runtime.EventExceptionThrown); ok {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.thrown = append(b.thrown, e.ExceptionDetails.Text)
		}
	}); err != nil {
		s.t.Fatal(err)
	}
	return b
}

// open goes to a page. A browser breaks it off when the host gets or loses a network, as it does with each
// container of another test.
func (b *tab) open(path string) {
	b.s.t.Helper()
	b.s.until("the page "+path, func() (bool, string) {
		err := chromedp.Do(b.ctx, chromedp.Navigate(b.s.api.URL+path))
		return err == nil, fmt.Sprint(err)
	})
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.s.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.s.t.Fatal(err)
	}
}

// shows waits until a condition holds in the page.
func (b *tab) shows(what, condition string) {
	b.s.t.Helper()
	b.s.until("the page shows "+what, func() (bool, string) {
		holds, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](condition))
		if err != nil {
			return false, err.Error() // it is being left
		}
		text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.pathname + "\n" + document.body.innerText`)) // to be shown
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
	for screen, width := range map[string]int64{"phone": 390, "desk": 1280} {
		b.do(chromedp.EmulateViewport(width, 900))
		picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
		if err == nil {
			err = os.WriteFile(filepath.Join(b.s.t.(*testing.T).ArtifactDir(), name+"."+screen+".png"), picture, 0o644)
		}
		if err != nil {
			b.s.t.Fatal(err)
		}
		b.shows("all of itself on a "+screen, fmt.Sprintf(`document.documentElement.scrollWidth <= %d`, width))
	}
}

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
		b.shows(line, still(fmt.Sprintf(`[...document.querySelectorAll("#log li")].filter((e) => e.innerText.includes(%q)).length === 1 && Number(document.body.dataset.live) > 0`, line)))
	}
	b.picture("running")
	close(reports)
	b.shows("the end", still(`document.querySelector("h1").innerText.includes("Succeeded") && document.querySelector("#log-state").innerText === "complete" && document.querySelector("main").innerText.split("the first half is done").length === 2`))
	b.picture("ended")
	if state := l.ended(added.DeploymentID); state != stacks.DeploymentSucceeded || engine.Applied(added.DeploymentID) != 1 {
		t.Errorf("it ended %s and was done %d times", state, engine.Applied(added.DeploymentID))
	}
	b.rests()

	b.open("/stacks/" + string(added.ID) + "/services/app/logs")
	b.shows("the log", same+` && document.querySelector("#log").innerText.includes("said before")`)
	engine.say("said in between")
	b.do(chromedp.Click(chromedp.CSS("[data-stream]"), chromedp.NodeVisible))
	b.shows("what was said since", still(`document.querySelector("#log").innerText.trim() === "said before\nsaid in between"`))
	engine.say("said at last")
	b.shows("what is said then", still(`document.querySelector("#log").innerText.trim() === "said before\nsaid in between\nsaid at last"`))
	b.picture("log")
	if b.mu.Lock(); len(b.thrown) > 0 {
		t.Errorf("the script fails: %s", strings.Join(b.thrown, "; "))
	}
	b.mu.Unlock()
}

// rests waits until the page asks for nothing any more, for more than twice as long as its own pace.
func (b *tab) rests() {
	b.s.t.Helper()
	const asked = `performance.getEntriesByType("resource").length`
	b.do(chromedp.Evaluate[chromedp.Void](`performance.setResourceTimingBufferSize(100000)`))
	b.s.until("the page of what has ended rests", func() (bool, string) {
		more, err := chromedp.Run(b.ctx, chromedp.Evaluate[int](`(async () => {
			const before = `+asked+`;
			await new Promise((done) => setTimeout(done, 5000));
			return `+asked+` - before;
		})()`, chromedp.EvalAwaitPromise))
		return err == nil && more == 0, fmt.Sprint(more, " more questions, ", err)
	})
}
