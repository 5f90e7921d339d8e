package browser

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	logs "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long one command of the browser may take.
const patience = 90 * time.Second

// NetworkChanged is what a browser says of requests that it breaks off because the host got or lost
// a network, as it does with each Docker network that another test makes or removes.
const NetworkChanged = "net::ERR_NETWORK_CHANGED"

// T is what a browser needs of a test. Fatal and Fatalf do not return.
type T interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Browser is a window of a Chromium with one page. It is for one goroutine.
type Browser struct {
	t   T
	ctx context.Context
	end func() // closes its window; that of the first ends the browser

	mu        sync.Mutex
	troubles  []string       // console errors, refused content, failed requests; guarded by mu
	permitted map[int64]bool // statuses that are part of the test; guarded by mu
	streams   int            // of events that were opened; guarded by mu
	documents bool           // statuses of documents are judged by who opens them; guarded by mu
}

// Open starts a browser for which host, such as "berth.test", is at address, and which leaves it to the
// caller to judge the statuses of whole pages. It ends with the test.
func Open(t T, host, address string) *Browser {
	t.Helper()
	b := Start(t, chromedp.Flag("host-resolver-rules", "MAP "+host+" "+address),
		chromedp.Flag("unsafely-treat-insecure-origin-as-secure", "http://"+host)) // as localhost is
	b.documents = true
	return b
}

// Start starts a browser of its own, so that nothing is left of an earlier one. It ends with the test.
func Start(t T, more ...chromedp.ExecAllocatorOption) *Browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("/usr/bin/chromium"), chromedp.Flag("headless", true), chromedp.Flag("no-sandbox", true),
		chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	allocator, end := chromedp.NewExecAllocator(context.Background(), append(options, more...)...)
	ctx, endPage := chromedp.NewContext(allocator)
	t.Cleanup(func() { endPage(); end() })
	b := &Browser{t: t, ctx: ctx, end: endPage, permitted: map[int64]bool{}}
	b.begin()
	return b
}

// notice writes down what a page must not do.
func (b *Browser) notice(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.complain("exception: " + e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			b.complain(fmt.Sprintf("console %s: %v", e.Type, e.Args))
		}
	case *logs.EventEntryAdded:
		// What is said about answers is judged below, by their status.
		if e.Entry.Level == logs.EntryLevelError && !strings.HasPrefix(e.Entry.Text, "Failed to load resource") {
			b.complain("log: " + e.Entry.Text + " " + e.Entry.URL)
		}
	case *network.EventLoadingFailed:
		if e.ErrorText != "net::ERR_ABORTED" && e.ErrorText != NetworkChanged { // a page that was left while it asked something
			b.complain("request failed: " + e.ErrorText + " " + string(e.BlockedReason))
		}
	case *network.EventResponseReceived:
		b.mu.Lock()
		permitted := b.permitted[e.Response.Status] || b.documents && e.Type == network.ResourceTypeDocument
		if e.Response.MimeType == "text/event-stream" {
			b.streams++
		}
		b.mu.Unlock()
		if e.Response.Status >= 400 && !permitted {
			b.complain(fmt.Sprintf("status %d of %s", e.Response.Status, e.Response.URL))
		}
	}
}

func (b *Browser) complain(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.troubles = append(b.troubles, text)
}

// Permit lets answers with this status pass: the test causes them.
func (b *Browser) Permit(status int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.permitted[status] = true
}

// Streams is how many streams of events pages have opened so far.
func (b *Browser) Streams() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.streams
}

// Troubles returns what the browser complained about since it was asked last, and forgets it.
func (b *Browser) Troubles() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := b.troubles
	b.troubles = nil
	return found
}

// SetCookie makes the browser send a cookie to an address; an empty value drops it.
func (b *Browser) SetCookie(to, name, value string) {
	b.t.Helper()
	if value == "" {
		Call(b, network.ClearBrowserCookies, cdp.Empty{})
		return
	}
	Call(b, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: to})
}

// Open loads a page and waits until it is whole.
func (b *Browser) Open(address string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	for {
		err := chromedp.Do(ctx, chromedp.Navigate(address))
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), NetworkChanged) {
			b.t.Fatalf("open %s: %v", address, err)
		}
	}
}

// Do takes steps in the page, each of which may wait for what it needs.
func (b *Browser) Do(steps ...chromedp.Action[chromedp.Void]) error {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	return chromedp.Do(ctx, steps...)
}

// Try evaluates an expression in the page, which may just be on its way out.
func Try[T any](b *Browser, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression))
}

// Wait evaluates an expression in the page and waits for what it promises.
func Wait[Value any](b *Browser, expression string) (Value, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[Value](expression, chromedp.EvalAwaitPromise))
}

// Ask evaluates an expression in the page.
func Ask[T any](b *Browser, expression string) T {
	b.t.Helper()
	value, err := Try[T](b, expression)
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Call runs one command of the browser's protocol.
func Call[P, R any](b *Browser, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	result, err := chromedp.Run(ctx, chromedp.Action[R](func(ctx context.Context, t *chromedp.Target) (R, error) { return cdp.Call(ctx, t, command, params) }))
	if err != nil {
		b.t.Fatal(err)
	}
	return result
}
