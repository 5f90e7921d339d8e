package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	logs "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a page may take to show something.
const patience = 90 * time.Second

// tab is one page in a real browser. It collects whatever the browser complains about.
type tab struct {
	t    *testing.T
	room *room
	ctx  context.Context

	mu        sync.Mutex
	troubles  []string       // console errors, refused content, failed requests; guarded by mu
	permitted map[int64]bool // statuses that are part of the test; guarded by mu
}

// openTab starts a browser of its own, so that nothing is left of an earlier one.
func (r *room) openTab() *tab {
	r.t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("/usr/bin/chromium"), chromedp.Flag("headless", true), chromedp.Flag("no-sandbox", true),
		chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, endTab := chromedp.NewContext(allocator)
	r.t.Cleanup(func() { endTab(); end() })
	p := &tab{t: r.t, room: r, ctx: ctx, permitted: map[int64]bool{}}
	// The browser lives as long as the context of the first thing that it does.
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)); err != nil {
		r.t.Fatal("the browser does not start: ", err)
	}
	if err := chromedp.Listen(ctx, p.notice); err != nil {
		r.t.Fatal(err)
	}
	return p
}

// notice writes down what a page must not do.
func (p *tab) notice(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		p.complain("exception: " + e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			p.complain(fmt.Sprintf("console %s: %v", e.Type, e.Args))
		}
	case *logs.EventEntryAdded:
		// What is said about answers is judged below, by their status.
		if e.Entry.Level == logs.EntryLevelError && !strings.HasPrefix(e.Entry.Text, "Failed to load resource") {
			p.complain("log: " + e.Entry.Text + " " + e.Entry.URL)
		}
	case *network.EventLoadingFailed:
		if e.ErrorText != "net::ERR_ABORTED" && e.ErrorText != networkChanged { // a page that was left while it asked something
			p.complain("request failed: " + e.ErrorText + " " + string(e.BlockedReason))
		}
	case *network.EventResponseReceived:
		p.mu.Lock()
		permitted := p.permitted[e.Response.Status]
		p.mu.Unlock()
		if e.Response.Status >= 400 && !permitted {
			p.complain(fmt.Sprintf("status %d of %s", e.Response.Status, e.Response.URL))
		}
	}
}

func (p *tab) complain(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.troubles = append(p.troubles, text)
}

// permit lets answers with this status pass: the test causes them.
func (p *tab) permit(status int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.permitted[status] = true
}

// clean fails the test when the browser complained about anything so far.
func (p *tab) clean() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, trouble := range p.troubles {
		p.t.Error("the browser complains:", trouble)
	}
	p.troubles = nil
}

// forget drops what the browser complained about: the test caused it.
func (p *tab) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.troubles = nil
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatalf("%v\non %s", err, p.address())
	}
}

func ask[T any](p *tab, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

func (p *tab) address() string { return ask[string](p, `location.pathname + location.search`) }

// networkChanged is what a browser says of requests that it breaks off because the host got or lost
// a network, as it does with each Docker network that another test makes or removes.
const networkChanged = "net::ERR_NETWORK_CHANGED"

func (p *tab) open(path string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	for {
		err := chromedp.Do(ctx, chromedp.Navigate(p.room.url+path))
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), networkChanged) {
			p.t.Fatalf("open %s: %v", path, err)
		}
	}
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
	found := ask[bool](p, fmt.Sprintf(`(() => {
		const named = [...document.querySelectorAll("main button, main a")].find((e) => e.offsetParent && e.textContent.trim() === %q);
		if (!named) return false;
		document.documentElement.dataset.left = %q;
		named.scrollIntoView({ block: "center" });
		named.setAttribute("data-pressed", %q);
		return true;
	})()`, name, mark, mark))
	if !found {
		p.t.Fatalf("%s has no button %q; it says:\n%s", p.address(), name, p.text())
	}
	p.do(chromedp.Click(chromedp.CSS(fmt.Sprintf("[data-pressed=%q]", mark))))
	p.until("the next page", fmt.Sprintf(`document.readyState === "complete" && document.documentElement.dataset.left !== %q`, mark))
}

func (p *tab) text() string { return ask[string](p, `document.querySelector("main").innerText`) }

// until waits for a condition in the page; a page that is being left has none.
func (p *tab) until(what, condition string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if lost, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`location.protocol === "chrome-error:"`)); err == nil && lost {
			_, _ = chromedp.Run(ctx, chromedp.Evaluate[bool](`(location.reload(), true)`)) // see networkChanged; looked at again below
		} else if holds, err := chromedp.Run(ctx, chromedp.Evaluate[bool](condition)); err == nil && holds {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
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
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	result, err := chromedp.Run(ctx, chromedp.Action[R](func(ctx context.Context, t *chromedp.Target) (R, error) { return cdp.Call(ctx, t, command, params) }))
	if err != nil {
		p.t.Fatal(err)
	}
	return result
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
